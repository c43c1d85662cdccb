"""Results of a pipeline on a terminal: a line for each item, texts below it, then the count of each step."""

from rich.console import Console

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.operations.pipelines.running import Ran
from cocosearch_py.operations.run_pipeline import Arguments, answer
from cocosearch_py.render.layout import shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.tools.answers import Json

_TEXTS = ("content", "source")  # of several lines
_TELLING = ("signature", "text")  # behind the name, the first of them that there is


def show_pipeline(session: Session, ran: Ran, asked: Arguments) -> None:
    """Print what the last step gave."""
    told = answer(ran, asked)
    if "count" in told:
        session.console.print(f"{told['count']:,}")
    for item in told.get("items", ()):
        _show(session.console, item, told["root"])
    if not told.get("items", True):
        session.console.print("[yellow]nothing found[/]")
    session.note(", ".join(f"{one['step']}: {one['items']:,} in {one['ms']:.0f} ms" for one in told["steps"]))
    for text in (told.get("incomplete"), *told.get("warnings", ())):
        if text:
            session.warn(text)


def _show(console: Console, item: Json, root: str) -> None:
    first, last = item.get("start_line", item.get("line")), item.get("end_line")
    lines = "" if first is None else f":{first}" if last in (None, first) else f":{first}-{last}"
    named = [shown(str(item[key])) for key in ("kind", "name") if item.get(key)]
    told = next((f"[dim]{shown(str(item[key]).strip())}[/]" for key in _TELLING if item.get(key)), "")
    if "line_count" in item:
        told = f"[dim]{counted(item['line_count'], 'line')}[/]"
    place = shown(local_path(root, item["path"]))
    console.print("  ".join(filter(None, [f"[cyan]{place}[/]{lines}", " ".join(named), told])), soft_wrap=True)
    for key in _TEXTS:
        if key in item:
            console.print(shown(item[key]), soft_wrap=True, highlight=False)
