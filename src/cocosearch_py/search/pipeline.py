"""The search: analysis, two legs, fusion, ranking of files, texts. The report is made by the run itself."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import (
    MAX_LIMIT,
    Confidence,
    Hit,
    QueryAnalysis,
    SearchFilters,
    SearchReport,
    SearchRequest,
)
from cocosearch_py.search.confidence import judge
from cocosearch_py.search.context import context_range, cut_lines
from cocosearch_py.search.distill import analyze_query
from cocosearch_py.search.fusion import fuse_rankings
from cocosearch_py.search.inline_filters import extract_filters
from cocosearch_py.search.legs import Beside, Clock, Found, Legs, run_legs
from cocosearch_py.search.ranking import (
    DEFAULT_WEIGHTS,
    Evidence,
    FileCandidate,
    best_chunk,
    gather,
    rank_files,
)
from cocosearch_py.search.request_weights import file_factors
from cocosearch_py.search.unmatched import find_unknown_name, find_unmatched
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries import texts
from cocosearch_py.storage.queries.target import Target

# Weights of the legs in the fusion that orders chunks: the static model alone finds half of what keywords find.
LEG_WEIGHTS: Mapping[str, float] = {"keyword": 1.0, "vector": 0.5}
SEMANTIC_MODE_REASON = "Vector-only search was asked for"


@dataclass(frozen=True, slots=True)
class Findings:
    """A query and everything that its ranking works on; `rank_findings` may be run on it again and again."""

    analysis: QueryAnalysis
    evidence: Evidence
    paths: Mapping[int, store.FileFacts]  # by file_id
    factors: Mapping[int, float] = field(default_factory=dict)  # file_id -> what the request's weights make of it


def run_search(
    request: SearchRequest,
    record: IndexRecord,
    conn: Connection,
    embedder: Embedder,
    beside: Beside | None = None,
) -> SearchReport:
    """Answer one request inside the caller's snapshot; with a second connection, the vector leg runs there meanwhile.

    That has a snapshot of its own. A run that commits between the two can only make the vector leg name a chunk that
    the other does not have, which is then dropped.

    Hits are of distinct files first, best first; further chunks of the same files follow when files run out.

    Raises:
        ValidationError: empty or over-long query, limit or context out of range, unknown language.
    """
    _check(request)
    clock = Clock()
    started = time.perf_counter()
    with clock.stage("query_analysis_ms"):
        text, filters = extract_filters(request.query, request.filters)
        analysis = analyze_query(request.query, text)
    target = Target(record.index_id, record.chunk_count, filters)
    hybrid = request.use_hybrid is not False
    found = run_legs(Legs(conn, beside, target, embedder, clock), analysis, hybrid=hybrid)
    evidence = found.evidence
    with clock.stage("definition_boost_ms"):
        weights = {**DEFAULT_WEIGHTS, **(record.weights or {})}
        factors = file_factors(conn, target, request.weights, found.paths)
        ranked, rank_changes = _rank(Findings(analysis, evidence, found.paths, factors), weights)
    with clock.stage("rrf_fusion_ms"):
        # The order of the chunks matters when files run out.
        fused = _fuse(evidence, factors) if len(ranked) < request.limit else []
    with clock.stage("content_ms"):
        wanted = _choose(ranked, analysis, fused, request.limit)
        hits = _render(conn, target, request, found, ranked, wanted)
    unmatched = find_unmatched(conn, target) if not hits and filters != SearchFilters() else ()
    name = analysis.whole_name.spelled if analysis.whole_name and found.is_name_unknown else None
    unknown = find_unknown_name(conn, target, name) if name and filters == SearchFilters() else None
    clock.timings["total_ms"] = (time.perf_counter() - started) * 1000
    mode, reason = _mode(request, analysis)
    return SearchReport(
        analysis=analysis,
        filters=filters,
        weights=request.weights,
        mode=mode,
        mode_reason=reason,
        hits=tuple(hit for hit in hits if (hit.vector_score or 0.0) >= request.min_score),
        keyword_executed=hybrid,
        **_leg_figures(evidence),
        ranked_paths=tuple(file.path for file in ranked),
        boosted_count=sum(file.definition_weight > 0 for file in ranked),
        rank_changes=rank_changes,
        pre_filter_count=len(hits),
        timings_ms=clock.timings,
        unmatched=unmatched,
        missing_phrases=analysis.phrases if found.phrases_missing else (),
        unknown_name=unknown,
        confidence=_judge(ranked, analysis, found),
    )


def _judge(ranked: list[FileCandidate], analysis: QueryAnalysis, found: Found) -> Confidence:
    missing = "nothing holds what the query quotes" if found.phrases_missing else None
    if found.is_name_unknown:
        missing = "nothing has the name that the query is"
    return judge(ranked, analysis, found.evidence, missing=missing, is_quoted=found.is_quoted)


def _leg_figures(evidence: Evidence) -> dict[str, Any]:
    """What the report says of the legs, by its fields."""
    keyword, vector = evidence.keyword, evidence.vector
    both = len({chunk[:2] for chunk in keyword}.intersection(chunk[:2] for chunk in vector))
    return {
        "vector_count": len(vector),
        "vector_top": vector[0].score if vector else None,
        "vector_bottom": vector[-1].score if vector else None,
        "keyword_count": len(keyword),
        "keyword_top": keyword[0].score if keyword else None,
        "both_count": both,
        "fused_count": len(keyword) + len(vector) - both,
    }


def find_candidates(request: SearchRequest, record: IndexRecord, conn: Connection, embedder: Embedder) -> Findings:
    """Run a request up to its ranking: what the lab of the weights (tools/ranking) and `eval --tune` work on."""
    text, filters = extract_filters(request.query, request.filters)
    analysis = analyze_query(request.query, text)
    target = Target(record.index_id, record.chunk_count, filters)
    found = run_legs(Legs(conn, None, target, embedder, Clock()), analysis, hybrid=request.use_hybrid is not False)
    return Findings(analysis, found.evidence, found.paths)


def rank_findings(findings: Findings, weights: Mapping[str, float]) -> list[FileCandidate]:
    """Files with their features and scores, best first."""
    files = gather(findings.evidence, findings.paths)
    return rank_files(files, findings.analysis, findings.evidence, weights, findings.factors)


def _check(request: SearchRequest) -> None:
    if not 1 <= request.limit <= MAX_LIMIT:
        raise ValidationError(f"limit {request.limit} is out of range", hint=f"use 1 to {MAX_LIMIT}")
    if not 0.0 <= request.min_score <= 1.0:
        raise ValidationError(f"min_score {request.min_score} is out of range", hint="use 0 to 1")
    for lines in (request.context_before, request.context_after):
        if lines is not None and not 0 <= lines <= 50:
            raise ValidationError(f"{lines} lines of context are out of range", hint="use 0 to 50")


def _mode(request: SearchRequest, analysis: QueryAnalysis) -> tuple[str, str]:
    if request.use_hybrid is False:
        return "vector", SEMANTIC_MODE_REASON
    if request.use_hybrid:
        return "hybrid", "Hybrid search was asked for"
    if analysis.has_identifier:
        return "hybrid", "Auto-detected identifier pattern in query"
    return "hybrid", "Both legs run for every query; prose leans on words and meaning"


def _fuse(evidence: Evidence, factors: Mapping[int, float]) -> list[store.ChunkKey]:
    """Every chunk that a leg names, once, in the order of both legs together, weighted by the request's factors."""
    legs = {"keyword": evidence.keyword, "vector": evidence.vector}
    fused = fuse_rankings({name: [chunk[:2] for chunk in leg] for name, leg in legs.items()}, LEG_WEIGHTS)
    if factors:
        fused.sort(key=lambda item: -item[1] * factors.get(item[0][0], 1.0))
    return [key for key, _ in fused]


def _rank(findings: Findings, weights: Mapping[str, float]) -> tuple[list[FileCandidate], int]:
    """Files best first, and how many of them the definitions moved."""
    ranked = rank_findings(findings, weights)
    if not any(file.definition_weight for file in ranked):
        return ranked, 0
    boost = weights["definition"]
    unboosted = sorted(
        ranked, key=lambda file: (boost * file.features.get("definition", 0.0) + file.lift - file.score, file.path)
    )
    moved = sum(before is not after for before, after in zip(unboosted, ranked, strict=True))
    return ranked, moved


def _choose(
    ranked: list[FileCandidate],
    analysis: QueryAnalysis,
    fused: list[store.ChunkKey],
    limit: int,
) -> list[texts.WantedHit]:
    """One chunk per file in the files' order, then further chunks of these files in fused order."""
    wanted = [texts.WantedHit(file.file_id, *best_chunk(file, analysis)) for file in ranked[:limit]]
    shown = {(hit.file_id, hit.chunk_no) for hit in wanted}
    for key in fused:
        if len(wanted) >= limit:
            break
        if key not in shown:
            wanted.append(texts.WantedHit(*key))
    return wanted


def _render(
    conn: Connection,
    target: Target,
    request: SearchRequest,
    found: Found,
    ranked: list[FileCandidate],
    wanted: list[texts.WantedHit],
) -> list[Hit]:
    shown = texts.hit_texts(conn, target, wanted, found.legs)
    ranges = {}
    for hit in shown.values():
        scope = (hit.scope_start, hit.scope_end) if hit.scope_start and hit.scope_end else None
        ranges[hit.file_id, hit.chunk_no] = context_range(request, hit.start_line, hit.end_line, scope)
    asked = {key: (key[0], *lines.span) for key, lines in ranges.items() if not lines.is_empty}
    around = texts.lines_of(conn, target, sorted(set(asked.values()))) if asked else {}
    files = {file.file_id: file for file in ranked}
    top_keyword = found.evidence.keyword[0].score if found.evidence.keyword else 0.0
    hits: list[Hit] = []
    for key in [(item.file_id, item.chunk_no) for item in wanted]:
        if (text := shown.get(key)) is None:
            continue
        file = files[key[0]]
        score = _unit_score(file.score)
        chunks = around.get(asked.get(key, (0, 0, 0)), [])
        hits.append(
            Hit(
                file_path=file.path,
                start_line=text.start_line,
                end_line=text.end_line,
                score=min(score, hits[-1].score) if hits else score,  # a further chunk never outranks a file
                content=text.content,
                block_type=text.block_type,
                hierarchy=text.hierarchy,
                language_id=file.language_id,
                symbol_type=text.symbol_type,
                symbol_name=text.symbol_name,
                symbol_signature=text.symbol_signature,
                match_type=_match_type(file, text.chunk_no),
                vector_score=_rounded(text.vector_score),
                keyword_score=_rounded(min(1.0, (text.keyword_score or 0.0) / top_keyword)) if top_keyword else None,
                context_before=cut_lines(chunks, *ranges[key].before),
                context_after=cut_lines(chunks, *ranges[key].after),
                why={name: round(value, 4) for name, value in file.features.items()},
            )
        )
    return hits


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


# Verbatim text goes beyond what a question in other words can reach.
_SCORE_SCALE = sum(weight for name, weight in DEFAULT_WEIGHTS.items() if weight > 0 and name != "verbatim")


def _unit_score(score: float) -> float:
    """A file's score as a share of the best possible one, in 0..1; comparable within one answer."""
    return round(min(1.0, max(0.0, score / _SCORE_SCALE)), 4)
