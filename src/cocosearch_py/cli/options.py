"""Global options, accepted before and after the command name. Declared like those of operations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cocosearch_py.tools.declaration import Flag, parameters_of


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOptions:
    """Options of every command. Fields are the options' names; a false value means not given."""

    json: Annotated[bool, Flag(names=("--json",), help="Print JSON (default when the output is not a terminal).")] = (
        False
    )
    pretty: Annotated[
        bool, Flag(names=("--pretty",), help="Print readable text even when the output is not a terminal.")
    ] = False
    no_color: Annotated[bool, Flag(names=("--no-color",), help="Disable colours.")] = False
    no_pager: Annotated[
        bool, Flag(names=("--no-pager",), help="Print long output directly instead of in $PAGER or less.")
    ] = False
    quiet: Annotated[bool, Flag(names=("-q", "--quiet"), help="Hide progress, notes and warnings.")] = False
    verbose: Annotated[
        bool, Flag(names=("-v", "--verbose"), help="Show more detail, and tracebacks of internal errors.")
    ] = False
    log_level: Annotated[
        str | None,
        Flag(names=("--log-level",), metavar="LEVEL", help="Lowest log level to show: debug, info, warning, error."),
    ] = None
    database_url: Annotated[
        str | None,
        Flag(names=("--database-url",), metavar="URL", help="PostgreSQL database to use instead of the embedded one."),
    ] = None
    config: Annotated[
        Path | None, Flag(names=("--config",), metavar="FILE", help="Read only this configuration file.")
    ] = None


GLOBAL_PARAMETERS = parameters_of(GlobalOptions)
GLOBAL_NAMES = tuple(one.name for one in GLOBAL_PARAMETERS)
HELP = frozenset({"-h", "--help"})
_SPELLINGS = [(name, one.type) for one in GLOBAL_PARAMETERS if one.flag is not None for name in one.flag.names]
_FLAGS = frozenset(name for name, kind in _SPELLINGS if kind is bool)
_VALUED = frozenset(name for name, kind in _SPELLINGS if kind is not bool)


def position_of_command(arguments: Sequence[str]) -> int | None:
    """Return the position of the first argument that is neither a global option nor the value of one."""
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if argument in _VALUED:
            position += 2
        elif argument in _FLAGS or argument.partition("=")[0] in _VALUED:
            position += 1
        else:
            return position
    return None


def has_flag(arguments: Sequence[str], *names: str) -> bool:
    """Whether one of the flags stands among the arguments before `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return not set(names).isdisjoint(arguments[:end])
