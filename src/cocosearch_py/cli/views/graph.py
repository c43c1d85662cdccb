"""Files that depend on each other, on a terminal: as trees."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from cocosearch_py.model.graph import Outside
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut
from cocosearch_py.render.paths import local_path

_GUIDE_COLUMNS = 4  # of each level of a tree
_FEWEST_COLUMNS = 12  # of the names that are imported


def show_trees(console: Console, trees: Mapping[str, Sequence[Mapping[str, Any]]], root: str) -> None:
    """Print the files that were asked about, with the others below them.

    Args:
        trees: nodes of `operations.common.walks`, by file.
    """
    for path, nodes in trees.items():
        tree = Tree(Text(visible(local_path(root, path)), style="bold cyan"))
        _grow(tree, nodes, root, console.width - _GUIDE_COLUMNS)
        console.print(tree, soft_wrap=True)
        if not nodes:
            console.print("  [yellow]nothing found[/]")


def show_outside(console: Console, found: Sequence[Outside], root: str) -> None:
    """Print the modules that lead to no file of the index, each with the places that import it."""
    places: dict[str, list[str]] = {}
    for one in found:
        places.setdefault(one.module, []).append(f"{local_path(root, one.source)}:{one.line}")
    if places:
        console.print("outside the index", style="bold")
    for module, where in sorted(places.items()):
        line = Text.assemble((f"  {visible(module)}", "green"), (f"  {visible(', '.join(where))}", "dim"))
        console.print(line, soft_wrap=True)


def _grow(tree: Tree, nodes: Sequence[Mapping[str, Any]], root: str, columns: int) -> None:
    for node in nodes:
        label = Text.assemble(visible(local_path(root, node["file"])), (f":{node['line']}", "dim"))
        test = Text("  test" if node.get("is_test") else "", style="yellow")
        if names := node["target_symbol"]:
            room = max(columns - label.cell_len - test.cell_len, _FEWEST_COLUMNS)
            label.append_text(cut(Text(f"  {visible(names)}", style="green"), room, mark="..."))
        label.append_text(test)
        _grow(tree.add(label), node.get("children", ()), root, columns - _GUIDE_COLUMNS)
