"""Requests for uses of definitions, from the words of a call."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.usages import UsageKind, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.naming import checked_name

_ALL_KINDS = "all"


def usage_request(
    symbol: str,
    *,
    kinds: str | Sequence[str] | None = None,
    language: str | None = None,
    path_glob: str | list[str] | None = None,
    path_prefix: str | None = None,
    with_tests: bool = True,
) -> UsageRequest:
    """Return a request for direct uses of a symbol.

    Raises:
        ValidationError: an unknown kind or language, or not a name.
    """
    name = checked_name(symbol, "the symbol")
    globs = [path_glob] if isinstance(path_glob, str) else list(path_glob or [])
    if path_prefix:
        globs.append(path_prefix.strip("/") + "/**")
    filters = build_filters(language=language, path_globs=globs)
    if not with_tests:
        filters = replace(filters, excluded_content=("tests",))
    return UsageRequest(symbol=read_name(name), kinds=_kinds(kinds), filters=filters)


def _kinds(given: str | Sequence[str] | None) -> tuple[UsageKind, ...]:
    """Read kinds of uses; without any, all but definitions."""
    known: tuple[UsageKind, ...] = get_args(UsageKind)
    texts = [given] if isinstance(given, str) else given or []
    kinds = [kind.strip() for text in texts for kind in text.split(",") if kind.strip()]
    if _ALL_KINDS in kinds:
        return known
    if unknown := [kind for kind in kinds if kind not in known]:
        raise ValidationError(f"unknown kind '{unknown[0][:60]}'", hint=f"known: {', '.join((*known, _ALL_KINDS))}")
    return tuple(kind for kind in known if kind in kinds) or tuple(kind for kind in known if kind != "definition")
