"""Tools that write an index to a file, and load one: export_index, and the command `import`."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, tool

SUFFIX = ".cocosearch.tar.zst"  # of a bundle
FORMATS = ("bundle", "md", "json", "jsonl", "scip")


class ExportArguments(Arguments):
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


class BundledTable(Part):
    """Rows of a table in a bundle."""

    table: str
    rows: Count
    bytes: Count
    sha256: str


class BundledFile(Part):
    """A file in a bundle that is made from the rows: the map of the repository."""

    name: str
    bytes: Count
    sha256: str


class Exported(Part):
    """A written file: place, size in bytes and contents, and for a bundle its manifest."""

    index_name: str
    format: str
    path: str
    bytes: Count
    embedding_model: str
    files: Count
    chunks: Count
    sha256: str = ""
    product: str = ""
    format_version: Count | UnsetType = UNSET
    parts: tuple[BundledTable, ...] | UnsetType = UNSET
    derived: tuple[BundledFile, ...] | UnsetType = UNSET


class ImportArguments(Arguments):
    """Parameters of import."""

    file: Annotated[str, Flag(metavar="FILE", filled=True, help="Bundle file.")]
    name: Annotated[
        str | None,
        Flag(names=("--name",), metavar="NAME", filled=True, help="Name of the index (default: the bundle's)."),
    ] = None
    root: Annotated[
        str | None,
        Flag(
            names=("--root",),
            metavar="DIR",
            filled=True,
            help="Local checkout of the repository. Without it, answers are not compared with files on disk.",
        ),
    ] = None


class Imported(Part):
    """The new index. It answers at once; the job, if there is one, makes searches in a large index fast."""

    success: bool
    index_name: str
    root_path: str | None
    files: Count
    chunks: Count
    job_id: str = ""


TOOLS = (
    tool(
        __package__,
        "export_index",
        title="Export an index",
        about="Write an index to one file: a bundle for import into another database, or a format for other programs.",
        arguments=ExportArguments,
        answer=Exported,
        view="show_exported",
        toolset="index",
        order=7,
        listed=False,
        about_indexes=True,
        writes=True,
        command=Command(
            name="export",
            help="Write an index to a file: a bundle for `import` into another database, or a format for other "
            "programs.",
        ),
        aliases=(Alias(name="get_repo_bundle", program="Mimir", dialect="mimir.GET_REPO_BUNDLE"),),
    ),
    tool(
        __package__,
        "import_index",
        title="Import an index",
        arguments=ImportArguments,
        answer=Imported,
        view="show_imported",
        writes=True,
        command=Command(
            name="import", help="Create an index from a file that `export` wrote, without parsing or embedding."
        ),
    ),
)
