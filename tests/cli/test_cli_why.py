"""`why` as a user meets it."""


def test_why_says_what_decided_for_each_file(cli, shop):
    items = cli("why", "shop/cart.py", "build/made.py", "empty.py", "web", cwd=shop).json
    assert [item["verdict"] for item in items] == ["indexed", "skipped", "skipped", "folder"]
    assert items[0]["language"] == "python"
    assert (items[1]["rule"], items[1]["decided_by"]) == (".gitignore:1: build/", "build/")
    assert items[2]["rule"] == "the file is empty"
    assert items[3]["files"] == {"indexed": 1}
    shown = cli("--pretty", "why", "cart.py", "../build/made.py", cwd=shop / "shop")
    assert "cart.py           indexed: 1 chunk, 4 definitions; python, code" in shown.out
    assert "skipped as ignored: .gitignore:1: build/, decided for build/" in shown.out
    assert cli("why", shop / "broken.py", "-n", "shop").json[0]["verdict"] == "indexed"


def test_why_fails_for_what_is_not_there(cli, shop, tmp_path):
    assert cli("why", "nowhere.py", cwd=shop, code=1).json[0]["verdict"] == "missing"
    assert cli("why", tmp_path, cwd=shop, code=1).json[0]["verdict"] == "outside"
    assert cli("why", cwd=shop, code=2).error["hint"]
    assert "search why does it fail" in cli("--pretty", "why", "does", "it", "fail", cwd=shop, code=1).err


def test_why_needs_no_index_and_makes_no_database(cli, sample_repo, tmp_path):
    env = {"COCOSEARCH_DATA_DIR": str(tmp_path / "data")}
    (item,) = cli("why", "shop/cart.py", cwd=sample_repo, env=env).json
    assert (item["verdict"], item["next_run"]) == ("new", "add")
    assert item["hint"] == f"{sample_repo} has no index; `cocosearch-py index` creates one"
    assert item["hint"] in cli("--pretty", "why", "shop/cart.py", cwd=sample_repo, env=env).err
    assert not (tmp_path / "data" / "postgres-18").exists()
