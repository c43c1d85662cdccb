"""Nothing is lost: index folders and compare the coverage ledger with what is on disk.

    python benchmarks/ledger.py FOLDER... [--json OUT]

Counts every directory entry that is not a folder, links included and `.git` excluded, and sums the ledger's files and
those of the run's report. Also puts every indexed file together again from its chunks. Exits 1 on any difference.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from cocosearch_py.app import App
from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.paths import storable_path
from cocosearch_py.storage.server.administration import stop_server

VERSION_CONTROL = {".git", ".hg", ".svn", ".jj", ".bzr"}


def count_on_disk(root: Path) -> int:
    """Files, links and special files below a folder; version control's own folders are not part of it."""
    total = 0
    for parent, folders, files in os.walk(root):
        links = [name for name in folders if name != ".git" and (Path(parent) / name).is_symlink()]
        folders[:] = [name for name in folders if name not in VERSION_CONTROL and name not in links]
        total += len([name for name in files if name != ".git"]) + len(links)
    return total


def broken_files(app: App, table_name: str, root: Path) -> list[str]:
    """Indexed UTF-8 files whose chunks do not give the file back."""
    query = f"""
        SELECT f.path, string_agg(c.content, '' ORDER BY c.chunk_no) FROM cocosearch_py.files f
        JOIN cocosearch_py."{table_name}" c USING (index_id, file_id) WHERE f.encoding = 'utf-8' GROUP BY f.path
    """
    broken = []
    # By what the ledger calls them, as a name may have any bytes.
    places = {
        storable_path(os.path.relpath(os.path.join(parent, name), root)): os.path.join(parent, name)
        for parent, _, names in os.walk(root)
        for name in names
    }
    with app.database.reading() as conn:
        for path, content in conn.execute(query):  # type: ignore[arg-type]
            try:
                disk = Path(places[path]).read_bytes().decode("utf-8").removeprefix("\ufeff").replace("\0", "")
            except UnicodeDecodeError:  # stray bytes are read as cp1252, see discovery.sniff
                continue
            if disk != content:
                broken.append(path)
    return broken


def check(app: App, folder: Path, name: str) -> dict[str, Any]:
    report = app.index(folder, name=name)
    stats = app.catalog.stats(app.catalog.find(name), StatsRequest(skipped=True))
    ledger: dict[str, int] = {}
    for status, reason, files in stats.ledger:
        ledger[f"{status} {reason or ''}".strip()] = int(files)
    return {
        "folder": folder.name,
        "on_disk": count_on_disk(folder),
        "ledger_sum": sum(ledger.values()),
        "report_sum": report.files_added + report.files_skipped + report.files_failed,
        "ledger": ledger,
        "chunks": report.chunks,
        "seconds": round(report.seconds, 2),
        "parse_health_pct": stats.parse_health_pct,
        "parse_health_bytes_pct": stats.parse_health_bytes_pct,
        "broken_files": broken_files(app, stats.record.table_name, folder),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), Path(scratch)) as app:
        for number, folder in enumerate(options.folders):
            row = check(app, folder.resolve(), f"{number}-{folder.name}"[:60])
            rows.append(row)
            print(json.dumps(row), flush=True)
        stop_server(app.database)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    lost = [
        row["folder"]
        for row in rows
        if {row["ledger_sum"], row["report_sum"]} != {row["on_disk"]} or row["broken_files"]
    ]
    print("nothing lost" if not lost else f"differences in: {', '.join(lost)}")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
