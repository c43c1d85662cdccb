"""Bounds of texts, lists and mappings that a caller passes to an operation. Numbers have bounds of their own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.paths import is_text, storable_path
from cocosearch_py.storage.queries.globs import MAX_GLOB_CHARS, MAX_GLOBS_CHARS

# Maximum levels of lists and mappings within a value. The deepest value that an operation reads has four.
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """Maximum size of a parameter's value. Each parameter has one: DEFAULT where its declaration names none.

    Attributes:
        chars: characters of each text, keys of mappings included.
        items: items of each list or mapping.
        total: characters of all texts together.
        names_file: bytes that are not UTF-8 may stand in it as surrogate escapes, as in names of files on disk.
    """

    chars: int = 2_000
    items: int = 100
    total: int = 20_000
    names_file: bool = False


DEFAULT = Size()
QUERY = Size(chars=20_000)  # as search allows; its module would slow every start
# Patterns of .gitignore, which a settings file may hold in hundreds.
PATTERNS = Size(chars=500, items=1_000, total=50_000)
GLOBS = Size(chars=MAX_GLOB_CHARS, total=MAX_GLOBS_CHARS)
CHAIN = Size(chars=10_000, total=10_000)  # of a pipeline
FILE_TEXT = Size(chars=4_000_000, total=4_000_000)  # of an edit; indexing.maxFileSizeKb allows half of it by default
PAGE_TEXT = Size(chars=200_000, total=200_000)  # of a wiki
NOTES = Size(chars=20_000, items=200, total=1_000_000)
SOURCES = Size(items=200, total=400_000)
# Paths of this machine. The longest path of Linux has 4,096 bytes; a shell may expand a pattern to thousands of them.
PATHS = Size(chars=4_096, items=10_000, total=10_000_000, names_file=True)


def require_size(name: str, value: Any, size: Size) -> None:
    """Refuse a value of a parameter that is larger than its size, or holds text that cannot be stored.

    Raises:
        ValidationError: naming the parameter, the limit and the size of the value.
    """
    total = 0
    for text in _texts(name, value, size):
        if len(text) > size.chars:
            within = "" if isinstance(value, str) else "a text of "
            raise _too_large(f"{name} has {within}{len(text):,} characters", size.chars)
        total += len(text)
        if total > size.total:
            raise _too_large(f"{name} has more than {size.total:,} characters in total", size.total)
        if not is_text(storable_path(text) if size.names_file else text):
            raise ValidationError(
                f"{name} contains a null character or half of a surrogate pair", hint="pass valid Unicode text"
            )


def _texts(name: str, value: Any, size: Size) -> Iterator[str]:
    """All texts within a value. Raises ValidationError for too many items or levels."""
    waiting = [(value, 0)]
    while waiting:
        inner, depth = waiting.pop()
        if isinstance(inner, str):
            yield inner
            continue
        if is_dataclass(inner):
            inner = [getattr(inner, one.name) for one in fields(inner)]
        elif isinstance(inner, Mapping):
            yield from (key for key in inner if isinstance(key, str))
            inner = list(inner.values())
        if not isinstance(inner, list | tuple):
            continue
        if len(inner) > size.items:
            raise ValidationError(
                f"{name} has {len(inner):,} items, at most {size.items:,} are allowed", hint="pass fewer items"
            )
        if depth == _MAX_DEPTH:
            raise ValidationError(
                f"{name} is nested deeper than {_MAX_DEPTH} levels", hint="use the structure that its description shows"
            )
        waiting += [(item, depth + 1) for item in inner]


def _too_large(what: str, most: int) -> ValidationError:
    return ValidationError(f"{what}, at most {most:,} are allowed", hint="pass a shorter text")
