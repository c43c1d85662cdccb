"""Which passages answer, and their texts: one of each file in the files' order, then more of the same files.

Of passages that say the same the best is shown, which names the files of the others; these come last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.search import FurtherPassage, Hit, Member, QueryAnalysis, SearchRequest
from cocosearch_py.search.candidates import Evidence, FileCandidate
from cocosearch_py.search.context import (
    Window,
    chunks_of,
    content_of,
    context_reach,
    cut_lines,
    is_automatic,
    is_head,
    own_lines,
    start_byte_of,
    window_of,
)
from cocosearch_py.search.copies import find_copies
from cocosearch_py.search.exact_names import TYPE_KINDS
from cocosearch_py.search.matches import QuestionWords
from cocosearch_py.search.passages import TELLING_KINDS, Named, about, choose, likely_passages
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS, score_parts
from cocosearch_py.search.retrieval import Retrieved
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import texts
from cocosearch_py.storage.queries.passages import EnclosingDefinition, find_named
from cocosearch_py.storage.queries.search import ChunkKey
from cocosearch_py.storage.queries.target import Target

_MOST_ROUNDS = 3  # of looking for what is no copy
NAMED_FILES = 5  # whose passages are chosen by the names in them, too; behind these few answers are right
FURTHER_FILES = 3  # that may show a second passage


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranked files, best first, and what ranked them."""

    analysis: QueryAnalysis
    files: list[FileCandidate]
    weights: Mapping[str, float]
    factors: Mapping[int, float]  # file_id -> what the request's weights make of it


class _Wanted(NamedTuple):
    """A passage to show, the definition it is shown for if one is why, and a second passage of the file."""

    key: ChunkKey
    symbol_no: int | None = None
    further: ChunkKey | None = None
    answering: tuple[int, ...] = ()  # lines of settings


class _Shown(NamedTuple):
    """A passage with its definition."""

    text: texts.HitText
    definition: EnclosingDefinition | None
    is_about: bool  # it is shown for the definition, and not for lines before that
    members: Sequence[Member] = ()  # of the type that it is the head of

    @property
    def hierarchy(self) -> str:
        return self.definition.qualified_name if self.definition else self.text.hierarchy


@dataclass(frozen=True, slots=True)
class _Reader:
    """Chooses the passages of one search and reads them."""

    conn: Connection
    target: Target
    request: SearchRequest
    found: Retrieved
    ranked: Ranked
    words: QuestionWords

    def choose(self) -> list[_Wanted]:
        """One passage per file in the files' order, then others of these files: second ones, then in fused order.

        Where there is no room for these, the first files show their second passage beside the first.
        """
        limit = self.request.limit
        wanted = self.first_passages(0, limit)
        if len(wanted) == limit:
            return wanted
        shown = {one.key for one in wanted}
        factors = self.ranked.factors
        fused = sorted(self.found.evidence.fused, key=lambda item: -item[1] * factors.get(item[0][0], 1.0))
        second = [one.further for one in wanted if one.further]
        more = [key for key in dict.fromkeys([*second, *(key for key, _ in fused)]) if key not in shown]
        return [one._replace(further=None) for one in wanted] + [_Wanted(key) for key in more[: limit - len(wanted)]]

    def first_passages(self, start: int, end: int) -> list[_Wanted]:
        """The best passage of each of these files, in the order of all."""
        split = max(start, min(end, NAMED_FILES))
        first_few, others = self.ranked.files[start:split], self.ranked.files[split:end]
        named = find_named(self.conn, self.target, likely_passages(first_few), TELLING_KINDS, self.words.starts)
        return self.passages_of(first_few, start, named) + self.passages_of(others, split, {})

    def passages_of(self, files: Sequence[FileCandidate], rank: int, named: Named) -> list[_Wanted]:
        """The best passage of each of some files, the first of which has a rank, from 0, among all."""
        wanted = []
        for place, file in enumerate(files, start=rank):
            first, *others = choose(file, self.ranked.analysis, self.words, named)
            further = (file.file_id, others[0].chunk_no) if others and place < FURTHER_FILES else None
            wanted.append(_Wanted((file.file_id, first.chunk_no), first.symbol_no, further, first.lines))
        return wanted

    def read(self, wanted: Sequence[_Wanted]) -> dict[ChunkKey, _Shown]:
        """The texts of the wanted passages, and which definition each is about."""
        symbols = {one.further: None for one in wanted if one.further} | {one.key: one.symbol_no for one in wanted}
        answering = {one.key: one.answering for one in wanted}
        types = TYPE_KINDS if is_automatic(self.request) else ()
        reach = context_reach(self.request)
        read = texts.read_passages(self.conn, self.target, list(symbols), self.found.weights, reach, types)
        shown = {}
        for key, text in read.texts.items():
            inside = read.definitions.get(key, [])
            wanted_one = next((one for one in inside if one.symbol_no == symbols[key]), None)
            definition = wanted_one or about(text.content, text.start_line, inside, self.words, text.symbol_no)
            members: Sequence[Member] = ()
            if definition and is_head(text, definition):
                members = read.members(key[0], definition.qualified_name)
            is_about = wanted_one is not None or self.is_about(text, definition, answering.get(key, ()))
            shown[key] = _Shown(text, definition, is_about, members)
        return shown

    def is_about(self, text: texts.HitText, definition: EnclosingDefinition | None, answering: Sequence[int]) -> bool:
        """Whether lines before a definition hold no more of the question than the lines from there on."""
        head, _ = own_lines(text, definition)
        if answering:
            return min(answering) >= head
        if any(file.verbatim == text.chunk_no for file in self.ranked.files if file.file_id == text.file_id):
            return False
        held: tuple[set[str], set[str]] = set(), set()
        for number, words in self.words.by_line(text.content).items():
            held[text.start_line + number >= head].update(words)
        return self.words.share(held[False]) <= self.words.share(held[True])

    def read_all(self) -> tuple[list[_Wanted], dict[ChunkKey, _Shown], dict[ChunkKey, ChunkKey]]:
        """Read the passages to show and their texts, and find copies: other files stand where copies would."""
        limit = self.request.limit
        wanted = self.choose()
        shown = self.read(wanted)
        copies = self.find_copies(wanted, shown)
        read = limit
        for _ in range(_MOST_ROUNDS):
            missing = limit - len(wanted) + len(copies)
            instead = self.first_passages(read, read + missing) if missing > 0 else []
            if not instead:
                break
            read += missing
            wanted += instead
            shown |= self.read(instead)
            copies = self.find_copies(wanted, shown)
        return sorted(wanted, key=lambda one: one.key in copies)[:limit], shown, copies

    def find_copies(self, wanted: Sequence[_Wanted], shown: Mapping[ChunkKey, _Shown]) -> dict[ChunkKey, ChunkKey]:
        """Each passage that says the same as one of a better file -> that one; what the query names is never a copy."""
        named = {file.file_id for file in self.ranked.files if file.exact or file.located}
        keys = [one.key for one in wanted if one.key in shown and one.key[0] not in named]
        found = find_copies([shown[key].text.content for key in keys])
        return {keys[copy]: keys[first] for copy, first in found.items() if keys[copy][0] != keys[first][0]}

    def windows(self, shown: Mapping[ChunkKey, _Shown]) -> dict[ChunkKey, Window]:
        """Return the shown part of each passage."""
        members = {(key[0], one.hierarchy): one.members for key, one in shown.items() if one.members}
        return {
            key: window_of(
                self.request,
                one.text,
                one.definition,
                members.get((key[0], one.hierarchy), ()),
                is_about=one.is_about,
            )
            for key, one in shown.items()
        }


def _ranks(evidence: Evidence, wanted: Sequence[_Wanted]) -> dict[ChunkKey, dict[str, float]]:
    """Of each wanted passage its rank by keywords and by vectors, from 1, and its score in the fusion of both."""
    ranks: dict[ChunkKey, dict[str, float]] = {one.key: {} for one in wanted}
    for key, score in evidence.fused:
        if key in ranks:
            ranks[key]["fused"] = round(score, 5)
    for name, ranking in (("keyword", evidence.keyword), ("vector", evidence.vector)):
        for rank, chunk in enumerate(ranking, start=1):
            if chunk[:2] in ranks:
                ranks[chunk[:2]][name] = rank
    return ranks


def render(conn: Connection, target: Target, request: SearchRequest, found: Retrieved, ranked: Ranked) -> list[Hit]:
    """The hits with their texts, in order."""
    reader = _Reader(conn, target, request, found, ranked, QuestionWords(found.evidence.idf_by_word))
    wanted, shown, copies = reader.read_all()
    windows = reader.windows(shown)
    ranks = _ranks(found.evidence, wanted) if request.explain else {}
    files = {file.file_id: file for file in ranked.files}
    top_keyword = found.evidence.keyword[0].score if found.evidence.keyword else 0.0
    hits: list[Hit] = []
    for one in wanted:
        if (passage := shown.get(one.key)) is None:
            continue
        file, text, definition = files[one.key[0]], passage.text, passage.definition
        score = _unit_score(file.score)
        window, lines = windows[one.key], chunks_of(text)
        hits.append(
            Hit(
                file_path=file.path,
                start_line=window.start,
                end_line=window.end,
                score=min(score, hits[-1].score) if hits else score,  # a further chunk never outranks a file
                content=content_of(text, window),
                block_type=definition.kind if definition else text.block_type,
                hierarchy=passage.hierarchy,
                language_id=file.language_id,
                symbol_type=definition.kind if definition else None,
                symbol_name=definition.name if definition else None,
                symbol_signature=definition.signature if definition else None,
                match_type=_match_type(file, text.chunk_no),
                vector_score=_rounded(text.vector_score),
                keyword_score=_rounded(min(1.0, (text.keyword_score or 0.0) / top_keyword)) if top_keyword else None,
                context_before=cut_lines(lines, *window.around.before),
                context_after=cut_lines(lines, *window.around.after),
                why={name: round(value, 4) for name, value in file.features.items()},
                parts=_parts(file, ranked.weights) if request.explain else {},
                ranks=ranks.get(one.key, {}),
                copies=tuple(sorted({files[copy[0]].path for copy, first in copies.items() if first == one.key})),
                version=FileVersion(text.size_bytes, text.mtime_ns, text.content_hash) if text.content_hash else None,
                members=tuple(window.members),
                further=_further(shown, passage, one.further) if is_automatic(request) else None,
                start_byte=start_byte_of(text, window),
                answering=one.answering,
                definition_lines=_definition_lines(passage, window),
            )
        )
    return hits


def _definition_lines(passage: _Shown, window: Window) -> tuple[int, int] | None:
    """First and last line of the definition that a passage is about, with the comment before it if that is shown."""
    if passage.definition is None or not passage.is_about:
        return None
    return min(window.start, passage.definition.start_line), passage.definition.end_line


def _further(shown: Mapping[ChunkKey, _Shown], first: _Shown, key: ChunkKey | None) -> FurtherPassage | None:
    """The second passage, if it is about another definition than the first: its lines of that definition."""
    other = shown.get(key) if key else None
    if other is None or other.hierarchy == first.hierarchy:
        return None
    text, definition = other.text, other.definition
    start, end = own_lines(text, definition)
    lines = text.content.split("\n")
    return FurtherPassage(
        start_line=start,
        end_line=end,
        content="\n".join(lines[start - text.start_line : end - text.start_line + 1]),
        symbol_type=definition.kind if definition else None,
        symbol_name=definition.name if definition else None,
        hierarchy=other.hierarchy,
    )


def _match_type(file: FileCandidate, chunk_no: int) -> str:
    keyword = any(chunk.chunk_no == chunk_no for chunk in file.keyword)
    vector = any(chunk.chunk_no == chunk_no for chunk in file.vector)
    if keyword and vector:
        return "both"
    if keyword:
        return "keyword"
    return "semantic" if vector else "symbol"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(max(0.0, value), 4)


# Verbatim text goes beyond what a question in other words can reach, a subject is told only of those about several
# things; settings first lose what theirs gives back.
_BEYOND = {"verbatim", "subject", "settings", "settings_match", "purpose", "answers"}
_SCORE_SCALE = sum(weight for name, weight in DEFAULT_WEIGHTS.items() if weight > 0 and name not in _BEYOND)


def _unit_score(score: float) -> float:
    """A file's score as a share of the best possible one, in 0..1; comparable within one answer."""
    return round(min(1.0, max(0.0, score / _SCORE_SCALE)), 4)


def _parts(file: FileCandidate, weights: Mapping[str, float]) -> dict[str, float]:
    return {name: round(part / _SCORE_SCALE, 4) for name, part in score_parts(file, weights).items()}
