"""Findings as SARIF 2.1.0, which code scanning reads."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.features.audit.findings import Finding, NotChecked, Place, Rule, Severity
from cocosearch_py.features.audit.rules import RULES

Json = dict[str, Any]
Line = Callable[[str, int], str | None]  # of a file, from 1; None if it is not known

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_READ_BYTES = 2**21
_ROOT = "ROOT"
_LEVELS: Mapping[Severity, str] = {"low": "note", "medium": "warning", "high": "error", "critical": "error"}
_RISKS: Mapping[Severity, str] = {"low": "3.0", "medium": "5.5", "high": "8.0", "critical": "9.5"}
_FINGERPRINT = "cocosearchFinding/v1"
_KINDS = {"inline": "inSource", "configuration": "external", "baseline": "external"}


def sarif_log(findings: Sequence[Finding], not_checked: Sequence[NotChecked], root: Path, *, compares: bool) -> Json:
    """Return findings of a folder as a log; see `to_sarif`."""
    return to_sarif(findings, not_checked, _line_of(root), compares=compares)


def _line_of(root: Path) -> Callable[[str, int], str | None]:
    """Return a function that reads lines of files below a folder."""

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


def to_sarif(findings: Sequence[Finding], not_checked: Sequence[NotChecked], line: Line, *, compares: bool) -> Json:
    """One run; columns are counted in UTF-16 code units, paths are relative to the root, with /.

    Args:
        line: text that columns are counted in.
        compares: whether the findings were compared with a baseline.
    """
    ids = sorted({one.rule for one in findings})
    rules = [RULES[one] for one in ids]
    results = [_result(one, ids.index(one.rule), line) for one in findings]
    if compares:
        for result, one in zip(results, findings, strict=True):
            result["baselineState"] = "new" if one.is_new else "unchanged"
    notes = [_note(one) for one in not_checked]
    run = {
        "tool": {
            "driver": {
                "name": "cocosearch-py",
                "semanticVersion": version("cocosearch-py"),
                "rules": [_rule(one) for one in rules],
            }
        },
        "automationDetails": {"id": "cocosearch-py/audit/"},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder of the index."}}},
        "invocations": [{"executionSuccessful": True, **({"toolExecutionNotifications": notes} if notes else {})}],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> Json:
    is_security = rule.part == "secrets"
    found: Json = {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.replace("/", "-").split("-")),
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.help},
        "help": {"text": rule.help, "markdown": rule.help},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["security" if is_security else "maintainability"]},
    }
    if is_security:
        found["properties"]["security-severity"] = _RISKS[rule.severity]
    return found


def _result(one: Finding, index: int, line: Line) -> Json:
    is_expected = one.actionability == "expected"
    found: Json = {
        "ruleId": one.rule,
        "ruleIndex": index,
        "kind": "informational" if is_expected else "fail",
        "level": "none" if is_expected else _LEVELS[one.severity],
        "message": {"text": f"{one.message[:1].upper()}{one.message[1:]}. {_sentences(one.evidence)}".strip()},
        "locations": [{"physicalLocation": _physical(one.place, line)}],
        "partialFingerprints": {_FINGERPRINT: one.id},
        "suppressions": [],
        "properties": {"actionability": one.actionability, "secondary": one.secondary, "severity": one.severity},
    }
    if one.related:
        found["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(place, line)} for number, place in enumerate(one.related)
        ]
    if one.suppressed is not None:
        found["suppressions"] = [
            {
                "kind": _KINDS[one.suppressed.kind],
                "status": "accepted",
                "justification": one.suppressed.reason,
            }
        ]
    return found


def _sentences(texts: Sequence[str]) -> str:
    return " ".join(f"{text[:1].upper()}{text[1:]}." for text in texts)


def _physical(place: Place, line: Line) -> Json:
    region: Json = {"startLine": place.start_line}
    if place.end_line != place.start_line:
        region["endLine"] = place.end_line
    if place.start_column:
        region["startColumn"] = _units(line(place.path, place.start_line), place.start_column)
        if place.end_column:
            region["endColumn"] = _units(line(place.path, place.end_line), place.end_column)
    uri = quote(place.path.encode(errors="surrogateescape"), safe="/")
    return {"artifactLocation": {"uri": uri, "uriBaseId": _ROOT}, "region": region}


def _units(text: str | None, column: int) -> int:
    """A column of characters as one of UTF-16 code units, both from 1."""
    if text is None:
        return column
    return len(text[: column - 1].encode("utf-16-le", "surrogatepass")) // 2 + 1


def _note(one: NotChecked) -> Json:
    told = f"{one.part}: {one.what} were not checked: {one.why}."
    return {"level": "warning" if one.is_gap else "note", "message": {"text": told}}
