"""Findings of audits beside programs that do one part each: vulture for dead code, detect-secrets for secrets."""

import ast
import json
import re
import resource
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from benchmarks.frame import Folder, Folders, benchmark, note
from benchmarks.product import Product
from benchmarks.rows import Figures
from benchmarks.timing import SETTLE_S, Cost, ratio

MAX_FINDINGS = 1_000
_VULTURE = re.compile(r"(.*?):(\d+): unused (?:function|class|method|property) '(.+?)' \(\d+% confidence")
_TESTS = re.compile(r"(?:^|/)(?:tests?|testing|test_[^/]*|conftest)(?:/|\.py$)")
_TIMES = re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?)\b|\(\d+:\d+:\d+\)")
# (repository, file, name) of unused definitions that vulture names and the audit does not, sorted by hand. All others
# that vulture names are used: decorated, called by a framework or by special syntax, named in a template, a text or a
# manifest, or made from parts of names.
UNUSED = {
    ("click", "src/click/core.py", "add_source"),
    ("pgcli", "pgcli/pgcompleter.py", "extend_keywords"),
    ("requests", "src/requests/cookies.py", "list_domains"),
    ("requests", "src/requests/cookies.py", "list_paths"),
    ("requests", "src/requests/cookies.py", "multiple_domains"),
    ("requests", "src/requests/cookies.py", "get_dict"),
}
VERDICTS = Path(__file__).parent / "goldens" / "secrets.json"
Findings = Sequence[Mapping[str, Any]]


def audit(product: Product, folder: Path, part: str, rule: str) -> tuple[Findings, Cost]:
    """Findings of one part of an audit, and what finding them cost."""
    product.index(folder, folder.name, "--without", "vector")
    with Cost(SETTLE_S) as cost:
        answer = product.run("audit", "--index", folder.name, "--include", part, "--limit", str(MAX_FINDINGS))
    return [finding for finding in answer["findings"] if re.match(rule, finding["rule"])], cost


@benchmark
def dead_code(
    product: Product, folder: Folder, *,
    vulture: Annotated[str, "program"] = "vulture",
    command: Annotated[str, "tests or type checker, run before and after all actionable findings are removed"] = "",
) -> Figures:  # fmt: skip
    """Dead code beside vulture; and whether tests still pass without everything that an audit would remove."""
    root = product.copy(folder, folder.resolve().name)
    findings, cost = audit(product, root, "dead-code", "dead-code|test-only")
    sure = [finding for finding in findings if finding["actionability"] == "actionable"]
    theirs = _by_vulture(vulture, root) if any(root.rglob("*.py")) else []
    missed = [row for row in theirs if not any(_covers(finding, *row[:2]) for finding in findings)]
    truly = [row for row in missed if (root.name, row[0], row[2]) in UNUSED]
    for path, line, name in missed:
        note(f"only vulture: {path}:{line} {name}")
    both = len(theirs) - len(missed)
    before = _said(command, root) if command else []
    removed = remove(root, sure)
    after = _said(command, root) if command else []
    faults = len([line for line in after if line not in before])
    return {
        "actionable": len(sure),
        "candidates": len(findings) - len(sure),
        "vulture": len(theirs),
        "both": both,
        "recall of what is unused": ratio(both, both + len(truly)),
        "removed lines": removed,
        **cost.figures("audit"),
        "faults": faults,
    }


def _by_vulture(program: str, root: Path) -> list[tuple[str, int, str]]:
    """File, line and name of what vulture finds outside of tests."""
    done = subprocess.run(
        [program, ".", "--min-confidence", "60"], cwd=root, capture_output=True, text=True, check=False
    )
    rows = [match for line in done.stdout.splitlines() if (match := _VULTURE.match(line))]
    return [(match[1], int(match[2]), match[3]) for match in rows if not _TESTS.search(match[1])]


def _covers(finding: Mapping[str, Any], path: str, line: int) -> bool:
    return bool(finding["file"] == path and finding["line"] <= line <= finding["end_line"])


def remove(root: Path, findings: Findings) -> int:
    """Remove the lines of findings from files; Python has to compile afterwards."""
    by_path: dict[str, set[int]] = {}
    for finding in findings:
        by_path.setdefault(finding["file"], set()).update(range(finding["line"], finding["end_line"] + 1))
    for path, gone in by_path.items():
        file = root / path
        lines = file.read_text(encoding="utf-8").split("\n")
        file.write_text("\n".join(line for number, line in enumerate(lines, 1) if number not in gone), encoding="utf-8")
        if path.endswith(".py"):
            ast.parse(file.read_text(encoding="utf-8"))
    return sum(map(len, by_path.values()))


def _said(command: str, root: Path) -> list[str]:
    """Output of a command without times: all lines of a type checker (ends with `tsc`), the last one of tests."""
    done = subprocess.run(command, cwd=root, shell=True, capture_output=True, text=True, check=False)
    lines = [_TIMES.sub("", line) for line in done.stdout.splitlines() if line.strip()]
    if not command.rstrip().endswith("tsc"):
        return lines[-1:]
    return [re.sub(r"\(\d+,\d+\)", "", line) for line in lines]  # lines move


@benchmark
def secrets(
    product: Product, folders: Folders, *, detect_secrets: Annotated[str, "program"] = "detect-secrets"
) -> Figures:
    """Secrets beside detect-secrets, by verdicts made by hand: recall, false alarms, CPU time.

    `goldens/secrets.json` says for each line that either of the two names whether it is a secret; line 0 is a file.
    """
    table = json.loads(VERDICTS.read_text(encoding="utf-8"))
    verdicts = {(row[0], row[1], row[2]): table["classes"][row[3]] for row in table["lines"]}
    counts: Counter[str] = Counter()
    ours_s = theirs_s = 0.0
    for folder in (path.resolve() for path in folders):
        findings, cost = audit(product, folder, "secrets", "secret/")
        ours = {(finding["file"], finding["line"]) for finding in findings}
        theirs, seconds = _by_peer(detect_secrets, folder)
        ours_s, theirs_s = ours_s + cost.cpu_s, theirs_s + seconds
        for path, line in ours | theirs:
            verdict = verdicts.get((folder.name, path, line), verdicts.get((folder.name, path, 0)))
            if verdict is None:
                counts["without verdict"] += 1
                continue
            kind = "true" if verdict else "false"
            counts[f"{kind} peer"] += (path, line) in theirs
            counts[f"{kind} ours"] += (path, line) in ours
            counts[f"{kind} both"] += (path, line) in ours & theirs
    return {
        "true lines": counts["true ours"],
        "false lines": counts["false ours"],
        "peer's true lines": counts["true peer"],
        "peer's false lines": counts["false peer"],
        "recall of the peer's": ratio(counts["true both"], counts["true peer"]),
        "without verdict": counts["without verdict"],
        "audit CPU s": round(ours_s, 2),
        "peer CPU s": round(theirs_s, 2),
    }


def _by_peer(program: str, folder: Path) -> tuple[set[tuple[str, int]], float]:
    """File and line of what detect-secrets finds, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, "scan", "--no-verify", "--all-files", "--exclude-files", r"(^|/)\.git/", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    results = json.loads(done.stdout)["results"]
    return {(path.removeprefix("./"), row["line_number"]) for path, rows in results.items() for row in rows}, seconds
