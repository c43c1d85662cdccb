"""Life and death of the embedded server, with real processes and real signals."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest
from tests import forking

import cocosearch_py
from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import CocosearchError, DatabaseError, DatabaseFullError, DatabaseUnreachableError
from cocosearch_py.storage.migrate import HEAD_REVISION
from cocosearch_py.storage.server import embedded, programs, reaper
from cocosearch_py.storage.server.accounts import entering, make_private
from cocosearch_py.storage.server.database import Database, DatabaseOptions
from cocosearch_py.storage.server.embedded import EmbeddedServer
from cocosearch_py.storage.server.faults import translated

pytestmark = pytest.mark.slow
SOURCE = str(Path(cocosearch_py.__file__).parents[1])

# Starts (or joins) the server of a folder, says so, and waits for its end when told to.
CLIENT = """
import sys
from pathlib import Path
from cocosearch_py.storage.server.database import Database, DatabaseOptions
with Database(DatabaseOptions(Path(sys.argv[1]), idle_stop_s=0)) as database:
    with database.reading() as conn:
        print(conn.execute("SELECT version_num FROM cocosearch_py.alembic_version").fetchone()[0], flush=True)
        if "stay" in sys.argv:
            sys.stdin.read()
"""


def client(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", CLIENT, str(folder), *arguments]
    pipe = subprocess.PIPE
    return forking.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env={**os.environ, "PYTHONPATH": SOURCE}
    )


@pytest.fixture(scope="module")
def make_server(memory: Path | None) -> Iterator[Callable[..., EmbeddedServer]]:
    """Makes servers of their own, and removes them and all their files afterwards."""
    folders: list[Path] = []
    servers: list[EmbeddedServer] = []

    def make(inside: str = "") -> EmbeddedServer:
        top = Path(tempfile.mkdtemp(prefix="cs-own-", dir=memory))
        top.chmod(0o755)
        folders.append(top)
        servers.append(embedded.locate(top / inside, idle_stop_s=0))
        return servers[-1]

    yield make
    for server in servers:
        if server.home.exists() and (pid := embedded._postmaster_pid(server)) is not None:
            os.kill(pid, signal.SIGQUIT)  # its data is of no use to anybody
            embedded.wait_until_stopped(server, 10)
    for folder in [*folders, *(path for server in servers for path in (server.home, server.socket_dir))]:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.parent.name.startswith("socket-"):
            folder.parent.rmdir()


@pytest.fixture(scope="module")
def own_server(make_server: Callable[..., EmbeddedServer]) -> EmbeddedServer:
    return make_server()


@pytest.fixture
def own(own_server: EmbeddedServer) -> EmbeddedServer:
    """A server that runs, of this module alone; each test has to leave it so that it can be started again."""
    embedded.ensure_running(own_server)
    return own_server


def postmaster(server: EmbeddedServer) -> int:
    pid = embedded._postmaster_pid(server)
    assert pid is not None
    return pid


def test_four_processes_start_it_at_once(make_server: Callable[..., EmbeddedServer]) -> None:
    server = make_server()
    folder = server.home.parent
    clients = [client(folder) for _ in range(4)]
    answers = [process.communicate(timeout=120) for process in clients]
    assert [(process.returncode, *answer) for process, answer in zip(clients, answers, strict=True)] == [
        (0, HEAD_REVISION + "\n", "")
    ] * 4
    assert embedded.is_alive(server)


def test_a_relative_data_folder_is_one_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    server = embedded.locate(Path("data"))
    assert server == embedded.locate(tmp_path / "data")
    assert server.socket_dir.is_absolute()  # libpq takes any other for the name of a host


def test_killed_server_comes_back_with_its_data(own: EmbeddedServer) -> None:
    with psycopg.connect(own.dsn()) as conn:
        conn.execute("CREATE TABLE kept (value int)")
        conn.execute("INSERT INTO kept VALUES (42)")
    os.kill(postmaster(own), signal.SIGKILL)
    embedded.ensure_running(own)
    with psycopg.connect(own.dsn()) as conn:
        assert conn.execute("SELECT value FROM kept").fetchone() == (42,)


def test_backend_that_outlives_its_killed_server_is_ended_first(own: EmbeddedServer) -> None:
    """Beside it a new server would write the same files: the data would be lost."""
    started = threading.Event()
    backend: list[int] = []

    def work_long() -> None:
        with pytest.raises(psycopg.OperationalError), psycopg.connect(own.dsn()) as conn:
            backend.append(conn.info.backend_pid)
            started.set()
            conn.execute("SELECT count(*) FROM generate_series(1, 1000000000)")

    thread = threading.Thread(target=work_long)
    thread.start()
    assert started.wait(30)
    os.kill(postmaster(own), signal.SIGKILL)
    embedded.ensure_running(own)
    assert not psutil.pid_exists(backend[0]) or psutil.Process(backend[0]).status() == psutil.STATUS_ZOMBIE
    thread.join(30)
    assert embedded.is_alive(own)


def test_killed_backend_makes_no_second_server(own: EmbeddedServer) -> None:
    """The server ends all sessions and repairs itself; who comes meanwhile waits for it."""
    first = postmaster(own)
    with psycopg.connect(own.dsn()) as conn:
        os.kill(conn.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            conn.execute("SELECT 1")
    for _ in range(20):  # before, while and after it repairs itself
        embedded.ensure_running(own)
        assert postmaster(own) == first


def test_server_without_its_database_gets_one(own: EmbeddedServer) -> None:
    """Its starter was killed between the two steps."""
    with psycopg.connect(own.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE "{embedded.DATABASE_NAME}"')
    assert not embedded.is_alive(own)
    embedded.ensure_running(own)
    assert embedded.is_alive(own)


@pytest.mark.parametrize("content", ["{foreign}\nrest", "999999999\nrest", "", "garbage"])
def test_stale_pid_file(own: EmbeddedServer, content: str) -> None:
    os.kill(postmaster(own), signal.SIGKILL)
    pid_file = own.data / "postmaster.pid"
    with subprocess.Popen(["sleep", "600"]) as foreign:
        try:
            first, _, rest = content.partition("\n")
            old = pid_file.read_text().split("\n", 1)[1]
            pid_file.write_text(first.format(foreign=foreign.pid) + (f"\n{old}" if rest else ""))
            embedded.ensure_running(own)
            assert embedded.is_alive(own)
            assert foreign.poll() is None  # the other program is left alone
        finally:
            foreign.kill()


def test_one_that_was_stopped_is_left_alone_and_one_that_died_is_not(
    own: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For whoever only serves others, as a worker."""
    with monkeypatch.context() as patched, pytest.raises(DatabaseUnreachableError, match="did not stop"):
        patched.setattr(embedded, "wait_until_stopped", lambda *_: False)
        patched.setattr(embedded.os, "kill", lambda *_: None)
        embedded.stop(own)
    with Database(DatabaseOptions(own.home.parent, idle_stop_s=0, may_start=False)) as database:
        kill(own)
        assert database.read(lambda conn: conn.execute("SELECT 1").fetchone()) == (1,)
        assert embedded.stop(own)
        with pytest.raises(DatabaseUnreachableError, match="was stopped"):
            database.read(lambda conn: conn.execute("SELECT 1").fetchone())
        assert not embedded.is_running(own)
        embedded.ensure_running(own)
        assert embedded.stop(own, is_idle=True), "as the reaper does"
        assert database.read(lambda conn: conn.execute("SELECT 1").fetchone()) == (1,)
        kill(own)
        assert not embedded.stop(own), "it does not run, and is to stay so"
        with pytest.raises(DatabaseUnreachableError, match="was stopped"):
            database.read(lambda conn: conn.execute("SELECT 1").fetchone())
        assert not embedded.stop(own, is_idle=True), "the reaper that waited for whoever stopped it"
        with pytest.raises(DatabaseUnreachableError, match="was stopped"):
            database.read(lambda conn: conn.execute("SELECT 1").fetchone())
    never = embedded.locate(tmp_path / "never")
    with pytest.raises(DatabaseUnreachableError, match="was stopped"):
        embedded.ensure_running(never, unless_stopped=True)
    assert not never.home.exists(), "nor is a folder that somebody removed made again"


def test_what_goes_on_by_itself_starts_no_server_that_somebody_stopped(own: EmbeddedServer) -> None:
    """Watches of files, and of what clients follow; a call of somebody does."""
    with App(Settings(), own.home.parent) as app:
        assert app.catalog.list_all() == []
        assert embedded.stop(own)
        with pytest.raises(DatabaseUnreachableError, match="was stopped"):
            app.by_itself().catalog.list_all()
        assert app.catalog.list_all() == []
        assert app.by_itself().catalog.list_all() == []


@pytest.mark.parametrize("why", ["No space left on device", "Disk quota exceeded"])
def test_a_start_without_room_on_the_disk_is_not_waited_for(
    own: EmbeddedServer, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What libpq tells of a server that has no room for what a session needs."""
    refusals: list[psycopg.Error] = []

    def refuse(_: EmbeddedServer) -> None:
        refusals.append(psycopg.OperationalError(f"FATAL: could not resize shared memory segment: {why}"))
        raise refusals[-1]

    embedded.stop(own)
    with monkeypatch.context() as patch:
        patch.setattr(embedded, "_create_database", refuse)
        patch.setattr(embedded, "_START_TIMEOUT_S", 0.5)
        with pytest.raises(DatabaseFullError, match=why), translated("embedded"):
            embedded.ensure_running(own)
    assert len(refusals) == 1
    embedded.ensure_running(own)


def test_stop_twice(own: EmbeddedServer) -> None:
    assert embedded.stop(own)
    assert not embedded.stop(own)
    assert not embedded.is_alive(own)
    assert embedded.wait_until_stopped(own, 10)
    embedded.ensure_running(own)
    assert embedded.is_alive(own)


def test_a_server_that_cannot_end_in_order_is_ended_at_once(
    own: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(own.dsn(), autocommit=True) as conn:
        conn.execute("DROP TABLE IF EXISTS committed")
        conn.execute("CREATE TABLE committed AS SELECT 7 AS value")
        os.kill(conn.info.backend_pid, signal.SIGSTOP)  # it hears of no shutdown in order
        monkeypatch.setattr(embedded, "_STOP_TIMEOUT_S", 0.5)
        assert embedded.stop(own)
    embedded.ensure_running(own)
    with psycopg.connect(own.dsn()) as conn:
        assert conn.execute("SELECT value FROM committed").fetchone() == (7,)


def test_stop_before_there_is_anything(make_server: Callable[..., EmbeddedServer]) -> None:
    assert not embedded.stop(make_server())


def test_long_folder(make_server: Callable[..., EmbeddedServer]) -> None:
    server = make_server("long-" * 10 + "/" + "path-" * 15)
    assert len(os.fsencode(server.home)) > 100 or os.geteuid() == 0
    embedded.ensure_running(server)
    assert embedded.is_alive(server)
    assert server.socket_dir.stat().st_mode & 0o777 == 0o700


def test_folder_with_unusual_characters(make_server: Callable[..., EmbeddedServer]) -> None:
    """The data folder of macOS has a space in it."""
    server = make_server('space here, it\'s ünï % $HOME "quoted" `id` \\')
    with Database(DatabaseOptions(server.home.parent, idle_stop_s=0)) as database, database.reading() as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_initdb_needs_no_room_in_the_memory_of_the_system(own: EmbeddedServer) -> None:
    """Of which a container may have next to none."""
    settings = (own.data / "postgresql.conf").read_text().splitlines()
    (line,) = [line for line in settings if line.startswith("dynamic_shared_memory_type")]
    assert "mmap" in line


def test_interrupted_initdb_is_repeated(make_server: Callable[..., EmbeddedServer]) -> None:
    server = make_server()
    server.data.mkdir(parents=True)
    (server.data / "PG_VERSION").write_text("18\n")
    (server.data / "base").mkdir()
    (server.data / "base/junk").write_bytes(b"half a file")
    embedded.ensure_running(server)
    assert embedded.is_alive(server)
    assert not (server.data / "base/junk").exists()


def test_killed_clients_leave_nothing_stuck(own: EmbeddedServer) -> None:
    clients = [client(own.home.parent, "stay") for _ in range(2)]
    for process in clients:
        assert process.stdout
        assert process.stdout.readline().strip() == HEAD_REVISION, process.stderr and process.stderr.read()
        process.kill()
        process.communicate()
    with psycopg.connect(own.dsn(), autocommit=True) as conn:
        query = (
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        deadline = 100
        while conn.execute(query).fetchone() != (0,) and deadline:
            deadline -= 1
            conn.execute("SELECT pg_sleep(0.1)")
        assert conn.execute(query).fetchone() == (0,)
    assert embedded.stop(own)


def test_reaper_stops_an_idle_server(own: EmbeddedServer) -> None:
    reaper.watch(replace(own, idle_stop_s=1), poll_s=0.2)
    assert embedded.wait_until_stopped(own, 10)


def test_reaper_ends_a_server_whose_programs_have_gone(own: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as gone:
        gone.setattr(programs, "executable", lambda name: Path("/nowhere/bin", name))
        gone.setattr(os, "geteuid", lambda: 1000)
        reaper.watch(replace(own, idle_stop_s=60), poll_s=0.2)
    assert embedded.wait_until_stopped(own, 10)


def test_reaper_leaves_a_used_server(own: EmbeddedServer) -> None:
    watcher = threading.Thread(target=reaper.watch, args=(replace(own, idle_stop_s=1), 0.2))
    with psycopg.connect(own.dsn(), autocommit=True) as conn:
        watcher.start()
        watcher.join(3)
        assert watcher.is_alive()  # three times the idle time, and somebody is connected
        assert conn.execute("SELECT 1").fetchone() == (1,)
    watcher.join(60)
    assert not watcher.is_alive()
    assert not embedded.is_alive(own)


def test_reaper_lets_a_late_visitor_finish(own: EmbeddedServer) -> None:
    """Somebody connects after the reaper has asked who is connected, and before it stops the server."""
    with psycopg.connect(own.dsn(), autocommit=True) as conn:
        stopper = threading.Thread(target=embedded.stop, args=(own,), kwargs={"grace_s": 60.0})
        stopper.start()
        while embedded.is_alive(own):  # it lets in nobody else
            stopper.join(0.05)
        assert conn.execute("SELECT 1").fetchone() == (1,)
        assert stopper.is_alive()
    stopper.join(60)
    assert not stopper.is_alive()
    assert not embedded.is_alive(own)


def test_reaper_counts_short_visits(own: EmbeddedServer) -> None:
    watcher = threading.Thread(target=reaper.watch, args=(replace(own, idle_stop_s=2), 0.2))
    watcher.start()
    for _ in range(8):  # four seconds of clients that never stay
        psycopg.connect(own.dsn()).close()
        watcher.join(0.5)
    assert embedded.is_alive(own)
    embedded.stop(own)
    watcher.join(60)
    assert not watcher.is_alive()  # it ends with the server


def kill(server: EmbeddedServer) -> None:
    """Kill it and wait for its sessions, which see a moment later that it has gone."""
    sessions = psutil.Process(postmaster(server)).children()
    os.kill(postmaster(server), signal.SIGKILL)
    assert not psutil.wait_procs(sessions, timeout=10)[1]


@pytest.mark.parametrize("end", [embedded.stop, kill])
def test_long_lived_program_survives_a_stopped_server(
    own: EmbeddedServer, end: Callable[[EmbeddedServer], object]
) -> None:
    with Database(DatabaseOptions(own.home.parent, idle_stop_s=0)) as database:
        with database.reading() as conn:
            assert conn.execute("SELECT 1").fetchone() == (1,)
        end(own)
        embedded.wait_until_stopped(own, 10)
        with database.reading() as conn:
            assert conn.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could give away a folder")
def test_root_does_not_follow_a_link_in_the_temporary_folder(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(Exception, match="another user"):
        make_private(tmp_path / "link")
    assert (target.stat().st_uid, target.stat().st_mode & 0o777) == (0, 0o755)


def test_settings_of_an_old_data_folder_are_ours(own: EmbeddedServer) -> None:
    """Older versions wrote theirs into the data folder when they made it."""
    embedded.stop(own)
    with (own.data / "postgresql.conf").open("a") as conf:
        conf.write("max_wal_size = '1GB'\nlisten_addresses = '*'\n")
    embedded.ensure_running(own)
    with psycopg.connect(own.dsn()) as conn:
        for name, value in embedded._SETTINGS.items():
            assert conn.execute("SELECT current_setting(%s)", [name]).fetchone() == (value,)


@pytest.mark.parametrize(("megabytes", "buffers_mb"), [(0, 64), (300, 300), (4_000, 2_048)])
def test_buffers_grow_with_the_database(
    own: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, megabytes: int, buffers_mb: int
) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2**23, "SC_PAGE_SIZE": 2**12}.__getitem__)  # 32 GB
    with psycopg.connect(own.dsn()) as conn:
        table = conn.execute("SELECT pg_relation_filepath('pg_class')").fetchone()
    embedded.stop(own)
    assert table is not None
    large = (own.data / str(table[0])).with_name("9999999")
    with large.open("wb") as file:
        file.truncate(megabytes * 2**20)
    embedded.ensure_running(own)
    large.unlink(missing_ok=True)  # the start has removed it: no table has it
    with psycopg.connect(own.dsn()) as conn:
        row = conn.execute("SELECT setting::int / 128 FROM pg_settings WHERE name = 'shared_buffers'").fetchone()
    assert row is not None
    assert buffers_mb <= row[0] <= min(2_048, buffers_mb + 50)  # the catalogues of the databases count as well


def test_a_machine_with_little_memory_has_small_buffers(own: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2**20, "SC_PAGE_SIZE": 2**12}.__getitem__)  # 4 GB
    monkeypatch.setattr(embedded, "_LEAST_BUFFERS_MB", 1)
    monkeypatch.setattr(embedded, "_MOST_BUFFERS_MB", 100_000)
    with (own.data / "base" / "1" / "9999998").open("wb") as file:
        file.truncate(2**30)
    assert embedded._buffers_mb(own) == 341


def test_a_server_at_rest_keeps_little_log(own: EmbeddedServer) -> None:
    with psycopg.connect(own.dsn(), autocommit=True) as conn:
        for number in range(10):  # each fills a file of 16 MB
            conn.execute(f"CREATE TABLE logged_{number} ()")
            conn.execute("SELECT pg_switch_wal()")
        conn.execute("CHECKPOINT")
        row = conn.execute("SELECT count(*) FROM pg_ls_waldir()").fetchone()
    assert row is not None
    assert row[0] <= 3


def rights_of_others(server: EmbeddedServer) -> dict[str, int]:
    """Rights of group and others on all files of a server and its data folder."""
    folder = server.home.parent
    paths = [folder, server.socket_dir, *(path for path in folder.rglob("*") if not path.is_relative_to(server.data))]
    return {str(path): rights for path in [*paths, server.data] if (rights := path.stat().st_mode & 0o077)}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folders_and_files_are_closed_to_other_users(make_server: Callable[..., EmbeddedServer], umask: int) -> None:
    server = make_server("data")
    before = os.umask(umask)
    try:
        embedded.ensure_running(server)
        embedded.stop(server)
        (server.home.parent / "logs").mkdir(mode=0o755)
        for path in (server.home.parent, server.home):
            path.chmod(0o755)
        (server.home / "start.lock").chmod(0o644)
        embedded.ensure_running(server)
    finally:
        os.umask(before)
    passage = {str(server.home.parent): 0o011, str(server.home): 0o010} if os.geteuid() == 0 else {}
    assert rights_of_others(server) == passage
    embedded.stop(server)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("who", ["another user", "account of the server"])
def test_nobody_else_can_connect_or_look(own: EmbeddedServer, who: str) -> None:
    """Root's server shares its account with other programs, and they must not be able to plant jobs for root."""
    import pwd  # not on every system

    def connect() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(own.socket_dir / f".s.PGSQL.{embedded.PORT}"))

    attempts: list[Callable[[], object]] = [
        connect,
        lambda: os.listdir(own.home),
        lambda: os.listdir(own.data),
        (own.home / "start.lock").read_bytes,
        (own.data / "server.log").read_bytes,
    ]
    if sys.platform == "linux":
        process = Path("/proc", str(postmaster(own)))
        attempts += [(process / "mem").read_bytes, (process / "environ").read_bytes, (process / "cwd" / "base").stat]
        attempts.append((process / "fd" / "1").read_bytes)
    account = pwd.getpwuid(own.data.stat().st_uid)
    user, group = (account.pw_uid, account.pw_gid) if who == "account of the server" else (4242, 4242)
    os.setegid(group)
    os.seteuid(user)
    try:
        for attempt in attempts:
            with pytest.raises(PermissionError):
                attempt()
    finally:
        os.seteuid(0)
        os.setegid(0)


def test_the_server_gets_no_secret_of_its_client(own: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded.stop(own)
    for name in ("COCOSEARCH_AUTH_TOKEN", "COCOSEARCH_DATABASE_URL", "OPENAI_API_KEY", "PGPASSWORD"):
        monkeypatch.setenv(name, "secret")
    embedded.ensure_running(own)
    assert "secret" not in psutil.Process(postmaster(own)).environ().values()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server under another account")
def test_the_account_of_the_server_plants_no_link_for_root(own: EmbeddedServer, tmp_path: Path) -> None:
    """As in a home that an older version gave to that account."""
    precious = tmp_path / "precious"
    precious.write_text("kept")
    embedded.stop(own)
    account = own.data.stat().st_uid
    os.chown(own.home, account, account)
    (own.home / "ended").unlink()
    (own.home / "ended").symlink_to(precious)
    embedded.ensure_running(own)
    assert (own.home.stat().st_uid, own.data.stat().st_uid) == (0, account)
    (own.home / "start.lock").rename(own.home / "kept.lock")
    (own.home / "start.lock").symlink_to(tmp_path / "made")
    with pytest.raises(DatabaseError, match="cannot be used"):
        embedded.stop(own)
    assert not (tmp_path / "made").exists()
    (own.home / "kept.lock").rename(own.home / "start.lock")
    embedded.stop(own)
    assert precious.read_text() == "kept"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
@pytest.mark.parametrize("which", ["data folder", "home"])
def test_a_folder_that_another_user_made_first_is_refused(
    make_server: Callable[..., EmbeddedServer], which: str
) -> None:
    server = make_server("data")
    planted = server.home.parent if which == "data folder" else server.home
    planted.mkdir(parents=True)
    os.chown(planted, 4242, 4242)
    with pytest.raises(CocosearchError, match="belongs to another user"):
        embedded.ensure_running(server)


@pytest.fixture
def remote_socket(make_server: Callable[..., EmbeddedServer]) -> Iterator[EmbeddedServer]:
    """A server whose socket lies below the temporary folder, apart from its home."""
    folder = Path(tempfile.mkdtemp(prefix="cs-socket-"))
    yield replace(make_server(), socket_dir=folder / "run")
    shutil.rmtree(folder, ignore_errors=True)


def listen(server: EmbeddedServer) -> socket.socket:
    planted = socket.socket(socket.AF_UNIX)
    planted.bind(str(server.socket_dir / f".s.PGSQL.{embedded.PORT}"))
    planted.listen()
    return planted


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
@pytest.mark.parametrize("foreign", ["folder", "socket"])
def test_a_socket_that_another_user_planted_is_refused(remote_socket: EmbeddedServer, foreign: str) -> None:
    make_private(remote_socket.socket_dir)
    with listen(remote_socket) as planted:
        os.chown(remote_socket.socket_dir / ("" if foreign == "folder" else f".s.PGSQL.{embedded.PORT}"), 4242, 4242)
        with pytest.raises(DatabaseError, match="another user"):
            embedded.ensure_running(remote_socket)
        planted.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has connected
            planted.accept()


@pytest.mark.parametrize("kind", ["open", "link"])
def test_a_socket_folder_that_others_could_have_filled_is_refused(remote_socket: EmbeddedServer, kind: str) -> None:
    folder = remote_socket.socket_dir
    if kind == "link":
        shutil.rmtree(folder, ignore_errors=True)
        folder.symlink_to(remote_socket.home.parent)
    else:
        make_private(folder)
        folder.chmod(0o777)
    with pytest.raises(DatabaseError, match="refused to connect"):
        embedded.ensure_running(remote_socket)
    if kind == "link":
        folder.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can answer in the name of another user")
def test_libpq_refuses_a_server_of_another_account(remote_socket: EmbeddedServer) -> None:
    make_private(remote_socket.socket_dir)
    with listen(remote_socket):
        account = remote_socket.socket_dir.stat()
        os.chown(remote_socket.socket_dir / f".s.PGSQL.{embedded.PORT}", account.st_uid, account.st_gid)
        with pytest.raises(psycopg.OperationalError, match="requirepeer"):
            psycopg.connect(remote_socket.dsn())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server under another account")
def test_programs_below_a_private_folder_are_copied_whole(tmp_path: Path) -> None:
    """As pip installs them with a strict umask into a virtual environment in the home folder of root."""
    folder = embedded.executable("postgres").parents[1]
    wheel = folder.parent
    package = tmp_path / "site-packages" / wheel.name
    shutil.copytree(folder, package / folder.name, symlinks=True)
    shutil.copytree(wheel.with_name(f"{wheel.name}.libs"), package.with_name(f"{wheel.name}.libs"))
    for path in package.parent.rglob("*"):
        path.is_symlink() or path.chmod(path.stat().st_mode & 0o700)
    below = Path(tempfile.mkdtemp(prefix="cs-copies-"))
    try:
        below.chmod(0o755)
        (below / "partial-killed").mkdir()
        with ThreadPoolExecutor(4) as pool:
            copies = set(pool.map(lambda _: programs.readable_copy(package, folder.name, below, "1"), range(4)))
        assert [path.name for path in sorted(below.iterdir())] == ["programs-1", "programs.lock"]
        for name in ("postgres", "initdb", "psql"):
            program = copies.copy().pop() / folder.name / "bin" / name
            done = subprocess.run([program, "--version"], user="nobody", group=65534, extra_groups=[], check=True)
            assert done.returncode == 0
        assert len(copies) == 1
    finally:
        shutil.rmtree(below)


def test_a_folder_of_another_account_is_no_bug(tmp_path: Path) -> None:
    """As one that a run by sudo made; tests may run as root, which may enter all."""
    with pytest.raises(DatabaseError, match="belongs to another user") as raised, entering(tmp_path):
        raise PermissionError(13, "Permission denied")
    assert "COCOSEARCH_DATA_DIR" in raised.value.hint
