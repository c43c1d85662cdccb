"""The search: analyse, retrieve, rank, show. The report is made by the run itself."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Mode
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import MAX_LIMIT, Confidence, QueryAnalysis, SearchFilters, SearchReport, SearchRequest
from cocosearch_py.search.cache import SearchCaches
from cocosearch_py.search.candidates import Evidence, FileCandidate, gather
from cocosearch_py.search.confidence import judge
from cocosearch_py.search.hits import Ranked, render
from cocosearch_py.search.inline_filters import extract_filters
from cocosearch_py.search.issue_reports import analyze_query
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS, rank_files
from cocosearch_py.search.request_weights import file_factors
from cocosearch_py.search.retrieval import Clock, Retrieved, Source, retrieve
from cocosearch_py.search.unmatched import find_unmatched
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.target import SearchLimits, Target

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
    limits: SearchLimits,
    caches: SearchCaches,
) -> SearchReport:
    """Answer one request inside the caller's snapshot.

    Hits are of distinct files first, best first; further chunks of the same files follow when files run out.

    Raises:
        ValidationError: empty or over-long query, limit or context out of range, unknown language.
        EmbeddingError: the model does not answer, and words are not to be searched.
    """
    _check(request)
    clock = Clock()
    started = time.perf_counter()
    with clock.stage("query_analysis_ms"):
        text, filters = extract_filters(request.query, request.filters)
        analysis = analyze_query(request.query, text)
    target = Target(record.index_id, record.chunk_count, filters, limits=limits)
    narrow = partial(caches.narrowed, conn, record)
    hybrid = request.use_hybrid is not False
    source = Source(conn, narrow(target), embedder, clock, narrow)
    found = retrieve(source, analysis, hybrid=hybrid, vector=request.vector)
    with clock.stage("definition_boost_ms"):
        weights = {**DEFAULT_WEIGHTS, **(record.weights or {})}
        factors = file_factors(conn, target, request.weights, found.paths)
        ranked, rank_changes = _rank(Findings(analysis, found.evidence, found.paths, factors), weights)
    with clock.stage("content_ms"):
        hits = render(conn, target, request, found, Ranked(analysis, ranked, weights, factors))
    lacking = _what_is_lacking(conn, target, analysis, found, has_hits=bool(hits))
    clock.timings["total_ms"] = (time.perf_counter() - started) * 1000
    mode, reason = _mode(request, analysis, found)
    least = request.min_score if found.unanswered is None else 0.0  # without a vector, no hit has a score to compare
    return SearchReport(
        analysis=analysis,
        filters=filters,
        weights=request.weights,
        mode=mode,
        mode_reason=reason,
        hits=tuple(hit for hit in hits if (hit.vector_score or 0.0) >= least),
        keyword_executed=hybrid,
        **_retrieval_figures(found.evidence),
        ranked_paths=tuple(file.path for file in ranked),
        boosted_count=sum([file.definition_weight > 0 for file in ranked]),
        rank_changes=rank_changes,
        pre_filter_count=len(hits),
        timings_ms=clock.timings,
        unanswered=found.unanswered,
        confidence=_judge(ranked, analysis, found, f"{hits[0].file_path}\n{hits[0].content}" if hits else ""),
        **lacking,
    )


def _what_is_lacking(
    conn: Connection, target: Target, analysis: QueryAnalysis, found: Retrieved, *, has_hits: bool
) -> dict[str, Any]:
    """Return the parts of the query that the index does not have, by fields of the report."""
    is_filtered = target.filters != SearchFilters()
    return {
        "unmatched": find_unmatched(conn, target) if is_filtered and not has_hits else (),
        "missing_phrases": analysis.phrases if found.phrases_missing else (),
        "beyond_end": found.beyond_end,
        "unknown_name": found.unknown_name,
        "lacks_names": found.lacks_names,
    }


def _judge(ranked: list[FileCandidate], analysis: QueryAnalysis, found: Retrieved, shown: str) -> Confidence:
    missing = "nothing contains the quoted text" if found.phrases_missing and analysis.quotes_most else None
    if found.is_name_unknown:
        missing = "nothing has this name"
    return judge(ranked, analysis, found.evidence, shown=shown, missing=missing, is_quoted=found.is_quoted)


def _retrieval_figures(evidence: Evidence) -> dict[str, Any]:
    """Figures of keyword and vector retrieval, by the report's fields."""
    keyword, vector = evidence.keyword, evidence.vector
    both = len(keyword) + len(vector) - len(evidence.fused)
    return {
        "vector_count": len(vector),
        "vector_top": vector[0].score if vector else None,
        "vector_bottom": vector[-1].score if vector else None,
        "keyword_count": len(keyword),
        "keyword_top": keyword[0].score if keyword else None,
        "both_count": both,
        "fused_count": len(evidence.fused),
    }


def find_candidates(request: SearchRequest, record: IndexRecord, conn: Connection, embedder: Embedder) -> Findings:
    """Run a request up to its ranking: what the lab of the weights (tools/ranking) and `eval --tune` work on.

    Raises:
        EmbeddingError: the model does not answer.
    """
    text, filters = extract_filters(request.query, request.filters)
    analysis = analyze_query(request.query, text)
    target = Target(record.index_id, record.chunk_count, filters)
    source = Source(conn, target, embedder, Clock(), partial(store.with_passing_files, conn))
    found = retrieve(source, analysis, hybrid=request.use_hybrid is not False, vector=request.vector)
    if found.unanswered is not None:
        raise found.unanswered
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
    if not request.vector and request.use_hybrid is False:
        raise ValidationError("keyword and vector search are both off", hint="turn one of them on")
    for lines in (request.context_before, request.context_after):
        if lines is not None and not 0 <= lines <= 50:
            raise ValidationError(f"{lines} lines of context are out of range", hint="use 0 to 50")


def _mode(request: SearchRequest, analysis: QueryAnalysis, found: Retrieved) -> tuple[Mode, str]:
    if found.unanswered is not None:
        return "keyword", "The embedding model does not respond"
    if not request.vector:
        return "keyword", "Search by words and names was asked for"
    if request.use_hybrid is False:
        return "vector", SEMANTIC_MODE_REASON
    if request.use_hybrid:
        return "hybrid", "Hybrid search was asked for"
    if analysis.has_identifier:
        return "hybrid", "Auto-detected identifier pattern in query"
    return "hybrid", "Both legs run for every query; prose leans on words and meaning"


def _rank(findings: Findings, weights: Mapping[str, float]) -> tuple[list[FileCandidate], int]:
    """Files best first, and how many of them the definitions moved."""
    ranked = rank_findings(findings, weights)
    if not any([file.definition_weight for file in ranked]):
        return ranked, 0
    boost = weights["definition"]
    unboosted = sorted(
        ranked, key=lambda file: (boost * file.features.get("definition", 0.0) + file.lift - file.score, file.path)
    )
    moved = sum(before is not after for before, after in zip(unboosted, ranked, strict=True))
    return ranked, moved
