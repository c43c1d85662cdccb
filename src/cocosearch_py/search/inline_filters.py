"""Filters typed inside a query: `lang:go`, `-path:tests/`, `kind:class,method`, `name:get*`. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from cocosearch_py.errors import ValidationError
from cocosearch_py.languages.table import resolve_language
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.search import MAX_QUERY_CHARS, SearchFilters
from cocosearch_py.search.report_lines import is_report
from cocosearch_py.storage.queries.globs import alternatives

_KEYS = {"language": "lang", "file": "path", "type": "kind"}
_CANDIDATE = re.compile(
    r'(?<!\S)(-?)(lang|language|path|file|kind|type|name|content)([:=])("[^"]+"(?!\S)|\S+)', re.IGNORECASE
)
# What a value without quotes looks like. URLs, `std::x`, types in signatures and quoted strings in code do not.
_VALUES = {
    "lang": re.compile(r"[\w.+#-]+(?:,[\w.+#-]*)*"),
    "kind": re.compile(r"[^\W\d]\w*(?:,[^\W\d]\w*)*"),
    "name": re.compile(r"[\w*?.$@~!#-]+(?:,[\w*?.$@~!#-]+)*"),
    "content": re.compile(r"[a-z_-]+(?:,[a-z_-]*)*", re.IGNORECASE),
    "path": re.compile(r"(?!//)[^\s\"'`<>|;=:(),]+(?:,[^\s\"'`<>|;=:(),]+)*"),
}
# Where `lang=` and `content=` are no filters: beside markup, other values by name, and options of a command line.
_PASTED = re.compile(r"<|(?<!\S)(?!-?(?:lang|content)=)-*[\w.]+=(?!=)|(?<!\S)--?[a-zA-Z][\w-]*(?!\S)")
_CLASSES = (*ContentClass, "all")
_MISSPELT = 0.8  # likeness from which a value is a class with a typing error
_PATH_WILDCARDS = "*?{"


class InlineFilter(NamedTuple):
    """One filter of a query as it was typed; several values are alternatives."""

    key: str  # lang, path, kind, name or content
    values: tuple[str, ...]
    negated: bool


def extract_filters(query: str, given: SearchFilters) -> tuple[str, SearchFilters]:
    """Take the inline filters out of a query; they add to the given filters.

    A word is a filter only if its value looks like one: `file:///etc/hosts`, `path::join` and `name: value` are text.
    `content=vendored` and `lang=go` are filters, too, beside other words and if there is such a class or language, but
    not inside quotes, nor beside what stands in code and on command lines.
    A report has filters only before its first word, and keeps its lines.

    Raises:
        ValidationError: unknown language, text over MAX_QUERY_CHARS, nothing left to search for, or filters of which
            one excludes all that another asks for.
    """
    if len(query) > MAX_QUERY_CHARS:
        raise ValidationError(
            f"the query has {len(query)} characters, at most {MAX_QUERY_CHARS} are allowed",
            hint="leave out logs, or search for the most specific part",
        )
    query = query.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")  # undecodable bytes of a command line
    filters = given
    rest: list[str] = []
    end = 0
    report = is_report(query)
    for match, found in _find(query) if ":" in query or "=" in query else ():
        if report and query[end : match.start()].strip():
            break
        filters = _with_filter(filters, found)
        rest.append(query[end : match.start()])
        end = match.end()
    text = " ".join([*rest, query[end:]])
    text = text.strip() if report else " ".join(text.split())
    if not text:
        raise ValidationError(
            "the query is empty",
            hint="enter a text to find, for example: retry policy",
            details={"parameters": ["query"]},
        )
    if filters != SearchFilters():
        _refuse_contradictions(filters)
    return text, filters


def resolve_languages(value: str) -> tuple[str, ...]:
    """Language ids of a comma list of names or aliases."""
    return tuple(resolve_language(part.strip()) for part in value.split(",") if part.strip())


def _names_classes(value: str) -> bool:
    """Whether a value is, or is meant to be, classes of content: `content:none` is a line of a style sheet."""
    return any(get_close_matches(part, _CLASSES, n=1, cutoff=_MISSPELT) for part in value.lower().split(","))


def resolve_classes(value: str) -> tuple[str, ...]:
    """Classes of content of a comma list; `all` is every one of them, which is no filter.

    Raises:
        ValidationError: there is no such class.
    """
    names = [part.strip().lower().replace("-", "_") for part in value.split(",") if part.strip()]
    if wrong := next((name for name in names if name not in _CLASSES), None):
        raise ValidationError(f"unknown content class '{wrong[:60]}'", hint=f"known: {', '.join(_CLASSES)}")
    return () if "all" in names else tuple(dict.fromkeys(names))


def _is_meant(key: str, value: str) -> bool:
    """Whether the value after `=` is one of a few that are known: `path=/`, `name=x` and `LANG=C` stand in code."""
    if key == "content":
        return {part for part in value.lower().split(",") if part} <= set(_CLASSES)
    if key != "lang":
        return False
    try:
        return bool(resolve_languages(value))
    except ValidationError:
        return False


def _find(query: str) -> Iterator[tuple[re.Match[str], InlineFilter]]:
    is_pasted = " " not in query.strip() or _PASTED.search(query) is not None
    for match in _CANDIDATE.finditer(query):
        key = _KEYS.get(match[2].lower(), match[2].lower())
        separator, value = match[3], match[4]
        is_quoted = query.count('"', 0, match.start()) % 2 == 1
        if separator == "=" and (is_pasted or is_quoted or not _is_meant(match[2], value)):
            continue
        if value.startswith('"') and value.endswith('"') and len(value) > len('""'):
            value = value[1:-1]
        elif not _VALUES[key].fullmatch(value):
            continue
        if key == "content" and not _names_classes(value):
            continue
        values = tuple(part for part in map(str.strip, alternatives(value)) if part)
        if values:
            yield match, InlineFilter(key, values, negated=bool(match[1]))


def _with_filter(filters: SearchFilters, found: InlineFilter) -> SearchFilters:
    key, values, negated = found
    if key == "lang":
        languages = resolve_languages(",".join(values))
        if negated:
            return replace(filters, excluded_languages=(*filters.excluded_languages, *languages))
        return replace(filters, languages=(*filters.languages, *languages))
    if key == "path":
        globs = tuple(glob for value in values for glob in _path_globs(value))
        if negated:
            return replace(filters, exclude_globs=(*filters.exclude_globs, *globs))
        return replace(filters, path_globs=(*filters.path_globs, *globs))
    if key == "kind":
        kinds = tuple(map(str.lower, values))
        if negated:
            return replace(filters, excluded_symbol_types=(*filters.excluded_symbol_types, *kinds))
        return replace(filters, symbol_types=(*filters.symbol_types, *kinds))
    if key == "content":
        classes = resolve_classes(",".join(values))
        if negated:
            return replace(filters, excluded_content=(*filters.excluded_content, *classes))
        return replace(filters, content=(*filters.content, *classes))
    if negated:
        return replace(filters, excluded_symbol_names=(*filters.excluded_symbol_names, *values))
    return replace(filters, symbol_name=",".join(filter(None, (filters.symbol_name, *values))))


def _path_globs(value: str) -> tuple[str, ...]:
    """A value with wildcards is a glob; one without is a part of a folder's or a file's path."""
    if any(char in value for char in _PATH_WILDCARDS):
        return (value,)
    part = value.strip("/")
    return f"**/{part}*/**", f"**/*{part}*"


def _refuse_contradictions(filters: SearchFilters) -> None:
    """Raise when all alternatives of one filter are excluded by another."""
    names = alternatives(filters.symbol_name) if filters.symbol_name else []
    for what, wanted, excluded in (
        ("language", filters.languages, filters.excluded_languages),
        ("kind", filters.symbol_types, filters.excluded_symbol_types),
        ("name", names, filters.excluded_symbol_names),
        ("path", filters.path_globs, filters.exclude_globs),
        ("content", filters.content, filters.excluded_content),
    ):
        if wanted and set(wanted) <= set(excluded):
            raise ValidationError(
                f"the filters contradict each other: the {what} {', '.join(wanted)} is both required and excluded",
                hint=f"drop one of the two {what} filters",
            )
