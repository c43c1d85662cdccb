"""What a diff or a name reaches: `since_ref` and `symbol` instead of files."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, lay_out

from cocosearch_py.app import App

FILES = {
    "lib/__init__.py": "",
    "lib/money.py": "class Money:\n    pass\n",
    "lib/cart.py": "from lib.money import Money\n\n\ndef total():\n    return Money()\n",
    "lib/alone.py": "def nothing():\n    return None\n",
    "tests/test_cart.py": "from lib.cart import total\n\n\ndef test_total():\n    assert total()\n",
}


@pytest.fixture
def tools(make: Callable[..., FastMCP], app: App, tmp_path: Path) -> FastMCP:
    folder = lay_out(tmp_path / "project", FILES)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], check=True)
    app.index(folder, name="project")
    return make(project=folder)


def test_nothing_has_changed(tools: FastMCP) -> None:
    answer = call(tools, "get_impact", {"since_ref": "HEAD"})
    assert answer.payload["error_type"] == "not_found"
    found = call(tools, "find_tests", {"since_ref": "HEAD"}).payload
    assert found["tests"] == []
    assert found["warnings"] == ["no file changed since 'HEAD'"]


def test_what_changed_since_a_commit(tools: FastMCP, tmp_path: Path) -> None:
    (tmp_path / "project/lib/money.py").write_text("class Money:\n    cents = 0\n")
    impact = call(tools, "get_impact", {"since_ref": "HEAD"}).payload
    assert impact["file"] == "lib/money.py"
    assert [one["file"] for one in impact["affected_files"]] == ["lib/cart.py", "tests/test_cart.py"]
    assert [one["name"] for one in call(tools, "find_tests", {"since_ref": "HEAD"}).payload["tests"]] == [
        "test_cart.py"
    ]


def test_what_a_name_reaches(tools: FastMCP) -> None:
    impact = call(tools, "get_impact", {"symbol": "total"}).payload
    assert (impact["file"], impact["tests"]) == ("lib/cart.py", ["tests/test_cart.py"])
    assert call(tools, "get_impact", {"symbol": "nowhere"}).payload["error_type"] == "not_found"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_impact", {"file": "lib/cart.py", "symbol": "total"}),
        ("get_impact", {"symbol": "total", "since_ref": "HEAD"}),
        ("get_impact", {}),
        ("find_tests", {"symbol": "total", "since_ref": "HEAD"}),
        ("find_tests", {}),
    ],
)
def test_just_one_of_them_is_asked_about(tools: FastMCP, tool: str, arguments: dict[str, str]) -> None:
    assert call(tools, tool, arguments).payload["error_type"] == "validation_error"
