"""Files that depend on each other, on a terminal: as trees."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from cocosearch_py.cli.views.layout import cut
from cocosearch_py.model.graph import Outside
from cocosearch_py.model.terminal import visible

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


def show_outside(console: Console, found: Sequence[Outside]) -> None:
    """Print the modules that lead to no file of the index, each with the places that import it."""
    places: dict[str, list[str]] = {}
    for one in found:
        places.setdefault(one.module, []).append(f"{one.source}:{one.line}")
    if places:
        console.print("outside of the index", style="bold")
    for module, where in sorted(places.items()):
        line = Text.assemble((f"  {visible(module)}", "green"), (f"  {visible(', '.join(where))}", "dim"))
        console.print(line, soft_wrap=True)


def _grow(tree: Tree, nodes: Sequence[Mapping[str, Any]]) -> None:
    for node in nodes:
        label = Text.assemble(visible(node["file"]), (f":{node['line']}", "dim"))
        if names := node["target_symbol"]:
            label.append_text(cut(Text(f"  {visible(names)}", style="green"), _MOST_NAMES, mark="..."))
        if node.get("is_test"):
            label.append("  test", style="yellow")
        _grow(tree.add(label), node.get("children", ()))
