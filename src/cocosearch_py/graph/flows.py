"""Which functions return a type, and which accept it, by their signatures."""

import re
from collections.abc import Sequence

from cocosearch_py.graph.signatures import read_head
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
    whole = _whole(conn, target, [one for one in signed if one.symbol.kind in _FUNCTIONS])
    word = re.compile(rf"(?<!\w){re.escape(request.name)}(?!\w)")
    producers, consumers = [], []
    for one in signed:
        symbol = one.symbol
        if symbol.kind in _FIELDS:
            if word.search(symbol.signature.replace(symbol.name, " ", 1)):
                consumers.append(one)
            continue
        head = read_head(whole.get((one.file_id, symbol.start_line, symbol.name), symbol.signature), symbol.name)
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


def _whole(conn: Connection, target: Target, signed: Sequence[Signed]) -> dict[tuple[int, int, str], str]:
    """The first lines of definitions, for those whose signature is cut."""
    ranges = {
        (file_id, symbol.start_line, symbol.name): (
            file_id,
            symbol.start_line,
            min(symbol.end_line, symbol.start_line + _HEAD_LINES),
        )
        for file_id, _, symbol, _ in signed
        if "…" in symbol.signature
    }
    if not ranges:
        return {}
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
    symbol = one.symbol
    return TypeUser(one.path, symbol.qualified_name, symbol.kind, symbol.signature, symbol.start_line)
