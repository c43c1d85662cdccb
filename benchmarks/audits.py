"""Dead code: findings beside vulture's, and what happens when all that may be acted on is removed.

    audits.py WORK --vulture PROGRAM --repo NAME=FOLDER[=COMMAND] ... [--out FILE]

Each repository is indexed in WORK and audited. Of Python, the functions, classes, methods and properties outside of
tests that vulture names and the audit does not are listed, to be sorted by hand (`SORTED`). Then all actionable
findings are removed from a copy. COMMAND, if it is given, runs in the copy before and after: its last line, without
times, must be the same, or what it prints line by line if it is a type checker (ends with `tsc`). Python has to
compile in any case.
"""

import argparse
import ast
import json
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cocosearch_py.app import App
from cocosearch_py.config.settings import IndexingSettings, Settings
from cocosearch_py.model.audit import Finding, Scope

_LINE = re.compile(r"(.*?):(\d+): unused (function|class|method|property) '(.+?)' \(\d+% confidence")
_TESTS = re.compile(r"(?:^|/)(?:tests?|testing|test_[^/]*|conftest)(?:/|\.py$)")
_TIMES = re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?)\b|\(\d+:\d+:\d+\)")
# What vulture names and the audit does not although nothing uses it: (repository, file, name). All others that it
# names are used: decorated, called by a framework or by special syntax, named in a template, a text or a manifest, or
# made from parts of names. Sorted by hand.
SORTED = {
    ("click", "src/click/core.py", "add_source"),
    ("pgcli", "pgcli/pgcompleter.py", "extend_keywords"),
    ("requests", "src/requests/cookies.py", "list_domains"),
    ("requests", "src/requests/cookies.py", "list_paths"),
    ("requests", "src/requests/cookies.py", "multiple_domains"),
    ("requests", "src/requests/cookies.py", "get_dict"),
}


def vulture(program: str, root: Path) -> tuple[list[tuple[str, str]], float]:
    """(file, name) of what vulture finds outside of tests, and the seconds it took."""
    begun = time.perf_counter()
    out = subprocess.run([program, str(root), "--min-confidence", "60"], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begun
    found = []
    for line in out.stdout.splitlines():
        if (told := _LINE.match(line)) is not None:
            path = str(Path(told[1]).resolve().relative_to(root.resolve()))
            if not _TESTS.search(path):
                found.append((path, told[4]))
    return found, seconds


def remove(root: Path, findings: Sequence[Finding]) -> int:
    """Take the lines of findings out of files; gives their number."""
    by_path: dict[str, set[int]] = {}
    for one in findings:
        by_path.setdefault(one.place.path, set()).update(range(one.place.start_line, one.place.end_line + 1))
    for path, gone in by_path.items():
        file = root / path
        text = file.read_text(encoding="utf-8").split("\n")
        kept = [line for number, line in enumerate(text, start=1) if number not in gone]
        file.write_text("\n".join(kept), encoding="utf-8")
        if path.endswith(".py"):
            ast.parse(file.read_text(encoding="utf-8"))
    return sum(map(len, by_path.values()))


def told(command: str, root: Path) -> list[str]:
    """What a command says about a tree: all lines of a type checker, the last one of tests; without times."""
    done = subprocess.run(command, cwd=root, shell=True, capture_output=True, text=True, check=False)
    lines = [_TIMES.sub("", line) for line in done.stdout.splitlines() if line.strip()]
    if not command.rstrip().endswith("tsc"):
        return lines[-1:]
    return sorted(re.sub(r"\(\d+,\d+\)", "", line) for line in lines)  # lines move


def audit(app: App, name: str, root: Path) -> tuple[list[Finding], dict[str, float]]:
    """Findings about dead code, and what they cost."""
    if name not in {one.name for one in app.catalog.list_all()}:
        app.index(root, name=name)
    record = next(one for one in app.catalog.list_all() if one.name == name)
    begun, spent = time.perf_counter(), time.process_time()
    found = app.audits.find(Scope(root=root, record=record), ["dead-code"]).findings
    cost = {
        "wall_s": round(time.perf_counter() - begun, 2),
        "cpu_s": round(time.process_time() - spent, 2),
        "files": record.file_count,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    return [one for one in found if one.rule in ("dead-code", "test-only")], cost


def measure(app: App, work: Path, program: str, spec: str) -> dict[str, Any]:
    """All about one repository."""
    name, folder, *command = spec.split("=", 2)
    root = Path(folder).resolve()
    findings, cost = audit(app, name, root)
    sure = [one for one in findings if one.actionability == "actionable"]
    result: dict[str, Any] = {
        "repository": name,
        **cost,
        "actionable": len(sure),
        "candidates": len(findings) - len(sure),
    }
    if program and any(root.rglob("*.py")):
        theirs, seconds = vulture(program, root)
        ours = {(one.place.path, one.key.partition("#")[0].rpartition(".")[2]) for one in findings}
        missed = [one for one in theirs if one not in ours]
        both = len(theirs) - len(missed)
        true_missed = [one for one in missed if (name, *one) in SORTED]
        result["vulture"] = {
            "found": len(theirs),
            "both": both,
            "only_vulture": len(missed),
            "of_these_true": len(true_missed),
            "recall": round(both / (both + len(true_missed)), 3) if both + len(true_missed) else None,
            "wall_s": round(seconds, 2),
        }
        result["only_vulture"] = [f"{path}: {one}" for path, one in missed if (name, path, one) not in SORTED][:40]
    copy = work / f"removed-{name}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy, symlinks=True)
    before = told(command[0], copy) if command else []
    result["removed_lines"] = remove(copy, sure)
    if command:
        after = told(command[0], copy)
        result["before"], result["after"] = (lines[-1] if lines else "" for lines in (before, after))
        result["same"] = before == after
        result["new_errors"] = [line for line in after if line not in before][:20]
    shutil.rmtree(copy)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--vulture", default="")
    parser.add_argument("--repo", action="append", default=[], metavar="NAME=FOLDER[=COMMAND]")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with App(Settings(indexing=IndexingSettings(vectors=False)), asked.work / "data") as app:
        found = [measure(app, asked.work, asked.vulture, spec) for spec in asked.repo]
    text = json.dumps({"dead_code": found}, indent=1)
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
