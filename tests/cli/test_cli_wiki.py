"""`wiki ...`: pages written, read, found, compared and restored by people."""


def test_pages_on_the_command_line(cli, write_sample, tmp_path):
    shop = write_sample(tmp_path / "project")
    refused = cli("wiki", "read", "cart", cwd=shop, code=1)
    assert "wiki generate" in refused.err
    cli("index", ".", cwd=shop)
    cli("wiki", "generate", cwd=shop)
    (tmp_path / "cart.md").write_text("A cart holds items.\n\n## Paying\n\nSee [[mail]].\n", encoding="utf-8")
    write = ("wiki", "write", "cart", f"@{tmp_path / 'cart.md'}")
    made = cli(*write, "--title", "The cart", "--source", "shop/cart.py#Cart", "--author", "ann", cwd=shop).json
    assert (made["version"], made["created"], made["missing_sources"]) == (1, True, [])
    assert [one["target"] for one in made["broken_links"]] == ["mail"]
    cli("wiki", "write", "cart", "A cart holds things.", "--if-version", "1", cwd=shop)
    conflict = cli("--pretty", "wiki", "write", "cart", "Lost.", "--if-version", "1", cwd=shop, code=1)
    assert "version 2" in conflict.err and "pass --if-version 2" in conflict.err
    assert "+A cart holds things." in cli("wiki", "diff", "cart", cwd=shop).json["diff"]
    assert cli("wiki", "restore", "cart", "1", cwd=shop).json["version"] == 3
    assert [one["version"] for one in cli("wiki", "history", "cart", cwd=shop).json] == [3, 2, 1]
    assert cli("wiki", "read", "The c", cwd=shop).json["content"].startswith("A cart holds items.")
    assert cli("--pretty", "wiki", "read", "cart", "--start-line", "3", cwd=shop).out.startswith("## Paying\n")
    assert cli("wiki", "search", "what holds items", cwd=shop).json["pages"][0]["id"] == "cart"
    failure = ("--symptom", "items vanish", "--attempted-fix", "a lock", "--diagnosis", "two carts")
    assert cli("wiki", "record-failure", *failure, "--page", "cart", cwd=shop).json["failure_id"] == 1
    assert cli("wiki", "compound", "Carts are emptied at night.", "--suggest", cwd=shop).json["applied"] is False
    assert cli("wiki", "rename", "cart", "basket", "--title", "The basket", cwd=shop).json["version"] == 4
    assert "mail" not in cli("--pretty", "wiki", "remove", "cart", cwd=shop).out
    assert "wiki restore basket 4" in cli("wiki", "read", "basket", cwd=shop, code=1).err
    shown = cli("--pretty", "wiki", "restore", "basket", "4", cwd=shop)
    assert shown.out == "basket  The basket, version 5: updated\n"
    assert "line 5: no page 'mail'" in shown.err
    similar = cli("--pretty", "wiki", "record-failure", *failure, "--page", "basket", cwd=shop).out
    assert similar.startswith("recorded failure 2 in basket\n  like basket 1: items vanish; tried: a lock")
    told = cli("--pretty", "wiki", "compound", "Volcanoes of Iceland.", "--suggest", cwd=shop).out
    assert told == "volcanoes-of-iceland  Volcanoes of Iceland: would be created\n"
    assert "basket" in cli("--pretty", "wiki", "rename", "basket", "cart", cwd=shop).out
    status = cli("wiki", "status", cwd=shop).json
    assert (status["page_count"], status["unresolved_failures"], status["stale_pages"]) == (1, 2, [])
    (shop / "shop" / "cart.py").write_text("class Cart:\n    pass\n", encoding="utf-8")
    assert cli("wiki", "status", cwd=shop).json["stale_pages"][0]["page"] == "cart"
    cli("wiki", "write", "mail", "Mail is sent.", "--title", "Mail", "--source", "shop/prices.py", cwd=shop)
    (shop / "shop" / "prices.py").rename(shop / "shop" / "money.py")
    assert "mail: shop/prices.py moved to shop/money.py\n" in cli("--pretty", "wiki", "status", cwd=shop).err
    assert not [one["name"] for one in cli("list", cwd=shop).json if ":" in one["name"]]  # what pages are found by
