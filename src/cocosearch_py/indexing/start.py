"""The start of a run or a dry run: the index as it is and as it will be, the ledger to compare with, and the plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from cocosearch_py.discovery.git import repository_state
from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.errors import IndexCollisionError, IndexNotFoundError, WorkspaceError
from cocosearch_py.indexing.checkpoint import find_build
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.indexing.plan import Plan, decide, decide_failed, without_killed
from cocosearch_py.model.indexes import FORMAT_VERSION, IndexRecord, in_ns
from cocosearch_py.model.paths import storable_path
from cocosearch_py.model.ports import Embedder
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.builds import Build
from cocosearch_py.storage.queries.indexes import find_by_name
from cocosearch_py.storage.write.writer import StoredFile, load_ledger


class OpenModel(Protocol):
    """Opens the model of an index; see `run.Resources.model`."""

    def __call__(self, *, vector: bool) -> Embedder: ...


@dataclass(frozen=True, slots=True)
class Start:
    """Starting point of a run.

    Attributes:
        options: those of the run; a retry of failed files has those of the index.
        old: the index as it is; None when there is none.
        record: the row that the run will write; a new index has no `table_name` yet.
        rebuilt: why unchanged files of the old index cannot stay, in words.
        build: the unfinished build that the run goes on with.
        ledger: the stored files to compare the folder with, by path; `read_ns` as in `plan.decide`.
    """

    options: IndexingOptions
    old: IndexRecord | None
    record: IndexRecord
    rebuilt: str | None = None
    build: Build | None = None
    ledger: Mapping[str, StoredFile] = field(default_factory=dict)
    read_ns: int = 0

    @property
    def building(self) -> bool:
        """Whether the run writes an index of its own, instead of changing the old one."""
        return self.old is None or self.rebuilt is not None


def find_start(
    conn: Connection, root: Path, name: str, options: IndexingOptions, model: OpenModel, *, tries_killed: bool = True
) -> Start:
    """Look up what a run starts from.

    Args:
        tries_killed: whether the run tries again the files for which the system killed a worker.
    Raises:
        IndexCollisionError: the name belongs to another folder, or to another commit.
        IndexNotFoundError, WorkspaceError: failed files are to be retried of an index that is not there, or that needs
            a full run.
    """
    start = start_without_ledger(root, name, find_by_name(conn, name), options, model)
    build = find_build(conn, start.record) if start.building and not start.options.fresh else None
    record = replace(start.record, index_id=build.index_id) if build else start.record
    ledger = load_ledger(conn, record.index_id) if build or not start.building else {}
    return replace(
        start,
        record=record,
        build=build,
        ledger=without_killed(ledger) if tries_killed else ledger,
        read_ns=in_ns(build.read_at) if build else record.read_ns,
    )


def start_without_ledger(
    root: Path, name: str, old: IndexRecord | None, options: IndexingOptions, model: OpenModel
) -> Start:
    """Compare the options of a run with those of the index; raises as `find_start` does."""
    if options.only_failed:
        options = _as_before(name, old, options)
    record = intended_record(root, name, old, options, model(vector=options.content.vector))
    rebuilt = why_rebuilt(old, record, options) if old is not None else None
    if options.only_failed and old is not None:
        reason = rebuilt if old.status == "complete" else "it is incomplete"
        if reason is not None:
            raise WorkspaceError(
                f"index '{old.name}' needs a full run ({reason}), not only a retry of failed files",
                hint=f"run `cocosearch-py index {old.root_path}`",
            )
        record = replace(record, git_branch=old.git_branch, git_commit=old.git_commit)
    return Start(options, old, record, rebuilt)


def plan_folder(
    root: Path,
    options: IndexingOptions,
    ledger: Mapping[str, StoredFile],
    read_ns: int,
    *,
    commit: str | None = None,
    bounded: bool = False,
) -> Plan:
    """Walk a folder, or a commit of it, and plan what a run does with it.

    Args:
        bounded: refuse what is too much to index without asking.
    Raises:
        WorkspaceError, SafetyError: as `walk.discover`.
    """
    origin = open_origin(root, commit)
    found = origin.walk(replace(options.discovery, bounded=bounded))
    classes = Classifier(root, [entry.path for entry in found], options.content_classes, origin.attributes)
    decisions = (decide_failed if options.only_failed else decide)(found, ledger, classes.name, read_ns)
    return Plan.of(decisions)


def intended_record(
    root: Path, name: str, old: IndexRecord | None, options: IndexingOptions, embedder: Embedder
) -> IndexRecord:
    """Return the row that a run will write, counts still those of the last run; a new index has no `table_name` yet.

    Raises:
        IndexCollisionError: the name belongs to another folder, or to another commit.
    """
    root_path = storable_path(str(root))
    if old is not None and old.root_path != root_path:
        raise IndexCollisionError(
            f"index '{name}' belongs to {old.root_path}, not to {root_path}",
            hint=f"choose another name with --name, or remove the old index with `cocosearch-py clear {name}`",
        )
    if old is not None and options.commit not in (None, old.git_commit):
        raise IndexCollisionError(
            f"index '{name}' is of commit {old.git_commit}, whose id starts like {options.commit}",
            hint=f"remove it with `cocosearch-py clear {name}`",
        )
    branch, commit = options.revision or _checked_out(root)
    now = datetime.now(UTC)
    return IndexRecord(
        index_id=old.index_id if old else 0,  # a build takes one
        name=name,
        table_name=old.table_name if old else "",
        root_path=root_path,
        status=old.status if old else "complete",
        generation=old.generation if old else 0,
        format_version=FORMAT_VERSION,
        options=options.stored(),
        embedding_model=embedder.name,
        embedding_dimension=embedder.dimension,
        chunk_count=old.chunk_count if old else 0,
        file_count=old.file_count if old else 0,
        git_branch=branch,
        git_commit=commit,
        weights=old.weights if old else None,
        created_at=old.created_at if old else now,
        updated_at=now,
        seconds=old.seconds if old else 0.0,
        bytes_per_second=old.bytes_per_second if old else None,
        ulid=old.ulid if old else "",  # a run reserves one
        read_at=old.read_at if old else None,
    )


def _checked_out(root: Path) -> tuple[str | None, str | None]:
    """Branch and commit of the folder's work tree."""
    state = repository_state(root)
    return (state.branch, state.commit) if state else (None, None)


def why_rebuilt(old: IndexRecord, new: IndexRecord, options: IndexingOptions) -> str | None:
    """Why unchanged files of the old index cannot stay as they are, in words; None when they can."""
    if options.fresh:
        return "a full rebuild was requested"
    if old.format_version != new.format_version:
        return "it was built by another version of the program"
    if (old.embedding_model, old.embedding_dimension) != (new.embedding_model, new.embedding_dimension):
        return f"its vectors come from the model {old.embedding_model}"
    changed = sorted(key for key in {*old.options, *new.options} if old.options.get(key) != new.options.get(key))
    return f"settings changed: {', '.join(changed)}" if changed else None


def _as_before(name: str, old: IndexRecord | None, options: IndexingOptions) -> IndexingOptions:
    """The options with which the index was made; raises IndexNotFoundError."""
    if old is None:
        hint = "index the whole folder first"
        raise IndexNotFoundError(f"no index '{name}' exists whose failed files could be retried", hint=hint)
    return replace(options, content=ContentOptions.from_stored(old.options), fresh=False)
