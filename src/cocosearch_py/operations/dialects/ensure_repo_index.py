"""Mimir's `ensure_repo_index`: begin to make an index or to bring it up to date, and answer at once."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypedDict

from cocosearch_py.compat.mimir import CONTEXT, CONTEXT_LINES, Features, failed, uri
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.indexing.service import begin_runs
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments as Ours
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting
from cocosearch_py.tools.runs import index_of
from cocosearch_py.tools.sizes import PATHS, PATTERNS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options:
    """Mimir's options of indexing. `context_lines` only appears in the manifest: each search has its own."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    context_lines: int = CONTEXT_LINES
    max_files_to_embed: int | None = None
    excludes: list[str] | None = None
    features: Features | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Mimir's ensure_repo_index."""

    path: Annotated[str, About("Folder of the repository"), PATHS]
    rev: Annotated[str, About("Branch, tag or commit; HEAD means the files on disk")] = "HEAD"
    language: Annotated[
        Literal["ts", "tsx", "js", "jsx", "py", "rs", "go"], About("A hint; files of all languages are indexed")
    ] = "ts"
    index_opts: Annotated[Options | None, About("Indexing options"), PATTERNS] = None


class Answer(TypedDict):
    """The index, also before its first run ends, and addresses of resources."""

    index_id: str
    status_uri: str
    manifest_uri: str


def ensure_repo_index(call: Call, asked: Arguments) -> Waiting[str]:
    """Begin to make the index of a repository, or to bring it up to date."""
    options = asked.index_opts or Options()
    _check(options)
    rev = None if asked.rev == "HEAD" else asked.rev  # which a folder without git has, too
    features = options.features or Features()
    ours = Ours(
        path=asked.path,
        exclude=options.excludes,
        rev=rev,
        max_files_to_embed=options.max_files_to_embed,
        context_lines=options.context_lines,
        features={"vector": features.vector, "symbol": features.symbol, "graph": features.graph and features.symbol},
        wait_s=0,
    )
    begun = begin_runs(call, ours)
    if not isinstance(begun, Waiting):
        raise TypeError("only an estimate has no job")
    folder = call.folder_to_index(asked.path)
    index_id = call.app(folder).catalog.identify(index_of(begun.job), folder)
    return Waiting(begun.job, 0, lambda _: index_id)


def _check(options: Options) -> None:
    if not CONTEXT.minimum <= options.context_lines <= (CONTEXT.maximum or 0):
        raise ValidationError(f"context_lines {options.context_lines} is out of range", hint="use 0 to 20")
    if options.max_files_to_embed is not None and options.max_files_to_embed < 1:
        raise ValidationError("max_files_to_embed is less than 1", hint="leave it out to embed all files")


def _answer(index_id: str, _: Arguments) -> Json:
    return {
        "index_id": index_id,
        "status_uri": uri(index_id, "status.json"),
        "manifest_uri": uri(index_id, "manifest.json"),
    }


OPERATION: "Operation[Arguments, str]" = Operation(
    name="ensure_repo_index",
    title="Index a repository",
    arguments=Arguments,
    run=ensure_repo_index,
    shape=_answer,
    answer=Answer,
    about_project=True,
    failed=failed,
)
