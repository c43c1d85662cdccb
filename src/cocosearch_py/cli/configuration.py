"""`config` and `doctor`: which settings hold, where they come from, whom they trust, whether everything works."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cocosearch_py.cli.command import command
from cocosearch_py.cli.session import Session
from cocosearch_py.config.paths import user_config_file
from cocosearch_py.errors import ConfigurationError, ValidationError

if TYPE_CHECKING:
    from cocosearch_py.config.load import Origin

program = typer.Typer(help="Show settings and check that everything works.", no_args_is_help=True)
EXIT_FAILED = 1

Folder = Annotated[
    str | None,
    typer.Argument(
        metavar="FOLDER",
        help="Folder, or 'FOLDER/*' for every folder below it. Default: the folders of the configuration files in use.",
    ),
]


@program.command("show")
@command
def show(session: Session) -> None:
    """Show every setting and its origin; passwords and keys are masked."""
    from cocosearch_py.config.origin import describe

    loaded = session.load()
    rows = [(key, value, _told(origin)) for key, value, origin in describe(loaded)]
    if session.json:
        settings: dict[str, dict[str, Any]] = {key: {"value": value, "origin": told} for key, value, told in rows}
        for one in loaded.ignored:
            told = {"place": one.place, "why": one.why, "allow": one.remedy}
            settings[one.key].setdefault("ignored", []).append(told)
        session.emit(settings)
        return
    from cocosearch_py.cli.views.tables import show_settings

    show_settings(session.console, rows)
    for one in loaded.ignored:
        session.say(f"\n{one.place}: {one.key} is ignored: {one.why}\n  to allow it: {one.remedy}")


@program.command("path")
@command
def path(session: Session) -> None:
    """Print the configuration files in use, highest priority first; nothing if there are none."""
    files = [str(Path(file).absolute()) for file in session.load().files]
    if session.asked_json:
        session.emit(files)
        return
    for file in files:
        session.say_data(file)
    if not files:
        session.note("no configuration file; add cocosearch-py.yaml here or at the root of the repository")


@program.command("trust")
@command
def trust(session: Session, folder: Folder = None) -> None:
    """Let the configuration files of a folder set everything: providers, servers, keys, variables in values."""
    from cocosearch_py.config.trust import read_trusted, resolved, write_trusted

    own = _own_file(session)
    listed = read_trusted(own, session.environ)
    known = {resolved(entry, session.environ) for entry in listed}
    added = [entry for entry in _named(session, folder) if entry not in known]
    for entry in added:
        if entry != "*" and not Path(entry.removesuffix("/*") or "/").is_dir():
            raise ValidationError(
                f"{entry} is not a folder", hint="name the folder that contains the configuration file"
            )
    if added:
        write_trusted(own, [*listed, *added])
    _tell(session, own, "trusted", added)


@program.command("untrust")
@command
def untrust(session: Session, folder: Folder = None) -> None:
    """Remove a folder from the list of trusted folders."""
    from cocosearch_py.config.trust import read_trusted, resolved, write_trusted

    own = _own_file(session)
    listed = read_trusted(own, session.environ)
    named = _named(session, folder)
    removed = [entry for entry in listed if entry in (*named, folder) or resolved(entry, session.environ) in named]
    if not removed:
        raise ValidationError(f"{named[0]} is not on the list of trusted folders", hint=f"the list is in {own}")
    write_trusted(own, [entry for entry in listed if entry not in removed])
    _tell(session, own, "no longer trusted", removed)


@program.command("check")
@command
def check(session: Session) -> int:
    """Check configuration, database, model, grammars, disk and git; the same as `doctor`."""
    return _examine(session)


def doctor(session: Session) -> int:
    """Check configuration, database, model, grammars, disk and git. Exits with 1 if a check fails."""
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


def _own_file(session: Session) -> Path:
    found = user_config_file(session.environ)
    if found is None:
        raise ConfigurationError("no place for your own configuration file: HOME is not set", hint="set HOME")
    return found


def _named(session: Session, folder: str | None) -> list[str]:
    """The entries for a folder; without one, for those whose configuration files are read here."""
    from cocosearch_py.config.load import find_files, find_git_root
    from cocosearch_py.config.trust import resolved

    here = session.folder
    folders = [folder] if folder else [str(file.parent) for file in find_files(here)]
    return list(dict.fromkeys(resolved(one, session.environ) for one in folders or [str(find_git_root(here) or here)]))


def _tell(session: Session, own: Path, what: str, changed: list[str]) -> None:
    from cocosearch_py.config.environment import variable_name
    from cocosearch_py.config.settings import TRUST_KEY
    from cocosearch_py.config.trust import read_trusted

    if session.asked_json:
        session.emit({"file": str(own), "changed": changed, "folders": list(read_trusted(own, session.environ))})
    else:
        for entry in changed:
            session.say(f"{what}: {entry}")
        if not changed:
            session.say("nothing to do: already trusted")
    variable = variable_name(TRUST_KEY)
    if session.environ.get(variable, "").strip():
        session.warn(f"{variable} is set and overrides the list in {own}")


def _told(origin: "Origin") -> str:
    return f"{origin.kind} {origin.detail}".strip()
