"""`summarize`: files, folders and definitions for people and programs."""


def test_views(cli, shop):
    file = cli("--pretty", "summarize", "shop/cart.py", cwd=shop).out
    assert "1 class" in file and "__init__, add_item, total_price" in file and "shop.prices" in file
    folder = cli("--pretty", "summarize", cwd=shop).out
    assert folder.startswith(str(shop)) and "\nname " in folder
    assert cli("--pretty", "summarize", "shop/*.py", cwd=shop).out.count("\n\n") == 2
    assert "Sum up all lines of the cart." in cli("--pretty", "summarize", "total_price", cwd=shop).out
    assert cli("summarize", "cart.py", cwd=shop / "shop").json["type"] == "file"


def test_exit_codes(cli, shop):
    assert cli("summarize", "no/such/file.py", cwd=shop, code=1).error["error_type"] == "not_found"
    assert cli("summarize", "/etc", cwd=shop, code=5).error["error_type"] == "safety_error"
    assert cli("summarize", "--scope", "x", cwd=shop, code=2).error["error_type"] == "validation_error"
