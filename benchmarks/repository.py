"""One repository as its users meet it: cold, unchanged, in a new worktree, after an edit; time and memory.

    python benchmarks/repository.py FOLDER [--json OUT]

A copy of FOLDER is committed to a git repository of its own. It is indexed by a command into an empty database, again
with nothing changed (by commands, and in one process), then a `git worktree` of it is indexed beside it, and last a
file is edited and asked for. Machines differ and are shared: read CPU time before wall time. CPU and memory are those
of all processes below this one, the database server among them; `reused` is the share of the worktree's files whose
text nobody parsed or embedded again. Linux only.
"""

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from figures import product_commit
from many import Costs
from speed import PR_SET_CHILD_SUBREAPER, SETTLE_S, Below

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.search import verify
from cocosearch_py.storage.server.administration import stop_server

NAME, OTHER = "folder", "worktree"
UNCHANGED_ROUNDS, EDITS = 5, 10
# By ending of a file, a definition of a name.
DEFINITIONS = {
    ".py": "def {}():\n    return 1", ".rb": "def {}\n  1\nend", ".php": "function {}() {{ return 1; }}",
    ".js": "function {}() {{ return 1; }}", ".ts": "function {}() {{ return 1; }}", ".cs": "class {} {{ }}",
    ".java": "class {} {{ }}", ".c": "int {}() {{ return 1; }}", ".cpp": "int {}() {{ return 1; }}",
    ".hpp": "int {}() {{ return 1; }}", ".go": "func {}() int {{ return 1 }}", ".rs": "fn {}() -> u8 {{ 1 }}",
}  # fmt: skip
GIT = ["git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost", "-c", "commit.gpgsign=false"]


def make_repository(folder: Path, place: Path) -> None:
    """Copy a folder and commit all of it."""
    shutil.copytree(folder, place, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for step in (["init", "-q"], ["add", "-Af"], ["commit", "-qm", "all files"]):
        subprocess.run([*GIT, *step], cwd=place, check=True)


def by_command(folder: Path, name: str, environment: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, "-m", "cocosearch_py", "index", str(folder), "--name", name, "--yes"]
    with Below(SETTLE_S) as used:
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return {name: round(value, 2) for name, value in used.row.items()}


def in_process(app: App, folder: Path) -> dict[str, float]:
    """The median run of several that find nothing to do."""
    costs = Costs(app)
    times = [costs.of(lambda: app.index(folder, name=NAME)) for _ in range(UNCHANGED_ROUNDS)]
    wall, cpu = zip(*times, strict=True)
    return {"wall_s": round(statistics.median(wall) / 1000, 3), "cpu_s": round(statistics.mean(cpu) / 1000, 3)}


def after_edits(app: App, folder: Path) -> dict[str, float]:
    """A definition is added to a file, and asked for: milliseconds until the answer has it."""
    took, costs = [], Costs(app)
    fitting = [path for path in folder.rglob("*") if path.suffix in DEFINITIONS and path.is_file()]
    [(ending, _)] = Counter(path.suffix for path in fitting).most_common(1)
    files = sorted(path for path in fitting if path.suffix == ending and 2_000 < path.stat().st_size < 20_000)
    verify.BUDGET_S = 60.0  # on a busy machine too
    app.expect_repairs(ask(app, "warm"))
    for number in range(EDITS):
        file = files[number * len(files) // EDITS]
        word = f"zq{number}xy{file.stat().st_size}"
        file.write_text(f"{file.read_text()}\n\n{DEFINITIONS[ending].format(word)}\n")
        path = file.relative_to(folder).as_posix()
        found: list[Any] = []
        took.append(costs.of(lambda asked=f"{word} path:{path}", found=found: found.append(ask(app, asked))))
        assert any(hit.file_path == path and word in hit.content for hit in found[0].hits), word
    wall, cpu = zip(*took, strict=True)
    return {"median_ms": round(statistics.median(wall), 1), "cpu_ms": round(statistics.mean(cpu), 1)}


def ask(app: App, query: str) -> Any:
    return app.answer(lambda: app.searches.search(SearchRequest(query), NAME))[1]


def measure(folder: Path, scratch: Path) -> dict[str, Any]:
    data, copy = scratch / "data", scratch / "folder"
    make_repository(folder, copy)
    environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(data)}
    subprocess.run([sys.executable, "-m", "cocosearch_py", "db", "start"], env=environment, check=True)
    result: dict[str, Any] = {"cold": by_command(copy, NAME, environment)}
    sys.stderr.write(f"{result}\n")
    result["unchanged_by_command"] = [by_command(copy, NAME, environment) for _ in range(UNCHANGED_ROUNDS)]
    subprocess.run([*GIT, "worktree", "add", "-q", str(scratch / OTHER)], cwd=copy, check=True)
    result["worktree"] = by_command(scratch / OTHER, OTHER, environment)
    sys.stderr.write(f"{result}\n")
    with App(Settings(), data) as app:
        records = [app.catalog.find(name) for name in (NAME, OTHER)]
        result |= {"files": records[0].file_count, "chunks": records[0].chunk_count}
        result["same_counts"] = len({(one.file_count, one.chunk_count) for one in records}) == 1
        result["unchanged_in_process"] = in_process(app, copy)
        app.catalog.clear(OTHER)
        report = app.index(scratch / OTHER, name=OTHER)
        result["worktree"] |= {"reused": round(report.files_reused / report.files_added, 4)}
        result["edited"] = after_edits(app, copy)
        stop_server(app.database)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # the server counts as below this process
    commit, day = product_commit(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory(prefix="cs-repository-") as scratch:
        result = {"commit": commit, "day": day, **measure(options.folder.resolve(), Path(scratch))}
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
