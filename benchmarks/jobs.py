"""How soon runs of the queue begin, end and begin again, and whether any kill at any moment loses one.

    python benchmarks/jobs.py answers FOLDER [--times N] [--json OUT]
    python benchmarks/jobs.py cancel FOLDER [--times N] [--json OUT]
    python benchmarks/jobs.py resume FOLDER... [--share .8] [--json OUT]
    python benchmarks/jobs.py kills FOLDER [--times N] [--seed N] [--only VICTIM] [--json OUT]

A server of its own over stdio, on a data folder of its own, is asked as a client asks it.

answers: seconds from `ensure_repo_index` to its answer, on an index that is up to date and with a worker that lives,
    and from the call to the moment the run begins where no worker lives.
cancel: seconds from `cancel_indexing` at a random moment to the state `cancelled`.
resume: the worker of a first build of all FOLDERs in one tree is killed at a share of its bytes, while a client asks
    `index_status` every second. Seconds until the next worker has prepared a file, and the share of the files that were
    prepared twice: those that the first worker had told of or had in hand, and the second one prepared again.
kills: the worker, the server or the database is killed (SIGKILL), or with `--only stop` the database is stopped, at
    random moments of first builds, updates and rebuilds, of some more than once. Each run has to end `completed`, and
    the index has to equal, row by row, one of the same files made in peace. Ends with 1 if anything of that is not so.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
from faults import make_states, put_files
from samerows import Rows, read

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import CocosearchError, DatabaseError
from cocosearch_py.storage.queries import runs
from cocosearch_py.storage.queries.runs import RunRow
from cocosearch_py.storage.server.administration import stop_server

NAME = "victim"
PATIENCE_S = 600.0
AGAIN_SHARE = 0.3  # of the runs are hit once more
VICTIMS = ("worker", "server", "database", "stop")
KINDS = ("first", "update", "rebuild")


class Server:
    """`cocosearch-py mcp` over stdio, and what a client says to it."""

    def __init__(self, data: Path, folder: Path) -> None:
        environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(data)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cocosearch_py", "mcp"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._ask("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        """The answer of a tool; raises ConnectionError when the server is gone."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return json.loads(answer["content"][0]["text"])

    def end(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                return message["result"]
        raise ConnectionError("the server ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise ConnectionError("the server ended") from error


class Scene:
    """A data folder, a folder that is indexed, and a server."""

    def __init__(self, scratch: Path, app: App) -> None:
        self.scratch, self.app = scratch, app
        self.folder = scratch / "folder"
        self.server: Server | None = None

    def ask(self, tool: str, **arguments: Any) -> Any:
        """The answer of a tool; a server that is gone is started anew, as clients do."""
        for _ in range(5):
            try:
                if self.server is None:
                    self.server = Server(self.scratch / "data", self.scratch)
                return self.server.call(tool, **arguments)
            except ConnectionError:
                if self.server is not None:
                    self.server.end()
                self.server = None
        raise ConnectionError("the server ends again and again")

    def index(self, **more: Any) -> str:
        """Ask for a run; returns its id."""
        answer = self.ask("index_codebase", path=str(self.folder), index_name=NAME, wait=False, **more)
        if "job_id" not in answer:
            raise ValueError(str(answer))
        return str(answer["job_id"])

    def row(self, run_id: str) -> RunRow:
        found = self.app.database.read(lambda conn: runs.get(conn, run_id))
        assert found is not None
        return found

    def follow(self, run_id: str) -> Any:
        """Ask how far a run is until it has ended; returns the last answer."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self.ask("index_status", job_id=run_id, wait_s=5)
            if answer.get("state") in ("completed", "failed", "cancelled"):
                return answer
            time.sleep(0.2)
        return {"state": "hangs", "last": answer}

    def workers(self) -> list[psutil.Process]:
        """The processes that take runs of this data folder."""
        query = "SELECT process FROM cocosearch_py.workers"
        marks = self.app.database.read(lambda conn: [row[0] for row in conn.execute(query)])
        found = []
        for mark in marks:
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(int(mark.split("/")[1])))
        return found

    def postmaster(self) -> psutil.Process:
        assert self.app.database.server
        return psutil.Process(int((self.app.database.server.data / "postmaster.pid").read_text().split("\n", 1)[0]))

    def end_workers(self) -> None:
        for process in self.workers():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGTERM)
                until(lambda process=process: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)


@contextmanager
def scene_of(folders: list[Path]) -> Iterator[Scene]:
    """A scene with copies of the folders; everything is ended and removed behind it."""
    scratch = Path(tempfile.mkdtemp(prefix="jobs-"))
    scratch.chmod(0o755)
    ignored = shutil.ignore_patterns(".git")
    if len(folders) == 1:
        shutil.copytree(folders[0], scratch / "folder", symlinks=True, ignore=ignored)
    for folder in folders if len(folders) > 1 else ():
        shutil.copytree(folder, scratch / "folder" / folder.name, symlinks=True, ignore=ignored)
    with App(Settings(), scratch / "data") as app:
        app.database.start()
        scene = Scene(scratch, app)
        try:
            yield scene
        finally:
            if scene.server is not None:
                scene.server.end()
            scene.end_workers()
            home = app.database.server.home if app.database.server else None
            stop_server(app.database)
            shutil.rmtree(scratch, ignore_errors=True)
            if home is not None:
                shutil.rmtree(home, ignore_errors=True)


def until(found: Callable[[], Any], pause_s: float = 0.01) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with suppress(DatabaseError, psycopg.Error):
            if seen := found():
                return seen
        time.sleep(pause_s)
    raise TimeoutError("it did not happen")


def spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    high = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    figures = {"median_ms": statistics.median(ordered), "p95_ms": high, "most_ms": ordered[-1]}
    return {"n": len(ordered), **{key: round(1000 * value, 1) for key, value in figures.items()}}


def measure_answers(scene: Scene, times: int) -> dict[str, Any]:
    """See `answers` above."""
    folder = str(scene.folder)
    scene.ask("ensure_repo_index", path=folder)
    warm, cold_answers, begins = [], [], []

    def newest_ended() -> RunRow | None:
        row = scene.app.database.read(lambda conn: runs.recent(conn, 1, lambda _: True))[0]
        return row if row.ended_at is not None else None

    for _ in range(times):
        until(newest_ended)
        started = time.monotonic()
        scene.ask("ensure_repo_index", path=folder)
        warm.append(time.monotonic() - started)
    for _ in range(times):
        until(newest_ended)
        scene.end_workers()
        asked, started = time.time(), time.monotonic()
        scene.ask("ensure_repo_index", path=folder)
        cold_answers.append(time.monotonic() - started)
        row = until(newest_ended)
        begins.append(row.started_at.timestamp() - asked)
    return {"answered_warm": spread(warm), "answered_without_worker": spread(cold_answers), "begins": spread(begins)}


def measure_cancel(scene: Scene, times: int) -> dict[str, Any]:
    """See `cancel` above."""
    run_id = scene.index()
    began = time.monotonic()
    scene.follow(run_id)
    whole_s = time.monotonic() - began
    rng, seconds, late, stages = random.Random(1), [], 0, Counter[str]()
    while len(seconds) < times:
        run_id = scene.index(fresh=True)
        until(lambda run_id=run_id: scene.row(run_id).state != "queued")
        time.sleep(rng.uniform(0, whole_s))
        before = scene.row(run_id)
        started = time.monotonic()
        scene.ask("cancel_indexing", job_id=run_id)
        ended = until(lambda run_id=run_id: (row := scene.row(run_id)).ended_at is not None and row)
        if ended.state == "cancelled":
            seconds.append(time.monotonic() - started)
            stages[before.stage] += 1
        else:
            late += 1
    return {"cancelled": spread(seconds), "at": dict(stages), "ended_before": late, "whole_s": round(whole_s, 1)}


def measure_resume(scene: Scene, share: float) -> dict[str, Any]:
    """See `resume` above."""
    run_id = scene.index()
    began = time.monotonic()

    def reached() -> RunRow | None:
        row = scene.row(run_id)
        return row if row.bytes_total and row.bytes_done >= share * row.bytes_total else None

    row = until(reached)
    first_s = time.monotonic() - began
    (worker,) = scene.workers()
    worker.kill()
    killed = time.monotonic()
    row = scene.row(run_id)
    known = row.files_done + len(row.in_hand)
    begun_s = 0.0
    kept: int | None = None
    while True:
        scene.ask("index_status", job_id=run_id)
        now = scene.row(run_id)
        if now.attempt > 1 and not begun_s:
            begun_s = time.monotonic() - killed
        if now.attempt > 1 and now.state == "running" and now.stage == "parse":
            kept = now.files_done if kept is None else kept
            if now.in_hand or now.files_done > kept:
                break
        if now.ended_at is not None:
            break
        time.sleep(0.2)
    resumed_s = time.monotonic() - killed
    answer = scene.follow(run_id)
    stats = answer["stats"]
    files = stats["files_added"] + stats["files_unchanged"]
    return {
        "state": answer["state"],
        "files": files,
        "chunks": stats["chunks"],
        "seconds_to_the_kill": round(first_s, 1),
        "prepared_before": known,
        "kept": stats["files_unchanged"],
        "prepared_after": stats["files_added"],
        "begun_again_s": round(begun_s, 2),
        "resumed_s": round(resumed_s, 2),
        "twice": round(max(0, known - stats["files_unchanged"]) / files, 4),
        "log": [f"{one.kind} {one.message[:80]}" for one in scene.app.runs.log(run_id)],
    }


def measure_kills(scene: Scene, times: int, seed: int, victims: Sequence[str]) -> dict[str, Any]:
    """See `kills` above."""
    rng = random.Random(seed)
    clean = {state: clean_rows(scene, state) for state in ("a", "b")}
    counts, faults, seconds = Counter[str](), [], {}
    state = "a"
    for kind in KINDS:
        state, flags = prepare(scene, kind, state)
        began = time.monotonic()
        answer = scene.follow(scene.index(**flags))
        seconds[kind] = time.monotonic() - began
        if answer["state"] != "completed":
            raise ValueError(f"an undisturbed run ended {answer}")
    kills = 0
    while kills < times:
        kind = rng.choice(KINDS)
        state, flags = prepare(scene, kind, state)
        run_id, story = scene.index(**flags), []
        while not story or rng.random() < AGAIN_SHARE:
            victim, delay = rng.choice(victims), rng.uniform(0, seconds[kind])
            time.sleep(delay)
            hit = kill(scene, victim, run_id)
            story.append(f"{kind}, {victim} after {delay:.2f} s of {seconds[kind]:.2f}: {hit}")
            kills += hit != "missed"
            counts[f"{kind} {victim} {hit}"] += 1
        began = time.monotonic()
        answer = scene.follow(run_id)
        took = time.monotonic() - began
        wrong = "" if answer.get("state") == "completed" else json.dumps(answer)[:600]
        wrong = wrong or difference(scene.app.database.read(read), clean[state])
        if wrong:
            log = [f"{one.kind}: {one.message}" for one in scene.app.runs.log(run_id)]
            faults.append(f"{'; '.join(story)}: {wrong}; {log}")
        sys.stderr.write(
            f"{kills} kills, {'; '.join(story)}, ended after {took:.1f} s; {faults[-1:] if wrong else ''}\n"
        )
    whole = {kind: round(value, 2) for kind, value in seconds.items()}
    return {"kills": kills, "by_kind": dict(sorted(counts.items())), "seconds": whole, "faults": faults}


def kill(scene: Scene, victim: str, run_id: str) -> str:
    """Kill one; returns the state that the run was in, or `missed`."""
    try:
        row = scene.row(run_id)
        if victim == "server":
            if scene.server is None:
                return "missed"
            scene.server.process.kill()
        elif victim == "database":
            scene.postmaster().kill()
        elif victim == "stop":
            stop_server(scene.app.database)
        elif workers := scene.workers():
            for process in workers:
                process.kill()
        else:
            return "missed"
    except (psutil.Error, FileNotFoundError, CocosearchError):
        return "missed"
    return row.state if row.ended_at is None else "ended"


def clean_rows(scene: Scene, state: str) -> Rows:
    """The rows of an index of one state that was made in peace, in a database of its own."""
    put_files(scene.scratch / state, scene.folder)
    with App(Settings(), scene.scratch / f"clean-{state}") as app:
        app.index(scene.folder, name=NAME)
        rows = app.database.read(read)
        home = app.database.server.home if app.database.server else None
        stop_server(app.database)
    if home is not None:
        shutil.rmtree(home, ignore_errors=True)
    return rows


def prepare(scene: Scene, kind: str, state: str) -> tuple[str, dict[str, Any]]:
    """Bring index and folder to where a run of this kind begins; returns the state of the folder and the flags."""
    if kind == "first":
        scene.ask("clear_index", index_name=NAME, purge=True)
    elif kind == "update":
        state = "b" if state == "a" else "a"
    put_files(scene.scratch / state, scene.folder)
    return state, {"fresh": True} if kind == "rebuild" else {}


def difference(ours: Rows, theirs: Rows) -> str:
    """What tells two indexes from each other; empty when nothing does."""
    differs = []
    for key in sorted(ours.keys() | theirs.keys()):
        left, right = ours.get(key, Counter()), theirs.get(key, Counter())
        if left != right:
            differs.append(f"{key[1]}: {(left - right).total()} more, {(right - left).total()} missing")
    return "; ".join(differs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("answers", "cancel", "resume", "kills"))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=VICTIMS, help="may be repeated")
    parser.add_argument("--json", type=Path, help="add the figures to this file")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which leaves nothing behind
    with scene_of(given.folders) as scene:
        if given.what == "answers":
            figures = measure_answers(scene, given.times)
        elif given.what == "cancel":
            figures = measure_cancel(scene, given.times)
        elif given.what == "resume":
            figures = measure_resume(scene, given.share)
        else:
            shutil.rmtree(scene.folder)
            make_states(given.folders[0], scene.scratch, random.Random(given.seed))
            figures = measure_kills(scene, given.times, given.seed, given.only or VICTIMS[:3])
    figures["load"] = round(os.getloadavg()[0], 1)
    if given.json:
        kept = json.loads(given.json.read_text()) if given.json.exists() else {}
        given.json.write_text(
            json.dumps({**kept, "_".join([given.what, *(given.only or ())]): figures}, indent=1) + "\n",
            encoding="utf-8",
        )
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return bool(figures.get("faults"))


if __name__ == "__main__":
    sys.exit(main())
