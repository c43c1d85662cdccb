"""Whether the index of a commit, read from git's objects, is that of a worktree of the commit, row by row.

    python benchmarks/revisions.py REPOSITORY... [--back 50] [--json results/revisions.json]

Each REPOSITORY is a git repository, also a bare one; its objects are shared by a clone, which is the only thing that is
written to. Two commits of each are compared: the newest, and the one `--back` first parents before it. The commit is
indexed once without any other index in the database (`rev`), once more beside the index of a worktree of the newest
commit (`reused`: what that has is copied), and a worktree of it without looking at others (`worktree`). All fact tables
are compared column by column, but for the number of the index and the times of files, which in a commit are its own.

Files whose content git changes when it checks them out (ends of lines, LFS, keywords) differ on purpose: the index of a
commit has what git stores. They are counted, and left out of the comparison of the other tables.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from psycopg import sql

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.indexes import Revision
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require
from cocosearch_py.storage.schema.partitions import rows_of
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import stop_server

LEFT_OUT = {"index_id", "mtime_ns"}


@dataclass
class Compared:
    """One commit: rows by table, those that differ, and what each index cost."""

    repository: str
    commit: str
    files: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    differ: dict[str, int] = field(default_factory=dict)
    reused_differ: dict[str, int] = field(default_factory=dict)
    converted_files: int = 0  # that git changes when it checks them out
    files_reused: int = 0
    files_prepared: int = 0  # beside the index of the worktree of the newest commit
    seconds: dict[str, float] = field(default_factory=dict)


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_LFS_SKIP_SMUDGE": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def rows(app: App, name: str, left_out: set[int]) -> dict[str, Counter[str]]:
    """Table -> its rows as text, without those of some files."""

    def read(conn: Connection) -> dict[str, Counter[str]]:
        record = require(conn, name)
        found = {}
        for table, declared in TABLES.items():
            names = [column.name for column in declared.columns]
            if left_out and "file_id" not in names:  # of all files together
                continue
            kept = sql.SQL("TRUE")
            if left_out:
                kept = sql.SQL("NOT file_id = ANY({})").format(sorted(left_out))
            if left_out and table == "dependencies":
                kept = sql.SQL("{} AND NOT target_file_id = ANY({})").format(kept, sorted(left_out))
            query = sql.SQL("SELECT ROW({})::text FROM {} r WHERE {}").format(
                sql.SQL(", ").join(sql.Identifier(one) for one in names if one not in LEFT_OUT),
                rows_of(table, record.index_id),
                kept,
            )
            found[table] = Counter(row[0] for row in conn.execute(query, {"index_id": record.index_id}))
        return found

    return app.database.read(read)


def hashes(app: App, name: str) -> dict[int, tuple[object, ...]]:
    def read(conn: Connection) -> dict[int, tuple[object, ...]]:
        record = require(conn, name)
        query = sql.SQL("SELECT file_id, size_bytes, content_hash FROM {} r").format(rows_of("files", record.index_id))
        return {row[0]: row[1:] for row in conn.execute(query, {"index_id": record.index_id})}

    return app.database.read(read)


def differences(one: dict[str, Counter[str]], other: dict[str, Counter[str]]) -> dict[str, int]:
    found = {}
    for table, left in one.items():
        missing, added = left - other[table], other[table] - left
        if missing or added:
            found[table] = missing.total() + added.total()
            for sign, some in (("-", missing), ("+", added)):
                print(*(f"    {table} {sign} {row[:160]}" for row in list(some)[:2]), sep="\n", file=sys.stderr)
    return found


def compare(app: App, clone: Path, commit: str, newest: str, repository: str) -> Compared:
    """Index one commit in all ways, and compare them."""
    told = Compared(repository, commit)
    options = app.indexing_options()
    revision = Revision(commit, commit)
    worktrees = {one: clone.parent / f"tree-{one[:12]}" for one in {commit, newest}}
    for one, folder in worktrees.items():
        git(clone, "worktree", "add", "--detach", str(folder), one)

    def timed(what: str, folder: Path, name: str, of: Revision | None, *, fresh: bool = False) -> str:
        chosen = type(options)(
            **{**{f: getattr(options, f) for f in options.__slots__}, "revision": of, "fresh": fresh}
        )
        began = time.process_time(), time.monotonic()
        report = app.index(folder, name=name, options=chosen)
        told.seconds[what] = round(time.monotonic() - began[1], 3)
        if what == "reused":
            told.files_reused = report.files_reused
            told.files_prepared = report.files_added - report.files_reused
        return report.index_name

    alone = timed("rev", clone, "alone", revision)
    kept = rows(app, alone, set())
    kept_hashes = hashes(app, alone)
    app.catalog.clear(alone)
    disk = timed("worktree", worktrees[commit], "disk", None, fresh=True)
    now = hashes(app, disk)
    converted = {one for one in now.keys() & kept_hashes.keys() if now[one] != kept_hashes[one]}
    told.converted_files = len(converted)
    told.files = len(now)
    if commit != newest:
        app.catalog.clear(disk)
        timed("newest", worktrees[newest], "newest", None, fresh=True)
    reused = timed("reused", clone, "reused", revision)
    if commit != newest:
        timed("worktree again", worktrees[commit], "disk", None, fresh=True)
    wanted = rows(app, disk, converted)
    if converted:
        kept = {}
        timed("rev again", clone, "alone", revision, fresh=True)
        kept = rows(app, alone, converted)
    told.rows = {table: counted.total() for table, counted in wanted.items()}
    told.differ = differences(wanted, kept)
    told.reused_differ = differences(wanted, rows(app, reused, converted))
    for record in app.catalog.list_all():
        app.catalog.clear(record.name)
    for folder in worktrees.values():
        git(clone, "worktree", "remove", "--force", str(folder))
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="+", metavar="REPOSITORY")
    parser.add_argument("--back", type=int, default=50, help="how far the older commit lies back (default: 50)")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found = []
    for repository in asked.repositories:
        name = repository.parent.name if repository.name == "repo" else repository.name
        with tempfile.TemporaryDirectory(prefix="revisions-") as top, App(Settings(), Path(top) / "data") as app:
            clone = Path(top).resolve() / "clone"
            git(Path(top), "clone", "--quiet", "--shared", "--no-checkout", str(repository.resolve()), str(clone))
            newest = git(clone, "rev-parse", "HEAD")
            for commit in dict.fromkeys((newest, git(clone, "rev-parse", f"HEAD~{asked.back}"))):
                told = compare(app, clone, commit, newest, name)
                print(json.dumps(asdict(told)))
                found.append(told)
            stop_server(app.database)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    sys.exit(any(one.differ or one.reused_differ for one in found))


if __name__ == "__main__":
    main()
