"""What each tool answers, as JSON Schema: sent as `outputSchema` when answers are structured content.

An array is the member `result` of an object, as structured content must be an object. Fields may come to be added, so
no schema forbids others; a test proves that each names all there are.
"""

from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
COUNT: Json = {"type": "integer", "minimum": 0}
NUMBER: Json = {"type": "number"}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
FLAG: Json = {"type": "boolean"}


def listed(items: Json) -> Json:
    """Any number of such items."""
    return {"type": "array", "items": items}


def mapped(values: Json) -> Json:
    """An object of any names with such values."""
    return {"type": "object", "additionalProperties": values}


def nullable(schema: Json) -> Json:
    """The same, or null; as alternatives, because clients that translate schemas know one type at a time."""
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(*values: str) -> Json:
    """One of these texts."""
    return {"type": "string", "enum": list(values)}


def shape(optional: Json | None = None, /, **required: Json) -> Json:
    """An object with these members; the optional ones may be missing."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def either(*shapes: Json) -> Json:
    """One of several objects."""
    return {"type": "object", "anyOf": list(shapes)}


_PLACE = {
    "file_path": TEXT,
    "start_line": COUNT,
    "end_line": COUNT,
    "score": SHARE,
    "block_type": TEXT,
    "hierarchy": TEXT,
    "language_id": TEXT,
    "symbol_type": nullable(TEXT),
    "symbol_name": nullable(TEXT),
    "symbol_signature": nullable(TEXT),
    "match_type": one_of("both", "keyword", "semantic", "symbol"),
    "vector_score": nullable(SHARE),
    "keyword_score": nullable(SHARE),
}
_TEXTS = {"content": TEXT, "context_before": TEXT, "context_after": TEXT}
_HIT = shape({**_TEXTS, "index_name": TEXT}, **_PLACE)


def _note(kind: str, optional: Json | None = None, /, **more: Json) -> Json:
    return shape(optional, type=one_of(kind), **more)


_NOTES = (
    _note(
        "search_context",
        {"linked_indexes": listed(TEXT)},
        index_name=TEXT,
        root_path=TEXT,
        last_indexed_at=TEXT,
        detected_by=one_of("roots", "project parameter", "server project", "working folder"),
    ),
    _note("warning", message=TEXT),
    _note(
        "staleness_warning",
        message=TEXT,
        index_name=TEXT,
        staleness_days=COUNT,
        last_indexed_at=TEXT,
        remedy=TEXT,
    ),
    _note(
        "branch_staleness_warning",
        message=TEXT,
        index_name=TEXT,
        indexed_branch=nullable(TEXT),
        indexed_commit=nullable(TEXT),
        remedy=TEXT,
    ),
    _note("truncated", message=TEXT, returned=COUNT, available=COUNT),
)
_CELL: Json = {"anyOf": [TEXT, NUMBER, {"type": "null"}]}
SEARCH = either(
    shape(result=listed(either(_HIT, *_NOTES))),
    shape(columns=listed(TEXT), rows=listed(listed(_CELL)), notes=listed(either(*_NOTES))),
)

_ONE_OR_MORE: Json = {"anyOf": [TEXT, listed(TEXT), {"type": "null"}]}
_FACTORS = mapped({"type": "number", "minimum": 0})
ANALYSIS = shape(
    {
        "explain_path": shape(
            path=TEXT,
            verdict=one_of(
                *("shown", "below_cut", "filtered", "no_match", "skipped", "failed", "ambiguous", "unknown")
            ),
            reason=TEXT,
            rank=nullable(COUNT),
        )
    },
    query_analysis=shape(
        original_query=TEXT,
        has_identifier=FLAG,
        normalized_keyword_query=TEXT,
        kind=TEXT,
        identifiers=listed(TEXT),
        terms=listed(TEXT),
    ),
    search_mode=shape(
        mode=one_of("hybrid", "vector"),
        reason=TEXT,
        use_hybrid_flag=nullable(FLAG),
        has_content_text_column=FLAG,
        has_identifier_pattern=FLAG,
    ),
    cache=shape(checked=FLAG, hit=FLAG, hit_type=TEXT, cache_key_prefix=TEXT),
    vector_search=shape(result_count=COUNT, top_score=nullable(NUMBER), bottom_score=nullable(NUMBER)),
    keyword_search=shape(executed=FLAG, normalized_query=TEXT, result_count=COUNT, top_ts_rank=nullable(NUMBER)),
    fusion=shape(
        executed=FLAG,
        k_constant=COUNT,
        vector_only_count=COUNT,
        keyword_only_count=COUNT,
        both_count=COUNT,
        total_fused=COUNT,
    ),
    definition_boost=shape(executed=FLAG, boost_multiplier=NUMBER, boosted_count=COUNT, rank_changes=COUNT),
    filtering=shape(
        language_filter=nullable(TEXT),
        symbol_type_filter=_ONE_OR_MORE,
        symbol_name_filter=nullable(TEXT),
        path_filter=_ONE_OR_MORE,
        exclude_filter=_ONE_OR_MORE,
        min_score=SHARE,
        pre_filter_count=COUNT,
        post_filter_count=COUNT,
    ),
    weights=nullable(shape(ext=_FACTORS, path=listed(shape(pattern=TEXT, weight=NUMBER)), language=_FACTORS)),
    timings=mapped(NUMBER),
    files_ranked=COUNT,
    results=listed(shape(**_PLACE, **_TEXTS, why=mapped(NUMBER))),
    index_name=TEXT,
    warnings=listed(TEXT),
)

_STATUS = one_of("complete", "interrupted")
INDEXES = shape(
    result=listed(
        shape(
            name=TEXT,
            table_name=TEXT,
            root_path=TEXT,
            files=COUNT,
            chunks=COUNT,
            status=_STATUS,
            updated_at=TEXT,
        )
    )
)
_STATS = shape(
    {
        "parse_failures": listed(
            shape(file_path=TEXT, language=TEXT, parse_status=TEXT, error_message=nullable(TEXT)),
        ),
        "skipped_files": listed(
            shape(file_path=TEXT, status=TEXT, reason=nullable(TEXT), rule=nullable(TEXT), file_count=COUNT)
        ),
    },
    name=TEXT,
    file_count=COUNT,
    chunk_count=COUNT,
    storage_size=COUNT,
    storage_size_pretty=TEXT,
    created_at=TEXT,
    updated_at=TEXT,
    is_stale=FLAG,
    staleness_days=COUNT,
    languages=listed(shape(language=TEXT, file_count=COUNT, chunk_count=COUNT, line_count=COUNT)),
    symbols=mapped(COUNT),
    parse_stats=shape(
        parse_health_pct=NUMBER,
        parse_health_bytes_pct=NUMBER,
        total_files=COUNT,
        total_ok=COUNT,
        by_language=mapped(
            shape(files=COUNT, ok=COUNT, partial=COUNT, error=COUNT, no_grammar=COUNT, error_bytes=COUNT)
        ),
    ),
    warnings=listed(TEXT),
    root_path=TEXT,
    status=_STATUS,
    git_branch=nullable(TEXT),
    git_commit=nullable(TEXT),
    embedding_model=TEXT,
    ledger=listed(shape(status=TEXT, reason=nullable(TEXT), files=COUNT)),
)
STATS = either(_STATS, shape(result=listed(_STATS)))

CLEARED = shape(
    {
        "dry_run": FLAG,
        "would_delete": listed(TEXT),
        "chunks": COUNT,
        "deleted": listed(TEXT),
        "total_deleted": COUNT,
        "chunks_removed": COUNT,
        "results": listed(shape({"error": TEXT, "error_type": TEXT}, index_name=TEXT, success=FLAG)),
    },
    success=FLAG,
    message=TEXT,
)

_RUN = shape(
    files_added=COUNT,
    files_removed=COUNT,
    files_updated=COUNT,
    files_unchanged=COUNT,
    files_skipped=COUNT,
    files_failed=COUNT,
    files_pending=COUNT,
    chunks=COUNT,
    seconds=NUMBER,
)
_JOB_STATE = one_of("queued", "running", "completed", "failed", "cancelled")
_PROGRESS = {
    "index_name": TEXT,
    "state": _JOB_STATE,
    "job_id": TEXT,
    "stage": TEXT,
    "progress": {"type": "integer", "minimum": 0, "maximum": 100},
    "files_done": COUNT,
    "files_total": COUNT,
    "seconds": NUMBER,
    "eta_s": nullable(NUMBER),
}
INDEXED = either(
    shape(
        success=FLAG,
        index_name=TEXT,
        path=TEXT,
        stats=_RUN,
        interrupted=FLAG,
        warnings=listed(TEXT),
        state=_JOB_STATE,
        job_id=TEXT,
    ),
    shape(success=FLAG, **_PROGRESS, path=TEXT, message=TEXT),
)
_JOB_ENDS = {
    "error": TEXT,
    "error_type": TEXT,
    "message": TEXT,
    "details": {"type": "object", "additionalProperties": True},
    "actionable_guidance": listed(TEXT),
    "stats": _RUN,
}
_JOB = shape(_JOB_ENDS, success=FLAG, **_PROGRESS)
JOB_STATUS = either(
    _JOB,
    shape(success=FLAG, jobs=listed(_JOB)),
    shape(
        success=FLAG,
        index_name=TEXT,
        state=TEXT,
        progress=COUNT,
        files=COUNT,
        chunks=COUNT,
        last_indexed_at=TEXT,
        branch=nullable(TEXT),
        commit=nullable(TEXT),
    ),
)
CANCELLED = shape(ok=FLAG, success=FLAG, message=TEXT, **_PROGRESS, kept=nullable(_RUN))
