"""Lines that hold a text, on a terminal: a heading for each file, then its lines with the match marked."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.terminal import visible
from cocosearch_py.model.texts import TextMatch
from cocosearch_py.render.layout import cut, shown
from cocosearch_py.render.paths import shown_path

_TAB_COLUMNS = 4


def show_lines(console: Console, found: Sequence[tuple[IndexRecord, TextMatch]], *, several: bool) -> None:
    """Print the matches in their order, no line twice, or say that there are none."""
    files: dict[tuple[str, str, str], list[TextMatch]] = {}
    for record, match in found:
        files.setdefault((record.name, record.root_path, match.path), []).append(match)
    for number, ((index_name, root, path), matches) in enumerate(files.items()):
        if number:
            console.print()
        index = f"[dim]{shown(index_name)}[/] " if several else ""
        told = shown(shown_path(root, path))
        console.print(f"{index}[bold cyan]{told}[/]", soft_wrap=True)
        _show(console, matches)
    if not files:
        console.print("[yellow]nothing found[/]")


def _show(console: Console, matches: Sequence[TextMatch]) -> None:
    """Print the lines of one file, with a mark where some are left out between lines of context."""
    texts: dict[int, str] = {}
    for match in matches:
        matching = [match.text] if match.end_line is None else match.text.split("\n")
        texts.update(enumerate((*match.before, *matching), start=match.line - len(match.before)))
        texts.update(enumerate(match.after, start=(match.end_line or match.line) + 1))
    scopes = {match.line: _scope(match) for match in matches}
    digits = len(str(max(texts)))
    mark = "..." if console.options.ascii_only else "\N{HORIZONTAL ELLIPSIS}"
    has_context = any(match.before or match.after for match in matches)
    for number in sorted(texts):
        if has_context and number - 1 not in texts and number > min(texts):
            console.print(f"  {'-' * digits}", style="dim")
        line = Text.assemble(
            (f"  {number:>{digits}} ", "dim"),
            (visible(texts[number].expandtabs(_TAB_COLUMNS)), "bold" if has_context and number in scopes else ""),
            (visible(scopes.get(number, "")), "dim"),
        )
        console.print(cut(line, console.width, mark=mark), soft_wrap=True)


def _scope(match: TextMatch) -> str:
    scope = match.scope
    return f"  [{scope.kind} {scope.name}]" if scope and scope.start_line != match.line else ""
