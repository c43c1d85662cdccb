"""Whether uses that were found are all there are: what nobody looked at, and what no parser sees."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cocosearch_py.analysis.words import terms_of
from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.context import Further, renames_exports
from cocosearch_py.graph.reflection import reaching, tell
from cocosearch_py.languages import LANGUAGES, family_of, tells_references
from cocosearch_py.model.completeness import Completeness, Confidence
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Defined
from cocosearch_py.storage.queries.target import Target

_MOST_NAMED = 3  # languages
_ALL_KINDS = frozenset({"call", "import", "type", "inherit", "read"})
_OTHER_NAME = "it may be used under another name: a module exports it, or an import renames it"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a request.

    Attributes:
        wanted: the definitions that it is about; `others` have their names.
        confidences: how many uses are how sure.
        is_cut: there are more.
        lines_in: gives (file_id, line) of those in some files; of calls alone it is not asked.
        imports: (file_id, line) of those of the names, which are followed under the names that they give.
        is_renamed: it has further names, which are not followed.
        further: the steps behind the first one.
    """

    wanted: Sequence[Defined]
    others: Sequence[Defined]
    confidences: Mapping[Confidence, int]
    is_cut: bool
    lines_in: Callable[[Collection[int]], Iterable[tuple[int, int]]] = lambda _: ()
    imports: Collection[tuple[int, int]] = ()
    is_renamed: bool = False
    further: Further = field(default_factory=Further)

    @property
    def looked_for(self) -> list[Defined]:
        """The definitions whose uses were looked for, at all steps."""
        return [*self.wanted, *self.further.followed]


def judge(conn: Connection, facts: IndexFacts, request: UsageRequest, outcome: Outcome) -> Completeness:
    """The verdict on what a request found: that of the least sure of its steps."""
    wanted, every = outcome.wanted, outcome.looked_for
    spots = [*_unread(conn, facts, every), *_unbound(conn, facts, outcome, request), *_unfollowed(outcome.further)]
    if outcome.is_cut:
        spots.append("too many uses of this name to check them all: name the owner or path#name")
    if not wanted:
        spots.append("nothing in the index defines this name: it is from a library, misspelled or made at run time")
    if spots:
        return Completeness("partial", (*spots, *_unseen(conn, facts, every)))
    if not request.callees and request.depth == 1 and set(request.kinds) >= _ALL_KINDS and not request.filters_files:
        told = _renamed(conn, facts.target, outcome) or _mentioned(conn, facts.target, outcome)
        if told is not None:
            return Completeness("likely", (told, *_unseen(conn, facts, wanted)))
        if computed := reaching(conn, facts, wanted):
            return Completeness("likely", (tell(computed),))
        return Completeness("complete")
    return Completeness("likely", tuple(_unseen(conn, facts, every)))


def _unread(conn: Connection, facts: IndexFacts, wanted: Sequence[Defined]) -> list[str]:
    """Files that may hold uses and say nothing of them; of a name that nothing defines, in languages with uses."""
    families = {family_of(one.language_id) for one in wanted}
    told, silent = [], []
    for gap in facts.gaps(conn):
        language = LANGUAGES.get(gap.language_id)
        if language is None or language.kind != "code":
            continue
        if family_of(language.id) not in families if families else not tells_references(language.id):
            continue
        if gap.broken:
            told.append(f"{gap.broken} of {gap.files} {language.name} files have syntax errors or could not be read")
        if not tells_references(language.id):
            silent.append(language.name)
    if silent:
        told.append(f"references are not extracted from {', '.join(sorted(silent)[:_MOST_NAMED])}")
    return told


def _unbound(conn: Connection, facts: IndexFacts, outcome: Outcome, request: UsageRequest) -> list[str]:
    told = []
    names = {one.name for one in outcome.looked_for} or {request.symbol.spelled}
    if count := outcome.confidences.get("name_only", 0):
        uses, they_are = ("1 use matches", "it is") if count == 1 else (f"{count:,} uses match", "they are")
        told.append(f"{uses} by name only: the type {they_are} called on is unknown")
    if not request.callees:
        loose = store.count_loose(conn, facts.target, names) + facts.loose_wildcards(conn)
        if loose:
            told.append(f"{loose} imports that may provide this name do not resolve to an indexed file")
    return told


def _unfollowed(further: Further) -> Iterator[str]:
    if further.unsure:
        calls = "1 call matches" if further.unsure == 1 else f"{further.unsure:,} calls match"
        yield f"further up the call chain, {calls} by name only: those callers are not followed"
    if further.left_out:
        yield f"{further.left_out:,} callers further up the call chain were not followed: ask about them separately"


def _unseen(conn: Connection, facts: IndexFacts, wanted: Sequence[Defined]) -> list[str]:
    """Return the ways of use that no parser sees, as far as they concern these definitions."""
    told = [tell(computed)] if (computed := reaching(conn, facts, wanted)) else []
    if any(one.nested or one.kind in ("method", "constructor") for one in wanted):
        return [*told, "dynamic dispatch (overrides, interfaces, duck typing) and reflection are not followed"]
    return told or ["names built at run time (getattr, reflection, string tables) are not detected"]


def _renamed(conn: Connection, target: Target, outcome: Outcome) -> str | None:
    """Whether what imports take from the files of the definitions without its name may be one of them."""
    names = {one.name for one in outcome.wanted}
    at_top = {one.file_id for one in outcome.wanted if not one.nested}
    if outcome.is_renamed or (
        at_top and store.places_renaming(conn, target, at_top, names).difference(outcome.imports)
    ):
        return _OTHER_NAME
    return None


def _mentioned(conn: Connection, target: Target, outcome: Outcome) -> str | None:
    """Where names stand besides the uses that were found: in strings, comments, or places that no query sees."""
    known = {(one.file_id, one.start_line) for one in (*outcome.wanted, *outcome.others)}
    exporting = {
        one.file_id for one in outcome.wanted if renames_exports(one.language_id)
    }  # these exports are followed
    count = 0
    for name in sorted({one.name for one in outcome.wanted}):
        terms = terms_of(name)
        if _WORD.fullmatch(name) is None or not terms:
            return "operator names are not searched for in strings and comments"
        passages = store.mentions(conn, target, name, terms[0])
        if passages is None:
            return "the name occurs in many other places, which were not checked"
        known.update(outcome.lines_in({file_id for file_id, _, _ in passages}))
        pattern = re.compile(rf"\b{re.escape(name)}\b")
        renaming = re.compile(rf"(?:^|[{{,])\s*(?:type\s+)?{re.escape(name)}\s+as\s+\w+\s*(?:[,}}]|$)")
        for file_id, start, content in passages:
            for number, line in enumerate(content.split("\n"), start=start):
                if (file_id, number) not in known and pattern.search(line):
                    count += 1
                elif renaming.search(line) and file_id not in exporting and (file_id, number) not in outcome.imports:
                    return _OTHER_NAME
    if not count:
        return None
    places = "1 other line" if count == 1 else f"{count} other lines"
    return f"the name also occurs in {places} (comments, strings, other names): see search_text"
