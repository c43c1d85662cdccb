"""Runs as the front ends ask for them: written down as requests, done here, or followed where others do them."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.errors import OperationCancelled, RunLostError
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.progress import ACQUIRE, Progress, ProgressSink
from cocosearch_py.jobs.book import Runs
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.model.indexes import check_name
from cocosearch_py.model.paths import storable_path
from cocosearch_py.model.plain import to_plain
from cocosearch_py.model.redaction import redact

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.config.settings import Settings
    from cocosearch_py.indexing.progress import RunReport
    from cocosearch_py.jobs.recorder import Recorder

_SECRET = ("api_key", "base_url")  # of the settings of embedding; the latter may hold a password
_POLL_S = 0.2


def request_of(
    app: "App", folder: Path, name: str | None, options: IndexingOptions, visible: Sequence[Path] = ()
) -> RunRequest:
    """What is asked for, as a row can hold it.

    Args:
        app: the services under the settings of the folder.
        folder, name, options: as for `App.index`.
        visible: the only folders whose indexes exist for whoever asks; none: all.

    Raises:
        ValidationError: no index may have the name.
    """
    chosen = name or app.catalog.name_for(folder)
    check_name(chosen)
    settings, needs = _settings(app.settings)
    return RunRequest(
        index_name=app.name_of_run(folder, chosen, options),
        name=chosen,
        folder=storable_path(str(folder.resolve())),
        options=to_plain(options),
        settings=settings,
        needs=needs,
        visible=tuple(str(one) for one in visible) or None,
    )


def run_here(
    app: "App",
    folder: Path,
    name: str | None,
    options: IndexingOptions,
    progress: ProgressSink,
    cancelled: Callable[[], bool],
) -> JobStatus:
    """Bring an index up to date in this process, in sight of all others; or follow a like run that goes on elsewhere.

    Raises:
        OperationCancelled: `cancelled` while another process did the run, which goes on.
        CocosearchError: that of the run.
    """
    runs = app.runs
    request = request_of(app, folder, name, options)
    while (begun := runs.begin(request, cancelled)).attempt is None:
        with suppress(RunLostError):  # what it was to do is still to be done
            return follow(runs, begun.job, progress, cancelled)

    def work(recorder: "Recorder") -> "RunReport":
        def tell(now: Progress) -> None:
            recorder.tell(now)
            progress(now)

        def stopped() -> bool:
            if cancelled():
                recorder.stop()
            return recorder.stopped()

        return app.index(
            folder,
            name=request.name,
            options=options,
            progress=tell,
            cancelled=stopped,
            fence=recorder.fence,
        )

    return runs.record(begun, work)


def follow(runs: Runs, job: JobStatus, progress: ProgressSink, cancelled: Callable[[], bool]) -> JobStatus:
    """Wait for the end of a run that another process does, and pass on how far it is.

    Raises:
        OperationCancelled: `cancelled` meanwhile, or the run was.
        CocosearchError: that of the run.
    """
    while not (job := runs.get(job.job_id)).ended:
        if cancelled():
            raise OperationCancelled(
                f"stopped following job {job.job_id}, which goes on",
                hint=f"stop it with: cocosearch-py cancel {job.job_id}",
            )
        progress(Progress(job.stage or ACQUIRE, job.done, job.total))
        runs.mend()
        time.sleep(_POLL_S)
    if job.error is not None:
        raise job.error
    if job.result is None:
        raise OperationCancelled(f"job {job.job_id} was cancelled before it began", hint="run the command again")
    return job


def _settings(settings: "Settings") -> tuple[dict[str, object], tuple[str, ...]]:
    """The settings that a run needs besides its options, and the dotted keys of secret ones."""
    kept = to_plain(settings.embedding, leave_out=_SECRET)
    chosen = settings.embedding
    needs: tuple[str, ...] = ("embedding.apiKey",) if chosen.api_key else ()
    if chosen.base_url is not None and redact(chosen.base_url) == chosen.base_url:
        kept["base_url"] = chosen.base_url
    elif chosen.base_url is not None:
        needs += ("embedding.baseUrl",)
    limits = {name: getattr(settings.indexing, name) for name in ("workers", "file_timeout", "file_memory_mb")}
    return {"embedding": kept, "indexing": limits}, needs
