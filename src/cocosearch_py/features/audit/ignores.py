"""Comments that say that a finding does not count, with a reason: `cocosearch: ignore[rule] why`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.features.audit.findings import Finding, Scope, Suppression

_IGNORE = re.compile(r"\bcocosearch(?:-py)?:\s*ignore(?:\[(?P<rules>[\w/,*\s-]*)\])?(?P<reason>.*)")
_MARKS = " \t:,;–-"
_CLOSING = ("*/", "-->", "#}", "%>")
_ALLOWED = re.compile(r"\bpragma:\s*(?:allowlist|whitelist)[ -](?P<next>nextline[ -])?secret\b", re.IGNORECASE)
_SECRETS = "secret"
_NO_REASON = "the ignore comment in line {} gives no reason, so the finding counts"


def with_ignores(findings: Sequence[Finding], scope: Scope) -> list[Finding]:
    """The findings, those suppressed that a comment at their first line or in the line above excuses.

    Files are read from the disk; of one that cannot be read nothing is excused.
    """
    by_path: dict[str, list[int]] = defaultdict(list)
    for number, finding in enumerate(findings):
        by_path[finding.place.path].append(number)
    found = list(findings)
    with FolderReader(str(scope.root.resolve()), scope.max_file_bytes, reads_secrets=True) as reader:
        for path, numbers in by_path.items():
            try:
                data = reader.read(path)
            except OSError:
                continue
            if isinstance(data, Skip) or not _may_ignore(data):
                continue
            lines = data.decode(errors="replace").split("\n")
            for number in numbers:
                found[number] = _judged(found[number], lines)
    return found


def _may_ignore(data: bytes) -> bool:
    lowered = data.lower()
    return b"ignore" in lowered or b"pragma" in lowered


def _judged(finding: Finding, lines: Sequence[str]) -> Finding:
    first = finding.place.start_line
    for number in (first, first - 1):
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        allowed = _ALLOWED.search(line) if finding.rule.startswith(_SECRETS) else None
        if allowed is not None and bool(allowed["next"]) == (number < first):
            return replace(finding, suppressed=Suppression("inline", allowed.group()))
        told = _IGNORE.search(line)
        if told is None or not _is_meant(finding.rule, told["rules"]):
            continue
        if not (reason := _reason(told["reason"])):
            return replace(finding, evidence=(*finding.evidence, _NO_REASON.format(number)))
        return replace(finding, suppressed=Suppression("inline", reason))
    return finding


def _reason(text: str) -> str:
    """A reason without marks before it, and without what ends its comment."""
    text = text.rstrip()
    closing = next((one for one in _CLOSING if text.endswith(one)), "")
    return text.removesuffix(closing).strip().lstrip(_MARKS)


def _is_meant(rule: str, rules: str | None) -> bool:
    """Whether a rule is among those in brackets; all are where there are none."""
    named: Iterable[str] = [one.strip() for one in (rules or "").split(",") if one.strip()]
    return not named or any(one in (rule, rule.partition("/")[0], "*") for one in named)
