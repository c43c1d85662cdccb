"""`config`: the settings in use, their origins, and trusted folders."""

from pathlib import Path
from typing import Any

from cocosearch_py.cli.program import FolderArguments
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.tables import show_settings
from cocosearch_py.config.environment import variable_name
from cocosearch_py.config.load import Origin, find_files, find_git_root
from cocosearch_py.config.origin import describe
from cocosearch_py.config.paths import user_config_file
from cocosearch_py.config.settings import TRUST_KEY
from cocosearch_py.config.trust import read_trusted, resolved, write_trusted
from cocosearch_py.errors import ConfigurationError, ValidationError


def show(session: Session) -> None:
    """Show every setting and its origin; passwords and keys are masked."""
    loaded = session.load()
    rows = [(key, value, _told(origin)) for key, value, origin in describe(loaded)]
    if session.json:
        settings: dict[str, dict[str, Any]] = {key: {"value": value, "origin": told} for key, value, told in rows}
        for one in loaded.ignored:
            told = {"place": one.place, "why": one.why, "allow": one.remedy}
            settings[one.key].setdefault("ignored", []).append(told)
        session.emit(settings)
        return

    show_settings(session.console, rows)
    for one in loaded.ignored:
        session.say(f"\n{one.place}: {one.key} is ignored: {one.why}\n  to allow it: {one.remedy}")


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


def trust(session: Session, asked: FolderArguments) -> None:
    """Let the configuration files of a folder set everything: providers, servers, keys, variables in values."""
    own = _own_file(session)
    listed = read_trusted(own, session.environ)
    known = {resolved(entry, session.environ) for entry in listed}
    added = [entry for entry in _named(session, asked.folder) if entry not in known]
    for entry in added:
        if entry != "*" and not Path(entry.removesuffix("/*") or "/").is_dir():
            raise ValidationError(
                f"{entry} is not a folder", hint="name the folder that contains the configuration file"
            )
    if added:
        write_trusted(own, [*listed, *added])
    _tell(session, own, "trusted", added)


def untrust(session: Session, asked: FolderArguments) -> None:
    """Remove a folder from the list of trusted folders."""
    own = _own_file(session)
    listed = read_trusted(own, session.environ)
    named = _named(session, asked.folder)
    removed = [
        entry for entry in listed if entry in (*named, asked.folder) or resolved(entry, session.environ) in named
    ]
    if not removed:
        raise ValidationError(f"{named[0]} is not on the list of trusted folders", hint=f"the list is in {own}")
    write_trusted(own, [entry for entry in listed if entry not in removed])
    _tell(session, own, "no longer trusted", removed)


def _own_file(session: Session) -> Path:
    found = user_config_file(session.environ)
    if found is None:
        raise ConfigurationError("no place for your own configuration file: HOME is not set", hint="set HOME")
    return found


def _named(session: Session, folder: str | None) -> list[str]:
    """The entries for a folder; without one, for those whose configuration files are read here."""
    here = session.folder
    folders = [folder] if folder else [str(file.parent) for file in find_files(here)]
    return list(dict.fromkeys(resolved(one, session.environ) for one in folders or [str(find_git_root(here) or here)]))


def _tell(session: Session, own: Path, what: str, changed: list[str]) -> None:

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


def _told(origin: Origin) -> str:
    return f"{origin.kind} {origin.detail}".strip()
