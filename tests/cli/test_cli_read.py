"""`read`: lines for people and programs, and its exit codes."""

import os


def test_lines_with_their_numbers_under_their_files(cli, shop):
    out = cli("--pretty", "read", "Cart.add_item", "shop/prices.py:1-2", cwd=shop).out
    first, second = out.split("\n\n", 1)
    assert first.startswith("shop/cart.py  method Cart.add_item  ")
    assert first.splitlines()[1].split()[1:3] == ["def", "add_item(self,"]
    assert second.splitlines()[1] == '  1 """Money without floating point."""'


def test_paths_are_those_of_the_folder_of_the_user(cli, shop):
    answer = cli("read", "cart.py:1", cwd=shop / "shop").json
    assert answer["file_path"] == os.path.realpath(shop / "shop" / "cart.py")
    assert cli("read", "shop/cart.py:1", cwd=shop / "shop").json["file_path"] == answer["file_path"]


def test_exit_codes(cli, shop, tmp_path):
    assert cli("read", "no/such/file.py", cwd=shop, code=1).error["error_type"] == "not_found"
    assert cli("read", "shop/cart.py:1", "nothing", cwd=shop, code=1).json["not_found"]
    assert cli("read", tmp_path / "x.py", cwd=shop, code=5).error["error_type"] == "safety_error"
    assert cli("read", cwd=shop, code=2).error["error_type"] == "validation_error"
