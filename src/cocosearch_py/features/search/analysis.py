"""A search explained stage by stage, by the run itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, cast

from msgspec import UNSET, UnsetType, convert, structs

from cocosearch_py.catalog.freshness import incompleteness
from cocosearch_py.features.search.answers import (
    Analysis,
    CacheStage,
    ConfidenceStage,
    DefinitionStage,
    ExplainedHit,
    FilterStage,
    FusionStage,
    KeywordStage,
    ModeStage,
    PathVerdict,
    PathWeight,
    QueryStage,
    ReportStage,
    VectorStage,
    WeightStage,
)
from cocosearch_py.features.search.arguments import AnalyzeQueryArguments
from cocosearch_py.features.search.packing import packed
from cocosearch_py.features.search.request import make_request
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import Distilled, FileWeights, QueryAnalysis, SearchReport
from cocosearch_py.search.fusion import RRF_RANK_CONSTANT
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.search.unmatched import explain_doubts, explain_words_only
from cocosearch_py.search.verify import explain_stale
from cocosearch_py.tools.answer import Fitted, plain
from cocosearch_py.tools.answers import QUOTED, Json, hit_item
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.members import inside


@dataclass(frozen=True, slots=True)
class Analyzed(Fitted):
    """One search: its stages, and the hits that its results are made of."""

    analysis: Analysis
    record: IndexRecord
    report: SearchReport

    def fitted(self, _: Any) -> Any:
        """Return the stages, and as many results, packed as those of search_code, as fit. See `Fitted`."""
        hits = self.report.hits
        short, _ = packed([hit_item(self.record, hit) for hit in hits], hits, self.report.analysis.words)
        results = [{**item, **packed_item} for item, packed_item in zip(self.analysis.results, short, strict=True)]

        def build(shown: Sequence[Json]) -> Any:
            warnings = self.analysis.warnings
            if len(shown) < len(results):
                warnings = (*warnings, f"{len(shown)} of {len(results)} results fit into the answer")
            note = QUOTED if shown else ""
            return plain(structs.replace(self.analysis, results=tuple(shown), warnings=warnings, note=note))

        return fit(results, build)

    def for_command(self, _: Any) -> Any:
        """Return the stages and all results with their whole texts; see `Fitted`."""
        return plain(self.analysis)


def analyze_query(call: Call, asked: AnalyzeQueryArguments) -> Analyzed:
    """Run a search and explain it.

    Raises:
        ValidationError: a filter or weight is wrong.
    """
    found = call.find()
    request, warnings = make_request(asked)
    request = replace(request, filters=inside(found, asked.member).filters(request.filters), explain=True)
    record, report = call.search(found.app, request, found.records[0])
    doubts = (explain_stale(report), explain_words_only(report), incompleteness(record))
    verdict: PathVerdict | UnsetType = UNSET
    if asked.explain_path is not None:
        verdict = convert(found.app.searches.explain_path(record, report, asked.explain_path), PathVerdict)
    analysis = Analysis(
        query_analysis=_query(report.analysis),
        search_mode=ModeStage(
            mode=report.mode,
            reason=report.mode_reason,
            use_hybrid_flag=asked.use_hybrid_search,
            has_content_text_column=True,
            has_identifier_pattern=report.analysis.has_identifier,
        ),
        cache=CacheStage(checked=False, hit=False, hit_type="miss", cache_key_prefix=_cache_key(record, report)),
        vector_search=VectorStage(
            result_count=report.vector_count,
            top_score=_rounded(report.vector_top),
            bottom_score=_rounded(report.vector_bottom),
        ),
        keyword_search=KeywordStage(
            executed=report.keyword_executed,
            normalized_query=report.analysis.normalized_keyword_query,
            result_count=report.keyword_count,
            top_ts_rank=_rounded(report.keyword_top),
        ),
        fusion=_fusion(report),
        definition_boost=_boost(record.weights or DEFAULT_WEIGHTS, report),
        filtering=_filters(report, request.min_score),
        weights=_weights(report.weights),
        timings={"cache_check_ms": 0.0, **{name: round(value, 3) for name, value in report.timings_ms.items()}},
        files_ranked=len(report.ranked_paths),
        confidence=ConfidenceStage(level=report.confidence.level, reason=report.confidence.reason),
        results=tuple(
            cast("ExplainedHit", hit_item(record, hit) | {"why": hit.why, "parts": hit.parts, "ranks": hit.ranks})
            for hit in report.hits
        ),
        explain_path=verdict,
        index_name=record.name,
        warnings=(*warnings, *explain_doubts(report), *filter(None, doubts)),
    )
    return Analyzed(analysis, record, report)


def _query(analysis: QueryAnalysis) -> QueryStage:
    return QueryStage(
        original_query=analysis.original_query,
        has_identifier=analysis.has_identifier,
        normalized_keyword_query=analysis.normalized_keyword_query,
        kind=analysis.kind,
        identifiers=tuple(name for name, _ in analysis.identifiers),
        terms=tuple(analysis.terms),
        distilled=UNSET if analysis.distilled is None else _distilled(analysis.distilled),
    )


def _distilled(report: Distilled) -> ReportStage:
    heaviest = sorted(report.weights.items(), key=lambda item: (-item[1], item[0]))
    terms = {term: round(weight, 3) for term, weight in heaviest}
    return ReportStage(title=report.title, terms=terms, errors=tuple(report.errors))


def _fusion(report: SearchReport) -> FusionStage:
    return FusionStage(
        executed=report.keyword_executed,
        k_constant=RRF_RANK_CONSTANT,
        vector_only_count=report.vector_count - report.both_count,
        keyword_only_count=report.keyword_count - report.both_count,
        both_count=report.both_count,
        total_fused=report.fused_count,
    )


def _boost(weights: Mapping[str, float], report: SearchReport) -> DefinitionStage:
    return DefinitionStage(
        executed=report.boosted_count > 0,
        boost_multiplier=weights.get("definition", DEFAULT_WEIGHTS["definition"]),
        boosted_count=report.boosted_count,
        rank_changes=report.rank_changes,
    )


def _filters(report: SearchReport, min_score: float) -> FilterStage:
    """Return the filters as the reference shows them: null, a text, or a list of several."""

    def shown(values: tuple[str, ...]) -> str | tuple[str, ...] | None:
        return None if not values else values[0] if len(values) == 1 else values

    filters = report.filters
    return FilterStage(
        language_filter=",".join(filters.languages) or None,
        symbol_type_filter=shown(filters.symbol_types),
        symbol_name_filter=filters.symbol_name,
        path_filter=shown(filters.path_globs),
        exclude_filter=shown(filters.exclude_globs),
        excluded_languages=filters.excluded_languages,
        excluded_symbol_types=filters.excluded_symbol_types,
        excluded_symbol_names=filters.excluded_symbol_names,
        content=filters.content,
        excluded_content=filters.excluded_content,
        min_score=min_score,
        pre_filter_count=report.pre_filter_count,
        post_filter_count=len(report.hits),
    )


def _weights(weights: FileWeights) -> WeightStage | None:
    """Return the weights in the form in which they are given; None without any."""
    if not weights:
        return None
    return WeightStage(
        ext=dict(weights.extensions),
        path=tuple(PathWeight(pattern=pattern, weight=factor) for pattern, factor in weights.paths),
        language=dict(weights.languages),
    )


def _cache_key(record: IndexRecord, report: SearchReport) -> str:
    text = f"{record.name}\0{record.generation}\0{report.analysis.original_query}\0{report.filters}\0{report.weights}"
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
