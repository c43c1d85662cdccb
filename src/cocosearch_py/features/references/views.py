"""Uses of definitions on a terminal."""

from rich.text import Text

from cocosearch_py.model.counts import counted
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_STYLES = {"resolved": "green", "scoped": "cyan", "name_only": "yellow"}
_MARKS = {"resolved": "=", "scoped": "~", "name_only": "?"}
_REASONS = {
    "calls": "uses it",
    "name_convention": "named after it",
    "same_file": "in the same file",
    "test_file": "file named after it",
    "imports": "imports it",
}


def show_references(screen: Screen, answer: Json) -> None:
    """Show a heading for each file, then a line for each use with its place, kind, certainty and text."""
    console = screen.console
    uses = answer["references"]
    digits = max((len(str(use["line"])) for use in uses), default=0)
    kinds = max((len(use["kind"]) for use in uses), default=0)
    last: tuple[str, str] | None = None
    for use in uses:
        index, path = use.get("index_name", ""), use["file_path"]
        if (index, path) != last:
            if last is not None:
                console.print()
            last = (index, path)
            named = f"[dim]{shown(index)}[/] " if index else ""
            console.print(f"{named}[bold cyan]{shown(screen.near(path))}[/]", soft_wrap=True)
        distance = use.get("distance", 1)
        line = Text.assemble(
            (f"{'  ' * distance}{use['line']:>{digits}} ", "dim"),
            (f"{_MARKS[use['confidence']]} {use['kind']:<{kinds}} ", _STYLES[use["confidence"]]),
            visible(use["text"]),
            (f"  {visible(use['enclosing']['name'])}" if "enclosing" in use else "", "dim"),
        )
        mark = "..." if console.options.ascii_only else "\N{HORIZONTAL ELLIPSIS}"
        console.print(cut(line, console.width, mark=mark), soft_wrap=True)
    if not uses:
        console.print("[yellow]nothing found[/]")
    if answer["total"]:
        sure = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in answer["confidence"].items())
        more = ": --limit shows more" if len(uses) < answer["total"] else ""
        screen.note(f"{len(uses):,} of {counted(answer['total'], 'use')} ({sure}){more}")
    _show_completeness(screen, answer)
    for text in answer.get("hints", ()):
        screen.note(f"- {text}")


def _show_completeness(screen: Screen, answer: Json) -> None:
    """Show the verdict of an answer, if it has one, and its blind spots."""
    if (verdict := answer.get("completeness")) is not None:
        screen.note(f"completeness: {verdict['level']}")
        for spot in verdict["blind_spots"]:
            screen.note(f"- {spot}")


def show_tests(screen: Screen, answer: Json) -> None:
    """Show tests with the reason, and how to run them."""
    console = screen.console
    for test in answer["tests"]:
        reason = _REASONS[test["match_reason"]]
        if test.get("confidence") == "name_only":
            reason += ", by name only"
        if test["distance"] > 1:
            reason += f", over {test['distance']} steps"
        name = "" if test["kind"] == "file" else f"  [bold green]{shown(test['name'])}[/]"
        place = f"[cyan]{shown(screen.near(test['file']))}[/]:{test['line']}"
        console.print(f"{place}{name}  [dim]{reason}[/]", soft_wrap=True)
    for run in answer["run"]:
        root, folder = answer["root"], run["folder"]
        folder = local_path(root, "") if folder == root else screen.near(folder)
        where = f"  [dim]in {shown(folder)}[/]" if folder not in ("", ".") else ""
        console.print(f"$ {shown(run['command'])}{where}", soft_wrap=True)
    if not answer.get("truncated"):
        screen.note(counted(answer["total"], "test"))
    _show_completeness(screen, answer)


def show_type_flow(screen: Screen, answer: Json) -> None:
    """Show the definitions that return or accept a type."""
    for title, role in (("returned by", "producers"), ("accepted by", "consumers")):
        if answer[role]:
            screen.console.print(f"[bold]{title}[/]")
        for user in answer[role]:
            place = visible(screen.near(user["file"]))
            line = Text.assemble((f"  {place}", "cyan"), f":{user['line']}  {visible(user['signature'])}")
            screen.console.print(cut(line, screen.console.width, mark="..."), soft_wrap=True)
    returned, accepted = (counted(answer[f"{role}_count"], "function") for role in ("producers", "consumers"))
    screen.note(f"returned by {returned}, accepted by {accepted}")


def show_call_graph(screen: Screen, answer: Json) -> None:
    """Show calls under their callers; before them the paths between two definitions."""
    console, root = screen.console, answer["root"]
    names = {node["id"]: shown(_name(root, node)) for node in answer["nodes"]}
    places = {node["id"]: f"{shown(screen.near(node['file']))}:{node['line']}" for node in answer["nodes"]}
    for path in answer.get("paths", ()):
        console.print(" → ".join(f"[bold green]{names[id]}[/]" for id in path), soft_wrap=True)
    caller = ""
    for edge in answer["edges"]:
        if edge["source"] != caller:
            caller = edge["source"]
            console.print(f"[bold green]{names[caller]}[/]  [cyan]{places[caller]}[/]", soft_wrap=True)
        target, times = edge["target"], f", {edge['calls']} times" if edge["calls"] > 1 else ""
        console.print(
            f"  {edge['line']:>4} {_MARKS[edge['confidence']]} {names[target]}  [dim]{places[target]}{times}[/]",
            soft_wrap=True,
        )
    screen.note(f"{counted(len(names), 'definition')}, {counted(len(answer['edges']), 'edge')}")
    _show_completeness(screen, answer)


def _name(root: str, node: Json) -> str:
    """Return the qualified name of a node, whose id begins with its path and may end with its line."""
    path: str = node["file"].removeprefix(f"{root}/")
    name: str = node["id"].removeprefix(f"{path}#")
    return name.removesuffix(f":{node['line']}")


def mermaid_lines(answer: Json) -> list[str] | None:
    """Return the lines of a flowchart, if one was asked for."""
    return answer["graph"].split("\n") if "graph" in answer else None
