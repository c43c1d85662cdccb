"""`config show|path|check` and `doctor`: which settings hold, where they come from, whether everything works."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cocosearch_py.cli.command import command
from cocosearch_py.cli.session import Session

if TYPE_CHECKING:
    from cocosearch_py.config.load import Origin

program = typer.Typer(help="Show settings and check that everything works.", no_args_is_help=True)
EXIT_FAILED = 1


@program.command("show")
@command
def show(session: Session) -> None:
    """Show every setting and where it was set; passwords and keys are masked."""
    from cocosearch_py.config.origin import describe

    loaded = session.load()
    rows = [(key, value, _told(origin)) for key, value, origin in describe(loaded)]
    if session.json:
        session.emit({key: {"value": value, "origin": told} for key, value, told in rows})
        return
    from cocosearch_py.cli.views.tables import show_settings

    show_settings(session.console, rows)


@program.command("path")
@command
def path(session: Session) -> None:
    """Print the configuration files that are read, the stronger one first; nothing when there is none."""
    files = [str(Path(file).absolute()) for file in session.load().files]
    if session.asked_json:
        session.emit(files)
        return
    for file in files:
        session.say(file)
    if not files:
        session.note("no configuration file; cocosearch-py.yaml here or at the root of the repository would be read")


@program.command("check")
@command
def check(session: Session) -> int:
    """Check configuration, database, model, grammars, disk and git; same as `doctor`."""
    return _examine(session)


def doctor(session: Session) -> int:
    """Check configuration, database, model, grammars, disk and git; exit 1 when something is wrong."""
    return _examine(session)


def _examine(session: Session) -> int:
    from cocosearch_py.cli.doctor import examine

    checks = examine(session)
    healthy = all(one.ok for one in checks)
    if session.json:
        session.emit({"healthy": healthy, "checks": [one.as_json() for one in checks]})
    else:
        from cocosearch_py.cli.views.tables import show_checks

        show_checks(session.console, checks)
    return 0 if healthy else EXIT_FAILED


def _told(origin: "Origin") -> str:
    return f"{origin.kind} {origin.detail}".strip()
