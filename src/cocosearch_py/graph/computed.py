"""Names that code makes at run time, as far as the same definitions can be meant."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from cocosearch_py.graph.qualifiers import SELVES, is_named, parts_of
from cocosearch_py.languages import LANGUAGES, family_of
from cocosearch_py.model.references import COMPUTED
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Computed, Imported
from cocosearch_py.storage.queries.target import Target

_MODULES = frozenset({"globals", "locals", "vars", "dir"})  # Python: what is in a module, but for `vars(x)`
MOST_PLACES = 4  # that are kept of those alike

Scope = Literal["members", "modules", "any"]


class Alike(NamedTuple):
    """Names made at run time of which the same definitions can be.

    Attributes:
        family: see `Language`.
        scope: `members` of classes, what is in `modules`, or any.
        inside: the class whose members, or those of a related one, they are of; else empty.
        head, tail: what is written of the name, in lower case.
        times: how many there are.
        first: (path, line) of the first ones.
    """

    family: str
    scope: Scope
    inside: str
    head: str
    tail: str
    times: int
    first: tuple[tuple[str, int], ...]


def computed_names(conn: Connection, target: Target) -> list[Alike]:
    """Where names are made at run time, but for those that are looked up in what a library is."""
    every = store.computed(conn, target, SELVES)
    firsts = {parts[0] for one in every if (parts := parts_of(one.qualifier))}
    files = {one.file_id for one in every}
    imports: dict[int, list[Imported]] = defaultdict(list)
    for one in store.imports_of_files(conn, target, files, firsts) if files else ():
        imports[one.file_id].append(one)
    alike: dict[tuple[str, Scope, str, str], list[Computed]] = defaultdict(list)
    for computed in every:
        if not _is_foreign(computed, imports[computed.file_id]):
            key = family_of(computed.language_id), _scope(computed), computed.inside, computed.pattern.casefold()
            alike[key].append(computed)
    return [
        Alike(family, scope, inside, *_ends(pattern), sum(one.times for one in found), _places(found))
        for (family, scope, inside, pattern), found in alike.items()
    ]


def _is_foreign(one: Computed, imports: Iterable[Imported]) -> bool:
    """Whether a name is looked up in something that is imported from outside of the index."""
    parts = parts_of(one.qualifier)
    if not parts or not one.qualifier.isidentifier():
        return False
    named = [imported for imported in imports if is_named(imported, one.qualifier, parts)]
    return bool(named) and not any(imported.targets for imported in named)


def _scope(one: Computed) -> Scope:
    language = LANGUAGES.get(one.language_id)
    if one.qualifier in SELVES or (language is not None and language.reflects_members_only):
        return "members"
    return "modules" if one.qualifier in _MODULES else "any"


def _ends(pattern: str) -> tuple[str, str]:
    head, _, tail = pattern.partition(COMPUTED)
    return head, tail


def _places(found: Sequence[Computed]) -> tuple[tuple[str, int], ...]:
    return tuple((one.path, one.line) for one in found[:MOST_PLACES])
