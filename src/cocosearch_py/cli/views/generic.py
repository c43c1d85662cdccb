"""An answer without a view of its own: a list of objects as a table, an object as its fields. Made from its JSON."""

from typing import Any

from rich.console import Console

from cocosearch_py.cli.session import Session
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.tools.wording import in_commands

_ADVICE = frozenset({"hint", "warnings"})  # names tools


def show(session: Session, answer: Any) -> None:
    """Show an answer of this program, or of a server."""
    show_answer(session.console, answer)


def show_answer(console: Console, answer: Any) -> None:
    """Print any answer."""
    if isinstance(answer, list) and answer and all(isinstance(item, dict) for item in answer):
        _table(console, answer)
    elif isinstance(answer, dict):
        _fields(console, answer, depth=0)
    else:
        console.print("nothing" if answer in ([], None) else _cell(answer))


def _table(console: Console, items: list[dict[str, Any]]) -> None:
    names = dict.fromkeys(name for item in items for name in item)
    columns = [name for name in names if not any(isinstance(item.get(name), dict) for item in items)]
    numbers = [name for name in columns if all(isinstance(item.get(name), int | float) for item in items)]
    rows = Table(*columns, right=numbers)
    for item in items:
        rows.add_row(*[_cell(item.get(name)) for name in columns])
    rows.print_to(console)


def _fields(console: Console, item: dict[str, Any], *, depth: int) -> None:
    for name, value in item.items():
        indent = "  " * depth
        if isinstance(value, dict) and value:
            console.print(f"{indent}[dim]{shown(name)}[/]")
            _fields(console, value, depth=depth + 1)
        elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            console.print(f"{indent}[dim]{shown(name)}[/]")
            _table(console, value)
        else:
            told = in_commands(_cell(value)) if name in _ADVICE else _cell(value)
            console.print(f"{indent}[dim]{shown(name)}[/] {told}", soft_wrap=True)


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    if isinstance(value, list):
        return shown(", ".join(str(item) for item in value)) or "-"
    return f"{value:,}" if isinstance(value, int) else shown(str(value))
