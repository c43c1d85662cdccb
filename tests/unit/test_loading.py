"""Functions that modules of the command line name instead of importing them."""

import ast
from pathlib import Path

from cocosearch_py.cli.loading import load
from cocosearch_py.tools.registry import all_operations

CLI = Path(__file__).parents[2] / "src" / "cocosearch_py" / "cli"


def paths_in(module: Path) -> set[str]:
    """Return the texts of a module that name a function of the package."""
    texts = [
        node.value
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return {text for text in texts if text.startswith("cli.") and text.count(".") > 1}


def test_every_function_that_is_named_exists() -> None:
    named = {path for module in CLI.glob("*.py") for path in paths_in(module)}
    views = {path for tool in all_operations() for path in (tool.view, tool.lines) if path}
    assert len(named) > 30
    assert len(views) > 40
    named |= views
    assert [path for path in sorted(named) if not callable(load(path))] == []
