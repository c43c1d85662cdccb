"""Kills at random moments: what readers see meanwhile, whether the next run makes good, and what is left behind.

    python benchmarks/faults.py FOLDER [--list N] [--kills N] [--seed N] [--only VICTIM] [--json OUT]

Runs of `cocosearch-py index` over a copy of FOLDER are disturbed for real: the run, one of its worker processes, a
process of the database, the whole server or all of these at once are killed; its session is ended; the server is
stopped; Ctrl-C and SIGTERM, once or twice. The runs are first runs, updates, rebuilds, and rebuilds with other
settings. After each kill the index has to be as it was or as it should become; after one more run it has to equal, row
by row, an index of the same files made in peace, and nothing may be left: tables, rows, locks, sessions, processes,
temporary folders, files of the database. Meanwhile ten threads read. Ends with 1 if anything of that is not so. FOLDER
should take a few seconds to index; a small --interval lets builds keep what they have done.

With --list its files are dealt out to N folders, of which the last is a copy of the first, and one command indexes all
of them by runs that overlap. What is said above holds for the index of each.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.queries.indexes import find_by_name
from cocosearch_py.storage.schema.partitions import rows_of
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.administration import stop_server
from cocosearch_py.storage.write.partitions import WRITING_LOCK

NAME = "victim"  # of folders and indexes, with a number behind it
STRATEGIES = ("treesitter", "lines")
KINDS = ("first", "update", "rebuild", "reshape")
CHANGED_SHARE = 0.15  # of the files, between the two states of the folder
AGAIN_SHARE = 0.5  # of the kills hit the run that was to make good the one before
READERS, READ_PAUSE_S = 10, 0.1
PATIENCE_S = 300.0
MOST_BETWEEN_S = 0.5  # two signals
MOST_SHOWN = 600  # characters of rows that differ
MARK = "COCOSEARCH_FAULTS_MARK"  # in the environment of all processes that the runs start
# The run as a command; the interval between two pieces that a build keeps can be shortened.
RUN = """
import sys
from cocosearch_py.__main__ import main
if sys.argv[1]:
    from cocosearch_py.indexing import checkpoint
    checkpoint.INTERVAL_S = float(sys.argv[1])
del sys.argv[1]
main()
"""


@dataclass(slots=True)
class Scene:
    """The folders, the database and the server of all rounds; `state` names the files that the folder holds now."""

    scratch: Path
    app: App
    interval: str
    rng: random.Random
    parts: int = 1  # folders that one command indexes
    state: str = "a"
    strategy: str = "treesitter"
    seconds: dict[str, float] = field(default_factory=dict)  # an undisturbed run of each kind
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        """Those that hit a run."""
        return sum(count for name, count in self.counts.items() if name not in {"missed", "builds kept"})

    @property
    def names(self) -> list[str]:
        """Of the indexes, and of the folders below `folder`."""
        return [f"{NAME}-{number}" for number in range(self.parts)]

    @property
    def folder(self) -> Path:
        return self.scratch / "folder"

    @property
    def server(self) -> embedded.EmbeddedServer:
        assert self.app.database.server
        return self.app.database.server

    def start(self, *flags: str) -> subprocess.Popen[str]:
        """Runs over the folders by one command, in a session of its own."""
        environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(self.scratch / "data"), MARK: str(os.getpid())}
        environment["TMPDIR"] = str(self.scratch / "tmp")
        folders = [str(self.folder / name) for name in self.names]
        (self.scratch / "list").write_text("\n".join(folders), encoding="utf-8")
        what = folders if self.parts == 1 else ["--paths-from", str(self.scratch / "list")]
        return subprocess.Popen(
            [sys.executable, "-c", RUN, self.interval, "index", *what, "--strategy", self.strategy, *flags],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *flags: str) -> float:
        """A run that nobody disturbs; returns its seconds."""
        started = time.monotonic()
        process = self.start(*flags)
        output, _ = process.communicate(timeout=PATIENCE_S)
        if process.returncode:
            self.faults.append(f"an undisturbed run ended with {process.returncode}: {output[-500:]}")
        return time.monotonic() - started

    def put(self, state: str) -> None:
        """Give the folders the files of a state."""
        self.state = state
        put_files(self.scratch / state, self.folder)

    def record(self, name: str) -> IndexRecord | None:
        return self.app.database.read(lambda conn: find_by_name(conn, name))

    def clear(self) -> None:
        for name in self.names:
            with suppress(IndexNotFoundError):
                self.app.catalog.clear(name)


def put_files(source: Path, folder: Path) -> None:
    """Give a folder the files of another; what is the same stays untouched."""
    there = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder) not in there:
            path.unlink()
    for name in there:
        target = folder / name
        if not target.exists() or target.read_bytes() != (source / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target)


def clean_name(name: str, state: str, strategy: str) -> str:
    """Of the index that was made in peace."""
    return f"clean-{name}-{state}-{strategy}"


def difference(scene: Scene, name: str, state: str, strategy: str) -> str:
    """What tells an index from that of a state that was made in peace; empty when nothing does."""

    def compare(conn: psycopg.Connection) -> str:
        ours, theirs = find_by_name(conn, name), find_by_name(conn, clean_name(name, state, strategy))
        assert theirs is not None
        if ours is None:
            return "no index"
        if (ours.status, ours.file_count, ours.chunk_count) != (theirs.status, theirs.file_count, theirs.chunk_count):
            return f"{ours.status}, {ours.file_count} files, {ours.chunk_count} chunks"
        for table_name, table in TABLES.items():
            columns = sql.SQL(", ").join(
                sql.Identifier(column.name) for column in table.columns if column.name not in {"index_id", "mtime_ns"}
            )
            rows = [
                sql.SQL("SELECT {} FROM {} r").format(
                    columns,
                    sql.SQL(
                        rows_of(table_name, one.index_id).as_string(conn).replace("%(index_id)s", str(one.index_id))
                    ),
                )
                for one in (ours, theirs)
            ]
            query = "SELECT count(*) FROM (({a} EXCEPT ALL {b}) UNION ALL ({b} EXCEPT ALL {a})) d"
            row = conn.execute(sql.SQL(query).format(a=rows[0], b=rows[1])).fetchone()
            if row and row[0]:
                some = sql.SQL("SELECT * FROM ({a} EXCEPT ALL {b}) d LIMIT 2")
                seen = [conn.execute(some.format(a=a, b=b)).fetchall() for a, b in (rows, rows[::-1])]
                return f"{row[0]} rows of {table_name} differ: {str(seen)[:MOST_SHOWN]}"
        return ""

    return scene.app.database.read(compare)


def left_behind(scene: Scene) -> list[str]:
    """What no index needs; sessions and processes get a moment to end."""
    found = [*_relations(scene), *_rows(scene)]
    deadline = time.monotonic() + 10
    while (alive := [*_sessions(scene), *_processes()]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return [*found, *alive]


def _relations(scene: Scene) -> list[str]:
    query = (
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace IN ('cocosearch_py'::regnamespace) "
        "AND c.relkind IN ('r', 'p') AND c.relname ~ '_[0-9]+$' "
        "AND NOT EXISTS (SELECT 1 FROM cocosearch_py.indexes i "
        "WHERE i.index_id::text = substring(c.relname FROM '[0-9]+$')) "
        "UNION ALL SELECT 'row of builds ' || name FROM cocosearch_py.builds "
        "UNION ALL SELECT 'row of identities ' || name FROM cocosearch_py.identities "
        "UNION ALL SELECT 'row of runs ' || index_name FROM cocosearch_py.runs WHERE state IN ('queued', 'running') "
        "ORDER BY 1"
    )
    return scene.app.database.read(lambda conn: [f"table {row[0]}" for row in conn.execute(query)])


def _rows(scene: Scene) -> list[str]:
    def read(conn: psycopg.Connection) -> list[str]:
        known = sql.SQL("SELECT index_id FROM cocosearch_py.indexes")
        found = []
        for name in TABLES:
            query = sql.SQL("SELECT DISTINCT index_id FROM {} WHERE index_id NOT IN ({})").format(
                sql.Identifier("cocosearch_py", name), known
            )
            found += [f"rows of {row[0]} in {name}" for row in conn.execute(query)]
        return found

    return scene.app.database.read(read)


def _sessions(scene: Scene) -> list[str]:
    query = (
        "SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' "
        "UNION ALL SELECT 'temporary ' || relname FROM pg_class WHERE relpersistence = 't' "
        "UNION ALL SELECT 'session ' || pid FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' "
        "AND clock_timestamp() - state_change > interval '5 s'"  # else it may be one of our readers, on a busy machine
    )
    return scene.app.database.read(lambda conn: [row[0] for row in conn.execute(query)])


def _processes() -> list[str]:
    found = []
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        try:
            ours = process.environ().get(MARK) == str(os.getpid())
        except (psutil.Error, OSError):
            continue
        command = " ".join(process.info["cmdline"] or [])
        shared = "reaper" in command or "postgres" in command or process.info["status"] == psutil.STATUS_ZOMBIE
        if ours and not shared:
            found.append(f"process {process.pid} {command[:80]}")
    return found


def temporary_folders(scene: Scene) -> list[str]:
    """Folders that killed runs left, after one more run that finds them to be old."""
    for folder in (scene.scratch / "tmp").iterdir():
        os.utime(folder, (1, 1))
    scene.run("--fresh")
    return [f"temporary {path.name}" for path in (scene.scratch / "tmp").iterdir()]


def database_files(scene: Scene) -> list[str]:
    """Files of tables that the database does not know, after the server was started anew; with their megabytes."""
    stop_server(scene.app.database)

    def read(conn: psycopg.Connection) -> list[str]:
        row = conn.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        assert row is not None
        known = {str(row[0]) for row in conn.execute("SELECT pg_relation_filenode(oid) FROM pg_class")}
        files = [path for path in (scene.server.data / "base" / str(row[0])).iterdir() if path.name[0].isdecimal()]
        unknown = [path for path in files if path.name.split(".")[0].split("_")[0] not in known]
        size = sum(path.stat().st_size for path in unknown) / 2**20
        return [f"{len(unknown)} files of no table, {size:.1f} MB"] if unknown else []

    return scene.app.database.read(read)


def postmaster(scene: Scene) -> psutil.Process:
    return psutil.Process(int((scene.server.data / "postmaster.pid").read_text().split("\n", 1)[0]))


def kill_run(_: Scene, run: subprocess.Popen[str]) -> None:
    run.kill()


def kill_worker(scene: Scene, run: subprocess.Popen[str]) -> None:
    if children := psutil.Process(run.pid).children(recursive=True):
        scene.rng.choice(children).kill()


def kill_backend(scene: Scene, _: subprocess.Popen[str]) -> None:
    backends = [child for child in postmaster(scene).children() if "[local]" in " ".join(child.cmdline())]
    if backends:
        scene.rng.choice(backends).kill()


def kill_server(scene: Scene, _: subprocess.Popen[str]) -> None:
    postmaster(scene).kill()


def cut_power(scene: Scene, run: subprocess.Popen[str]) -> None:
    """All at once: the server with its processes, the run with its workers."""
    server, ours = postmaster(scene), psutil.Process(run.pid)
    for process in (server, *server.children(), ours, *ours.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def end_session(scene: Scene, _: subprocess.Popen[str]) -> None:
    query = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s"
    with psycopg.connect(scene.server.dsn(), autocommit=True) as conn:
        conn.execute(query, [WRITING_LOCK])


def stop(scene: Scene, _: subprocess.Popen[str]) -> None:
    embedded.stop(scene.server)


def interrupt(_: Scene, run: subprocess.Popen[str]) -> None:
    os.killpg(run.pid, signal.SIGINT)


def terminate(_: Scene, run: subprocess.Popen[str]) -> None:
    run.terminate()


def twice(signal_once: Callable[[Scene, subprocess.Popen[str]], None]) -> Callable[..., None]:
    def do(scene: Scene, run: subprocess.Popen[str]) -> None:
        signal_once(scene, run)
        time.sleep(scene.rng.uniform(0, MOST_BETWEEN_S))
        signal_once(scene, run)

    return do


VICTIMS: dict[str, Callable[[Scene, subprocess.Popen[str]], None]] = {
    "run": kill_run,
    "worker": kill_worker,
    "backend": kill_backend,
    "server": kill_server,
    "power": cut_power,
    "session": end_session,
    "stop": stop,
    "interrupt": interrupt,
    "interrupts": twice(interrupt),
    "terminate": terminate,
    "terminates": twice(terminate),
}


def disturb(scene: Scene, victim: str, kind: str, *flags: str) -> str:
    """Start a run and hit it at a random moment; returns when it was hit, in words."""
    run = scene.start(*flags)
    delay = scene.rng.uniform(0, scene.seconds[kind])
    time.sleep(delay)
    if run.poll() is None:
        try:
            VICTIMS[victim](scene, run)
            scene.counts[f"{kind} {victim}"] += 1
        except (psutil.Error, psycopg.Error, ProcessLookupError, FileNotFoundError):
            scene.counts["missed"] += 1
    else:
        scene.counts["missed"] += 1
    output = ""
    try:
        output, _ = run.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        scene.faults.append(f"{kind}, {victim} after {delay:.2f} s: the run hangs")
        run.kill()
        run.communicate()
    if "internal error" in output:
        scene.faults.append(f"{kind}, {victim} after {delay:.2f} s: {output[-2000:]}")
    return f"{kind}, {victim} hit after {delay:.2f} s of {scene.seconds[kind]:.2f}, run ended with {run.returncode}"


def round_of(scene: Scene, victims: list[str]) -> None:
    """One disturbed run or several, then one in peace."""
    kind, flags = prepare(scene, scene.rng.choice(KINDS))
    old = (scene.state, scene.strategy) if kind == "rebuild" else scene_before(scene, kind)
    story: list[str] = []
    while not story or scene.rng.random() < AGAIN_SHARE:
        victim = scene.rng.choice(victims)
        story.append(disturb(scene, victim, kind, *flags))
        scene.counts["builds kept"] += kept_builds(scene)
        for name in scene.names:
            check_seen(scene, name, old, story)
    scene.run(*flags)
    for name in scene.names:
        if difference_now := difference(scene, name, scene.state, scene.strategy):
            scene.faults.append(f"{'; '.join(story)}: after the next run {name} has {difference_now}")
    scene.faults += [f"{'; '.join(story)}: {left} is left" for left in left_behind(scene)]


def prepare(scene: Scene, kind: str) -> tuple[str, tuple[str, ...]]:
    """Bring index and folder to where a run of this kind begins."""
    if kind == "first":
        scene.clear()
    elif kind == "update":
        scene.put("b" if scene.state == "a" else "a")
    elif kind == "reshape":
        scene.strategy = STRATEGIES[scene.strategy == STRATEGIES[0]]
    return kind, ("--fresh",) if kind == "rebuild" else ()


def scene_before(scene: Scene, kind: str) -> tuple[str, str] | None:
    """State and strategy of the index that is there before a run of this kind; None when there is none."""
    if kind == "first":
        return None
    if kind == "update":
        return "b" if scene.state == "a" else "a", scene.strategy
    return scene.state, STRATEGIES[scene.strategy == STRATEGIES[0]]


def check_seen(scene: Scene, name: str, old: tuple[str, str] | None, story: list[str]) -> None:
    """Readers see an index as it was or as the run was to make it; before a first run none, or a part that says so."""
    now = difference(scene, name, scene.state, scene.strategy)
    record = scene.record(name)
    if not now or record is None or record.status == "interrupted":
        if record is None and old is not None:
            scene.faults.append(f"{'; '.join(story)}: the index {name} is gone")
    elif old is None or difference(scene, name, *old):
        scene.faults.append(f"{'; '.join(story)}: readers see neither the old nor the new index {name}: {now}")


def kept_builds(scene: Scene) -> int:
    """Builds that the next run can go on with."""
    row = scene.app.database.read(lambda conn: conn.execute("SELECT count(*) FROM cocosearch_py.builds").fetchone())
    return int(row[0]) if row else 0


class Readers:
    """Read the victim all the time; what it counts has to be what the index's row says."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._done, self.reads = scene, threading.Event(), 0
        self._threads = [threading.Thread(target=self._loop, daemon=True) for _ in range(READERS)]

    def __enter__(self) -> "Readers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _loop(self) -> None:
        while not self._done.wait(READ_PAUSE_S):
            try:
                wrong = self._scene.app.database.read(self._count)
            except Exception as error:  # noqa: BLE001 - whatever it is, a reader has met it
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                self._scene.faults.append(f"a reader met {wrong}")
            self.reads += 1

    def _count(self, conn: psycopg.Connection) -> str:
        record = find_by_name(conn, random.choice(self._scene.names))
        if record is None:
            return ""
        counts = []
        for table, where in (("files", "status = 'indexed'"), ("chunks", "true"), ("vectors", "true")):
            query = sql.SQL("SELECT count(*) FROM {} r WHERE {}").format(
                rows_of(table, record.index_id), sql.SQL(where)
            )
            row = conn.execute(query, {"index_id": record.index_id}).fetchone()
            counts.append(row[0] if row else 0)
        right = [record.file_count, record.chunk_count, record.chunk_count]
        return "" if counts == right else f"{counts} files, chunks and vectors instead of {right}"


def make_states(folder: Path, scene: Scene) -> None:
    """Folders `a`, the files as they are, and `b`, of which some are changed, gone and new, each with the parts."""
    scratch, rng = scene.scratch, random.Random(scene.rng.random())
    for name in scene.names:
        shutil.copytree(folder, scratch / "a" / name, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    kept = max(1, scene.parts - 1)
    for number, name in enumerate(scene.names):
        files = sorted(path for path in (scratch / "a" / name).rglob("*") if path.is_symlink() or path.is_file())
        for place, path in enumerate(files):
            if place % kept != number % kept:
                path.unlink()
    for state in ("b", "folder"):
        shutil.copytree(scratch / "a", scratch / state, symlinks=True)
    files = sorted(path for path in (scratch / "b").rglob("*") if path.is_file() and not path.is_symlink())
    for number, path in enumerate(rng.sample(files, max(3, int(CHANGED_SHARE * len(files))))):
        if number % 3 == 0:
            path.unlink()
        elif number % 3 == 1:
            path.write_bytes(path.read_bytes() + b"\n\nchanged = 1\n")
        else:
            shutil.copyfile(path, path.with_name(f"copy_{number}_{path.name}"))


def measure(scene: Scene) -> None:
    """Index both states in peace, with both strategies, and see how long a run of each kind takes."""
    for state, strategy, name in product(("a", "b"), STRATEGIES, scene.names):
        options = scene.app.indexing_options(fresh=True)  # nothing is copied
        content = options.content.__class__(strategy=strategy)
        options = options.__class__(content=content, discovery=options.discovery, fresh=True)
        scene.app.index(scene.scratch / state / name, name=clean_name(name, state, strategy), options=options)
    scene.app._resources.pool.close()
    with scene.app.database.writing() as conn:  # so that no run copies from them
        conn.execute("UPDATE cocosearch_py.indexes SET embedding_model = 'of the reference'")
    for kind in KINDS:
        scene.seconds[kind] = scene.run(*prepare(scene, kind)[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", type=int, default=1, metavar="N", help="deal the files out to so many folders")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(VICTIMS), help="may be repeated")
    parser.add_argument("--interval", default="", help="seconds between two pieces that a build keeps")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="faults-"))
    scratch.chmod(0o755)
    (scratch / "tmp").mkdir(mode=0o777)
    with App(Settings(), scratch / "data") as app:
        scene = Scene(scratch, app, options.interval, random.Random(options.seed), options.list)
        make_states(options.folder, scene)
        try:
            result = disturb_all(scene, options.kills, options.only or list(VICTIMS))
        finally:
            stop_server(app.database)
            shutil.rmtree(scratch, ignore_errors=True)
            shutil.rmtree(scene.server.home, ignore_errors=True)
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return bool(result["faults"])


def disturb_all(scene: Scene, kills: int, victims: list[str]) -> dict[str, object]:
    measure(scene)
    with Readers(scene) as readers:
        while (done := scene.kills) < kills:
            round_of(scene, victims)
            sys.stderr.write(f"{done} kills, {len(scene.faults)} faults {scene.faults[-1:]}\n")
    scene.faults += [*temporary_folders(scene), *database_files(scene)]
    return {
        "kills": scene.kills,
        "by_kind": dict(sorted(scene.counts.items())),
        "seconds": {kind: round(seconds, 2) for kind, seconds in scene.seconds.items()},
        "reads_meanwhile": readers.reads,
        "faults": scene.faults,
    }


if __name__ == "__main__":
    sys.exit(main())
