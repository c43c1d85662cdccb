"""A search request and its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.answers import Level, Mode
from cocosearch_py.model.files import FileVersion

MAX_LIMIT = 100
MAX_QUERY_CHARS = 20_000
MAX_CONTEXT_LINES = 50  # CocoSearch's cap: a hit with its context stays readable


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Which chunks may answer; empty fields do not filter, several values of one field are alternatives."""

    languages: tuple[str, ...] = ()  # language ids, aliases already resolved
    symbol_types: tuple[str, ...] = ()
    symbol_name: str | None = None  # glob, case-insensitive; several with commas
    folder: str = ""  # a file must be below it; relative to the root, "" is all
    path_globs: tuple[str, ...] = ()  # a file must match one of them
    exclude_globs: tuple[str, ...] = ()  # and none of these
    excluded_languages: tuple[str, ...] = ()
    # A passage is left out when every definition in it is of such a kind or name, or it is a part of such a one.
    excluded_symbol_types: tuple[str, ...] = ()
    excluded_symbol_names: tuple[str, ...] = ()  # globs, case-insensitive
    content: tuple[str, ...] = ()  # classes of content, see `ContentClass`
    excluded_content: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileWeights:
    """Factors on the rank of files, as pairs of what a file must have and the factor; all that fit are multiplied.

    Over 1 promotes, under 1 demotes, 0 puts last. They order what a search finds; they neither hide nor find files.
    """

    extensions: tuple[tuple[str, float], ...] = ()  # lower case, without the first dot
    paths: tuple[tuple[str, float], ...] = ()  # globs, as in SearchFilters
    languages: tuple[tuple[str, float], ...] = ()  # language ids

    def __bool__(self) -> bool:
        return bool(self.extensions or self.paths or self.languages)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search; the input all front ends share.

    `use_hybrid` None runs both legs and lets the query decide their weights, True the same with fixed weights, False
    the vector leg alone. `context_before`/`context_after` override smart context when given.
    """

    query: str
    limit: int = 10
    filters: SearchFilters = field(default_factory=SearchFilters)
    use_hybrid: bool | None = None
    smart_context: bool = True
    context_before: int | None = None
    context_after: int | None = None
    vector: bool = True  # False leaves that leg out
    min_score: float = 0.0  # of the vector similarity
    weights: FileWeights = field(default_factory=FileWeights)
    explain: bool = False  # fill `parts` and `ranks` of the hits


class Member(NamedTuple):
    """A definition directly inside a type."""

    kind: str
    name: str
    start_line: int


@dataclass(frozen=True, slots=True)
class FurtherPassage:
    """A second passage of a hit's file, about another definition, that answers as well."""

    start_line: int
    end_line: int
    content: str
    symbol_type: str | None
    symbol_name: str | None
    hierarchy: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer: a passage with its file. Scores are in 0..1; lines are 1-based and inclusive."""

    file_path: str  # relative to the index's root
    start_line: int
    end_line: int
    score: float
    content: str
    block_type: str
    hierarchy: str
    language_id: str
    symbol_type: str | None
    symbol_name: str | None
    symbol_signature: str | None
    match_type: str  # both, keyword, semantic or symbol: which legs proposed it
    vector_score: float | None
    keyword_score: float | None
    context_before: str = ""
    context_after: str = ""
    why: dict[str, float] = field(default_factory=dict)  # value of each ranking feature of the file
    parts: dict[str, float] = field(default_factory=dict)  # what each adds to the score; the sum, cut to 0..1, is it
    ranks: dict[str, float] = field(default_factory=dict)  # of the passage in each leg, from 1, and its fused score
    copies: tuple[str, ...] = ()  # other files with almost the same passage, which this one stands for
    version: FileVersion | None = None  # the file as the index holds it
    stale: str | None = None  # CHANGED or MOVED: its file is no longer what the index holds
    members: tuple[Member, ...] = ()  # of the type that is shown, those that no line shows, by line
    further: FurtherPassage | None = None
    start_byte: int = 0  # where `content` begins in the UTF-8 text of the file
    answering: tuple[int, ...] = ()  # the line that the query names, or lines of settings that answer it
    definition_lines: tuple[int, int] | None = None  # of the definition that the passage is about, with its comment


@dataclass(frozen=True, slots=True)
class WholeName:
    """The definitions that a query names when it is one name: `Depends`, `get_user()`, `Cart.add_item`, `#method`."""

    spelled: str  # as typed, without owners
    keys: tuple[tuple[str, str | None], ...]  # lookup keys, each with that of the owner that it needs, or None
    owners: tuple[str, ...] = ()  # lookup keys of all owners, the nearest last


class FileLocation(NamedTuple):
    """A file that a query names, and a line of it."""

    parts: tuple[str, ...]  # folders and name, as written
    line: int | None
    installed: bool = False  # below a folder of installed packages, or of a language's own library
    is_package: bool = False  # the folders are those of a package, which the path may have in part


@dataclass(frozen=True, slots=True)
class Distilled:
    """Rest of a bug report after distilling."""

    title: str
    weights: Mapping[str, float]  # term -> what its IDF is multiplied by
    errors: tuple[str, ...]  # lines that tell of one
    is_trace: bool  # it begins with a stack trace


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """Interpretation of a query."""

    original_query: str
    text: str  # without inline filters
    kind: str  # symbol, word, how or prose
    has_identifier: bool
    identifiers: tuple[tuple[str, float], ...]  # as written, with the weight of each
    words: tuple[str, ...]  # lower-case content words, in order
    terms: tuple[str, ...]  # lexemes of the keyword leg
    normalized_keyword_query: str
    asks_for_tests: bool
    asks_for_documents: bool = False
    whole_name: WholeName | None = None  # what it names, if it is nothing but a name
    phrases: tuple[str, ...] = ()  # its quoted parts
    quotes_most: bool = False  # no more words stand outside the quotes than inside: answers have to hold the phrases
    locations: tuple[FileLocation, ...] = ()  # files that it names, the most telling first
    distilled: Distilled | None = None  # what it came from, if it is a bug report


@dataclass(frozen=True, slots=True)
class UnmatchedFilter:
    """A filter value that alone leaves nothing of an index, and the nearest values that exist, best first."""

    filter: str  # language, symbol_type, symbol_name or path; with "-" before it for one that excludes everything
    value: str
    nearest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A query that is a name which nothing in the index defines or mentions, and the nearest names, best first."""

    name: str
    nearest: tuple[str, ...]


class Confidence(NamedTuple):
    """How sure an answer is."""

    level: Level
    reason: str
    probability: float | None = None  # that the first file answers, where that was computed
    unknown: tuple[str, ...] = ()  # words of the query that stand nowhere in the index


NOTHING_FOUND = Confidence("low", "nothing was found")

CHANGED = "changed"  # the text is on disk no more
MOVED = "moved"  # it is, and the lines are those of the disk; the rank is that of the file as it was
GONE = "gone"  # left out


class StaleFile(NamedTuple):
    """A file of an answer that is no longer what the index holds."""

    path: str
    reason: str  # CHANGED, MOVED or GONE


class BeyondEnd(NamedTuple):
    """A line that a query names and that its file does not have."""

    path: str
    line: int
    line_count: int


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Hits with the figures of every stage, produced by the run that found them."""

    analysis: QueryAnalysis
    filters: SearchFilters
    weights: FileWeights
    mode: Mode
    mode_reason: str
    hits: tuple[Hit, ...]
    vector_count: int
    vector_top: float | None
    vector_bottom: float | None
    keyword_executed: bool
    keyword_count: int
    keyword_top: float | None
    both_count: int
    fused_count: int
    ranked_paths: tuple[str, ...]  # all files that were ranked, best first
    boosted_count: int
    rank_changes: int
    pre_filter_count: int
    timings_ms: dict[str, float]
    unmatched: tuple[UnmatchedFilter, ...] = ()  # only sought when the filters leave nothing
    missing_phrases: tuple[str, ...] = ()  # the quoted parts, if nothing holds them all: the hits only resemble them
    beyond_end: tuple[BeyondEnd, ...] = ()
    unknown_name: UnknownName | None = None
    lacks_names: bool = False  # nothing defines or mentions a name that the query is or holds
    confidence: Confidence = NOTHING_FOUND
    stale: tuple[StaleFile, ...] = ()
    stale_because: str | None = None  # why they were not indexed again
    unread: int | None = None  # files that are new or changed, where what was asked for is lacking and they were sought
    words_only: str | None = None  # why meaning had no part in it: what the index lacks, or is
    unanswered: EmbeddingError | None = None  # the same: what the embedding model said instead of an answer
