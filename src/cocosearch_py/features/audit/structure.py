"""Findings about the structure of a repository: cycles of imports, what is too large, what depends on too much."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cocosearch_py.features.audit import queries as store
from cocosearch_py.features.audit.common import index_step, is_secondary, left_out, read_step
from cocosearch_py.features.audit.findings import (
    Actionability,
    Detected,
    Finding,
    NextStep,
    NotChecked,
    Place,
    Scope,
    Severity,
)
from cocosearch_py.features.audit.queries import AuditedFile
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.liveness import liveness_of
from cocosearch_py.model.counts import counted
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.texts import lines_of

_FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_KINDS = (*sorted(_FUNCTIONS), "class", "struct", "trait", "interface", "enum")
_LOOKED_AT = frozenset({"code", "tests"})
_NOT_OWN = frozenset({"generated", "vendored"})
_ROOTS = frozenset({"__init__", "__main__", "main", "app", "index", "cli", "mod", "lib", "setup", "server", "program"})
_MOST_SHOWN = 10  # files of a cycle
_LINES_ABOVE = 30  # of an import's first line
_IMPORT = re.compile(r"\s*(?:import|from|export|require|use|using|include|#\s*include|const|let|var)\b")

Edge = tuple[int, int, int]  # file, the one that it imports, line
FirstLines = Callable[[Sequence[tuple[int, int]]], Mapping[tuple[int, int], str]]


def find_structure(scope: Scope, conn: Connection) -> Detected:
    """Find problems in the files of a scope by the structure of the whole index."""
    index_id = scope.record.index_id
    ledger = store.audited_files(conn, index_id)
    files = {one.file_id: one for one in ledger if one.status == "indexed"}
    made = _Structure(scope, files)
    findings = [
        *made.large_files(),
        *made.large_definitions(store.large_definitions(conn, index_id, _KINDS, scope.limits.symbol_lines[0])),
    ]
    if scope.record.has("graph"):
        edges = [edge for edge in store.file_edges(conn, index_id) if made.is_own(edge[0]) and made.is_own(edge[1])]
        findings += made.fans(edges)
        findings += made.cycles(edges, lambda wanted: _first_lines(conn, scope, wanted))
    paths = {one.place.path for one in findings}
    return Detected(
        findings=tuple(findings),
        not_checked=tuple(made.gaps(ledger)),
        versions={one.path: one.version for one in files.values() if one.path in paths},
    )


@dataclass(slots=True)
class _Structure:
    scope: Scope
    files: Mapping[int, AuditedFile]

    def is_own(self, file_id: int) -> bool:
        """Whether a file is of the project's own code."""
        one = self.files.get(file_id)
        if one is None or left_out(one.path, self.scope):
            return False
        return one.content_class in _LOOKED_AT or (one.content_class in _NOT_OWN and not self.scope.ignore_generated)

    def _is_asked(self, file_id: int) -> bool:
        return self.is_own(file_id) and self.scope.holds(self.files[file_id].path)

    def _finding(self, rule: str, one: AuditedFile, told: "_Told") -> Finding:
        is_expected = one.content_class != "code"
        return Finding(
            rule=rule,
            severity=told.severity,
            actionability="expected" if is_expected else told.actionability,
            place=Place(one.path, *told.lines),
            message=told.message,
            key=told.key,
            evidence=told.evidence,
            secondary=is_secondary(one.path, one.content_class),
            related=told.related,
            next_steps=(index_step(told.tool, self.scope, **{told.argument: one.path}), *told.steps),
        )

    def gaps(self, ledger: Iterable[AuditedFile]) -> Iterator[NotChecked]:
        """Files of the scope that could not be read or parsed as a whole."""
        unread = [one for one in ledger if one.status == "failed" and self._is_wanted(one)]
        broken = [one for one in ledger if one.parse_status in ("partial", "error") and self._is_wanted(one)]
        for what, some in (("files that could not be read", unread), ("files with syntax errors", broken)):
            if some:
                shown = ", ".join(one.path for one in some[:_MOST_SHOWN])
                yield NotChecked("all", what, f"their content is known only in part: {shown}", len(some))
        if not self.scope.record.has("graph"):
            yield NotChecked("all", "imports", "the index was built without them", is_gap=True)

    def _is_wanted(self, one: AuditedFile) -> bool:
        is_own = one.content_class in _LOOKED_AT or not self.scope.ignore_generated
        return is_own and self.scope.is_asked(one.path) and not left_out(one.path, self.scope)

    def large_files(self) -> Iterator[Finding]:
        least, most = self.scope.limits.file_lines
        for file_id, one in self.files.items():
            language = LANGUAGES.get(one.language_id)
            if one.lines < least or language is None or language.kind != "code" or not self._is_asked(file_id):
                continue
            yield self._finding("large-file", one, _Told(
                _severity(one.lines, most), "candidate", f"the file has {counted(one.lines, 'line')}", "lines",
                (f"the limits are {least:,} and {most:,} lines",), (1, one.lines), "outline_file", "path",
            ))  # fmt: skip

    def large_definitions(self, found: Iterable[store.LargeDefinition]) -> Iterator[Finding]:
        least, most = self.scope.limits.symbol_lines
        for one in found:
            if not self._is_asked(one.file_id):
                continue
            file, lines = self.files[one.file_id], one.end_line - one.start_line + 1
            is_function = one.kind in _FUNCTIONS
            yield self._finding("large-symbol", file, _Told(
                _severity(lines, most), "candidate" if is_function else "risk_note",
                f"the {one.kind} {one.qualified_name} has {lines:,} lines", one.qualified_name,
                (f"the limits are {least:,} and {most:,} lines",), (one.start_line, one.end_line), "outline_file",
                "path", steps=(read_step(self.scope, file.path, one.start_line, one.end_line),),
            ))  # fmt: skip

    def fans(self, edges: Iterable[Edge]) -> Iterator[Finding]:
        into, out, tests = defaultdict[int, int](int), defaultdict[int, int](int), defaultdict[int, int](int)
        for file_id, target, _ in edges:
            out[file_id] += 1
            if self.files[file_id].content_class == "tests":
                tests[target] += 1
            else:
                into[target] += 1
        yield from self._fan("fan-in", into, self.scope.limits.fan_in, tests)
        yield from self._fan("fan-out", out, self.scope.limits.fan_out, tests)

    def _fan(
        self, rule: str, counts: Mapping[int, int], limits: tuple[int, int], tests: Mapping[int, int]
    ) -> Iterator[Finding]:
        least, most = limits
        for file_id, count in counts.items():
            if count < least or not self._is_asked(file_id):
                continue
            one = self.files[file_id]
            is_root = one.path.rpartition("/")[2].partition(".")[0] in _ROOTS
            what = f"{count} files import this one" if rule == "fan-in" else f"the file imports {count} others"
            evidence = [f"the limits are {least} and {most} files"]
            if rule == "fan-in" and tests.get(file_id):
                evidence.append(f"{tests[file_id]} test files import it as well")
            if is_root:
                evidence.append("files of this name bring others together by design")
            actionability: Actionability = "expected" if is_root else ("risk_note" if rule == "fan-in" else "candidate")
            yield self._finding(rule, one, _Told(
                _severity(count, most), actionability, what, "files", tuple(evidence), (1, 1),
                "get_impact" if rule == "fan-in" else "get_dependencies", "file",
            ))  # fmt: skip

    def cycles(self, edges: Sequence[Edge], first_lines: FirstLines) -> Iterator[Finding]:
        """Cycles of imports that are followed when files are loaded; of others those that only loading late avoids."""
        found = _inside([edge for edge in edges if not self._is_one_unit(edge)])
        hard = _inside([edge for edge, is_late in self._late(found, first_lines).items() if not is_late])
        covered: set[int] = set()
        for group in circles(hard):
            covered |= group
            yield from self._cycle(group, hard, is_hard=True)
        for group in circles(found):
            if not covered & group:
                yield from self._cycle(group, found, is_hard=False)

    def _is_one_unit(self, edge: Edge) -> bool:
        """Whether files of a folder know each other anyhow."""
        here, there = self.files[edge[0]], self.files[edge[1]]
        language = LANGUAGES.get(here.language_id)
        is_scope = language is not None and (language.folder_is_scope or language.passes_imports_on)
        return is_scope and here.path.rpartition("/")[0] == there.path.rpartition("/")[0]

    def _late(self, edges: Sequence[Edge], first_lines: FirstLines) -> dict[Edge, bool]:
        """Whether an import is followed only after its file was loaded."""
        lines = first_lines([(edge[0], edge[2]) for edge in edges])
        return {
            edge: liveness_of(self.files[edge[0]].language_id).is_deferred(lines.get((edge[0], edge[2]), ""))
            for edge in edges
        }

    def _cycle(self, group: Collection[int], edges: Iterable[Edge], *, is_hard: bool) -> Iterator[Finding]:
        members = sorted(group, key=lambda file_id: self.files[file_id].path)
        if not any(self._is_asked(file_id) for file_id in members):
            return
        first, paths = self.files[members[0]], [self.files[file_id].path for file_id in members]
        between = sorted((self.files[one].path, line, self.files[to].path) for one, to, line in edges
                         if one in group and to in group)  # fmt: skip
        is_sure = is_hard and liveness_of(first.language_id).is_measured
        evidence = [f"{path}:{line} imports {target}" for path, line, target in between[:_MOST_SHOWN]]
        if not is_hard:
            evidence.append("some of these imports run only after their files have been loaded")
        yield self._finding("import-cycle", first, _Told(
            "high" if is_hard else "low", "actionable" if is_sure else "risk_note" if not is_hard else "candidate",
            f"{len(members)} files form an import cycle: {', '.join(paths[:_MOST_SHOWN])}"
            + (f" and {len(paths) - _MOST_SHOWN} more" if len(paths) > _MOST_SHOWN else ""),
            " ".join(paths), tuple(evidence), (between[0][1], between[0][1]) if between else (1, 1),
            "get_dependencies", "file",
            tuple(Place(path, line, line) for path, line, _ in between[1:_MOST_SHOWN]),
        ))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Told:
    """Parts of a finding that differ between rules."""

    severity: Severity
    actionability: Actionability
    message: str
    key: str
    evidence: tuple[str, ...]
    lines: tuple[int, int]
    tool: str
    argument: str
    related: tuple[Place, ...] = ()
    steps: tuple[NextStep, ...] = ()


def _severity(count: int, most: int) -> Severity:
    return "high" if count >= most else "medium"


def _inside(edges: Sequence[Edge]) -> list[Edge]:
    """The edges of circles."""
    group_of = {file_id: number for number, group in enumerate(circles(edges)) for file_id in group}
    return [edge for edge in edges if edge[0] in group_of and group_of[edge[0]] == group_of.get(edge[1])]


def circles(edges: Iterable[Edge]) -> list[set[int]]:
    """The strongly connected components of more than one file: what is reached both ways, by Kosaraju's algorithm."""
    targets, sources = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for one, to, _ in edges:
        targets[one].append(to)
        sources[to].append(one)
    seen: set[int] = set()
    order = [node for root in list(targets) for node in _left_in_order(root, targets, seen)]
    seen = set()
    groups = (set(_left_in_order(root, sources, seen)) for root in reversed(order))
    return [group for group in groups if len(group) > 1]


def _left_in_order(root: int, targets: Mapping[int, Sequence[int]], seen: set[int]) -> list[int]:
    """Return the reachable files not seen yet, each after all that it leads to."""
    if root in seen:
        return []
    seen.add(root)
    found, work = [], [(root, iter(targets.get(root, ())))]
    while work:
        node, left = work[-1]
        following = next((to for to in left if to not in seen), None)
        if following is None:
            found.append(node)
            work.pop()
        else:
            seen.add(following)
            work.append((following, iter(targets.get(following, ()))))
    return found


def _first_lines(conn: Connection, scope: Scope, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The first line of the statement that each of these lines is in, as far as its indentation and words tell."""
    if not places:
        return {}
    target = Target(scope.record.index_id, scope.record.chunk_count, SearchFilters())
    ranges = [(file_id, max(1, line - _LINES_ABOVE), line) for file_id, line in places]
    found = {}
    for (file_id, _, last), pieces in lines_of(conn, target, ranges).items():
        for start, text in reversed(pieces):
            lines = text.split("\n")[: last - start + 1]
            first = next((line for line in reversed(lines) if _IMPORT.match(line)), None)
            if first is not None:
                found[file_id, last] = first
                break
    return found
