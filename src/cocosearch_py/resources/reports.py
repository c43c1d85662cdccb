"""The texts of our own addresses: what the operations tell, and figures of the index."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.discovery.revisions import changed_paths
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.indexes import FORMAT_VERSION, IndexRecord
from cocosearch_py.resources.addresses import OF_AN_INDEX, address_of
from cocosearch_py.resources.facts import ServerFacts
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Waiting
from cocosearch_py.tools.maps import PAGE_TOKENS, map_page
from cocosearch_py.tools.registry import answer_of

if TYPE_CHECKING:
    from cocosearch_py.catalog.stats import IndexStats
    from cocosearch_py.jobs.registry import JobStatus

RUNS_TOLD = 10  # in a log


def server_status(call: Call, _: str, facts: ServerFacts) -> Json:
    """The server, the indexes that the caller may see, and runs that are not done."""
    app = call.app()
    records = sorted([*call.visible(app), *call.unfinished(app)], key=lambda record: record.name)
    return {
        "server": {"name": facts.name, "version": facts.version, "uptime_s": facts.uptime_s},
        "indexes": [
            {
                "index_name": record.name,
                "index_id": record.ulid,
                "root": record.root_path,
                "status": record.status,
                "files": record.file_count,
                "chunks": record.chunk_count,
                "last_indexed_at": timestamp(record.updated_at),
                "branch": record.git_branch,
                "commit": record.git_commit,
                "status_uri": address_of(OF_AN_INDEX[0], record.name),
            }
            for record in records
        ],
        "jobs": unfinished_jobs(call),
    }


def unfinished_jobs(call: Call) -> list[Json]:
    """Jobs that wait or run, as index_status tells them."""
    jobs: list[Json] = answer_of(call, "index_status", {})["jobs"]
    return [job for job in jobs if job["state"] in ("queued", "running")]


def status(call: Call, index_name: str, _: ServerFacts) -> Json:
    """Return the answer of index_status about an index."""
    status = answer_of(call, "index_status", {"index_name": index_name})
    answer: Json = status.then(status.job) if isinstance(status, Waiting) else status
    return answer


@dataclass(frozen=True, slots=True)
class Figures:
    """An index in figures, and how it stands to its folder; `dirty` is None where git does not tell."""

    stats: "IndexStats"
    dirty: bool | None

    @property
    def record(self) -> IndexRecord:
        return self.stats.record

    @property
    def files_total(self) -> int:
        return sum(files for _, _, files in self.stats.ledger)

    @property
    def definitions(self) -> int:
        return sum(self.stats.symbols.values())

    @property
    def links(self) -> tuple[int, int]:
        """References, and dependencies between files."""
        return self.stats.links or (0, 0)

    @property
    def features(self) -> Json:
        """Which ways to search an index has."""
        return {name: self.record.has(name) for name in ("vector", "symbol", "graph")}


def figures(call: Call, index_name: str) -> Figures:
    """Count an index. Raises IndexNotFoundError."""
    app = call.app()
    record = call.named(app, index_name)
    stats = app.catalog.stats(record, StatsRequest(links=True))
    if record.commit is not None:
        return Figures(stats, dirty=False)
    changes = None if record.is_detached else changed_paths(Path(record.root_path), "HEAD", None)
    return Figures(stats, None if changes is None else bool(changes))


def manifest(call: Call, index_name: str, facts: ServerFacts) -> Json:
    """Return the folder or commit of an index, its configuration and its content."""
    found = figures(call, index_name)
    record, stats = found.record, found.stats
    return {
        "index_name": record.name,
        "index_id": record.ulid,
        "repo": {
            "root": record.root_path,
            "branch": record.git_branch,
            "rev": record.git_commit,
            "worktree_dirty": found.dirty,
        },
        "status": record.status,
        "created_at": timestamp(record.created_at),
        "last_indexed_at": timestamp(record.updated_at),
        "config": {
            **record.options,
            "languages": [one.language_id for one in stats.languages],
            "features": found.features,
        },
        "counts": {
            "files_total": found.files_total,
            "files_indexed": record.file_count,
            "lines": sum(one.lines for one in stats.languages),
            "chunks": record.chunk_count,
            "symbols_defs": found.definitions,
            "symbols_refs": found.links[0],
            "edges": found.links[1],
            "vectors": stats.vectors,
        },
        "versions": {
            facts.name: facts.version,
            "index_format": record.format_version,
            "newest_format": FORMAT_VERSION,
            "embedding_model": record.embedding_model,
            "embedding_dimension": record.embedding_dimension,
        },
        "resources": {kind.value: address_of(kind, record.name) for kind in OF_AN_INDEX},
        "warnings": list(stats.warnings),
    }


def log(call: Call, index_name: str, facts: ServerFacts) -> str:
    """Return the last runs of an index and its content, as text for people."""
    told = status(call, index_name, facts)
    found = figures_if_there(call, told["index_name"])
    parts = [f"# Log of index {told['index_name']}"]
    for job in _last_runs(call, told, found):
        parts += [
            entry(event.at, f"Run {job.job_id}: {event.kind}", [event.message] if event.message else [])
            for event in call.app().runs.log(job.job_id)
        ]
    if found is not None:
        record = found.record
        held = [f"Folder: {record.root_path}", *place(record), *counted(found)]
        parts.append(entry(record.updated_at, f"Index {record.status}", held))
    if told["state"] not in ("completed", "interrupted"):
        at = f"{told['state']}{', stage ' + told['stage'] if told.get('stage') else ''}"
        done = f"{told.get('files_done', 0):,} of {told.get('files_total', 0):,} files"
        parts.append(entry(datetime.now(UTC), f"Now {at}", [done, *([told["message"]] if "message" in told else [])]))
    return "\n\n".join(parts) + "\n"


def _last_runs(call: Call, told: Json, found: Figures | None) -> "list[JobStatus]":
    """The last runs of an index, the oldest first; of one that is not there yet, that which makes it."""
    runs = call.app().runs
    if found is None:
        return [job for job in runs.all() if job.job_id == told.get("job_id")]
    record = found.record  # others may have had its name
    mine = [job for job in runs.seen_by(record.root_path.__eq__).all() if job.subject == record.name]
    return mine[:RUNS_TOLD][::-1]


def figures_if_there(call: Call, index_name: str) -> Figures | None:
    """Return the figures of an index as `figures` does; None while its first run goes on."""
    try:
        return figures(call, index_name)
    except IndexNotFoundError:
        return None


def counted(found: Figures) -> list[str]:
    """Sentences about what an index holds."""
    references, edges = found.links
    return [
        f"{found.files_total:,} files seen, {found.record.file_count:,} indexed",
        f"{found.definitions:,} definitions, {references:,} references, {edges:,} imports resolved to indexed files",
        f"{found.record.chunk_count:,} chunks, {found.stats.vectors:,} vectors of "
        f"{found.record.embedding_dimension} dimensions",
        f"{found.record.seconds:.1f} seconds",
    ]


def place(record: IndexRecord) -> list[str]:
    """Branch and revision of an index, in lines of a log."""
    branch = [f"Branch: {record.git_branch}"] if record.git_branch else []
    return [*branch, *([f"Revision: {record.git_commit}"] if record.git_commit else [])]


def entry(moment: datetime, title: str, lines: list[str]) -> str:
    """A section of a log."""
    when = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    return "\n".join([f"## {when} - {title}", *(f"- {line}" for line in lines)])


def repository_map(call: Call, index_name: str, _: ServerFacts) -> str:
    """Return the map of the index that `call` selects, as a page."""
    answer = answer_of(call, "get_repo_map", {"index_name": index_name, "max_tokens": PAGE_TOKENS})
    return map_page(f"Map of {call.find().records[0].name}", answer)
