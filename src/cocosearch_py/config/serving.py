"""The settings of servers and of edits: who may do what is for the user alone to say."""

from dataclasses import dataclass

from cocosearch_py.config.declaring import setting
from cocosearch_py.config.rules import MAX_INT32, Kind

MAX_PORT = 65535
_OF_EDITS = "it decides what agents may do to your files"


@dataclass(frozen=True, slots=True)
class EditSettings:
    """What the tools that change files may do, where they are on at all."""

    allow_ignored: bool = setting(False, Kind.BOOLEAN, "Also files that git ignores.", user_only=_OF_EDITS)
    allow_protected: tuple[str, ...] = setting(
        (),
        Kind.STRINGS,
        "Patterns like those of .gitignore: files that start programs and are edited all the same.",
        user_only=_OF_EDITS,
    )
    keep_days: int = setting(
        30, Kind.INTEGER, "Days for which changes can be taken back.", minimum=0, maximum=36_500, user_only=_OF_EDITS
    )
    keep_megabytes: int = setting(
        256,
        Kind.INTEGER,
        "Megabytes that are kept for that in the database at most, of each folder.",
        minimum=0,
        maximum=MAX_INT32,
        user_only=_OF_EDITS,
    )
    allow_unhashed: bool = setting(False, Kind.BOOLEAN, "Also without the hash of what was read.", user_only=_OF_EDITS)
    parse_errors: str = setting(
        "warn",
        Kind.STRING,
        "What becomes of an edit that brings errors of syntax: it is made with a warning, or not at all.",
        choices=("warn", "refuse"),
        user_only=_OF_EDITS,
    )
    confirm: str = setting(
        "overwrite",
        Kind.STRING,
        "Which edits a person is asked about: none; whole files that are overwritten, where the client can ask; "
        "all, or they are refused.",
        choices=("never", "overwrite", "always"),
        user_only=_OF_EDITS,
    )


_OF_SERVERS = "it decides who reaches a server, and what they may do"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What `cocosearch-py mcp` does where neither a flag nor a variable of its own says otherwise."""

    transport: str = setting(
        "stdio", Kind.STRING, "How clients speak to it.", choices=("stdio", "sse", "http"), user_only=_OF_SERVERS
    )
    host: str = setting("127.0.0.1", Kind.STRING, "Address to bind.", user_only=_OF_SERVERS)
    port: int = setting(
        3000, Kind.INTEGER, "Port; 0 is any free one.", minimum=0, maximum=MAX_PORT, user_only=_OF_SERVERS
    )
    allowed_hosts: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Names in the Host header that are accepted besides its own.", user_only=_OF_SERVERS
    )
    toolsets: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Toolsets that are offered; empty is the default ones.", user_only=_OF_SERVERS
    )
    read_only: bool = setting(False, Kind.BOOLEAN, "Offer no tool that changes anything.", user_only=_OF_SERVERS)
    show_secrets: bool = setting(
        False,
        Kind.BOOLEAN,
        "Show secrets in answers; otherwise each of their characters is an asterisk.",
        user_only=_OF_SERVERS,
    )
    auth: str | None = setting(
        None, Kind.STRING, "Token that clients must send over HTTP.", secret=True, user_only=_OF_SERVERS
    )
    roots: tuple[str, ...] = setting(
        (), Kind.STRINGS, "Folders that clients may index and search, and no others.", user_only=_OF_SERVERS
    )
    idle_timeout: int | None = setting(
        None,
        Kind.INTEGER,
        "Seconds without a call after which it ends; 0 is never, null is 1800 over stdio and never over HTTP.",
        minimum=0,
        maximum=MAX_INT32,
        user_only=_OF_SERVERS,
    )
    sessions: int = setting(
        1000, Kind.INTEGER, "Sessions of each transport over HTTP.", minimum=1, maximum=100_000, user_only=_OF_SERVERS
    )
