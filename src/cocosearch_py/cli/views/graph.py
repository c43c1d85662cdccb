"""Files that depend on each other, on a terminal: as trees."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from cocosearch_py.cli.views.layout import cut, visible

_MOST_NAMES = 60  # characters of the names that are imported


def show_trees(console: Console, trees: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print the files that were asked about, with the others below them.

    Args:
        trees: nodes of `operations.common.walks`, by file.
    """
    for path, nodes in trees.items():
        tree = Tree(Text(visible(path), style="bold cyan"))
        _grow(tree, nodes)
        console.print(tree, soft_wrap=True)
        if not nodes:
            console.print("  [yellow]nothing found[/]")


def _grow(tree: Tree, nodes: Sequence[Mapping[str, Any]]) -> None:
    for node in nodes:
        label = Text.assemble(visible(node["file"]), (f":{node['line']}", "dim"))
        if names := node["target_symbol"]:
            label.append_text(cut(Text(f"  {visible(names)}", style="green"), _MOST_NAMES, mark="..."))
        if node.get("is_test"):
            label.append("  test", style="yellow")
        _grow(tree.add(label), node.get("children", ()))
