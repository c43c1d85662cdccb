"""The settings of servers and of edits: who may do what is for the user alone to say."""

from dataclasses import dataclass

from cocosearch_py.config.declaring import setting
from cocosearch_py.config.rules import MAX_INT32, Kind

MAX_PORT = 65535
_OF_EDITS = "it decides what agents may do to your files"


@dataclass(frozen=True, slots=True)
class EditSettings:
    """Rights of the tools that change files, if they are on."""

    allow_ignored: bool = setting(False, Kind.BOOLEAN, "Allow edits to files that git ignores.", user_only=_OF_EDITS)
    allow_protected: tuple[str, ...] = setting(
        (),
        Kind.STRINGS,
        "Protected files (files that start programs) to allow edits to; .gitignore patterns.",
        user_only=_OF_EDITS,
    )
    keep_days: int = setting(
        30,
        Kind.INTEGER,
        "Number of days for which an edit can be undone.",
        minimum=0,
        maximum=36_500,
        user_only=_OF_EDITS,
    )
    keep_megabytes: int = setting(
        256,
        Kind.INTEGER,
        "Maximum size of the undo history in the database, in megabytes per folder.",
        minimum=0,
        maximum=MAX_INT32,
        user_only=_OF_EDITS,
    )
    allow_unhashed: bool = setting(
        False, Kind.BOOLEAN, "Allow edits without the hash of the text that was read.", user_only=_OF_EDITS
    )
    parse_errors: str = setting(
        "warn",
        Kind.STRING,
        "How to treat an edit that introduces syntax errors: make it with a warning, or refuse it.",
        choices=("warn", "refuse"),
        user_only=_OF_EDITS,
    )
    confirm: str = setting(
        "overwrite",
        Kind.STRING,
        "Edits that need a person's consent: none; overwriting whole files, if the client can ask; or all, which are "
        "refused if it cannot ask.",
        choices=("never", "overwrite", "always"),
        user_only=_OF_EDITS,
    )


_OF_SERVERS = "it decides who reaches a server, and what they may do"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Defaults of `cocosearch-py mcp`; its flags and variables win."""

    transport: str = setting(
        "stdio",
        Kind.STRING,
        "Transport that clients connect with.",
        choices=("stdio", "sse", "http"),
        user_only=_OF_SERVERS,
    )
    host: str = setting("127.0.0.1", Kind.STRING, "Address to listen on.", user_only=_OF_SERVERS)
    port: int = setting(
        3000,
        Kind.INTEGER,
        "Port to listen on; 0 means any free port.",
        minimum=0,
        maximum=MAX_PORT,
        user_only=_OF_SERVERS,
    )
    allowed_hosts: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Additional host names to accept in the Host header.", user_only=_OF_SERVERS
    )
    toolsets: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Toolsets to offer; empty means the default toolsets.", user_only=_OF_SERVERS
    )
    read_only: bool = setting(False, Kind.BOOLEAN, "Offer only tools that change nothing.", user_only=_OF_SERVERS)
    show_secrets: bool = setting(
        False,
        Kind.BOOLEAN,
        "Show secrets in answers; otherwise asterisks replace their characters.",
        user_only=_OF_SERVERS,
    )
    auth: str | None = setting(
        None, Kind.STRING, "Token that clients must send over HTTP.", secret=True, user_only=_OF_SERVERS
    )
    roots: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Only folders that clients may index and search.", user_only=_OF_SERVERS
    )
    idle_timeout: int | None = setting(
        None,
        Kind.INTEGER,
        "Seconds without a call after which the server stops. 0 means never; null means 1800 over stdio and never over "
        "HTTP.",
        minimum=0,
        maximum=MAX_INT32,
        user_only=_OF_SERVERS,
    )
    sessions: int = setting(
        1000,
        Kind.INTEGER,
        "Maximum number of sessions per HTTP transport.",
        minimum=1,
        maximum=100_000,
        user_only=_OF_SERVERS,
    )
