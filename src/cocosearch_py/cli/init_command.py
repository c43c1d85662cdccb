"""`init`: write the configuration of agent clients, so that they find the MCP server."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from cocosearch_py.cli.program import InitArguments
from cocosearch_py.cli.questions import confirmed
from cocosearch_py.cli.session import Session
from cocosearch_py.clients.entry import Local, Remote, server_url
from cocosearch_py.clients.hook import hook_command
from cocosearch_py.clients.plan import Change, Wish, apply, diff, plan
from cocosearch_py.clients.table import BY_KEY, CLIENTS, Client, Homes, detected, homes_of
from cocosearch_py.config.paths import APP_NAME, home_folder
from cocosearch_py.errors import ValidationError, WorkspaceError

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what every client accepts
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXIT_DECLINED = 1
_TOLD = {"created": "created", "updated": "updated", "unchanged": "unchanged"}
_FORETOLD = {"created": "would be created", "updated": "would be updated", "unchanged": "unchanged"}


def init(session: Session, asked: InitArguments) -> int:
    """Write the configuration of agent clients."""
    named = [key for key in BY_KEY if getattr(asked, key.replace("-", "_"))]
    _check_name(asked.name)
    project = _project(session, asked.path)
    homes = homes_of(session.environ, home_folder(session.environ).absolute(), sys.platform)
    how = _how(session, project, asked)
    clients = _chosen(named, asked, (project, homes))
    wish = Wish(
        project=project,
        homes=homes,
        name=asked.name,
        how=how,
        user_wide=asked.user_wide,
        force=asked.force,
        rules=asked.rules,
        toolsets=session.load(start=project).settings.server.toolsets if asked.rules else (),
        hook=_hook(session, asked) if asked.hook else None,
    )
    changes = plan(clients, wish)
    if not (asked.dry_run or named or asked.every or asked.yes) and not _agreed(changes):
        session.note("nothing was written")
        return _EXIT_DECLINED
    if not asked.dry_run:
        apply(changes)
    _show(session, changes, dry_run=asked.dry_run)
    if not asked.dry_run:
        _note(session, changes, clients, asked.user_wide)
    return 0


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValidationError("the server name is invalid", hint="use 1 to 64 letters, digits, - and _")


def _project(session: Session, path: Path | None) -> Path:
    folder = (path or session.folder).absolute()
    if not folder.is_dir():
        raise WorkspaceError(f"{folder} is not a folder", hint="give the folder of the project")
    return folder.resolve()


def _how(session: Session, project: Path, asked: InitArguments) -> Local | Remote:
    if asked.http is not None:
        if asked.command is not None:
            raise ValidationError("--http and --command cannot be combined", hint="give only one of them")
        if asked.token_env is not None and not _VARIABLE.fullmatch(asked.token_env):
            raise ValidationError(
                "--token-env needs the name of an environment variable", hint="for example COCOSEARCH_AUTH_TOKEN"
            )
        return Remote(server_url(asked.http), asked.token_env)
    if asked.token_env is not None:
        raise ValidationError("--token-env goes with --http only", hint="leave it out, or give --http URL")
    return Local(*_program(session, asked.command), project)


def _program(session: Session, command: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How to start this program: as files of projects say it, and as files of the user do."""
    if command is not None:
        words = _words(command)
        return words, words
    found = shutil.which(APP_NAME, path=session.environ.get("PATH"))
    if found is None:
        words = (sys.executable, "-m", "cocosearch_py")
        return words, words
    return (APP_NAME,), (str(Path(found).absolute()),)


def _hook(session: Session, asked: InitArguments) -> str:
    in_projects, of_user = _program(session, asked.command)
    return hook_command(of_user if asked.user_wide else in_projects, asked.name)


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command, posix=os.name != "nt"))
    except ValueError as error:
        raise ValidationError(f"--command cannot be read: {error}", hint="close all quotes") from error


def _chosen(named: Sequence[str], asked: InitArguments, where: tuple[Path, Homes]) -> list[Client]:
    """Return the clients that are named; else those of --all or detected that have a file for scope and transport."""
    if named and not asked.every:
        return [BY_KEY[key] for key in named]
    clients = [
        client
        for client in (CLIENTS if asked.every else detected(*where))
        if client.key in named
        or (
            (asked.user_wide or client.project_file is not None)
            and not (asked.http is not None and client.url_key is None)
        )
    ]
    if not clients:
        raise ValidationError(
            "no client was named, and none was found in the project or in the home folder",
            hint=f"name one or more: {', '.join(f'--{key}' for key in BY_KEY)}, or --all",
        )
    return clients


def _agreed(changes: Sequence[Change]) -> bool:
    """On a terminal, ask before files of clients are written that were found and not named."""
    paths = [str(change.path) for change in changes if change.action != "unchanged"]
    if not paths or not sys.stdin.isatty():
        return True
    return confirmed("Write " + ", ".join(paths) + "?")


def _show(session: Session, changes: Sequence[Change], *, dry_run: bool) -> None:
    told = _FORETOLD if dry_run else _TOLD
    items = []
    for change in changes:
        item = {"client": change.client, "kind": change.kind, "path": str(change.path), "action": change.action}
        items.append({**item, "diff": diff(change, str(change.path))} if dry_run else item)
    if session.json:
        session.emit({"success": True, "dry_run": dry_run, "changes": items})
        return
    for change, item in zip(changes, items, strict=True):
        session.say(f"{told[change.action]}: {change.path} ({change.client})")
        if item.get("diff"):
            session.say(item["diff"])


def _note(session: Session, changes: Sequence[Change], clients: Sequence[Client], user_wide: bool) -> None:
    """Tell what else the clients need, where something has changed; most of it concerns the files of projects."""
    changed = {change.client for change in changes if change.action != "unchanged" and change.kind == "server"}
    for client in clients:
        if client.note and client.key in changed and not (user_wide and client.project_file is not None):
            session.note(client.note)
