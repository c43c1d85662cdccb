"""Speed of searches, of indexing, and of new processes."""

import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from benchmarks.frame import Folder, Folders, benchmark, note, report_faults
from benchmarks.product import GIT, Product, Server, commit_all
from benchmarks.queries import labelled
from benchmarks.rows import Figures
from benchmarks.timing import SETTLE_S, Cost, cpu_below, middle, timed, tree_cpu

INDEX = "folder"
FIRST = 100  # searches of a new process that count as its first
FILTERED = 40  # searches with each filter
Annotations = Annotated[Path | None, "folder of labelled questions, instead of made ones"]


@benchmark
def search(
    product: Product, folder: Folder, *, annotations: Annotations = None, searches: int = 200, edits: int = 20,
    in_place: Annotated[bool, "index the folder itself, which is then not edited"] = False,
) -> Figures:  # fmt: skip
    """Time of a search over stdio: the first of a process, later, again, with filters, and after an edit.

    Each question is asked once. Make large folders with the benchmark `corpus`, and keep their indexes with `--data`.
    """
    root = folder.resolve() if in_place else product.copy(folder)
    stats = product.index(root, INDEX)
    figures: Figures = {"files": sum(stats[f"files_{state}"] for state in ("added", "unchanged", "updated"))}
    questions = labelled(annotations, seed=1)

    def ask(server: Server, question: str, **more: Any) -> float:
        return timed(lambda: server.call("search_code", query=question, index_name=INDEX, **more))[0]

    with product.server(root) as server:
        times = [ask(server, question) for question in islice(questions, FIRST)]
        figures |= {"first search ms": round(times[0], 1), **middle("first hundred", times[1:])}
        own, every = tree_cpu(server.process.pid), cpu_below()
        times = [ask(server, question) for question in islice(questions, searches)]
        own, every = tree_cpu(server.process.pid) - own, cpu_below() - every
        figures |= middle("later", times)
        figures["later program CPU ms"] = round(1000 * own / searches, 2)
        figures["later database CPU ms"] = round(1000 * (every - own) / searches, 2)
        figures |= middle("repeated", [ask(server, "where are errors handled") for _ in range(searches)][1:])
        for name, filters in _filters(server).items():
            figures |= middle(name, [ask(server, question, **filters) for question in islice(questions, FILTERED)])
        if not in_place:
            files = iter(_sources(root) * edits)
            times = []
            for question in islice(questions, edits):
                _append_line(next(files))
                times.append(ask(server, question))
            figures |= middle("after an edit", times)
    return figures


def _filters(server: Server) -> dict[str, dict[str, Any]]:
    """Filters that let pass the most used language, a folder, and all but tests."""
    stats = server.call("index_stats", index_name=INDEX)
    languages = [row["language"] for row in stats["languages"]]
    return {
        "language filter": {"language": languages[0]},
        "path filter": {"path_glob": "**/*a*/**"},
        "without tests": {"exclude": ["**/*test*"]},
    }


def _sources(root: Path) -> list[Path]:
    """Files of the kind that there are most of."""
    files = [path for path in sorted(root.rglob("*.*")) if path.is_file() and ".git" not in path.parts]
    (suffix, _), *_ = Counter(path.suffix for path in files).most_common(1)
    return [path for path in files if path.suffix == suffix]


def _append_line(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("\n")


@benchmark
def indexing(product: Product, folders: Folders) -> Figures:
    """CPU time and memory of indexing folders: first, unchanged, after an edit of each, and a worktree of the last."""
    copies = [product.copy(folder, f"{number}-{folder.name}") for number, folder in enumerate(folders)]
    commit_all(copies[-1])

    def index_all(state: str) -> Iterator[tuple[str, Any]]:
        with Cost(SETTLE_S) as cost:
            product.run("index", *copies, "--yes")
        yield from cost.figures(state).items()

    figures: Figures = dict(index_all("first"))
    figures |= dict(index_all("unchanged"))
    for copy in copies:
        _append_line(_sources(copy)[-1])
    figures |= dict(index_all("edit"))
    subprocess.run([*GIT, "worktree", "add", "-q", str(product.scratch / "worktree")], cwd=copies[-1], check=True)
    with Cost(SETTLE_S) as cost:
        stats = product.index(product.scratch / "worktree", "worktree")
    figures |= cost.figures("worktree")
    figures["worktree files reused"] = stats["files_reused"] / stats["files_added"]
    figures["chunks"] = sum(row["chunks"] for row in product.run("list"))
    return figures


@benchmark
def startup(product: Product, folder: Folder, *, starts: int = 12) -> Figures:
    """Wall and CPU time of new processes: search, index of no and of one changed file, and initialize over stdio."""
    copy = product.copy(folder)
    changed = _sources(copy)[-1]

    def initialize() -> None:
        with product.server(copy):
            pass

    def index_one_file() -> None:
        _append_line(changed)
        product.run("index", ".", folder=copy)

    works: dict[str, Callable[[], Any]] = {
        "search": lambda: product.run("search", "where are requests routed", folder=copy),
        "index unchanged": lambda: product.run("index", ".", folder=copy),
        "index one file": index_one_file,
        "initialize": initialize,
    }
    product.run("index", ".", "--yes", folder=copy)
    figures: Figures = {}
    for name, work in works.items():
        work()
        walls, cpus = [], []
        for _ in range(starts):
            with Cost() as cost:
                work()
            walls.append(1000 * cost.wall_s)
            cpus.append(1000 * cost.cpu_s)
        figures |= {f"{name} ms": round(statistics.median(walls)), f"{name} CPU ms": round(statistics.mean(cpus))}
    return figures


@benchmark
def estimates(product: Product, folders: Folders) -> Figures:
    """Estimated time and size of first runs, beside those that the runs then have."""
    times, sizes = [], []
    for number, folder in enumerate(folders):
        name = f"{number}-{folder.name}"
        estimate = product.run("index", folder.resolve(), "--name", name, "--dry-run")["estimate"]
        seconds = product.index(folder, name)["seconds"]
        size = product.run("stats", name)["storage_size"]
        times.append(estimate["seconds"] / seconds)
        sizes.append(estimate["storage_size"] / size)
        note(f"{name}: {times[-1]:.2f} of the time, {sizes[-1]:.2f} of the size")
    return {
        "folders": len(folders),
        "time within factor 2": sum(0.5 <= value <= 2 for value in times),
        "time ratio median": round(statistics.median(times), 3),
        "size within factor 2": sum(0.5 <= value <= 2 for value in sizes),
        "size ratio median": round(statistics.median(sizes), 3),
    }


@benchmark
def many(product: Product, *, count: int = 1_000) -> Figures:
    """Cost of the tenth and of the last of many small indexes in one database."""
    figures: Figures = {}
    walls = []
    with product.server(product.scratch) as server:
        for number in range(1, count + 1):
            folder = product.scratch / f"many-{number}"
            folder.mkdir()
            for file in range(4):
                text = "".join(f"def load_{name}_{number}():\n    return {name}\n\n\n" for name in range(40))
                (folder / f"module_{file}.py").write_text(text, encoding="utf-8")
            wall, _ = timed(lambda folder=folder: server.call("index_codebase", path=str(folder), wait_s=60))  # type: ignore[misc]
            walls.append(wall)
            if number in (10, count):
                figures[f"index {number} ms"] = round(statistics.median(walls[-9:]), 1)
                times = [
                    timed(lambda word=word: server.call("search_code", query=f"load {word}", index_name="many-5"))[0]  # type: ignore[misc]
                    for word in range(50)
                ]
                figures |= middle(f"search beside {number}", times)
    with product.connect() as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace"
        ).fetchone()
        figures["relations"] = row[0] if row else 0
    return figures


@benchmark
def freshness(product: Product, folder: Folder, *, edits: int = 20) -> Figures:
    """Time of answers that match the disk: unchanged, edited, new and removed files; wrong answers are faults."""
    root = product.copy(folder)
    product.index(root, INDEX)
    times: dict[str, list[float]] = {}
    faults = []

    def ask(kind: str, query: str) -> str:
        wall, items = timed(lambda: server.call("search_code", query=query, index_name=INDEX, limit=3))
        times.setdefault(kind, []).append(wall)
        return str([item for item in items if "content" in item])

    with product.server(root) as server:
        ask("first", "where are errors handled")
        time.sleep(1)  # background work of a new server
        files = _sources(root)
        for number in range(edits):
            ask("unchanged", f"where are errors handled {number}")
            file = files[number * len(files) // edits]
            file.write_bytes(file.read_bytes() + f"\n# zebra_quagga_{number}\n".encode())
            if f"zebra_quagga_{number}" not in ask("edit", f'"zebra_quagga_{number}"'):
                faults.append(f"edit {number} of {file.name} is not in the answer")
            new = root / f"okapi_{number}{file.suffix}"
            new.write_text(f"# okapi_tapir_{number}\n", encoding="utf-8")
            if f"okapi_tapir_{number}" not in ask("new file", f'"okapi_tapir_{number}"'):
                faults.append(f"new file {new.name} is not in the answer")
            new.unlink()
            if new.name in ask("removed file", f'"okapi_tapir_{number}"'):
                faults.append(f"removed file {new.name} is in the answer")
            ask("unknown name", f"zorgle_fump_{number}")
    figures: Figures = {}
    for kind, values in times.items():
        figures |= middle(kind, values)
    return figures | {"faults": report_faults(faults)}
