"""Runs the official conformance suite against the product, and against the product's server with the suite's fixtures.

    python tools/mcp/conformance.py [--work FOLDER] [--out FILE]

Needs npm, and the network for the first run in a work folder. Scenarios that a product cannot pass without fixtures
stand in baseline.json, each with its reason; they must pass in the fixture run. Exits with 1 when a scenario that
applies fails, or when one of the baseline passes and should leave it.
"""

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import Programs, install, sample, serving, table, work_folder

PACKAGE = "@modelcontextprotocol/conformance"
# The released suite knows 2025-11-25; scenarios of the later revision are in its pre-release only.
SUITES = {"2025-11-25": f"{PACKAGE}@0.1.16", "2026-07-28": f"{PACKAGE}@0.2.0-alpha.12"}
BASELINE = Path(__file__).with_name("baseline.json")
RUN_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Scenario:
    """What the checks of one scenario came to."""

    name: str
    passed: int
    failed: int
    notes: tuple[str, ...]  # what failed or was warned of

    @property
    def ok(self) -> bool:
        return self.failed == 0 and self.passed > 0


def main() -> int:
    """Run both; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--work", type=Path, help="folder for packages and results; kept")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    given = parser.parse_args()
    baseline: dict[str, Any] = json.loads(BASELINE.read_text())
    report: dict[str, Any] = {}
    good = True
    with work_folder(given.work) as work:
        for revision, package in SUITES.items():
            programs = install(work / f"suite-{revision}", [package])
            exempt = baseline[revision]
            for kind, found in (
                ("product", _product(programs, work, revision)),
                ("fixture", _fixture(programs, work, revision)),
            ):
                rows = [_judge(one, exempt if kind == "product" else {}) for one in found]
                good &= bool(found) and all(not row[3].startswith("WRONG") for row in rows)
                print(
                    table(
                        f"\n{kind}, {revision}, {package}",
                        [("scenario", "passed", "failed", "verdict"), *rows],
                    )
                )
                print(
                    "; ".join(
                        f"{verdict}: {count}"
                        for verdict, count in Counter(row[3].split(":")[0] for row in rows).items()
                    )
                )
                report[f"{kind} {revision}"] = {row[0]: row[3] for row in rows}
    if given.out:
        given.out.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if good else 1


def _product(programs: Programs, work: Path, revision: str) -> list[Scenario]:
    with sample(work) as made:
        command = made.command("mcp", str(made.folder), "--transport", "http", "--port", "0")
        with serving(command, made.environment, work) as address:
            return _run(programs, address, revision, work / f"results-product-{revision}")


def _fixture(programs: Programs, work: Path, revision: str) -> list[Scenario]:
    from common import SOURCE

    script = Path(__file__).with_name("fixture_server.py")
    with serving(
        [sys.executable, str(script), "0"], {**programs.environment, "PYTHONPATH": str(SOURCE)}, work
    ) as address:
        return _run(programs, address, revision, work / f"results-fixture-{revision}")


def _run(programs: Programs, address: str, revision: str, results: Path) -> list[Scenario]:
    for old in results.glob("*/checks.json"):
        old.unlink()
    arguments = [
        "server",
        "--url",
        f"{address}/mcp",
        "--suite",
        "all",
        "--spec-version",
        revision,
        "-o",
        str(results),
    ]
    done = programs.run("conformance", arguments, RUN_TIMEOUT_S)
    found = [_scenario(path) for path in sorted(results.glob("*/checks.json"))]
    if not found:
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
    return found


def _scenario(path: Path) -> Scenario:
    name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", path.parent.name.removeprefix("server-"))
    checks = json.loads(path.read_text())
    counts = Counter(check["status"] for check in checks)
    notes = [
        f"{check['id']}: {check.get('errorMessage', '')}"
        for check in checks
        if check["status"] in ("FAILURE", "WARNING")
    ]
    return Scenario(name, counts["SUCCESS"], counts["FAILURE"], tuple(notes))


def _judge(scenario: Scenario, exempt: dict[str, dict[str, str]]) -> tuple[str, str, str, str]:
    name = scenario.name
    if name in exempt.get("vacuous", {}) and scenario.ok:
        verdict = "vacuous"
    elif name in exempt.get("not_applicable", {}):
        verdict = "WRONG: passes, take it out of the baseline" if scenario.ok else "not applicable"
    elif scenario.ok:
        verdict = "passed"
    elif not scenario.failed and scenario.notes:  # recommended, not required
        verdict = f"passed with warnings: {', '.join(note.split(':')[0] for note in scenario.notes)}"
    else:
        verdict = f"WRONG: {'; '.join(scenario.notes) or 'no check passed'}"[:200]
    return name, str(scenario.passed), str(scenario.failed), verdict


if __name__ == "__main__":
    sys.exit(main())
