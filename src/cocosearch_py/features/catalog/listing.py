"""Lists of indexes, and their figures."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from cocosearch_py.catalog.freshness import age_days, staleness
from cocosearch_py.catalog.stats import IndexStats, StatsRequest
from cocosearch_py.discovery.repository import Repository, find_repository
from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.features.catalog.tools import (
    MAX_LIMIT,
    ContentClass,
    IndexConfig,
    LanguageFigures,
    LedgerRow,
    ListArguments,
    ListedIndex,
    More,
    Note,
    ParseCounts,
    ParseFailure,
    ParseStats,
    SkippedFile,
    Stats,
    StatsArguments,
)
from cocosearch_py.model.answers import Part
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import QUOTED, pretty_bytes, timestamp
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call

P = TypeVar("P", bound=Part)


def list_indexes(call: Call, asked: ListArguments) -> list[ListedIndex | More | Note]:
    """List a page of the indexes by name, then the values that were not used as given, and how to go on."""
    app = call.app()
    records = sorted([*call.visible(app), *call.unfinished(app)], key=lambda record: record.name)
    records = [record for record in records if asked.pattern is None or fnmatchcase(record.name, asked.pattern)]
    bounds = Bounded()
    limit = None if asked.limit is None else bounds.value("limit", asked.limit, 1, MAX_LIMIT)
    left = [record for record in records if asked.cursor is None or record.name > asked.cursor]
    page = left[:limit]
    items: list[ListedIndex | More | Note] = [*(_detailed(page, records) if asked.detailed else map(_listed, page))]
    unmatched = [] if records or asked.pattern is None else [f"no index matches '{asked.pattern}'"]
    items += [Note(type="warning", message=text) for text in (*unmatched, *bounds.notes)]
    if len(page) < len(left):
        last = page[-1].name
        message = f"{len(left) - len(page):,} more: call again with cursor {last!r}"
        items.append(
            More(type="truncated", message=message, returned=len(page), available=len(records), next_cursor=last)
        )
    return items


def _listed(record: IndexRecord) -> ListedIndex:
    return ListedIndex(
        name=record.name,
        index_id=record.ulid,
        table_name=record.table_name,
        root_path=record.root_path,
        files=record.file_count,
        chunks=record.chunk_count,
        status=record.status,
        updated_at=timestamp(record.updated_at),
        rev=record.git_branch if record.commit else UNSET,
        commit=record.commit or "",
        files_pending=record.pending_file_count or 0,
    )


def _detailed(page: Sequence[IndexRecord], records: Sequence[IndexRecord]) -> list[ListedIndex]:
    """Return the indexes of a page with details; other worktrees are looked for among all records."""
    repositories = {record.name: _repository(record) for record in records}
    return [
        replace(
            _listed(record),
            workspace_id=record.workspace_id,
            created_at=timestamp(record.created_at),
            git_branch=record.git_branch,
            git_commit=record.git_commit,
            repo=_repository_name(repositories[record.name]),
            worktrees=tuple(
                other.name for other in records if _are_worktrees(repositories[record.name], repositories[other.name])
            ),
            is_stale=staleness(record) is not None,
            staleness_days=age_days(record),
            embedding_model=record.embedding_model,
            embedding_dimension=record.embedding_dimension,
            chunking_strategy=_strategy(record),
        )
        for record in page
    ]


def _strategy(record: IndexRecord) -> str:
    return str(record.options.get("strategy", "treesitter"))


def _repository(record: IndexRecord) -> Repository | None:
    return None if record.is_detached else find_repository(Path(record.root_path))


def _are_worktrees(first: Repository | None, second: Repository | None) -> bool:
    """Report whether these are different worktrees of one repository; folders of the same worktree are not."""
    if first is None or second is None or first.root.resolve() == second.root.resolve():
        return False
    return first.common_dir.resolve() == second.common_dir.resolve()


def _repository_name(repository: Repository | None) -> str | None:
    """Return the name of a repository, without its place, which clients need not know."""
    if repository is None:
        return None
    folder = repository.common_dir.resolve()  # shared by all worktrees
    return folder.parent.name if folder.name == ".git" else folder.name.removesuffix(".git")


def index_stats(call: Call, asked: StatsArguments) -> Stats | list[Stats]:
    """Return the figures of the named index, else of the caller's, else of all.

    Raises:
        IndexNotFoundError: there is no such index.
        ValidationError: a name is given together with `--all`.
    """
    request = StatsRequest(asked.include_failures, asked.include_skipped, asked.stale_days)
    app = call.app()
    if asked.index_name is not None:
        if asked.every and call.selection.place is not None:
            raise ValidationError("--all cannot be combined with an index name", hint="give only one of them")
        return _stats(app.catalog.stats(call.named(app, asked.index_name), request))
    if not asked.every:
        try:
            found = call.find()
        except NotIndexedError:
            pass
        else:
            return _stats(found.app.catalog.stats(found.records[0], request))
    return [_stats(app.catalog.stats(record, request)) for record in call.visible(app)]


def _stats(stats: IndexStats) -> Stats:
    record, failures, skipped = stats.record, stats.parse_failures, stats.left_out
    return Stats(
        name=record.name,
        index_id=record.ulid,
        file_count=record.file_count,
        chunk_count=record.chunk_count,
        storage_size=stats.storage_bytes,
        storage_size_pretty=pretty_bytes(stats.storage_bytes),
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
        is_stale=stats.is_stale,
        staleness_days=stats.staleness_days,
        languages=tuple(
            LanguageFigures(
                language=count.language_id, file_count=count.files, chunk_count=count.chunks, line_count=count.lines
            )
            for count in stats.languages
        ),
        content=tuple(_row(ContentClass, row) for row in stats.classes),
        symbols=stats.symbols,
        parse_stats=ParseStats(
            parse_health_pct=stats.parse_health_pct,
            parse_health_bytes_pct=stats.parse_health_bytes_pct,
            total_files=record.file_count,
            total_ok=stats.files_ok,
            by_language={
                count.language_id: ParseCounts(**{name: getattr(count, name) for name in ParseCounts.__struct_fields__})
                for count in stats.languages
            },
        ),
        warnings=stats.warnings,
        root_path=record.root_path,
        status=record.status,
        git_branch=record.git_branch,
        git_commit=record.git_commit,
        embedding_model=record.embedding_model,
        line_count=sum(count.lines for count in stats.languages),
        symbol_count=sum(stats.symbols.values()),
        edge_count=stats.edges,
        vector_count=stats.vectors,
        indexing_seconds=round(record.seconds, 3),
        config=IndexConfig(
            embedding_model=record.embedding_model,
            embedding_dimension=record.embedding_dimension,
            chunking_strategy=_strategy(record),
            chunk_size=record.options.get("chunk_bytes"),
        ),
        ledger=tuple(_row(LedgerRow, row) for row in stats.ledger),
        parse_failures=UNSET if failures is None else tuple(_row(ParseFailure, row) for row in failures),
        note=QUOTED if failures else "",  # messages quote the text at an error
        skipped_files=UNSET if skipped is None else tuple(_row(SkippedFile, row) for row in skipped),
    )


def _row(kind: type[P], row: Sequence[object]) -> P:
    """Make a part from a row whose columns are its fields, in order."""
    return kind(**dict(zip(kind.__struct_fields__, row, strict=True)))
