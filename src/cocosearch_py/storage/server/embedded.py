"""Life cycle of the PostgreSQL server that comes as a wheel (PostgreSQL 18 and pgvector; see `programs.WHEELS`).

One server per data folder, shared by all processes of the user. Whoever needs it first starts it, under a file
lock; a small reaper process (`server.reaper`) stops it when nobody has been connected for a while. Whether it
lives is decided by connecting, never by process ids alone: ids are reused and handles of killed clients stay behind.
Does not hold connections (`database` does) and does not know the schema (`migrate` does).
"""

import os
import shutil
import signal
import subprocess  # noqa: TID251
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from cocosearch_py.errors import DatabaseError, DatabaseFullError, DatabaseUnreachableError
from cocosearch_py.model.private import is_root, open_private, private_data_folder, write_private
from cocosearch_py.storage.server import programs
from cocosearch_py.storage.server.accounts import entering, make_home, make_private, require_private_socket
from cocosearch_py.storage.server.faults import is_full
from cocosearch_py.storage.server.location import (
    DATABASE_NAME,
    DEFAULT_IDLE_STOP_S,
    PORT,
    ROOT_HOME,
    SOCKET_NAME,
    SUPERUSER,
    EmbeddedServer,
    locate,
)
from cocosearch_py.storage.server.locks import locked, try_lock
from cocosearch_py.storage.server.orphan_files import remove_unknown_files
from cocosearch_py.storage.server.owners import note
from cocosearch_py.storage.server.programs import executable

__all__ = [
    "DATABASE_NAME",
    "DEFAULT_IDLE_STOP_S",
    "PORT",
    "SUPERUSER",
    "EmbeddedServer",
    "ensure_running",
    "executable",
    "is_alive",
    "locate",
    "stop",
    "wait_until_stopped",
]

# Shared buffers, as much as the database has on disk within these bounds: in an index of 190,000 chunks a search takes
# the server six tenths of the time when its pages are there, in one of 745,000 with 1,024 MB eight tenths of that with
# 512. A first build must not fill the memory.
_LEAST_BUFFERS_MB, _MOST_BUFFERS_MB = 64, 2_048
_MEMORY_PER_BUFFERS = 12  # and no more than this part of the machine's memory

LEAST_ROOM_BYTES = 48 * 2**20  # two files of the log, and what is written until the next look
_START_TIMEOUT_S = 90  # crash recovery of a large database on a slow disk
_STARTS = 3  # a server that was killed while it started is started again
_STOP_TIMEOUT_S = 60
_QUIT_TIMEOUT_S = 15  # the server kills after five seconds what does not end
_POLL_S = 0.05
_IDLE, _STOPPED = "idle", "stopped"  # why a server ended
_ORPHAN_TIMEOUT_S = 5.0  # a signal is enough for all but a process that waits for a dead disk

# Measured choices are in docs/adr/0001; the rest keeps memory small and the server private. They are given at each
# start, so that the data folders of older versions follow.
_SHARED = "dynamic_shared_memory_type"
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "maintenance_work_mem": "96MB",
    "work_mem": "16MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "wal_recycle": "off",
    "jit": "off",
    "random_page_cost": "1.1",
    "max_connections": "60",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    _SHARED: "mmap",  # /dev/shm of a container has no room for what builders of HNSW share
    "max_locks_per_transaction": "256",
    "autovacuum_naptime": "30s",
    "io_method": "sync",
    "log_min_messages": "warning",
    # What a killed program has begun ends then, not when an index is made for nobody.
    **({"client_connection_check_interval": "1s"} if os.name == "posix" else {}),
}


def ensure_running(server: EmbeddedServer, *, unless_stopped: bool = False) -> None:
    """Return when the server accepts connections and its database exists; start it if needed.

    Args:
        unless_stopped: start it only if it died, or was stopped because nobody used it; one that somebody stopped, or
            whose folder is gone, is left alone.

    Raises:
        DatabaseUnreachableError: it cannot be started, and the message holds the end of its log; or was stopped.
        DatabaseFullError: the disk is full.
        DatabaseError: the folder of its socket belongs to somebody else.
    """
    if sys.platform == "win32":
        raise DatabaseUnreachableError(
            "the embedded PostgreSQL is not supported on Windows yet",
            hint="set COCOSEARCH_DATABASE_URL to a PostgreSQL with pgvector, for example `docker compose up -d`",
        )
    if not is_alive(server):
        if unless_stopped:
            _require_not_stopped(server)  # before its folder is made again for the lock
        with _start_lock(server, server.apart_from or server.home.parent):
            if not is_alive(server):
                if unless_stopped:
                    _require_not_stopped(server)
                note(server)
                _initialise(server)
                _ended_file(server).unlink(missing_ok=True)
                _start(server)
    _ensure_reaper(server)


def is_alive(server: EmbeddedServer) -> bool:
    """Tell by connecting whether the server answers and holds the database.

    Raises:
        DatabaseError: the folder of its socket belongs to somebody else.
    """
    with entering(server.socket_dir):
        if not require_private_socket(server.socket_dir, SOCKET_NAME):
            return False
    try:
        psycopg.connect(server.dsn(), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def require_room(server: EmbeddedServer, more_bytes: int = 0) -> None:
    """Raise DatabaseFullError before there is no room for the next file of the server's log, and `more_bytes`.

    Without it the server ends at once, and cannot start again: its indexes would answer nothing until there is room.
    """
    least = LEAST_ROOM_BYTES + more_bytes
    with suppress(OSError):
        if shutil.disk_usage(server.home).free >= least:
            return
        with suppress(psycopg.Error), psycopg.connect(server.dsn(), autocommit=True) as conn:
            conn.execute("CHECKPOINT")  # lets go of files of the log
        free = shutil.disk_usage(server.home).free
        if free < least:
            needed = f"; about {least // 2**20} are needed" if more_bytes else ""
            raise DatabaseFullError(
                f"the disk of {server.home} has only {free // 2**20} MB left{needed}",
                hint="free disk space, then retry",
            )


def stop(server: EmbeddedServer, *, grace_s: float = 0.0, is_idle: bool = False) -> bool:
    """Stop the server; returns False if it was not running.

    Open sessions may go on for `grace_s` seconds, while no new ones are let in. Then they are ended. A server that
    cannot end in order within a minute, in crash recovery for instance, is ended at once. Its log has what was
    committed, and the next start reads the log.

    Args:
        is_idle: nobody used the server. A worker may then start it again, which it does not after any other stop.
    """
    with _start_lock(server):
        pid = _postmaster_pid(server)
        # Said also of one that was killed, which a worker would start again; but not as idle: somebody was quicker.
        if pid is not None or not is_idle:
            with suppress(OSError):  # a full disk
                write_private(_ended_file(server), (_IDLE if is_idle else _STOPPED).encode())
        if pid is None:
            return False
        steps = (signal.SIGTERM, grace_s), (signal.SIGINT, _STOP_TIMEOUT_S), (signal.SIGQUIT, _QUIT_TIMEOUT_S)
        for request, patience_s in steps:  # smart, fast and immediate shutdown
            if patience_s:
                with suppress(ProcessLookupError):
                    os.kill(pid, request)
                if wait_until_stopped(server, patience_s):
                    return True
        _ended_file(server).unlink(missing_ok=True)
        raise _failure(server, "did not stop", f"process {pid}")


def wait_until_stopped(server: EmbeddedServer, timeout_s: float) -> bool:
    """Poll until the server is gone."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if _postmaster_pid(server) is None:
            return True
        time.sleep(_POLL_S)
    return False


def is_running(server: EmbeddedServer) -> bool:
    """Whether a server lives in the home, whether or not it answers."""
    return _postmaster_pid(server) is not None


def is_initialised(server: EmbeddedServer) -> bool:
    """Whether its data folder is complete; it need not run. Raises DatabaseError if it is another user's."""
    with entering(server.home):
        return (server.data / "PG_VERSION").exists() and (server.home / "initialised").exists()


def _require_not_stopped(server: EmbeddedServer) -> None:
    """Raise unless it died, or ended because nobody used it; one that ends in order takes its pid file with it."""
    try:
        ended = _ended_file(server).read_text(encoding="utf-8")
    except OSError:
        ended = _STOPPED if not (server.data / "postmaster.pid").exists() else ""
    if ended == _STOPPED or not is_initialised(server):
        raise DatabaseUnreachableError(
            "the embedded PostgreSQL was stopped", hint="the next command that needs it starts it again"
        )


def _ended_file(server: EmbeddedServer) -> Path:
    """Says why the server was stopped, until it is started."""
    return server.home / "ended"


def _initialise(server: EmbeddedServer) -> None:
    """Create the data folder with initdb unless a complete one is there."""
    if is_root() and server.socket_dir.parent != server.home:
        private_data_folder(ROOT_HOME)
        make_home(server.socket_dir.parent)
    make_private(server.socket_dir)
    if is_initialised(server):
        return
    # initdb was cut short: nothing of value can be in it, since `initialised` is written last.
    shutil.rmtree(server.data, ignore_errors=True)
    make_private(server.data)
    status, text = programs.run(
        "initdb",
        *("-D", str(server.data), "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--no-instructions"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
        *("-c", f"{_SHARED}={_SETTINGS[_SHARED]}"),
    )
    if status != 0:
        raise _failure(server, "could not create its data folder", text)
    write_private(server.home / "initialised", b"")


def _start(server: EmbeddedServer) -> None:
    """Start the postmaster unless it lives, wait until it answers, and make the database."""
    deadline = time.monotonic() + _START_TIMEOUT_S
    started: list[int] = []
    while True:
        if _postmaster_pid(server) is None and not (started and _runs(started[-1])):
            if len(started) == _STARTS:
                raise _failure(server, "did not start", "")
            _clear_remains(server)
            settings = {**_SETTINGS, "shared_buffers": f"{_buffers_mb(server)}MB"}
            options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
            where = ("-D", str(server.data), "-k", str(server.socket_dir), "-p", str(PORT))
            started.append(programs.start_detached("postgres", *where, *options, log=server.log))
        try:
            _create_database(server)
            break
        except psycopg.OperationalError as error:  # it starts, repairs itself, stops, or has no free connection
            if is_full(error):
                raise
            if time.monotonic() > deadline:
                raise _failure(server, "did not start", str(error)) from error
        time.sleep(_POLL_S)
    with suppress(OSError, psycopg.Error), psycopg.connect(server.dsn(), autocommit=True) as conn:
        remove_unknown_files(conn, server.data)  # or the next start does


def _buffers_mb(server: EmbeddedServer) -> int:
    """Megabytes of shared buffers for the database as it is on disk."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    size = 0
    with suppress(OSError):  # of a file that goes meanwhile, the rest counts with the next start
        for folder in (server.data / "base").iterdir():
            size += sum(entry.stat().st_size for entry in os.scandir(folder))
    most = min(_MOST_BUFFERS_MB, memory // _MEMORY_PER_BUFFERS // 2**20)
    return max(_LEAST_BUFFERS_MB, min(most, size // 2**20))


def _create_database(server: EmbeddedServer) -> None:
    with psycopg.connect(server.dsn("postgres"), autocommit=True, connect_timeout=10) as conn:
        known = conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE_NAME]).fetchone()
        if not known:
            conn.execute(f'CREATE DATABASE "{DATABASE_NAME}"')


def _clear_remains(server: EmbeddedServer) -> None:
    """End what outlived a killed postmaster, and remove its lock files where they name another program.

    A second server beside such a process would destroy the data. A pid file with a dead id stays: PostgreSQL itself
    checks it against the shared memory, and only an id in use, be it by a zombie, makes it refuse to start.
    """
    import psutil

    orphans = [process for process in psutil.process_iter() if _works_in(process.pid, server.data)]
    for process in orphans:
        with suppress(psutil.Error):
            process.kill()  # what it holds in memory is lost with its postmaster anyway
    psutil.wait_procs(orphans, timeout=_ORPHAN_TIMEOUT_S)
    for lock_file in (server.data / "postmaster.pid", server.socket_dir / f"{SOCKET_NAME}.lock"):
        try:
            stale = psutil.pid_exists(int(lock_file.read_text(encoding="utf-8").split("\n", 1)[0]))
        except (OSError, ValueError):
            stale = True
        if stale:
            lock_file.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _works_in(pid: int, data: Path) -> bool:
    """Whether it is a PostgreSQL process of this data folder; all of them have it as their current folder."""
    import psutil  # only when something may be wrong; costs 20 ms

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return "postgres" in process.name() and process.cwd() == os.path.realpath(data)
    except (OSError, psutil.Error):
        return False


def _postmaster_pid(server: EmbeddedServer) -> int | None:
    """Process id of this folder's live postmaster, or None."""
    try:
        pid = int((server.data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    return pid if _works_in(pid, server.data) else None


def _ensure_reaper(server: EmbeddedServer) -> None:
    """Spawn the process that stops an idle server, unless one already watches it."""
    if server.idle_stop_s <= 0 or not try_lock(server.home / "reaper.lock", hold=False):
        return
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "cocosearch_py.storage.server.reaper"),
            *(str(server.home), str(server.socket_dir), str(server.idle_stop_s)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
    process.returncode = 0  # it outlives us on purpose; without this Python warns of a forgotten child


@contextmanager
def _start_lock(server: EmbeddedServer, *data_folder: Path) -> Iterator[None]:
    """Keep other processes from starting or stopping this server meanwhile; a start makes its data folder first."""
    lock_file = server.home / "start.lock"
    try:
        for folder in (*data_folder, server.home.parent):
            private_data_folder(folder)
        make_home(server.home)
        os.close(open_private(lock_file, os.O_RDWR))
    except OSError as error:
        raise DatabaseError(
            f"the folder of the embedded database cannot be used: {error}",
            hint="check its permissions and free space, or set COCOSEARCH_DATA_DIR to another folder",
        ) from error
    with locked(lock_file):
        yield


def _failure(server: EmbeddedServer, what: str, detail: str) -> DatabaseError:
    """The error for a server that `what`, with the end of its log."""
    text = f"{detail[-600:]} {_tail(server.log)}".strip()
    if is_full(text) or not _has_room(server.home):  # on a full disk the log may lack the reason
        return DatabaseFullError(
            f"the embedded PostgreSQL {what}: the disk of {server.home} is full or almost full",
            hint="free some space or set COCOSEARCH_DATA_DIR",
        )
    return DatabaseUnreachableError(
        f"the embedded PostgreSQL {what}: {text}",
        hint=f"read {server.log}, or set COCOSEARCH_DATABASE_URL to another PostgreSQL",
    )


def _has_room(folder: Path) -> bool:
    """Report whether the server's account may still write what a start writes."""
    with suppress(OSError):
        disk = os.statvfs(folder)
        has_files = disk.f_favail > 0 or disk.f_files == 0  # some file systems do not count files
        return has_files and disk.f_bavail * disk.f_frsize >= LEAST_ROOM_BYTES
    return True


def _tail(path: Path, characters: int = 600) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[-characters:]
    except OSError:
        return ""
