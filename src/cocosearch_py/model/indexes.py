"""An index as a thing: what the table of indexes says of it, and what is said when there is none."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from cocosearch_py.errors import IndexNotFoundError

MAX_NAME_CHARS = 100
_NEAREST = 3
_LIKENESS = 0.5
_NAMES_SHOWN = 20

# Grows when chunks, terms, weights, symbols or references of the same file come out differently; older indexes are
# rebuilt.
FORMAT_VERSION = 5


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """A row of `indexes`; see the comments there."""

    index_id: int
    name: str
    table_name: str
    root_path: str
    status: str
    generation: int
    format_version: int
    options: dict[str, Any]
    embedding_model: str
    embedding_dimension: int
    chunk_count: int
    file_count: int
    git_branch: str | None
    git_commit: str | None
    weights: dict[str, float] | None
    created_at: datetime
    updated_at: datetime
    seconds: float
    pending_file_count: int = 0
    bytes_per_second: float | None = None


def unknown_index(name: str, records: Iterable[IndexRecord]) -> IndexNotFoundError:
    """The error for a name that none of these indexes has, with the nearest ones."""
    names = [record.name for record in records]
    near = get_close_matches(name, names, n=_NEAREST, cutoff=_LIKENESS)
    known = ", ".join(names[:_NAMES_SHOWN]) or "none yet; `cocosearch-py index PATH` creates one"
    hint = f"did you mean {', '.join(near)}?" if near else f"indexes: {known}"
    return IndexNotFoundError(f"Index '{name[:MAX_NAME_CHARS]}' not found", hint=hint)
