"""Matches that may span lines, as `rg -U` finds them: files are searched whole, in order, until the page is full."""

import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from cocosearch_py.model.scopes import TextScope
from cocosearch_py.model.texts import TextCursor, TextMatch, TextReport, TextRequest
from cocosearch_py.search.line_excerpt import shown_part
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import spans as store
from cocosearch_py.storage.queries.lines import definitions_around
from cocosearch_py.storage.queries.spans import KnownText, Spans
from cocosearch_py.storage.queries.target import Target

_FIRST_FILES, _MOST_FILES = 32, 512  # that are asked whether they match at once; each time twice as many
_FILES_READ = 4  # whose matches are read at once
_ALL = 1_000_000_000
_MOST_LINES = 40  # of a match that are shown


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that match together: of one match, or of several that share lines. From 1, inclusive."""

    line: int
    column: int
    end_line: int


@dataclass(slots=True)
class _Limit:
    """When to give up, and whether that was done."""

    milliseconds: int
    until: float
    is_passed: bool = False

    def passes(self) -> bool:
        self.is_passed |= time.monotonic() > self.until
        return self.is_passed

    @property
    def told(self) -> str | None:
        why = f"stopped after {self.milliseconds} ms: use a longer literal, path_glob, language or timeout_ms"
        return why if self.is_passed else None


def search_over_lines(conn: Connection, target: Target, request: TextRequest) -> TextReport:
    """See `search_text`. What is behind the page is not looked for: numbers are then those of what was found."""
    limit = _Limit(request.timeout_ms, time.monotonic() + request.timeout_ms / 1000)
    files = store.candidates(conn, target, request.pattern, request.after)
    matching = _matching(conn, target, request, files, limit)
    if request.paths_only:
        return _paths(request, matching, limit)
    matches: list[TextMatch] = []
    file_count = block_count = 0
    while len(matches) <= request.limit and (some := list(islice(matching, _FILES_READ))):
        for one, content, blocks in _read(conn, target, request, some):
            file_count += bool(blocks)
            block_count += len(blocks)
            if not request.count_only:
                room = request.limit + 1 - len(matches)
                matches += _shown(conn, target, request, one, content, blocks[:room])
    kept = tuple(matches[: request.limit])
    shown = {match.path for match in kept}
    is_all = len(kept) == len(matches) and not limit.is_passed
    return TextReport(
        matches=kept,
        files_matched=file_count,
        total=block_count if is_all and request.after is None else None,
        at_least=block_count,
        versions={one.path: one.version for one in files if one.path in shown},
        next=None if is_all or not kept else TextCursor(kept[-1].path, kept[-1].line),
        incomplete=limit.told,
    )


def _paths(request: TextRequest, matching: Iterator[KnownText], limit: _Limit) -> TextReport:
    behind = request.after.path if request.after else ""
    found = list(islice((one for one in matching if one.path != behind), request.limit + 1))
    versions = {one.path: one.version for one in found[: request.limit]}
    more = TextCursor(found[request.limit - 1].path, 0) if len(found) > request.limit else None
    return TextReport(
        paths=tuple(versions), files_matched=len(found), next=more, versions=versions, incomplete=limit.told
    )


def _matching(
    conn: Connection, target: Target, request: TextRequest, files: Sequence[KnownText], limit: _Limit
) -> Iterator[KnownText]:
    """The files that match, in order, as far as there is time."""
    at, size = 0, _FIRST_FILES
    while at < len(files) and not limit.passes():
        batch = {one.file_id: one for one in files[at : at + size]}
        for one in store.matching(conn, target, request.pattern, list(batch)):
            if limit.passes():
                return
            yield batch[one]
        at, size = at + size, min(2 * size, _MOST_FILES)


def _read(
    conn: Connection, target: Target, request: TextRequest, files: Sequence[KnownText]
) -> Iterator[tuple[KnownText, str, list[_Block]]]:
    """The files with their text and what matches behind the page before: all of that, or more than a page."""
    most = _ALL if request.count_only else 2 * request.limit
    read = store.spans_of(conn, target, request.pattern, [one.file_id for one in files], most)
    for one in files:
        found = read[one.file_id]
        blocks = [block for block in blocks_of(found) if not _is_seen(request, one, block)]
        if len(found.first) == most and len(blocks) <= request.limit:
            found = store.spans_of(conn, target, request.pattern, [one.file_id], _ALL)[one.file_id]
            blocks = [block for block in blocks_of(found) if not _is_seen(request, one, block)]
        yield one, found.content, blocks


def _is_seen(request: TextRequest, one: KnownText, block: _Block) -> bool:
    """Whether a page before has shown it."""
    return request.after is not None and one.path == request.after.path and block.line <= request.after.line


def blocks_of(found: Spans) -> list[_Block]:
    """The lines of all matches of a file."""
    content = found.content
    ends = [at for at, character in enumerate(content) if character == "\n"]
    blocks: list[_Block] = []
    for first, after in zip(found.first, found.after, strict=True):
        start = first - 1
        if start == len(content) and (not content or content.endswith("\n")):
            continue  # behind the last line end is no line
        line = bisect_left(ends, start)
        last = bisect_left(ends, max(start, after - 2))
        if blocks and line + 1 <= blocks[-1].end_line:
            blocks[-1] = replace(blocks[-1], end_line=max(blocks[-1].end_line, last + 1))
        else:
            column = start - (ends[line - 1] + 1 if line else 0) + 1
            blocks.append(_Block(line + 1, column, last + 1))
    return blocks


def _shown(
    conn: Connection, target: Target, request: TextRequest, one: KnownText, content: str, blocks: Sequence[_Block]
) -> Iterator[TextMatch]:
    lines = content.removesuffix("\n").split("\n")
    scopes = definitions_around(conn, target, [(one.file_id, block.line) for block in blocks]) if request.scope else []
    for number, block in enumerate(blocks):
        first, *others = lines[block.line - 1 : block.end_line]
        texts = chain([shown_part(first, block.column)], (shown_part(line, 1) for line in others[: _MOST_LINES - 1]))
        scope = scopes[number] if scopes else None
        before = lines[max(0, block.line - 1 - request.context) : block.line - 1]
        behind = lines[block.end_line : block.end_line + request.context]
        yield TextMatch(
            one.path,
            block.line,
            block.column,
            "\n".join(texts) + ("\n…" if len(others) >= _MOST_LINES else ""),
            scope=TextScope.of(*scope) if scope else None,
            before=tuple(shown_part(line, 1) for line in before),
            after=tuple(shown_part(line, 1) for line in behind),
            end_line=block.end_line,
        )
