"""Requests for definitions, from the words of a call."""

from dataclasses import replace
from typing import Literal

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Match
from cocosearch_py.model.definitions import DefinitionRequest, NamedSymbol, Part
from cocosearch_py.navigation.names import read_name
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.bounds import choice
from cocosearch_py.tools.naming import checked_name

Matching = Literal["auto", "exact", "substring", "fuzzy", "glob"]
_WILDCARDS = frozenset("*?")


def definition_requests(
    name: str,
    *,
    match: Matching = "auto",
    part: Part = "name",
    kind: str | list[str] | None = None,
    language: str | None = None,
    path_glob: str | list[str] | None = None,
    with_tests: bool = True,
    public_only: bool = False,
) -> list[DefinitionRequest]:
    """Return a request for each way to match the name; the first that finds a definition counts.

    Raises:
        ValidationError: the name cannot be one, or a choice is unknown.
    """
    name = checked_name(name)
    choice("match", match, Matching)
    choice("field", part, Part)
    if match == "fuzzy" and part != "name":
        raise ValidationError("fuzzy matching works only for names", hint="leave out match, or use field=name")
    globs = [path_glob] if isinstance(path_glob, str) else path_glob or []
    filters = build_filters(language=language, symbol_type=kind, path_globs=globs)
    if not with_tests:
        filters = replace(filters, excluded_content=("tests",))
    symbol = read_name(name) if part == "name" else NamedSymbol(name, whole=name)
    base = DefinitionRequest(symbol=symbol, part=part, filters=filters, public_only=public_only)
    return [replace(base, match=one) for one in _matches(name, match, part)]


def _matches(name: str, match: Matching, part: Part) -> tuple[Match, ...]:
    if match != "auto":
        return (match,)
    if _WILDCARDS & set(name):  # `operator*` is a name, too.
        return ("exact", "glob")
    matches: dict[Part, tuple[Match, ...]] = {
        "name": ("exact", "substring"),
        "signature": ("substring", "glob"),
        "doc": ("substring",),
    }
    return matches[part]
