"""Calls of definitions, and in them, each with what it is in and what it means."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.context import Looked
from cocosearch_py.graph.resolve import FUNCTION_KINDS, about, look, look_inside
from cocosearch_py.languages import family_of
from cocosearch_py.model.completeness import Confidence
from cocosearch_py.model.definitions import NamedSymbol
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Defined


class CallSite(NamedTuple):
    """A call: the definition that it is in, the one that it means, as far as that is known, and the called name.

    Several that are alike are one, with the line of the first.
    """

    caller: Defined
    callee: Defined | None
    name: str
    line: int
    confidence: Confidence
    times: int = 1


class CallSites(NamedTuple):
    """Calls that were found; `is_cut` if there are more."""

    sites: list[CallSite]
    is_cut: bool


def calls_of(conn: Connection, facts: IndexFacts, definitions: Sequence[Defined]) -> CallSites:
    """Calls of definitions, in other definitions."""
    looked = about(Looked(conn, facts, [], [], []), definitions)
    look(looked, facts.target, UsageRequest(symbol=NamedSymbol(""), kinds=("call",)), by_definition=True)
    places = {(one.file_id, one.symbol_no) for one in looked.found if one.symbol_no is not None}
    around = store.definitions_around(conn, facts.target, places, looked.files)
    sites = [
        CallSite(caller, one.bound.definition, one.name, one.line, one.bound.confidence, one.times)
        for one in looked.found
        if (caller := around.get((one.file_id, one.symbol_no or 0))) is not None and one.symbol_no is not None
    ]
    return CallSites(sites, looked.is_cut)


def calls_inside(conn: Connection, facts: IndexFacts, definitions: Sequence[Defined]) -> CallSites:
    """Return the calls in definitions; a name alone means the only function of that name, if there is just one."""
    looked = Looked(conn, facts, list(definitions), [], [])
    every = look_inside(looked, UsageRequest(symbol=NamedSymbol(""), kinds=("call",), callees=True))
    by_name: dict[str, list[Defined]] = defaultdict(list)
    for one in every:
        if one.kind in FUNCTION_KINDS:
            by_name[one.name].append(one)
    sites = []
    for found in looked.found:
        here = [
            one for one in definitions if one.file_id == found.file_id and one.start_line <= found.line <= one.end_line
        ]
        if not here:
            continue
        caller, callee = max(here, key=lambda one: (one.start_line, one.symbol_no)), found.bound.definition
        alike = [one for one in by_name[found.name] if family_of(one.language_id) == family_of(caller.language_id)]
        if callee is None and len(alike) == 1:
            callee = alike[0]
        sites.append(CallSite(caller, callee, found.name, found.line, found.bound.confidence))
    return CallSites(sites, looked.is_cut)
