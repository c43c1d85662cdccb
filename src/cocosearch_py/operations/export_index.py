"""`export_index`, `cocosearch-py export`: an index as a file that another database takes or other programs read."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.transfer.archive import Manifest
    from cocosearch_py.transfer.service import Written

SUFFIX = ".cocosearch.tar.zst"  # of a bundle
FORMATS = ("bundle", "md", "json", "jsonl", "scip")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of export_index. Only people choose where a file goes."""

    index_name: given.IndexName = None
    placed_index: given.PlacedIndex = None
    format: Annotated[
        Literal["bundle", "md", "json", "jsonl", "scip"],
        About("bundle: for import; md: overview; json, jsonl: details of every file; scip: definitions"),
        Flag(
            names=("--format",),
            metavar="FORMAT",
            type=str,
            help="bundle (for `import`), md (an overview), json, jsonl or scip (definitions).",
        ),
    ] = "bundle"
    include: Annotated[
        list[str] | None,
        About("For json and jsonl: symbols, edges, chunks, vectors; null: symbols and edges"),
        Flag(
            names=("--include",),
            metavar="PART",
            help="For json and jsonl: symbols, edges, chunks or vectors; can be repeated (default: symbols and edges).",
        ),
    ] = None
    output: Annotated[
        str | None,
        Flag(
            names=("-o", "--output"),
            metavar="FILE",
            default=".",
            help=f"The file, or a folder for NAME{SUFFIX} or NAME.FORMAT; by default the current one.",
        ),
    ] = None
    verify: Annotated[
        str | None,
        Flag(
            names=("--verify",),
            metavar="FILE",
            help="Check that a bundle is complete and can be imported here; write nothing.",
        ),
    ] = None


class PartItem(TypedDict):
    """The rows of a table in a bundle."""

    table: str
    rows: Count
    bytes: Count
    sha256: str


class DerivedItem(TypedDict):
    """A part of a bundle that is made of the rows: the map of the repository."""

    name: str
    bytes: Count
    sha256: str


class Answer(TypedDict):
    """A file: where it is, its size in bytes, and what is in it; of a bundle what its manifest says as well."""

    index_name: str
    format: str
    path: str
    bytes: Count
    embedding_model: str
    files: Count
    chunks: Count
    sha256: NotRequired[str]
    product: NotRequired[str]
    format_version: NotRequired[Count]
    parts: NotRequired[list[PartItem]]
    derived: NotRequired[list[DerivedItem]]


class Bundle(NamedTuple):
    """A file and what its manifest says."""

    path: Path
    size_bytes: int
    manifest: "Manifest"


def export_index(call: Call, asked: Arguments) -> "Bundle | Written":
    """Write an index to one file: a bundle for import into another database, or a format for other programs."""
    from cocosearch_py.transfer.formats import FORMS, PARTS

    for name, given_, known in (("format", [asked.format], FORMATS), ("part", asked.include or [], PARTS)):
        if unknown := [one for one in given_ if one not in known]:
            raise ValidationError(f"unknown {name} '{unknown[0][:60]}'", hint=f"known: {', '.join(known)}")
    if asked.verify is not None:
        source = Path(asked.verify)
        manifest = call.app().transfers.verify(source)
        return Bundle(source, source.stat().st_size, manifest)
    found = call.find()
    if len(found.records) > 1:
        raise ValidationError("more than one index is selected", hint="name one with index_name")
    record = found.records[0]
    target = found.app.exports_folder if asked.output is None else Path(asked.output).expanduser()
    if target.is_dir():
        target /= record.name + (SUFFIX if asked.format == "bundle" else FORMS[asked.format].suffix)
    if asked.format != "bundle":
        parts = ("symbols", "edges") if asked.include is None else asked.include
        return found.app.transfers.write(record, target.absolute(), asked.format, parts)
    from cocosearch_py.tools.maps import bundled_map

    written = found.app.transfers.export(record, target.absolute(), bundled_map)
    return Bundle(written.path, written.size_bytes, written.manifest)


def _answer(made: "Bundle | Written", asked: Arguments) -> Json:
    return _of_bundle(made) if isinstance(made, Bundle) else _of_form(made, asked.format)


def _of_form(written: "Written", form: str) -> Json:
    return {
        "index_name": written.record.name,
        "format": form,
        "path": str(written.path),
        "bytes": written.size_bytes,
        "embedding_model": written.record.embedding_model,
        "files": written.record.file_count,
        "chunks": written.record.chunk_count,
        "sha256": written.sha256,
    }


def _of_bundle(bundle: Bundle) -> Json:
    index: Any = bundle.manifest.index
    return {
        "index_name": index["name"],
        "format": "bundle",
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
        "derived": [
            {"name": part.name, "bytes": part.bytes, "sha256": part.sha256} for part in bundle.manifest.derived
        ],
    }


OPERATION: "Operation[Arguments, Bundle | Written]" = Operation(
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
    command=Command(
        name="export",
        help="Write an index to a file: a bundle for `import` into another database, or a format for other programs.",
    ),
    aliases=(Alias(name="get_repo_bundle", program="Mimir", dialect="get_repo_bundle.OPERATION"),),
)
