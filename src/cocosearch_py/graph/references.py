"""Uses of a definition, or by it: found by name, bound by imports and scopes, the surest first."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from cocosearch_py.analysis.words import name_key
from cocosearch_py.graph.binding import (
    NOWHERE,
    SELVES,
    Binder,
    Bound,
    family_of,
    keeps_imports,
    links,
    locals_of,
    module_parts,
    packages_above,
)
from cocosearch_py.graph.completeness import Outcome, judge
from cocosearch_py.graph.inheritance import bases_of_heirs
from cocosearch_py.graph.kept import IndexFacts
from cocosearch_py.model.definitions import DefinitionRequest, NamedSymbol
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.references import DEFAULT_EXPORT, WILDCARD
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.usages import CONFIDENCES, Confidence, Place, Usage, UsageReport, UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Defined, Imported, KnownFile, Use
from cocosearch_py.storage.queries.symbols import Wanted, find_definitions
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.texts import lines_of

MOST_USES = 20_000  # of one name that are looked at; more say nothing about any of its definitions
_MOST_DEFINITIONS = 200
_MOST_COMPARED = 5_000  # uses whose files are compared with the disk
_MOST_FOLLOWED = 100  # functions at each further step
_HOPS = 8
_TEXT_CHARS = 200
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro", "test"})


@dataclass(slots=True)
class _Found:
    """A use, or an import of the name, and what it means."""

    file_id: int
    line: int
    column: int
    kind: str
    name: str
    qualifier: str
    symbol_no: int | None
    bound: Bound
    distance: int = 1


def _found(use: Use, name: str, bound: Bound) -> _Found:
    return _Found(use.file_id, use.line, use.column, use.kind, name, use.qualifier, use.symbol_no, bound)


@dataclass(slots=True)
class _Looked:
    """What one request has found so far."""

    conn: Connection
    everywhere: Target
    wanted: list[Defined]
    others: list[Defined]
    names: list[str]
    files: dict[int, KnownFile] = field(default_factory=dict)
    found: list[_Found] = field(default_factory=list)
    is_cut: bool = False
    is_renamed: bool = False  # it has names that were not looked for


def find_references(request: UsageRequest, record: IndexRecord, conn: Connection, facts: IndexFacts) -> UsageReport:
    """A page of uses of what a request names; see `UsageReport`."""
    everywhere = Target(record.index_id, record.chunk_count, SearchFilters())
    filtered = replace(everywhere, filters=request.filters)
    wanted, others, names = definitions_of(conn, everywhere, request.symbol)
    looked = _Looked(conn, everywhere, wanted, others, names)
    if request.callees:
        _look_inside(looked, request)
    else:
        _look(looked, filtered, request)
        _follow(looked, filtered, request)
    if "definition" in request.kinds and not request.callees:
        looked.found += [
            _Found(one.file_id, one.start_line, 1, "definition", one.name, "", None, Bound("resolved", one), 0)
            for one in wanted
        ]
    return _report(looked, request, facts)


def definitions_of(
    conn: Connection, target: Target, symbol: NamedSymbol
) -> tuple[list[Defined], list[Defined], list[str]]:
    """The definitions that a name means, those of other owners, and how they are spelled."""
    request = DefinitionRequest(symbol=symbol, limit=_MOST_DEFINITIONS)
    owners = [key for owner in symbol.owners if (key := name_key(owner))]
    keys = [name_key(symbol.spelled)]
    page = find_definitions(conn, target, request, Wanted(name_key(symbol.whole), keys[0], keys, owners, keys))
    exact = [one for one in page.definitions if one.name == symbol.spelled]
    chosen = exact or page.definitions
    names = list(dict.fromkeys(one.name for one in chosen)) or [symbol.spelled]
    meant = {(file_id_of(one.path), one.symbol_no): rank for rank, one in enumerate(chosen)}
    every = _named(conn, target, names)
    wanted = [one for one in every if (one.file_id, one.symbol_no) in meant]
    wanted.sort(key=lambda one: meant[one.file_id, one.symbol_no])
    return wanted, [one for one in every if (one.file_id, one.symbol_no) not in meant], names


def _named(conn: Connection, target: Target, names: Collection[str]) -> list[Defined]:
    return store.definitions_named(conn, target, names, {name_key(name) for name in names})


def _look(looked: _Looked, target: Target, request: UsageRequest) -> None:
    """Find the direct uses."""
    names = set(looked.names)
    imports = store.imports_named(looked.conn, target, names, MOST_USES)
    aliases = {one.alias for one in imports if one.alias} - names
    passed_on = store.imports_named(looked.conn, target, aliases, MOST_USES) if aliases else []
    kinds = [kind for kind in request.kinds if kind not in ("import", "definition")]
    uses = _uses(looked, target, [*names, *aliases], kinds)
    by_alias = {(one.file_id, one.alias or one.name): one for one in (*passed_on, *imports) if one.alias not in names}
    binder = _binder(looked, uses, (*imports, *passed_on), [*names, *aliases])
    meanings: dict[tuple[object, ...], Bound | None] = {}
    for use in uses:
        spelled = use.spelled
        if spelled not in meanings:
            meanings[spelled] = _meaning(binder, use, names, by_alias)
        if (bound := meanings[spelled]) is not None:
            looked.found.append(_found(use, use.name if bound.definition is None else bound.definition.name, bound))
    if "import" in request.kinds:
        for one in (*imports, *passed_on):
            bound = binder.bind_import(one, one.name or "")
            if bound is not None and (one.name in names or bound.definition is not None):
                looked.is_renamed |= one.alias is not None and one.alias not in names | aliases
                looked.found.append(_Found(one.file_id, one.line, 1, "import", one.name or "", one.module, None, bound))


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


def _uses(looked: _Looked, target: Target, names: Collection[str], kinds: Sequence[str]) -> list[Use]:
    selves = [*SELVES, ""] if any(one.nested for one in (*looked.wanted, *looked.others)) else []
    uses = store.uses_of(looked.conn, target, names, kinds, selves, MOST_USES) if kinds else []
    looked.is_cut |= len(uses) == MOST_USES
    return uses


def _binder(looked: _Looked, uses: Sequence[Use], named: Sequence[Imported], names: Collection[str]) -> Binder:
    """All that is needed to bind uses: imports of their files, and of those through which names are passed on."""
    of_uses = {use.file_id for use in uses} | {one.file_id for one in named}
    imports: dict[int, list[Imported]] = defaultdict(list)
    passed_on = {*names, *(one.owner for one in (*looked.wanted, *looked.others) if one.owner)}
    asked = _follow_imports(looked, imports, of_uses, locals_of(uses, names), passed_on)
    _know(looked, asked | {one.file_id for one in looked.wanted})
    whole = [(one, len(module_parts(one)) - 1) for file in of_uses for one in imports[file]]
    above = {id_ for one, most in whole for levels in range(1, most + 1)
             for id_ in packages_above(looked.files, one.targets, levels)}  # fmt: skip
    if above - asked:
        _know(looked, _follow_imports(looked, imports, above - asked, passed_on, passed_on))
    own = {use.name for use in uses if use.qualifier in SELVES or use.receiver}
    members = [one for one in (*looked.wanted, *looked.others) if one.nested and one.owner and one.name in own]
    bases = bases_of_heirs(looked.conn, looked.everywhere, dict.fromkeys(one.owner for one in members))
    return Binder(looked.wanted, looked.others, looked.files, imports, bases)


def _follow_imports(
    looked: _Looked,
    imports: dict[int, list[Imported]],
    files: Collection[int],
    locals_: Collection[str],
    passed_on: Collection[str],
) -> set[int]:
    """Add the imports of files under some local names, and of those that they lead to; gives all these files."""
    left, first, wanted_names = set(files), set(files), set(locals_)
    asked, ends = set(imports), set[int]()
    includes = any(links(one.language_id) for one in looked.wanted)
    for _ in range(_HOPS):
        loaded = store.imports_of_files(looked.conn, looked.everywhere, left, wanted_names) if left else []
        asked |= left
        _know(looked, left)
        leading: tuple[set[int], set[int]] = set(), set()  # on, and to an end
        for one in loaded:
            imports[one.file_id].append(one)
            if includes or one.name is not None or one.file_id in first:
                leading[keeps_imports(looked.files[one.file_id].language_id)].update(one.targets)
        left = leading[False] - asked - {NOWHERE}
        ends |= leading[True]
        wanted_names = {*passed_on, *(one.name for one in loaded if one.name not in (None, WILDCARD, DEFAULT_EXPORT))}
    return (asked | left | ends) - {NOWHERE}


def _know(looked: _Looked, ids: Iterable[int]) -> None:
    if missing := [one for one in set(ids) if one not in looked.files]:
        looked.files |= store.files_by_id(looked.conn, looked.everywhere, missing)


def _follow(looked: _Looked, target: Target, request: UsageRequest) -> None:
    """Find calls of the functions that the calls of the step before are in."""
    seen = {(one.file_id, one.symbol_no) for one in looked.wanted}
    step = [one for one in looked.found if one.kind == "call"]
    for distance in range(2, request.depth + 1):
        places = {(one.file_id, one.symbol_no) for one in step if one.symbol_no is not None and one.bound.definition}
        around = store.definitions_around(looked.conn, looked.everywhere, places - seen, looked.files)
        callers = [one for one in around.values() if one.kind in _FUNCTION_KINDS - {"test"}][:_MOST_FOLLOWED]
        if not callers:
            return
        seen |= {(one.file_id, one.symbol_no) for one in callers}
        deeper = _about(looked, callers)
        _look(deeper, target, replace(request, kinds=("call",)))
        looked.is_cut |= deeper.is_cut
        step = [one for one in deeper.found if one.bound.definition is not None]
        for one in step:
            one.distance = distance
        looked.found += step


def _about(looked: _Looked, definitions: Collection[Defined]) -> _Looked:
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
    )


def _look_inside(looked: _Looked, request: UsageRequest) -> list[Defined]:
    """Find what the definitions themselves use, and what that means; gives all definitions of the names."""
    kinds = [kind for kind in request.kinds if kind not in ("import", "definition")]
    uses = [
        use for one in looked.wanted for use in store.uses_inside(looked.conn, looked.everywhere, one, kinds, MOST_USES)
    ]
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


class CallSite(NamedTuple):
    """A call: the definition that it is in, the one that it means, as far as that is known, and the called name."""

    caller: Defined
    callee: Defined | None
    name: str
    line: int
    confidence: Confidence


class CallSites(NamedTuple):
    """Calls that were found; `is_cut` if there are more."""

    sites: list[CallSite]
    is_cut: bool


def calls_of(conn: Connection, everywhere: Target, definitions: Sequence[Defined]) -> CallSites:
    """Calls of definitions, in other definitions."""
    looked = _about(_Looked(conn, everywhere, [], [], []), definitions)
    _look(looked, everywhere, UsageRequest(symbol=NamedSymbol(""), kinds=("call",)))
    places = {(one.file_id, one.symbol_no) for one in looked.found if one.symbol_no is not None}
    around = store.definitions_around(conn, everywhere, places, looked.files)
    sites = [
        CallSite(caller, one.bound.definition, one.name, one.line, one.bound.confidence)
        for one in looked.found
        if (caller := around.get((one.file_id, one.symbol_no or 0))) is not None and one.symbol_no is not None
    ]
    return CallSites(sites, looked.is_cut)


def calls_inside(conn: Connection, everywhere: Target, definitions: Sequence[Defined]) -> CallSites:
    """What definitions call; of what only its name tells, the only function of that name is meant, if there is one."""
    looked = _Looked(conn, everywhere, list(definitions), [], [])
    every = _look_inside(looked, UsageRequest(symbol=NamedSymbol(""), kinds=("call",), callees=True))
    by_name: dict[str, list[Defined]] = defaultdict(list)
    for one in every:
        if one.kind in _FUNCTION_KINDS:
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


def _report(looked: _Looked, request: UsageRequest, facts: IndexFacts) -> UsageReport:
    _know(looked, (one.file_id for one in looked.found))
    if request.callees:
        looked.found = [one for one in looked.found if one.file_id in looked.files]
        ordered: Iterable[_Found] = looked.found
    else:
        ordered = _in_order(looked)
    page = list(islice(ordered, request.offset, request.offset + request.limit))
    places = {(one.file_id, one.symbol_no) for one in page if one.symbol_no is not None}
    around = store.definitions_around(looked.conn, looked.everywhere, places, looked.files)
    texts = _texts(looked, page)
    usages = tuple(
        _usage(
            one,
            looked.files,
            around.get((one.file_id, one.symbol_no or 0)) if one.symbol_no is not None else None,
            text,
        )
        for one, text in zip(page, texts, strict=True)
    )
    confidences = Counter(one.bound.confidence for one in looked.found)
    versions = _versions(looked, page)
    lines = ((one.file_id, one.line) for one in looked.found)
    imports = {(one.file_id, one.line) for one in looked.found if one.kind == "import"}
    outcome = Outcome(
        looked.wanted, looked.others, lines, confidences, looked.is_cut, imports, is_renamed=looked.is_renamed
    )
    return UsageReport(
        usages=usages,
        definitions=tuple(map(_place, looked.wanted)),
        kinds=dict(sorted(Counter(one.kind for one in looked.found).items())),
        confidences={one: confidences[one] for one in CONFIDENCES if confidences[one]},
        completeness=judge(looked.conn, facts, request, outcome),
        versions=versions,
    )


def _versions(looked: _Looked, page: Sequence[_Found]) -> dict[str, FileVersion]:
    """Files of the definitions and of the page; where none is asked for, of what is counted."""
    named = [*(one.file_id for one in looked.wanted), *(one.file_id for one in page or looked.found)]
    _know(looked, named[: len(looked.wanted)])
    return {looked.files[one].path: looked.files[one].version for one in named[:_MOST_COMPARED] if one in looked.files}


def _in_order(looked: _Looked) -> Iterator[_Found]:
    """The nearest and surest first, then by path and line; only as much is put in order as is taken."""
    parts: dict[tuple[int, Confidence, int], list[_Found]] = defaultdict(list)
    for one in looked.found:
        parts[one.distance, one.bound.confidence, one.file_id].append(one)

    def place(part: tuple[int, Confidence, int]) -> tuple[object, ...]:
        known = looked.files[part[2]]
        return (part[0], CONFIDENCES.index(part[1]), known.content_class == "tests", known.path)

    for part in sorted(parts, key=place):
        yield from sorted(parts[part], key=lambda one: (one.line, one.column))


def _usage(one: _Found, files: dict[int, KnownFile], around: Defined | None, text: str) -> Usage:
    return Usage(
        path=files[one.file_id].path,
        line=one.line,
        column=one.column,
        kind=one.kind,  # type: ignore[arg-type]  # the table has no other
        name=one.name,
        qualifier=one.qualifier,
        confidence=one.bound.confidence,
        around=None if around is None else _place(around),
        target=None if one.bound.definition is None else _place(one.bound.definition),
        text=text,
        distance=one.distance,
    )


def _place(one: Defined) -> Place:
    return Place(one.path, one.kind, one.qualified_name, one.start_line, one.end_line)


def _texts(looked: _Looked, page: Sequence[_Found]) -> list[str]:
    """The line of each use."""
    if not page:
        return []
    ranges = [(one.file_id, one.line, one.line) for one in page]
    chunks = lines_of(looked.conn, looked.everywhere, list(dict.fromkeys(ranges)))
    texts = []
    for key in ranges:
        parts = []
        for start, content in chunks.get(key, []):
            lines = content.split("\n")
            if 0 <= key[1] - start < len(lines):
                parts.append(lines[key[1] - start])
        texts.append("".join(parts).strip()[:_TEXT_CHARS])
    return texts
