"""Run benchmarks, list them, and generate the table of their figures.

    python -m benchmarks list
    python -m benchmarks run NAME [ARGUMENTS] [--peer SRC] [--rounds N] [--no-row]
    python -m benchmarks table [--check]

A run prints its figures and adds a row to `results/rows.jsonl`. Machines differ and are shared: compare versions in one
run (`--peer SRC` names the `src` folder of another version), and read CPU time before wall time.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence

from benchmarks import frame, rows

MODULES = (
    "audits", "callers", "corpus", "definitions", "edit_kills", "edits", "faults", "goldens", "hostile", "imports",
    "integrity", "navigation", "pasted", "relevance", "serving", "speed", "texts", "tokens",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    for module in MODULES:
        importlib.import_module(f"benchmarks.{module}")
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the benchmarks")
    table = commands.add_parser("table", help=f"generate {rows.PAGE.name} from the rows")
    table.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if the page is out of date")
    run = commands.add_parser("run", help="run a benchmark")
    frame.add_parsers(run)
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name, benchmark in sorted(frame.BENCHMARKS.items()):
            print(f"{name:14} {benchmark.summary}")
        return 0
    return rows.write_table(check=options.check) if options.command == "table" else frame.run(options)


if __name__ == "__main__":
    sys.exit(main())
