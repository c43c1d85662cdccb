"""One call of an operation by the person at the command line, who may see and do everything on this machine."""

import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cocosearch_py.app import App
from cocosearch_py.cli.loading import load
from cocosearch_py.cli.progress import open_progress, open_steps
from cocosearch_py.cli.questions import confirmed
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.streams import put, stop_waiting, write_in_handler
from cocosearch_py.discovery.extent import WIDE, is_wide
from cocosearch_py.errors import OperationCancelled, SafetyError, WideFolderError
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.model.counts import counted
from cocosearch_py.tools.call import Call, Found, Place, Selection
from cocosearch_py.tools.declaration import Operation, Waiting

if TYPE_CHECKING:
    from cocosearch_py.indexing.forecast_report import Forecast
    from cocosearch_py.jobs.registry import JobStatus
    from cocosearch_py.model.indexes import IndexRecord
    from cocosearch_py.tools.call import Removable

R = TypeVar("R")
_STOPPING = b"\nstopping; keeping what is done (Ctrl-C again aborts at once)\n"
_ABORTED = "aborted: the index is unchanged; the next run continues from the last checkpoint, if there is one"
_LIST_ABORTED = "aborted: finished folders are kept, all other indexes are unchanged"


class CommandCall(Call):
    """Made for each command, under the settings of the folder that it works on."""

    settles = True

    def __init__(self, session: Session, app: App, selection: Selection) -> None:
        super().__init__(selection)
        self._session = session
        self._app = app
        self.overrides: Mapping[str, object] = {}  # of settings, by the command's flags
        self.detached = False  # whether a worker is to do its runs
        self.stopped: Callable[[], bool] | None = None  # whether a command that goes on after a run is to end
        self._is_one_of_several = False  # runs that one command makes

    @property
    def here(self) -> Selection:
        """The index of the current folder."""
        return Selection(place=Place((self._session.folder,), "working folder"))

    def app(self, folder: Path | None = None) -> App:
        return self._app

    def go_on_by_itself(self) -> None:
        """Do the following work as nobody's request; see `App.by_itself`."""
        self._app = self._app.by_itself()

    def renew_settings(self, folder: Path) -> None:
        """Go on under the settings of a folder as they are now. Raises ConfigurationError."""
        self._app = self.app_of_entry(folder)

    def app_of_entry(self, folder: Path) -> App:
        return self._app.under(self._session.load(self.overrides, start=folder).settings)

    def find_in(self, records: "list[IndexRecord]", app: App) -> Found:
        found = super().find_in(records, app)
        self._session.roots.update(record.root_path for record in found.records)
        return found

    def folder_to_index(self, text: str) -> Path:
        return Path(text) if text else self._session.folder

    def start_run(self, app: App, folder: Path, name: str | None, options: IndexingOptions) -> "JobStatus":
        """Run to the end, with progress; the first Ctrl-C stops it and keeps what is done. Detached: leave it."""
        if self.detached:
            return app.runs.enqueue(load("tools.requests.request_of")(app, folder, name, options))
        try:
            return self._run(app, folder, name, options)
        except WideFolderError as error:
            if self._is_one_of_several or not sys.stdin.isatty():
                raise
            put(error.message, sys.stderr)
            if not confirmed("Index it?"):
                raise OperationCancelled("nothing was indexed", hint="name a smaller folder") from None
            return self._run(app, folder, name, replace(options, confirmed=True))

    def forecast(self, app: App, folder: Path, name: str | None, options: IndexingOptions) -> "Forecast":
        """Forecast a run and show its progress; announce a look at a whole disk before it begins."""
        if is_wide(root := folder.resolve(), options.home):
            self.tell(f"{root} {WIDE}: checking all files below it, which may take minutes (Ctrl-C stops)")
        with open_progress(self._session) as progress:
            return app.forecast(folder, name=name, options=options, progress=progress)

    def each(self, works: Sequence[Callable[[Call], R]]) -> list[R]:
        """Do the works one after the other; the first Ctrl-C stops the current run, and no other begins."""
        if self.detached:
            return super().each(works)
        with stopping(_STOPPING, quiet=self._session.quiet, aborted=_LIST_ABORTED) as stopped:
            call = copy(self)
            call.stopped, call._is_one_of_several = stopped, True
            return [work(call) for work in works]

    @property
    def is_stopped(self) -> bool:
        return self._is_one_of_several and self.stopped is not None and self.stopped()

    def may_delete(self, records: "Sequence[Removable]", *, at_once: bool) -> bool:
        if not sys.stdin.isatty():
            raise SafetyError(f"refused to delete {_counted(records)} without confirmation", hint="add --force")
        told = ", ".join(f"'{record.name}' ({counted(record.file_count, 'file')})" for record in records)
        return confirmed(f"Delete {told}?")

    def may_edit(self, told: str, key: str, diff: Callable[[], Sequence[str]], *, required: bool) -> bool:
        if sys.stdin.isatty():
            load("features.edit.views.show_diff")(self._session.error_console, diff())
            return confirmed(f"{told[:1].upper()}{told[1:]}?")
        if required:
            raise SafetyError(f"refused to {told} without confirmation", hint="add --yes")
        return True

    def wait(self, waiting: Waiting[Any]) -> "JobStatus":
        """The job when it has ended or the time is up, with progress until then; Ctrl-C leaves it."""
        job = waiting.job
        if job.ended or waiting.wait_s <= 0 or self.detached:
            return job
        deadline_s = time.monotonic() + waiting.wait_s
        with stopping(b"", quiet=True) as left, open_progress(self._session) as progress:
            ended: JobStatus = load("tools.requests.until_ended")(
                self.jobs, job, progress, lambda: left() or time.monotonic() > deadline_s
            )
            return ended

    def working(self) -> AbstractContextManager[Callable[[str], None]]:
        return open_steps(self._session)

    def tell(self, text: str) -> None:
        self._session.note(text)

    def _run(self, app: App, folder: Path, name: str | None, options: IndexingOptions) -> "JobStatus":
        session = self._session
        ending = nullcontext(self.stopped) if self.stopped else stopping(_STOPPING, quiet=session.quiet)
        with ending as cancelled, open_progress(self._session) as progress:
            done: JobStatus = load("tools.requests.run_here")(app, folder, name, options, progress, cancelled)
            return done


def report_of(operation: Operation[Any, Any], asked: Any, call: CommandCall) -> Any:
    """Run an operation, wait for its job if it begins one, and return its report."""
    report = call.run(operation.run, asked)
    return report.then(call.wait(report)) if isinstance(report, Waiting) else report


def _counted(records: "Sequence[Removable]") -> str:
    return f"index '{records[0].name}'" if len(records) == 1 else f"{len(records)} indexes"


@contextmanager
def stopping(
    told: bytes, *numbers: signal.Signals, quiet: bool, aborted: str = _ABORTED
) -> Iterator[Callable[[], bool]]:
    """Lend a flag that the first Ctrl-C sets, as any of these signals does; a further one aborts, in these words."""
    asked = False

    def stop(_number: int, _frame: object) -> None:
        nonlocal asked
        stop_waiting()
        if asked:
            raise KeyboardInterrupt
        asked = True
        write_in_handler(b"" if quiet else told)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, *numbers)}
    try:
        yield lambda: asked
    except KeyboardInterrupt:
        raise OperationCancelled(aborted, hint="run the same command again") from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
