"""Runs as the front ends ask for them: written down as requests, done here, or followed where others do them."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cocosearch_py.config.environment import variable_name
from cocosearch_py.config.keys import setting_values
from cocosearch_py.config.settings import EmbeddingSettings, IndexingSettings, Settings
from cocosearch_py.errors import CocosearchError, ConfigurationError, OperationCancelled, RunLostError
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.progress import ACQUIRE, FINALIZE, Progress, ProgressSink, RunReport
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.jobs.run_store import Runs
from cocosearch_py.model.indexes import IndexRecord, check_name
from cocosearch_py.model.paths import storable_path
from cocosearch_py.model.plain import from_plain, to_plain
from cocosearch_py.model.redaction import redact
from cocosearch_py.storage.server.stopping import Work

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.config.settings import Settings
    from cocosearch_py.jobs.recorder import Recorder

_SECRET_NAMES = {"embedding.apiKey": "api_key", "embedding.baseUrl": "base_url"}  # the latter may hold a password
_POLL_S = 0.2


def request_of(
    app: "App", folder: Path, name: str | None, options: IndexingOptions, visible: Sequence[Path] = ()
) -> RunRequest:
    """Return the request in a form that a row can hold.

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
        limit_s=app.settings.jobs.progress_timeout,
        visible=tuple(str(one) for one in visible) or None,
    )


def completion_of(app: "App", record: IndexRecord) -> RunRequest:
    """Asks for what an imported index answers without, but faster with."""
    settings, _ = _settings(app.settings)
    return RunRequest(
        index_name=record.name,
        name=record.name,
        folder=record.root_path,
        settings=settings,
        limit_s=app.settings.jobs.progress_timeout,
        completes=True,
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
            is_suspect=runs.is_suspect(begun),
        )

    return runs.record(begun, work, request.limit_s)


def perform(
    app_for: "Callable[[RunRequest], App]", request: RunRequest, recorder: "Recorder", *, is_suspect: bool = False
) -> "RunReport":
    """Do a run that another process asked for.

    Args:
        app_for: the services under the settings that it was asked for with.
        request: what is asked for.
        recorder: writes it down.
        is_suspect: see `Runs.is_suspect`.

    Raises:
        CocosearchError: that of the run, or it cannot be done by this process.
    """
    if request.completes:
        return _complete(app_for(request), request, recorder)
    try:
        options = from_plain(IndexingOptions, request.options)
    except ValueError as error:
        raise ConfigurationError(
            f"another version of the program requested this run: {error}", hint="request it again"
        ) from error
    if request.visible is not None:
        roots = [Path(one) for one in request.visible]
        options = replace(options, may_see=lambda path: any(Path(path).is_relative_to(root) for root in roots))
    return app_for(request).index(
        Path(request.folder),
        name=request.name,
        options=options,
        progress=recorder.tell,
        cancelled=recorder.stopped,
        fence=recorder.fence,
        is_suspect=is_suspect,
    )


def _complete(app: "App", request: RunRequest, recorder: "Recorder") -> "RunReport":
    recorder.tell(Progress(FINALIZE, 0, 0))
    ended, work = threading.Event(), Work()
    threading.Thread(target=_stop_when_asked, args=(recorder, work, ended), daemon=True).start()
    try:
        record = app.transfers.complete(request.index_name, request.folder, recorder.fence, work)
    except CocosearchError:
        if not recorder.stopped():
            raise
        return RunReport(request.index_name, request.folder, "", interrupted=True)
    finally:
        ended.set()
    return RunReport(record.name, record.root_path, record.table_name, chunks=record.chunk_count, index_id=record.ulid)


def _stop_when_asked(recorder: "Recorder", work: Work, ended: threading.Event) -> None:
    """End the statement of a run that is asked to stop: it looks at nothing else meanwhile."""
    while not ended.wait(_POLL_S):
        if recorder.stopped():
            work.stop()
            return


def settings_of(request: RunRequest, own: "Callable[[], Settings]") -> "Settings":
    """The settings that a run was asked for with.

    Args:
        request: what is asked for.
        own: those of this process for the folder; only they hold secrets.

    Raises:
        ConfigurationError: a secret that the caller had is not set here; or it is of another version.
    """
    values = setting_values(own()) if request.needs else {}
    for key in request.needs:
        if values[key] is None:
            raise ConfigurationError(
                f"the run needs the setting {key}, which is not set for the worker",
                hint=f"set {variable_name(key)} where the worker runs, and index again",
            )
    try:
        embedding = from_plain(EmbeddingSettings, request.settings["embedding"])
        indexing = from_plain(IndexingSettings, request.settings["indexing"])
    except ValueError as error:
        raise ConfigurationError(f"another version of the program requested this run: {error}") from error
    secrets: dict[str, Any] = {_SECRET_NAMES[key]: values[key] for key in request.needs}
    return Settings(embedding=replace(embedding, **secrets), indexing=indexing)


def follow(runs: Runs, job: JobStatus, progress: ProgressSink, cancelled: Callable[[], bool]) -> JobStatus:
    """Wait for the end of a run that another process does, and pass on how far it is.

    Raises:
        OperationCancelled: `cancelled` meanwhile, or the run was.
        CocosearchError: that of the run.
    """
    job = until_ended(runs, job, progress, cancelled)
    if not job.ended:
        hint = f"stop it with: `cocosearch-py cancel {job.job_id}`"
        raise OperationCancelled(f"stopped following job {job.job_id}, which is still running", hint=hint)
    if job.error is not None:
        raise job.error
    if job.result is None:
        raise OperationCancelled(f"job {job.job_id} was cancelled before it started", hint="run the command again")
    return job


def until_ended(runs: Runs, job: JobStatus, progress: ProgressSink, stopped: Callable[[], bool]) -> JobStatus:
    """The run when it has ended, or `stopped`; passes on how far it is."""
    while not (job := runs.look(job.job_id)).ended and not stopped():
        progress(Progress(job.stage or ACQUIRE, job.done, job.total))
        time.sleep(_POLL_S)
    return job


def _settings(settings: "Settings") -> tuple[dict[str, object], tuple[str, ...]]:
    """The settings that a run needs besides its options, and the dotted keys of secret ones."""
    kept = to_plain(settings.embedding, leave_out=tuple(_SECRET_NAMES.values()))
    chosen = settings.embedding
    needs: tuple[str, ...] = ("embedding.apiKey",) if chosen.api_key else ()
    if chosen.base_url is not None and redact(chosen.base_url) == chosen.base_url:
        kept["base_url"] = chosen.base_url
    elif chosen.base_url is not None:
        needs += ("embedding.baseUrl",)
    limits = {name: getattr(settings.indexing, name) for name in ("workers", "file_timeout", "file_memory_mb")}
    return {"embedding": kept, "indexing": limits}, needs
