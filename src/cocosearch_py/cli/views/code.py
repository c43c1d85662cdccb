"""Parts of files on a terminal: a heading for each, then its lines with their numbers."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.code import CodePart
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import shown
from cocosearch_py.render.paths import local_path

_TAB_COLUMNS = 4


def show_code(console: Console, parts: Sequence[CodePart], root: str) -> None:
    """Print the parts in their order; of a file that the caller has, only that it is unchanged."""
    for number, part in enumerate(parts):
        if number:
            console.print()
        if part.is_known:
            console.print(f"unchanged:{part.hash}  {shown(local_path(root, part.path))}", soft_wrap=True)
            continue
        named = f"  {shown(part.kind)} {shown(part.name)}" if part.kind and part.name else ""
        stale = f"  [yellow]{part.stale}{', as indexed' if part.is_old else ''}[/]" if part.stale else ""
        path = shown(local_path(root, part.path))
        console.print(f"[bold cyan]{path}[/]{named}  [dim]{part.hash}[/]{stale}", soft_wrap=True)
        digits = len(str(part.end_line))
        for line, text in part.lines:
            told = visible(text.removesuffix("\r").expandtabs(_TAB_COLUMNS))
            console.print(Text.assemble((f"  {line:>{digits}} ", "dim"), told), soft_wrap=True)
