"""A server on the shared test database, in this process and as one of its own."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests import forking
from tests.forking import SOURCE

from cocosearch_py.app import App
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.options import ServerOptions


@pytest.fixture
def make(app: App, sample_repo: Path) -> Iterator[Callable[..., FastMCP]]:
    """Makes a server on the test's database; its project is the sample unless told otherwise."""
    contexts: list[ServerContext] = []

    def make(pinned: str | None = None, **options: Any) -> FastMCP:
        chosen = {"project": sample_repo, "working_folder": sample_repo, **options}
        server, context = create_server(lambda _: app, ServerOptions(**chosen), pinned)
        contexts.append(context)
        return server

    yield make
    for context in contexts:
        context.watches.close()
        assert context.jobs.close(30)


@pytest.fixture
def shop(app: App, sample_repo: Path) -> Path:
    """The sample project, indexed as `shop`."""
    app.index(sample_repo, name="shop")
    return sample_repo


@pytest.fixture
def process_environment(database_url: str, data_folder: Path) -> dict[str, str]:
    """Environment of a server process on the test's database."""
    names = ("PATH", "HOME", "LANG", "TMPDIR")
    kept = {name: value for name, value in os.environ.items() if name in names or name.startswith("COVERAGE_")}
    return {
        **kept,
        "XDG_CONFIG_HOME": "/nonexistent",  # whoever runs the tests may have a configuration file of their own
        "PYTHONPATH": str(SOURCE),
        "COCOSEARCH_DATABASE_URL": database_url,
        "COCOSEARCH_DATA_DIR": str(data_folder),
        "COCOSEARCH_INDEXING_WORKERS": "1",
    }


@pytest.fixture
def start(process_environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts `cocosearch-py mcp` with pipes; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(
        *arguments: str, cwd: Path, stdout: int | socket.socket = subprocess.PIPE, **more: str
    ) -> subprocess.Popen[bytes]:
        process = forking.Popen(
            [sys.executable, "-m", "cocosearch_py", "mcp", *arguments],
            cwd=cwd,
            env={**process_environment, **more},
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(OSError):
                    pipe.close()
