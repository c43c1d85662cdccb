"""`analyze_query`, `cocosearch-py analyze`: a search explained stage by stage, by the run itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast

from cocosearch_py.catalog.freshness import incompleteness
from cocosearch_py.model.answers import Bounds, Count, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import HitPlace, Json, hit_item, quoted
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.sizes import QUERY

if TYPE_CHECKING:
    from cocosearch_py.model.search import (
        Distilled,
        FileWeights,
        QueryAnalysis,
        SearchFilters,
        SearchReport,
        SearchRequest,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of analyze_query."""

    query: Annotated[str, About("Query to explain"), QUERY, given.QUERY]
    index_name: given.IndexName = None
    limit: given.Limit = 10
    language: given.Language = None
    use_hybrid_search: given.UseHybrid = None
    symbol_type: given.SymbolType = None
    symbol_name: given.SymbolName = None
    path_glob: given.PathGlob = None
    exclude: given.Exclude = None
    content: given.Content = None
    min_score: given.MinScore = 0.0
    explain_path: Annotated[str | None, About("Explain this file's rank or absence")] = None
    weights: Annotated[dict[str, Any] | None, About("As in search_code")] = None
    no_cache: given.NoCache = False
    no_rewrite: given.NoRewrite = False
    member: given.Member = None


_ONLY_IF_GIVEN = ("excluded_languages", "excluded_symbol_types", "excluded_symbol_names", "content", "excluded_content")
Factor = Annotated[float, Bounds(0)]
OneOrMore = str | list[str] | None


class ReportStage(TypedDict):
    """What is left of a bug report: its title, the weight of each term, lines that tell of an error."""

    title: str
    terms: dict[str, float]
    errors: list[str]


class QueryStage(TypedDict):
    """What the query was taken to be."""

    original_query: str
    has_identifier: bool
    normalized_keyword_query: str
    kind: str
    identifiers: list[str]
    terms: list[str]
    distilled: NotRequired[ReportStage]


class ModeStage(TypedDict):
    """Which legs ran, and why."""

    mode: Literal["hybrid", "vector"]
    reason: str
    use_hybrid_flag: bool | None
    has_content_text_column: bool
    has_identifier_pattern: bool


class CacheStage(TypedDict):
    """An explained search never takes a kept answer."""

    checked: bool
    hit: bool
    hit_type: str
    cache_key_prefix: str


class VectorStage(TypedDict):
    """The vector leg."""

    result_count: Count
    top_score: float | None
    bottom_score: float | None


class KeywordStage(TypedDict):
    """The keyword leg; `top_ts_rank` is the best BM25F score."""

    executed: bool
    normalized_query: str
    result_count: Count
    top_ts_rank: float | None


class FusionStage(TypedDict):
    """Reciprocal rank fusion."""

    executed: bool
    k_constant: Count
    vector_only_count: Count
    keyword_only_count: Count
    both_count: Count
    total_fused: Count


class DefinitionStage(TypedDict):
    """Definitions of the names in the query."""

    executed: bool
    boost_multiplier: float
    boosted_count: Count
    rank_changes: Count


class FilterStage(TypedDict):
    """What the filters left."""

    language_filter: str | None
    symbol_type_filter: OneOrMore
    symbol_name_filter: str | None
    path_filter: OneOrMore
    exclude_filter: OneOrMore
    excluded_languages: NotRequired[list[str]]
    excluded_symbol_types: NotRequired[list[str]]
    excluded_symbol_names: NotRequired[list[str]]
    content: NotRequired[list[str]]
    excluded_content: NotRequired[list[str]]
    min_score: Share
    pre_filter_count: Count
    post_filter_count: Count


class PathWeight(TypedDict):
    """A factor on the rank of files."""

    pattern: str
    weight: float


class WeightStage(TypedDict):
    """The request's factors on the rank of files."""

    ext: dict[str, Factor]
    path: list[PathWeight]
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


class ConfidenceStage(TypedDict):
    """How sure the answer is, and why."""

    level: Literal["high", "medium", "low"]
    reason: str


class PathVerdict(TypedDict):
    """Why a file is, or is not, among the results."""

    path: str
    verdict: Literal["shown", "below_cut", "filtered", "no_match", "skipped", "failed", "ambiguous", "unknown"]
    reason: str
    rank: Count | None


class Analysis(TypedDict):
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
    results: list[ExplainedHit]
    explain_path: NotRequired[PathVerdict]
    index_name: str
    warnings: list[str]
    note: NotRequired[str]


@dataclass(frozen=True, slots=True, eq=False)
class Analyzed:
    """One search, the index as it was used, and what the caller should know."""

    request: "SearchRequest"
    record: IndexRecord
    report: "SearchReport"
    verdict: Json | None
    warnings: tuple[str, ...]


def analyze_query(call: Call, asked: Arguments) -> Analyzed:
    """Explain a search stage by stage: query analysis, keyword and vector search, fusion, boosts, filters, timings,
    results.

    Runs the search_code pipeline, uncached. Use it when results surprise.
    """
    from cocosearch_py.search.unmatched import explain_doubts, explain_words_only
    from cocosearch_py.search.verify import explain_stale
    from cocosearch_py.tools.asking import make_request

    found = call.find()
    request, warnings = make_request(asked)
    request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    record, report = call.search(found.app, replace(request, explain=True), found.records[0])
    warnings += [*explain_doubts(report), *filter(None, (explain_stale(report), explain_words_only(report)))]
    if (half := incompleteness(record)) is not None:
        warnings.append(half)
    path = asked.explain_path
    verdict = None if path is None else found.app.searches.explain_path(record, report, path)
    return Analyzed(request, record, report, verdict, tuple(warnings))


def _query_stage(analysis: "QueryAnalysis") -> Json:
    return {
        "original_query": analysis.original_query,
        "has_identifier": analysis.has_identifier,
        "normalized_keyword_query": analysis.normalized_keyword_query,
        "kind": analysis.kind,
        "identifiers": [name for name, _ in analysis.identifiers],
        "terms": list(analysis.terms),
        **_distilled(analysis.distilled),
    }


def _stages(analyzed: Analyzed, asked: Arguments) -> Json:
    from cocosearch_py.search.fusion import RRF_RANK_CONSTANT
    from cocosearch_py.search.ranking import DEFAULT_WEIGHTS

    record, report = analyzed.record, analyzed.report
    analysis = report.analysis
    return {
        "query_analysis": _query_stage(analysis),
        "search_mode": {
            "mode": report.mode,
            "reason": report.mode_reason,
            "use_hybrid_flag": asked.use_hybrid_search,
            "has_content_text_column": True,
            "has_identifier_pattern": analysis.has_identifier,
        },
        "cache": {"checked": False, "hit": False, "hit_type": "miss", "cache_key_prefix": _cache_key(record, report)},
        "vector_search": {
            "result_count": report.vector_count,
            "top_score": _rounded(report.vector_top),
            "bottom_score": _rounded(report.vector_bottom),
        },
        "keyword_search": {
            "executed": report.keyword_executed,
            "normalized_query": analysis.normalized_keyword_query,
            "result_count": report.keyword_count,
            "top_ts_rank": _rounded(report.keyword_top),
        },
        "fusion": {
            "executed": report.keyword_executed,
            "k_constant": RRF_RANK_CONSTANT,
            "vector_only_count": report.vector_count - report.both_count,
            "keyword_only_count": report.keyword_count - report.both_count,
            "both_count": report.both_count,
            "total_fused": report.fused_count,
        },
        "definition_boost": {
            "executed": report.boosted_count > 0,
            "boost_multiplier": (record.weights or DEFAULT_WEIGHTS).get("definition", DEFAULT_WEIGHTS["definition"]),
            "boosted_count": report.boosted_count,
            "rank_changes": report.rank_changes,
        },
        "filtering": {
            **_filters(report.filters),
            "min_score": analyzed.request.min_score,
            "pre_filter_count": report.pre_filter_count,
            "post_filter_count": len(report.hits),
        },
        "weights": _weights(report.weights),
        "timings": {"cache_check_ms": 0.0, **{name: round(value, 3) for name, value in report.timings_ms.items()}},
        "files_ranked": len(report.ranked_paths),
        "confidence": {"level": report.confidence.level, "reason": report.confidence.reason},
        "results": [
            {**hit_item(record, hit), "why": hit.why, "parts": hit.parts, "ranks": hit.ranks} for hit in report.hits
        ],
    }


def _distilled(report: "Distilled | None") -> Json:
    if report is None:
        return {}
    heaviest = sorted(report.weights.items(), key=lambda item: (-item[1], item[0]))
    terms = {term: round(weight, 3) for term, weight in heaviest}
    return {"distilled": {"title": report.title, "terms": terms, "errors": list(report.errors)}}


def _answer(analyzed: Analyzed, asked: Arguments) -> Json:
    """All stages; the results are packed as those of search_code are, and as many as there is room for."""
    from cocosearch_py.tools.packing import packed

    stages, hits = _stages(analyzed, asked), analyzed.report.hits
    shown, _ = packed([hit_item(analyzed.record, hit) for hit in hits], hits, analyzed.report.analysis.words)
    results = [{**item, **short} for item, short in zip(stages["results"], shown, strict=True)]
    verdict = {} if analyzed.verdict is None else {"explain_path": analyzed.verdict}

    def build(kept: Sequence[Json]) -> Json:
        warnings = list(analyzed.warnings)
        if len(kept) < len(results):
            warnings.append(f"{len(kept)} of {len(results)} results fit into the answer")
        about = {"index_name": analyzed.record.name, "warnings": warnings}
        return {**stages, "results": list(kept), **verdict, **about, **quoted(kept)}

    return cast("Json", fit(results, build))


def _filters(filters: "SearchFilters") -> Json:
    """Filters as the reference shows them: null, a text, or a list of several."""

    def shown(values: tuple[str, ...]) -> str | list[str] | None:
        return None if not values else values[0] if len(values) == 1 else list(values)

    return {
        "language_filter": ",".join(filters.languages) or None,
        "symbol_type_filter": shown(filters.symbol_types),
        "symbol_name_filter": filters.symbol_name,
        "path_filter": shown(filters.path_globs),
        "exclude_filter": shown(filters.exclude_globs),
        **{name: list(getattr(filters, name)) for name in _ONLY_IF_GIVEN if getattr(filters, name)},
    }


def _weights(weights: "FileWeights") -> Json | None:
    """Weights in the form in which they are given; null without any."""
    if not weights:
        return None
    return {
        "ext": dict(weights.extensions),
        "path": [{"pattern": pattern, "weight": factor} for pattern, factor in weights.paths],
        "language": dict(weights.languages),
    }


def _cache_key(record: IndexRecord, report: "SearchReport") -> str:
    text = f"{record.name}\0{record.generation}\0{report.analysis.original_query}\0{report.filters}\0{report.weights}"
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


OPERATION = Operation(
    name="analyze_query",
    title="Explain a search",
    arguments=Arguments,
    run=analyze_query,
    shape=_answer,
    answer=Analysis,
    error_is_text=True,
    toolset="search",
    verbatim=True,
    order=2,
    about_indexes=True,
    command=Command(
        name="analyze",
        help="Explain a search stage by stage: how the query is understood, and how results are found and ranked.",
        shape=_stages,
    ),
)
