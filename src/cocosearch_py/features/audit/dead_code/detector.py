"""Findings about definitions that nothing uses, or nothing but tests: how sure they are, and what speaks for them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cocosearch_py.features.audit.common import index_step, is_secondary, left_out, read_step
from cocosearch_py.features.audit.dead_code.reachability import unused, weigh
from cocosearch_py.features.audit.dead_code.unindexed import doubt_by_others
from cocosearch_py.features.audit.dead_code.usage import Survey, Suspect, take
from cocosearch_py.features.audit.findings import Actionability, Detected, Finding, NotChecked, Place, Scope, Severity
from cocosearch_py.features.audit.queries import AuditedFile, places_named
from cocosearch_py.languages import LANGUAGES, tells_references
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.languages.liveness import Liveness, liveness_of
from cocosearch_py.storage.connection import Connection

_MANY_LINES = 50  # from which on removing it is worth more
_MOST_SHOWN = 5  # places in a finding
_PART = "dead-code"


def find_dead_code(scope: Scope, conn: Connection) -> Detected:
    """Definitions of the project's own code that nothing uses, and those that only tests use."""
    if not scope.record.has("graph"):
        why = "this check needs an index with imports and references: index again with indexing.graph on"
        return Detected(not_checked=(NotChecked(_PART, "all files", why),))
    index_id = scope.record.index_id
    made = take(conn, index_id)
    unloaded = weigh(made, scope, places_named(conn, index_id, {one.one.name for one in made.suspects}))
    doubt_by_others(made, scope)
    dead = unused(made, unloaded, without_tests=False)
    tested = unused(made, unloaded, without_tests=True) - dead
    gaps = _gaps(made)
    telling = _Telling(scope, made, dead, tested, gaps, unloaded)
    findings = [*telling.files(), *telling.findings()]
    versions = {made.files[number].path: made.files[number].version for number in telling.told_of}
    asked = {_liveness_of(one) for one in made.files if scope.is_asked(one.path)}
    told = (gap.told for gap in gaps if any(map(gap.may_use, asked)))
    return Detected(findings=tuple(findings), not_checked=(*told, *telling.silent()), versions=versions)


class _Gap(NamedTuple):
    """Files of a language whose text is not known although it is code."""

    told: NotChecked
    liveness: Liveness

    def may_use(self, other: Liveness) -> bool:
        """Whether they may use definitions of a language: as names that are read count as uses, see `alive`."""
        return self.liveness is other or not self.liveness.is_measured


def _gaps(made: Survey) -> list[_Gap]:
    unread = Counter(_language_of(one) for one in made.files if one.status == "failed" or one.reason == "too_large")
    why = "they could not be read, and may use anything"
    return [
        _Gap(NotChecked(_PART, f"{language.name} files", why, count), liveness_of(language_id))
        for language_id, count in unread.items()
        if (language := LANGUAGES.get(language_id)) is not None and language.kind == "code"
    ]


def _language_of(one: AuditedFile) -> str:
    return one.language_id or detect_language(one.path, b"")


def _liveness_of(one: AuditedFile) -> Liveness:
    return liveness_of(_language_of(one))


@dataclass(slots=True)
class _Telling:
    """Makes findings of what was not found alive."""

    scope: Scope
    made: Survey
    dead: set[int]
    tested: set[int]
    gaps: Sequence[_Gap]
    unloaded: set[int]
    told_of: set[int] = field(default_factory=set)
    sure: set[int] = field(default_factory=set)
    _by_file: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Tell the sure ones of those that nothing uses."""
        for number in self.dead:
            one = self.made.suspects[number]
            if not (one.mentions or one.doubts or one.is_public or one.is_kept):
                self.sure.add(number)
        self._doubt_users()

    def findings(self) -> Iterator[Finding]:
        seen: dict[tuple[int, str], int] = {}
        for number in sorted(self.dead | self.tested):
            one = self.made.suspects[number]
            path = self.made.files[one.file].path
            if not self._is_asked(path) or self._is_inside(number):
                continue
            if one.file in self.unloaded and number not in self.sure:  # its file is told of
                continue
            if number in self.tested and (one.is_public or one.doubts):
                continue
            times = seen[one.file, one.one.qualified_name] = seen.get((one.file, one.one.qualified_name), 0) + 1
            key = one.one.qualified_name if times == 1 else f"{one.one.qualified_name}#{times}"
            self.told_of |= {one.file, *(file for file, _ in one.uses[:_MOST_SHOWN])}
            yield self._dead(number, key) if number in self.dead else self._test_only(one, key)

    def files(self) -> Iterator[Finding]:
        """Files that nothing loads."""
        importers = self.made.importers()
        for number in sorted(self.unloaded):
            one = self.made.files[number]
            if not self._is_asked(one.path):
                continue
            users = sorted(importers.get(number, set()) | self.made.paths.named_by.get(number, set()))
            self.told_of |= {number, *users}
            what = "nothing loads this file" if not users else "only files that nothing loads use this one"
            evidence = [f"nothing imports it, and its path does not occur in any of {len(self.made.files):,} files"]
            if users:
                shown = ", ".join(self.made.files[user].path for user in users[:_MOST_SHOWN])
                evidence = [f"only {shown} import it, and nothing loads them"]
            yield Finding(
                rule="unused-file",
                severity="medium" if one.lines >= _MANY_LINES else "low",
                actionability="candidate",
                place=Place(one.path, 1, max(1, one.lines)),
                message=what,
                key="file",
                evidence=(*evidence, "code that loads whole folders, or starts this file, may not be visible here"),
                secondary=is_secondary(one.path, one.content_class),
                next_steps=(index_step("get_impact", self.scope, file=one.path), read_step(self.scope, one.path, 1, 1)),
            )

    def _is_asked(self, path: str) -> bool:
        return self.scope.holds(path) and not left_out(path, self.scope)

    def silent(self) -> list[NotChecked]:
        """Return the gaps of this part."""
        told = []
        languages = {one.language_id for one in self.made.files if one.content_class == "code"}
        known = [one for one in languages if not tells_references(one) and _is_code(one)]
        if known:
            names = ", ".join(sorted(LANGUAGES[one].name for one in known))
            told.append(NotChecked(_PART, names, "uses are not extracted for these languages", is_gap=False))
        return told

    def _is_inside(self, number: int) -> bool:
        """Whether what is around a definition is told of already."""
        one = self.made.suspects[number]
        if not one.one.nested:
            return False
        chosen = self.dead if number in self.dead else self.dead | self.tested
        owner = one.one.parent_no
        return any(
            self.made.suspects[other].one.symbol_no == owner
            for other in self._of_file(one.file)
            if other in chosen and other != number
        )

    def _doubt_users(self) -> None:
        """Doubt also what only a doubtful definition uses."""
        while True:
            unsure = self.dead - self.sure
            doubted = {
                number
                for number in self.sure
                for file, line in self.made.suspects[number].uses
                if self._is_doubtful(file, line, unsure)
            }
            if not doubted:
                return
            self.sure -= doubted

    def _is_doubtful(self, file: int, line: int, unsure: set[int]) -> bool:
        """Whether a use is in a definition that may be in use, or else in a file that may be."""
        around = [other for other in self._of_file(file) if self.made.suspects[other].holds(file, line)]
        return any(other in unsure for other in around) or (not around and file in self.unloaded)

    def _of_file(self, file: int) -> Sequence[int]:
        if not self._by_file:
            for number in self.dead | self.tested:
                self._by_file.setdefault(self.made.suspects[number].file, []).append(number)
        return self._by_file.get(file, ())

    def _dead(self, number: int, key: str) -> Finding:
        one = self.made.suspects[number]
        what = f"nothing uses the {one.one.kind} {one.one.qualified_name}"
        evidence = [f"its name occurs nowhere else in the {len(self.made.files):,} indexed files"]
        if one.uses:
            shown = ", ".join(self._shown(one.uses))
            what = f"only unused code uses the {one.one.kind} {one.one.qualified_name}"
            evidence = [f"it is used at {shown}, in code that nothing uses"]
        elif one.decides:
            evidence = ["nothing in its file uses it, and nothing imports it"]
        if one.mentions:
            evidence.append(f"comments or documents mention it: {', '.join(self._shown(one.mentions))}")
        evidence += one.doubts
        if one.is_public:
            evidence.append("its package can be installed, and other projects may use its public names")
        if unread := [gap.told.what for gap in self.gaps if gap.may_use(one.liveness)]:
            evidence.append(f"some {unread[0]} could not be read")
        is_sure = number in self.sure and not unread
        return self._finding("dead-code", "actionable" if is_sure else "candidate", one, (what, key, tuple(evidence)))

    def _test_only(self, one: Suspect, key: str) -> Finding:
        tests = [use for use in one.uses if self.made.files[use[0]].content_class == "tests"] or one.uses
        evidence = (f"it is used at {', '.join(self._shown(tests))}",)
        what = f"only tests use the {one.one.kind} {one.one.qualified_name}"
        return self._finding("test-only", "candidate", one, (what, key, evidence), tests)

    def _finding(
        self,
        rule: str,
        actionability: Actionability,
        one: Suspect,
        told: tuple[str, str, tuple[str, ...]],
        related: Sequence[tuple[int, int]] = (),
    ) -> Finding:
        path, defined = self.made.files[one.file].path, one.one
        is_large = defined.end_line - defined.start_line + 1 >= _MANY_LINES
        severity: Severity = "medium" if is_large and rule == "dead-code" else "low"
        what, key, evidence = told
        return Finding(
            rule=rule,
            severity=severity,
            actionability=actionability,
            place=Place(path, defined.start_line, defined.end_line),
            message=what,
            key=key,
            evidence=evidence,
            secondary=is_secondary(path, self.made.files[one.file].content_class),
            related=tuple(Place(self.made.files[file].path, line, line) for file, line in related[:_MOST_SHOWN]),
            next_steps=(
                index_step("find_references", self.scope, symbol=f"{path}#{defined.qualified_name}"),
                read_step(self.scope, path, defined.start_line, defined.end_line),
            ),
        )

    def _shown(self, places: Iterable[tuple[int, int]]) -> list[str]:
        unique = list(dict.fromkeys(places))
        shown = [f"{self.made.files[file].path}:{line}" for file, line in unique[:_MOST_SHOWN]]
        return shown if len(unique) <= _MOST_SHOWN else [*shown, f"{len(unique) - _MOST_SHOWN} more"]


def _is_code(language_id: str) -> bool:
    language = LANGUAGES.get(language_id)
    return language is not None and language.kind == "code" and bool(language.grammar)
