"""The bundle for a task on a terminal: the passages with their text, then what is near to them, one line each."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from cocosearch_py.cli.session import Session
from cocosearch_py.model.terminal import visible
from cocosearch_py.operations import build_context
from cocosearch_py.operations.build_context import Bundle
from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.paths import local_path

_NEAR = ("symbols", "callers", "tests", "imports")
_TAB_COLUMNS = 4


def show_context(session: Session, bundle: Bundle, asked: build_context.Arguments) -> None:
    """Print the parts of the answer that hold something."""
    console, answer = session.console, build_context.OPERATION.shape(bundle, asked)
    root = answer["root"]
    for item in answer["snippets"]:
        named = f"  {shown(item['kind'])} [bold green]{shown(item['name'])}[/]" if "name" in item else ""
        lines = f"{item['start_line']}-{item['end_line']}"
        console.print(f"[bold cyan]{shown(local_path(root, item['file_path']))}[/]:{lines}{named}", soft_wrap=True)
        for line in item["text"].split("\n"):
            console.print(Text("  " + visible(line.removesuffix("\r").expandtabs(_TAB_COLUMNS))), soft_wrap=True)
        console.print()
    for name in _NEAR:
        if answer[name]:
            console.print(f"[bold]{name}[/]")
        for item in answer[name]:
            line = f":{item['line']}" if "line" in item else ""
            console.print(
                f"  [cyan]{shown(local_path(root, item['file_path']))}[/]{line}  {shown(_told(item, root))}",
                soft_wrap=True,
            )
    if answer["files"]:
        console.print("[bold]files[/]")
        print_pairs(console, [("", shown(", ".join(local_path(root, path) for path in answer["files"])))])
    for text in answer.get("not_found", ()):
        session.note(f"not in the index: {text}")
    session.note(f"confidence: {answer['confidence']} ({answer['reason']})")


def _told(item: Mapping[str, Any], root: str) -> str:
    """Describe a definition, a use or a file."""
    if "signature" in item or "text" in item:
        uses = f", uses {item['uses']}" if "uses" in item else ""
        return str(item.get("signature") or item["text"]) + uses
    ways = (way for way in ("imports", "imported_by") if way in item)
    return "; ".join(f"{way.replace('_', ' ')} {', '.join(local_path(root, one) for one in item[way])}" for way in ways)
