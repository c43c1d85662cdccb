"""Reports as the JSON objects of the tool contract, shared by `--json` and the MCP tools.

Field names and nesting are CocoSearch's; fields may be added, none renamed or dropped. Pure.
"""

import posixpath
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from cocosearch_py.indexes.stats import IndexStats
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.model.search import FileWeights, Hit, SearchFilters, SearchReport
from cocosearch_py.search.fusion import RRF_RANK_CONSTANT
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.storage.indexes import IndexRecord

Json = dict[str, Any]
_BYTES_PER_UNIT = 1024


def search_items(record: IndexRecord, report: SearchReport) -> list[Json]:
    """The array of `search_code`: one object per hit."""
    return [search_item(record, hit) for hit in report.hits]


def search_item(record: IndexRecord, hit: Hit) -> Json:
    """One result object; `file_path` is absolute."""
    return {
        "file_path": posixpath.join(record.root_path, hit.file_path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": hit.score,
        "content": hit.content,
        "block_type": hit.block_type,
        "hierarchy": hit.hierarchy,
        "language_id": hit.language_id,
        "symbol_type": hit.symbol_type,
        "symbol_name": hit.symbol_name,
        "symbol_signature": hit.symbol_signature,
        "match_type": hit.match_type,
        "vector_score": hit.vector_score,
        "keyword_score": hit.keyword_score,
        "context_before": hit.context_before,
        "context_after": hit.context_after,
    }


def query_analysis(record: IndexRecord, report: SearchReport, *, use_hybrid: bool | None, min_score: float) -> Json:
    """The object of `analyze_query`."""
    analysis = report.analysis
    timings = {name: round(value, 3) for name, value in report.timings_ms.items()}
    return {
        "query_analysis": {
            "original_query": analysis.original_query,
            "has_identifier": analysis.has_identifier,
            "normalized_keyword_query": analysis.normalized_keyword_query,
            "kind": analysis.kind,
            "identifiers": [name for name, _ in analysis.identifiers],
            "terms": list(analysis.terms),
        },
        "search_mode": {
            "mode": report.mode,
            "reason": report.mode_reason,
            "use_hybrid_flag": use_hybrid,
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
            "min_score": min_score,
            "pre_filter_count": report.pre_filter_count,
            "post_filter_count": len(report.hits),
        },
        "weights": _weights(report.weights),
        "timings": {"cache_check_ms": 0.0, **timings},
        "files_ranked": len(report.ranked_paths),
        "results": [{**search_item(record, hit), "why": hit.why} for hit in report.hits],
    }


def index_item(record: IndexRecord) -> Json:
    """One element of `list_indexes`."""
    return {
        "name": record.name,
        "table_name": record.table_name,
        "root_path": record.root_path,
        "files": record.file_count,
        "chunks": record.chunk_count,
        "status": record.status,
        "updated_at": timestamp(record.updated_at),
    }


def index_stats(stats: IndexStats) -> Json:
    """The object of `index_stats`; the lists of failures and left-out files only when they were asked for."""
    record = stats.record
    answer: Json = {
        "name": record.name,
        "file_count": record.file_count,
        "chunk_count": record.chunk_count,
        "storage_size": stats.storage_bytes,
        "storage_size_pretty": pretty_bytes(stats.storage_bytes),
        "created_at": timestamp(record.created_at),
        "updated_at": timestamp(record.updated_at),
        "is_stale": stats.is_stale,
        "staleness_days": stats.staleness_days,
        "languages": [
            {
                "language": language.language_id,
                "file_count": language.files,
                "chunk_count": language.chunks,
                "line_count": language.lines,
            }
            for language in stats.languages
        ],
        "symbols": stats.symbols,
        "parse_stats": {
            "parse_health_pct": stats.parse_health_pct,
            "parse_health_bytes_pct": stats.parse_health_bytes_pct,
            "total_files": record.file_count,
            "total_ok": stats.files_ok,
            "by_language": {
                language.language_id: {
                    "files": language.files,
                    "ok": language.ok,
                    "partial": language.partial,
                    "error": language.error,
                    "no_grammar": language.no_grammar,
                    "error_bytes": language.error_bytes,
                }
                for language in stats.languages
            },
        },
        "warnings": list(stats.warnings),
        "root_path": record.root_path,
        "status": record.status,
        "git_branch": record.git_branch,
        "git_commit": record.git_commit,
        "embedding_model": record.embedding_model,
        "ledger": [{"status": status, "reason": reason, "files": files} for status, reason, files in stats.ledger],
    }
    if stats.parse_failures is not None:
        names = ("file_path", "language", "parse_status", "error_message")
        answer["parse_failures"] = [dict(zip(names, row, strict=True)) for row in stats.parse_failures]
    if stats.left_out is not None:
        columns = ("file_path", "status", "reason", "rule", "file_count")
        answer["skipped_files"] = [dict(zip(columns, row, strict=True)) for row in stats.left_out]
    return answer


def index_run(report: RunReport) -> Json:
    """The object of `index_codebase`."""
    return {
        "success": True,
        "index_name": report.index_name,
        "path": report.root_path,
        "stats": {
            "files_added": report.files_added,
            "files_removed": report.files_removed,
            "files_updated": report.files_updated,
            "files_unchanged": report.files_unchanged,
            "files_skipped": report.files_skipped,
            "files_failed": report.files_failed,
            "files_pending": report.files_pending,
            "chunks": report.chunks,
            "seconds": round(report.seconds, 3),
        },
        "interrupted": report.interrupted,
        "warnings": list(report.warnings),
    }


def cleared(record: IndexRecord) -> Json:
    """The object of `clear_index`."""
    return {"success": True, "message": f"Index '{record.name}' cleared successfully"}


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second, with Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def pretty_bytes(size: float) -> str:
    """Size with one decimal in the largest fitting unit: 8.0 MB."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < _BYTES_PER_UNIT:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= _BYTES_PER_UNIT
    return f"{size:.1f} TB"


def _filters(filters: SearchFilters) -> Json:
    """Filters as the reference shows them: null, a text, or a list of several."""

    def shown(values: tuple[str, ...]) -> str | list[str] | None:
        return None if not values else values[0] if len(values) == 1 else list(values)

    return {
        "language_filter": ",".join(filters.languages) or None,
        "symbol_type_filter": shown(filters.symbol_types),
        "symbol_name_filter": filters.symbol_name,
        "path_filter": shown(filters.path_globs),
        "exclude_filter": shown(filters.exclude_globs),
    }


def _weights(weights: FileWeights) -> Json | None:
    """Weights in the form in which they are given; null without any."""
    if not weights:
        return None
    return {
        "ext": dict(weights.extensions),
        "path": [{"pattern": pattern, "weight": factor} for pattern, factor in weights.paths],
        "language": dict(weights.languages),
    }


def _cache_key(record: IndexRecord, report: SearchReport) -> str:
    text = f"{record.name}\0{record.generation}\0{report.analysis.original_query}\0{report.filters}\0{report.weights}"
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
