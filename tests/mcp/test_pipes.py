"""A named pipe in place of a file that git or this program reads holds up no tool."""

import os
import subprocess
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.discovery import git as git_module

pytestmark = [
    pytest.mark.usefixtures("no_hang"),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs"),
]


@pytest.mark.parametrize(
    "place",
    [
        ".git/config", ".git/index", ".git/info/exclude", ".gitignore", "shop/.gitignore", "shop/.gitattributes",
        ".gitmodules", "cocosearch.yaml", "core.excludesFile", "include.path",
    ],
)  # fmt: skip
def test_a_pipe_holds_up_no_tool(
    app: App, make: Callable[..., FastMCP], sample_repo: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "_LOOK_SECONDS", 0.5)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    subprocess.run(["git", "init", "-q"], cwd=sample_repo, check=True)
    (sample_repo / place).unlink(missing_ok=True)
    os.mkfifo(sample_repo / place)
    if place in ("core.excludesFile", "include.path"):
        subprocess.run(["git", "config", place, str(sample_repo / place)], cwd=sample_repo, check=True)
    server, cart = make(toolsets=("default", "edit")), sample_repo / "shop" / "cart.py"
    indexed = call(server, "index_codebase", {"path": str(sample_repo), "wait": True})
    assert not indexed.is_error, indexed.payload
    assert call(server, "search_code", {"query": "total price of the cart"}).hits
    assert [one.verdict for one in app.explain_files(sample_repo, [str(cart)], None)] == ["new"]
    hash_now = blake2b(cart.read_bytes(), digest_size=16).hexdigest()
    edit = {"path": str(cart), "op": "insert", "after": 1, "content": "LIMIT = 7\n", "if_hash": hash_now}
    assert call(server, "patch_file", edit).payload["applied"]
    assert "LIMIT = 7\n" in cart.read_text()
