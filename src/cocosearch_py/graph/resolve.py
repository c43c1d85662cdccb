"""Finds uses of definitions by name, and binds them by imports and scopes: what reports about them are made of."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from cocosearch_py.analysis.words import name_key
from cocosearch_py.graph.binding import Binder, Bound
from cocosearch_py.graph.context import Found, Further, Looked, binder_for, know, named
from cocosearch_py.graph.exports import names_behind, renaming_imports
from cocosearch_py.graph.qualifiers import SELVES, locals_of
from cocosearch_py.graph.type_inference import as_seen
from cocosearch_py.languages import family_of
from cocosearch_py.model.definitions import DefinitionRequest, NamedSymbol
from cocosearch_py.model.references import DEFAULT_EXPORT
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import OUTSIDE, Defined, Imported, OfMembers, Use, Written
from cocosearch_py.storage.queries.symbols import Wanted, rank_definitions
from cocosearch_py.storage.queries.target import Target

_MOST_USES = 20_000  # of one name, those of a file spelled alike as one; more say nothing about any definition
_MOST_DEFINITIONS = 200
_MOST_FOLLOWED = 100  # functions at each further step
FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro", "test"})


def _found(use: Use, seen: Use, name: str, bound: Bound, uses: Use | None = None) -> Found:
    number, told = use.symbol_no, seen.receiver
    return Found(use.file_id, use.line, use.column, use.kind, name, use.qualifier, number, bound, 1, uses, told)


def definitions_of(
    conn: Connection, target: Target, symbol: NamedSymbol
) -> tuple[list[Defined], list[Defined], list[str]]:
    """The definitions that a name means, those of other owners, and how they are spelled."""
    request = DefinitionRequest(symbol=symbol, limit=_MOST_DEFINITIONS)
    owners = [key for owner in symbol.owners if (key := name_key(owner))]
    keys = [name_key(symbol.spelled)]
    found = rank_definitions(conn, target, request, Wanted(name_key(symbol.whole), keys[0], keys, owners, keys))
    chosen = [one for one in found if one[2] == symbol.spelled] or found
    names = list(dict.fromkeys(name for _, _, name in chosen)) or [symbol.spelled]
    meant = {(file_id, symbol_no): rank for rank, (file_id, symbol_no, _) in enumerate(chosen)}
    every = named(conn, target, names)
    wanted = [one for one in every if (one.file_id, one.symbol_no) in meant]
    wanted.sort(key=lambda one: meant[one.file_id, one.symbol_no])
    return wanted, [one for one in every if (one.file_id, one.symbol_no) not in meant], names


def look(looked: Looked, target: Target, request: UsageRequest, *, by_definition: bool = False) -> None:
    """Find the direct uses, those in a file that mean the same as one; `by_definition`: in a definition."""
    names = set(looked.names)
    by_name = store.imports_named(looked.conn, target, names, _MOST_USES)
    imports = list(dict.fromkeys((*by_name, *renaming_imports(looked, target, _MOST_USES))))
    aliases = {local for one in imports if (local := one.alias or one.name)} - names
    passed_on = store.imports_named(looked.conn, target, aliases, _MOST_USES) if aliases else []
    every = list(dict.fromkeys((*imports, *passed_on)))
    kinds = [kind for kind in request.kinds if kind not in ("import", "definition")]
    uses = _apart(looked, _uses(looked, target, [*names, *aliases], kinds, by_definition=by_definition))
    by_alias = defaultdict[tuple[int, str | None], list[Imported]](list)
    for brought in every:
        if brought.alias not in names:
            by_alias[brought.file_id, brought.alias or brought.name].append(brought)
    seen = as_seen(looked, uses)
    both = [*uses, *(one for one, use in zip(seen, uses, strict=True) if one is not use)]
    binder = binder_for(looked, both, every, [*names, *aliases])
    for use, one in zip(uses, seen, strict=True):
        bound = _meaning(binder, one, names, by_alias)
        if one is not use and (bound is None or bound.definition is None):
            bound = _meaning(binder, use._replace(receiver=""), names, by_alias)
        if bound is not None:
            name = use.name if bound.definition is None else bound.definition.name
            looked.found.append(_found(use, one, name, bound, use))
    if "import" in request.kinds:
        for brought in every:
            local = brought.alias or brought.name or ""
            bound = binder.bind_import(brought, local)
            if bound is not None and (brought.name in names or bound.definition is not None):
                looked.is_renamed |= brought.alias is not None and brought.alias not in names | aliases
                name = local if brought.name == DEFAULT_EXPORT else brought.name or local
                what = brought.file_id, brought.line, 1, "import", name, brought.module, None
                looked.found.append(Found(*what, bound))


def _meaning(
    binder: Binder, use: Use, names: Collection[str], by_alias: Mapping[tuple[int, str | None], Sequence[Imported]]
) -> Bound | None:
    """Return the meaning of a use, also under a name that an import gives; None if only that name is known."""
    if use.name in names:
        return binder.bind(use)
    if use.qualifier:
        bound = binder.bind(use)
        return None if bound is None or bound.definition is None else bound
    one = next((one for one in by_alias.get((use.file_id, use.name), ()) if one.is_seen_at(use.line)), None)
    bound = None if one is None else binder.bind_import(one, use.name)
    is_known = bound is not None and one is not None and (one.name in names or bound.definition is not None)
    return bound if is_known else None


def _uses(
    looked: Looked, target: Target, names: Collection[str], kinds: Sequence[str], *, by_definition: bool
) -> list[Use]:
    owning = {one.file_id for one in (*looked.wanted, *looked.others) if one.nested}
    members = OfMembers(SELVES if owning else (), owning)
    if not kinds:
        return []
    uses = store.uses_of(looked.conn, target, names, kinds, members, _MOST_USES, by_definition=by_definition)
    looked.is_cut |= len(uses) == _MOST_USES
    know(looked, (use.file_id for use in uses))
    families = {family_of(one.language_id) for one in looked.wanted}
    if not families:
        return uses
    return [use for use in uses if family_of(looked.files[use.file_id].language_id) in families]


def _apart(looked: Looked, uses: list[Use]) -> list[Use]:
    """The uses, those of different functions apart where these may see different imports."""
    alike = [use for use in uses if use.times > 1 and use.told_no is None]
    files, locals_ = {use.file_id for use in alike}, locals_of(alike, {use.name for use in alike})
    conn, everywhere = looked.conn, looked.everywhere
    scoping = store.files_importing_in_functions(conn, everywhere, files, locals_) if alike else set()
    split = {use.written: use for use in alike if use.file_id in scoping}
    if not split:
        return uses
    parts: dict[tuple[Written, int], Use] = {}
    for place in store.places_of(conn, everywhere, split.values()):
        if (use := split.get(place.written)) is not None:
            number = OUTSIDE if place.symbol_no is None else place.symbol_no
            first = parts.get((place.written, number)) or use._replace(told_no=number, times=0, line=place.line)
            parts[place.written, number] = first._replace(times=first.times + 1)
    return [*(use for use in uses if use.written not in split), *parts.values()]


def single(looked: Looked, found: Iterable[Found]) -> list[Found]:
    """Each use by itself, those of a file in its order, and behind them what is no use."""
    apart: list[Found] = []
    together: dict[Written, dict[int, dict[int | None, Found]]] = defaultdict(lambda: defaultdict(dict))
    wanted = []
    for one in found:
        if one.uses is None:
            apart.append(one)
        else:
            together[one.uses.written][one.distance][one.uses.told_no] = one
            wanted.append(one.uses)
    singles = []
    for place in store.places_of(looked.conn, looked.everywhere, wanted) if wanted else ():
        number = OUTSIDE if place.symbol_no is None else place.symbol_no
        for alike in together.get(place.written, {}).values():
            if (group := alike.get(number) or alike.get(None)) is not None:
                _, line, column, around = place
                what = group.kind, group.name, group.qualifier
                one = Found(group.file_id, line, column, *what, around, group.bound, group.distance)
                one.receiver = group.receiver
                singles.append(one)
    return singles + apart


def follow(looked: Looked, target: Target, request: UsageRequest) -> None:
    """Find calls of the functions that the calls of the step before are in."""
    seen = {(one.file_id, one.symbol_no) for one in looked.wanted}
    step = [one for one in looked.found if one.kind == "call"]
    for distance in range(2, request.depth + 1):
        places = {(one.file_id, one.symbol_no) for one in step if one.symbol_no is not None and one.bound.definition}
        around = store.definitions_around(looked.conn, looked.everywhere, places - seen, looked.files)
        every = [one for one in around.values() if one.kind in FUNCTION_KINDS - {"test"}]
        if not every:
            return
        callers = every[:_MOST_FOLLOWED]
        looked.further.followed += callers
        looked.further.left_out += len(every) - len(callers)
        seen |= {(one.file_id, one.symbol_no) for one in callers}
        deeper = about(looked, callers)
        look(deeper, target, replace(request, kinds=("call",)), by_definition=True)
        looked.is_cut |= deeper.is_cut
        looked.is_renamed |= deeper.is_renamed
        looked.further.unsure += sum(one.times for one in deeper.found if one.bound.definition is None)
        step = [one for one in deeper.found if one.bound.definition is not None]
        for one in step:
            one.distance = distance
        looked.found += step


def about(looked: Looked, definitions: Collection[Defined]) -> Looked:
    """Return a state without findings, for uses of these definitions."""
    names = sorted({one.name for one in definitions})
    every = named(looked.conn, looked.everywhere, names)
    mine = {(one.file_id, one.symbol_no) for one in definitions}
    return replace(
        looked,
        wanted=[one for one in every if (one.file_id, one.symbol_no) in mine],
        others=[one for one in every if (one.file_id, one.symbol_no) not in mine],
        names=names,
        found=[],
        further=Further(),
    )


def look_inside(looked: Looked, request: UsageRequest) -> list[Defined]:
    """Find what the definitions themselves use, and what that means; gives all definitions of the names."""
    kinds = [kind for kind in request.kinds if kind not in ("import", "definition")]
    conn, target = looked.conn, looked.everywhere
    uses = [use for one in looked.wanted for use in store.uses_inside(conn, target, one, kinds, _MOST_USES)]
    own = {use.name for use in uses}
    imports = store.imports_of_files(looked.conn, looked.everywhere, {use.file_id for use in uses}, own)
    names = sorted(own | names_behind(looked, imports, own))
    every = named(looked.conn, looked.everywhere, names) if names else []
    used = replace(looked, wanted=every, others=[], names=names)
    seen = as_seen(used, uses)
    binder = binder_for(used, [*uses, *(one for one, use in zip(seen, uses, strict=True) if one is not use)], (), names)
    for use, one in zip(uses, seen, strict=True):
        bound = binder.bind(one)
        if one is not use and (bound is None or bound.definition is None):
            bound = binder.bind(use._replace(receiver=""))
        # what a library defines is used all the same
        looked.found.append(_found(use, one, use.name, bound or Bound("name_only", None)))
    return every
