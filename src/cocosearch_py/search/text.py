"""A search for lines by what stands in them: every occurrence, in the order of files."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.scopes import TextScope
from cocosearch_py.model.texts import TextCursor, TextMatch, TextReport, TextRequest
from cocosearch_py.search.line_excerpt import shown_part
from cocosearch_py.search.multiline import search_over_lines
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import lines as store
from cocosearch_py.storage.queries.lines import F, FoundLine, Page
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.texts import lines_of
from cocosearch_py.storage.schema.registry import TRIGRAM_MIN_CHUNKS

# Maximum passages that are all compared and counted; more match where a page is full long before.
_MAX_PASSAGES = 1_000


def search_text(request: TextRequest, record: IndexRecord, conn: Connection) -> TextReport:
    """The lines of an index that match, code first, what others wrote last; see `TextReport`.

    Args:
        request: its filters on definitions do not count.

    Raises:
        ValidationError: PostgreSQL cannot read the pattern.
    """
    target = Target(record.index_id, record.chunk_count, request.filters)
    search = _search if request.pattern.to_end is None else search_over_lines
    report = store.within(conn, request.timeout_ms, lambda: search(conn, target, request))
    if report is not None:
        return report
    return TextReport(
        incomplete=f"stopped after {request.timeout_ms} ms: use a longer literal, path_glob, language or timeout_ms"
    )


def _search(conn: Connection, target: Target, request: TextRequest) -> TextReport:
    if request.count_only:
        files, total = store.count_lines(conn, target, request)
        return TextReport(files_matched=files, total=total, at_least=total)
    if request.paths_only:
        found = _page(conn, target, request, store.find_files)
        kept_files = found.items[: request.limit]
        return TextReport(
            paths=tuple(file.path for file in kept_files),
            files_matched=found.files,
            next=TextCursor(kept_files[-1].path, 0) if len(kept_files) < len(found.items) else None,
            versions={file.path: file.version for file in kept_files},
        )
    page = _page(conn, target, request, store.find_lines)
    kept = page.items[: request.limit]
    is_all = len(kept) == len(page.items)
    return TextReport(
        matches=tuple(_shown(conn, target, request, kept)) if kept else (),
        files_matched=page.files,
        total=len(kept) if is_all and request.after is None else None,
        at_least=max(page.passages, len(page.items)),  # each of these passages has a line
        versions={line.path: line.version for line in kept},
        next=None if is_all else TextCursor(kept[-1].path, kept[-1].line),
    )


def _page(conn: Connection, target: Target, request: TextRequest, find: Callable[..., Page[F]]) -> Page[F]:
    """A page of what matches. A pattern that matches very much is searched for only in the files that can be on it."""
    most = _MAX_PASSAGES if target.chunk_count >= TRIGRAM_MIN_CHUNKS else None
    some = find(conn, target, request, most)
    if most is None or some.passages < most:
        return some
    if len(some.items) <= request.limit:
        return find(conn, target, request)
    # Other matches can only come before the last of these.
    files = store.files_up_to(conn, target, some.items[-1].path)
    return some._replace(items=find(conn, target, request, None, files or None).items)


def _shown(conn: Connection, target: Target, request: TextRequest, kept: Sequence[FoundLine]) -> list[TextMatch]:
    matches = [TextMatch(line.path, line.line, line.column, shown_part(line.text, line.column)) for line in kept]
    if request.scope:
        around = store.definitions_around(conn, target, [(line.file_id, line.line) for line in kept])
        matches = [
            replace(match, scope=TextScope.of(*scope) if scope else None)
            for match, scope in zip(matches, around, strict=True)
        ]
    if not request.context:
        return matches
    ranges = [(line.file_id, max(1, line.line - request.context), line.line + request.context) for line in kept]
    texts = lines_of(conn, target, ranges)
    return [
        replace(match, before=before, after=after)
        for match, (before, after) in zip(
            matches,
            [_neighbours(texts[key], key, line.line) for key, line in zip(ranges, kept, strict=True)],
            strict=True,
        )
    ]


def _neighbours(
    chunks: Sequence[tuple[int, str]], wanted: tuple[int, int, int], line: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of the range before and after one."""
    _, first, last = wanted
    by_number: dict[int, str] = {}
    for start, content in chunks:
        for number, text in enumerate(content.removesuffix("\n").split("\n"), start=start):
            by_number[number] = shown_part(by_number.get(number, "") + text, 1)
    before = tuple(by_number[number] for number in range(first, line) if number in by_number)
    return before, tuple(by_number[number] for number in range(line + 1, last + 1) if number in by_number)
