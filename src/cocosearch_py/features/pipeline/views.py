"""Results of a pipeline on a terminal: a line for each item, texts below it, then the count of each step."""

from rich.console import Console

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_TEXTS = ("content", "source")  # Texts of several lines.
_DETAILS = ("signature", "text")  # The first that an item has stands behind its name.


def show_pipeline(screen: Screen, answer: Json) -> None:
    """Show the results of the last step."""
    if "count" in answer:
        screen.console.print(f"{answer['count']:,}")
    for item in answer.get("items", ()):
        _show(screen.console, item, answer["root"])
    if not answer.get("items", True):
        screen.console.print("[yellow]nothing found[/]")
    screen.note(", ".join(f"{step['step']}: {step['items']:,} in {step['ms']:.0f} ms" for step in answer["steps"]))


def _show(console: Console, item: Json, root: str) -> None:
    first, last = item.get("start_line", item.get("line")), item.get("end_line")
    lines = "" if first is None else f":{first}" if last in (None, first) else f":{first}-{last}"
    named = [shown(str(item[key])) for key in ("kind", "name") if item.get(key)]
    detail = next((f"[dim]{shown(str(item[key]).strip())}[/]" for key in _DETAILS if item.get(key)), "")
    if "line_count" in item:
        detail = f"[dim]{counted(item['line_count'], 'line')}[/]"
    place = shown(local_path(root, item["path"]))
    console.print("  ".join(filter(None, [f"[cyan]{place}[/]{lines}", " ".join(named), detail])), soft_wrap=True)
    for key in _TEXTS:
        if key in item:
            console.print(shown(item[key]), soft_wrap=True, highlight=False)
