"""How far the time and the size that an estimate tells are from those of the run that follows.

    python benchmarks/estimates.py FOLDER... [--learn FOLDER...] [--json results/estimates.json]

Each FOLDER is estimated and then indexed for the first time, one after the other, into one database. The estimates go
by the program's defaults and by what the runs before them have taught: those of the folders to learn from, which are
not estimated, and of the folders before. Nothing is kept of a folder from one invocation to the next. `ratio` is the
estimated time over the taken one, `size_ratio` that of the index's size; a ratio of times from a half to two counts as
met. Times are of the wall, as whoever waits sees them, so a busy machine moves both sides.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from figures import product_commit

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.storage.server.administration import stop_server

BOUNDS = ((2.0, "within_2"), (1.5, "within_1_5"))


def measure(app: App, folder: Path, name: str) -> dict[str, object]:
    """Estimate and index one folder."""
    begun = time.perf_counter()
    told = app.forecast(folder, name=name)
    estimated = time.perf_counter()
    report = app.index(folder, name=name)
    stored = app.catalog.stats(app.catalog.find(name)).storage_bytes
    return {
        "folder": name,
        "files": told.files_added,
        "read_bytes": told.read_bytes,
        "chunks": report.chunks,
        "measured": told.measured,
        "estimated_s": round(told.seconds, 3),
        "taken_s": round(report.seconds, 3),
        "ratio": round(told.seconds / report.seconds, 3),
        "estimated_bytes": told.index_bytes,
        "stored_bytes": stored,
        "size_ratio": round(told.index_bytes / stored, 3),
        "estimating_s": round(estimated - begun, 3),
    }


def summed_up(rows: list[dict[str, object]]) -> dict[str, object]:
    """How many ratios are within which bound."""
    ratios = [float(str(row["ratio"])) for row in rows]
    return {"folders": len(rows)} | {
        name: sum(1 / bound <= ratio <= bound for ratio in ratios) for bound, name in BOUNDS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--learn", nargs="*", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as data:
        try:
            with App(Settings(), Path(data)) as app:
                with app.database.writing():
                    pass  # the server runs before the first estimate: to make and start it is no part of a run
                for folder in asked.learn:
                    app.index(folder)
                for folder in asked.folders:
                    rows.append(measure(app, folder, folder.resolve().as_posix().strip("/").replace("/", "-")[-60:]))
                    print(json.dumps(rows[-1]), file=sys.stderr)
        finally:
            with App(Settings(), Path(data)) as app:
                stop_server(app.database)
    result = {
        "commit": product_commit(Path(__file__).parents[1]),
        "learned_from": [one.name for one in asked.learn],
        "summary": summed_up(rows),
        "folders": rows,
    }
    text = json.dumps(result, indent=1)
    print(json.dumps(result["summary"]))
    if asked.json:
        asked.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
