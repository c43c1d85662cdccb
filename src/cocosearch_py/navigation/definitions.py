"""Definitions by name, by signature or by what their comments say, and what is like a name that nothing has."""

from dataclasses import replace

from cocosearch_py.analysis.words import name_key
from cocosearch_py.model.definitions import (
    Definition,
    DefinitionReport,
    DefinitionRequest,
    ExplainedDefinition,
    ExplainReport,
    NamedSymbol,
    Suggestion,
)
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.navigation.names import grams_of, keys_of, likest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import symbols as store
from cocosearch_py.storage.queries.relations import heirs_by_name, inherited_by_place
from cocosearch_py.storage.queries.symbols import Wanted
from cocosearch_py.storage.queries.target import Target

_MOST_COMPARED = 300  # names that share letters with one; the likest are among the first
_MOST_NEAREST = 5
MOST_HEIRS = 20
_MOST_OWNED = 200  # definitions of a name, when none has the owner that was asked for
_OTHER_CASE = 0.9  # score of a name in another style than it was asked for
_PART = 0.5  # least score of a name that holds what was asked for


def find_definitions(request: DefinitionRequest, record: IndexRecord, conn: Connection) -> DefinitionReport:
    """A page of the definitions that a request asks for; see `DefinitionReport`."""
    target = _target(record, request)
    wanted = _wanted(request.symbol)
    likeness: dict[str, float] = {}
    if request.match == "fuzzy" and request.part == "name":
        likeness = {name_key(name): value for name, value in _like(conn, target, request.symbol.spelled)}
        wanted = wanted._replace(keys=list(likeness))
    page = store.find_definitions(conn, target, request, wanted)
    scored = [replace(one, score=_score(one, request, wanted, likeness)) for one in page.definitions]
    return DefinitionReport(definitions=tuple(scored), total=page.total, versions=page.versions)


def explain(request: DefinitionRequest, record: IndexRecord, conn: Connection) -> ExplainReport:
    """Return definitions as `find_definitions` does, each with the definitions directly inside it."""
    found = find_definitions(request, record, conn)
    places = {(file_id_of(one.path), one.symbol_no): one for one in found.definitions}
    target = _target(record, request)
    members = store.members_of(conn, target, list(places))
    inherited = inherited_by_place(conn, target, list(places))
    heirs = heirs_by_name(conn, target, [one.name for one in places.values()], MOST_HEIRS)
    explained = [
        ExplainedDefinition(one, tuple(members[place]), tuple(inherited[place]), tuple(heirs[one.name]))
        for place, one in places.items()
    ]
    return ExplainReport(explained=tuple(explained), total=found.total, versions=found.versions)


def suggest(request: DefinitionRequest, record: IndexRecord, conn: Connection) -> Suggestion:
    """Return suggestions in place of a request for a name that found nothing."""
    whole = replace(request, filters=SearchFilters(), public_only=False, match="exact", limit=1, offset=0)
    target = _target(record, whole)
    wanted = _wanted(request.symbol)
    left_out = store.find_definitions(conn, target, whole, wanted).total if whole != request else 0
    if left_out:
        return Suggestion(left_out)
    if request.symbol.owners:
        unowned = replace(whole, limit=_MOST_OWNED)
        page = store.find_definitions(conn, target, unowned, wanted._replace(owners=()))
        if page.definitions:
            names = dict.fromkeys(one.qualified_name for one in page.definitions)
            nearest = [name for name, _ in likest(".".join((*request.symbol.owners, request.symbol.spelled)), names)]
            return Suggestion(0, tuple(dict.fromkeys([*nearest, *names]))[:_MOST_NEAREST])
    near = [name for name, _ in _like(conn, target, request.symbol.spelled)]
    return Suggestion(0, tuple(near[:_MOST_NEAREST]))


def _target(record: IndexRecord, request: DefinitionRequest) -> Target:
    return Target(record.index_id, record.chunk_count, replace(request.filters, symbol_types=()))


def _wanted(symbol: NamedSymbol) -> Wanted:
    owners = [key for owner in symbol.owners if (key := name_key(owner))]
    words = [key for word in symbol.spelled.split() if (key := name_key(word))]
    return Wanted(name_key(symbol.whole), name_key(symbol.spelled), keys_of(symbol), owners, words or [symbol.spelled])


def _like(conn: Connection, target: Target, name: str) -> list[tuple[str, float]]:
    key = name_key(name).replace(" ", "")
    if not key:
        return []
    return likest(name, store.names_sharing(conn, target, grams_of(key), len(key), _MOST_COMPARED))


def _score(one: Definition, request: DefinitionRequest, wanted: Wanted, likeness: dict[str, float]) -> float:
    if request.part != "name":
        return 1.0
    if one.name in (request.symbol.spelled, request.symbol.whole):
        return 1.0
    key = name_key(one.name)
    if key in likeness:
        return round(min(likeness[key], _OTHER_CASE), 2)
    if request.match == "exact":
        return _OTHER_CASE
    if request.match == "glob":
        return _PART
    return round(_PART + (_OTHER_CASE - _PART) * min(1.0, sum(map(len, wanted.words)) / max(1, len(key))), 2)
