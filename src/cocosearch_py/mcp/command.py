"""`cocosearch-py mcp`: flags, logging, and running a server. Imports FastMCP only when a server starts."""

import argparse
import gc
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from cocosearch_py.config.load import load_settings
from cocosearch_py.config.paths import user_config_file, working_folder
from cocosearch_py.config.process import process_environment
from cocosearch_py.errors import CocosearchError, ConfigurationError
from cocosearch_py.model.terminal import escaping
from cocosearch_py.server.logs import LogFile
from cocosearch_py.server.options import (
    DEFAULT_HOST,
    DEFAULT_IDLE_TIMEOUT_S,
    DEFAULT_PORT,
    LOG_FORM,
    TRANSPORTS,
    Flags,
    Preset,
    server_options,
    split_list,
)
from cocosearch_py.server.repeated_lines import RepeatCounter

_VARIABLES = "COCOSEARCH_SERVER_"  # of settings
_NO_SETTING = "COCOSEARCH_SERVER_URL"  # which commands read


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
        if options.local and (sys.stdin is None or sys.stdout is None):
            raise ConfigurationError(
                "standard input or output is closed, so no client can be served",
                hint="let the client start this command, or serve over HTTP with `-t http`",
            )
        # Looking for plugins reads the metadata of every package; and none has to see what tools are called with.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251
        gc.disable()  # the imports and the tools are half a million objects that live as long as the process
        from cocosearch_py.mcp.serving import serve

        serve(options, given, environ, parent)
    except CocosearchError as error:
        print(f"error: {error.message}", file=sys.stderr)  # noqa: T201
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    return 0


def _own_settings(given: argparse.Namespace, environ: Mapping[str, str]) -> Preset:
    """What the user has set of servers, if anything; files of projects have no say in that."""
    own = user_config_file(environ)
    named = any(name.startswith(_VARIABLES) and name != _NO_SETTING for name in environ)
    if not (named or given.config is not None or (own is not None and own.exists())):
        return Preset()  # without the settings, which no first answer needs
    chosen = load_settings(start=None, environ=environ, config_file=given.config).settings.server
    return Preset(**{one.name: getattr(chosen, one.name) for one in fields(Preset)})


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
