"""Resources in the shapes that Mimir's API documents, with its names of stages."""

from datetime import UTC, datetime, timedelta

from cocosearch_py.errors import CocosearchError, NotFoundError
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.resources import reports
from cocosearch_py.resources.addresses import Address, Kind
from cocosearch_py.resources.facts import ServerFacts
from cocosearch_py.resources.reports import Figures, counted, entry, figures, figures_if_there, place
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call

_STATES = {"complete": "completed", "interrupted": "cancelled"}  # other states have the same names
# Its six stages by ours. Snippets are made with the embeddings here, and there is no bundle before one is asked for.
_STAGES = {
    "acquire": "acquire",
    "scanning": "acquire",
    "parse": "repomapper",
    "indexing": "repomapper",
    "graph": "serena",
    "embed": "leann",
    "finalize": "bundle",
    "finishing": "bundle",
}
_DOING = {
    "acquire": "Discovering files",
    "repomapper": "Analyzing source files",
    "serena": "Resolving imports and references",
    "leann": "Generating vector embeddings",
    "bundle": "Putting the index in its place",
}
_CONTEXT_LINES = 5  # Mimir's default


_NAMES = {Kind.STATUS: "Status", Kind.MANIFEST: "Manifest", Kind.LOG: "Log", Kind.BUNDLE: "Bundle"}


def error_text(address: Address | None, error: CocosearchError, message: str) -> str:
    """Return Mimir's content of a resource that cannot be read; `message` is that of the error."""
    if address is not None and isinstance(error, NotFoundError):
        message = f"{_NAMES.get(address.kind, 'Resource')} not found for index {address.index_name[:100]}"
    return f"Error reading resource: {message}"


def server_status(call: Call, _: str, facts: ServerFacts) -> Json:
    """`repo://status`."""
    running = list(dict.fromkeys(job["index_name"] for job in reports.unfinished_jobs(call)))
    return {
        "server_info": {"name": facts.name, "version": facts.version, "uptime": facts.uptime_s},
        "active_pipelines": running,
        "pipeline_count": len(running),
        "storage_dir": str(call.app().data_folder) if facts.shows_storage else "",
    }


def status(call: Call, index_name: str, facts: ServerFacts) -> Json:
    """`mimir://indexes/{index_id}/status.json`."""
    told = reports.status(call, index_name, facts)
    state = _STATES.get(told["state"]) or str(told["state"])
    stage: str = "bundle" if state == "completed" else _STAGES.get(told.get("stage") or "", "acquire")
    started, expected = _times(told)
    return {
        "index_id": told.get("index_id") or index_name,
        "state": state,
        "stage": stage,
        "progress": told["progress"],
        "started_at": started,
        "estimated_completion": expected,
        "current_operation": _doing(told, state, stage),
        "error": told.get("message") if state == "failed" else None,
    }


def _times(told: Json) -> tuple[str, str | None]:
    now = datetime.now(UTC)
    if "last_indexed_at" in told and "seconds" not in told:  # no run is known
        return told["last_indexed_at"], told["last_indexed_at"]
    eta_s = told.get("eta_s")
    expected = None if eta_s is None else _iso(now + timedelta(seconds=eta_s))
    return _iso(now - timedelta(seconds=told.get("seconds") or 0)), expected


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _doing(told: Json, state: str, stage: str) -> str:
    if state != "running":
        return ""
    doing = told.get("current_operation") or _DOING[stage]
    total = told.get("files_total")
    return f"{doing} ({told.get('files_done', 0):,} of {total:,} files)" if total else doing


def manifest(call: Call, index_name: str, facts: ServerFacts) -> Json:
    """`mimir://indexes/{index_id}/manifest.json`; `paths` are parts of a bundle."""
    found = figures(call, index_name)
    record = found.record
    chosen = call.jobs.options_of(record.name) or {}
    context_lines = chosen.get("context_lines")
    return {
        "index_id": record.ulid,
        "repo": {
            "root": record.root_path,
            "rev": record.git_commit or "",
            "worktree_dirty": bool(found.dirty),
        },
        "config": {
            "languages": _languages(found),
            "excludes": chosen.get("discovery", {}).get("exclude", []),
            "context_lines": _CONTEXT_LINES if context_lines is None else context_lines,
            "features": found.features,
        },
        "counts": {
            "files_total": found.files_total,
            "files_indexed": record.file_count,
            "symbols_defs": found.definitions,
            "symbols_refs": found.links[0],
            "vectors": found.stats.vectors,
        },
        "paths": {
            "repomap": "repomap.md" if found.features["graph"] else "tables/dependencies.copy",
            "serena_graph": "tables/refs.copy",
            "leann_index": "tables/vectors.copy",
            "vectors": "tables/vectors.copy",
            "snippets": "tables/chunks.copy",
            "bundle": Kind.BUNDLE.value,
        },
        "versions": {
            "repomapper": f"{facts.name} {facts.version}",
            "serena": f"index format {record.format_version}",
            "leann": f"{record.embedding_model}, {record.embedding_dimension} dimensions",
        },
    }


def _languages(found: Figures) -> list[str]:
    """Extensions without their dot, as Mimir names languages; the id of one that has none."""
    known = [LANGUAGES.get(one.language_id) for one in found.stats.languages]
    return [one.extensions[0].lstrip(".") if one.extensions else one.id for one in known if one is not None]


def log(call: Call, index_name: str, facts: ServerFacts) -> str:
    """`mimir://indexes/{index_id}/log.md`."""
    now = status(call, index_name, facts)
    found = figures_if_there(call, index_name)
    parts = [f"# Pipeline Log for {index_name}", *(_held(found) if found is not None else ())]
    if now["state"] in ("queued", "running", "failed"):
        what = [text for text in (now["current_operation"], now["error"]) if text]
        parts.append(entry(datetime.now(UTC), f"Pipeline {now['state']}: {now['stage']}", what))
    return "\n\n".join(parts) + "\n"


def _held(found: Figures) -> list[str]:
    record = found.record
    began = datetime.fromtimestamp(record.updated_at.timestamp() - record.seconds, UTC)
    files, symbols, chunks, seconds = counted(found)
    return [
        entry(began, "Pipeline Started", [f"Repository: {record.root_path}", *place(record)]),
        entry(began, "Stage: Acquire", [files]),
        entry(record.updated_at, "Stage: RepoMapper", [symbols]),
        entry(record.updated_at, "Stage: LEANN", [chunks]),
        entry(record.updated_at, "Stage: Bundle", [f"Pipeline {_STATES.get(record.status, record.status)}: {seconds}"]),
    ]
