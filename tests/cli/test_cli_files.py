"""`files`: what the index has and what not, for people and programs."""


def test_views(cli, shop):
    table = cli("--pretty", "files", "shop", cwd=shop).out.splitlines()
    assert table[0].split() == ["lines", "size", "symbols", "modified", "language", "path"]
    assert [line.split()[-1] for line in table[1:]] == ["shop/cart.py", "shop/discounts.py", "shop/prices.py"]
    assert cli("files", "--view", "paths", "--lang", "python", "shop", cwd=shop).out.splitlines() == [
        *("shop/cart.py", "shop/discounts.py", "shop/prices.py")
    ]
    assert "  cart.py\n" in cli("--pretty", "files", "--view", "tree", cwd=shop).out
    assert cli("--pretty", "files", "--view", "children", cwd=shop).out.splitlines()[1].endswith("docs/")
    assert cli("--pretty", "files", "--query", "crt", cwd=shop).out.splitlines()[1].endswith("shop/cart.py")


def test_what_is_left_out_is_told_with_its_rule(cli, shop):
    out = cli("--pretty", "files", "--status", "skipped", cwd=shop).out
    assert "ignored: .gitignore:1: build/" in " ".join(out.split())
    assert cli("files", "--status", "nothing", cwd=shop, code=2).error["error_type"] == "validation_error"
    assert cli("files", "..", cwd=shop, code=5).error["error_type"] == "safety_error"


def test_a_folder_is_that_of_the_user(cli, shop):
    assert [file["path"] for file in cli("files", "./retry.go", cwd=shop / "server").json["files"]] == [
        "server/retry.go"
    ]
    assert cli("files", shop / "server", cwd=shop / "shop").json["total"] == 1


def test_tokens(cli, shop):
    file = cli("tokens", "shop/cart.py", cwd=shop).json
    told = cli("--pretty", "tokens", "shop/cart.py", cwd=shop).out
    assert f"{file['full_file_tokens']:,} tokens" in told
    assert cli("--pretty", "tokens", "shop/cart.py", "--symbol", "add_item", cwd=shop).out.count("tokens") == 3
    assert "3 files" in cli("--pretty", "tokens", "--directory", "shop", cwd=shop).out
    assert cli("tokens", cwd=shop, code=2).error["error_type"] == "validation_error"
