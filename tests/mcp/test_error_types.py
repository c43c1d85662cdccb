"""Every type of error, provoked for real: what a server answers, and with which code the command ends."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from mcp.types import CallToolResult
from tests import forking
from tests.mcp.calls import Answer
from tests.mcp.test_process import Start, answer_to, open_session, send

from cocosearch_py.app import App

TIMEOUT_S = 240
CLOSED = "postgresql://nobody:secret@127.0.0.1:1/none"  # port 1 is never open


@dataclass(frozen=True)
class Place:
    """Where a case happens: a project that is indexed as `shop`, its database, what a server and a command get."""

    project: Path
    url: str
    environment: dict[str, str]


@dataclass(frozen=True)
class Case:
    """How an error is provoked. `arguments` are of the tool, `command` does the same; `{project}` is the folder."""

    kind: str
    code: int
    tool: str
    arguments: dict[str, Any]
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    around: Callable[[Place], Any] | None = None
    says: str = ""


@contextmanager
def wrong_file(place: Place) -> Iterator[None]:
    (place.project / "cocosearch.yaml").write_text("indexing:\n  chunkSise: 1\n")
    yield


@contextmanager
def held_index(place: Place) -> Iterator[None]:
    """Another process is writing the index."""
    with psycopg.connect(place.url) as conn:
        conn.execute("SELECT pg_advisory_xact_lock(objid) FROM (SELECT 1 AS objid) x")
        from cocosearch_py.storage.queries.indexes import lock_for_writing

        lock_for_writing(conn, "shop")
        yield


@contextmanager
def locked_table(place: Place) -> Iterator[None]:
    with psycopg.connect(place.url) as conn:
        conn.execute("LOCK TABLE cocosearch_py.indexes IN ACCESS EXCLUSIVE MODE")
        yield


@contextmanager
def forbidden_table(place: Place) -> Iterator[None]:
    with psycopg.connect(place.url, autocommit=True) as conn:
        conn.execute("DROP ROLE IF EXISTS outsider")
        conn.execute("CREATE ROLE outsider LOGIN PASSWORD 'pw'")
        conn.execute("GRANT USAGE ON SCHEMA cocosearch_py TO outsider")
        conn.execute("GRANT SELECT ON cocosearch_py.alembic_version TO outsider")
        place.environment["COCOSEARCH_DATABASE_URL"] = as_outsider(place.url)
        try:
            yield
        finally:
            conn.execute("DROP OWNED BY outsider")
            conn.execute("DROP ROLE outsider")


def as_outsider(url: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(url)
    port = f"&port={parts['port']}" if "port" in parts else ""
    return f"postgresql://outsider:pw@/{parts['dbname']}?host={parts['host']}{port}"


@contextmanager
def dying_workers(place: Place) -> Iterator[None]:
    """Something kills the worker processes of whoever indexes, again and again."""
    for number in range(60):
        lines = (f"def work_{number}_{line}(a):\n    return a + {line}\n" for line in range(300))
        (place.project / f"large_{number}.py").write_text("".join(lines))
    done = threading.Event()

    def kill() -> None:
        while not done.is_set():
            for child in psutil.Process().children(recursive=True):
                with suppress(psutil.Error, IndexError):
                    parent = child.parent()
                    ours = parent.pid != os.getpid() and "cocosearch_py" in " ".join(parent.cmdline())
                    does_runs = "cocosearch_py.server.worker_program" in child.cmdline()  # whose workers they are
                    if ours and not does_runs and not child.children():
                        child.send_signal(signal.SIGKILL)
            done.wait(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


CASES = (
    Case("configuration_error", 2, "search_code", {"query": "price"}, ("search", "price"), {}, wrong_file, "chunkSise"),
    Case(
        "service_connection_error",
        4,
        "list_indexes",
        {},
        ("list",),
        {"COCOSEARCH_DATABASE_URL": CLOSED},
        says="127.0.0.1",
    ),
    Case(
        "workspace_error",
        1,
        "index_codebase",
        {"path": "{project}/no-such-folder"},
        ("index", "{project}/no-such-folder"),
        says="no-such-folder",
    ),
    Case(
        "validation_error",
        2,
        "search_code",
        {"query": "price", "language": "klingon"},
        ("search", "price", "--lang", "klingon"),
        says="klingon",
    ),
    Case("safety_error", 5, "clear_index", {"all": True}, ("clear", "--all"), says="delete"),
    Case("not_found", 1, "read_code", {"path": "no/such.py"}, ("read", "no/such.py"), says="no/such.py"),
    Case(
        "not_indexed",
        3,
        "search_code",
        {"query": "price", "index_name": "gone"},
        ("search", "price", "-n", "gone"),
        says="'gone' not found",
    ),
    Case(
        "index_collision",
        1,
        "index_codebase",
        {"path": "{project}/shop", "index_name": "shop"},
        ("index", "{project}/shop", "-n", "shop"),
        says="belongs to",
    ),
    Case(
        "conflict",
        1,
        "index_codebase",
        {"path": "{project}", "index_name": "shop"},
        ("index", "{project}", "-n", "shop"),
        {},
        held_index,
        "another process is writing",
    ),
    Case(
        "timeout",
        4,
        "list_indexes",
        {},
        ("list",),
        {"COCOSEARCH_DATABASE_STATEMENT_TIMEOUT_MS": "300"},
        locked_table,
    ),
    Case("permission_denied", 4, "list_indexes", {}, ("list",), {}, forbidden_table),
)


@pytest.fixture
def place(app: App, sample_repo: Path, process_environment: dict[str, str], database_url: str) -> Place:
    app.index(sample_repo, name="shop")
    return Place(sample_repo, database_url, dict(process_environment))


def filled(value: Any, project: Path) -> Any:
    return value.replace("{project}", str(project)) if isinstance(value, str) else value


def opened(case: Case, place: Place, start: Start) -> "subprocess.Popen[bytes]":
    process = start(str(place.project), cwd=place.project, **{**place.environment, **case.environment})
    open_session(process)
    return process


def asked(process: "subprocess.Popen[bytes]", case: Case, place: Place) -> Answer:
    arguments = {name: filled(value, place.project) for name, value in case.arguments.items()}
    params = {"name": case.tool, "arguments": arguments}
    send(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
    return Answer(CallToolResult.model_validate(answer_to(process, 2)["result"]))


def ran(command: tuple[str, ...], place: Place, environment: dict[str, str]) -> tuple[int, dict[str, Any]]:
    done = forking.run(
        [sys.executable, "-m", "cocosearch_py", *(filled(word, place.project) for word in command)],
        cwd=place.project,
        env={**place.environment, **environment},
        text=True,
        timeout=TIMEOUT_S,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stderr.strip().splitlines()[-1])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_a_server_and_a_command_say_what_is_wrong(place: Place, start: Start, case: Case) -> None:
    with case.around(place) if case.around else nullcontext():
        answer = asked(opened(case, place, start), case, place)
        code, told = ran(case.command, place, case.environment)
    assert answer.is_error
    assert answer.payload["error_type"] == told["error_type"] == case.kind
    assert code == case.code
    for text in (answer.payload["message"], told["error"]):
        assert case.says in text
        assert "secret" not in text
        assert "pw" not in text
    assert told["hint"]


def test_operation_error_is_what_no_other_type_says(place: Place, start: Start, tmp_path: Path) -> None:
    """Over MCP: the worker processes are killed again and again. As a command: a program that it starts is missing."""
    case = Case("operation_error", 1, "index_codebase", {"path": "{project}", "fresh": True}, ("db", "psql"))
    server = opened(case, place, start)  # before anything is killed
    with dying_workers(place):
        answer = asked(server, case, place)
    assert answer.is_error
    assert answer.payload["error_type"] == "operation_error"
    assert "worker process" in answer.payload["message"]
    code, told = ran(case.command, place, {"PATH": str(tmp_path)})
    assert (code, told["error_type"]) == (1, "operation_error")
    assert "psql" in told["error"]


def test_every_type_has_a_case() -> None:
    from tests.mcp.calls import ERROR_TYPES

    # `cancelled` is no failure: tests/mcp/test_jobs.py, tests/cli/test_cli_terminal.py
    assert {case.kind for case in CASES} | {"operation_error", "cancelled"} == ERROR_TYPES
