"""`symbols`: definitions for people and programs."""


def test_definitions_under_their_files(cli, shop):
    out = cli("--pretty", "symbols", "add_item", cwd=shop).out
    assert out.splitlines()[0] == "shop/cart.py"
    assert out.splitlines()[1].split()[:3] == ["12-14", "method", "Cart.add_item"]
    result = cli("--pretty", "symbols", "'*_item'", cwd=shop)
    assert result.out == "nothing found\n"
    assert result.err == "did you mean add_item?\n"
    assert cli("symbols", "*_item", cwd=shop).json["match"] == "glob"


def test_suggestions_and_filters(cli, shop):
    assert "did you mean add_item?" in cli("--pretty", "symbols", "ad_itm", cwd=shop).err
    assert cli("symbol", "Cart", "--kind", "class", "--lang", "python", cwd=shop).json["total"] == 1
    told = cli("--pretty", "symbols", "Cart", "--kind", "method", cwd=shop)
    assert "but the filters exclude it" in told.err
    assert cli("symbols", "-m", "near", "Cart", cwd=shop, code=2).error["error_type"] == "validation_error"
    assert "the name is empty" in cli("symbols", "", cwd=shop, code=2).error["error"]
