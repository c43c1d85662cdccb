"""Which functions return a type, and which accept it, by their signatures."""

import re
from collections.abc import Sequence

from cocosearch_py.graph.heads import read_head
from cocosearch_py.model.flows import FlowReport, FlowRequest, TypeUser
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.flows import Signed, signed_with
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.texts import lines_of

_FUNCTIONS = ("function", "method", "constructor", "macro", "test")
_FIELDS = ("field", "property")
_HEAD_LINES = 40


def trace_type(request: FlowRequest, record: IndexRecord, conn: Connection) -> FlowReport:
    """The producers and consumers of a type; see `FlowReport`."""
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    kinds = (*_FUNCTIONS, *_FIELDS) if request.with_fields else _FUNCTIONS
    signed = signed_with(conn, target, request.name, kinds, request.paths)
    whole = _whole(conn, target, [one for one in signed if "…" in one.signature and one.kind in _FUNCTIONS])
    word = re.compile(rf"(?<!\w){re.escape(request.name)}(?!\w)")
    producers, consumers = [], []
    for one in signed:
        if one.kind in _FIELDS:
            if word.search(one.signature.replace(one.name, " ", 1)):
                consumers.append(one)
            continue
        head = read_head(whole.get((one.file_id, one.start_line, one.name), one.signature), one.name)
        if word.search(head.returned):
            producers.append(one)
        if word.search(head.accepted):
            consumers.append(one)
    shown = [*producers[: request.limit], *consumers[: request.limit]]
    return FlowReport(
        producers=tuple(map(_user, producers[: request.limit])),
        consumers=tuple(map(_user, consumers[: request.limit])),
        producers_count=len(producers),
        consumers_count=len(consumers),
        versions={one.path: one.version for one in shown},
    )


def _whole(conn: Connection, target: Target, cut: Sequence[Signed]) -> dict[tuple[int, int, str], str]:
    """The first lines of definitions, for those whose signature is cut."""
    if not cut:
        return {}
    ranges = {
        (one.file_id, one.start_line, one.name): (
            one.file_id,
            one.start_line,
            min(one.end_line, one.start_line + _HEAD_LINES),
        )
        for one in cut
    }
    chunks = lines_of(conn, target, list(dict.fromkeys(ranges.values())))
    found = {}
    for key, (file_id, first, last) in ranges.items():
        lines: dict[int, str] = {}
        for start, content in chunks.get((file_id, first, last), []):
            for number, line in enumerate(content.split("\n"), start=start):
                lines[number] = lines.get(number, "") + line
        found[key] = "\n".join(lines.get(number, "") for number in range(first, last + 1))
    return found


def _user(one: Signed) -> TypeUser:
    return TypeUser(one.path, one.qualified_name, one.kind, one.signature, one.start_line)
