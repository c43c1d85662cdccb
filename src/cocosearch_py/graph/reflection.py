"""Which definitions names that code makes at run time can be of."""

from collections.abc import Sequence

from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.computed import MOST_PLACES, Alike
from cocosearch_py.graph.inheritance import heirs_of
from cocosearch_py.languages import family_of
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.references import Defined

_MOST_NAMED = MOST_PLACES - 1


def reaching(conn: Connection, facts: IndexFacts, wanted: Sequence[Defined]) -> list[Alike]:
    """The names made at run time that may be of one of these definitions."""
    named = [one for one in facts.computed(conn) if any(_may_mean(one, definition) for definition in wanted)]
    owners = {one.owner for one in wanted if one.owner}
    if not owners or not any(one.inside for one in named):
        return named
    below = heirs_of(conn, facts, owners)
    related = {
        inside: below is None or not below.isdisjoint(heirs_of(conn, facts, inside.split(".")) or below)
        for inside in {one.inside for one in named if one.inside}
    }
    return [one for one in named if related.get(one.inside, True)]


def _may_mean(one: Alike, definition: Defined) -> bool:
    is_member = definition.nested or bool(definition.owner)
    if one.family != family_of(definition.language_id) or one.scope == ("modules" if is_member else "members"):
        return False
    name = definition.name.casefold()
    is_mangled = name.startswith("__")  # Python: `_Class__name`
    is_long = len(name) >= len(one.head) + len(one.tail)
    return is_mangled or (is_long and name.startswith(one.head) and name.endswith(one.tail))


def tell(found: Sequence[Alike]) -> str:
    """Where these names are made, in words."""
    count = sum(one.times for one in found)
    places = sorted(place for one in found for place in one.first)
    named = ", ".join(f"{path}:{line}" for path, line in places[:_MOST_NAMED])
    where = "1 place looks" if count == 1 else f"{count:,} places look"
    more = ", …" if len(places) > _MOST_NAMED else ""
    return f"{where} a name up at run time, which may be this one: {named}{more}"
