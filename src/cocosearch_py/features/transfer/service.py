"""Writes indexes to files, and loads bundles."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cocosearch_py.errors import ValidationError
from cocosearch_py.features.transfer.tools import (
    FORMATS,
    SUFFIX,
    BundledFile,
    BundledTable,
    ExportArguments,
    Exported,
    ImportArguments,
    Imported,
)
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.maps import bundled_map
from cocosearch_py.tools.requests import completion_of
from cocosearch_py.transfer.archive import Manifest
from cocosearch_py.transfer.formats import FORMS, PARTS


def export_index(call: Call, asked: ExportArguments) -> Exported:
    """Write an index to one file, or check a bundle.

    Raises:
        ValidationError: unknown format or part, or several indexes.
        IndexNotFoundError: there is no such index.
    """
    _check_known("format", [asked.format], FORMATS)
    _check_known("part", asked.include or [], tuple(PARTS))
    if asked.verify is not None:
        source = Path(asked.verify)
        manifest = call.app().transfers.verify(source)
        return _bundle(source, source.stat().st_size, manifest)
    found = call.find()
    if len(found.records) > 1:
        raise ValidationError("more than one index is selected", hint="name one with index_name")
    record = found.records[0]
    target = found.app.exports_folder if asked.output is None else Path(asked.output).expanduser()
    if target.is_dir():
        target /= record.name + (SUFFIX if asked.format == "bundle" else FORMS[asked.format].suffix)
    if asked.format == "bundle":
        bundle = found.app.transfers.export(record, target.absolute(), bundled_map)
        return _bundle(bundle.path, bundle.size_bytes, bundle.manifest)
    parts = ("symbols", "edges") if asked.include is None else asked.include
    written = found.app.transfers.write(record, target.absolute(), asked.format, parts)
    return Exported(
        index_name=written.record.name,
        format=asked.format,
        path=str(written.path),
        bytes=written.size_bytes,
        embedding_model=written.record.embedding_model,
        files=written.record.file_count,
        chunks=written.record.chunk_count,
        sha256=written.sha256,
    )


def _check_known(name: str, values: Sequence[str], known: Sequence[str]) -> None:
    if unknown := [value for value in values if value not in known]:
        raise ValidationError(f"unknown {name} '{unknown[0][:60]}'", hint=f"known: {', '.join(known)}")


def _bundle(path: Path, size_bytes: int, manifest: Manifest) -> Exported:
    index: Any = manifest.index
    return Exported(
        index_name=index["name"],
        format="bundle",
        path=str(path),
        bytes=size_bytes,
        embedding_model=index["embedding_model"],
        files=index["file_count"],
        chunks=index["chunk_count"],
        product=manifest.product,
        format_version=index["format_version"],
        parts=tuple(
            BundledTable(table=part.table, rows=part.rows, bytes=part.bytes, sha256=part.sha256)
            for part in manifest.parts
        ),
        derived=tuple(BundledFile(name=part.name, bytes=part.bytes, sha256=part.sha256) for part in manifest.derived),
    )


def import_index(call: Call, asked: ImportArguments) -> Imported:
    """Make an index from a bundle; nothing is parsed or embedded. See `Transfers.load` for the errors."""
    root = Path(asked.root) if asked.root is not None else None
    app = call.app()
    record = app.transfers.load(Path(asked.file), asked.name, root)
    call.changed()
    is_complete = app.transfers.is_complete(record)
    return Imported(
        success=True,
        index_name=record.name,
        root_path=None if record.is_detached else record.root_path,
        files=record.file_count,
        chunks=record.chunk_count,
        job_id="" if is_complete else app.runs.enqueue(completion_of(app, record)).job_id,
    )
