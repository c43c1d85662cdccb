"""A checked search request from the arguments of an operation; what is wrong but harmless becomes a note."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.search import MAX_CONTEXT_LINES, MAX_LIMIT, SearchRequest
from cocosearch_py.search.request import build_filters, build_weights
from cocosearch_py.tools.bounds import Bounded

FEATURES = ("vector", "symbol", "graph")


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How much around the hits is wanted, and from which on."""

    smart_context: bool = True
    context_before: int | None = None
    context_after: int | None = None
    offset: int = 0


_PLAIN = Showing()


def make_request(asked: Any, showing: Showing = _PLAIN) -> tuple[SearchRequest, list[str]]:
    """The request, and what the caller should know of it.

    Args:
        asked: arguments with the fields that `search_code` and `analyze_query` share.
    Raises:
        ValidationError.
    """
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    filters = build_filters(
        language=asked.language,
        symbol_type=asked.symbol_type,
        symbol_name=asked.symbol_name,
        path_globs=globs,
        exclude_globs=asked.exclude or (),
        content=asked.content,
    )
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    min_score = bounded.value("min_score", asked.min_score, 0.0, 1.0)
    offset = bounded.value("offset", showing.offset, 0, MAX_LIMIT)
    if offset and limit + offset > MAX_LIMIT:
        bounded.notes.append(f"results after number {MAX_LIMIT} are not ranked; narrow the query")
    request = SearchRequest(
        query=asked.query,
        limit=min(MAX_LIMIT, limit + offset),
        filters=filters,
        use_hybrid=asked.use_hybrid_search,
        smart_context=showing.smart_context,
        context_before=_lines(bounded, "context_before", showing.context_before),
        context_after=_lines(bounded, "context_after", showing.context_after),
        min_score=min_score,
        weights=build_weights(asked.weights),
    )
    return request, bounded.notes


def _lines(bounded: Bounded, name: str, given: int | None) -> int | None:
    return None if given is None else bounded.value(name, given, 0, MAX_CONTEXT_LINES)


def with_features(request: SearchRequest, features: Mapping[str, bool] | None) -> SearchRequest:
    """The request without the legs that `features` turns off; `graph` among them is not its concern.

    Raises:
        ValidationError: unknown features, or neither leg is left.
    """
    if not features:
        return request
    if unknown := [name for name in features if name not in FEATURES]:
        raise ValidationError(f"unknown feature '{unknown[0][:60]}'", hint=f"known: {', '.join(FEATURES)}")
    vector, symbol = features.get("vector", True), features.get("symbol", True)
    if not (vector or symbol):
        raise ValidationError("vector and symbol are both off, so there is nothing to search with", hint="leave one on")
    return replace(request, vector=vector, use_hybrid=request.use_hybrid if symbol else False)
