"""`export_index`, `cocosearch-py export`: an index as a file that another database can take."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict

from cocosearch_py.errors import ValidationError
from cocosearch_py.operations.common import parameters as given
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import Command, Flag, Operation
from cocosearch_py.operations.common.schema import Count

if TYPE_CHECKING:
    from cocosearch_py.transfer.archive import Manifest

SUFFIX = ".cocosearch.tar.zst"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of export_index. Only people choose where a file goes."""

    index_name: given.IndexName = None
    output: Annotated[
        str | None,
        Flag(
            names=("-o", "--output"),
            metavar="FILE",
            default=".",
            help=f"The file, or a folder for NAME{SUFFIX}; by default the current one.",
        ),
    ] = None
    verify: Annotated[
        str | None,
        Flag(names=("--verify",), metavar="FILE", help="Write nothing: check that a bundle is whole and fits here."),
    ] = None


class PartItem(TypedDict):
    """The rows of a table in a bundle."""

    table: str
    rows: Count
    bytes: Count
    sha256: str


class Answer(TypedDict):
    """A bundle: where it is, its size in bytes, and what is in it."""

    index_name: str
    path: str
    bytes: Count
    product: str
    format_version: Count
    embedding_model: str
    files: Count
    chunks: Count
    parts: list[PartItem]


class Bundle(NamedTuple):
    """A file and what its manifest says."""

    path: Path
    size_bytes: int
    manifest: "Manifest"


def export_index(call: Call, asked: Arguments) -> Bundle:
    """Write an index to one file, which import takes into another database without parsing or embedding anything."""
    if asked.verify is not None:
        source = Path(asked.verify)
        manifest = call.app().transfers.verify(source)
        return Bundle(source, source.stat().st_size, manifest)
    found = call.find()
    if len(found.records) > 1:
        raise ValidationError("several indexes are meant", hint="name one with index_name")
    record = found.records[0]
    target = found.app.exports_folder if asked.output is None else Path(asked.output).expanduser()
    if target.is_dir():
        target /= record.name + SUFFIX
    written = found.app.transfers.export(record, target.absolute())
    return Bundle(written.path, written.size_bytes, written.manifest)


def _answer(bundle: Bundle, _: Arguments) -> Json:
    index: Any = bundle.manifest.index
    return {
        "index_name": index["name"],
        "path": str(bundle.path),
        "bytes": bundle.size_bytes,
        "product": bundle.manifest.product,
        "format_version": index["format_version"],
        "embedding_model": index["embedding_model"],
        "files": index["file_count"],
        "chunks": index["chunk_count"],
        "parts": [
            {"table": part.table, "rows": part.rows, "bytes": part.bytes, "sha256": part.sha256}
            for part in bundle.manifest.parts
        ],
    }


OPERATION = Operation(
    name="export_index",
    title="Export an index",
    arguments=Arguments,
    run=export_index,
    shape=_answer,
    answer=Answer,
    toolset="index",
    order=7,
    listed=False,
    about_indexes=True,
    writes=True,
    command=Command(name="export", help="Write an index to a file that `import` takes into another database."),
)
