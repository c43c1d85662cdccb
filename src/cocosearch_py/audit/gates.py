"""Whether what was found may pass, and in which group each finding is. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from cocosearch_py.model.audit import SEVERITIES, Actionability, Finding, NotChecked, Severity

_RANK: Mapping[Actionability, int] = {"actionable": 0, "candidate": 1, "risk_note": 2, "expected": 3}
# Name of a group -> the actionability of its findings; each finding is also in one of the first two.
_GROUPS: Mapping[str, Actionability] = {
    "actionable": "actionable",
    "candidates": "candidate",
    "risk_notes": "risk_note",
    "expected": "expected",
}


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """What is most worth looking at first: that counts, in the product's own code, sure and severe."""
    return sorted(
        findings,
        key=lambda one: (
            one.suppressed is not None,
            one.secondary,
            _RANK[one.actionability],
            -SEVERITIES.index(one.severity),
            one.place,
            one.rule,
        ),
    )


def groups_of(findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Ids by group: `primary` or `secondary`, and one by actionability."""
    counted = [one for one in findings if one.suppressed is None]
    found = {
        "primary": [one.id for one in counted if not one.secondary],
        "secondary": [one.id for one in counted if one.secondary],
    }
    for name, actionability in _GROUPS.items():
        found[name] = [one.id for one in counted if one.actionability == actionability]
    return found


def reasons_to_fail(
    findings: Iterable[Finding], not_checked: Iterable[NotChecked], *, fail_on: Severity | None, strict: bool
) -> list[str]:
    """Why a gate fails, in sentences; none if it passes.

    `fail_on` counts all that is not suppressed or expected; `strict` whatever is actionable, and what was not checked.
    """
    counted = [one for one in findings if one.suppressed is None]
    told = []
    if fail_on is not None:
        least = SEVERITIES.index(fail_on)
        severe = [one for one in counted if one.actionability != "expected" and SEVERITIES.index(one.severity) >= least]
        if severe:
            told.append(f"{_count(severe)} of severity {fail_on} or more")
    if strict:
        if sure := [one for one in counted if one.actionability == "actionable"]:
            told.append(f"{_count(sure)} to act on")
        told += [f"not checked: {one.what}: {one.why}" for one in not_checked if one.is_gap]
    return told


def _count(findings: Sequence[Finding]) -> str:
    return "1 finding" if len(findings) == 1 else f"{len(findings):,} findings"
