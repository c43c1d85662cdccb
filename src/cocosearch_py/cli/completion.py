"""Completion on Tab in bash, zsh and fish, from the declarations of the commands.

The scripts of `completion_scripts` pass what is typed as arguments; the last is the word at the cursor.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from cocosearch_py.cli.arguments import PROGRAM_OPTIONS
from cocosearch_py.cli.commands import ABOUT, MODULES, below, subcommand
from cocosearch_py.cli.loading import load
from cocosearch_py.cli.options import GLOBAL_PARAMETERS
from cocosearch_py.cli.parser import kind_of, spellings
from cocosearch_py.cli.streams import put_data, set_up_streams
from cocosearch_py.errors import CocosearchError
from cocosearch_py.tools.declaration import Flag, Parameter

VARIABLE = "_COCOSEARCH_PY_COMPLETE"
_INDEXES = frozenset({"INDEX", "JOB"})  # An index stands for its latest job.
_SETTINGS = {"log_level": "logging.level"}  # whose values a global option may have
Candidates = Iterator[tuple[str, str]]  # values with their help


def complete(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Print the words that may come next, one a line, as the shell that the environment names reads them."""
    set_up_streams()
    shell = environ[VARIABLE]
    *words, begun = arguments or [""]
    lines = []
    with suppress(CocosearchError, OSError, ValueError):  # A prompt is no place for errors.
        lines = [_line(shell, value, about) for value, about in _candidates(words, begun, environ, shell != "bash")]
    if lines:
        put_data("\n".join(lines), sys.stdout)
    return 0


def _candidates(words: list[str], begun: str, environ: Mapping[str, str], with_help: bool) -> Candidates:
    name, awaited, places = _typed(words)
    if awaited is not None:
        yield from _values(name, awaited, begun, environ)
    elif begun.startswith("-"):
        yield from _options(name, begun)
    elif not places and below(name):
        for word in below(name):
            if word.startswith(begun):
                yield word, _about(f"{name} {word}".lstrip()) if with_help else ""
    elif by_place := [item for item in _parameters(name) if item.flag and not item.flag.names]:
        yield from _values(name, by_place[min(places, len(by_place) - 1)], begun, environ)


def _typed(words: list[str]) -> tuple[str, Parameter | None, int]:
    """Return the command of the words, the parameter whose value comes next, and the number of values by place."""
    name, awaited, places = "", None, 0
    for word in words:
        longer = f"{name} {word}".lstrip()
        if awaited is not None:
            awaited = None
        elif word.startswith("-"):
            awaited = _with_value(name, word)
        elif not places and (longer in MODULES or longer in ABOUT):
            name = longer
        else:
            places += 1
    return name, awaited, places


def _options(name: str, begun: str) -> Candidates:
    """Yield the options of a command, or of the program, that begin with a text."""
    for parameter in _parameters(name):
        if parameter.flag is not None and not parameter.flag.hidden:
            about = parameter.flag.help or parameter.about or ""
            yield from ((option, about) for option in spellings(parameter) if option.startswith(begun))
    if not name:
        yield from ((option, about) for option, (_, about) in PROGRAM_OPTIONS.items() if option.startswith(begun))


def _with_value(name: str, option: str) -> Parameter | None:
    """Return the parameter whose value follows an option; None for a flag."""
    valued = (parameter for parameter in _parameters(name) if kind_of(parameter) is not bool)
    return next((parameter for parameter in valued if option in spellings(parameter, hidden=True)), None)


def _parameters(name: str) -> Sequence[Parameter]:
    return (*(subcommand(name).parameters if name in MODULES else ()), *GLOBAL_PARAMETERS)


def _about(name: str) -> str:
    return ABOUT.get(name) or subcommand(name).help.partition("\n")[0]


def _values(name: str, parameter: Parameter, begun: str, environ: Mapping[str, str]) -> Candidates:
    """Yield the values of a parameter; none of files, which the shell completes."""
    flag = parameter.flag or Flag()
    metavar, setting = flag.metavar.strip("[]."), flag.setting or _SETTINGS.get(parameter.name)
    values: Sequence[str] = ()
    if metavar in _INDEXES or parameter.name == "index_name":
        values = load("cli.completion_indexes.names")(environ)
    elif metavar == "LANG":
        values = sorted(load("languages.table.LANGUAGES"))
    elif setting:
        values = load("config.keys.setting_rules")()[setting].choices
    values = values or load("cli.completion_values.values_of")(name, parameter)
    before, comma, last = begun.rpartition(",")  # where several are separated by commas
    listed = before.split(",")
    yield from ((before + comma + value, "") for value in values if value.startswith(last) and value not in listed)


def _line(shell: str, value: str, about: str) -> str:
    """Return a candidate as the script of the shell reads it."""
    about = " ".join(about.split())
    if shell == "zsh":
        value = value.replace(":", "\\:")
    separator = {"zsh": ":", "fish": "\t"}.get(shell)
    return f"{value}{separator}{about}" if separator and about else value
