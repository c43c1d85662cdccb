"""The help: commands in groups, options without the types of the parser."""

import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from cocosearch_py.cli.arguments import PROGRAM_OPTIONS
from cocosearch_py.cli.commands import (
    ABOUT,
    GROUPS,
    MODULES,
    Subcommand,
    all_subcommands,
    below,
    first_words,
    subcommand,
)
from cocosearch_py.cli.options import GLOBAL_PARAMETERS, HELP, has_flag
from cocosearch_py.cli.parser import spellings
from cocosearch_py.config.paths import APP_NAME
from cocosearch_py.render.console import SafeConsole
from cocosearch_py.tools.declaration import Parameter

_ABOUT = f"""Search code by meaning and by name, offline, on PostgreSQL.

Index a folder once with `{APP_NAME} index`, then ask: `{APP_NAME} "where are tokens checked"`.
Quoted text, or more than one word, is a search.
"""
_HELP_OPTION = ("-h, --help", "Show this message and exit.")
_GAP = 2  # columns before a name, and between it and its text
Rows = Iterable[tuple[str, str]]


def show_program(arguments: Sequence[str]) -> None:
    """Print the help of the program."""
    parts: dict[str, Rows] = {title: _commands(first_words(group)) for title, group in GROUPS.items()}
    parts["Other commands"] = _commands(name for name in all_subcommands() if name not in MODULES)
    options = [(f"    {name}", about) for name, (_, about) in PROGRAM_OPTIONS.items() if name not in HELP]
    parts |= {"Options": [*options, _HELP_OPTION], "Global options": _rows(GLOBAL_PARAMETERS)}
    _show(arguments, "[OPTIONS] COMMAND [ARGS]...", _ABOUT, parts)


def show_command(name: str, arguments: Sequence[str]) -> None:
    """Print the help of a command, or of a group of commands."""
    usage, about = "[OPTIONS] COMMAND [ARGS]...", ABOUT.get(name, "")
    commands, options = _commands(f"{name} {word}" for word in below(name)), [_HELP_OPTION]
    parts: dict[str, Rows] = {"Commands": commands, "Options": options}
    if name not in ABOUT:
        command = subcommand(name)
        places = [
            parameter for parameter in command.parameters if parameter.flag is not None and not parameter.flag.names
        ]
        options = [*_rows(parameter for parameter in command.parameters if parameter not in places), _HELP_OPTION]
        usage, about = usage_of(command), command.help
        parts = {"Arguments": _rows(places), **parts, "Options": options, "Global options": _rows(GLOBAL_PARAMETERS)}
    _show(arguments, f"{name} {usage}", about, parts)


def usage_of(command: Subcommand) -> str:
    """Return the part of the usage after the command's name."""
    return " ".join(
        [
            "[OPTIONS]",
            *(
                parameter.flag.metavar
                for parameter in command.parameters
                if parameter.flag and not parameter.flag.names
            ),
        ]
    )


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each as one line."""
    return [" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n")]


def spelled(parameter: Parameter) -> str:
    """Return the spellings of an option, then its value; short ones stand below each other."""
    flag = parameter.flag
    if flag is None or not flag.names:
        return flag.metavar if flag is not None else ""
    names = ", ".join(spellings(parameter))
    return f"{names if len(names.partition(',')[0]) == len('-x') else f'    {names}'} {flag.metavar}".rstrip()


def _show(arguments: Sequence[str], usage: str, about: str, parts: Mapping[str, Rows]) -> None:
    console = SafeConsole(file=sys.stdout, no_color=has_flag(arguments, "--no-color") or None, highlight=False)
    console.print(f"[bold]Usage:[/] {escape(f'{APP_NAME} {usage}')}")
    for text in paragraphs(about):
        console.print(escape("\n" + "\n".join(_wrapped(text, console.width))), soft_wrap=True)
    for title, rows in parts.items():
        if pairs := list(rows):
            console.print(f"\n[bold]{title}[/]")
            _print_rows(console, pairs)


def _print_rows(console: Console, rows: Sequence[tuple[str, str]]) -> None:
    """Print two columns; a text begins below a name that is wider than half of the screen."""
    indent = min(max(len(name) for name, _ in rows) + 2 * _GAP, console.width // 2)
    for name, about in rows:
        lines = _wrapped(about, console.width - indent)
        fits = len(name) + 2 * _GAP <= indent
        first = lines.pop(0) if lines and fits else ""
        padding = " " * (indent - _GAP - len(name)) if first else ""
        console.print(f"{' ' * _GAP}[bold cyan]{escape(name)}[/]{padding}{escape(first)}", soft_wrap=True)
        for line in lines:
            console.print(" " * indent + escape(line), soft_wrap=True)


def _wrapped(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)


def _commands(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        about = ABOUT[name] if name in ABOUT else paragraphs(subcommand(name).help)[0]
        yield name.rpartition(" ")[2], about


def _rows(parameters: Iterable[Parameter]) -> list[tuple[str, str]]:
    return [
        (spelled(parameter), parameter.flag.help or parameter.about or "")
        for parameter in parameters
        if parameter.flag is not None and not parameter.flag.hidden
    ]
