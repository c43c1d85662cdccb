"""Edits beside what is true of them: git's histories, a plain write, other writers, links that come and go.

    python benchmarks/edits.py [--only PART] [--mirrors FOLDER] [--hunks N] [--rounds N] [--edits N] [--seconds S]
                                [--json OUT]

The parts, each on a project and a database of its own:

hunks      changes of files in git histories, below FOLDER/*/repo, are made hunk by hunk through the tool `patch_file`,
           by lines; hunks that change what stands after the last line, by their text. The bytes have to be git's.
speed      one line of a file of 200 KB is changed; in turns with writing it anew, fsync and rename, in the same folder.
           write: only the exchange; edit: with log and parsing; broken: the same of a file whose syntax the edits break
           more and more; tool: the call of a client, and the index besides.
answer     milliseconds from the call of `patch_file` to an answer of `search_text` that has the new text.
writers    eight processes and a foreign one that appends in place change one file, then one that writes it anew by
           turns in place and by rename. No line that was added may be missing, and no file be torn.
swaps      a folder is exchanged with a link to another one, over and over, while files in it are edited. Nothing may
           be written in the other.

Ends with 1 if bytes differ, an update is lost, a file is torn, or something is written outside.
"""

import argparse
import asyncio
import gc
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

sys.path.append(sys.path.pop(0))  # behind all else: mcp.py beside this file is not the package

from fastmcp import Client

from cocosearch_py.app import App
from cocosearch_py.config.settings import SearchSettings, Settings
from cocosearch_py.editing.conflicts import History
from cocosearch_py.editing.paths import real_place
from cocosearch_py.editing.renaming import exchange
from cocosearch_py.editing.splicing import form_of
from cocosearch_py.editing.writing import Place
from cocosearch_py.errors import CocosearchError
from cocosearch_py.mcp.server import create_server
from cocosearch_py.model.changes import hash_of_bytes
from cocosearch_py.model.edits import EditRequest
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.storage.server.administration import stop_server

MOST_BYTES = 1 << 21
SPEED_BYTES = 200_000
WRITERS = 8
_HUNK = b"@@ -"
_STATEMENT = re.compile(rb" +return [\w.]+")  # a line that may get a comment without another meaning
PARTS = ("hunks", "speed", "answer", "writers", "swaps")


class Hunk(NamedTuple):
    """Lines of the old file, from 1, that are replaced; `start` is the line before where there are none."""

    start: int
    count: int
    new: bytes
    old: bytes
    at_end: bool  # what follows the last line is another


def git(repo: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        ["git", "-C", str(repo), *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"},
    )
    return done.stdout if done.returncode == 0 else b""


def changed_files(repo: Path, commits: int) -> Iterator[tuple[str, str, str]]:
    """(path, old blob, new blob) of files that the last commits modified."""
    for commit in git(repo, "rev-list", "--no-merges", "--min-parents=1", f"-n{commits}", "HEAD").decode().split():
        rows = git(repo, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", f"{commit}~", commit)
        fields = rows.split(b"\0")
        for head, path in zip(fields[::2], fields[1::2], strict=False):
            parts = head.decode().split()
            if len(parts) == 5 and parts[0].endswith("644") and parts[1].endswith("644"):
                yield os.fsdecode(path), parts[2], parts[3]


def hunks_of(repo: Path, old: str, new: str) -> list[Hunk]:
    found: list[Hunk] = []
    lines = git(repo, "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "-a", old, new).split(b"\n")
    pieces: dict[bytes, list[bytes]] = {}
    for line in [*lines[:-1], b"@@ -0 +0 @@"]:
        if line.startswith(_HUNK):
            if pieces:
                found.append(made(pieces))
            pieces = {b"@": [line], b"-": [], b"+": [], b"\\": []}
            last = b"@"
        elif pieces and line[:1] in pieces:
            if line[:1] == b"\\":
                pieces[b"\\"].append(last)
            else:
                pieces[line[:1]].append(line[1:])
                last = line[:1]
    return found


def made(pieces: dict[bytes, list[bytes]]) -> Hunk:
    start, _, count = pieces[b"@"][0].split()[1][1:].partition(b",")
    ended = {side: b"" if side in pieces[b"\\"] else b"\n" for side in (b"-", b"+")}
    texts = {side: b"\n".join(pieces[side]) + (ended[side] if pieces[side] else b"") for side in (b"-", b"+")}
    return Hunk(int(start), int(count or 1), texts[b"+"], texts[b"-"], bool(pieces[b"\\"]))


class Tools:
    """A server in this process, on a folder of its own."""

    def __init__(self, root: Path, data: Path, **settings: Any) -> None:
        self.root = root
        self.app = App(Settings(**settings), data)
        (root / "a.py").write_text("a = 1\n")
        self.app.index(root)
        options = ServerOptions(project=root, working_folder=root, toolsets=("default", "edit"))
        self._server, self.context = create_server(lambda _: self.app, options)

    async def __aenter__(self) -> "Tools":
        self._client = await Client(self._server).__aenter__()
        return self

    async def __aexit__(self, *what: Any) -> None:
        await self._client.__aexit__(*what)
        self.context.jobs.close(30)
        self.app.close()

    async def call(self, tool: str, **arguments: Any) -> Any:
        result = await self._client.call_tool(tool, arguments, raise_on_error=False)
        return json.loads(result.content[0].text)


async def prove_hunks(tools: Tools, mirrors: Path, wanted: int) -> dict[str, Any]:
    """Make changes of histories hunk by hunk; how many there were and what differed."""
    counts, faults = Counter[str](), []
    repositories = [repo for repo in sorted(mirrors.glob("*/repo")) if repo.is_dir()]
    per_repo = max(1, -(-wanted // max(1, len(repositories))))
    async with tools:
        for repo in repositories:
            here = 0
            for path, old, new in changed_files(repo, 400):
                if here >= per_repo or counts["hunks"] >= wanted:
                    break
                before, after = git(repo, "cat-file", "blob", old), git(repo, "cat-file", "blob", new)
                hunks = hunks_of(repo, old, new)
                if not before or not hunks or len(before) > MOST_BYTES or b"\0" in before + after:
                    continue
                suffix = Path(path).suffix
                file = tools.root / f"file{suffix if suffix.isascii() and '.env' not in suffix else ''}"
                file.write_bytes(before)
                outcome = await patched(tools, file, hunks)
                if outcome not in ("", "endings"):
                    counts[outcome] += 1
                    if not outcome.startswith("refused"):
                        faults.append(f"{repo.parent.name} {path} {old[:9]}..{new[:9]}: {outcome}")
                elif file.read_bytes() == after:
                    counts["hunks"] += len(hunks)
                    counts["files"] += 1
                    counts["at the end of a file"] += sum(hunk.at_end for hunk in hunks)
                    here += len(hunks)
                elif file.read_bytes().replace(b"\r", b"") == after.replace(b"\r", b""):
                    counts["files where git changed endings"] += 1
                else:
                    faults.append(f"{repo.parent.name} {path} {old[:9]}..{new[:9]}: other bytes")
                file.unlink()
    return {**counts, "repositories": len(repositories), "faults": faults}


async def patched(tools: Tools, file: Path, hunks: list[Hunk]) -> str:
    """Make hunks, the last one first; why that did not go, or nothing."""
    if (form := encoding_of(file.read_bytes())) is None:
        return "refused: no text"
    known = hash_of(file.read_bytes())
    for hunk in reversed(hunks):
        address: dict[str, Any]
        new = hunk.new.decode(form)
        if hunk.at_end:
            address = by_text(file.read_bytes(), hunk, form)
        elif not hunk.count:
            address = {"op": "insert", "after": hunk.start, "content": new}
        else:
            lines = {"range_start": hunk.start, "range_end": hunk.start + hunk.count - 1}
            address = {"op": "replace", "content": new, **lines} if new else {"op": "delete", **lines}
        told = await tools.call("patch_file", path=file.name, if_hash=known, **address)
        if told.get("error"):
            kind = "refused" if told["error_type"] == "safety_error" else "failed"
            return f"{kind}: {told['message'][:80]}"
        known = told["hash"]
    return ""


def by_text(data: bytes, hunk: Hunk, form: str) -> dict[str, Any]:
    """The change of the end of a file, with as many lines before it as make it the only place."""
    lines = data.splitlines(keepends=True)
    first = hunk.start - 1 if hunk.count else hunk.start
    kept = b""
    while data.count(kept + hunk.old) != 1 or not kept + hunk.old:
        first -= 1
        kept = lines[first] + kept
    return {
        "op": "replace",
        "old_text": (kept + hunk.old).decode(form),
        "content": (kept + hunk.new).decode(form),
    }


def encoding_of(data: bytes) -> str | None:
    try:
        form = form_of("a", data)
        data.decode(form.encoding)
    except (CocosearchError, UnicodeDecodeError):
        return None
    return form.encoding


def hash_of(data: bytes) -> str:
    return hash_of_bytes(data)


def large_source() -> bytes:
    """Ordinary Python of the size that is asked for."""
    sources = sorted((Path(__file__).parents[1] / "src").rglob("*.py"))
    return b"".join(file.read_bytes() for file in sources)[:SPEED_BYTES].rpartition(b"\n")[0] + b"\n"


def plain_write(folder: Path, name: str, data: bytes) -> None:
    temporary = folder / "plain.tmp"
    descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    temporary.rename(folder / name)


async def measure_speed(tools: Tools, rounds: int) -> dict[str, Any]:
    """Each way to write the same change, in turns."""
    root, data = tools.root, large_source()
    lines = data.split(b"\n")
    sound = [at for at, line in enumerate(lines, 1) if _STATEMENT.fullmatch(line)]
    times: dict[str, list[float]] = {}
    history = History(lambda *_: None, lambda _: None)

    def timed(name: str, work: Callable[[], Any]) -> None:
        began = time.perf_counter()
        work()
        times.setdefault(name, []).append((time.perf_counter() - began) * 1000)

    def request(name: str, line: int, content: str) -> EditRequest:
        return EditRequest(
            root=str(root),
            path=name,
            op="replace",
            content=content,
            lines=(line, line),
            if_hash=hash_of((root / name).read_bytes()),
            most_bytes=MOST_BYTES,
        )

    def exchanged(number: int) -> None:
        with Place(str(root), "write.py") as place:
            seen = place.read(MOST_BYTES)
            assert seen is not None
            place.replace(seen, b"\n".join([b"# %d" % number, *lines]), f".t{number}")

    async with tools:
        for name in ("plain.py", "write.py", "edit.py", "broken.py", "tool.py"):
            (root / name).write_bytes(data)
        await tools.call("index_codebase", path=str(root))
        gc.collect()
        gc.freeze()  # as a server does
        for number in range(rounds + 5):
            line = sound[number * 7 % len(sound)]
            content = f"{lines[line - 1].decode()}  # {number}"
            timed("plain", lambda: plain_write(root, "plain.py", b"\n".join([b"# %d" % number, *lines])))  # noqa: B023
            timed("write", lambda: exchanged(number))  # noqa: B023
            for name, asked in (
                ("edit", request("edit.py", line, content)),
                ("broken", request("broken.py", number % 3_000 + 1, f"# {number}")),
            ):
                timed(name, lambda: tools.app.editor.edit(asked, history))  # noqa: B023
            known = hash_of((root / "tool.py").read_bytes())
            began = time.perf_counter()
            asked_for = {"path": "tool.py", "range_start": line, "content": content, "if_hash": known}
            told = await tools.call("patch_file", **asked_for)
            times.setdefault("tool", []).append((time.perf_counter() - began) * 1000)
            assert told["applied"], told
    kept = {name: sorted(values[5:]) for name, values in times.items()}  # the first ones start what stays
    found: dict[str, Any] = {name: percentiles(values) for name, values in kept.items()}
    for name in ("write", "edit", "broken", "tool"):
        found[name]["p95_ratio"] = round(found[name]["p95_ms"] / found["plain"]["p95_ms"], 2)
        found[name]["p50_ratio"] = round(found[name]["p50_ms"] / found["plain"]["p50_ms"], 2)
    return {"bytes": len(data), "rounds": rounds, **found}


async def measure_answer(tools: Tools, rounds: int) -> dict[str, Any]:
    """From the call that edits to the answer that has it."""
    times = []
    async with tools:
        for number in range(40):
            text = "".join(f"def f{line}():\n    return {line}\n\n" for line in range(40))
            (tools.root / f"m{number}.py").write_text(text)
        await tools.call("index_codebase", path=str(tools.root))
        for number in range(rounds + 3):
            file, word = tools.root / f"m{number % 40}.py", f"zebra_{number}"
            known = hash_of(file.read_bytes())
            began = time.perf_counter()
            asked = {"path": file.name, "range_start": 2, "content": f"    return {word}", "if_hash": known}
            told = await tools.call("patch_file", **asked)
            found = await tools.call("search_text", query=word)
            times.append((time.perf_counter() - began) * 1000)
            assert told["applied"], told
            assert [one["line"] for one in found["matches"]] == [2], (told, found)
    return {"rounds": rounds, "missed": 0, **percentiles(times[3:])}


def percentiles(values: list[float]) -> dict[str, Any]:
    cuts = quantiles(values, n=20)
    return {"p50_ms": round(cuts[9], 1), "p95_ms": round(cuts[18], 1)}


def add_lines(root: str, data: str, who: int, seconds: float, done: Any) -> None:
    """A process that adds lines of its own below the first line of a file, each time after reading it."""
    history, told = History(lambda *_: None, lambda _: None), list[str]()
    conflicts = 0
    with App(Settings(search=SearchSettings(freshness="off")), Path(data)) as app:
        app.catalog.list_all()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not (text := (Path(root) / "shared.txt").read_bytes()):  # somebody is writing it anew
                continue
            asked = EditRequest(
                root=root,
                path="shared.txt",
                op="insert",
                content=f"agent {who} {len(told)}",
                after=1,
                if_hash=hash_of(text),
                most_bytes=MOST_BYTES,
            )
            try:
                app.editor.edit(asked, history)
            except CocosearchError:
                conflicts += 1
                time.sleep(random.random() / 100)
            else:
                told.append(asked.content)
    done.put((told, conflicts))


def beside(root: Path, data: Path, seconds: float, foreign: Callable[[int], None]) -> tuple[list[str], int, int]:
    """Eight processes that edit, and beside them a writer; lines that were added, conflicts, writes of that writer."""
    context = get_context("spawn")
    done = context.Queue()
    arguments = [(str(root), str(data), who, seconds, done) for who in range(WRITERS)]
    agents = [context.Process(target=add_lines, args=one) for one in arguments]
    for one in agents:
        one.start()
    written = 0
    while any(one.is_alive() for one in agents) and done.qsize() < WRITERS:
        foreign(written)
        written += 1
        time.sleep(random.random())  # an edit takes 50 ms and more: it has to have a chance
    told = [done.get() for _ in agents]
    for one in agents:
        one.join()
    return [line for lines, _ in told for line in lines], sum(conflicts for _, conflicts in told), written


def prove_writers(root: Path, data: Path, seconds: float) -> dict[str, Any]:
    """Lines of eight processes and of one that appends in place all have to be there; then a text written anew."""
    file = root / "shared.txt"

    def append(number: int) -> None:
        with file.open("ab") as out:
            time.sleep(random.random() / 200)
            out.write(f"foreign {number}\n".encode())

    def rewrite(number: int) -> None:
        text = f"head\nbase {number}\n" + "x" * 5_000 + "\n"
        if number % 2:
            file.write_text(text)
        else:
            (root / "theirs.tmp").write_text(text)
            (root / "theirs.tmp").replace(file)

    file.write_text("head\n")
    added, conflicts, appended = beside(root, data, seconds, append)
    lines = Counter(file.read_text().split("\n"))
    wanted = [*added, *(f"foreign {number}" for number in range(appended)), "head"]
    faults = [f"lost: {line}" for line in wanted if lines[line] != 1]
    rewrite(0)
    more, others, rewritten = beside(root, data, seconds, rewrite)
    parts = [line for line in file.read_text().split("\n") if not line.startswith("agent ")]
    whole = ["head", f"base {rewritten - 1}", "x" * 5_000, ""]
    faults += [] if parts == whole else [f"the last text of the foreign writer is lost or torn: {parts[:2]}"]
    faults += [f"left: {name}" for name in os.listdir(root) if name.startswith(".cocosearch-")]
    return {
        "agents": WRITERS,
        "edits": len(added) + len(more),
        "conflicts": conflicts + others,
        "foreign_appends": appended,
        "foreign_rewrites": rewritten,
        "faults": faults,
    }


def swap(root: str, stop: Any) -> None:
    """A process that exchanges a folder and a link."""
    descriptor = os.open(root, os.O_RDONLY)
    while not stop.is_set():
        exchange(descriptor, "folder", "link")


def prove_swaps(root: Path, outside: Path, count: int) -> dict[str, Any]:
    """Edits below a folder that is a link at times; the other folder has to stay as it is."""
    context = get_context("spawn")
    (root / "folder").mkdir()
    (root / "folder" / "file").write_bytes(b"0\n")
    (outside / "file").write_bytes(b"theirs\n")
    (root / "link").symlink_to(outside)
    stop = context.Event()
    other = context.Process(target=swap, args=(str(root), stop))
    other.start()
    counts = Counter[str]()
    for number in range(count):
        try:
            path = real_place(str(root), "folder/file")
            with Place(str(root), path) as place:
                seen = place.read(MOST_BYTES)
                if seen is None:
                    counts["not there"] += 1
                    continue
                place.replace(seen, b"%d\n" % number, f".t{number}")
                counts["written"] += 1
        except CocosearchError as error:
            counts[type(error).__name__] += 1
    stop.set()
    other.join()
    faults = [] if (outside / "file").read_bytes() == b"theirs\n" else ["the file outside was written"]
    faults += [f"outside: {name}" for name in os.listdir(outside) if name != "file"]
    return {"edits": count, **counts, "faults": faults}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--mirrors", type=Path, default=Path("mirrors"))
    parser.add_argument("--hunks", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--edits", type=int, default=10_000, help="of the part swaps")
    parser.add_argument("--seconds", type=float, default=30, help="of each half of the part writers")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as text:
        top, data = Path(text), Path(text) / "data"
        quiet = {"search": SearchSettings(freshness="off")}
        for part in PARTS if given.only is None else (given.only,):
            root = top / part
            root.mkdir()
            began = time.monotonic()
            if part == "hunks":
                found[part] = asyncio.run(prove_hunks(Tools(root, data, **quiet), given.mirrors, given.hunks))
            elif part == "speed":
                found[part] = asyncio.run(measure_speed(Tools(root, data), given.rounds))
            elif part == "answer":
                found[part] = asyncio.run(measure_answer(Tools(root, data), given.rounds))
            elif part == "writers":
                with App(Settings(), data) as app:
                    app.catalog.list_all()  # starts the database
                found[part] = prove_writers(root, data, given.seconds)
            else:
                outside = top / "outside"
                outside.mkdir()
                found[part] = prove_swaps(root, outside, given.edits)
            found[part]["seconds"] = round(time.monotonic() - began, 1)
            print(part, json.dumps(found[part]), flush=True)
        if (data / "postgres").exists() or any(data.glob("*")):
            with App(Settings(), data) as app:
                stop_server(app.database)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return int(any(one.get("faults") for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
