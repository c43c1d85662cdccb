"""A checked request from the loose arguments of a command line or a tool call."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.languages.table import resolve_language
from cocosearch_py.model.paths import is_text
from cocosearch_py.model.search import FileWeights, SearchFilters
from cocosearch_py.search.inline_filters import resolve_classes, resolve_languages

MAX_WEIGHT = 10.0  # beyond it a file's words count for nothing
MAX_WEIGHTS = 20  # of one request; each is compared with some hundred files
MAX_WEIGHT_NAME_CHARS = 200  # of a pattern, an extension or a language
_WEIGHT_FORM = '{"ext": {"md": 0.5}, "path": [{"pattern": "src/**", "weight": 2}], "language": {"go": 2}}'


def build_filters(
    *,
    language: str | None = None,
    symbol_type: str | Sequence[str] | None = None,
    symbol_name: str | None = None,
    path_globs: Sequence[str] = (),
    exclude_globs: Sequence[str] = (),
    content: str | None = None,
) -> SearchFilters:
    """Filters from text: all but the globs may be comma lists; raises ValidationError."""
    types = [symbol_type] if isinstance(symbol_type, str) else list(symbol_type or ())
    if not all(map(is_text, (*types, symbol_name or "", *path_globs, *exclude_globs))):
        raise ValidationError("a filter contains an invalid character", hint="leave out null bytes and broken UTF-8")
    return SearchFilters(
        languages=resolve_languages(language or ""),
        symbol_types=tuple(part.strip().lower() for entry in types for part in entry.split(",") if part.strip()),
        symbol_name=symbol_name or None,
        path_globs=tuple(path_globs),
        exclude_globs=tuple(exclude_globs),
        content=resolve_classes(content or ""),
    )


def build_weights(given: Mapping[str, Any] | None) -> FileWeights:
    """Weights from what JSON spells as `{"ext": {name: factor}, "path": [{"pattern", "weight"}], "language": {…}}`.

    Raises:
        ValidationError: another form, more than MAX_WEIGHTS, a factor outside 0 to MAX_WEIGHT, an unknown language.
    """
    parts = dict(given or {})
    extensions, paths, languages = (
        tuple(_factors(part, parts.pop(part, None))) for part in ("ext", "path", "language")
    )
    if parts:
        raise _wrong_weights(f"unknown part '{str(next(iter(parts)))[:60]}'")
    if len(extensions) + len(paths) + len(languages) > MAX_WEIGHTS:
        raise _wrong_weights(f"more than {MAX_WEIGHTS} are not allowed")
    return FileWeights(
        extensions=tuple((name.lower().removeprefix("*").removeprefix("."), factor) for name, factor in extensions),
        paths=paths,
        languages=tuple((resolve_language(name), factor) for name, factor in languages),
    )


def _factors(part: str, given: Any) -> Iterator[tuple[str, float]]:
    """(name, factor) of one part."""
    if given is None:
        return
    if part == "path":
        if not isinstance(given, list) or not all(isinstance(item, Mapping) for item in given):
            raise _wrong_weights("path is not a list of objects")
        if any(item.keys() != {"pattern", "weight"} for item in given):
            raise _wrong_weights("each path needs pattern and weight, and nothing else")
        pairs = [(item["pattern"], item["weight"]) for item in given]
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        raise _wrong_weights(f"{part} is not an object")
    for name, factor in pairs:
        if not isinstance(name, str) or not name.strip() or not is_text(name) or len(name) > MAX_WEIGHT_NAME_CHARS:
            raise _wrong_weights(
                f"a name in {part} is empty, not text, or has more than {MAX_WEIGHT_NAME_CHARS} letters"
            )
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 <= factor <= MAX_WEIGHT:
            raise _wrong_weights(f"the weight of '{name[:60]}' is not a number from 0 to {MAX_WEIGHT:g}")
        yield name.strip(), float(factor)


def _wrong_weights(why: str) -> ValidationError:
    return ValidationError(f"wrong weights: {why}", hint=f"the form is {_WEIGHT_FORM}")
