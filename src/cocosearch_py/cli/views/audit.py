"""Findings of an audit on a terminal, and as SARIF."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from rich.console import Console

from cocosearch_py.audit.sarif import to_sarif
from cocosearch_py.cli.session import Session
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.model.audit import SEVERITIES, Finding, Place
from cocosearch_py.model.counts import counted
from cocosearch_py.operations.audit_code import Arguments, Audited
from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.paths import local_path

_COLORS = {"low": "dim", "medium": "yellow", "high": "red", "critical": "bold red"}
_MEANINGS = {"actionable": "fix", "candidate": "check", "risk_note": "info", "expected": "expected"}
_MOST_READ_BYTES = 2**21
_MOST_PLACES = 5


def show_audit(session: Session, audited: Audited, asked: Arguments) -> None:
    """The findings by severity, then what was not checked, and why a gate fails."""
    console, root = session.console, audited.record.root_path
    counts = [one for one in audited.findings if one.suppressed is None]
    kept = counts[: asked.limit]
    for severity in reversed(SEVERITIES):
        some = [one for one in kept if one.severity == severity]
        if not some:
            continue
        console.print(f"[{_COLORS[severity]}]{severity}[/]: {counted(len(some), 'finding')}")
        for one in some:
            _show(console, one, root)
        console.print()
    for gap in audited.not_checked:
        files = f" ({gap.files:,})" if gap.files else ""
        session.note(f"not checked: {gap.part}: {gap.what}{files}: {gap.why}")
    suppressed = len(audited.findings) - len(counts)
    rest = f", {suppressed:,} more suppressed" if suppressed else ""
    more = ": --limit shows more" if len(kept) < len(counts) else ""
    session.note(f"{len(kept):,} of {counted(len(counts), 'finding')}{rest}{more}")


def _show(console: Console, one: Finding, root: str) -> None:
    """A finding: its place and rule, what it says, and the evidence below it."""
    place = f"{shown(local_path(root, one.place.path))}:{one.place.start_line}"
    means = _MEANINGS[one.actionability] + (", test or example code" if one.secondary else "")
    console.print(f"  [cyan]{place}[/]  {one.rule} [dim]({means})[/]", soft_wrap=True)
    print_pairs(console, [("  ", shown(one.message))])
    evidence = [*one.evidence, *([f"also at {_places(one.related, root)}"] if one.rule.endswith("duplicate") else [])]
    print_pairs(console, [("  ", f"[dim]{shown(text)}[/]") for text in evidence])


def _places(related: Sequence[Place], root: str) -> str:
    named = [f"{local_path(root, one.path)}:{one.start_line}-{one.end_line}" for one in related[:_MOST_PLACES]]
    return ", ".join(named) + (", …" if len(related) > len(named) else "")


def remark_on_gate(session: Session, audited: Audited, asked: Arguments) -> None:
    """Why the gate fails; the JSON has it already."""
    if not session.json or asked.format == "sarif":
        for text in (*audited.warnings, *(f"gate failed: {one}" for one in audited.failed)):
            session.warn(text)


def sarif_lines(audited: Audited, asked: Arguments) -> list[str] | None:
    """All findings, those suppressed too, as one SARIF log; None if that is not asked for."""
    if asked.format != "sarif":
        return None
    compares = bool(asked.baseline or asked.write_baseline)
    line = _line_of(Path(audited.record.root_path))
    log = to_sarif(audited.findings, audited.not_checked, line, compares=compares)
    return [json.dumps(log, indent=1, ensure_ascii=True)]


def _line_of(root: Path) -> Callable[[str, int], str | None]:
    """Lines of files on disk."""

    @lru_cache(maxsize=16)
    def lines(path: str) -> list[str]:
        try:
            with FolderReader(str(root.resolve()), _MOST_READ_BYTES, reads_secrets=True) as reader:
                data = reader.read(path)
        except OSError:
            return []
        return [] if isinstance(data, Skip) else data.decode(errors="replace").split("\n")

    def line(path: str, number: int) -> str | None:
        known = lines(path)
        return known[number - 1] if 0 < number <= len(known) else None

    return line
