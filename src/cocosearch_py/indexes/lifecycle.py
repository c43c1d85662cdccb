"""Finding and removing indexes."""

import difflib
import re
from pathlib import Path

import psycopg

from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.storage import indexes as store
from cocosearch_py.storage.indexes import IndexRecord

_MAX_NEAREST = 3


def name_from_folder(folder: Path) -> str:
    """Index name that a folder gets by default: its own name, unusual characters as hyphens."""
    return re.sub(r"[^\w.\-]+", "-", folder.resolve().name).strip("-.")[:100] or "root"


def find(conn: psycopg.Connection, name: str) -> IndexRecord:
    """Index by name; raises IndexNotFoundError with the nearest names."""
    if (record := store.find_by_name(conn, name)) is not None:
        return record
    names = [record.name for record in store.list_all(conn)]
    near = difflib.get_close_matches(name, names, n=_MAX_NEAREST, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "see `cocosearch-py list`, or run `cocosearch-py index PATH`"
    raise IndexNotFoundError(f"Index '{name}' not found", hint=hint)


def find_for_folder(conn: psycopg.Connection, folder: Path) -> IndexRecord:
    """Index of a folder or of the nearest folder above it; raises IndexNotFoundError."""
    here = folder.resolve()
    for candidate in (here, *here.parents):
        if found := store.find_by_root(conn, str(candidate)):
            return found[0]
    raise IndexNotFoundError(
        f"no index holds {here}", hint=f"run `cocosearch-py index {here}`, or name an index with --index"
    )


def clear(conn: psycopg.Connection, name: str) -> IndexRecord:
    """Delete an index for good; the caller commits. Raises IndexNotFoundError, BusyError."""
    record = find(conn, name)
    store.lock_for_writing(conn, name)
    store.delete(conn, record)
    return record
