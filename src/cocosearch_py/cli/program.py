"""Commands about the program itself: their parameters, and the functions that are imported when they run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cocosearch_py.cli.commands import of_operation, own
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.indexing.tools import INDEX_CODEBASE
from cocosearch_py.tools.declaration import Flag

_INIT = """Write the configuration of agent clients: Claude Code, Cursor, Codex and others.

Without a client option, it configures the clients whose files or folders exist in the project or the home folder.
Other servers in those files stay unchanged.
"""
_OPEN = """Open a result of the last search, a file, or a definition in your editor, at its line.

The editor is $VISUAL, $EDITOR, or the first of nano, vim and vi. Without an editor, or in a pipe, the
location is printed.
"""
_WATCH = """Keep the index of a folder up to date: run now and after each file change, until Ctrl-C.

The same as `index --watch`. A burst of changes causes one run; each run prints one line.
"""
_WORKER = """Process queued indexing runs until Ctrl-C.

You do not need it: starting a run also starts a worker, which ends after the last run. A permanent worker starts
runs at once, and may have keys that clients do not have. It processes the runs of this account on this machine.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InitArguments:
    """Parameters of `init`."""

    path: Annotated[Path | None, Flag(metavar="[PATH]", help="Project folder (default: the current one).")] = None
    claude: Annotated[bool, Flag(names=("--claude",), help="Configure Claude Code.")] = False
    claude_desktop: Annotated[
        bool, Flag(names=("--claude-desktop",), help="Configure Claude Desktop, which has no project file.")
    ] = False
    cursor: Annotated[bool, Flag(names=("--cursor",), help="Configure Cursor.")] = False
    vscode: Annotated[bool, Flag(names=("--vscode",), help="Configure VS Code.")] = False
    windsurf: Annotated[bool, Flag(names=("--windsurf",), help="Configure Windsurf.")] = False
    codex: Annotated[bool, Flag(names=("--codex",), help="Configure Codex.")] = False
    gemini: Annotated[bool, Flag(names=("--gemini",), help="Configure Gemini CLI.")] = False
    opencode: Annotated[bool, Flag(names=("--opencode",), help="Configure OpenCode.")] = False
    every: Annotated[bool, Flag(names=("--all",), help="Configure all clients.")] = False
    user_wide: Annotated[
        bool, Flag(names=("--global",), help="Configure the clients for all your projects instead of this one.")
    ] = False
    dry_run: Annotated[bool, Flag(names=("--dry-run",), help="Show the differences; write nothing.")] = False
    force: Annotated[bool, Flag(names=("--force",), help="Replace an existing entry of the same name.")] = False
    rules: Annotated[
        bool,
        Flag(
            names=("--rules/--no-rules",),
            help="Also write rules for agents on when to search, in CLAUDE.md, AGENTS.md and similar files.",
        ),
    ] = False
    hook: Annotated[
        bool,
        Flag(
            names=("--hook",), help="Also add a hook that reminds Claude Code of the search before it greps many files."
        ),
    ] = False
    name: Annotated[str, Flag(names=("--name",), metavar="NAME", help="Server name in the client configuration.")] = (
        "cocosearch"
    )
    http: Annotated[
        str | None,
        Flag(names=("--http",), metavar="URL", filled=True, help="Connect to a server that is already running."),
    ] = None
    token_env: Annotated[
        str | None,
        Flag(
            names=("--token-env",),
            metavar="VARIABLE",
            help="With --http: environment variable that holds the token. Only its name is written.",
        ),
    ] = None
    command: Annotated[
        str | None,
        Flag(
            names=("--command",),
            metavar="TEXT",
            filled=True,
            help="Command that starts this program, such as `uvx cocosearch-py`.",
        ),
    ] = None
    yes: Annotated[bool, Flag(names=("-y", "--yes"), help="Do not ask for confirmation.")] = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenArguments:
    """Parameters of `open`."""

    target: Annotated[
        str,
        Flag(
            metavar="TARGET",
            help="Result number N of the last search, FILE, FILE:LINE, FILE#NAME or NAME. "
            "Write ./N for a file named N.",
        ),
    ]
    index_name: Annotated[
        str | None,
        Flag(
            names=("-n", "--index", "--index-name"),
            metavar="NAME",
            filled=True,
            help="Index to use (default: the result's, or the current folder's).",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkerArguments:
    """Parameters of `worker`."""

    idle: Annotated[
        int | None,
        Flag(names=("--idle",), metavar="SECONDS", minimum=1, help="Stop after this many seconds without work."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassedArguments:
    """Arguments for another program."""

    arguments: Annotated[
        list[str] | None, Flag(metavar="[ARGUMENT]...", help="Arguments for psql, after `--`: -- -c 'SELECT 1'.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ServerArguments:
    """Arguments that the server reads."""

    arguments: Annotated[list[str] | None, Flag(metavar="[PATH] [FLAGS]", help="See `cocosearch-py mcp --help`.")] = (
        None
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FolderArguments:
    """Parameters of `config trust` and `config untrust`."""

    folder: Annotated[
        str | None,
        Flag(
            metavar="FOLDER",
            help="Folder, or 'FOLDER/*' for every folder below it. Default: the folders of the configuration files "
            "in use.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UrlArguments:
    """Parameters of `db url`."""

    sqlalchemy: Annotated[bool, Flag(names=("--sqlalchemy",), help="Print it as a SQLAlchemy URL.")] = False
    show_password: Annotated[bool, Flag(names=("--show-password",), help="Do not mask the password.")] = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UpgradeArguments:
    """Parameters of `db upgrade`."""

    revision: Annotated[str, Flag(metavar="[REVISION]", help="Target revision (default: the newest).")] = "head"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DowngradeArguments:
    """Parameters of `db downgrade`."""

    revision: Annotated[str, Flag(metavar="REVISION", help="Target revision; `base` removes everything.")]
    force: Annotated[bool, Flag(names=("-y", "--force", "--yes"), help="Do not ask for confirmation.")] = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RemainsArguments:
    """Parameters of `db remains`."""

    remove: Annotated[
        bool, Flag(names=("--remove",), help="Remove databases whose data folder is gone, and no others.")
    ] = False


def refuse_mcp(_session: Session, _asked: ServerArguments) -> None:
    """Explain how to start a server: the entry of the program passes `mcp` on only where it is the first word."""
    raise ValidationError(
        "`mcp` has to be the first word", hint="write flags after it: cocosearch-py mcp [PATH] --transport http"
    )


_OWN = (
    own("init", _INIT, "cli.init_command.init", InitArguments),
    own(
        "doctor",
        "Check configuration, database, model, grammars, disk and git. Exits with 1 if a check fails.",
        "cli.doctor_command.doctor",
    ),
    own("open", _OPEN, "cli.open_command.open_target", OpenArguments),
    of_operation(INDEX_CODEBASE, "watch", _WATCH, {"watch": True, "dry_run": False, "fresh": False}),
    own(
        "mcp",
        "Serve code search to AI agents over MCP: stdio, SSE or streamable HTTP.",
        "cli.program.refuse_mcp",
        ServerArguments,
        passes_on=True,
    ),
    own("worker", _WORKER, "cli.worker_command.worker", WorkerArguments),
    own(
        "config show",
        "Show every setting and its origin; passwords and keys are masked.",
        "cli.configuration.show",
    ),
    own(
        "config path",
        "Print the configuration files in use, highest priority first; nothing if there are none.",
        "cli.configuration.path",
    ),
    own(
        "config trust",
        "Let the configuration files of a folder set everything: providers, servers, keys, variables in values.",
        "cli.configuration.trust",
        FolderArguments,
    ),
    own(
        "config untrust",
        "Remove a folder from the list of trusted folders.",
        "cli.configuration.untrust",
        FolderArguments,
    ),
    own(
        "config check",
        "Check configuration, database, model, grammars, disk and git; the same as `doctor`.",
        "cli.doctor_command.doctor",
    ),
    own(
        "db url",
        "Print the URL of the database; starts the embedded server so that the URL works.",
        "cli.database.url",
        UrlArguments,
    ),
    own("db current", "Print the revision of the database schema, and the newest revision.", "cli.database.current"),
    own(
        "db upgrade",
        "Upgrade the schema to the newest or the given revision.",
        "cli.database.upgrade",
        UpgradeArguments,
    ),
    own(
        "db downgrade",
        "Downgrade the schema to an older revision; data that only newer revisions can hold is lost.",
        "cli.database.downgrade",
        DowngradeArguments,
    ),
    own(
        "db psql",
        "Open a psql shell on the database, with this program's schema first in its search path.",
        "cli.database.psql",
        PassedArguments,
        passes_on=True,
    ),
    own(
        "db start",
        "Start the embedded server and upgrade its schema; it stops again when it is not in use.",
        "cli.database.start",
    ),
    own(
        "db stop",
        "Stop the embedded server and its workers now; the next command starts it again.",
        "cli.database.stop",
    ),
    own(
        "db remains",
        "List databases that root's embedded servers left in the system's folder after their data folders were "
        "removed.",
        "cli.database.remains",
        RemainsArguments,
    ),
)
SUBCOMMANDS = {command.name: command for command in _OWN}
