"""Quarantine of flaky tests: they run and are counted, but their failures do not fail the run (quarantine.toml)."""

import tomllib
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

FILE = Path("tests", "quarantine.toml")
ENTRIES = pytest.StashKey[dict[str, dict[str, Any]]]()


def pytest_configure(config: pytest.Config) -> None:
    entries = tomllib.loads((config.rootpath / FILE).read_text(encoding="utf-8"))
    faults = [fault for test, entry in entries.items() if (fault := fault_of(config.rootpath, test, entry))]
    if faults:
        raise pytest.UsageError("\n".join(faults))
    config.stash[ENTRIES] = entries


def fault_of(root: Path, test: str, entry: dict[str, Any]) -> str | None:
    """Explain why an entry is not valid, if it is not."""
    path, name = test.partition("::")[0], test.rpartition("::")[2]
    if entry.keys() != {"symptom", "until"} or type(entry["until"]) is not date:
        return f"{FILE}: [{test!r}] needs a symptom and a day `until`, and nothing else."
    if not (root / path).is_file() or f"def {name}(" not in (root / path).read_text(encoding="utf-8"):
        return f"{FILE}: {test} does not exist. Remove the entry, or correct its name."
    if date.today() > entry["until"]:
        return f"{FILE}: the time of {test} is up since {entry['until']}. Fix the test, and remove the entry."
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    for item in items:
        if entry := config.stash[ENTRIES].get(item.nodeid.partition("[")[0]):
            item.add_marker(pytest.mark.xfail(reason=f"quarantined: {entry['symptom']}", strict=False))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    failed, passed = (
        sum(report.nodeid.partition("[")[0] in config.stash[ENTRIES] for report in terminalreporter.stats.get(kind, []))
        for kind in ("xfailed", "xpassed")
    )
    terminalreporter.write_line(f"Quarantined tests: {failed + passed} ran, {failed} failed.")
