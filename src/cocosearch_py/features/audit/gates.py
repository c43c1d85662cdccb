"""Whether what was found may pass, and in which group each finding is. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from cocosearch_py.features.audit.findings import SEVERITIES, Actionability, Finding, NotChecked, Severity
from cocosearch_py.model.counts import counted

_RANK: Mapping[Actionability, int] = {"actionable": 0, "candidate": 1, "risk_note": 2, "expected": 3}
# Name of a group -> the actionability of its findings; each finding is also in one of the first two.
_GROUPS: Mapping[str, Actionability] = {
    "actionable": "actionable",
    "candidates": "candidate",
    "risk_notes": "risk_note",
    "expected": "expected",
}


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Order findings: the severe first, of these those in the product's own code, of these the sure ones."""
    return sorted(
        findings,
        key=lambda one: (
            one.suppressed is not None,
            -SEVERITIES.index(one.severity),
            one.secondary,
            _RANK[one.actionability],
            one.place,
            one.rule,
        ),
    )


def groups_of(findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Ids by group: `primary` or `secondary`, and one by actionability."""
    kept = [one for one in findings if one.suppressed is None]
    found = {
        "primary": [one.id for one in kept if not one.secondary],
        "secondary": [one.id for one in kept if one.secondary],
    }
    for name, actionability in _GROUPS.items():
        found[name] = [one.id for one in kept if one.actionability == actionability]
    return found


def reasons_to_fail(
    findings: Iterable[Finding], not_checked: Iterable[NotChecked], *, fail_on: Severity | None, strict: bool
) -> list[str]:
    """Why a gate fails, in sentences; none if it passes.

    `fail_on` counts all that is not suppressed or expected; `strict` whatever is actionable, and what was not checked.
    """
    kept = [one for one in findings if one.suppressed is None]
    told = []
    if fail_on is not None:
        least = SEVERITIES.index(fail_on)
        severe = [one for one in kept if one.actionability != "expected" and SEVERITIES.index(one.severity) >= least]
        if severe:
            told.append(f"{counted(len(severe), 'finding')} of severity {fail_on} or higher")
    if strict:
        if sure := [one for one in kept if one.actionability == "actionable"]:
            told.append(f"{counted(len(sure), 'finding')} to act on")
        told += [f"not checked: {one.what}: {one.why}" for one in not_checked if one.is_gap]
    return told
