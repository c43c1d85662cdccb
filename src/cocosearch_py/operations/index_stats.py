"""`index_stats`, `cocosearch-py stats`: what indexes hold, and how healthy they are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from cocosearch_py.catalog.freshness import STALE_DAYS
from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answers import Json, Status, pretty_bytes, quoted, timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.catalog.stats import IndexStats, StatsRequest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of index_stats."""

    index_name: Annotated[
        str | None,
        About("Omit for all indexes"),
        Flag(metavar="[INDEX]", help="Index to show (default: the current folder's)."),
    ] = None
    include_failures: Annotated[
        bool,
        About("List files with parse errors"),
        Flag(names=("--show-failures",), help="List files with parse errors."),
    ] = False
    include_skipped: Annotated[
        bool,
        About("List files that are not indexed, and why"),
        Flag(names=("--show-skipped",), help="List files that are not indexed, with reason and rule."),
    ] = False
    every: Annotated[bool, Flag(names=("--all",), default=False, help="Show all indexes.")] = True
    stale_days: Annotated[
        int,
        Flag(
            names=("--staleness-threshold",),
            metavar="DAYS",
            minimum=0,
            help="Age in days at which an index counts as stale.",
        ),
    ] = STALE_DAYS


class LanguageItem(TypedDict):
    """What an index holds of one language."""

    language: str
    file_count: Count
    chunk_count: Count
    line_count: Count


class ContentItem(TypedDict):
    """Files by the class of their content; `not_indexed` are those of a class that are left out."""

    content_class: str | None
    file_count: Count
    not_indexed: Count
    chunk_count: Count
    line_count: Count


class ParseCounts(TypedDict):
    """How files of one language were parsed."""

    files: Count
    ok: Count
    partial: Count
    error: Count
    no_grammar: Count
    error_bytes: Count


class ParseStats(TypedDict):
    """Parse health, by files and by bytes outside of errors."""

    parse_health_pct: float
    parse_health_bytes_pct: float
    total_files: Count
    total_ok: Count
    by_language: dict[str, ParseCounts]


class LedgerItem(TypedDict):
    """Files on disk by what became of them."""

    status: str
    reason: str | None
    files: Count


class ParseFailure(TypedDict):
    """A file that did not parse cleanly."""

    file_path: str
    language: str
    parse_status: str
    error_message: str | None


class SkippedItem(TypedDict):
    """A file or folder that is not indexed, and the rule that decided."""

    file_path: str
    status: str
    reason: str | None
    rule: str | None
    file_count: Count


class IndexConfig(TypedDict):
    """How an index was made; `chunk_size` is the target in bytes."""

    embedding_model: str
    embedding_dimension: Count
    chunking_strategy: str
    chunk_size: Count | None


class StatsItem(TypedDict):
    """One index in figures.

    `edge_count` are imports that lead to a file of the index, `indexing_seconds` of the last run that changed it.
    """

    name: str
    index_id: str
    file_count: Count
    chunk_count: Count
    storage_size: Count
    storage_size_pretty: str
    created_at: str
    updated_at: str
    is_stale: bool
    staleness_days: Count
    languages: list[LanguageItem]
    content: list[ContentItem]
    symbols: dict[str, Count]
    parse_stats: ParseStats
    warnings: list[str]
    root_path: str
    status: Status
    git_branch: str | None
    git_commit: str | None
    embedding_model: str
    line_count: Count
    symbol_count: Count
    edge_count: Count
    vector_count: Count
    indexing_seconds: float
    config: IndexConfig
    ledger: list[LedgerItem]
    parse_failures: NotRequired[list[ParseFailure]]
    note: NotRequired[str]
    skipped_files: NotRequired[list[SkippedItem]]


def index_stats(call: Call, asked: Arguments) -> "IndexStats | list[IndexStats]":
    """Show index statistics: files, chunks, size, languages, symbols, parse health, staleness."""
    from cocosearch_py.catalog.stats import StatsRequest

    request = StatsRequest(asked.include_failures, asked.include_skipped, asked.stale_days)
    if asked.index_name is None:
        return _every(call, request) if asked.every else _here(call, request)
    if asked.every and call.selection.place is not None:
        raise ValidationError("--all cannot be combined with an index name", hint="give only one of them")
    app = call.app()
    return app.catalog.stats(call.named(app, asked.index_name), request)


def _here(call: Call, request: "StatsRequest") -> "IndexStats | list[IndexStats]":
    """The index of the caller's place; all of them outside of every indexed folder."""
    try:
        found = call.find()
    except NotIndexedError:
        return _every(call, request)
    return found.app.catalog.stats(found.records[0], request)


def _every(call: Call, request: "StatsRequest") -> "list[IndexStats]":
    app = call.app()
    return [app.catalog.stats(record, request) for record in call.visible(app)]


def _answer(stats: "IndexStats | list[IndexStats]", _: Arguments) -> Json | list[Json]:
    return [_item(one) for one in stats] if isinstance(stats, list) else _item(stats)


def _item(stats: "IndexStats") -> Json:
    record = stats.record
    item: Json = {
        "name": record.name,
        "index_id": record.ulid,
        "file_count": record.file_count,
        "chunk_count": record.chunk_count,
        "storage_size": stats.storage_bytes,
        "storage_size_pretty": pretty_bytes(stats.storage_bytes),
        "created_at": timestamp(record.created_at),
        "updated_at": timestamp(record.updated_at),
        "is_stale": stats.is_stale,
        "staleness_days": stats.staleness_days,
        **_languages(stats),
        "warnings": list(stats.warnings),
        "root_path": record.root_path,
        "status": record.status,
        "git_branch": record.git_branch,
        "git_commit": record.git_commit,
        "embedding_model": record.embedding_model,
        "line_count": sum(one.lines for one in stats.languages),
        "symbol_count": sum(stats.symbols.values()),
        "edge_count": stats.edges,
        "vector_count": stats.vectors,
        "indexing_seconds": round(record.seconds, 3),
        "config": {
            "embedding_model": record.embedding_model,
            "embedding_dimension": record.embedding_dimension,
            "chunking_strategy": str(record.options.get("strategy", "treesitter")),
            "chunk_size": record.options.get("chunk_bytes"),
        },
        "ledger": [{"status": status, "reason": reason, "files": files} for status, reason, files in stats.ledger],
    }
    if stats.parse_failures is not None:
        item["parse_failures"] = _rows(ParseFailure, stats.parse_failures)
        item |= quoted(stats.parse_failures)  # messages quote the text at an error
    if stats.left_out is not None:
        item["skipped_files"] = _rows(SkippedItem, stats.left_out)
    return item


def _languages(stats: "IndexStats") -> Json:
    return {
        "languages": [
            {
                "language": one.language_id,
                "file_count": one.files,
                "chunk_count": one.chunks,
                "line_count": one.lines,
            }
            for one in stats.languages
        ],
        "content": _rows(ContentItem, stats.classes),
        "symbols": stats.symbols,
        "parse_stats": {
            "parse_health_pct": stats.parse_health_pct,
            "parse_health_bytes_pct": stats.parse_health_bytes_pct,
            "total_files": stats.record.file_count,
            "total_ok": stats.files_ok,
            "by_language": {
                one.language_id: {name: getattr(one, name) for name in ParseCounts.__annotations__}
                for one in stats.languages
            },
        },
    }


def _rows(kind: type, rows: "tuple[tuple[Any, ...], ...]") -> list[Json]:
    return [dict(zip(kind.__annotations__, row, strict=True)) for row in rows]


OPERATION: "Operation[Arguments, IndexStats | list[IndexStats]]" = Operation(
    name="index_stats",
    title="Index statistics",
    arguments=Arguments,
    run=index_stats,
    shape=_answer,
    answer=StatsItem | list[StatsItem],
    error_is_text=True,
    toolset="index",
    order=2,
    command=Command(
        name="stats",
        help="""Show the contents of an index: files, chunks, languages, symbols, parse health.

        Without a name, and outside every indexed folder, all indexes are shown.
        """,
    ),
    aliases=(
        Alias(name="get_stats", program="indxr"),
        Alias(name="collections", program="Code Index", chosen_by=("subcommand", "info"), dialect="collections.INFO"),
    ),
)
