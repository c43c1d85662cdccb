"""`tests`: tests of code for people and programs."""


def test_tests_with_reasons(cli, tmp_path, write_sample):
    shop = write_sample(tmp_path / "tested")
    (shop / "pyproject.toml").write_text("[tool.pytest]\n")
    (shop / "tests").mkdir()
    (shop / "tests" / "test_money.py").write_text(
        "from shop.prices import Money\n\n\ndef test_euros():\n    assert Money(1)\n"
    )
    cli("index", shop)
    result = cli("--pretty", "tests", "Money", cwd=shop)
    assert "tests/test_money.py:4  test_euros  uses it" in result.out
    assert "$ pytest tests/test_money.py::test_euros" in result.out
    answer = cli("tests", "--path", "shop/prices.py", cwd=shop).json
    assert answer["tests"][0]["match_reason"] == "imports"
    assert answer["run"][0] == {"framework": "pytest", "folder": str(shop), "command": "pytest tests/test_money.py"}


def test_what_is_missing_is_said(cli, shop):
    assert "`cocosearch-py symbols`" in cli("--pretty", "tests", "no_such_name", cwd=shop).err
    assert cli("tests", "--path", "no/such", cwd=shop, code=1).error["error_type"] == "not_found"
    assert cli("tests", cwd=shop, code=2).error["error_type"] == "validation_error"
