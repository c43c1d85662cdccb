"""Laying out text for the width there is: folded at blanks and slashes, never inside a name, and never cut unmarked."""

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from cocosearch_py.model.terminal import visible

_GAP = 2  # columns between cells
_COMFORT_COLUMNS = 16  # a column of text is not folded narrower
_LEAST_FOLD_COLUMNS = 12  # with less beside a key, the terminal breaks the value better
_WORD = re.compile(r"\S+|\s+")
_PIECE = re.compile(r"[^\s/]*/+|[^\s/]+|\s+")


def shown(text: str) -> str:
    """Text from outside as markup that says just that."""
    return escape(visible(text))


def cut(text: Text, columns: int, *, mark: str) -> Text:
    """Cut text that is longer than this number of columns, with a mark at its end."""
    if text.cell_len > columns:
        text.truncate(max(columns - cell_len(mark), 0))
        text.append(mark, style="dim")
    return text


def print_pairs(console: Console, pairs: Iterable[tuple[str, str]]) -> None:
    """Print keys and values, both markup, as two columns."""
    found = [(Text.from_markup(key), Text.from_markup(value)) for key, value in pairs]
    indent = max((key.cell_len for key, _ in found), default=0) + _GAP
    for key, value in found:
        room = console.width - indent
        lines = _folded(value, room) if room >= _LEAST_FOLD_COLUMNS else [value]
        for number, line in enumerate(lines):
            _print(console, [key if number == 0 else Text(), line], [indent - _GAP, 0], ())


class Table:
    """Rows of markup under titles, without borders.

    Where the columns do not fit beside each other, text columns are folded; where that is not enough either, each row
    is printed as a block of `title: value` lines. Nothing is left out at any width.

    Args:
        titles: of the columns, in order.
        right: titles of the columns that hold numbers.
        headed: whether the titles are printed above the columns.
    """

    def __init__(self, *titles: str, right: Sequence[str] = (), headed: bool = True) -> None:
        self._titles = titles
        self._right = {titles.index(title) for title in right}
        self._headed = headed
        self._rows: list[list[Text]] = []

    def add_row(self, *cells: str) -> None:
        """Add a row with a cell for each title."""
        self._rows.append([Text.from_markup(cell) for cell in cells])

    def print_to(self, console: Console) -> None:
        """Print the rows in the form that fits the console."""
        widths = self._widths(console.width)
        if widths is None:
            self._print_blocks(console)
            return
        heads = [[Text(title, style="bold") for title in self._titles]] if self._headed else []
        for row in [*heads, *self._rows]:
            columns = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
            for number in range(max(map(len, columns), default=0)):
                cells = [column[number] if number < len(column) else Text() for column in columns]
                _print(console, cells, widths, self._right)

    def fits(self, console: Console) -> bool:
        """Whether the rows can be printed as columns."""
        return self._widths(console.width) is not None

    def _print_blocks(self, console: Console) -> None:
        for number, row in enumerate(self._rows):
            if number:
                console.print()
            cells = [(title, cell) for title, cell in zip(self._titles, row, strict=True) if cell]
            for cell in (cell for title, cell in cells if not title):
                console.print(cell, soft_wrap=True)
            print_pairs(console, [(f"[dim]{shown(title)}:[/]", cell.markup) for title, cell in cells if title])

    def _widths(self, columns: int) -> list[int] | None:
        """Width of each column, None when they do not fit."""
        heads = [[Text(title)] if self._headed else [] for title in self._titles]
        held = [[*head, *(row[at] for row in self._rows)] for at, head in enumerate(heads)]
        natural = [max((cell.cell_len for cell in cells), default=0) for cells in held]
        least = [
            width if at in self._right or width <= _COMFORT_COLUMNS else max(_COMFORT_COLUMNS, *map(_longest, cells))
            for at, (width, cells) in enumerate(zip(natural, held, strict=True))
        ]
        left = columns - _GAP * (len(held) - 1) - sum(least)
        if left < 0:
            return None
        wanting = sorted(range(len(held)), key=lambda at: natural[at] - least[at])
        for rank, at in enumerate(wanting):  # who wants least is served first, the others share what is left
            given = min(natural[at] - least[at], left // (len(wanting) - rank))
            least[at] += given
            left -= given
        return least


def _longest(text: Text) -> int:
    return max((cell_len(piece) for piece in _PIECE.findall(text.plain)), default=0)


def _folded(text: Text, columns: int) -> list[Text]:
    """Break text into lines: at blanks, and at slashes inside words that are longer than a line."""
    starts, used = [], 0
    for word in _WORD.finditer(text.plain):
        width = cell_len(word.group())
        fits = width <= columns or word.group().isspace()
        for piece in [word] if fits else _PIECE.finditer(text.plain, word.start(), word.end()):
            width = cell_len(piece.group())
            if used and not piece.group().isspace() and used + width > columns:
                starts.append(piece.start())
                used = 0
            used += width
    lines = list(text.divide(starts))
    for line in lines:
        line.rstrip()
    return lines


def _print(console: Console, cells: Sequence[Text], widths: Sequence[int], right: Iterable[int]) -> None:
    line = Text()
    for at, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        padding = " " * (width - cell.cell_len)
        line.append(padding if at in right else "").append_text(cell).append("" if at in right else padding)
        line.append(" " * _GAP if at < len(cells) - 1 else "")
    line.rstrip()
    console.print(line, soft_wrap=True)
