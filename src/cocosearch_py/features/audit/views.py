"""Findings of an audit on a terminal, and as SARIF."""

import json
from collections.abc import Sequence

from rich.console import Console

from cocosearch_py.features.audit.findings import SEVERITIES
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_COLORS = {"low": "dim", "medium": "yellow", "high": "red", "critical": "bold red"}
_MEANINGS = {"actionable": "fix", "candidate": "check", "risk_note": "info", "expected": "expected"}
_MAX_PLACES = 5


def show_audit(screen: Screen, answer: Json) -> None:
    """Show the findings by severity, then the gaps of the audit."""
    console, findings, counts = screen.console, answer["findings"], answer["counts"]
    for severity in reversed(SEVERITIES):
        some = [finding for finding in findings if finding["severity"] == severity]
        if not some:
            continue
        console.print(f"[{_COLORS[severity]}]{severity}[/]: {counted(len(some), 'finding')}")
        for finding in some:
            _show(console, finding, answer["root"])
        console.print()
    for gap in answer["not_checked"]:
        files = f" ({gap['files']:,})" if "files" in gap else ""
        screen.note(f"not checked: {gap['part']}: {gap['what']}{files}: {gap['why']}")
    rest = f", {counts['suppressed']:,} more suppressed" if counts["suppressed"] else ""
    more = ": --limit shows more" if len(findings) < counts["total"] else ""
    screen.note(f"{len(findings):,} of {counted(counts['total'], 'finding')}{rest}{more}")


def _show(console: Console, finding: Json, root: str) -> None:
    """Print a finding: its place and rule, its message, and the evidence below it."""
    place = f"{shown(local_path(root, finding['file']))}:{finding['line']}"
    meaning = _MEANINGS[finding["actionability"]] + (", test or example code" if "secondary" in finding else "")
    console.print(f"  [cyan]{place}[/]  {finding['rule']} [dim]({meaning})[/]", soft_wrap=True)
    print_pairs(console, [("  ", shown(finding["message"]))])
    copies = [f"also at {_places(finding['related'], root)}"] if finding["rule"].endswith("duplicate") else []
    print_pairs(console, [("  ", f"[dim]{shown(text)}[/]") for text in (*finding["evidence"], *copies)])


def _places(related: Sequence[Json], root: str) -> str:
    named = [f"{local_path(root, one['file'])}:{one['line']}-{one['end_line']}" for one in related[:_MAX_PLACES]]
    return ", ".join(named) + (", …" if len(related) > len(named) else "")


def sarif_lines(answer: Json) -> list[str] | None:
    """Return all findings, the suppressed ones too, as one SARIF log; None if it is not asked for."""
    return [json.dumps(answer["sarif"], indent=1, ensure_ascii=True)] if "sarif" in answer else None
