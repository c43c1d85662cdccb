"""One call of an operation by a client of a server: it sees and does what the server's rules allow."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cocosearch_py.catalog.selection import EVERY, project_root
from cocosearch_py.errors import (
    CocosearchError,
    IndexCollisionError,
    IndexNotFoundError,
    NotIndexedError,
    UnconfirmedError,
)
from cocosearch_py.jobs.registry import RUNNING, Control, JobStatus
from cocosearch_py.model.indexes import IndexRecord, UnreadableIndex, unknown_index
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.processes import Question
from cocosearch_py.server.watches import MOST_RUN_S
from cocosearch_py.tools.call import Call, F, Found, Selection

if TYPE_CHECKING:  # brings psycopg and numpy, which `initialize` does without
    from cocosearch_py.app import App
    from cocosearch_py.indexing.options import IndexingOptions
    from cocosearch_py.indexing.progress import Progress, RunReport
    from cocosearch_py.jobs.run_store import Runs
    from cocosearch_py.model.search import SearchReport, SearchRequest
    from cocosearch_py.storage.queries.cleared import Cleared
    from cocosearch_py.tools.call import Removable

CROWD = 3  # open calls from which searches go to other processes; an agent may ask two things at once
_DRIFT_WAIT_S = 0.3  # a slow disk must not hold an answer
_looking = ThreadPoolExecutor(1, thread_name_prefix="checkout")


class ConfirmationNeededError(Exception):
    """The call goes on when a person has said yes or no to a question; `key` is the same for what is the same.

    `yes` is what stands beside the box that means yes.
    """

    def __init__(self, key: str, question: str, yes: str) -> None:
        super().__init__(question)
        self.key, self.question, self.yes = key, question, yes


class ServerCall(Call):
    """Made for each call; `arguments` are as the client gave them: what they name may stand in a message."""

    def __init__(self, context: ServerContext, selection: Selection, arguments: Mapping[str, Any]) -> None:
        super().__init__(selection)
        self._context = context
        self._arguments = arguments
        # What the person behind the client said to questions, by their keys; None when nobody can be asked.
        self.said: Mapping[str, bool] | None = None
        self.client = "an agent"  # as it names itself

    @property
    def author(self) -> str:
        return self.client

    def app(self, folder: Path | None = None) -> "App":
        return self._context.app(folder)

    @property
    def jobs(self) -> "Runs":
        return self.app().runs.seen_by(self._context.access.may_see)

    def visible(self, app: "App") -> list[IndexRecord]:
        return self._context.visible(app)

    def unfinished(self, app: "App") -> list[IndexRecord]:
        return self._context.unfinished(app)

    def unreadable(self, app: "App") -> list[UnreadableIndex]:
        return [one for one in app.catalog.list_unreadable() if self._context.access.may_see(one.root_path)]

    def restorable(self, app: "App") -> "list[Cleared]":
        return [one for one in app.catalog.restorable() if self._context.access.may_see(one.root_path)]

    def name_of(self, app: "App", text: str) -> str:
        return app.catalog.name_of(text, self._context.access.may_see)

    def find(self) -> Found:
        place = self.selection.place
        app = self.app(place.folders[0] if place else None)
        recent = self._context.recent(app)
        if recent is not None and EVERY not in self.selection.names:
            with suppress(IndexNotFoundError, IndexCollisionError):
                found = self.find_in(recent, app)
                if not found.missing:
                    return found
        records = self.visible(app)
        try:
            return self.find_in(records, app)
        except NotIndexedError as error:
            if place is None:
                raise
            error.details["detected_by"] = place.source
            if all(self._context.access.may_see(str(project_root(folder))) for folder in place.folders):
                raise
            names = ", ".join(record.name for record in records) or "none exist yet"
            raise NotIndexedError(  # the same whether or not the folder exists, and of what project it is
                "Index not found: the call names no index, and its folder is outside those that this server shows",
                hint=f"name an index ({names})",
                details={"detected_by": place.source},
            ) from None

    def search(
        self, app: "App", request: "SearchRequest", record: IndexRecord, *, use_cache: bool = False
    ) -> "tuple[IndexRecord, SearchReport]":
        """Search an index that `find` gave, in a process of its own if many calls are open; compare it with the disk.

        Raises:
            IndexNotFoundError: it went away since, or another one has its name now that clients may not know of.
        """
        context = self._context

        def answer() -> "tuple[IndexRecord, SearchReport]":
            found = None
            if context.open_calls >= CROWD and app.has_bundled_model:
                found = context.processes.search(Question(app.settings, request, record.name, use_cache))
            return found or app.searches.search(request, record.name, use_cache=use_cache)

        try:
            used, report = app.answer(answer, self._may_repair, self.survey, self.rules)
        except IndexNotFoundError:
            self.named(app, record.name)  # whose hint names those that clients may know of
            raise
        if not context.access.may_see(used.root_path):
            raise unknown_index(record.name, self.visible(app))
        if not context.options.read_only:
            app.expect_repairs(report)
        self._follow(app, used)
        return used, report

    def look(self, app: "App", record: IndexRecord, look: Callable[[], F], *, may_be_empty: bool = False) -> F:
        found = super().look(app, record, look, may_be_empty=may_be_empty)
        self._follow(app, record)
        return found

    def _follow(self, app: "App", record: IndexRecord) -> None:
        """Watch an index that a call is about, where that is asked for."""
        options = self._context.options
        if not options.read_only and (options.watch or app.settings.indexing.watch):
            self._watch(record)

    def _watch(self, record: IndexRecord) -> None:
        """Begin to follow the files of an index, unless that is done already or clients may not have it written."""
        context, root = self._context, Path(record.root_path)
        if (
            record.name in context.watches
            or record.commit is not None
            or not self._may_repair(record)
            or not root.is_dir()
        ):
            return
        app = self.app(root).by_itself()

        def read_options() -> "IndexingOptions":
            nonlocal app
            app = self.app(root).by_itself()
            return app.indexing_options()

        def run() -> None:
            options = app.indexing_options()
            begun = RUNNING
            while begun == RUNNING:  # a run that was joined on its way may have looked before the change
                job = self._run_here(app, root, record.name, options)
                begun = job.state
                job = context.jobs.wait(job.job_id, MOST_RUN_S)
            if job.error is not None:
                raise job.error

        context.watches.begin(record.name, root, read_options, run, app.settings.indexing.watch_debounce_ms)

    @property
    def masks_secrets(self) -> bool:
        return not self._context.options.show_secrets

    def may_write(self, root_path: str) -> bool:
        place = self.selection.place
        roots = place.client_roots if place else ()
        return not self._context.options.read_only and self._context.access.may_index(root_path, roots)

    def wait_for(self, job: JobStatus, seconds: float) -> JobStatus:
        return self.jobs.wait(job.job_id, seconds) if seconds > 0 else job

    def ask_drift(self, app: "App", record: IndexRecord) -> Callable[[], str | None]:
        """Begin to look at the checkout, unless that is known; the result waits for a moment at most."""
        context = self._context
        if context.knows_drift(record):
            told = context.drift(app, record)
            return lambda: told
        asked = _looking.submit(context.drift, app, record)
        return lambda: asked.result() if wait([asked], timeout=_DRIFT_WAIT_S).done else None

    def folder_to_index(self, text: str) -> Path:
        place = self.selection.place
        if place is None:
            raise ValueError("this operation needs a project")
        return self._context.access.folder_to_index(text, project_root(place.folders[0]), place.client_roots)

    def start_run(self, app: "App", folder: Path, name: str | None, options: "IndexingOptions") -> JobStatus:
        """Have a worker do a run, which outlives this server; an unfinished like one is joined."""
        from cocosearch_py.tools.requests import request_of

        return app.runs.enqueue(request_of(app, folder, name, options, self._context.options.roots))

    def _run_here(self, app: "App", folder: Path, name: str, options: "IndexingOptions") -> JobStatus:
        """Do a run in this process, which ends with it; an unfinished one for the same index is joined."""
        from cocosearch_py.tools.requests import run_here

        seen = replace(options, may_see=self._context.access.may_see)

        def work(control: Control) -> "RunReport":
            def tell(progress: "Progress") -> None:
                control.tell(progress.stage, progress.files_done, progress.files_total)

            try:
                done = run_here(app, folder, name, seen, tell, control.cancelled)
                report: RunReport = done.result
                return report
            finally:
                self._context.forget()

        chosen = app.name_of_run(folder, name, options)
        return self._context.jobs.start(f"{folder}\0{chosen}", chosen, work)

    def may_delete(self, records: "Sequence[Removable]", *, at_once: bool) -> bool:
        if at_once:
            return True
        told = f"{len(records)} indexes: {', '.join(one.name for one in records)}"
        key = "delete-" + hashlib.sha256(" ".join(sorted(one.ulid for one in records)).encode()).hexdigest()[:16]
        if self.said is not None and key not in self.said:
            raise ConfirmationNeededError(key, f"Delete {told}?", "Yes, delete them")
        if self.said is not None and self.said[key]:
            return True
        raise UnconfirmedError(
            f"this would delete {told}" if self.said is None else f"the user declined to delete {told}",
            hint="to confirm, call again with confirm=true" if self.said is None else "do not delete them",
            details={
                "would_delete": [one.name for one in records],
                "total": len(records),
                "chunks": sum(one.chunk_count for one in records),
            },
        )

    def may_edit(self, told: str, key: str, diff: Callable[[], Sequence[str]], *, required: bool) -> bool:
        if self.said is None:
            if required:
                raise UnconfirmedError(
                    f"the user must confirm before this server may {told}, but this client cannot ask",
                    hint="the user's setting edit.confirm requires it",
                )
            return True
        if key not in self.said:
            question = "\n".join([f"{told[:1].upper()}{told[1:]}?", "", *diff()])
            raise ConfirmationNeededError(key, question.rstrip("\n"), "Yes, write it")
        return self.said[key]

    def take_in(self, app: "App", record: IndexRecord, path: str) -> str | None:
        return app.take_in(record, path, patience_s=app.repair_wait_s)

    def changed(self) -> None:
        self._context.forget()

    def told(self, error: CocosearchError) -> str:
        return self._context.explainer.clean(error.message, self._arguments)

    def described(self, error: CocosearchError) -> dict[str, Any]:
        return self._context.explainer.described(error, self._arguments)
