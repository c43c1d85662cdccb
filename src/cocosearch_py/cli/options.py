"""Global options, accepted before and after the command name, and options that several commands share."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

_PANEL = "Global options"


def _global(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, show_default=False, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOptions:
    """What every command understands. Fields are the options' names; a false value means not given."""

    json: Annotated[bool, _global("--json", help="Print JSON; the default when the output is not a terminal.")] = False
    pretty: Annotated[
        bool, _global("--pretty", help="Print text for people even when the output is not a terminal.")
    ] = False
    no_color: Annotated[bool, _global("--no-color", help="No colours.")] = False
    quiet: Annotated[bool, _global("-q", "--quiet", help="No progress, notes or warnings.")] = False
    verbose: Annotated[bool, _global("-v", "--verbose", help="More detail; tracebacks of internal errors.")] = False
    log_level: Annotated[
        str | None,
        _global("--log-level", metavar="LEVEL", help="Lowest log level to show: debug, info, warning, error."),
    ] = None
    database_url: Annotated[
        str | None, _global("--database-url", metavar="URL", help="PostgreSQL to use instead of the embedded one.")
    ] = None
    config: Annotated[
        Path | None, _global("--config", metavar="FILE", help="Read this configuration file and no other.")
    ] = None


GLOBAL_NAMES = tuple(field.name for field in fields(GlobalOptions))
GLOBAL_FLAGS = frozenset({"--json", "--pretty", "--no-color", "-q", "--quiet", "-v", "--verbose"})
GLOBAL_VALUED = frozenset({"--log-level", "--database-url", "--config"})


def not_empty(value: str | None) -> str | None:
    """Refuse an option that was given as an empty text, which would silently mean its default."""
    if value is not None and not value.strip():
        raise typer.BadParameter("the name is empty")
    return value
