"""Functions that return a type, and functions that accept it, by their signatures."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cocosearch_py.features.references.queries import Signature, find_signatures
from cocosearch_py.features.references.signatures import read_head
from cocosearch_py.features.references.tools import Role, TypeUser
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.texts import lines_of
from cocosearch_py.tools.index import Items

_FUNCTIONS = ("function", "method", "constructor", "macro", "test")
_FIELDS = ("field", "property")
_HEAD_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRequest:
    """Functions that return or accept a type.

    Attributes:
        name: of the type, without its owner.
        paths: files or folders as the index holds them; "" is all.
        with_fields: fields count as consumers.
        limit: maximum number of each role.
    """

    name: str
    paths: tuple[str, ...] = ("",)
    with_fields: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow(Items[TypeUser]):
    """Producers, then consumers of a type; of each role tests last, then by path and line.

    Attributes:
        unlisted: number of those beyond the limit, by role.
    """

    unlisted: Mapping[Role, int]

    def of_role(self, role: Role) -> tuple[TypeUser, ...]:
        """Return the items of a role."""
        return tuple(item for item in self.items if item.role == role)

    def count(self, role: Role) -> int:
        """Return the number of all of a role, those beyond the limit included."""
        return self.unlisted[role] + len(self.of_role(role))


def find_flow(request: FlowRequest, record: IndexRecord, conn: Connection) -> Flow:
    """Find the producers and consumers of a type."""
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    kinds = (*_FUNCTIONS, *_FIELDS) if request.with_fields else _FUNCTIONS
    signatures = find_signatures(conn, target, request.name, kinds, request.paths)
    whole = _whole(conn, target, [one for one in signatures if one.symbol.kind in _FUNCTIONS])
    word = re.compile(rf"(?<!\w){re.escape(request.name)}(?!\w)")
    users: dict[Role, list[Signature]] = {"producer": [], "consumer": []}
    for one in signatures:
        symbol = one.symbol
        if symbol.kind in _FIELDS:
            if word.search(symbol.signature.replace(symbol.name, " ", 1)):
                users["consumer"].append(one)
            continue
        head = read_head(whole.get((one.file_id, symbol.start_line, symbol.name), symbol.signature), symbol.name)
        if word.search(head.returned):
            users["producer"].append(one)
        if word.search(head.accepted):
            users["consumer"].append(one)
    shown = [(role, one) for role, of_role in users.items() for one in of_role[: request.limit]]
    return Flow(
        items=tuple(_user(one, role) for role, one in shown),
        total=sum(map(len, users.values())),
        versions={one.path: one.version for _, one in shown},
        unlisted={role: max(0, len(of_role) - request.limit) for role, of_role in users.items()},
    )


def _whole(conn: Connection, target: Target, signatures: Sequence[Signature]) -> dict[tuple[int, int, str], str]:
    """Return the first lines of definitions whose signature is cut."""
    ranges = {
        (file_id, symbol.start_line, symbol.name): (
            file_id,
            symbol.start_line,
            min(symbol.end_line, symbol.start_line + _HEAD_LINES),
        )
        for file_id, _, symbol, _ in signatures
        if "…" in symbol.signature
    }
    if not ranges:
        return {}
    chunks = lines_of(conn, target, list(dict.fromkeys(ranges.values())))
    texts = {}
    for key, (file_id, first, last) in ranges.items():
        lines: dict[int, str] = {}
        for start, content in chunks.get((file_id, first, last), []):
            for number, line in enumerate(content.split("\n"), start=start):
                lines[number] = lines.get(number, "") + line
        texts[key] = "\n".join(lines.get(number, "") for number in range(first, last + 1))
    return texts


def _user(one: Signature, role: Role) -> TypeUser:
    symbol = one.symbol
    return TypeUser(
        file=one.path,
        name=symbol.qualified_name,
        kind=symbol.kind,
        signature=symbol.signature,
        line=symbol.start_line,
        role=role,
    )
