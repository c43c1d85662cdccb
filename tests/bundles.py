"""Bundles taken apart and put together again, whole or wrong."""

import hashlib
import io
import json
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import zstandard

from cocosearch_py.app import App
from cocosearch_py.errors import CocosearchError
from cocosearch_py.storage.schema.copy import SIGNATURE, TRAILER
from cocosearch_py.storage.schema.tables import TABLES

COPY_HEAD_BYTES = len(SIGNATURE)
Row = list[bytes | None]
Entries = list[tuple[tarfile.TarInfo, bytes]]
_OTHER_TABLES = ("indexes", "builds", "identities", "cleared")


def traces(app: App) -> Any:
    """All relations of the database's schema, and the number of rows in each table that an import writes."""
    with psycopg.connect(app.database._options.url or "") as conn:
        query = "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace ORDER BY 1"
        names = [row[0] for row in conn.execute(query)]
        counts = " UNION ALL ".join(f"SELECT count(*) FROM cocosearch_py.{name}" for name in (*TABLES, *_OTHER_TABLES))
        return names, conn.execute(counts).fetchall()


def refused(app: App, bundle: Path, why: str | None = None, root: Path | None = None) -> CocosearchError:
    """Check that a bundle is refused with a hint, and that nothing is written."""
    before = traces(app)
    with pytest.raises(CocosearchError, match=why) as raised:
        app.transfers.load(bundle, "taken", root)
    assert raised.value.hint
    assert traces(app) == before
    return raised.value


def unpacked_bytes(bundle: Path) -> bytes:
    """The tar of a bundle."""
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(bundle.read_bytes())).read()


def unpacked(bundle: Path) -> Entries:
    """The entries of a bundle's tar."""
    with tarfile.open(fileobj=io.BytesIO(unpacked_bytes(bundle))) as tar:
        return [(entry, tar.extractfile(entry).read()) for entry in tar.getmembers()]  # type: ignore[union-attr]


def tarred(entries: Entries) -> bytes:
    """A tar of these entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for entry, data in entries:
            tar.addfile(entry, io.BytesIO(data) if entry.isreg() else None)
    return out.getvalue()


def packed(bundle: Path, entries: Entries) -> Path:
    """Write a bundle of these entries."""
    bundle.write_bytes(zstandard.compress(tarred(entries)))
    return bundle


def rewritten(bundle: Path, change: Callable[[bytes], bytes]) -> Path:
    """Change the bytes of a bundle's manifest."""
    (entry, data), *rest = unpacked(bundle)
    data = change(data)
    entry.size = len(data)
    return packed(bundle, [(entry, data), *rest])


def changed(bundle: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the fields of a bundle's manifest."""

    def edit(data: bytes) -> bytes:
        manifest = json.loads(data)
        change(manifest)
        return json.dumps(manifest).encode()

    return rewritten(bundle, edit)


def with_rows(bundle: Path, table: str, rows: Callable[[bytes], bytes]) -> Path:
    """Change the rows of a table in a bundle, and its manifest with them."""
    return packed(bundle, with_rows_of(unpacked(bundle), table, rows))


def with_rows_of(entries: Entries, table: str, rows: Callable[[bytes], bytes]) -> Entries:
    """Change the rows of a table among the entries of a bundle, and the manifest with them."""
    changed = [(entry, rows(data) if entry.name == f"tables/{table}.copy" else data) for entry, data in entries]
    manifest = json.loads(changed[0][1])
    for part, (entry, data) in zip(manifest["parts"] + manifest["derived"], changed[1:], strict=True):
        part["bytes"] = entry.size = len(data)
        part["sha256"] = hashlib.sha256(data).hexdigest()
    text = json.dumps(manifest).encode()
    changed[0][0].size = len(text)
    return [(changed[0][0], text), *changed[1:]]


def copied_rows(data: bytes) -> list[Row]:
    """The fields of the rows of a binary COPY."""
    rows, at = [], COPY_HEAD_BYTES
    while (width := struct.unpack_from(">h", data, at)[0]) >= 0:
        at += 2
        row: Row = []
        for _ in range(width):
            (size,) = struct.unpack_from(">i", data, at)
            at += 4
            row.append(None if size < 0 else data[at : at + size])
            at += max(0, size)
        rows.append(row)
    return rows


def copied(rows: list[Row]) -> bytes:
    """The binary COPY of rows."""
    packed = [SIGNATURE]
    for row in rows:
        packed.append(struct.pack(">h", len(row)))
        packed += (struct.pack(">i", -1) if one is None else struct.pack(">i", len(one)) + one for one in row)
    return b"".join([*packed, TRAILER])
