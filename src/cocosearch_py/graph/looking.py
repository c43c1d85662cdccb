"""Finds uses of definitions by name, and binds them by imports and scopes: what reports about them are made of."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cocosearch_py.analysis.words import name_key
from cocosearch_py.graph.binding import NOWHERE, Binder, Bound, keeps_imports, links
from cocosearch_py.graph.inheritance import bases_of_heirs
from cocosearch_py.graph.kept import IndexFacts
from cocosearch_py.graph.spelling import SELVES, locals_of, module_parts, packages_above
from cocosearch_py.languages import LANGUAGES, family_of
from cocosearch_py.model.definitions import DefinitionRequest, NamedSymbol
from cocosearch_py.model.references import DEFAULT_EXPORT, WILDCARD
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import (
    OUTSIDE,
    Defined,
    Imported,
    KnownFile,
    OfMembers,
    Unnamed,
    Use,
    Written,
)
from cocosearch_py.storage.queries.symbols import Wanted, rank_definitions
from cocosearch_py.storage.queries.target import Target

_MOST_USES = 20_000  # of one name, those of a file spelled alike as one; more say nothing about any definition
_MOST_DEFINITIONS = 200
_MOST_FOLLOWED = 100  # functions at each further step
_HOPS = 8
FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro", "test"})


@dataclass(slots=True)
class Found:
    """A use, or an import of the name, and what it means; with `uses`, as many as these are."""

    file_id: int
    line: int
    column: int
    kind: str
    name: str
    qualifier: str
    symbol_no: int | None
    bound: Bound
    distance: int = 1
    uses: Use | None = None
    receiver: str = ""

    @property
    def times(self) -> int:
        return 1 if self.uses is None else self.uses.times


def _found(use: Use, name: str, bound: Bound, uses: Use | None = None) -> Found:
    number = use.symbol_no
    return Found(use.file_id, use.line, use.column, use.kind, name, use.qualifier, number, bound, 1, uses, use.receiver)


@dataclass(slots=True)
class Further:
    """The steps behind the first one.

    Attributes:
        followed: definitions whose calls were looked for.
        unsure: calls by name only, which are not followed.
        left_out: definitions at one step beyond those that are followed.
    """

    followed: list[Defined] = field(default_factory=list)
    unsure: int = 0
    left_out: int = 0


@dataclass(slots=True)
class Looked:
    """What one request has found so far."""

    conn: Connection
    facts: IndexFacts
    wanted: list[Defined]
    others: list[Defined]
    names: list[str]
    files: dict[int, KnownFile] = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)
    is_cut: bool = False
    is_renamed: bool = False  # it has names that were not looked for
    further: Further = field(default_factory=Further)

    @property
    def everywhere(self) -> Target:
        """The whole index."""
        return self.facts.target


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
    every = _named(conn, target, names)
    wanted = [one for one in every if (one.file_id, one.symbol_no) in meant]
    wanted.sort(key=lambda one: meant[one.file_id, one.symbol_no])
    return wanted, [one for one in every if (one.file_id, one.symbol_no) not in meant], names


def _named(conn: Connection, target: Target, names: Collection[str]) -> list[Defined]:
    return store.definitions_named(conn, target, names, {name_key(name) for name in names})


def look(looked: Looked, target: Target, request: UsageRequest, *, by_definition: bool = False) -> None:
    """Find the direct uses, those in a file that mean the same as one; `by_definition`: in a definition."""
    names = set(looked.names)
    imports = store.imports_named(looked.conn, target, names, _MOST_USES)
    aliases = {one.alias for one in imports if one.alias} - names
    passed_on = store.imports_named(looked.conn, target, aliases, _MOST_USES) if aliases else []
    kinds = [kind for kind in request.kinds if kind not in ("import", "definition")]
    uses = _uses(looked, target, [*names, *aliases], kinds, by_definition=by_definition)
    by_alias = {(one.file_id, one.alias or one.name): one for one in (*passed_on, *imports) if one.alias not in names}
    binder = _binder(looked, uses, (*imports, *passed_on), [*names, *aliases])
    for use in uses:
        bound = _meaning(binder, use, names, by_alias)
        if bound is not None:
            name = use.name if bound.definition is None else bound.definition.name
            looked.found.append(_found(use, name, bound, use))
    if "import" in request.kinds:
        for one in (*imports, *passed_on):
            bound = binder.bind_import(one, one.name or "")
            if bound is not None and (one.name in names or bound.definition is not None):
                looked.is_renamed |= one.alias is not None and one.alias not in names | aliases
                looked.found.append(Found(one.file_id, one.line, 1, "import", one.name or "", one.module, None, bound))


def _meaning(
    binder: Binder, use: Use, names: Collection[str], by_alias: Mapping[tuple[int, str | None], Imported]
) -> Bound | None:
    """What a use means, be it under a name that an import gives; such a one is none if all that is known is a name."""
    if use.name in names:
        return binder.bind(use)
    if use.qualifier:
        bound = binder.bind(use)
        return None if bound is None or bound.definition is None else bound
    one = by_alias.get((use.file_id, use.name))
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


def _binder(looked: Looked, uses: Sequence[Use], named: Sequence[Imported], names: Collection[str]) -> Binder:
    """All that is needed to bind uses: imports of their files, and of those through which names are passed on."""
    of_uses = {use.file_id for use in uses} | {one.file_id for one in named}
    imports: dict[int, list[Imported]] = defaultdict(list)
    passed_on = {*names, *(one.owner for one in (*looked.wanted, *looked.others) if one.owner)}
    bare = {use.file_id for use in uses if not use.qualifier}
    asked = _follow_imports(looked, imports, of_uses, locals_of(uses, names), passed_on, bare)
    know(looked, asked | {one.file_id for one in looked.wanted})
    whole = [one for file, found in imports.items() if file in of_uses for one in found if one.name is None]
    above = {id_ for one in whole for levels in range(1, len(module_parts(one)))
             for id_ in packages_above(looked.files, one.targets, levels)}  # fmt: skip
    if above - asked:
        know(looked, _follow_imports(looked, imports, above - asked, passed_on, passed_on))
    own = {use.name for use in uses if use.qualifier in SELVES or use.receiver}
    members = [one for one in (*looked.wanted, *looked.others) if one.nested and one.name in own and one.owner]
    bases = bases_of_heirs(looked.conn, looked.facts, dict.fromkeys(one.owner for one in members))
    return Binder(looked.wanted, looked.others, looked.files, imports, bases)


def _follow_imports(
    looked: Looked,
    imports: dict[int, list[Imported]],
    files: Collection[int],
    locals_: Collection[str],
    passed_on: Collection[str],
    bare: Collection[int] = (),
) -> set[int]:
    """Add the imports of files under some local names, and of those that they lead to; gives all these files."""
    left, first, wanted_names = set(files), set(files), set(locals_)
    asked, ends = set(imports), set[int]()
    includes = any(links(one.language_id) for one in looked.wanted)
    know(looked, left)
    loaded = _imports_of_uses(looked, left, wanted_names, bare) if left else []
    for _ in range(_HOPS):
        asked |= left
        leading: tuple[set[int], set[int]] = set(), set()  # on, and to an end
        for one in loaded:
            imports[one.file_id].append(one)
            if includes or one.name is not None or one.file_id in first:
                leading[keeps_imports(looked.files[one.file_id].language_id)].update(one.targets)
        left = leading[False] - asked - {NOWHERE}
        ends |= leading[True]
        wanted_names = {*passed_on, *(one.name for one in loaded if one.name not in (None, WILDCARD, DEFAULT_EXPORT))}
        know(looked, left)
        loaded = store.imports_of_files(looked.conn, looked.everywhere, left, wanted_names) if left else []
    return (asked | left | ends) - {NOWHERE}


def _imports_of_uses(
    looked: Looked, files: Collection[int], locals_: Collection[str], bare: Collection[int]
) -> list[Imported]:
    """The imports of files that say something about uses in them, in those of `bare` with nothing before the name.

    Where imports cannot be passed on, those without a name matter only if they lead to a file that defines one.
    """
    languages = {file: looked.files[file].language_id for file in files if file in looked.files}
    open_ = [file for file, language in languages.items() if not keeps_imports(language)]
    includes = any(links(one.language_id) for one in looked.wanted)
    bringing = [file for file in open_ if includes or _brings_all(languages[file])]
    keeping = set(bare).difference(open_)
    defining = {one.file_id for one in (*looked.wanted, *looked.others)} if keeping else ()
    unnamed = Unnamed(open_, bringing, keeping, defining)
    return store.imports_of_uses(looked.conn, looked.everywhere, files, locals_, unnamed)


def _brings_all(language_id: str) -> bool:
    """Whether the import of a whole module gives a file of this language all names of that."""
    language = LANGUAGES.get(language_id)
    return language is not None and language.imports_bring_all


def know(looked: Looked, ids: Iterable[int]) -> None:
    """Learn of files what is not known of them yet."""
    if missing := set(ids).difference(looked.files):
        looked.files |= looked.facts.files(looked.conn, missing)


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
    """The same with nothing found yet, for uses of these definitions."""
    names = sorted({one.name for one in definitions})
    every = _named(looked.conn, looked.everywhere, names)
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
    names = sorted(own | {one.name for one in imports if one.alias in own and one.name})
    every = _named(looked.conn, looked.everywhere, names) if names else []
    used = replace(looked, wanted=every, others=[], names=names)
    binder = _binder(used, uses, (), names)
    for use in uses:
        bound = binder.bind(use) or Bound("name_only", None)  # what a library defines is used all the same
        looked.found.append(_found(use, use.name, bound))
    return every
