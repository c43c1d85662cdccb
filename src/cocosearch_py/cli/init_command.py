"""`init`: write the configuration of agent clients, so that they find the MCP server."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cocosearch_py.cli.call import confirmed
from cocosearch_py.cli.command import not_empty
from cocosearch_py.cli.session import Session
from cocosearch_py.config.paths import APP_NAME, home_folder
from cocosearch_py.errors import ValidationError, WorkspaceError

if TYPE_CHECKING:
    from cocosearch_py.clients.entry import Local, Remote
    from cocosearch_py.clients.plan import Change
    from cocosearch_py.clients.table import Client, Homes

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what every client accepts
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXIT_DECLINED = 1
_KEYS = (
    "claude",
    "claude-desktop",
    "cursor",
    "vscode",
    "windsurf",
    "codex",
    "gemini",
    "opencode",
)  # as the flags stand
_TOLD = {"created": "created", "updated": "updated", "unchanged": "unchanged"}
_FORETOLD = {"created": "would be created", "updated": "would be updated", "unchanged": "unchanged"}

_PathArgument = Annotated[
    Path | None, typer.Argument(metavar="[PATH]", help="Project folder (default: the current one).")
]
_Claude = Annotated[bool, typer.Option("--claude", help="Configure Claude Code.")]
_ClaudeDesktop = Annotated[
    bool, typer.Option("--claude-desktop", help="Configure Claude Desktop, which has no project file.")
]
_Cursor = Annotated[bool, typer.Option("--cursor", help="Configure Cursor.")]
_VSCode = Annotated[bool, typer.Option("--vscode", help="Configure VS Code.")]
_Windsurf = Annotated[bool, typer.Option("--windsurf", help="Configure Windsurf.")]
_Codex = Annotated[bool, typer.Option("--codex", help="Configure Codex.")]
_Gemini = Annotated[bool, typer.Option("--gemini", help="Configure Gemini CLI.")]
_OpenCode = Annotated[bool, typer.Option("--opencode", help="Configure OpenCode.")]
_Every = Annotated[bool, typer.Option("--all", help="Configure all clients.")]
_UserWide = Annotated[
    bool, typer.Option("--global", help="Configure the clients for all your projects instead of this one.")
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the differences; write nothing.")]
_Force = Annotated[bool, typer.Option("--force", help="Replace an existing entry of the same name.")]
_Rules = Annotated[
    bool,
    typer.Option(
        "--rules/--no-rules",
        help="Also write rules for agents on when to search, in CLAUDE.md, AGENTS.md and similar files.",
    ),
]
_Hook = Annotated[
    bool,
    typer.Option("--hook", help="Also add a hook that reminds Claude Code of the search before it greps many files."),
]
_Name = Annotated[str, typer.Option("--name", metavar="NAME", help="Server name in the client configuration.")]
_Http = Annotated[
    str | None,
    typer.Option("--http", metavar="URL", callback=not_empty, help="Connect to a server that is already running."),
]
_TokenEnv = Annotated[
    str | None,
    typer.Option(
        "--token-env",
        metavar="VARIABLE",
        help="With --http: environment variable that holds the token. Only its name is written.",
    ),
]
_Command = Annotated[
    str | None,
    typer.Option(
        "--command",
        metavar="TEXT",
        callback=not_empty,
        help="Command that starts this program, such as `uvx cocosearch-py`.",
    ),
]
_Yes = Annotated[bool, typer.Option("-y", "--yes", help="Do not ask for confirmation.")]


def init(
    session: Session,
    *,
    path: _PathArgument = None,
    claude: _Claude = False,
    claude_desktop: _ClaudeDesktop = False,
    cursor: _Cursor = False,
    vscode: _VSCode = False,
    windsurf: _Windsurf = False,
    codex: _Codex = False,
    gemini: _Gemini = False,
    opencode: _OpenCode = False,
    every: _Every = False,
    user_wide: _UserWide = False,
    dry_run: _DryRun = False,
    force: _Force = False,
    rules: _Rules = False,
    hook: _Hook = False,
    name: _Name = "cocosearch",
    http: _Http = None,
    token_env: _TokenEnv = None,
    command: _Command = None,
    yes: _Yes = False,
) -> int:
    """Write the configuration of agent clients: Claude Code, Cursor, Codex and others.

    Without a client option, it configures the clients whose files or folders exist in the project or the home folder.
    Other servers in those files stay unchanged.
    """
    flags = (claude, claude_desktop, cursor, vscode, windsurf, codex, gemini, opencode)
    named = [key for key, given in zip(_KEYS, flags, strict=True) if given]
    _check_name(name)
    from cocosearch_py.clients.plan import Wish, apply, plan

    project = _project(session, path)
    homes = _homes(session)
    how = _how(session, project, http, token_env, command)
    clients = _chosen(named, every, user_wide, http is not None, (project, homes))
    reminding = _hook(session, name, command, user_wide=user_wide) if hook else None
    wish = Wish(
        project=project,
        homes=homes,
        name=name,
        how=how,
        user_wide=user_wide,
        force=force,
        rules=rules,
        toolsets=session.load(start=project).settings.server.toolsets if rules else (),
        hook=reminding,
    )
    changes = plan(clients, wish)
    if not (dry_run or named or every or yes) and not _agreed(changes):
        session.note("nothing was written")
        return _EXIT_DECLINED
    if not dry_run:
        apply(changes)
    _show(session, changes, dry_run=dry_run)
    if not dry_run:
        _note(session, changes, clients, user_wide)
    return 0


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValidationError("the server name is invalid", hint="use 1 to 64 letters, digits, - and _")


def _project(session: Session, path: Path | None) -> Path:
    folder = (path or session.folder).absolute()
    if not folder.is_dir():
        raise WorkspaceError(f"{folder} is not a folder", hint="give the folder of the project")
    return folder.resolve()


def _homes(session: Session) -> "Homes":
    from cocosearch_py.clients.table import homes_of

    return homes_of(session.environ, home_folder(session.environ).absolute(), sys.platform)


def _how(
    session: Session, project: Path, http: str | None, token_env: str | None, command: str | None
) -> "Local | Remote":
    from cocosearch_py.clients.entry import Local, Remote, server_url

    if http is not None:
        if command is not None:
            raise ValidationError("--http and --command cannot be combined", hint="give only one of them")
        if token_env is not None and not _VARIABLE.fullmatch(token_env):
            raise ValidationError(
                "--token-env needs the name of an environment variable", hint="for example COCOSEARCH_AUTH_TOKEN"
            )
        return Remote(server_url(http), token_env)
    if token_env is not None:
        raise ValidationError("--token-env goes with --http only", hint="leave it out, or give --http URL")
    return Local(*_program(session, command), project)


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


def _hook(session: Session, name: str, command: str | None, *, user_wide: bool) -> str:
    from cocosearch_py.clients.hook import hook_command

    in_projects, of_user = _program(session, command)
    return hook_command(of_user if user_wide else in_projects, name)


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command, posix=os.name != "nt"))
    except ValueError as error:
        raise ValidationError(f"--command cannot be read: {error}", hint="close all quotes") from error


def _chosen(
    named: Sequence[str], every: bool, user_wide: bool, remote: bool, where: "tuple[Path, Homes]"
) -> "list[Client]":
    """Those that are named; else those of --all or found, as far as they have a file for the scope and transport."""
    from cocosearch_py.clients.table import BY_KEY, CLIENTS, detected

    if named and not every:
        return [BY_KEY[key] for key in named]
    found = CLIENTS if every else detected(*where)
    clients = [
        client
        for client in found
        if client.key in named
        or ((user_wide or client.project_file is not None) and not (remote and client.url_key is None))
    ]
    if not clients:
        raise ValidationError(
            "no client was named, and none was found in the project or in the home folder",
            hint=f"name one or more: {', '.join(f'--{key}' for key in BY_KEY)}, or --all",
        )
    return clients


def _agreed(changes: "Sequence[Change]") -> bool:
    """On a terminal, ask before files of clients are written that were found and not named."""
    paths = [str(change.path) for change in changes if change.action != "unchanged"]
    if not paths or not sys.stdin.isatty():
        return True
    return confirmed("Write " + ", ".join(paths) + "?")


def _show(session: Session, changes: "Sequence[Change]", *, dry_run: bool) -> None:
    from cocosearch_py.clients.plan import diff

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


def _note(session: Session, changes: "Sequence[Change]", clients: "Sequence[Client]", user_wide: bool) -> None:
    """Tell what else the clients need, where something has changed; most of it concerns the files of projects."""
    changed = {change.client for change in changes if change.action != "unchanged" and change.kind == "server"}
    for client in clients:
        if client.note and client.key in changed and not (user_wide and client.project_file is not None):
            session.note(client.note)
