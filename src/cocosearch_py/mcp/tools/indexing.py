"""Index jobs as the tools see them: start, follow, describe, cancel."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from fastmcp import Context

from cocosearch_py import answers
from cocosearch_py.errors import NotFoundError, OperationCancelled, ValidationError
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.progress import Progress, RunReport
from cocosearch_py.jobs.registry import CANCELLED, QUEUED, Control, JobStatus
from cocosearch_py.mcp.site import Site

if TYPE_CHECKING:  # the tools import this module
    from cocosearch_py.app import App
    from cocosearch_py.mcp.tools.index import IndexArguments

Json = dict[str, Any]
_POLL_S = 0.1
_CANCEL_WAIT_S = 10.0  # a batch takes well under a second; the commit of what is done may take some
_PERCENT = 100


def start(site: Site, folder: Path, asked: "IndexArguments") -> JobStatus:
    """Queue a run for a folder that clients may index; an unfinished one for the same index is joined. Blocks."""
    app = site.app(folder)
    options = _options(app, asked)
    name = asked.index_name

    def work(control: Control) -> RunReport:
        def tell(progress: Progress) -> None:
            control.tell(progress.stage, progress.files_done, progress.files_total)

        try:
            return app.index(folder, name=name, options=options, progress=tell, cancelled=control.cancelled)
        finally:
            site.forget()

    return site.jobs.start(f"{folder}\0{name or ''}", name or str(folder), work)


async def follow(site: Site, ctx: Context, job: JobStatus, wait_s: float, *, cancels: bool = True) -> JobStatus:
    """Wait for the end of a job and report its progress; with `cancels`, a cancelled call stops the job."""
    deadline = anyio.current_time() + max(0.0, wait_s)
    told: tuple[str, int] | None = None
    try:
        while not (job := site.jobs.get(job.job_id)).ended and anyio.current_time() < deadline:
            if told != (job.stage, job.done):
                told = (job.stage, job.done)
                await ctx.report_progress(job.done, job.total or None, f"{job.state} {job.stage}".strip())
            await anyio.sleep(_POLL_S)
    except anyio.get_cancelled_exc_class():
        if cancels:
            site.jobs.cancel(job.job_id)
        raise
    return job


def finished(job: JobStatus, folder: Path) -> Json:
    """The object of `index_codebase`: the result, or how to ask for it.

    Raises:
        OperationCancelled: it was stopped before it began; else the error of a failed job.
    """
    if job.error is not None:
        raise job.error
    if job.result is not None:
        state = "cancelled" if job.state == CANCELLED else "completed"
        return {**answers.index_run(job.result), "state": state, "job_id": job.job_id}
    if job.ended:  # cancelled before it began
        raise OperationCancelled(
            f"job {job.job_id} was cancelled before it began, nothing was changed", hint="call index_codebase again"
        )
    return {
        "success": True,
        **_progress(job),
        "path": str(folder),
        "message": f"still at work: call index_status with job_id {job.job_id}",
    }


def job_of(site: Site, job_id: str | None, index_name: str | None) -> JobStatus | None:
    """The job of an id, or the newest that made this index; None when no such job is known."""
    if job_id is not None:
        return site.jobs.get(job_id)
    if index_name is None:
        return None
    return next((job for job in site.jobs.all() if _name(job) == index_name), None)


def job_status(site: Site, job: JobStatus) -> Json:
    """The object of `index_status` for a job."""
    status: Json = {"success": True, **_progress(job)}
    if job.error is not None:
        status |= site.explainer.described(job.error, {})
    if job.result is not None:
        status["stats"] = answers.index_run(job.result)["stats"]
    return status


def status_without_job(site: Site, index_name: str | None) -> Json:
    """All jobs, or the stored state of an index that no job of this server made. Blocks."""
    if index_name is None:
        return {"success": True, "jobs": [job_status(site, job) for job in site.jobs.all()]}
    record = site.named(site.app(), index_name)
    return {
        "success": True,
        "index_name": record.name,
        "state": "completed" if record.status == "complete" else record.status,
        "progress": _PERCENT,
        "files": record.file_count,
        "chunks": record.chunk_count,
        "last_indexed_at": answers.timestamp(record.updated_at),
        "branch": record.git_branch,
        "commit": record.git_commit,
    }


async def cancel(site: Site, ctx: Context, job_id: str | None, index_name: str | None) -> Json:
    """Stop a job and tell what it kept. Raises ValidationError, NotFoundError."""
    if job_id is None and index_name is None:
        raise ValidationError("no job is named", hint="give job_id or index_name")
    job = job_of(site, job_id, index_name)
    if job is None:
        raise NotFoundError(f"no job of this server makes index '{index_name}'", hint="call index_status")
    site.jobs.cancel(job.job_id)
    job = await follow(site, ctx, job, _CANCEL_WAIT_S, cancels=False)
    kept = answers.index_run(job.result)["stats"] if job.result is not None else None
    return {"ok": True, "success": True, "message": f"the job is {job.state}", **_progress(job), "kept": kept}


def _options(app: "App", asked: "IndexArguments") -> IndexingOptions:
    options = app.indexing_options(fresh=asked.fresh)
    discovery = options.discovery
    if asked.include:
        discovery = replace(discovery, include=tuple(asked.include))
    if asked.exclude:
        discovery = replace(discovery, exclude=(*discovery.exclude, *asked.exclude))
    return replace(options, discovery=discovery)


def _name(job: JobStatus) -> str:
    return str(job.result.index_name) if job.result is not None else job.subject


def _progress(job: JobStatus) -> Json:
    share = _PERCENT if job.ended and job.error is None else int(_PERCENT * job.done / job.total) if job.total else 0
    running_s = (job.ended_s or time.monotonic()) - (job.started_s or time.monotonic())
    left = job.total - job.done
    return {
        "index_name": _name(job),
        "state": job.state,
        "job_id": job.job_id,
        "stage": "" if job.state == QUEUED else job.stage,
        "progress": share,
        "files_done": job.done,
        "files_total": job.total,
        "seconds": round(running_s, 1),
        "eta_s": round(running_s * left / job.done, 1) if job.done and left and not job.ended else None,
    }
