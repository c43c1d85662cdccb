"""SARIF of an audit by two other programs, which must also find the faults that are planted in it.

    sarif_check.py FILE --multitool PROGRAM --sarif-tools PROGRAM

The Multitool (5.7.0) exits with 0 on errors and says nothing of some: its report is read, and what it finds of each
planted fault is told. sarif-tools (3.0.5) has to count the results that are there.
"""

import argparse
import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Log = dict[str, Any]


def _set(path: str, value: Any) -> Callable[[Log], None]:
    def plant(log: Log) -> None:
        *parts, last = path.split(".")
        at: Any = log
        for part in parts:
            at = at[int(part)] if part.isdecimal() else at[part]
        if value is None:
            del at[last]
        else:
            at[last] = value

    return plant


FAULTS = {
    "a line of 0": _set("runs.0.results.0.locations.0.physicalLocation.region.startLine", 0),
    "no message": _set("runs.0.results.0.message", None),
    "an unknown rule": _set("runs.0.results.0.ruleIndex", 999),
    "an absolute path": _set("runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri", "C:\\a b"),
    "no tool": _set("runs.0.tool", None),
    "a wrong version": _set("version", "9.9"),
}


def report(program: str, log: Log) -> list[str]:
    """Rule ids of what the Multitool finds in a log, `fail` and errors only."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "log.sarif", Path(folder) / "report.sarif"
        file.write_text(json.dumps(log), encoding="utf-8")
        done = subprocess.run(
            [program, "validate", str(file), "--output", str(out), "--log", "ForceOverwrite"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not out.exists():
            return [f"no report: {done.stdout[-300:]}{done.stderr[-300:]}"]
        run = json.loads(out.read_text(encoding="utf-8-sig"))["runs"][0]
    found = [one["ruleId"] for one in run.get("results", ()) if one.get("level", "warning") == "error"]
    notes = run["invocations"][0].get("toolConfigurationNotifications", []) if run.get("invocations") else []
    return found + [one["descriptor"]["id"] for one in notes if one.get("level") == "error"]


def counted(program: str, file: Path) -> int:
    """Results by sarif-tools."""
    done = subprocess.run([program, "summary", str(file)], capture_output=True, text=True, check=True)
    return sum(int(line.rpartition(":")[2]) for line in done.stdout.splitlines() if line.startswith(("error", "warning",
               "note", "none")) and ":" in line)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--multitool", required=True)
    parser.add_argument("--sarif-tools", required=True)
    asked = parser.parse_args()
    log = json.loads(asked.file.read_text(encoding="utf-8"))
    own = report(asked.multitool, log)
    print(f"errors in the log itself: {own or 'none'}")
    silent = []
    for name, plant in FAULTS.items():
        broken = copy.deepcopy(log)
        plant(broken)
        found = report(asked.multitool, broken)
        print(f"{name}: {', '.join(sorted(set(found))) or 'not found by the Multitool'}")
        silent += [] if found else [name]
    results, there = len(log["runs"][0]["results"]), counted(asked.sarif_tools, asked.file)
    print(f"sarif-tools counts {there} of {results} results")
    return 1 if own or there != results or len(silent) == len(FAULTS) else 0


if __name__ == "__main__":
    sys.exit(main())
