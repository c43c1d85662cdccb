"""`outline` and `explain`: trees and definitions for people."""

import pytest

from cocosearch_py.features.navigate.views import tree_guides


def test_a_tree_with_lines_and_signatures(cli, shop):
    lines = cli("--pretty", "outline", "shop/cart.py", cwd=shop).out.splitlines()
    assert lines[0] == "shop/cart.py  python, 21 lines, 4 definitions"
    assert lines[1] == "  imports shop.prices"
    assert lines[2].split(maxsplit=3) == ["6-21", "class", "Cart", "class Cart:"]
    assert any("method total_price" in line for line in lines)
    assert cli("outline", "cart.py", "-d", "1", cwd=shop / "web").json["symbols"][0]["name"] == "Cart"
    assert "is not a file in this index" in cli("outline", "nothing.py", cwd=shop, code=1).error["error"]


def test_a_definition_without_its_body(cli, shop):
    out = cli("--pretty", "explain", "Cart.add_item", cwd=shop).out
    assert out.startswith("shop/cart.py:12-14  Cart.add_item method, public\n")
    assert "    Put an article into the cart.\n" in out
    assert "append" not in out
    assert "total_price" in cli("--pretty", "explain", "Cart", cwd=shop).out
    assert "did you mean Cart?" in cli("--pretty", "explain", "Carrt", cwd=shop).err


@pytest.mark.parametrize(
    ("levels", "guides"),
    [
        ([0, 1, 1, 0], ["", "|-- ", "`-- ", ""]),
        ([0, 1, 2, 1], ["", "|-- ", "|   `-- ", "`-- "]),
        ([0, 1, 2, 0, 1], ["", "`-- ", "    `-- ", "", "`-- "]),
    ],
)
def test_guides_lead_to_what_is_inside(levels, guides):
    assert tree_guides(levels, ascii_only=True) == guides
