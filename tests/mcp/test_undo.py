"""`patch_file(op="undo")`: what an agent did is taken back by an agent, and the index has it."""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
CART = "shop/cart.py"


@pytest.fixture(autouse=True)
def patient(app: App) -> None:
    app.repair_wait_s = 60.0


def test_an_edit_is_taken_back(make: Make, shop: Path) -> None:
    server, cart = make(toolsets=("default", "edit")), shop / CART
    before = cart.read_bytes()
    known = blake2b(before, digest_size=16).hexdigest()
    edit = {"path": CART, "op": "insert", "after": 0, "content": "ZEBRA_LIMIT = 7", "if_hash": known}
    seq = call(server, "patch_file", edit).payload["seq"]
    undo = {"path": CART, "op": "undo", "seq": seq}
    dry = call(server, "patch_file", {**undo, "dry_run": True}).payload
    assert (dry["applied"], dry["hash"], "-ZEBRA_LIMIT = 7" in dry["diff"]) == (False, known, True)
    wrong = call(server, "patch_file", {**undo, "path": "shop/price.py"})
    assert (wrong.is_error, wrong.payload["error_type"]) == (True, "validation_error")
    assert (
        call(server, "patch_file", {"op": "undo", "seq": seq, "dry_run": True}).payload == dry
    )  # the number says which
    done = call(server, "patch_file", undo).payload
    assert (done["applied"], done["hash"], done["seq"], done["reindexed"]) == (True, known, seq + 1, True)
    assert cart.read_bytes() == before
    assert call(server, "search_text", {"query": "ZEBRA_LIMIT"}).payload["matches"] == []
    last = call(server, "list_changes", {"limit": 1}).payload["changes"][0]
    assert (last["op"], last["undoes"], last["undoable"]) == ("undo", seq, True)
    for wrong_call in (
        {**undo, "content": "x"},
        {"path": CART, "op": "undo"},
        {**edit, "seq": 1},
        {**edit, "path": ""},
    ):
        assert call(server, "patch_file", wrong_call).payload["error_type"] == "validation_error"
    made = call(server, "create_file", {"path": "shop/yak.py", "content": "YAK = 1\n"}).payload
    gone = call(server, "patch_file", {"path": "shop/yak.py", "op": "undo", "seq": made["seq"]}).payload
    assert (gone["applied"], gone["hash"], (shop / "shop" / "yak.py").exists()) == (True, "", False)
    cart.write_bytes(before.replace(b"\n", b" \n"))
    conflict = call(server, "patch_file", {"path": CART, "op": "undo", "seq": seq + 1})
    assert (conflict.is_error, conflict.payload["error_type"]) == (True, "conflict")
