"""Kills in the middle of edits."""

import itertools
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from benchmarks.frame import benchmark, report_faults
from benchmarks.rows import Figures
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.editing.undo import UndoRequest
from cocosearch_py.editing.writing import Place
from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.changes import ChangeRequest, Intent, hash_of_bytes, is_temporary
from cocosearch_py.storage.server.administration import stop_server

MAX_BYTES = 1 << 20
OLD = b"".join(b"line %d of the old content\n" % number for number in range(2_000))
NEW = OLD.replace(b"line 1000 of the old", b"line 1000 of the new")
KINDS: dict[str, tuple[bytes | None, bytes | None]] = {"edit": (OLD, NEW), "create": (None, NEW), "remove": (OLD, None)}
NAME = "file.txt"


@dataclass(slots=True)
class Scene:
    """Database, folder of the file, counts and faults."""

    app: App
    settings: Settings
    data: Path
    root: Path
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.root / NAME

    def fault(self, where: str, what: str) -> None:
        self.faults.append(f"{where}: {what}")


def content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def hash_of(data: bytes | None) -> str | None:
    return None if data is None else hash_of_bytes(data)


def write(app: App, root: Path, after: bytes | None) -> int:
    """Give the file a content as edits do; the number of the change."""
    with Place(str(root), NAME) as place:
        seen = place.read(MAX_BYTES)
        before = None if seen is None else seen.data
        pending = app.change_log.begin(Intent(str(root), NAME, "replace", "benchmark", before, after, 0o644))
        try:
            if seen is None:
                place.create(after or b"", pending.temporary)
            elif after is None:
                place.remove(seen, pending.temporary)
            else:
                place.replace(seen, after, pending.temporary)
        except CocosearchError:
            app.change_log.abandon(pending)
            raise
        return app.change_log.finish(pending).seq


def intents(scene: Scene) -> int:
    with scene.app.database.reading() as conn:
        row = conn.execute("SELECT count(*) FROM cocosearch_py.changes WHERE seq IS NULL").fetchone()
    return int(row[0]) if row else 0


def check(scene: Scene, where: str, states: dict[str | None, bytes | None]) -> None:
    """Check file and log after a kill, before and after recovery; `states`: contents that the file may have."""
    log, root = scene.app.change_log, str(scene.root)
    now = content(scene.file)
    if hash_of(now) not in states:
        scene.fault(where, f"the file is torn: {None if now is None else len(now)} bytes")
        return
    log.recover(root)
    if content(scene.file) != now:
        scene.fault(where, "recovery changed the file")
    if left := [name for name in os.listdir(scene.root) if is_temporary(name)]:
        scene.fault(where, f"{left} lie beside the file")
    if intents(scene):  # the server was still at work on what the dead process had sent
        log.recover(root)
        scene.counts["settled by a second recovery"] += 1
        if intents(scene):
            scene.fault(where, "an intent is left")
    check_undo(scene, where, now)


def check_undo(scene: Scene, where: str, now: bytes | None) -> None:
    """Check that the log has the content on disk, and that undo and its undo give back both contents."""
    root = str(scene.root)
    changes, _ = scene.app.change_log.read(root, ChangeRequest(most=1))
    if not changes:
        return
    last = changes[-1]
    if last.hash_after != hash_of(now):
        scene.fault(where, f"the log says {last.hash_after}, the file has {hash_of(now)}")
    elif not last.sure:
        scene.fault(where, "the log is not sure")
    else:
        (undone,) = scene.app.undoing.undo(UndoRequest(root, last.seq))
        if hash_of(content(scene.file)) != last.hash_before:
            scene.fault(where, "undo did not give back what was there")
        scene.app.undoing.undo(UndoRequest(root, undone.new_seq or 0))
        if content(scene.file) != now:
            scene.fault(where, "undoing the undo did not give back the newer content")
        scene.counts["undone and redone"] += 1


def reset(scene: Scene, before: bytes | None) -> None:
    """The file as it is to be before the next kill, through the log, so that its chain is whole."""
    if content(scene.file) != before:
        write(scene.app, scene.root, before)


def changing(scene: Scene, after: bytes | None) -> Callable[[App], None]:
    """Work of a child that changes the file."""

    def change(app: App) -> None:
        write(app, scene.root, after)

    return change


@contextmanager
def child(scene: Scene, work: Callable[[App], None]) -> Iterator[tuple[int, Callable[[], None]]]:
    """Process that is ready to do `work`, with modules and connections as a server has them; and a call that starts it.

    It has ended when the context ends, by itself or by a kill.
    """
    ready, go = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            app = App(scene.settings, scene.data)
            app.change_log.recover(str(scene.root))
            os.write(ready[1], b"r")
            os.read(go[0], 1)
            work(app)
            code = 0
        finally:
            os._exit(code)
    os.read(ready[0], 1)
    try:
        yield pid, lambda: (os.write(go[1], b"g"), None)[1]
    finally:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        for end in (*ready, *go):
            os.close(end)


def at_each_step(scene: Scene, _kills: int, every: int) -> None:
    """Kill at every step of a change that an audit hook sees: opening, removing, naming and describing files."""
    for kind, (before, after) in KINDS.items():
        step = 0
        while True:
            step += every
            reset(scene, before)

            def work(app: App, after: bytes | None = after, last: int = step) -> None:
                seen = 0

                def count(event: str, _: object) -> None:
                    nonlocal seen
                    seen += event == "open" or event.startswith(("os.", "fcntl."))
                    if seen == last:
                        os.kill(os.getpid(), signal.SIGKILL)

                sys.addaudithook(count)
                write(app, scene.root, after)

            with child(scene, work) as (pid, begin):
                begin()
                code = os.waitpid(pid, 0)[1]
            check(scene, f"{kind}, step {step}", {hash_of(state): state for state in (before, after)})
            if not os.WIFSIGNALED(code):
                break
            scene.counts["kills"] += 1
            scene.counts["new after the kill"] += content(scene.file) == after


def states_of_loop(number: int) -> bytes:
    return OLD.replace(b"line 7 ", b"line 7 in state %d " % number)


def edit_on(app: App, root: Path) -> None:
    """Edit the file until killed."""
    for number in itertools.count(1):
        write(app, root, states_of_loop(number))


def at_random(scene: Scene, kills: int, _every: int) -> None:
    """Kill a process that edits over and over."""
    chance = random.Random(1)
    for kill in range(kills):
        reset(scene, states_of_loop(0))
        with child(scene, lambda app: edit_on(app, scene.root)) as (pid, begin):
            begin()
            time.sleep(chance.uniform(0, 0.2))
            os.kill(pid, signal.SIGKILL)
        scene.counts["kills"] += 1
        now = content(scene.file) or b""
        match = re.search(rb"line 7 in state (\d+) ", now)
        number = int(match[1]) if match else 0
        scene.counts["edits before the kills"] += number
        check(scene, f"random kill {kill}", {hash_of(states_of_loop(number)): now})
    check_chain(scene, "random kills")


def check_chain(scene: Scene, where: str) -> None:
    """Each change has to begin with the content that the previous change left."""
    since, last, seqs = 0, None, []
    while True:
        changes, _ = scene.app.change_log.read(str(scene.root), ChangeRequest(since_seq=since, most=1_000))
        if not changes:
            break
        for change in changes:
            if since and change.hash_before != last:
                scene.fault(
                    where, f"change {change.seq} begins with {change.hash_before}, the change before left {last}"
                )
            since, last = change.seq, change.hash_after
            seqs.append(change.seq)
    scene.counts["changes in the log"] = len(seqs)


PARTS: dict[str, Callable[[Scene, int, int], None]] = {
    "steps": at_each_step,
    "random": at_random,
}


@benchmark
def edit_kills(
    *, part: Annotated[str, "steps, or random"] = "steps",
    kills: Annotated[int, "of `random`"] = 200,
    every: Annotated[int, "of `steps`, each N-th only"] = 1,
    database: Annotated[str, "URL of a database to use instead of an own one"] = "",
) -> Figures:  # fmt: skip
    """Kill processes in the middle of edits, creations and removals; check file, log and undo.

    Kills come at each step of a change, or at random moments of a process that edits one file over and over. The file
    has to be the old or the new one as a whole. After recovery the log has to have the hash that is on disk, nothing
    may lie beside the file, undo has to give back the older content, and its undo the newer one.
    """
    scratch = Path(tempfile.mkdtemp(prefix="edit-kills-"))
    try:
        root = scratch / "project"
        root.mkdir()
        settings = Settings(database=DatabaseSettings(url=database or None))
        with App(settings, scratch / "data") as app:
            app.database.start()
            scene = Scene(app, settings, scratch / "data", root)
            PARTS[part](scene, kills, every)
            stop_server(app.database)
        return {**scene.counts, "faults": report_faults(scene.faults)}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
