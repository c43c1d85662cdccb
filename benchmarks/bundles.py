"""Whether an index that went through a bundle answers in another database as it did in its own.

    python benchmarks/bundles.py BENCH_FOLDER REPOSITORIES_FOLDER [--repo NAME]... [--older BIN] [--json OUT]

The folders are those of relevance.py. Each repository is indexed in one embedded server, exported, and imported into a
second one and, with --older, into a server of an older PostgreSQL, whose programs with pgvector are in the folder BIN.
Every labelled question has to have the same ten answers there, in the same order and with the same scores, and the
rows have to be the same. Ends with 1 if anything of that is not so. `first_answer_s` is from the begin of the import to
the first of these answers, `cpu_s` the processor time of this process in it, `load` that of the machine. A repository
without labelled questions is asked for its name.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import product_commit
from ndcg import load_tasks
from samerows import read

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.server.accounts import unprivileged_account
from cocosearch_py.storage.server.administration import stop_server, upgrade_schema
from cocosearch_py.tools.maps import bundled_map

DEPTH = 10
DEFAULT = ("flask", "gson", "redis")
Answer = list[tuple[str, int, int, float]]


@contextmanager
def embedded(folder: Path) -> Iterator[App]:
    """Services on a new embedded server, which is removed at the end."""
    with App(Settings(), folder) as app:
        app.database.start()
        try:
            yield app
        finally:
            home = app.database.server.home if app.database.server else None
            stop_server(app.database)
            if home is not None:
                shutil.rmtree(home, ignore_errors=True)


@contextmanager
def older(programs: Path, folder: Path) -> Iterator[App]:
    """Services on a new server of these programs, which is removed at the end."""
    account = unprivileged_account()
    run = {"user": account[0], "group": account[1]} if account else {}
    data = folder / "data"
    data.mkdir(parents=True)
    if account:
        os.chown(folder, *account)
        os.chown(data, *account)
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, **run}
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "me", "-A", "trust", "-E", "UTF8", "--locale=C"], check=True, **quiet
    )
    options = f"-k {folder} -h '' -c fsync=off"
    subprocess.run(
        [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"], check=True, **quiet
    )
    try:
        url = f"postgresql://me@/postgres?host={folder}"
        with App(Settings(database=DatabaseSettings(url=url)), folder / "none") as app:
            upgrade_schema(app.database)
            yield app
    finally:
        subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=True, **quiet)


def ask(app: App, name: str, question: str) -> Answer:
    _, report = app.search(SearchRequest(question, limit=DEPTH), index_name=name)
    return [(hit.file_path, hit.start_line, hit.end_line, round(hit.score, 6)) for hit in report.hits]


def compare(own: App, other: App, name: str, bundle: Path, root: Path, questions: list[str]) -> dict[str, Any]:
    """Import into `other`, and count what differs there."""
    expected = ask(own, name, questions[0])
    started, cpu = time.monotonic(), time.process_time()
    other.transfers.load(bundle, None, root)
    imported_s = time.monotonic() - started
    first = ask(other, name, questions[0])
    took = {
        "first_answer_s": time.monotonic() - started,
        "cpu_s": time.process_time() - cpu,
        "load": os.getloadavg()[0],
    }
    if first != expected:
        raise SystemExit(f"the first answer of {name} is another one: {first}")
    differ = [question for question in questions if ask(own, name, question) != ask(other, name, question)]
    ours = {table: rows for (index, table), rows in own.database.read(read).items() if index == name}
    theirs = {table: rows for (index, table), rows in other.database.read(read).items() if index == name}
    wrong = [table for table in ours if ours[table] != theirs[table]]
    return {
        "imported_s": round(imported_s, 2),
        **{what: round(value, 2) for what, value in took.items()},
        "differ": len(differ),
        "first": differ[:2],
        "tables_that_differ": wrong,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--repo", action="append", help="may be repeated")
    parser.add_argument("--older", type=Path, metavar="BIN")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="bundles-"))
    scratch.chmod(0o755)
    found: dict[str, Any] = {"commit": product_commit(Path(__file__).parents[1]), "repositories": {}}
    tasks = load_tasks(str(given.bench / "annotations"), str(given.bench / "repos.json"))
    try:
        with embedded(scratch / "one") as own, embedded(scratch / "two") as second:
            others = {"embedded": second}
            if given.older:
                with older(given.older, scratch / "old") as third:
                    compare_all(given, own, {**others, "older": third}, tasks, scratch, found)
            else:
                compare_all(given, own, others, tasks, scratch, found)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    text = json.dumps(found, indent=1)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return any(
        one["differ"] or one["tables_that_differ"]
        for told in found["repositories"].values()
        for one in told["in"].values()
    )


def compare_all(
    given: argparse.Namespace,
    own: App,
    others: dict[str, App],
    tasks: list[dict[str, Any]],
    scratch: Path,
    found: dict[str, Any],
) -> None:
    found["servers"] = {
        name: app.database.read(lambda conn: conn.info.parameter_status("server_version"))
        for name, app in others.items()
    }
    for name in given.repo or DEFAULT:
        root = given.repositories / name
        own.index(root, name=name)
        record = own.catalog.find(name)
        bundle = own.transfers.export(record, scratch / f"{name}.tar.zst", bundled_map)
        questions = [task["query"] for task in tasks if task["repo"] == name] or [name]
        told = {other: compare(own, app, name, bundle.path, root, questions) for other, app in others.items()}
        size = round(bundle.size_bytes / max(1, record.chunk_count))
        found["repositories"][name] = {
            "chunks": record.chunk_count,
            "questions": len(questions),
            "bytes_a_chunk": size,
            "in": told,
        }


if __name__ == "__main__":
    sys.exit(main())
