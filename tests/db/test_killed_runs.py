"""Runs, servers and disks that end for real in the middle: readers see what was there, the next run makes it good."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from tests import forking

from cocosearch_py.app import App
from cocosearch_py.config.settings import IndexingSettings, Settings
from cocosearch_py.errors import CocosearchError, DatabaseFullError, IndexNotFoundError
from cocosearch_py.indexing.progress import FINALIZE, Progress
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.embedded import EmbeddedServer
from cocosearch_py.storage.server.orphan_files import remove_unknown_files

pytestmark = pytest.mark.slow
ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
PATIENCE_S = 60.0  # of a busy machine; nothing here is about speed
# A run in a process of its own that stops at the first progress of a stage, says so, and waits to be killed.
RUN = """
import json, sys
from pathlib import Path
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.indexing.run import Thresholds

url, data, folder, stage, fresh, interval = sys.argv[1:]

def pause(progress):
    if progress.stage == stage and (progress.files_done or stage == "acquire"):
        print("reached", flush=True)
        sys.stdin.read()

with App(Settings(database=DatabaseSettings(url=url or None), indexing=IndexingSettings(workers=1)), Path(data)) as app:
    app.database.own_leaf_chunks = 1
    app.thresholds = Thresholds(checkpoint_interval_s=float(interval))
    options = app.indexing_options(fresh=bool(fresh))
    app.index(Path(folder), name="cut", options=options, progress=pause)
"""


@pytest.fixture(autouse=True)
def own_leaves(app: App) -> None:
    """Every index counts as large."""
    app.database.own_leaf_chunks = 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """More than one process prepares alone."""
    root = tmp_path / "root"
    root.mkdir()
    write(root, "first")
    return root


def write(root: Path, word: str) -> None:
    for number in range(200):
        body = "".join(f"    {word}_{step} = compute({number}, {step})\n" for step in range(50))
        (root / f"module_{number:03}.py").write_text(f"def {word}_function_{number}():\n{body}    return 0\n")


@contextmanager
def paused(
    url: str | None, data: Path, folder: Path, stage: str, *, fresh: bool = False, interval_s: float = PATIENCE_S
) -> Iterator[subprocess.Popen[str]]:
    """A run that has come to the stage and waits; whatever is left of it ends with the block."""
    arguments = [url or "", str(data), str(folder), stage, "fresh" if fresh else "", str(interval_s)]
    command = [sys.executable, "-c", RUN, *arguments]
    with forking.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout and process.stderr
            assert process.stdout.readline() == "reached\n", process.stderr.read()
            yield process
        finally:
            process.kill()


def relations(url: str) -> set[str]:
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace AND relkind = 'r'"
        )
        return {row[0] for row in rows}


def locks(url: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone()
        return int(row[0]) if row else 0


@pytest.mark.parametrize("stage", ["acquire", "parse", "graph"])
@pytest.mark.parametrize("kind", ["first", "update", "rebuild"])
def test_a_killed_run_changes_nothing_and_leaves_nothing(
    app: App, database_url: str, data_folder: Path, folder: Path, content_of: ContentOf, kind: str, stage: str
) -> None:
    before = None
    if kind != "first":
        app.index(folder, name="cut")
        before = content_of("cut")
        write(folder, "second")
    app.catalog.list_all()
    tables = relations(database_url)
    with paused(database_url, data_folder, folder, stage, fresh=kind == "rebuild") as run:
        children = psutil.Process(run.pid).children(recursive=True)
        if before:
            assert content_of("cut") == before
        run.kill()
        run.wait(PATIENCE_S)
    assert not psutil.wait_procs(children, timeout=PATIENCE_S)[1]
    if before:
        assert content_of("cut") == before
    else:
        with pytest.raises(IndexNotFoundError):
            app.catalog.find("cut")
    app.index(folder, name="cut")
    app.index(folder, name="clean", options=app.indexing_options(fresh=True))
    assert content_of("cut") == content_of("clean")
    app.catalog.clear("clean")
    if kind == "first":
        app.catalog.clear("cut")
    assert len(relations(database_url)) == len(tables)
    assert locks(database_url) == 0


@pytest.fixture
def own_app(memory: Path | None) -> Iterator[App]:
    """A program with a server of its own."""
    folder = Path(tempfile.mkdtemp(prefix="cs-killed-", dir=memory))
    folder.chmod(0o755)
    with App(Settings(indexing=IndexingSettings(workers=1)), folder) as opened:
        yield opened
        assert opened.database.server
        opened.database.close()
        embedded.stop(opened.database.server)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(opened.database.server.home, ignore_errors=True)


def postmaster(server: EmbeddedServer) -> psutil.Process:
    pid = embedded._postmaster_pid(server)
    assert pid is not None
    return psutil.Process(pid)


def kill_server(server: EmbeddedServer) -> None:
    postmaster(server).kill()


def kill_sessions(server: EmbeddedServer) -> None:
    for child in postmaster(server).children():
        with suppress(psutil.NoSuchProcess):  # the first one that is killed makes the server end the others
            if "[local]" in " ".join(child.cmdline()):
                child.kill()


@pytest.mark.parametrize("stage", ["parse", "graph"])
@pytest.mark.parametrize("kill", [kill_server, kill_sessions, embedded.stop])
def test_a_server_that_goes_in_the_middle_of_a_run_keeps_what_was_there(
    own_app: App, folder: Path, kill: Callable[[EmbeddedServer], object], stage: str
) -> None:
    server = own_app.database.server
    assert server
    own_app.index(folder, name="cut")
    write(folder, "second")
    with paused(None, server.home.parent, folder, stage, fresh=True) as run:
        kill(server)
        _, errors = run.communicate("", timeout=PATIENCE_S)
        assert run.returncode
        assert "DatabaseUnreachableError" in errors, errors
    for query, found in (("first_function_7", True), ("second_function_7", False)):
        hit = own_app.search(SearchRequest(query), index_name="cut")[1].hits[0]
        assert (query in hit.content) == found
    assert own_app.index(folder, name="cut").files_updated == 200
    assert own_app.search(SearchRequest("second_function_7"), index_name="cut")[1].hits[0].file_path == "module_007.py"


@pytest.mark.parametrize("kill", [None, kill_server, kill_sessions])
def test_a_first_build_that_is_killed_is_not_begun_again(
    own_app: App, folder: Path, kill: Callable[[EmbeddedServer], object] | None
) -> None:
    server = own_app.database.server
    assert server
    own_app.database.start()
    with paused(None, server.home.parent, folder, "graph", interval_s=0.0) as run:
        if kill is None:
            run.kill()
        else:
            kill(server)
        run.communicate("", timeout=PATIENCE_S)
        assert run.returncode
    with pytest.raises(IndexNotFoundError):
        own_app.catalog.find("cut")
    assert own_app.index(folder, name="cut").files_unchanged == 200
    assert own_app.search(SearchRequest("first_function_7"), index_name="cut")[1].hits[0].file_path == "module_007.py"


def unknown_files(server: EmbeddedServer) -> list[str]:
    """Files of no table; of a database in which nobody writes."""
    with psycopg.connect(server.dsn()) as conn:
        row = conn.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        assert row
        known = {str(row[0]) for row in conn.execute("SELECT pg_relation_filenode(oid) FROM pg_class")}
        names = [path.name for path in (server.data / "base" / str(row[0])).iterdir()]
    return [name for name in names if name[0].isdecimal() and name.split(".")[0].split("_")[0] not in known]


def test_files_of_tables_that_a_killed_server_did_not_commit_are_removed(own_app: App, folder: Path) -> None:
    server = own_app.database.server
    assert server
    own_app.index(folder, name="kept")
    with paused(None, server.home.parent, folder, "graph"):
        with psycopg.connect(server.dsn(), autocommit=True) as conn:
            conn.execute("CHECKPOINT")
        assert unknown_files(server)
        kill_server(server)
    hits = own_app.search(SearchRequest("first_function_7"), index_name="kept")[1].hits
    assert hits[0].file_path == "module_007.py"
    assert unknown_files(server) == []
    embedded.stop(server)
    assert own_app.search(SearchRequest("first_function_7"), index_name="kept")[1].hits


def test_files_of_a_run_that_goes_on_are_left_alone(own_app: App, folder: Path) -> None:
    server = own_app.database.server
    assert server
    own_app.index(folder, name="kept")
    with paused(None, server.home.parent, folder, "graph") as run:
        with psycopg.connect(server.dsn(), autocommit=True) as conn:
            remove_unknown_files(conn, server.data)
        assert unknown_files(server)
        _, errors = run.communicate("", timeout=PATIENCE_S)
        assert run.returncode == 0, errors
    assert own_app.search(SearchRequest("first_function_7"), index_name="cut")[1].hits
    assert own_app.catalog.find("cut").chunk_count == own_app.catalog.find("kept").chunk_count


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A folder with a file system of its own."""
    folder = Path(tempfile.mkdtemp(prefix="cs-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=160m,mode=755", "tmpfs", str(folder)]
    if os.geteuid() or shutil.which("mount") is None or subprocess.run(command, check=False).returncode:
        folder.rmdir()
        pytest.skip("only an administrator can make a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
    folder.rmdir()


@pytest.fixture
def small_app(small_disk: Path) -> Iterator[App]:
    """An app whose server has its data on that disk."""
    with App(Settings(indexing=IndexingSettings(workers=1)), small_disk) as app:
        app.database.own_leaf_chunks = 1
        server = app.database.server
        assert server
        yield app
        app.database.close()
        embedded.stop(server)


def test_a_full_disk_ends_a_run_and_nothing_else(
    small_disk: Path, small_app: App, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = small_app
    monkeypatch.setattr(embedded, "LEAST_ROOM_BYTES", 0)  # as where the disk fills up between two looks
    app.index(folder, name="cut")
    write(folder, "second")
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(bytes(free - 400_000))
    with pytest.raises(CocosearchError) as caught:
        app.index(folder, name="cut", options=app.indexing_options(fresh=True))
    assert isinstance(caught.value, DatabaseFullError), caught.value
    assert "free disk space" in caught.value.hint
    hits = app.search(SearchRequest("first_function_7"), index_name="cut")[1].hits
    assert "first_function_7" in hits[0].content
    ballast.unlink()
    assert app.index(folder, name="cut").files_updated == 200
    hits = app.search(SearchRequest("second_function_7"), index_name="cut")[1].hits
    assert "second_function_7" in hits[0].content


def test_a_start_on_a_full_disk_says_so_even_if_the_log_has_no_room_for_it(small_disk: Path, small_app: App) -> None:
    server = small_app.database.server
    assert server
    small_app.database.start()
    small_app.database.close()
    embedded.stop(server)
    (server.home / "ended").unlink()  # the start removes it, and the log would get its block
    with server.log.open("ab") as log:
        log.write(b"\n" * (-log.tell() % os.statvfs(small_disk).f_bsize))  # the last block is full, too
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free))
    with pytest.raises(DatabaseFullError, match="is full") as caught:
        embedded.ensure_running(server)
    assert "free some space" in caught.value.hint
    ballast.unlink()
    embedded.ensure_running(server)


def test_a_disk_that_is_nearly_full_ends_a_run_before_the_server(
    small_disk: Path, small_app: App, folder: Path
) -> None:
    app, server = small_app, small_app.database.server
    assert server
    app.index(folder, name="cut")
    with psycopg.connect(server.dsn(), autocommit=True) as conn:
        conn.execute("CHECKPOINT")
    write(folder, "second")
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - embedded.LEAST_ROOM_BYTES // 8))
    pid = (server.data / "postmaster.pid").read_text()
    for _ in range(3):
        with pytest.raises(DatabaseFullError, match=r"has only \d+ MB left"):
            app.index(folder, name="cut")
        _, report = app.answer(lambda: app.searches.search(SearchRequest("first_function_7"), "cut"))
        assert report.hits
    assert (server.data / "postmaster.pid").read_text() == pid
    ballast.unlink()
    assert app.index(folder, name="cut").files_updated == 200


def test_search_indexes_without_room_are_not_begun(app: App, small_disk: Path, small_app: App, folder: Path) -> None:
    app, server = small_app, small_app.database.server
    assert server
    for path in folder.glob("*.py"):
        path.write_text("".join(f"def many_{n}_of_{path.stem}(): ...\n" * 20 for n in range(10)))
    ballast = small_disk / "ballast"

    def fill(progress: Progress) -> None:
        if progress.stage == FINALIZE:
            with psycopg.connect(server.dsn(), autocommit=True) as conn:
                conn.execute("CHECKPOINT")
            ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - embedded.LEAST_ROOM_BYTES - 2**20))

    with pytest.raises(DatabaseFullError, match=r"has only \d+ MB left; about \d+ are needed"):
        app.index(folder, name="cut", progress=fill)
    ballast.unlink()
    assert app.index(folder, name="cut").chunks >= app.database.own_leaf_chunks


def test_the_log_of_the_server_is_let_go_before_a_run_is_refused(
    small_disk: Path, small_app: App, folder: Path
) -> None:
    app, server = small_app, small_app.database.server
    assert server
    app.index(folder, name="cut")
    with psycopg.connect(server.dsn(), autocommit=True) as conn:
        conn.execute("CREATE TABLE public.much AS SELECT repeat(md5(n::text), 50) FROM generate_series(1, 10_000) n")
        conn.execute("TRUNCATE public.much")
        conn.execute("INSERT INTO public.much SELECT repeat(md5(n::text), 50) FROM generate_series(1, 15_000) n")
        conn.execute("DROP TABLE public.much")
    log = sum(one.stat().st_size for one in (server.data / "pg_wal").iterdir() if one.is_file())
    assert log >= 3 * 2**24
    free = shutil.disk_usage(small_disk).free
    (small_disk / "ballast").write_bytes(bytes(free - embedded.LEAST_ROOM_BYTES + 2**20))
    app.database.require_room()
    assert shutil.disk_usage(small_disk).free >= embedded.LEAST_ROOM_BYTES
