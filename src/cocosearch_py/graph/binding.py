"""Which definition a use means, by the imports of its file and by scopes. Pure: it goes by what it is given."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from cocosearch_py.graph.inheritance import Bases, inherited
from cocosearch_py.graph.qualifiers import (
    SELVES,
    SUPERS,
    folder_of,
    is_module,
    is_named,
    module_parts,
    packages_above,
    parts_of,
    stem_of,
)
from cocosearch_py.languages import LANGUAGES, family_of
from cocosearch_py.model.completeness import Confidence
from cocosearch_py.model.references import DEFAULT_EXPORT, WHOLE_EXPORT, WILDCARD
from cocosearch_py.storage.queries.references import Defined, Imported, KnownFile, Use

NOWHERE = 0  # target of an import that should lead to a file of the index, and does not
_KEPT_LANGUAGES = 1_000
_MOST_HOPS = 8  # from one re-export to the next
_HOLDERS = frozenset({"constant", "variable"})
_TEST = "test"  # what a framework runs has a title, which is no name that code could use


class Bound(NamedTuple):
    """Meaning of a use: `definition` is None where only its name is known."""

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
        exports: by file and exported name, the names of definitions exported as default or under another name.
        bases: of the classes that inherit from the owners of definitions.
    """

    wanted: Sequence[Defined]
    others: Sequence[Defined]
    files: Mapping[int, KnownFile]
    imports: Mapping[int, Sequence[Imported]]
    bases: Bases = field(default_factory=dict)
    exports: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    _wanted: set[tuple[int, int]] = field(init=False)
    _in_file: dict[tuple[int, str], list[Defined]] = field(init=False)
    _in_folder: dict[tuple[str, str, str], list[Defined]] = field(init=False)
    _defining: dict[str, set[int]] = field(init=False)
    _passing: frozenset[int] = field(init=False)
    _scoping: frozenset[int] = field(init=False)  # files with imports that only some functions see
    _members: dict[tuple[str, str], dict[str, list[Defined]]] = field(init=False)
    _families: frozenset[str] = field(init=False)
    _found: dict[tuple[frozenset[int], str, str], list[Defined]] = field(init=False, default_factory=dict)
    _imports_named: dict[tuple[int, str], list[Imported]] = field(init=False, default_factory=dict)
    _passed: dict[int, tuple[dict[str, list[Imported]], list[Imported]]] = field(init=False, default_factory=dict)
    _linked: dict[tuple[str, str], Defined] = field(init=False)
    _linkable: dict[str, list[Defined]] = field(init=False, default_factory=dict)
    _modules: dict[str, list[tuple[str, Defined]]] = field(init=False, default_factory=dict)
    _sort_of_file: dict[int, int] = field(init=False, default_factory=dict)
    _sorts: dict[tuple[object, ...], int] = field(init=False, default_factory=dict)
    _bound: dict[tuple[object, ...], Bound | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._wanted = {(one.file_id, one.symbol_no) for one in self.wanted}
        self._in_file, self._in_folder = defaultdict(list), defaultdict(list)
        self._defining, self._members = defaultdict(set), defaultdict(lambda: defaultdict(list))
        for one in (*self.wanted, *self.others):
            if one.kind == _TEST:
                continue
            self._defining[one.name].add(one.file_id)
            if self.bases and one.owner:
                self._members[one.name, family_of(one.language_id)][one.owner].append(one)
            self._in_file[one.file_id, one.name].append(one)
            self._in_folder[folder_of(one.path), family_of(one.language_id), one.name].append(one)
        keeping = {file for file in self.imports if file in self.files and keeps_imports(self.files[file].language_id)}
        self._passing = frozenset(self.imports.keys() - keeping)
        self._scoping = frozenset(file for file, every in self.imports.items() if any(one.scope for one in every))
        self._families = frozenset(family_of(one.language_id) for one in self.wanted)
        self._linked = {key: one for one in reversed(self.wanted) if (key := _link(one)) is not None}

    def bind(self, use: Use) -> Bound | None:
        """Return the meaning of a use; None if it is no use of a definition that is asked about."""
        known = self.files[use.file_id]
        family = family_of(known.language_id)
        if self._families and family not in self._families:
            return None
        if use.qualifier and not use.receiver:
            if self.bases and (parts := parts_of(use.qualifier)) and parts[-1] in self.bases:  # a class
                return self._received(use._replace(receiver=use.qualifier)) or self._qualified(use)
            return self._qualified(use)
        if use.file_id in self._scoping or (use.file_id, use.name) in self._in_file:
            return self._received(use) or self._qualified(use) if use.qualifier else self._bare(use)
        place = folder_of(known.path), family, use.name
        key = self._sort_of(use.file_id), place if place in self._in_folder else None, use[1:6]
        if key not in self._bound:
            bound = self._received(use) or self._qualified(use) if use.qualifier else self._bare(use)
            self._bound[key] = bound
        return self._bound[key]

    def _sort_of(self, file_id: int) -> int:
        """Files of one sort have the same language and import the same."""
        sort = self._sort_of_file.get(file_id)
        if sort is None:
            told = (self.files[file_id].language_id, *[one[2:] for one in self.imports.get(file_id, ())])
            sort = self._sort_of_file[file_id] = self._sorts.setdefault(told, len(self._sorts))
        return sort

    def bind_import(self, one: Imported, name: str) -> Bound | None:
        """Return the meaning of an import of this name; None as for `bind`."""
        if self._families and family_of(self.files[one.file_id].language_id) not in self._families:
            return None
        return self._imported(one, name)

    def _bare(self, use: Use) -> Bound | None:
        imports = self._visible(use)
        named = _nearest(one for one in imports if self._brings(one, use.name))
        here = [one for one in self._in_file.get((use.file_id, use.name), ()) if not _is_brought(one, named)]
        if named and named[0].scope:
            here = []
        language = LANGUAGES.get(self.files[use.file_id].language_id)
        is_shared = language is not None and (language.folder_is_scope or language.imports_bring_all)
        visible = [one for one in here if not one.nested or (is_shared and _is_inside(use, one))]
        visible += [one for one in here if one.kind == "function" and one.nested and _is_inside(use, one)]
        if visible:
            bound = self._chosen(visible, "scoped")
            # A name that is imported in one branch and defined in the other may mean both.
            is_other = bound is None and any(self._imported(one, use.name) for one in named)
            return NAME_ONLY if is_other else bound
        if named:
            every = (self._imported(one, use.name) for one in named)
            return next((one for one in every if one is not None), None)
        for one in imports:
            is_all = one.name == WILDCARD or (one.name is None and language is not None and language.imports_bring_all)
            if is_all and (found := self._reached(one.targets, use.name)):
                return self._chosen(found, "resolved")
        if language is not None and language.folder_is_scope:
            key = (folder_of(self.files[use.file_id].path), family_of(language.id), use.name)
            if near := [one for one in self._in_folder.get(key, []) if not one.nested]:
                return self._chosen(near, "scoped")
        return self._only_linked(use) or NAME_ONLY

    def _brings(self, one: Imported, local: str) -> bool:
        """Whether an import brings a definition under this local name, which may stand for a whole module."""
        if one.name is None:
            return one.alias == local and any(WHOLE_EXPORT in self.exports.get(file, ()) for file in one.targets)
        return one.name != WILDCARD and (one.alias or one.name) == local

    def _only_linked(self, use: Use) -> Bound | None:
        """Return the definition that a call is linked with if the program has nothing else of that name."""
        if not self._linked or use.kind != "call":
            return None
        found = self._linkable.get(use.name)
        if found is None:
            every = [one for one in (*self.wanted, *self.others) if one.name == use.name and links(one.language_id)]
            is_one = len({_link(one) for one in every}) == 1 and _link(every[0]) is not None
            found = self._linkable[use.name] = every if is_one else []
        return self._chosen(found, "scoped")

    def _qualified(self, use: Use) -> Bound | None:
        parts = parts_of(use.qualifier)
        if use.qualifier in SELVES or (parts and parts[0] in SELVES and len(parts) == 1):
            return self._own(use)
        if not parts or use.qualifier == "…":
            return NAME_ONLY
        if imports := self._named(use, use.qualifier):
            if use.file_id in self._scoping:
                return self._through(imports, use, parts)
            spelled = self._sort_of(use.file_id), use.name, use.qualifier
            if spelled not in self._bound:
                self._bound[spelled] = self._through(imports, use, parts)
            return self._bound[spelled]
        members = [one for one in self._in_file.get((use.file_id, use.name), []) if one.owner == parts[-1]]
        if members:
            return self._chosen(members, "scoped")
        language = LANGUAGES.get(self.files[use.file_id].language_id)
        if language is not None and language.folder_is_scope:
            key = (folder_of(self.files[use.file_id].path), family_of(language.id), use.name)
            if members := [one for one in self._in_folder.get(key, []) if one.owner == parts[-1]]:
                return self._chosen(members, "scoped")
        return NAME_ONLY

    def _received(self, use: Use) -> Bound | None:
        """A member of the type of what stands before it, or of what that inherits from; None if it is not known."""
        name = use.receiver
        bound = self._qualified(use._replace(qualifier=name, receiver=""))
        if bound is not None and bound.definition is not None:
            return bound
        imports = self._named(use, name)
        if imports and not any(one.targets - {NOWHERE} for one in imports):
            return None
        members, last = self._members_for(use), parts_of(name)[-1]
        if last in members:
            return None  # that class has it itself
        found = inherited(self.bases, [last], members)
        bound = self._chosen(found, "scoped") if found else None
        return bound if bound is not None and bound.definition is not None else None

    def _own(self, use: Use) -> Bound | None:
        """A member of the class that a use is in, or of what this inherits from."""
        own = [one for one in self._in_file.get((use.file_id, use.name), []) if _is_inside(use, one)]
        if use.qualifier in SUPERS:
            own = []
        if not own and self.bases:
            own = inherited(self.bases, use.inside.split("."), self._members_for(use))
        return self._chosen(own, "scoped") if own else NAME_ONLY

    def _members_for(self, use: Use) -> Mapping[str, Sequence[Defined]]:
        """The members that a use may mean, by the names of their classes."""
        return self._members.get((use.name, family_of(self.files[use.file_id].language_id)), {})

    def _named(self, use: Use, qualifier: str) -> list[Imported]:
        """The imports of a use's file that bring what a qualifier begins with, or is."""
        key = use.file_id, qualifier
        named = self._imports_named.get(key)
        if named is None or use.file_id in self._scoping:
            parts = parts_of(qualifier)
            named = _nearest(one for one in self._visible(use) if is_named(one, qualifier, parts))
            self._imports_named[key] = named
        return named

    def _visible(self, use: Use) -> Sequence[Imported]:
        """The imports of a use's file that it can see."""
        imports = self.imports.get(use.file_id, ())
        if use.file_id not in self._scoping:
            return imports
        return [one for one in imports if one.is_seen_at(use.line)]

    def _through(self, imports: Sequence[Imported], use: Use, parts: tuple[str, ...]) -> Bound | None:
        """A use behind the name of what is imported: a module, or something of one."""
        targets = frozenset[int]().union(*(self._meant(one, parts) for one in imports))
        if not targets:
            return None  # it is of a library
        if not targets - {NOWHERE}:
            return NAME_ONLY
        named = [one for one in imports if one.name not in (None, DEFAULT_EXPORT)]
        of_module = len(named) < len(imports) or any(is_module(self.files, one) for one in named)
        renamed = (self._exported(one, parts[-1]) for one in imports if one.alias == parts[-1])
        owners = {name for names in renamed for name in names} or {parts[-1]}
        found = [one for owner in owners for one in self._reached(targets, use.name, owner)]
        if of_module:
            found = [one for one in found if not one.nested] or found
        members = [one for one in found if one.nested or one.owner in owners]
        if members:
            return self._chosen(members, "resolved")
        is_whole = len(parts) == 1 or any(use.qualifier in (one.alias, one.module) for one in imports)
        if of_module and found and is_whole:
            return self._chosen(found, "resolved")
        # a module of a package that is imported: a.b of `import a`
        if of_module and (below := self._below(use.name, parts)):
            return self._chosen(below, "resolved")
        return NAME_ONLY

    def _below(self, name: str, parts: Sequence[str]) -> list[Defined]:
        """Definitions of a name in modules, by the ends of their names."""
        found = self._modules.get(name)
        if found is None:
            every = (one for one in (*self.wanted, *self.others) if one.name == name and not one.nested)
            found = self._modules[name] = [("/" + stem_of(one.path), one) for one in every]
        tail = "/" + "/".join(parts)
        return [one for stem, one in found if stem.endswith(tail)]

    def _meant(self, one: Imported, parts: tuple[str, ...]) -> frozenset[int]:
        """The files that what stands before a use means: of `a` behind `import a.b` those of the package."""
        above = len(module_parts(one)) - len(parts)
        if above <= 0 or module_parts(one)[: len(parts)] != parts:
            return one.targets
        return frozenset(packages_above(self.files, one.targets, above)) or frozenset({NOWHERE})

    def _imported(self, one: Imported, local: str) -> Bound | None:
        if not one.targets:
            return None if self.wanted else NAME_ONLY
        every = (self._reached(one.targets, name) for name in self._exported(one, local))
        found = next(filter(None, every), None)
        return self._chosen(found, "resolved") if found else NAME_ONLY

    def _exported(self, one: Imported, local: str) -> tuple[str, ...]:
        """The names that an import's definition may have in the file it leads to, the likeliest first."""
        name, is_default = one.name or WHOLE_EXPORT, one.name == DEFAULT_EXPORT
        for target in one.targets & self.exports.keys():
            exports = self.exports[target]
            if known := exports.get(name) or (exports.get(WHOLE_EXPORT) if is_default else None):
                return (known,)
        return (DEFAULT_EXPORT, local) if is_default else (one.name or local,)

    def _reached(self, targets: frozenset[int], name: str, owner: str = "") -> list[Defined]:
        """Definitions of a name in files, or in those from which these files import it to pass it on.

        Where it is passed on under another name, that is the one looked for from there on.
        """
        key = targets, name, owner
        found = self._found.get(key)
        if found is None:  # uses of a common name ask for the same again and again
            found = self._found[key] = self._reached_anew(targets, name, owner)
        return found

    def _reached_anew(self, targets: frozenset[int], name: str, owner: str) -> list[Defined]:
        left = {(name, owner): set(targets)}
        seen: dict[tuple[str, str], set[int]] = defaultdict(lambda: {NOWHERE})
        for _ in range(_MOST_HOPS):
            reachable = []
            for (local, of), files in left.items():
                defining = self._defining.get(local, _NONE)
                here = [one for file in sorted(files & defining) for one in self._in_file[file, local]]
                reachable += [one for one in here if not one.nested or one.owner == of]
            if reachable:
                return reachable
            for names, files in left.items():
                seen[names] |= files
            passed: dict[tuple[str, str], set[int]] = defaultdict(set)
            for (local, of), files in left.items():
                for file in files & self._passing:
                    for names, one in self._steps(file, local, of):
                        passed[names] |= one.targets
            left = {names: rest for names, files in passed.items() if (rest := files - seen[names])}
            if not left:
                break
        return []

    def _steps(self, file: int, name: str, owner: str) -> Iterator[tuple[tuple[str, str], Imported]]:
        """The imports that give a file a name, or the owner of that name, and what both are called there."""
        by_local, of_all = self._passed_on(file)
        if name != DEFAULT_EXPORT:
            yield from (((name, owner), one) for one in of_all)
        for one in by_local.get(name, ()):
            yield from (((there, owner), one) for there in self._exported(one, name))
        if owner:
            for one in by_local.get(owner, ()):
                yield from (((name, there), one) for there in self._exported(one, owner))

    def _passed_on(self, file: int) -> tuple[dict[str, list[Imported]], list[Imported]]:
        """The imports of a file by the names that they give it, and those that bring all names."""
        passed = self._passed.get(file)
        if passed is None:
            by_local, of_all = defaultdict[str, list[Imported]](list), list[Imported]()
            for one in self.imports[file]:
                if one.scope:
                    continue
                if one.name == WILDCARD or (one.name is None and self._linked):
                    of_all.append(one)
                elif local := one.alias or one.name:
                    by_local[local].append(one)
            passed = self._passed[file] = by_local, of_all
        return passed

    def _chosen(self, found: Sequence[Defined], confidence: Confidence) -> Bound | None:
        """The one of these that is asked about, if there is one, or what another name for the same is linked with."""
        wanted = next((one for one in found if (one.file_id, one.symbol_no) in self._wanted), None)
        if wanted is None and self._linked:
            wanted = next((self._linked[key] for one in found if (key := _link(one)) in self._linked), None)
        return None if wanted is None else Bound(confidence, wanted)


@lru_cache(maxsize=_KEPT_LANGUAGES)
def links(language_id: str) -> bool:
    """See `Language.links_by_name`."""
    language = LANGUAGES.get(language_id)
    return language is not None and language.links_by_name


@lru_cache(maxsize=_KEPT_LANGUAGES)
def keeps_imports(language_id: str) -> bool:
    """Whether nothing that a file of this language imports can be imported from it."""
    language = LANGUAGES.get(language_id)
    return language is not None and language.keeps_imports


def _link(one: Defined) -> tuple[str, str] | None:
    """Return the key under which a linker takes definitions for one."""
    is_linked = one.kind in ("function", "method") and not one.is_private and links(one.language_id)
    return (family_of(one.language_id), one.qualified_name) if is_linked else None


def _nearest(imports: Iterable[Imported]) -> list[Imported]:
    """Imports of one name: those of the function around a use hide those of its file."""
    every = list(imports)
    return [one for one in every if one.scope] or every


def _is_brought(one: Defined, named: Sequence[Imported]) -> bool:
    """Whether a constant only holds what an import of its name brings: `const a = require("b")`."""
    return one.kind in _HOLDERS and any(one.start_line <= each.line <= one.end_line for each in named)


def _is_inside(use: Use, one: Defined) -> bool:
    """Whether a use is in the class that a definition is a member of."""
    return bool(one.owner) and one.owner in use.inside.split(".")
