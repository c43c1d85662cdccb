"""A running MCP server: its tools, its processes and its end. Imports FastMCP."""

import argparse
import ctypes
import gc
import logging
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from cocosearch_py.config.load import load_settings
from cocosearch_py.config.settings import Settings
from cocosearch_py.mcp.http import serve as serve_http
from cocosearch_py.mcp.protocol import run_stdio
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.engines import ProjectEngines
from cocosearch_py.server.health import Probes
from cocosearch_py.server.lifecycle import Lifecycle
from cocosearch_py.server.options import COLLECT_AFTER, ServerOptions
from cocosearch_py.server.processes import SearchProcesses

_M_ARENA_MAX = -8  # a number of glibc's malloc.h


def serve(options: ServerOptions, given: argparse.Namespace, environ: Mapping[str, str], parent: int) -> None:
    """Serve the clients of one transport until the end, then end the process.

    Args:
        parent: process id of the parent; the server ends with it.
    """
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
    serve_http(
        server, options, Probes(context, partial(apps.unready, options.project or options.working_folder)), context
    )
    life.end("stopped")


def _use_one_arena() -> None:
    """Let all threads share one heap: glibc gives each its own, and each keeps what its largest answer took.

    They hardly wait for it, since the interpreter runs one at a time. Other C libraries have no such call.
    """
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):
            library.mallopt(_M_ARENA_MAX, 1)


def _load(given: argparse.Namespace, environ: Mapping[str, str], folder: Path) -> Settings:
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
