"""State of a request about uses: its findings so far, and the files, imports and heirs needed to bind uses."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from cocosearch_py.analysis.words import name_key
from cocosearch_py.graph.binding import NOWHERE, Binder, Bound, keeps_imports, links
from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.inheritance import bases_of_heirs
from cocosearch_py.graph.qualifiers import SELVES, is_type_like, locals_of, module_parts, packages_above
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.model.references import DEFAULT_EXPORT, WILDCARD
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Defined, Imported, KnownFile, Unnamed, Use
from cocosearch_py.storage.queries.target import Target

_HOPS = 8
_KEPT_LANGUAGES = 1_000


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
    """Findings of one request so far."""

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


def named(conn: Connection, target: Target, names: Collection[str]) -> list[Defined]:
    return store.definitions_named(conn, target, names, {name_key(name) for name in names})


def binder_for(looked: Looked, uses: Sequence[Use], named: Sequence[Imported], names: Collection[str]) -> Binder:
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
    own = {use.name for use in uses if use.qualifier in SELVES or use.receiver or is_type_like(use.qualifier)}
    members = [one for one in (*looked.wanted, *looked.others) if one.nested and one.name in own and one.owner]
    bases = bases_of_heirs(looked.conn, looked.facts, dict.fromkeys(one.owner for one in members))
    targets = {target for found in imports.values() for one in found if one.alias or one.name for target in one.targets}
    return Binder(looked.wanted, looked.others, looked.files, imports, bases, exports_of(looked, targets))


def exports_of(looked: Looked, files: Iterable[int]) -> dict[int, dict[str, str]]:
    """The definitions that files export as default or under another name, see `IndexFacts.exports`."""
    wanted = set(files) - {NOWHERE}
    know(looked, wanted)
    renaming = {one for one in wanted if one in looked.files and renames_exports(looked.files[one].language_id)}
    return looked.facts.exports(looked.conn, renaming) if renaming else {}


@lru_cache(maxsize=_KEPT_LANGUAGES)
def renames_exports(language_id: str) -> bool:
    """See `Language.renames_exports`."""
    language = LANGUAGES.get(language_id)
    return language is not None and language.renames_exports


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
