"""Options of a server, from flags and from the environment that is passed in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from cocosearch_py.errors import ConfigurationError
from cocosearch_py.model.machine import usable_cores
from cocosearch_py.server.paths import drives_here

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 3000  # CocoSearch's
DEFAULT_IDLE_TIMEOUT_S = 1800  # CocoSearch's
DEFAULT_PROCESSES = 8  # at most; speaking with the clients takes a third of what a search takes
MAX_PROCESSES = 16  # of the 60 connections of the embedded server each takes two
# Of gc.set_threshold: a call makes some thousand objects that end with it, and looking through those of twenty open
# calls every 700 new ones took a tenth of their time.
COLLECT_AFTER = (5_000, 20, 50)
LOG_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
TRANSPORTS = ("stdio", "sse", "http")
MIN_TOKEN_CHARS = 8  # a shorter one is guessed

_TRANSPORT_NAMES = {"streamable-http": "http", "streamable_http": "http"}  # what other programs call it
MAX_PORT = 65535
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ServerOptions:
    """One server. `roots` empty means none was named: see `access` for what is then allowed."""

    transport: str = "stdio"
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    project: Path | None = None  # PATH, --project-from-cwd or COCOSEARCH_PROJECT_PATH
    working_folder: Path = Path()
    roots: tuple[Path, ...] = ()
    toolsets: tuple[str, ...] = ("default",)
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    read_only: bool = False
    aliases: bool = True  # names of other programs are understood
    structured_content: bool = False
    show_secrets: bool = False  # in answers, which otherwise mask them
    auth_token: str | None = None
    insecure: bool = False
    idle_timeout_s: float = DEFAULT_IDLE_TIMEOUT_S
    watch: bool = False  # follow the files of the indexes that calls are about
    sessions: int = 1_000  # of each transport over HTTP
    processes: int = 0  # most that answer searches beside the server's own
    drives: str | None = field(default_factory=drives_here)  # how paths of clients on Windows are read; see paths

    @property
    def local(self) -> bool:
        """Whether the client is the program that started the server, as the user who did."""
        return self.transport == "stdio"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preset:
    """Values of the user's settings where neither a flag nor a variable of a server is given, by their names there."""

    transport: str = "stdio"
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    allowed_hosts: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = ()
    read_only: bool = False
    auth: str | None = None
    roots: tuple[str, ...] = ()
    idle_timeout: int | None = None
    sessions: int = 1_000
    show_secrets: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flags:
    """Flags of the command line; None and empty mean not given."""

    path: Path | None = None
    transport: str | None = None
    host: str | None = None
    port: int | None = None
    allowed_hosts: tuple[str, ...] = ()
    project_from_cwd: bool = False
    roots: tuple[Path, ...] = ()
    toolsets: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    read_only: bool = False
    no_aliases: bool = False
    structured_content: bool = False
    show_secrets: bool = False
    auth_token: str | None = None
    auth_token_file: Path | None = None
    insecure: bool = False
    idle_timeout_s: float | None = None
    watch: bool = False
    processes: int | None = None


def server_options(
    flags: Flags, environ: Mapping[str, str], working_folder: Path, settings: "Preset | None" = None
) -> ServerOptions:
    """Flag before environment before the user's settings, which have the defaults.

    Raises:
        ConfigurationError: a value is wrong, a root is not a folder, or the address would be open to others without a
            token.
    """
    settings = settings or Preset()
    transport = flags.transport or environ.get("MCP_TRANSPORT", "").strip() or settings.transport
    transport = _TRANSPORT_NAMES.get(transport, transport)
    if transport not in TRANSPORTS:
        raise ConfigurationError(f"unknown transport '{transport}'", hint=f"use one of {', '.join(TRANSPORTS)}")
    options = ServerOptions(
        transport=transport,
        host=flags.host or settings.host,
        port=_port(flags, environ, settings.port),
        allowed_hosts=flags.allowed_hosts or settings.allowed_hosts,
        project=_project(flags, environ, working_folder),
        working_folder=working_folder,
        roots=_roots(flags, environ, settings.roots),
        toolsets=flags.toolsets or _list(environ, "COCOSEARCH_TOOLSETS") or settings.toolsets or ("default",),
        tools=flags.tools or _list(environ, "COCOSEARCH_TOOLS"),
        exclude_tools=flags.exclude_tools,
        read_only=flags.read_only or _flag(environ, "COCOSEARCH_READ_ONLY", settings.read_only),
        aliases=not flags.no_aliases,
        structured_content=flags.structured_content,
        show_secrets=flags.show_secrets or settings.show_secrets,
        auth_token=_token(flags, environ, settings.auth),
        insecure=flags.insecure,
        idle_timeout_s=_idle_timeout(flags, environ, transport, settings.idle_timeout),
        watch=flags.watch,
        processes=_processes(flags, transport),
        sessions=settings.sessions,
    )
    _refuse_open_address(options)
    return options


def _refuse_open_address(options: ServerOptions) -> None:
    if options.local or options.auth_token or options.insecure or is_loopback(options.host):
        return
    raise ConfigurationError(
        f"{options.host} is reachable from other machines, and no token protects the server",
        hint="give --auth-token-file FILE, or bind to 127.0.0.1, or accept the risk with --insecure",
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address; names other than localhost are taken to be open."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _project(flags: Flags, environ: Mapping[str, str], working_folder: Path) -> Path | None:
    if flags.path is not None:
        return _folder(flags.path, "PATH")
    if flags.project_from_cwd:
        return working_folder
    text = environ.get("COCOSEARCH_PROJECT_PATH", "").strip()
    return _folder(Path(text), "COCOSEARCH_PROJECT_PATH") if text else None


def _roots(flags: Flags, environ: Mapping[str, str], chosen: tuple[str, ...]) -> tuple[Path, ...]:
    if flags.roots:
        return tuple(_folder(root, "--root") for root in flags.roots)
    if named := _list(environ, "COCOSEARCH_ROOTS"):
        return tuple(_folder(Path(root), "COCOSEARCH_ROOTS") for root in named)
    return tuple(_folder(Path(root), "server.roots") for root in chosen)


def _folder(path: Path, said_by: str) -> Path:
    """The folder with links resolved."""
    try:
        resolved = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        resolved = None
    if resolved is None or not resolved.is_dir():
        raise ConfigurationError(f"{said_by}: {path} is not a folder", hint="name a folder that exists")
    return resolved


def _port(flags: Flags, environ: Mapping[str, str], chosen: int) -> int:
    if flags.port is not None:
        port: int | None = flags.port
    else:
        text = environ.get("COCOSEARCH_MCP_PORT", "").strip() or str(chosen)
        port = int(text) if text.isdecimal() else None
    if port is None or not 0 <= port <= MAX_PORT:
        raise ConfigurationError("the port is out of range", hint=f"use 1 to {MAX_PORT}, or 0 for any free one")
    return port


def _token(flags: Flags, environ: Mapping[str, str], chosen: str | None) -> str | None:
    if flags.auth_token_file is not None:
        try:
            token = flags.auth_token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"the token file {flags.auth_token_file} cannot be read", hint="give a readable text file"
            ) from error
    else:
        named = environ.get("COCOSEARCH_AUTH_TOKEN", "").strip() or chosen or ""
        token = (flags.auth_token if flags.auth_token is not None else named).strip()
        if flags.auth_token is None and not token:
            return None
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(
            "the token is too short or has characters that are not allowed in a header",
            hint=f"use {MIN_TOKEN_CHARS} or more ASCII letters and digits, for example from `openssl rand -hex 32`",
        )
    return token


def _idle_timeout(flags: Flags, environ: Mapping[str, str], transport: str, chosen: int | None) -> float:
    """Seconds; 0 is never. A server for many clients stays unless told otherwise."""
    if flags.idle_timeout_s is not None:
        value: float | None = flags.idle_timeout_s
    else:
        text = environ.get("COCOSEARCH_IDLE_TIMEOUT", "").strip()
        if not text and chosen is not None:
            return chosen
        if not text:
            return DEFAULT_IDLE_TIMEOUT_S if transport == "stdio" else 0
        value = int(text) if text.isdecimal() else None
    if value is None or value < 0:
        raise ConfigurationError(
            "the idle timeout is not a number of seconds", hint="use a number of seconds, or 0 for never"
        )
    return value


def _processes(flags: Flags, transport: str) -> int:
    """A server over stdio has one client, who asks few things at once."""
    cores = usable_cores()
    most = min(cores, DEFAULT_PROCESSES) if cores > 1 else 0
    if flags.processes is not None:
        most = flags.processes
    if not 0 <= most <= MAX_PROCESSES:
        raise ConfigurationError("the number of processes is out of range", hint=f"use 0 to {MAX_PROCESSES}")
    return 0 if transport == "stdio" else most


def _list(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    return split_list(environ.get(name, ""))


def split_list(text: str) -> tuple[str, ...]:
    """Parts of a comma list, without blanks and empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _flag(environ: Mapping[str, str], name: str, chosen: bool) -> bool:
    text = environ.get(name, "").strip().lower()
    if not text:
        return chosen
    if text not in _TRUE | _FALSE:
        raise ConfigurationError(f"{name} is neither true nor false", hint="use true or false")
    return text in _TRUE
