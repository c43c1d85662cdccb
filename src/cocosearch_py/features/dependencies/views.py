"""Files that import each other on a terminal: trees, graphs and maps."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from cocosearch_py.model.counts import counted
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_MOST_NAMED = 3  # Maximum imports that a warning names.
_GUIDE_COLUMNS = 4  # Columns of each level of a tree.
_FEWEST_COLUMNS = 12  # Minimum columns for the names that are imported.


def show_dependencies(screen: Screen, answer: Json) -> None:
    """Show what each file imports, below it, and the modules outside the index."""
    root = answer["root"]
    trees = {item["file"]: item.get("tree", item.get("dependencies")) for item in answer.get("files", [answer])}
    _show_trees(screen.console, trees, root)
    _show_outside(screen.console, answer.get("external", ()), root)
    if unresolved := answer["unresolved"]:
        first = ", ".join(
            f"{one['module']} ({local_path(root, one['file'])}:{one['line']})" for one in unresolved[:_MOST_NAMED]
        )
        count = "1 import does" if len(unresolved) == 1 else f"{len(unresolved):,} imports do"
        more = ", ..." if len(unresolved) > _MOST_NAMED else ""
        screen.warn(f"{count} not resolve to an indexed file: {first}{more}")
    outside = f", {counted(len(answer['external']), 'module')} outside it" if "external" in answer else ""
    screen.note(f"{counted(answer['total'], 'dependency')} in the index{outside}")


def show_impact(screen: Screen, answer: Json) -> None:
    """Show what imports each file, below it."""
    trees = {item["file"]: item["impact_tree"] for item in answer.get("files", [answer])}
    _show_trees(screen.console, trees, answer["root"])
    affected = counted(len(answer["affected_files"]), "file")
    screen.note(f"{affected} may be affected, {len(answer['tests']):,} of them tests")


def _show_trees(console: Console, trees: Mapping[str, Sequence[Json]], root: str) -> None:
    for path, nodes in trees.items():
        tree = Tree(Text(visible(local_path(root, path)), style="bold cyan"))
        _grow(tree, nodes, root, console.width - _GUIDE_COLUMNS)
        console.print(tree, soft_wrap=True)
        if not nodes:
            console.print("  [yellow]nothing found[/]")


def _grow(tree: Tree, nodes: Sequence[Json], root: str, columns: int) -> None:
    for node in nodes:
        path = node.get("file") or node["target_file"]
        label = Text.assemble(visible(local_path(root, path)), (f":{node['line']}", "dim"))
        test = Text("  test" if node.get("is_test") else "", style="yellow")
        if names := node["target_symbol"]:
            room = max(columns - label.cell_len - test.cell_len, _FEWEST_COLUMNS)
            label.append_text(cut(Text(f"  {visible(names)}", style="green"), room, mark="..."))
        label.append_text(test)
        _grow(tree.add(label), node.get("children", ()), root, columns - _GUIDE_COLUMNS)


def _show_outside(console: Console, imports: Sequence[Json], root: str) -> None:
    """Show the modules that lead to no file of the index, each with the places that import it."""
    places: dict[str, list[str]] = {}
    for one in imports:
        places.setdefault(one["module"], []).append(f"{local_path(root, one['file'])}:{one['line']}")
    if places:
        console.print("outside the index", style="bold")
    for module, where in sorted(places.items()):
        line = Text.assemble((f"  {visible(module)}", "green"), (f"  {visible(', '.join(where))}", "dim"))
        console.print(line, soft_wrap=True)


def graph_lines(answer: Json) -> list[str] | None:
    """Return the lines of a graph as text, if it is not JSON."""
    return answer["graph"].split("\n") if "graph" in answer else None


def map_lines(answer: Json) -> list[str]:
    """Return the lines of a map, with paths as a person in the current folder would type them."""
    lines: list[str] = answer["map"].split("\n")
    return [local_path(answer["root"], line) if line[:1].strip() else line for line in lines]
