"""Answers of the search tools."""

from typing import Annotated, Literal, NotRequired

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Bounds, Count, Mode, Part, Share
from cocosearch_py.model.scopes import TextScope
from cocosearch_py.tools.answers import HitPlace, Note


class ResultTable(Part):
    """The results as columns and rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]
    notes: tuple[Note, ...]


class Match(Part):
    """A line that matches, or lines; `column` counts characters from 1, `text` is cut around it."""

    file_path: str
    line: Count
    column: Count
    text: str
    end_line: Count | UnsetType = UNSET
    scope: TextScope | UnsetType | None = UNSET
    before: tuple[str, ...] | UnsetType = UNSET
    after: tuple[str, ...] | UnsetType = UNSET
    index_name: str = ""


class Matches(Part):
    """Matches, code first; without a `next_cursor` there are no more. Rows have a scope as `kind name start-end`."""

    files_matched: Count
    matches: tuple[Match, ...] | UnsetType = UNSET
    columns: tuple[str, ...] | UnsetType = UNSET
    rows: tuple[tuple[str | float | None, ...], ...] | UnsetType = UNSET
    paths: tuple[str, ...] | UnsetType = UNSET
    total: Count | UnsetType = UNSET
    total_at_least: Count | UnsetType = UNSET
    next_cursor: str = ""
    incomplete: str = ""
    note: str = ""
    warnings: tuple[str, ...] = ()


Factor = Annotated[float, Bounds(0)]
OneOrMore = str | tuple[str, ...] | None


class ReportStage(Part):
    """Rest of a bug report: its title, the weight of each term, lines about errors."""

    title: str
    terms: dict[str, float]
    errors: tuple[str, ...]


class QueryStage(Part):
    """Interpretation of the query."""

    original_query: str
    has_identifier: bool
    normalized_keyword_query: str
    kind: str
    identifiers: tuple[str, ...]
    terms: tuple[str, ...]
    distilled: ReportStage | UnsetType = UNSET


class ModeStage(Part):
    """Legs that ran, and why."""

    mode: Mode
    reason: str
    use_hybrid_flag: bool | None
    has_content_text_column: bool
    has_identifier_pattern: bool


class CacheStage(Part):
    """Cache of answers, which an explained search never uses."""

    checked: bool
    hit: bool
    hit_type: str
    cache_key_prefix: str


class VectorStage(Part):
    """The vector leg."""

    result_count: Count
    top_score: float | None
    bottom_score: float | None


class KeywordStage(Part):
    """The keyword leg; `top_ts_rank` is the best BM25F score."""

    executed: bool
    normalized_query: str
    result_count: Count
    top_ts_rank: float | None


class FusionStage(Part):
    """Reciprocal rank fusion."""

    executed: bool
    k_constant: Count
    vector_only_count: Count
    keyword_only_count: Count
    both_count: Count
    total_fused: Count


class DefinitionStage(Part):
    """Definitions of the names in the query."""

    executed: bool
    boost_multiplier: float
    boosted_count: Count
    rank_changes: Count


class FilterStage(Part):
    """Filters, and the results before and after them."""

    language_filter: str | None
    symbol_type_filter: OneOrMore
    symbol_name_filter: str | None
    path_filter: OneOrMore
    exclude_filter: OneOrMore
    min_score: Share
    pre_filter_count: Count
    post_filter_count: Count
    excluded_languages: tuple[str, ...] = ()
    excluded_symbol_types: tuple[str, ...] = ()
    excluded_symbol_names: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    excluded_content: tuple[str, ...] = ()


class PathWeight(Part):
    """A factor on the rank of files."""

    pattern: str
    weight: float


class WeightStage(Part):
    """The request's factors on the rank of files."""

    ext: dict[str, Factor]
    path: tuple[PathWeight, ...]
    language: dict[str, Factor]


class ExplainedHit(HitPlace):
    """A result with its file's features, what each adds to the score, and the passage's ranks in the legs."""

    content: str
    context_before: str
    context_after: str
    stale: NotRequired[Literal["changed", "moved"]]
    why: dict[str, float]
    parts: dict[str, float]
    ranks: dict[str, float]


class ConfidenceStage(Part):
    """Confidence of the answer, and why."""

    level: Literal["high", "medium", "low"]
    reason: str


class PathVerdict(Part):
    """Reason why a file is, or is not, among the results."""

    path: str
    verdict: Literal["shown", "below_cut", "filtered", "no_match", "skipped", "failed", "ambiguous", "unknown"]
    reason: str
    rank: Count | None


class Analysis(Part):
    """All stages of one search."""

    query_analysis: QueryStage
    search_mode: ModeStage
    cache: CacheStage
    vector_search: VectorStage
    keyword_search: KeywordStage
    fusion: FusionStage
    definition_boost: DefinitionStage
    filtering: FilterStage
    weights: WeightStage | None
    timings: dict[str, float]
    files_ranked: Count
    confidence: ConfidenceStage
    results: tuple[ExplainedHit, ...]
    index_name: str
    warnings: tuple[str, ...]
    explain_path: PathVerdict | UnsetType = UNSET
    note: str = ""
