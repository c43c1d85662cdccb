"""Kills in the middle of edits: what the file holds, what the log says of it, and whether undo works after that.

    python benchmarks/edit_kills.py [--only PART] [--kills N] [--seed N] [--json OUT] [--database URL]

The parts, each on a project and, unless one is given, a database of its own:

syscalls   an edit, a creation and a removal are cut off by SIGKILL at each of their system calls, by strace, one after
           the other (needs Linux and strace);
steps      the same at each step that Python itself tells of, without strace;
random     a process that edits one file over and over is killed at random moments;
full       edits of a file on a file system of 64 KB that has no room for a second copy (needs root, for a mount);
lost       the database server is killed at random moments under a process that goes on editing, and started again.

An edit is here what is logged and written, without what is asked before: whether it may be, and how the file parses.
After each, the file has to be an old or a new one as a whole; after recovery the log has to say the hash that is on
disk and nothing may lie beside the file; undo has to give back what was there before, and undoing that the newer
content. Ends with 1 if anything of that is not so. The time of an edit is not measured here.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.editing.undo import UndoRequest
from cocosearch_py.editing.writing import Place
from cocosearch_py.errors import CocosearchError, DatabaseError
from cocosearch_py.model.changes import ChangeRequest, Intent, hash_of_bytes, is_temporary
from cocosearch_py.storage.server.administration import stop_server

MOST_BYTES = 1 << 20
OLD = b"".join(b"line %d of the old content\n" % number for number in range(2_000))
NEW = OLD.replace(b"line 1000 of the old", b"line 1000 of the new")
KINDS: dict[str, tuple[bytes | None, bytes | None]] = {"edit": (OLD, NEW), "create": (None, NEW), "remove": (OLD, None)}
NAME = "file.txt"
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")


@dataclass(slots=True)
class Scene:
    """The database, the folder of the file, and what was found."""

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
        print(f"FAULT {where}: {what}", file=sys.stderr)


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
        seen = place.read(MOST_BYTES)
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
    """What must hold after a kill, before and after recovery; `states`: contents that the file may have, by hash."""
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
    found, _ = log.read(root, ChangeRequest(most=1))
    if not found:
        return
    last = found[-1]
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


@contextmanager
def child(scene: Scene, work: Callable[[App], None]) -> Iterator[tuple[int, Callable[[], None]]]:
    """A process that is ready to do `work`, with modules and connections as a server has them; and what lets it begin.

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


@contextmanager
def traced(pid: int, out: Path, *options: str) -> Iterator[None]:
    """A process under strace, once that has attached."""
    command = ["strace", "-f", "-o", str(out), *options, "-p", str(pid)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr is not None
        while "attached" not in (line := tracer.stderr.readline()):
            if not line:
                raise SystemExit("strace cannot attach")
        yield
        tracer.wait()


def calls_of(scene: Scene, before: bytes | None, after: bytes | None, scratch: Path) -> list[str]:
    """The system calls of one whole change, in order."""
    out = scratch / "trace"
    reset(scene, before)
    with child(scene, lambda app: (write(app, scene.root, after), None)[1]) as (pid, begin), traced(pid, out):
        begin()
    return [found[1] for line in out.read_text(errors="replace").splitlines() if (found := _CALL.match(line))]


def at_each_call(scene: Scene, _: argparse.Namespace, scratch: Path) -> None:
    """Kill at every system call of a change, each by its name and how often it was made."""
    for kind, (before, after) in KINDS.items():
        names = calls_of(scene, before, after, scratch)
        scene.counts[f"system calls of {kind}"] = len(names)
        made: Counter[str] = Counter()
        for place, name in enumerate(names):
            made[name] += 1
            reset(scene, before)
            option = f"inject={name}:signal=KILL:when={made[name]}"
            with (
                child(scene, lambda app, after=after: (write(app, scene.root, after), None)[1]) as (pid, begin),
                traced(pid, scratch / "trace", "-e", option),
            ):
                begin()
            scene.counts["kills"] += 1
            scene.counts["new after the kill"] += content(scene.file) == after
            check(scene, f"{kind}, call {place} ({name})", {hash_of(one): one for one in (before, after)})


def at_each_step(scene: Scene, asked: argparse.Namespace, _: Path) -> None:
    """Kill at every step of a change that an audit hook sees: opening, removing, naming and describing files."""
    for kind, (before, after) in KINDS.items():
        step = 0
        while True:
            step += asked.every
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
            check(scene, f"{kind}, step {step}", {hash_of(one): one for one in (before, after)})
            if not os.WIFSIGNALED(code):
                break
            scene.counts["kills"] += 1
            scene.counts["new after the kill"] += content(scene.file) == after


def states_of_loop(number: int) -> bytes:
    return OLD.replace(b"line 7 ", b"line 7 in state %d " % number)


def edit_on(app: App, root: Path, first: int, *, forgiving: bool = False) -> None:
    """Edit the file until killed; or, forgiving a database that is away, until told by a file."""
    number = first
    while not (root.parent / "stop").exists():
        number += 1
        try:
            write(app, root, states_of_loop(number))
        except DatabaseError:
            if not forgiving:
                raise
            time.sleep(0.02)


def at_random(scene: Scene, asked: argparse.Namespace, _: Path) -> None:
    """Kill a process that edits over and over."""
    chance = random.Random(asked.seed)
    for kill in range(asked.kills):
        reset(scene, states_of_loop(0))
        with child(scene, lambda app: edit_on(app, scene.root, 0)) as (pid, begin):
            begin()
            time.sleep(chance.uniform(0, 0.2))
            os.kill(pid, signal.SIGKILL)
        scene.counts["kills"] += 1
        now = content(scene.file) or b""
        found = re.search(rb"line 7 in state (\d+) ", now)
        number = int(found[1]) if found else 0
        scene.counts["edits before the kills"] += number
        check(scene, f"random kill {kill}", {hash_of(states_of_loop(number)): now})
    check_chain(scene, "random kills")


def check_chain(scene: Scene, where: str) -> None:
    """Each change begins with what the one before left, and no number is missing."""
    since, last, seqs = 0, None, []
    while True:
        found, _ = scene.app.change_log.read(str(scene.root), ChangeRequest(since_seq=since, most=1_000))
        if not found:
            break
        for one in found:
            if since and one.hash_before != last:
                scene.fault(where, f"change {one.seq} begins with {one.hash_before}, the one before left {last}")
            since, last = one.seq, one.hash_after
            seqs.append(one.seq)
    scene.counts["changes in the log"] = len(seqs)


def on_full_disk(scene: Scene, asked: argparse.Namespace, scratch: Path) -> None:
    """Edits that the file system has no room for."""
    small = scratch / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    scene.root = small
    try:
        old = OLD[:40_000]
        scene.file.write_bytes(old)
        for number in range(20):
            try:
                write(scene.app, small, old + b"%d" % number)
                scene.fault("full", "an edit had room")
            except CocosearchError as error:
                scene.counts[f"refused: {error.message[:60]}"] += 1
            check(scene, f"full disk, edit {number}", {hash_of(old): old})
        scene.file.write_bytes(old[:20_000])
        write(scene.app, small, old[:20_001])  # which has room
        scene.counts["edits with room"] += 1
        check(scene, "full disk, with room", {hash_of(old[:20_001]): None})
    finally:
        subprocess.run(["umount", str(small)], check=True)


def without_database(scene: Scene, asked: argparse.Namespace, _: Path) -> None:
    """Kill the database server under a process that goes on editing."""
    chance = random.Random(asked.seed)
    server = scene.app.database.server
    assert server is not None
    for kill in range(max(1, asked.kills // 10)):
        reset(scene, states_of_loop(0))
        stop = scene.root.parent / "stop"
        with child(scene, lambda app: edit_on(app, scene.root, 0, forgiving=True)) as (_pid, begin):
            begin()
            time.sleep(chance.uniform(0.05, 0.4))
            with suppress(ProcessLookupError, FileNotFoundError):
                os.kill(int((server.home / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
                scene.counts["servers killed"] += 1
            time.sleep(chance.uniform(0.2, 1.0))
            stop.touch()
        stop.unlink()
        now = content(scene.file) or b""
        found = re.search(rb"line 7 in state (\d+) ", now)
        number = int(found[1]) if found else 0
        scene.counts["edits"] += number
        scene.app.close()
        check(scene, f"lost database {kill}", {hash_of(states_of_loop(number)): now})
    check_chain(scene, "lost database")


PARTS = {
    "syscalls": at_each_call,
    "steps": at_each_step,
    "random": at_random,
    "full": on_full_disk,
    "lost": without_database,
}


def play(part: str, asked: argparse.Namespace) -> dict[str, Any]:
    """One part on a database and a folder of its own."""
    scratch = Path(tempfile.mkdtemp(prefix="edit-kills-"))
    try:
        root = scratch / "project"
        root.mkdir()
        data = scratch / "data"
        settings = Settings(database=DatabaseSettings(url=asked.database))
        with App(settings, data) as app:
            app.database.start()
            scene = Scene(app, settings, data, root)
            begun = time.monotonic()
            PARTS[part](scene, asked, scratch)
            seconds = time.monotonic() - begun
            stop_server(app.database)
        return {"seconds": round(seconds), **scene.counts, "faults": scene.faults}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of `steps`, each N-th only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--database", help="address of a database to use instead; not for `lost`")
    asked = parser.parse_args()
    found = {part: play(part, asked) for part in asked.only or PARTS}
    print(json.dumps(found, indent=1))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(any(one["faults"] for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
