"""The context of a task on a terminal: snippets with their text, then one line for each neighbour."""

from rich.text import Text

from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_NEAR = ("symbols", "callers", "tests", "imports")
_TAB_COLUMNS = 4


def show_context(screen: Screen, answer: Json) -> None:
    """Show the lists that are not empty."""
    console, root = screen.console, answer["root"]
    for snippet in answer["snippets"]:
        name = f"  {shown(snippet['kind'])} [bold green]{shown(snippet['name'])}[/]" if "name" in snippet else ""
        lines = f"{snippet['start_line']}-{snippet['end_line']}"
        console.print(f"[bold cyan]{shown(local_path(root, snippet['file_path']))}[/]:{lines}{name}", soft_wrap=True)
        for line in snippet["text"].split("\n"):
            console.print(Text("  " + visible(line.removesuffix("\r").expandtabs(_TAB_COLUMNS))), soft_wrap=True)
        console.print()
    for name in _NEAR:
        if answer[name]:
            console.print(f"[bold]{name}[/]")
        for item in answer[name]:
            place = f"[cyan]{shown(local_path(root, item['file_path']))}[/]"
            line = f":{item['line']}" if "line" in item else ""
            console.print(f"  {place}{line}  {shown(_description(item, root))}", soft_wrap=True)
    if answer["files"]:
        console.print("[bold]files[/]")
        print_pairs(console, [("", shown(", ".join(local_path(root, path) for path in answer["files"])))])
    for text in answer.get("not_found", ()):
        screen.note(f"not in the index: {text}")
    screen.note(f"confidence: {answer['confidence']} ({answer['reason']})")


def _description(item: Json, root: str) -> str:
    """Describe a definition, a use or a file."""
    if "signature" in item or "text" in item:
        uses = f", uses {item['uses']}" if "uses" in item else ""
        return str(item.get("signature") or item["text"]) + uses
    ways = ((way.replace("_", " "), item[way]) for way in ("imports", "imported_by") if way in item)
    return "; ".join(f"{way} {', '.join(local_path(root, path) for path in paths)}" for way, paths in ways)
