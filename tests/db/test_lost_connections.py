"""Sessions and servers that end while they are read from: the read is done again, and its caller does not notice."""

import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.errors import DatabaseFullError, DatabaseUnreachableError
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.storage import connection
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.database import Database, DatabaseOptions
from cocosearch_py.storage.server.embedded import EmbeddedServer

PATIENCE_S = 60.0
CROWD = 8
TERMINATE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


def terminate_sessions(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(TERMINATE)


def one(conn: psycopg.Connection) -> int:
    row = conn.execute("SELECT count(*) FROM generate_series(1, 20000)").fetchone()
    assert row is not None
    return int(row[0])


def test_a_read_that_loses_its_session_is_repeated(database: Database, database_url: str) -> None:
    sessions: list[int] = []

    def work(conn: psycopg.Connection) -> int:
        sessions.append(conn.info.backend_pid)
        if len(sessions) == 1:
            terminate_sessions(database_url)
        return one(conn)

    assert database.read(work) == 20_000
    assert len(set(sessions)) == 2


def test_a_pipeline_that_loses_its_session_is_repeated(database: Database, database_url: str) -> None:
    calls: list[int] = []

    def work(conn: psycopg.Connection) -> int:
        calls.append(1)
        with conn.pipeline():
            if len(calls) == 1:
                terminate_sessions(database_url)
            return one(conn)

    assert database.read(work) == 20_000
    assert len(calls) == 2


def test_what_the_statement_itself_does_wrong_is_told_at_once(database: Database) -> None:
    calls: list[int] = []

    def work(conn: psycopg.Connection) -> None:
        calls.append(1)
        conn.execute("SELECT no_such_column")

    with pytest.raises(Exception, match="no_such_column"):
        database.read(work)
    assert len(calls) == 1


def test_a_read_whose_sessions_end_every_time_fails(database: Database, database_url: str) -> None:
    def work(conn: psycopg.Connection) -> int:
        terminate_sessions(database_url)
        return one(conn)

    with pytest.raises(DatabaseUnreachableError, match="terminating connection"):
        database.read(work)


def test_a_server_that_never_answered_is_asked_once(tmp_path: Path) -> None:
    """Behind a firewall each attempt takes as long as connecting may."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        attempts: list[int] = []

        def hang_up() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                attempts.append(1)
                peer.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        url = f"postgresql://me@127.0.0.1:{listener.getsockname()[1]}/db?sslmode=disable&gssencmode=disable"
        with Database(DatabaseOptions(tmp_path, url=url)) as database, pytest.raises(DatabaseUnreachableError):
            database.read(one)
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)
    assert attempts == [1]


def test_connections_of_a_crowd_that_went_are_kept_by_one_database_only(database: Database, database_url: str) -> None:
    """`close` takes those with it that are lent."""
    with database.reading() as conn:
        database.close()
        assert conn.execute("SELECT 1").fetchone() == (1,)
    assert conn.closed
    with database.reading() as conn:
        pass
    assert not conn.closed
    with database.reading() as again:
        assert again is conn


@pytest.fixture
def own(memory: Path | None) -> Iterator[EmbeddedServer]:
    """A server of this test alone, without a watcher."""
    folder = Path(tempfile.mkdtemp(prefix="cs-lost-", dir=memory))
    folder.chmod(0o755)
    server = embedded.locate(folder, idle_stop_s=0)
    yield server
    embedded.stop(server)
    shutil.rmtree(folder, ignore_errors=True)


def kill_postmaster(server: EmbeddedServer) -> None:
    pid = embedded._postmaster_pid(server)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)


def kill_backend(server: EmbeddedServer) -> None:
    pid = embedded._postmaster_pid(server)
    assert pid is not None
    backends = [child for child in psutil.Process(pid).children() if "[local]" in " ".join(child.cmdline())]
    backends[0].kill()


DISTURBANCES: dict[str, Callable[[EmbeddedServer], object]] = {
    "sessions": lambda server: terminate_sessions(server.dsn()),
    "stop": embedded.stop,
    "postmaster": kill_postmaster,
    "backend": kill_backend,
}


@pytest.mark.slow
@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_a_crowd_of_readers_survives(own: EmbeddedServer, disturbance: str) -> None:
    done = threading.Event()
    counts = [0] * CROWD
    with Database(DatabaseOptions(own.home.parent, pool_size=CROWD, idle_stop_s=0)) as database:
        database.start()

        def reader(number: int) -> None:
            try:
                while not done.is_set():
                    assert database.read(one) == 20_000
                    counts[number] += 1
            finally:
                done.set()

        with ThreadPoolExecutor(CROWD) as pool:
            readers = [pool.submit(reader, number) for number in range(CROWD)]
            try:
                for _ in range(5):
                    DISTURBANCES[disturbance](own)
                    before = counts.copy()
                    while not done.is_set() and any(now < then + 2 for now, then in zip(counts, before, strict=True)):
                        wait(readers, 0.01)
            finally:
                done.set()
            for future in readers:
                future.result(PATIENCE_S)


@contextmanager
def paused(server: EmbeddedServer) -> Iterator[None]:
    """All processes of the server stand still inside, for PATIENCE_S at most, so that a call that hangs ends."""
    pid = embedded._postmaster_pid(server)
    assert pid is not None
    postmaster = psutil.Process(pid)
    postmaster.suspend()  # first, so that it makes no more
    processes = [postmaster, *postmaster.children()]
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # some come and go
            process.suspend()

    def resume() -> None:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()

    timer = threading.Timer(PATIENCE_S, resume)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        resume()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_GRACE_S", 0.3)
    monkeypatch.setattr(connection, "_LOOK_S", 0.1)
    monkeypatch.setattr(connection, "_LOOK_TIMEOUT_S", 2)
    monkeypatch.setattr(connection, "CONNECT_TIMEOUT_S", 2)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_paused_keeps_no_search_waiting(own: EmbeddedServer, sample_repo: Path) -> None:
    asked = {"query": "RetryWithBackoff", "index_name": "shop"}
    settings = Settings(database=DatabaseSettings(statement_timeout_ms=300))
    with App(settings, own.home.parent) as app:
        app.index(sample_repo, name="shop")
        options = ServerOptions(project=sample_repo, working_folder=sample_repo)
        server, context = create_server(lambda _: app, options)
        assert call(server, "search_code", asked).hits
        context.forget()
        with paused(own):
            for _ in range(2):  # on connections that were open, and then on new ones
                answer = call(server, "search_code", {**asked, "query": "another"})
                assert answer.payload["error_type"] == "service_connection_error"
                assert "has not responded" in answer.payload["message"]
                assert "resume or restart it" in answer.payload["actionable_guidance"][0]
                app.database.close()
        assert call(server, "search_code", asked).hits


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_paused_keeps_no_writer_waiting(own: EmbeddedServer) -> None:
    with Database(DatabaseOptions(own.home.parent, idle_stop_s=0)) as database:
        database.start()
        with pytest.raises(DatabaseUnreachableError, match="has not responded"), database.writing() as conn:
            one(conn)
            with paused(own):
                one(conn)
        with database.writing() as conn:
            assert one(conn) == 20_000


@pytest.mark.usefixtures("impatient")
def test_a_statement_without_a_time_limit_may_take_long_while_the_server_answers(database: Database) -> None:
    with database.writing() as conn:
        assert conn.execute("SELECT 1 FROM pg_sleep(1)").fetchone() == (1,)


def test_a_full_disk_is_told_and_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[EmbeddedServer] = []

    def full(server: EmbeddedServer, **_: object) -> None:
        starts.append(server)
        raise psycopg.errors.DiskFull("could not extend file: No space left on device")

    monkeypatch.setattr(embedded, "ensure_running", full)
    with pytest.raises(DatabaseFullError), Database(DatabaseOptions(tmp_path)) as database, database.writing():
        pass
    assert len(starts) == 1
