"""Code Index's `index`: indexes a workspace, or all of a list, with its configuration for this run."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from json import JSONDecodeError, loads
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, cast

from cocosearch_py.compat.code_index import failed
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.errors import ConfigurationError, ValidationError
from cocosearch_py.features.indexing.service import Run, begin_runs
from cocosearch_py.features.indexing.several import Several, entries_of, run_each
from cocosearch_py.features.indexing.tools import MAX_WAIT_S
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments as Ours
from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting
from cocosearch_py.tools.runs import index_of, progress
from cocosearch_py.tools.sizes import PATHS

MAX_WORKSPACES = 50
_MAX_FILE_BYTES = 2**20
# A configuration names these for services that are not ours: its model and length of vectors among them.
_FOREIGN = ("embedding_length", "ollama_base_url", "ollama_model", "qdrant_url", "qdrant_api_key", "workspace_path")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Code Index's index. Those from `embedding_length` on are its configuration overrides."""

    workspace: Annotated[str, About("Folder to index"), PATHS] = "."
    config: Annotated[str | None, About("JSON configuration; read and never written"), PATHS] = None
    workspacelist: Annotated[str | None, About("File that lists one folder per line, relative to the file"), PATHS] = (
        None
    )
    embed_timeout: Annotated[int | None, About("Seconds for one response of the model"), Bounds(1, 3600)] = None
    embedding_length: Annotated[int | None, About("Vector dimension of the model")] = None
    chunking_strategy: Annotated[str | None, About("lines, tokens or treesitter")] = None
    use_tree_sitter: Annotated[bool | None, About("Split by syntax, whatever the strategy")] = None
    batch_segment_threshold: Annotated[int | None, About("Texts per model run")] = None
    embed_timeout_seconds: Annotated[int | None, About("As embed_timeout")] = None
    max_file_size_bytes: Annotated[int | None, About("Larger files are skipped")] = None
    tree_sitter_max_file_size_bytes: Annotated[int | None, About("Larger files are split at lines")] = None
    tree_sitter_max_blocks_per_file: Annotated[int | None, About("Files with more are split at lines")] = None
    tree_sitter_skip_test_files: Annotated[bool | None, About("No effect: tests rank below other code")] = None
    token_chunk_size: Annotated[int | None, About("Tokens per chunk")] = None
    token_chunk_overlap: Annotated[int | None, About("Tokens of overlap")] = None
    extensions: Annotated[list[str] | None, About("Only files with these extensions")] = None
    auto_extensions: Annotated[bool | None, About("No effect: languages are always detected")] = None
    exclude_files_path: Annotated[str | None, About("File with exclude patterns"), PATHS] = None
    timeout_log_path: Annotated[str | None, About("No effect: the answer has timeout_files"), PATHS] = None
    search_min_score: Annotated[float | None, About("No effect in a run")] = None
    search_max_results: Annotated[int | None, About("No effect in a run")] = None
    search_file_type_weights: Annotated[dict[str, float] | None, About("No effect in a run")] = None
    search_path_boosts: Annotated[list[dict[str, Any]] | None, About("No effect in a run")] = None


_OVERRIDES = tuple(one.name for one in fields(Arguments))[4:]


class Answer(TypedDict):
    """What a run did; files that had not changed count as skipped. Of several workspaces these are the sums."""

    success: bool
    files_processed: Count
    files_skipped: Count
    total_segments: Count
    processing_time_seconds: float
    collection_name: str
    workspace_path: str
    timeout_files: list[str]
    warnings: list[str]
    workspaces: NotRequired[list[Json]]


def index(call: Call, asked: Arguments) -> "Waiting[list[Json]]":
    """Index a workspace, or bring its index up to date; waits at most 20 s."""
    remarks: list[str] = []
    configured = _configured(call, asked.config, remarks) if asked.config else {}
    named = {name: value for name in _OVERRIDES if (value := getattr(asked, name)) is not None}
    overrides = {**configured, **named} or None

    def begin(own: Call, folder: str) -> Waiting[Run]:
        ours = Ours(path=folder, overrides=overrides, embed_timeout=asked.embed_timeout)
        return cast("Waiting[Run]", begin_runs(own, ours))

    if not asked.workspacelist:
        begun = begin(call, asked.workspace)
        return Waiting(
            begun.job, MAX_WAIT_S, lambda job: _remarked([_item(begun.then(job))], remarks), stops=begun.stops
        )
    folders = _listed(call, asked.workspacelist)
    several: Waiting[Several[Run]] | Several[Run] = run_each(call, folders, begin, MAX_WAIT_S)
    if isinstance(several, Several):  # nothing began
        errors = [one.raised for one in several.outcomes if one.raised is not None]
        raise errors[0] if errors else ValidationError("the list names no workspace", hint="write one folder per line")
    return Waiting(several.job, MAX_WAIT_S, lambda job: _of_list(several.then(job), remarks), stops=several.stops)


def _of_list(several: Several[Run], remarks: list[str]) -> list[Json]:
    """What each run did; a workspace that no run could begin in is a remark."""
    items, refused = [], []
    for one in several.outcomes:
        told = f"{one.path}: {(one.error or {}).get('message')}"
        if one.raised is not None:
            refused.append(told)
        elif one.report is not None:
            items.append(_item(one.report))
        else:
            items.append({**_NOTHING, "workspace_path": one.path, "warnings": [told]})
    return _remarked(items, [*remarks, *refused])


def _remarked(items: list[Json], remarks: list[str]) -> list[Json]:
    """The items with the remarks at the first."""
    first, *rest = items
    return [{**first, "warnings": [*remarks, *first["warnings"]]}, *rest]


_NOTHING: Mapping[str, Any] = {
    "success": False,
    "files_processed": 0,
    "files_skipped": 0,
    "total_segments": 0,
    "processing_time_seconds": 0.0,
    "collection_name": "",
    "timeout_files": [],
}


def _item(run: Run) -> Json:
    report = run.report
    if report is None:
        told = f"still running: call index_status with job_id {run.job.job_id}"
        return {
            **_NOTHING,
            "success": True,
            "files_processed": run.job.done,
            "processing_time_seconds": progress(run.job).seconds,
            "collection_name": index_of(run.job),
            "workspace_path": str(run.folder),
            "warnings": [told],
            "job_id": run.job.job_id,
        }
    return {
        "success": True,
        "files_processed": report.files_added + report.files_updated,
        "files_skipped": report.files_skipped + report.files_unchanged,
        "total_segments": report.chunks,
        "processing_time_seconds": round(report.seconds, 3),
        "collection_name": report.index_name,
        "workspace_path": report.root_path,
        "timeout_files": list(report.timeout_files),
        "warnings": list(report.warnings),
    }


def _answer(items: list[Json], _: Arguments) -> Json:
    if len(items) == 1:
        return items[0]
    sums = ("files_processed", "files_skipped", "total_segments", "processing_time_seconds")
    return {
        **items[0],
        "success": all(item["success"] for item in items),
        **{name: sum(item[name] for item in items) for name in sums},
        "timeout_files": [file for item in items for file in item["timeout_files"]],
        "warnings": [text for item in items for text in item["warnings"]],
        "workspaces": items,
    }


def _configured(call: Call, path: str, remarks: list[str]) -> Json:
    """The overrides that a JSON configuration of Code Index means; raises ConfigurationError."""
    text = _text_of(call, path)
    if text is None:
        remarks.append(f"config: {path} does not exist, and is not created")
        return {}
    try:
        values = loads(text)
    except (JSONDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not JSON: {error}", hint="correct the file, or leave out config") from None
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} is not a JSON object", hint="correct the file, or leave out config")
    if foreign := [name for name in _FOREIGN if name in values]:
        remarks.append(
            f"config: {', '.join(foreign)} have no effect: embedding and database are set in cocosearch.yaml"
        )
    unknown = [name for name in values if name not in (*_OVERRIDES, *_FOREIGN) and not name.startswith("search_")]
    if unknown:
        remarks.append(f"config: unknown {', '.join(unknown)}"[:500])
    return {
        name: value
        for name, value in values.items()
        if name in _OVERRIDES and name not in _FOREIGN and not name.startswith("search_")
    }


def _listed(call: Call, path: str) -> list[str]:
    """The folders of a list, as absolute paths; raises ValidationError."""
    text = _text_of(call, path)
    if text is None:
        raise ValidationError(f"the list {path} does not exist", hint="give a text file with one folder per line")
    base = call.folder_to_index(str(Path(path).parent))
    folders = list(dict.fromkeys(entries_of(text, base)))
    if len(folders) > MAX_WORKSPACES:
        raise ValidationError(f"the list names more than {MAX_WORKSPACES} workspaces", hint="split it")
    return folders


def _text_of(call: Call, path: str) -> str | None:
    """A file in a folder that the caller may have indexed; None when it is not there. Raises SafetyError."""
    folder = call.folder_to_index(str(Path(path).parent))
    try:
        with FolderReader(str(folder), _MAX_FILE_BYTES) as reader:
            data = reader.read(Path(path).name)
    except OSError:
        return None
    if not isinstance(data, bytes):
        raise ValidationError(f"{path} is not a readable file", hint="give a text file of at most 1 MB")
    return data.decode("utf-8", "replace")


OPERATION: "Operation[Arguments, list[Json]]" = Operation(
    name="index",
    title="Index a workspace",
    arguments=Arguments,
    run=index,
    shape=_answer,
    answer=Answer,
    about_project=True,
    failed=failed,
)
