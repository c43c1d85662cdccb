"""`cocosearch-py mcp`: flags, logging, and running a server. Imports FastMCP only when a server starts."""

import argparse
import ctypes
import gc
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.config.paths import user_config_file, working_folder
from cocosearch_py.config.process import process_environment
from cocosearch_py.errors import CocosearchError, ConfigurationError
from cocosearch_py.model.terminal import escaping
from cocosearch_py.server.lifecycle import Lifecycle
from cocosearch_py.server.logs import LogFile
from cocosearch_py.server.options import (
    COLLECT_AFTER,
    DEFAULT_HOST,
    DEFAULT_IDLE_TIMEOUT_S,
    DEFAULT_PORT,
    LOG_FORM,
    TRANSPORTS,
    Flags,
    Preset,
    ServerOptions,
    server_options,
    split_list,
)
from cocosearch_py.server.repeated_lines import RepeatCounter

if TYPE_CHECKING:
    from cocosearch_py.config.settings import Settings

_VARIABLES = "COCOSEARCH_SERVER_"  # of settings
_NO_SETTING = "COCOSEARCH_SERVER_URL"  # which commands read
_M_ARENA_MAX = -8  # a number of glibc's malloc.h


def run(arguments: Sequence[str]) -> int:
    """Serve until the end; returns the exit code when it could not start. Writes nothing to standard output itself."""
    parent = os.getppid()
    if sys.stderr is not None:
        sys.stderr = escaping(sys.stderr)
    given = make_parser().parse_args(arguments)
    environ = process_environment()
    try:
        options = server_options(_flags(given), environ, working_folder(), _own_settings(given, environ))
        _set_up_logging(given.log_level or environ.get("COCOSEARCH_LOG_LEVEL", ""), given.log_file)
        _serve(options, given, environ, parent)
    except CocosearchError as error:
        print(f"error: {error.message}", file=sys.stderr)  # noqa: T201
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    return 0


def _serve(options: ServerOptions, given: argparse.Namespace, environ: Mapping[str, str], parent: int) -> None:
    if options.local and (sys.stdin is None or sys.stdout is None):
        raise ConfigurationError(
            "standard input or output is closed, so no client can be served",
            hint="let the client start this command, or serve over HTTP with `-t http`",
        )
    # Looking for plugins reads the metadata of every package; and none has to see what tools are called with.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251
    gc.disable()  # the imports and the tools are half a million objects that live as long as the process
    from cocosearch_py.mcp.protocol import run_stdio
    from cocosearch_py.mcp.server import create_server
    from cocosearch_py.server.engines import ProjectEngines
    from cocosearch_py.server.processes import SearchProcesses

    _use_one_arena()
    library = logging.getLogger("fastmcp")  # it brings a handler of its own, which would write every line twice
    library.handlers.clear()
    library.propagate = True
    library.setLevel(logging.NOTSET)
    apps = ProjectEngines(partial(_load, given, environ), environ)
    processes = SearchProcesses(environ, options.processes)
    pinned = environ.get("COCOSEARCH_INDEX_NAME", "").strip() or None
    server, context = create_server(apps.at, options, pinned, processes=processes)
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    gc.enable()
    life = Lifecycle(context, apps.close, parent)
    life.watch()
    if options.local:
        reason = "end of input"
        try:
            run_stdio(server)
        except* ConnectionError:  # a client that was killed does not wait for its answers
            reason = "the client no longer reads answers"
        life.end(reason)
    from cocosearch_py.mcp.http import serve
    from cocosearch_py.server.health import Probes

    serve(server, options, Probes(context, partial(apps.unready, options.project or options.working_folder)), context)
    life.end("stopped")


def _use_one_arena() -> None:
    """Let all threads share one heap: glibc gives each its own, and each keeps what its largest answer took.

    They hardly wait for it, since the interpreter runs one at a time. Other C libraries have no such call.
    """
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):
            library.mallopt(_M_ARENA_MAX, 1)


def _own_settings(given: argparse.Namespace, environ: Mapping[str, str]) -> Preset:
    """Return the user's own settings of servers; files of projects cannot change them."""
    own = user_config_file(environ)
    named = any(name.startswith(_VARIABLES) and name != _NO_SETTING for name in environ)
    if not (named or given.config is not None or (own is not None and own.exists())):
        return Preset()  # without the settings, which no first answer needs
    from cocosearch_py.config.load import load_settings

    chosen = load_settings(start=None, environ=environ, config_file=given.config).settings.server
    return Preset(**{one.name: getattr(chosen, one.name) for one in fields(Preset)})


def _load(given: argparse.Namespace, environ: Mapping[str, str], folder: Path) -> "Settings":
    from cocosearch_py.config.load import load_settings

    loaded = load_settings(
        start=folder,
        environ=environ,
        overrides={"database.url": given.database_url},
        config_file=given.config,
    )
    for warning in loaded.warnings:
        _warn_once(warning)
    return loaded.settings


@cache
def _warn_once(text: str) -> None:
    """Settings are read again and again; what is wrong with them is logged when it is seen first."""
    logging.getLogger(__name__).warning("%s", text)


def _set_up_logging(level: str, file: Path | None) -> None:
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if file is not None:
        try:
            handlers.append(LogFile(file))
        except OSError as error:
            raise ConfigurationError(
                f"the log file {file} cannot be written", hint="name a file in a folder that you can write to"
            ) from error
    known = logging.getLevelNamesMapping()
    chosen = known.get((level or "warning").upper())
    if chosen is None:
        raise ConfigurationError(f"unknown log level '{level}'", hint="use debug, info, warning or error")
    for handler in handlers:
        handler.setFormatter(logging.Formatter(LOG_FORM))
    logging.basicConfig(level=chosen, handlers=[RepeatCounter(handlers)], force=True)


def _flags(given: argparse.Namespace) -> Flags:
    return Flags(
        path=given.path,
        transport=given.transport,
        host=given.host,
        port=given.port,
        allowed_hosts=tuple(given.allowed_host),
        project_from_cwd=given.project_from_cwd,
        roots=tuple(given.root),
        toolsets=_names(given.toolsets),
        tools=_names(given.tools),
        exclude_tools=_names(given.exclude_tools),
        read_only=given.read_only,
        no_aliases=given.no_aliases,
        structured_content=given.structured_content,
        show_secrets=given.show_secrets,
        auth_token=given.auth_token,
        auth_token_file=given.auth_token_file,
        insecure=given.insecure,
        idle_timeout_s=given.idle_timeout,
        watch=given.watch,
        processes=given.processes,
    )


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for text in texts for name in split_list(text))


def make_parser() -> argparse.ArgumentParser:
    """The flags of the command."""
    parser = argparse.ArgumentParser(
        prog="cocosearch-py mcp",
        description="Serve code search to AI agents over MCP. All flags go after `mcp`.",
    )
    add = parser.add_argument
    add("path", nargs="?", type=Path, metavar="PATH", help="default project for clients that name none")
    add("-t", "--transport", metavar="HOW", help=f"{', '.join(TRANSPORTS)}; default: MCP_TRANSPORT, or stdio")
    add("--host", help=f"address to listen on (default: {DEFAULT_HOST})")
    add("-p", "--port", type=int, help=f"port to listen on (default: COCOSEARCH_MCP_PORT, or {DEFAULT_PORT})")
    add("--allowed-host", action="append", default=[], metavar="NAME", help="accept this Host header; can be repeated")
    add("--project-from-cwd", action="store_true", help="use the working folder as the project")
    add("--root", action="append", default=[], type=Path, metavar="FOLDER", help="allow only this; can be repeated")
    sets = "default, minimal, all, search, navigate, graph, quality, index, wiki; and edit, which no other set includes"
    add("--toolsets", action="append", default=[], metavar="NAMES", help=sets)
    add(
        "--tools",
        action="append",
        default=[],
        metavar="NAMES",
        help="only these tools, or these as well as --toolsets",
    )
    add("--exclude-tools", action="append", default=[], metavar="NAMES", help="leave out these tools")
    add("--read-only", action="store_true", help="offer no tool that writes")
    add("--no-aliases", action="store_true", help="do not accept other programs' names for tools and parameters")
    add("--structured-content", action="store_true", help="return structured content instead of text")
    add("--show-secrets", action="store_true", help="show secrets in answers instead of asterisks")
    add("--auth-token", metavar="TOKEN", help="bearer token for HTTP clients; visible to others in the process list")
    add("--auth-token-file", type=Path, metavar="FILE", help="file that holds the token")
    add("--insecure", action="store_true", help="allow other machines to connect without a token")
    add(
        "--idle-timeout",
        type=float,
        metavar="S",
        help=f"stop after this many seconds without a call (default: {DEFAULT_IDLE_TIMEOUT_S} over stdio)",
    )
    add("--watch", action="store_true", help="keep the indexes that clients query up to date")
    add(
        "--processes",
        type=int,
        metavar="N",
        help="maximum number of search processes over HTTP (default: one per core); 0 means none",
    )
    add("--log-file", type=Path, metavar="FILE", help="also log to this file")
    add("--log-level", metavar="LEVEL", help="lowest level to log: debug, info, warning, error")
    add("--config", type=Path, metavar="FILE", help="read only this configuration file")
    add("--database-url", metavar="URL", help="PostgreSQL database to use instead of the embedded one")
    return parser
