"""Edits: hunks of git histories, and their undo, beside git's bytes; time beside a plain write."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from benchmarks.frame import Folders, benchmark, report_faults
from benchmarks.product import Product, Server
from benchmarks.rows import Figures
from benchmarks.timing import middle, timed

COMMITS = 400  # that are looked at in a repository
MAX_BYTES = 1 << 20


class Hunk(NamedTuple):
    """Lines of the old file, from 1, that are replaced; `start` is the line before if there are none."""

    start: int
    lines: int
    new: bytes


@benchmark
def edits(product: Product, folders: Folders, *, hunks: Annotated[int, "number of hunks to make"] = 200) -> Figures:
    """Make changes of git histories hunk by hunk with patch_file, and undo them; other bytes than git's are faults.

    The folders are git repositories, also bare ones. Left out are hunks about the end of the last line.
    """
    root = product.scratch / "project"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    product.index(root, "edited")
    counts: Counter[str] = Counter()
    times: list[float] = []
    written: list[float] = []
    faults = []
    with product.server(root, "--toolsets", "all,edit") as server:
        for repository in folders:
            goal = counts["hunks"] + -(-hunks // len(folders))
            for path, old, new in changed_files(repository):
                if counts["hunks"] >= goal:
                    break
                before, after = (git(repository, "cat-file", "blob", blob) for blob in (old, new))
                pieces = hunks_of(repository, old, new)
                if not pieces or b"\0" in before + after or len(before) > MAX_BYTES:
                    continue
                file = root / f"file{Path(path).suffix}"
                file.write_bytes(before)
                changes: list[int] = []
                outcome = _patched(server, file, pieces, changes, times)
                written.append(timed(lambda: plain_write(root / "plain", after))[0])  # noqa: B023
                if outcome == "" and file.read_bytes() != after:
                    outcome = "other bytes"
                if outcome == "":
                    counts.update({"hunks": len(pieces), "files": 1})
                    outcome = _undone(server, file, changes, before)
                if outcome.startswith("refused"):
                    counts["refused"] += 1
                elif outcome:
                    faults.append(f"{repository.name} {path} {old[:9]}..{new[:9]}: {outcome}")
                file.unlink()
    speed = {**middle("patch_file", times), **middle("plain write", written)}
    return {**counts, **speed, "faults": report_faults(faults)}


def git(repository: Path, *arguments: str) -> bytes:
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    command = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    return done.stdout if done.returncode == 0 else b""


def changed_files(repository: Path) -> Iterator[tuple[str, str, str]]:
    """Path, old blob and new blob of files that the last commits modified."""
    commits = git(repository, "rev-list", "--no-merges", "--min-parents=1", f"-n{COMMITS}", "HEAD").decode().split()
    for commit in commits:
        rows = git(repository, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", f"{commit}~", commit)
        fields = rows.split(b"\0")
        for head, path in zip(fields[::2], fields[1::2], strict=False):
            parts = head.decode().split()
            if len(parts) == 5 and parts[0].endswith("644") and parts[1].endswith("644"):
                yield os.fsdecode(path), parts[2], parts[3]


def hunks_of(repository: Path, old: str, new: str) -> list[Hunk]:
    """Hunks of a change; none if one is about the end of the last line."""
    options = ("-U0", "--no-color", "--no-ext-diff", "--no-textconv", "-a")
    text = git(repository, "diff", *options, old, new)
    if b"\n\\ No newline" in text:
        return []
    pieces = []
    for part in text.split(b"\n@@ -")[1:]:
        head, *lines = part.split(b"\n")
        start, _, count = head.split()[0].partition(b",")
        added = [line[1:] + b"\n" for line in lines if line.startswith(b"+")]
        pieces.append(Hunk(int(start), int(count or 1), b"".join(added)))
    return pieces


def _patched(server: Server, file: Path, pieces: list[Hunk], changes: list[int], times: list[float]) -> str:
    """Make hunks, the last one first, and collect the changes' numbers; return why that failed, or nothing."""
    try:
        known = server.call("read_code", path=file.name)["hash"]
        for hunk in reversed(pieces):
            lines = {"range_start": hunk.start, "range_end": hunk.start + hunk.lines - 1}
            change: dict[str, Any] = {"op": "replace", "content": hunk.new.decode(), **lines}
            if not hunk.new:
                change = {"op": "delete", **lines}
            elif not hunk.lines:
                change = {"op": "insert", "content": change["content"], "after": hunk.start}
            arguments = {"path": file.name, "if_hash": known, **change}
            milliseconds, answer = timed(lambda: server.call("patch_file", **arguments))  # noqa: B023
            times.append(milliseconds)
            changes.append(answer["seq"])
            known = answer["hash"]
    except UnicodeDecodeError:
        return "refused: no UTF-8"
    except RuntimeError as error:
        return f"{'refused' if 'safety_error' in str(error) else 'failed'}: {error}"
    return ""


def plain_write(file: Path, content: bytes) -> None:
    """Write a file anew, as an editor does that does not lose it: beside it, fsync, rename."""
    temporary = file.with_suffix(".tmp")
    with temporary.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(file)


def _undone(server: Server, file: Path, changes: list[int], before: bytes) -> str:
    """Undo changes, the last one first; return why that failed, or nothing."""
    for number in reversed(changes):
        try:
            server.call("patch_file", path=file.name, op="undo", seq=number)
        except RuntimeError as error:
            return f"undo failed: {error}"
    return "" if file.read_bytes() == before else "other bytes after undo"
