"""Kills of indexing runs at random moments."""

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product as combinations
from pathlib import Path
from typing import Annotated, Any

import psutil
import psycopg

from benchmarks.frame import Folder, benchmark, note, report_faults
from benchmarks.product import Product, differences, index_number, table_rows
from benchmarks.rows import Figures

STRATEGIES = ("treesitter", "lines")
KINDS = ("first", "update", "rebuild", "reshape")
CHANGED_SHARE = 0.15  # of the files, between the two states of the folder
AGAIN_SHARE = 0.5  # of the kills hit the run that was to repair the one before
READERS, READ_PAUSE_S = 4, 0.1
PATIENCE_S = 300.0
MAX_PAUSE_S = 0.5  # between two signals
GRACE_S = 10.0  # in which sessions and processes of a killed run end
MARK = "COCOSEARCH_BENCHMARK_MARK"  # in the environment of all processes that the runs start
State = tuple[str, str]  # files and strategy


@dataclass(slots=True)
class Scene:
    """Folders, database and server of all rounds. `files` names the state of the files that the folders hold."""

    product: Product
    chance: random.Random
    parts: int  # folders that one command indexes
    files: str = "a"
    strategy: str = "treesitter"
    seconds: dict[str, float] = field(default_factory=dict)  # of an undisturbed run of each kind
    rows: dict[tuple[str, State], dict[str, Any]] = field(default_factory=dict)  # of indexes made undisturbed
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def scratch(self) -> Path:
        return self.product.scratch

    @property
    def folder(self) -> Path:
        return self.scratch / "folder"

    @property
    def names(self) -> list[str]:
        """Names of the indexes, and of the folders below `folder`."""
        return [f"victim-{number}" for number in range(self.parts)]

    def start(self, *flags: str) -> "subprocess.Popen[str]":
        """Index the folders by one command, in a session of its own."""
        folders = [str(self.folder / name) for name in self.names]
        arguments = ["index", *folders, "--strategy", self.strategy, "--yes", *flags]
        return self.product.start(*arguments, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, *flags: str) -> float:
        """Index undisturbed; return the seconds."""
        started = time.monotonic()
        process = self.start(*flags)
        output, _ = process.communicate(timeout=PATIENCE_S)
        if process.returncode:
            self.faults.append(f"an undisturbed run ended with {process.returncode}: {output[-500:]}")
        return time.monotonic() - started

    def put(self, files: str) -> None:
        """Give the folders the files of a state; equal ones stay untouched."""
        self.files = files
        source = self.scratch / files
        wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
        for path in [path for path in self.folder.rglob("*") if path.is_file()]:
            if path.relative_to(self.folder) not in wanted:
                path.unlink()
        for name in wanted:
            target = self.folder / name
            if not target.exists() or target.read_bytes() != (source / name).read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / name, target)

    def difference(self, name: str, state: State) -> str:
        """Differences between an index and one of this state that was made undisturbed; empty if there are none."""
        with self.product.connect() as connection:
            row = connection.execute("SELECT status FROM cocosearch_py.indexes WHERE name = %s", [name]).fetchone()
            if row is None or row[0] != "complete":
                return f"the index is {row[0] if row else 'missing'}"
            return "; ".join(differences(table_rows(connection, name), self.rows[name, state]))[:600]

    def query(self, text: str) -> list[str]:
        """First column of a query's rows."""
        with self.product.connect() as connection:
            return [str(row[0]) for row in connection.execute(text.encode())]


@benchmark
def kills(
    product: Product, folder: Folder, *,
    kills: Annotated[int, "number of kills"] = 100, seed: int = 1,
    only: Annotated[str, "only this victim"] = "",
    parts: Annotated[int, "deal the files out to several folders, indexed by runs that overlap"] = 1,
) -> Figures:  # fmt: skip
    """Kill indexing runs, workers, database and servers at random moments; check what is left.

    Disturbed are first runs, updates, rebuilds, and rebuilds with another strategy. After each kill the index has to be
    as it was, as it should become, or marked interrupted. After one more run it has to equal, row by row, an index of
    the same files made undisturbed, and nothing may be left: tables, rows, locks, sessions, processes, temporary
    folders, files of the database. Meanwhile threads read. The folder should take a few seconds to index.
    """
    temporary = product.scratch / "tmp"
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o777)
    product.environment |= {MARK: str(os.getpid()), "TMPDIR": str(temporary)}
    scene = Scene(product, random.Random(seed), parts)
    make_states(folder, scene)
    measure_undisturbed(scene)
    with Readers(scene) as readers:
        while scene.counts["kills"] < kills:
            disturb_round(scene, [only] if only else list(VICTIMS))
            note(f"{scene.counts['kills']} kills, {len(scene.faults)} faults {scene.faults[-1:]}")
    scene.faults += [*temporary_folders(scene, temporary), *database_files(scene)]
    return {**dict(sorted(scene.counts.items())), "reads": readers.reads, "faults": report_faults(scene.faults)}


def make_states(folder: Path, scene: Scene) -> None:
    """Make folders `a`, the files as they are, and `b`, of which some are changed, removed and new."""
    for number, name in enumerate(scene.names):
        part = scene.scratch / "a" / name
        shutil.copytree(folder, part, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for place, path in enumerate(sorted(path for path in part.rglob("*") if path.is_symlink() or path.is_file())):
            if place % scene.parts != number:
                path.unlink()
    for state in ("b", "folder"):
        shutil.copytree(scene.scratch / "a", scene.scratch / state, symlinks=True)
    files = sorted(path for path in (scene.scratch / "b").rglob("*") if path.is_file() and not path.is_symlink())
    for number, path in enumerate(scene.chance.sample(files, max(3, int(CHANGED_SHARE * len(files))))):
        if number % 3 == 0:
            path.unlink()
        elif number % 3 == 1:
            path.write_bytes(path.read_bytes() + b"\n\nchanged = 1\n")
        else:
            shutil.copyfile(path, path.with_name(f"copy_{number}_{path.name}"))


def measure_undisturbed(scene: Scene) -> None:
    """Keep the rows of both states with both strategies, and the time of a run of each kind."""
    for files, strategy in combinations(("a", "b"), STRATEGIES):
        scene.strategy = strategy
        scene.put(files)
        scene.run("--fresh")
        with scene.product.connect() as connection:
            for name in scene.names:
                scene.rows[name, (files, strategy)] = table_rows(connection, name)
    for kind in KINDS:
        scene.seconds[kind] = scene.run(*prepare(scene, kind))


def prepare(scene: Scene, kind: str) -> tuple[str, ...]:
    """Bring index and folder to where a run of this kind begins; return the flags of the run."""
    if kind == "first":
        for name in scene.names:
            with suppress(RuntimeError):
                scene.product.run("clear", name, "--yes", "--purge")
    elif kind == "update":
        scene.put("b" if scene.files == "a" else "a")
    elif kind == "reshape":
        scene.strategy = STRATEGIES[scene.strategy == STRATEGIES[0]]
    return ("--fresh",) if kind == "rebuild" else ()


def disturb_round(scene: Scene, victims: list[str]) -> None:
    """Disturb a run once or several times, then run undisturbed, and check after each."""
    kind = scene.chance.choice(KINDS)
    old: State | None = None if kind == "first" else (scene.files, scene.strategy)
    flags = prepare(scene, kind)
    new = (scene.files, scene.strategy)
    story: list[str] = []
    while not story or scene.chance.random() < AGAIN_SHARE:
        story.append(disturb(scene, scene.chance.choice(victims), kind, *flags))
        for name in scene.names:
            if fault := seen_fault(scene, name, old, new):
                scene.faults.append(f"{'; '.join(story)}: {fault}")
    scene.run(*flags)
    for name in scene.names:
        if difference := scene.difference(name, new):
            scene.faults.append(f"{'; '.join(story)}: after the next run {name}: {difference}")
    scene.faults += [f"{'; '.join(story)}: {remains} is left" for remains in left_behind(scene)]


def disturb(scene: Scene, victim: str, kind: str, *flags: str) -> str:
    """Start a run and hit it at a random moment; return a description."""
    run = scene.start(*flags)
    delay = scene.chance.uniform(0, scene.seconds[kind])
    story = f"{kind}, {victim} hit after {delay:.2f} s of {scene.seconds[kind]:.2f}"
    time.sleep(delay)
    if run.poll() is None:
        with suppress(psutil.Error, psycopg.Error, ProcessLookupError, FileNotFoundError):
            VICTIMS[victim](scene, run)
            scene.counts.update(("kills", f"kills of {victim}"))
    output = ""
    try:
        output, _ = run.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        scene.faults.append(f"{story}: the run hangs")
        run.kill()
        run.communicate()
    if "internal error" in output:
        scene.faults.append(f"{story}: {output[-2000:]}")
    return f"{story}, run ended with {run.returncode}"


def seen_fault(scene: Scene, name: str, old: State | None, new: State) -> str:
    """Readers have to see the old or the new index; before a first run none, or a part that says so."""
    difference = scene.difference(name, new)
    if not difference or (old is None and difference.startswith("the index is")):
        return ""
    if difference == "the index is interrupted":
        return ""
    return (
        "" if old and not scene.difference(name, old) else f"{name} is neither the old nor the new index: {difference}"
    )


def left_behind(scene: Scene) -> list[str]:
    """Objects that no index needs; sessions and processes get a moment to end."""
    remains = scene.query("""
        SELECT 'table ' || c.relname FROM pg_class c WHERE c.relnamespace = 'cocosearch_py'::regnamespace
        AND c.relkind IN ('r', 'p') AND c.relname ~ '_[0-9]+$' AND NOT EXISTS (SELECT 1 FROM cocosearch_py.indexes i
            WHERE i.index_id::text = substring(c.relname FROM '[0-9]+$'))
        UNION ALL SELECT 'row of builds ' || name FROM cocosearch_py.builds
        UNION ALL SELECT 'row of runs ' || index_name FROM cocosearch_py.runs WHERE state IN ('queued', 'running')
        UNION ALL SELECT DISTINCT 'chunks of index ' || index_id FROM cocosearch_py.chunks
            WHERE index_id NOT IN (SELECT index_id FROM cocosearch_py.indexes)
    """)
    deadline = time.monotonic() + GRACE_S
    while (alive := [*_sessions(scene), *_processes()]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return [*remains, *alive]


def _sessions(scene: Scene) -> list[str]:
    return scene.query("""
        SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory'
        UNION ALL SELECT 'temporary ' || relname FROM pg_class WHERE relpersistence = 't'
        UNION ALL SELECT 'session ' || pid FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'
            AND clock_timestamp() - state_change > interval '5 s'
    """)


def _processes() -> Iterator[str]:
    for process in psutil.process_iter(["cmdline", "status"]):
        with suppress(psutil.Error, OSError):
            command = " ".join(process.info["cmdline"] or [])
            shared = "reaper" in command or "postgres" in command or process.info["status"] == psutil.STATUS_ZOMBIE
            if not shared and process.environ().get(MARK) == str(os.getpid()):
                yield f"process {process.pid} {command[:80]}"


def temporary_folders(scene: Scene, temporary: Path) -> list[str]:
    """Folders that killed runs left, after one more run that finds them to be old."""
    for path in temporary.iterdir():
        os.utime(path, (1, 1))
    scene.run("--fresh")
    return [f"temporary {path.name}" for path in temporary.iterdir()]


def database_files(scene: Scene) -> list[str]:
    """Files of tables that the database does not know, after a restart of the server."""
    scene.product.run("db", "stop")
    (data,) = scene.query("SHOW data_directory")
    (database,) = scene.query("SELECT oid FROM pg_database WHERE datname = current_database()")
    known = set(scene.query("SELECT pg_relation_filenode(oid) FROM pg_class"))
    files = [path for path in Path(data, "base", database).iterdir() if path.name[0].isdecimal()]
    unknown = [path for path in files if path.name.split(".")[0].split("_")[0] not in known]
    return [f"{len(unknown)} files of no table"] if unknown else []


class Readers:
    """Threads that read all the time; the number of rows has to be the one that the index's own row says."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._done, self.reads = scene, threading.Event(), 0
        self._url = scene.product.run("db", "url")["url"]
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
            with suppress(psycopg.OperationalError), psycopg.connect(self._url) as connection:  # the server may be away
                connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
                if wrong := self._wrong(connection):
                    self._scene.faults.append(f"a reader met {wrong}")
                self.reads += 1

    def _wrong(self, connection: "psycopg.Connection[Any]") -> str:
        name = random.choice(self._scene.names)
        query = "SELECT file_count, chunk_count FROM cocosearch_py.indexes WHERE name = %s"
        row = connection.execute(query, [name]).fetchone()
        if row is None:
            return ""
        counts = [
            connection.execute(
                f"SELECT count(*) FROM {where} AND index_id = %s".encode(), [index_number(connection, name)]
            )
            for where in ("cocosearch_py.files WHERE status = 'indexed'", "cocosearch_py.chunks WHERE true")
        ]
        counted = tuple(cursor.fetchall()[0][0] for cursor in counts)
        return "" if counted == row else f"{counted} files and chunks instead of {row}"


def postmaster(scene: Scene) -> psutil.Process:
    (data,) = scene.query("SHOW data_directory")
    return psutil.Process(int(Path(data, "postmaster.pid").read_text().split("\n", 1)[0]))


def kill_worker(scene: Scene, run: "subprocess.Popen[str]") -> None:
    if children := psutil.Process(run.pid).children(recursive=True):
        scene.chance.choice(children).kill()


def kill_backend(scene: Scene, _: "subprocess.Popen[str]") -> None:
    backends = [child for child in postmaster(scene).children() if "[local]" in " ".join(child.cmdline())]
    if backends:
        scene.chance.choice(backends).kill()


def cut_power(scene: Scene, run: "subprocess.Popen[str]") -> None:
    """Kill all at once: the server with its processes, the run with its workers."""
    server, ours = postmaster(scene), psutil.Process(run.pid)
    for process in (server, *server.children(), ours, *ours.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def end_session(scene: Scene, _: "subprocess.Popen[str]") -> None:
    scene.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")


def twice(signal_once: Callable[[Scene, "subprocess.Popen[str]"], object]) -> Callable[..., None]:
    def do(scene: Scene, run: "subprocess.Popen[str]") -> None:
        signal_once(scene, run)
        time.sleep(scene.chance.uniform(0, MAX_PAUSE_S))
        signal_once(scene, run)

    return do


VICTIMS: dict[str, Callable[[Scene, "subprocess.Popen[str]"], object]] = {
    "run": lambda _, run: run.kill(),
    "worker": kill_worker,
    "backend": kill_backend,
    "server": lambda scene, _: postmaster(scene).kill(),
    "power": cut_power,
    "session": end_session,
    "stop": lambda scene, _: scene.product.run("db", "stop"),
    "interrupt": lambda _, run: os.killpg(run.pid, signal.SIGINT),
    "interrupts": twice(lambda _, run: os.killpg(run.pid, signal.SIGINT)),
    "terminate": lambda _, run: run.terminate(),
    "terminates": twice(lambda _, run: run.terminate()),
}
