"""Files that define just what a query names come first, whatever the words of their paths say. Pure."""

import re
from collections.abc import Mapping, Sequence

from cocosearch_py.analysis.paths import is_declarations, is_test
from cocosearch_py.analysis.words import name_key, split_identifier
from cocosearch_py.model.search import WholeName
from cocosearch_py.storage.queries.search import Definition

TYPE_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "type", "module", "namespace", "object", "protocol"}
    | {"impl", "extension", "union", "record"}
)
FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro"})
# They carry the name of what is defined elsewhere.
_REOPENING_KINDS = frozenset({"impl", "extension", "namespace"})
_EXPORT = "export"  # likewise; but it may be all that a package defines of a name
_TYPE, _FUNCTION, _OTHER = 3.0, 2.0, 1.0
_SPELLED_ALIKE = 2.5  # whatever has just that name before a type that differs in case
_OUTSIDE_TESTS = 6.0  # more than any kind
_PLAIN = re.compile(r"[a-z0-9]+")


def definitions_of(
    whole: WholeName, by_path: Mapping[str, Sequence[Definition]]
) -> dict[str, tuple[float, list[Definition]]]:
    """Path -> how good the best is that a file defines under the name that a query is, and the definitions that are.

    More outside tests, then for what is spelled as the query, then for a type than for a function. Types and functions
    may be spelled in any style, unless the query has more than small letters and something is spelled just so; whatever
    else, if its name is one word, has to be spelled as the query, and stand outside tests.
    An owner that the query names is an enclosing definition, or the file or a folder.

    Args:
        by_path: definitions of the files that may be meant.
    """
    keys = dict(whole.keys)
    found = {path: [one for one in given if _is_named(one, whole, keys, path)] for path, given in by_path.items()}
    if not _PLAIN.fullmatch(whole.spelled):
        found = _spelled_alike(whole, found) or found

    def value(one: Definition) -> float:
        return _rank(one) + (_SPELLED_ALIKE if _is_spelled(one, whole) else 0)

    tests = {path for path in found if is_test(path)}
    # A variable of a test, or a member of a declared type, often has the name of what is elsewhere.
    for path in {path for path in found if path in tests or is_declarations(path)}:
        found[path] = [one for one in found[path] if _rank(one) > _OTHER]
    best = {path: max(map(value, named)) for path, named in found.items() if named}
    return {
        path: (most + (0 if path in tests else _OUTSIDE_TESTS), [one for one in found[path] if value(one) == most])
        for path, most in best.items()
    }


def _spelled_alike(whole: WholeName, found: Mapping[str, Sequence[Definition]]) -> dict[str, list[Definition]]:
    alike = {path: [one for one in named if _is_spelled(one, whole)] for path, named in found.items()}
    return {path: named for path, named in alike.items() if named}


def _is_spelled(definition: Definition, whole: WholeName) -> bool:
    return _last_part(definition.name) == _last_part(whole.spelled)


def _is_named(definition: Definition, whole: WholeName, keys: Mapping[str, str | None], path: str) -> bool:
    if definition.kind in _REOPENING_KINDS or (definition.kind == _EXPORT and _PLAIN.fullmatch(whole.spelled)):
        return False
    if (
        _rank(definition) == _OTHER
        and not _is_spelled(definition, whole)
        and len(split_identifier(definition.name)) < 2
    ):
        return False  # `Channel` seldom means a field `channel`
    key = next((key for key in (definition.name_key, _last_part(definition.name_key)) if key in keys), None)
    return key is not None and _is_owned(definition, keys[key], path)


def _last_part(name: str) -> str:
    """`Conn` of a module whose name is `Plug.Conn`; the name itself where there is no dot, or nothing behind it."""
    return name.rpartition(".")[2] or name


def _is_owned(definition: Definition, owner: str | None, path: str) -> bool:
    if owner is None:
        return True
    *folders, file = path.split("/")
    around = [*definition.qualified_name.split(".")[:-1], *folders, file.split(".")[0]]
    return owner in map(name_key, around)


def _rank(definition: Definition) -> float:
    """Types before functions before the rest; what can be seen from outside before what cannot."""
    kind = definition.kind
    if definition.function_depth:
        return _OTHER
    if kind in TYPE_KINDS:
        declared = kind == "module" and definition.start_line == definition.end_line  # `mod name;` is not its content
        alias = kind == "type" and definition.nested
        return _OTHER if declared else _FUNCTION if alias else _TYPE
    return _FUNCTION if kind in FUNCTION_KINDS else _OTHER
