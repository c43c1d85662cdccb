"""A checked request from the loose arguments of a command line or a tool call."""

from collections.abc import Sequence

from cocosearch_py.model.search import SearchFilters
from cocosearch_py.search.query import resolve_languages


def build_filters(
    *,
    language: str | None = None,
    symbol_type: str | Sequence[str] | None = None,
    symbol_name: str | None = None,
    path_globs: Sequence[str] = (),
    exclude_globs: Sequence[str] = (),
) -> SearchFilters:
    """Filters from text: `language` and `symbol_type` may be comma lists; raises ValidationError."""
    types = [symbol_type] if isinstance(symbol_type, str) else list(symbol_type or ())
    return SearchFilters(
        languages=resolve_languages(language or ""),
        symbol_types=tuple(part.strip().lower() for entry in types for part in entry.split(",") if part.strip()),
        symbol_name=symbol_name or None,
        path_globs=tuple(path_globs),
        exclude_globs=tuple(exclude_globs),
    )
