"""Which definition a use means, by the imports of its file and by scopes. Pure: it goes by what it is given."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.model.references import DEFAULT_EXPORT, WILDCARD
from cocosearch_py.model.usages import Confidence
from cocosearch_py.storage.queries.references import Defined, Imported, KnownFile, Use

SELVES = ("self", "this", "cls", "Self", "@self", "$this", "super", "super()", "base", "static", "parent")
NOWHERE = 0  # target of an import that should lead to a file of the index, and does not
_KEPT_PARTS = 10_000
_MOST_HOPS = 8  # from one re-export to the next
_PARTS = re.compile(r"::|->|\?\.|[.\\/]")
_FOLDER_FILES = frozenset({"__init__", "index", "mod", "lib", "package"})


class Bound(NamedTuple):
    """What a use means: `definition` is None where only its name is known."""

    confidence: Confidence
    definition: Defined | None


NAME_ONLY = Bound("name_only", None)
_NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class Binder:
    """Binds uses to definitions.

    Attributes:
        wanted: the definitions that are asked about.
        others: further definitions of the same names.
        files: those of the uses, and of the imports that are followed.
        imports: by file, those that may bring one of the names or what stands before them.
    """

    wanted: Sequence[Defined]
    others: Sequence[Defined]
    files: Mapping[int, KnownFile]
    imports: Mapping[int, Sequence[Imported]]
    _wanted: set[tuple[int, int]] = field(init=False)
    _in_file: dict[tuple[int, str], list[Defined]] = field(init=False)
    _in_folder: dict[tuple[str, str, str], list[Defined]] = field(init=False)
    _defining: dict[str, set[int]] = field(init=False)
    _families: frozenset[str] = field(init=False)
    _found: dict[tuple[frozenset[int], str, str], list[Defined]] = field(init=False, default_factory=dict)
    _imports_named: dict[tuple[int, str], list[Imported]] = field(init=False, default_factory=dict)
    _passed: dict[int, tuple[dict[str, set[int]], set[int]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._wanted = {(one.file_id, one.symbol_no) for one in self.wanted}
        self._in_file, self._in_folder = defaultdict(list), defaultdict(list)
        self._defining = defaultdict(set)
        for one in (*self.wanted, *self.others):
            self._defining[one.name].add(one.file_id)
            self._in_file[one.file_id, one.name].append(one)
            self._in_folder[_folder(one.path), family_of(one.language_id), one.name].append(one)
        self._families = frozenset(family_of(one.language_id) for one in self.wanted)

    def bind(self, use: Use) -> Bound | None:
        """What a use means; None if it is no use of a definition that is asked about."""
        language = self.files[use.file_id].language_id
        if self._families and family_of(language) not in self._families:
            return None
        return self._qualified(use) if use.qualifier else self._bare(use)

    def bind_import(self, one: Imported, name: str) -> Bound | None:
        """The same for an import of this name."""
        if self._families and family_of(self.files[one.file_id].language_id) not in self._families:
            return None
        return self._imported(one, name)

    def _bare(self, use: Use) -> Bound | None:
        here = self._in_file.get((use.file_id, use.name), [])
        language = LANGUAGES.get(self.files[use.file_id].language_id)
        is_shared = language is not None and (language.folder_is_scope or language.imports_bring_all)
        visible = [one for one in here if not one.nested or (is_shared and _is_inside(use, one))]
        visible += [one for one in here if one.kind == "function" and one.nested and _is_inside(use, one)]
        if visible:
            return self._chosen(visible, "scoped")
        imports = self.imports.get(use.file_id, ())
        for one in imports:
            if one.name not in (None, WILDCARD) and (one.alias or one.name) == use.name:
                return self._imported(one, use.name)
        for one in imports:
            is_all = one.name == WILDCARD or (one.name is None and language is not None and language.imports_bring_all)
            if is_all and (found := self._reached(one.targets, use.name)):
                return self._chosen(found, "resolved")
        if language is not None and language.folder_is_scope:
            key = (_folder(self.files[use.file_id].path), family_of(language.id), use.name)
            if near := [one for one in self._in_folder.get(key, []) if not one.nested]:
                return self._chosen(near, "scoped")
        return NAME_ONLY

    def _qualified(self, use: Use) -> Bound | None:
        parts = _parts_of(use.qualifier)
        if use.qualifier in SELVES or (parts and parts[0] in SELVES and len(parts) == 1):
            own = [one for one in self._in_file.get((use.file_id, use.name), []) if _is_inside(use, one)]
            return self._chosen(own, "scoped") if own else NAME_ONLY
        if not parts or use.qualifier == "…":
            return NAME_ONLY
        if imports := self._named(use.file_id, use.qualifier):
            return self._through(imports, use, parts)
        members = [one for one in self._in_file.get((use.file_id, use.name), []) if one.owner == parts[-1]]
        if members:
            return self._chosen(members, "scoped")
        language = LANGUAGES.get(self.files[use.file_id].language_id)
        if language is not None and language.folder_is_scope:
            key = (_folder(self.files[use.file_id].path), family_of(language.id), use.name)
            if members := [one for one in self._in_folder.get(key, []) if one.owner == parts[-1]]:
                return self._chosen(members, "scoped")
        return NAME_ONLY

    def _named(self, file: int, qualifier: str) -> list[Imported]:
        """The imports of a file that bring what a qualifier begins with, or is."""
        named = self._imports_named.get((file, qualifier))
        if named is None:
            parts, imports = _parts_of(qualifier), self.imports.get(file, ())
            named = [one for one in imports if _is_named(one, qualifier, parts)]
            self._imports_named[file, qualifier] = named
        return named

    def _through(self, imports: Sequence[Imported], use: Use, parts: Sequence[str]) -> Bound | None:
        """A use behind the name of what is imported: a module, or something of one."""
        targets = frozenset().union(*(one.targets for one in imports))
        if not targets:
            return None  # it is of a library
        if not targets - {NOWHERE}:
            return NAME_ONLY
        named = [one for one in imports if one.name not in (None, DEFAULT_EXPORT)]
        of_module = len(named) < len(imports) or any(_is_module(self.files, one) for one in named)
        found = self._reached(targets, use.name, parts[-1])
        if of_module:
            found = [one for one in found if not one.nested] or found
        members = [one for one in found if one.owner == parts[-1]]
        if members:
            return self._chosen(members, "resolved")
        is_whole = len(parts) == 1 or any(use.qualifier in (one.alias, one.module) for one in imports)
        if of_module and found and is_whole:
            return self._chosen(found, "resolved")
        if of_module:  # a module of a package that is imported: a.b of `import a`
            tail = "/".join(parts)
            every = (*self.wanted, *self.others)
            below = [one for one in every if one.name == use.name and not one.nested and _is_below(one.path, tail)]
            if below:
                return self._chosen(below, "resolved")
        return NAME_ONLY

    def _imported(self, one: Imported, local: str) -> Bound | None:
        if not one.targets:
            return None if self.wanted else NAME_ONLY
        name = local if one.name in (None, DEFAULT_EXPORT) else one.name or local
        found = self._reached(one.targets, name)
        return self._chosen(found, "resolved") if found else NAME_ONLY

    def _reached(self, targets: frozenset[int], name: str, owner: str = "") -> list[Defined]:
        """Definitions of a name in files, or in those from which these files import it to pass it on."""
        key = targets, name, owner
        found = self._found.get(key)
        if found is None:  # uses of a common name ask for the same again and again
            found = self._found[key] = self._reached_anew(targets, name, owner)
        return found

    def _reached_anew(self, targets: frozenset[int], name: str, owner: str) -> list[Defined]:
        defining = self._defining.get(name, set())
        left, seen = set(targets), {NOWHERE}
        for _ in range(_MOST_HOPS):
            here = [one for file in sorted(left & defining) for one in self._in_file[file, name]]
            if reachable := [one for one in here if not one.nested or one.owner == owner]:
                return reachable
            seen |= left
            passed = set[int]()
            for file in left & self.imports.keys():
                by_local, of_all = self._passed_on(file)
                passed |= of_all
                passed |= by_local.get(name, _NONE)
                passed |= by_local.get(owner or name, _NONE)
            left = passed - seen
            if not left:
                break
        return []

    def _passed_on(self, file: int) -> tuple[dict[str, set[int]], set[int]]:
        """Where the names that a file imports lead to, by local name, and where it imports all names from."""
        passed = self._passed.get(file)
        if passed is None:
            by_local, of_all = defaultdict[str, set[int]](set), set[int]()
            for one in self.imports[file]:
                if one.name == WILDCARD:
                    of_all |= one.targets
                elif local := one.alias or one.name:
                    by_local[local] |= one.targets
            passed = self._passed[file] = by_local, of_all
        return passed

    def _chosen(self, found: Sequence[Defined], confidence: Confidence) -> Bound | None:
        """The one of these that is asked about, if there is one."""
        wanted = next((one for one in found if (one.file_id, one.symbol_no) in self._wanted), None)
        return None if wanted is None else Bound(confidence, wanted)


def family_of(language_id: str) -> str:
    """What the languages whose files use each other's definitions have in common."""
    language = LANGUAGES.get(language_id)
    return (language and language.family) or language_id


def locals_of(uses: Iterable[Use], names: Collection[str]) -> set[str]:
    """Local names that imports must have to say something about uses."""
    found = set(names)
    for use in uses:
        if use.qualifier and use.qualifier not in SELVES:
            found.add(use.qualifier)
            found.update(_parts_of(use.qualifier))
    return found


@lru_cache(maxsize=_KEPT_PARTS)
def _parts_of(qualifier: str) -> tuple[str, ...]:
    """The names of a qualifier: a and b of `a.b`."""
    return tuple(part for part in _PARTS.split(qualifier.strip("&*!?()")) if part)


def _is_named(one: Imported, qualifier: str, parts: Sequence[str]) -> bool:
    """Whether an import brings what a qualifier begins with, or is: `http` of net/http, `a.b` of a.b."""
    if one.alias is not None:
        return one.alias in (qualifier, parts[0])
    if one.name not in (None, WILDCARD):
        return one.name in (qualifier, parts[0])
    module = _parts_of_module(one.module)
    if one.name == WILDCARD or not module:
        return False
    return module[-1] == parts[0] or module[0] == parts[0] or one.module == qualifier


@lru_cache(maxsize=_KEPT_PARTS)
def _parts_of_module(module: str) -> tuple[str, ...]:
    return tuple(part for part in _PARTS.split(module) if part)


def _is_module(files: Mapping[int, KnownFile], one: Imported) -> bool:
    """Whether the imported name is that of a file it leads to."""
    for target in one.targets:
        if target in files:
            *_, folder, stem = ("", "", *_stem(files[target].path).split("/"))
            if one.name == stem or (stem in _FOLDER_FILES and one.name == folder):
                return True
    return False


def _is_inside(use: Use, one: Defined) -> bool:
    """Whether a use is in the class that a definition is a member of."""
    return bool(one.owner) and one.owner in use.inside.split(".")


def _is_below(path: str, tail: str) -> bool:
    return ("/" + _stem(path)).endswith("/" + tail)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem = folder + slash + name.partition(".")[0]
    return stem.removesuffix("/__init__").removesuffix("/index") if slash else stem
