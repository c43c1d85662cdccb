"""Toolset `index`: make, watch, list, count and remove indexes."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastmcp import Context
from pydantic import Field

from cocosearch_py.mcp.site import Site
from cocosearch_py.mcp.tools import schemas
from cocosearch_py.mcp.toolsets import ToolSpec
from cocosearch_py.server.places import project_root

MAX_WAIT_S = 20.0  # many clients give up on a call after 30 to 60 s
MAX_STATUS_WAIT_S = 30.0

JobId = Annotated[str | None, Field(description="From index_codebase")]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexArguments:
    """Parameters of index_codebase."""

    path: Annotated[str, Field(description="Folder to index; relative to the project")]
    index_name: Annotated[str | None, Field(description="Name for the index; null: derived from the path")] = None
    fresh: Annotated[bool, Field(description="Build anew, also what has not changed")] = False
    include: Annotated[list[str] | None, Field(description="Only files that match these globs")] = None
    exclude: Annotated[list[str] | None, Field(description="No files that match these globs")] = None
    wait_s: Annotated[float, Field(description="Seconds to wait for the end, 0-20")] = MAX_WAIT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusArguments:
    """Parameters of index_status."""

    job_id: JobId = None
    index_name: Annotated[str | None, Field(description="Or the index; neither: all jobs")] = None
    wait_s: Annotated[float, Field(description="Seconds to wait for the end, 0-30")] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelArguments:
    """Parameters of cancel_indexing."""

    job_id: JobId = None
    index_name: Annotated[str | None, Field(description="Or the index that is being made")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoArguments:
    """Parameters of list_indexes: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsArguments:
    """Parameters of index_stats."""

    index_name: Annotated[str | None, Field(description="Omit for all indexes")] = None
    include_failures: Annotated[bool, Field(description="List files that did not parse cleanly")] = False
    include_skipped: Annotated[bool, Field(description="List files that are not indexed, and why")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearArguments:
    """Parameters of clear_index."""

    index_name: Annotated[str | None, Field(description="The index to delete, at once")] = None
    index_names: Annotated[list[str] | None, Field(description="Several; needs confirm")] = None
    older_than_days: Annotated[int | None, Field(description="All not updated for so long; needs confirm")] = None
    all: Annotated[bool, Field(description="Every index; needs confirm")] = False
    confirm: Annotated[bool, Field(description="Yes, delete more than one")] = False
    dry_run: Annotated[bool, Field(description="Only tell what would be deleted")] = False


async def index_codebase(site: Site, ctx: Context, asked: IndexArguments) -> Any:
    """Index a folder so that it can be searched, or bring its index up to date; unchanged files are not read again.

    Waits at most 20 s: an answer with state "running" has a job_id for index_status. Files that git ignores and
    secrets are left out.
    """
    from cocosearch_py.mcp.tools.indexing import finished, follow, start

    place = await site.projects.place_of(ctx)
    folder = site.access.folder_to_index(asked.path, project_root(place.folders[0]), place.client_roots)
    job = await site.run(partial(start, site, folder, asked))
    return finished(await follow(site, ctx, job, min(asked.wait_s, MAX_WAIT_S)), folder)


async def index_status(site: Site, ctx: Context, asked: StatusArguments) -> Any:
    """Tell how far indexing is, or what state an index is in."""
    from cocosearch_py.mcp.tools.indexing import follow, job_of, job_status, status_without_job

    job = job_of(site, asked.job_id, asked.index_name)
    if job is None:
        return await site.run(partial(status_without_job, site, asked.index_name))
    return job_status(site, await follow(site, ctx, job, min(asked.wait_s, MAX_STATUS_WAIT_S), cancels=False))


async def cancel_indexing(site: Site, ctx: Context, asked: CancelArguments) -> Any:
    """Stop a running index job; what it has done so far is kept."""
    from cocosearch_py.mcp.tools.indexing import cancel

    return await cancel(site, ctx, asked.job_id, asked.index_name)


async def list_indexes(site: Site, ctx: Context, asked: NoArguments) -> Any:
    """List all code indexes: names, tables, folders, sizes."""
    from cocosearch_py.mcp.tools.inventory import all_indexes

    return await site.run(partial(all_indexes, site))


async def index_stats(site: Site, ctx: Context, asked: StatsArguments) -> Any:
    """Count what an index holds: files, chunks, size, languages, symbols, parse health, staleness."""
    from cocosearch_py.mcp.tools.inventory import stats

    return await site.run(partial(stats, site, asked))


async def clear_index(site: Site, ctx: Context, asked: ClearArguments) -> Any:
    """Delete an index for good. The source files stay; index_codebase makes it again."""
    from cocosearch_py.mcp.tools.inventory import clear

    return await site.run(partial(clear, site, asked))


SPECS = (
    ToolSpec(
        name="list_indexes",
        title="List indexes",
        toolset="index",
        arguments=NoArguments,
        body=list_indexes,
        output=schemas.INDEXES,
    ),
    ToolSpec(
        name="index_stats",
        title="Index statistics",
        toolset="index",
        arguments=StatsArguments,
        body=index_stats,
        output=schemas.STATS,
    ),
    ToolSpec(
        name="clear_index",
        title="Delete an index",
        toolset="index",
        arguments=ClearArguments,
        body=clear_index,
        output=schemas.CLEARED,
        writes=True,
        destroys=True,
    ),
    ToolSpec(
        name="index_codebase",
        title="Index a folder",
        toolset="index",
        arguments=IndexArguments,
        body=index_codebase,
        output=schemas.INDEXED,
        writes=True,
        minimal=True,
    ),
    ToolSpec(
        name="index_status",
        title="Progress of indexing",
        toolset="index",
        arguments=StatusArguments,
        body=index_status,
        output=schemas.JOB_STATUS,
        minimal=True,
    ),
    ToolSpec(
        name="cancel_indexing",
        title="Stop indexing",
        toolset="index",
        arguments=CancelArguments,
        body=cancel_indexing,
        output=schemas.CANCELLED,
        writes=True,
    ),
)
