"""Follows definitions through exports and imports that give them other names, as default exports do."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from cocosearch_py.graph.context import Looked, exports_of, renames_exports
from cocosearch_py.model.references import DEFAULT_EXPORT, WHOLE_EXPORT
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Imported
from cocosearch_py.storage.queries.target import Target

Named = tuple[int, str]  # a file, and a name in it

_MOST_HOPS = 8
_WHOLES = frozenset({DEFAULT_EXPORT, WHOLE_EXPORT})


class _Exported(NamedTuple):
    """Exported names of definitions, and local names in files whose default export is an expression.

    Such an expression is taken for the definition whose name an import gives it: `export default memo(Cart)`.
    """

    names: set[Named]
    in_expressions: set[Named]

    def is_in(self, one: Imported) -> bool:
        """Report whether an import brings one of the exported names."""
        if any((file, one.name or WHOLE_EXPORT) in self.names for file in one.targets):
            return True
        return one.name == DEFAULT_EXPORT and any((file, one.alias) in self.in_expressions for file in one.targets)


def renaming_imports(looked: Looked, target: Target, most: int) -> list[Imported]:
    """Return the imports that lead to the wanted definitions, directly or through files that export them again.

    Only for languages whose exports may have another name, and only from files that `target` includes.
    """
    left = {(one.file_id, one.name) for one in looked.wanted if not one.nested and renames_exports(one.language_id)}
    seen: set[Named] = set()
    exported = _Exported(set(), set())
    found: dict[Imported, None] = {}
    for _ in range(_MOST_HOPS):
        if not left:
            break
        seen |= left
        here = _exported(looked, left)
        exported.names.update(here.names)
        exported.in_expressions.update(here.in_expressions)
        rows = _importing(looked, looked.everywhere, here, most)
        found |= dict.fromkeys(rows)
        left = {(one.file_id, one.alias or one.name or "") for one in rows} - seen
    if target.filters != looked.everywhere.filters and found:
        return _importing(looked, target, exported, most)
    return list(found)


def names_behind(looked: Looked, imports: Iterable[Imported], local_names: Collection[str]) -> set[str]:
    """Return the original names of definitions that imports bring under these local names."""
    brought = [one for one in imports if (one.alias or one.name) in local_names]
    names = {one.name for one in brought if one.alias and one.name} - {DEFAULT_EXPORT}
    seen: set[Named] = set()
    for _ in range(_MOST_HOPS):
        left = {(file, one.name or WHOLE_EXPORT) for one in brought for file in one.targets} - seen
        exports = exports_of(looked, {file for file, _ in left})
        if not exports:
            break
        seen |= left
        here = {(file, _local(exports[file], name)) for file, name in left if file in exports}
        inner = {name for _, name in here}
        names |= inner - _WHOLES
        rows = store.imports_of_files(looked.conn, looked.everywhere, exports.keys(), inner)
        brought = [one for one in rows if (one.file_id, one.alias or one.name) in here]
    return names


def _local(exports: Mapping[str, str], exported: str) -> str:
    whole = exports.get(WHOLE_EXPORT, exported) if exported == DEFAULT_EXPORT else exported
    return exports.get(exported, whole)


def _exported(looked: Looked, local: Collection[Named]) -> _Exported:
    exports = exports_of(looked, {file for file, _ in local})
    names = {(file, name) for file, name in local if file in exports}
    unnamed = {(file, name) for file, name in names if not _WHOLES & exports[file].keys()}
    for file, name in list(names):
        outer = {one for one, inner in exports[file].items() if inner == name}
        names |= {(file, one) for one in (outer | {DEFAULT_EXPORT} if WHOLE_EXPORT in outer else outer)}
    return _Exported(names, unnamed)


def _importing(looked: Looked, target: Target, exported: _Exported, most: int) -> list[Imported]:
    files = {file for file, _ in exported.names}
    if not files:
        return []
    names = {name for _, name in exported.names} | ({DEFAULT_EXPORT} if exported.in_expressions else set())
    rows = store.imports_of_exports(looked.conn, target, files, names, most)
    return [one for one in rows if exported.is_in(one)]
