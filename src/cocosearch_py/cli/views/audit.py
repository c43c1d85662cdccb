"""What an audit found on a terminal, and as SARIF."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.layout import print_pairs, shown
from cocosearch_py.model.audit import Place
from cocosearch_py.operations.audit_code import Arguments, Audited

_COLORS = {"low": "dim", "medium": "yellow", "high": "red", "critical": "bold red"}
_TITLES = {
    "actionable": "To act on",
    "candidate": "To look at",
    "risk_note": "To know",
    "expected": "Expected",
}
_MOST_READ_BYTES = 2**21
_MOST_PLACES = 5


def show_audit(session: Session, audited: Audited, asked: Arguments) -> None:
    """The findings by what to do about them, then what was not checked, and why a gate fails."""
    console = session.console
    counted = [one for one in audited.findings if one.suppressed is None]
    kept = counted[: asked.limit]
    for actionability, title in _TITLES.items():
        some = [one for one in kept if one.actionability == actionability]
        if not some:
            continue
        console.print(f"[bold]{title}[/]")
        for one in some:
            place = shown(f"{one.place.path}:{one.place.start_line}")
            color = _COLORS[one.severity]
            rule = f"[{color}]{one.severity}[/] {one.rule}{' (secondary)' if one.secondary else ''}"
            print_pairs(console, [(f"  {place}", f"{rule}: {shown(one.message)}")])
            for text in one.evidence:
                console.print(f"    {shown(text)}", style="dim", soft_wrap=True)
            if one.rule.endswith("duplicate"):
                console.print(f"    also at {shown(_places(one.related))}", style="dim", soft_wrap=True)
        console.print()
    for gap in audited.not_checked:
        files = f" ({gap.files:,})" if gap.files else ""
        session.note(f"not checked: {gap.part}: {gap.what}{files}: {gap.why}")
    suppressed = len(audited.findings) - len(counted)
    session.note(f"{len(kept):,} of {len(counted):,} findings, {suppressed:,} more are suppressed")


def _places(related: Sequence[Place]) -> str:
    named = [f"{one.path}:{one.start_line}-{one.end_line}" for one in related[:_MOST_PLACES]]
    return ", ".join(named) + (", …" if len(related) > len(named) else "")


def remark_on_gate(session: Session, audited: Audited, asked: Arguments) -> None:
    """Why the gate fails; the JSON has it already."""
    if not session.json or asked.format == "sarif":
        for text in (*audited.warnings, *(f"the gate fails: {one}" for one in audited.failed)):
            session.warn(text)


def sarif_lines(audited: Audited, asked: Arguments) -> list[str] | None:
    """All findings, those suppressed too, as one SARIF log; None if that is not asked for."""
    if asked.format != "sarif":
        return None
    from cocosearch_py.audit.sarif import to_sarif

    compares = bool(asked.baseline or asked.write_baseline)
    line = _line_of(Path(audited.record.root_path))
    log = to_sarif(audited.findings, audited.not_checked, line, compares=compares)
    return [json.dumps(log, indent=1, ensure_ascii=True)]


def _line_of(root: Path) -> Callable[[str, int], str | None]:
    """Lines of files on disk."""

    @lru_cache(maxsize=16)
    def lines(path: str) -> list[str]:
        from cocosearch_py.discovery.reading import FolderReader
        from cocosearch_py.discovery.sniff import Skip

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
