"""Composition root: joins the services of the product to one object that every front end calls.

Nothing is opened before it is used: listing indexes loads no model, `--help` starts no server.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from cocosearch_py.catalog.service import Catalog, CatalogOptions
from cocosearch_py.config.load import adjusted
from cocosearch_py.config.settings import Settings
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.embedding.models import DEFAULT_MODEL, open_embedder
from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.errors import CocosearchError, OperationCancelled, WorkspaceError
from cocosearch_py.indexing.options import IndexingOptions, WorkerLimits
from cocosearch_py.indexing.progress import Progress, ProgressSink, RunReport
from cocosearch_py.indexing.repairs import Repairs, naming_of_new
from cocosearch_py.model.indexes import IndexRecord, Pending, name_at
from cocosearch_py.model.paths import storable_path
from cocosearch_py.model.plain import from_plain
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.private import data_folder_with
from cocosearch_py.model.search import SearchReport, SearchRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.server.database import Database, DatabaseOptions
from cocosearch_py.wiring.options import embedding_options, indexing_options

# Indexing brings the parsers, evaluation many patterns, the others dozens of modules: a search needs none of them, and
# a run that finds nothing to do takes a twentieth of its time to load those of a search.
if TYPE_CHECKING:
    from cocosearch_py.editing.log import ChangeLog
    from cocosearch_py.editing.service import Editor
    from cocosearch_py.editing.soundness import Parsers
    from cocosearch_py.editing.undo import Undoing
    from cocosearch_py.graph.service import Graphs
    from cocosearch_py.indexing.forecast_report import Forecast
    from cocosearch_py.indexing.pending import Unmoved
    from cocosearch_py.indexing.pool import WorkerPool
    from cocosearch_py.indexing.repairs import Repairs
    from cocosearch_py.indexing.run import Resources, Thresholds
    from cocosearch_py.jobs.run_store import Runs
    from cocosearch_py.model.files import Naming
    from cocosearch_py.model.verdicts import Verdict
    from cocosearch_py.navigation.service import Navigation
    from cocosearch_py.search.cache import SearchCaches
    from cocosearch_py.search.service import SearchService
    from cocosearch_py.search.verify import Answer, F, Repair, Rules, Survey
    from cocosearch_py.transfer.service import Transfers

T = TypeVar("T")


def _no_progress(_: Progress) -> None: ...


class App:
    """The services under one folder's settings. Close it, or use it as a context manager.

    Args:
        settings: resolved settings.
        data_folder: where the embedded server keeps its data.
        global_ignore_file: git's user-wide ignore file.
        home: the user's home folder.
        may_start: whether the embedded server is started when somebody stopped it.
    """

    def __init__(
        self,
        settings: Settings,
        data_folder: Path,
        global_ignore_file: Path | None = None,
        home: Path | None = None,
        *,
        may_start: bool = True,
    ) -> None:
        self.settings = settings
        self.opened_at = datetime.now(UTC)
        self.thresholds: Thresholds | None = None  # of runs; None: the defaults
        self.repair_wait_s = 0.2  # that an answer waits for repairs of its files
        self._is_by_itself = False
        self._base: App | None = None  # the app whose model and workers this one uses
        self._global_ignore_file = global_ignore_file
        self._home = home
        self._data_folder = data_folder
        chosen = settings.database
        self.database = Database(
            DatabaseOptions(data_folder, chosen.url, chosen.pool_size, chosen.statement_timeout_ms, may_start=may_start)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def under(self, settings: Settings) -> "App":
        """Return these services under another folder's settings; database, model, workers and cache are shared.

        What the settings say of the database and the model does not count; only this app needs closing.
        """
        other = copy(self)
        for name in (name for name, member in vars(App).items() if isinstance(member, cached_property)):
            other.__dict__.pop(name, None)
        other.settings = replace(settings, database=self.settings.database, embedding=self.settings.embedding)
        other._base = self._base or self
        return other

    def by_itself(self) -> "App":
        """Return these services for background work, which does not start an embedded server that was stopped."""
        other = self.under(self.settings)
        other.database = self.database.by_itself()
        other._is_by_itself = True
        return other

    def close(self) -> None:
        """End worker processes and connections; the embedded server stays for others until it is idle."""
        if self._base is None and "_repairs" in self.__dict__:
            self._repairs.close()
            del self.__dict__["_repairs"]
        if self._base is None and "_parsers" in self.__dict__:
            self._parsers.close()
            del self.__dict__["_parsers"]
        if "_pool" in self.__dict__:
            self._pool.close()
            del self.__dict__["_pool"]
        self.database.close()

    @cached_property
    def embedder(self) -> Embedder:
        return self._base.embedder if self._base is not None else open_embedder(self._embedding)

    @property
    def has_bundled_model(self) -> bool:
        """Whether all processes share the model through the page cache; any other one is loaded once, here."""
        return self._embedding.provider == "fastembed" and self._embedding.model in {None, DEFAULT_MODEL}

    @cached_property
    def catalog(self) -> Catalog:
        chosen = self.settings
        return Catalog(self.database, CatalogOptions(chosen.index_name, chosen.linked_indexes, self._home))

    @cached_property
    def searches(self) -> "SearchService":
        from cocosearch_py.search.service import SearchService

        return SearchService(self.database, lambda: self.embedder, self.settings.search.weights, self._search_caches)

    @cached_property
    def _search_caches(self) -> "SearchCaches":
        """Caches that searches under all settings share."""
        if self._base is not None:
            return self._base._search_caches
        from cocosearch_py.search.cache import SearchCaches

        return SearchCaches()

    @cached_property
    def navigation(self) -> "Navigation":
        from cocosearch_py.navigation.service import Navigation

        return Navigation(self.database, lambda: self.indexing_options().discovery)

    @cached_property
    def graphs(self) -> "Graphs":
        from cocosearch_py.graph.service import Graphs

        return Graphs(self.database)

    @property
    def data_folder(self) -> Path:
        """Where the embedded server keeps its data."""
        return self._data_folder

    @property
    def exports_folder(self) -> Path:
        """Where bundles go of whoever may not choose; made if it is not there."""
        return data_folder_with(self._data_folder, "exports")

    @cached_property
    def runs(self) -> "Runs":
        """All runs of the database, of whatever process."""
        from cocosearch_py.jobs.run_store import Runs

        return Runs(self.database, partial(from_plain, RunReport))

    @cached_property
    def change_log(self) -> "ChangeLog":
        """All changes of files, of whatever process."""
        if self._base is not None:
            return self._base.change_log
        from cocosearch_py.editing.log import ChangeLog

        return ChangeLog(self.database, self.settings.edit.keep_days, self.settings.edit.keep_megabytes * 2**20)

    @cached_property
    def undoing(self) -> "Undoing":
        """Takes logged changes back."""
        from cocosearch_py.editing.undo import Undoing

        return Undoing(self.change_log, self.editor.allowed)

    @cached_property
    def editor(self) -> "Editor":
        """Changes files, by the user's rules."""
        from cocosearch_py.wiring.editing import editor

        return editor(self.change_log, self._parsers, self.settings.edit, self._data_folder, self._global_ignore_file)

    @cached_property
    def _parsers(self) -> "Parsers":
        if self._base is not None:
            return self._base._parsers
        from cocosearch_py.editing.soundness import Parsers

        return Parsers()

    @cached_property
    def transfers(self) -> "Transfers":
        from cocosearch_py.indexing.stored import check_stored
        from cocosearch_py.transfer.service import Transfers

        return Transfers(self.database, check_stored)

    def search(
        self,
        request: SearchRequest,
        *,
        index_name: str | None = None,
        folder: Path | None = None,
        use_cache: bool = False,
    ) -> tuple[IndexRecord, SearchReport]:
        """Search one index: the named one, else the one of the folder.

        Raises:
            IndexNotFoundError, ValidationError.
        """
        return self.searches.search(request, self._name_of(index_name, folder), use_cache=use_cache)

    def answer(
        self,
        search: "Callable[[], Answer]",
        may_repair: Callable[[IndexRecord], bool] = lambda _: True,
        survey: "Survey | None" = None,
        rules: "Rules | None" = None,
    ) -> "Answer":
        """Return the result of a search, compared with the disk; see `search.verify`.

        Args:
            search: makes the search; again, if files were repaired.
            may_repair: whether whoever asks may have the index written.
            survey: looks at a whole folder; by default `pending`.
            rules: of the folder of an index; by default those of this app's settings.
        """
        if self.settings.search.freshness == "off":
            return search()
        from cocosearch_py.search.verify import verified

        chosen = rules or self._rules
        return verified(search, self._repairing(may_repair, chosen), chosen, survey or self.pending, self.repair_wait_s)

    def look(
        self,
        record: IndexRecord,
        look: "Callable[[], F]",
        may_repair: Callable[[IndexRecord], bool] = lambda _: True,
        survey: "Survey | None" = None,
        rules: "Rules | None" = None,
    ) -> "F":
        """Return a service's report on files of an index, compared with the disk in the same way.

        Args:
            record: the index.
            look: asks the service; again, if files were repaired.
            may_repair: whether whoever asks may have the index written.
            survey: looks at a whole folder; by default `pending`.
            rules: of the folder of an index; by default those of this app's settings.
        """
        if self.settings.search.freshness == "off":
            return look()
        from cocosearch_py.search.verify import verified_files

        chosen = rules or self._rules
        repair = self._repairing(may_repair, chosen)
        return verified_files(lambda: (record, look()), repair, chosen, survey or self.pending, self.repair_wait_s)

    def pending(self, record: IndexRecord, asked: str = "") -> Pending | None:
        """Find new and changed files of an index's folder; None for a large one, which takes long to walk.

        Of many files, those that the question names come first.
        """
        from cocosearch_py.indexing.pending import MOST_FILES, find_pending

        if not record.is_detached and record.status == "complete" and record.file_count <= MOST_FILES:
            with suppress(WorkspaceError):  # the folder is not there
                return find_pending(record, self.indexing_options(), self.database, self._unmoved, asked)
        return None

    def _rules(self, _: IndexRecord) -> DiscoveryOptions:
        return self.indexing_options().discovery

    def _repairing(self, may_repair: Callable[[IndexRecord], bool], rules: "Rules") -> "Repair":
        def repair(
            record: IndexRecord, paths: Sequence[str], budget_s: float, new: "Mapping[str, Naming | None]"
        ) -> str | None:
            if self.settings.search.freshness == "check":
                return "the setting search.freshness rules it out"
            if not may_repair(record):
                return "this server does not allow indexing of the folder"
            return self._repairs.repair(record, paths, rules(record), budget_s=budget_s, new=new)

        return repair

    def take_in(self, record: IndexRecord, path: str, *, patience_s: float) -> str | None:
        """Bring a file that was just written up to date in an index, or into it; why not, in words, or None.

        Args:
            path: relative to the root of the index, as on disk.
            patience_s: how long to wait for it.
        """
        if self.settings.search.freshness != "repair":
            return "the setting search.freshness rules it out"
        stored, new, options = storable_path(path), None, self.indexing_options()
        if self.navigation.hash_of_file(stored, record) is None:
            new = naming_of_new(record, path, options)
            if new is None:
                return "the index excludes it: `cocosearch-py why FILE` shows why"
        return self._repairs.repair(record, [stored], options.discovery, budget_s=patience_s, new=new)

    def expect_repairs(self, report: SearchReport) -> None:
        """Load what repairs of an answer's files need, beside whatever else is done; the next answer may need one."""
        if self.settings.search.freshness == "repair":
            self._repairs.expect(hit.language_id for hit in report.hits)

    def index(
        self,
        folder: Path,
        *,
        name: str | None = None,
        options: IndexingOptions | None = None,
        progress: ProgressSink = _no_progress,
        cancelled: Callable[[], bool] = lambda: False,
        fence: Callable[[Connection], None] = lambda _: None,
        is_suspect: bool = False,
    ) -> RunReport:
        """Bring the index of a folder up to date; see `indexing.pipeline.run_indexing` for the errors.

        Without a name: the configured one, else the one this folder already has, else the folder's. That of a commit
        is made of it, see `model.indexes.name_at`. For `fence` and `is_suspect` see `indexing.run.RunControl`.
        """
        chosen = options or self.indexing_options()
        named = self.name_of_run(folder, name, chosen)
        self.change_log.recover(str(folder.resolve()))
        report = self._run(folder, named, chosen, progress, cancelled, fence, is_suspect=is_suspect)
        if chosen.revision is not None:
            self.catalog.drop_old_commits(report.root_path)
        return report

    def index_each(
        self,
        folders: Iterable[Path],
        *,
        progress: ProgressSink = _no_progress,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[RunReport | CocosearchError]:
        """Bring the indexes of several folders up to date, as `index` does, one after the other.

        Args:
            cancelled: ends the current run, which keeps what is done; others do not begin.
        Returns:
            The report or the error of each folder, in their order.
        """

        def index(folder: Path) -> RunReport | CocosearchError:
            try:
                if cancelled():
                    raise OperationCancelled(f"{folder} was not started", hint="index it again")
                return self.index(folder, progress=progress, cancelled=cancelled)
            except CocosearchError as error:
                return error

        return [index(folder) for folder in folders]

    def _run(
        self,
        folder: Path,
        name: str,
        options: IndexingOptions,
        progress: ProgressSink,
        cancelled: Callable[[], bool],
        fence: Callable[[Connection], None] = lambda _: None,
        *,
        is_suspect: bool = False,
    ) -> RunReport:
        from cocosearch_py.indexing.pipeline import run_indexing
        from cocosearch_py.indexing.run import RunControl

        control = RunControl(progress, cancelled, fence, is_suspect, tries_killed=not self._is_by_itself)
        return run_indexing(folder, name, options, self._resources, control)

    def name_of_run(self, folder: Path, name: str | None, options: IndexingOptions) -> str:
        """The index that a run with these arguments makes or updates; see `index`."""
        chosen = name or self.catalog.name_for(folder)
        return name_at(chosen, options.commit) if options.commit else chosen

    def forecast(
        self,
        folder: Path,
        *,
        name: str | None = None,
        options: IndexingOptions | None = None,
        progress: ProgressSink = _no_progress,
        machine_speed: float | None = None,
    ) -> "Forecast":
        """Report what `index` with the same arguments would do and cost; writes nothing. See `indexing.forecast`."""
        from cocosearch_py.indexing.forecast import forecast

        chosen = options or self.indexing_options()
        named = self.name_of_run(folder, name, chosen)
        return forecast(folder, named, chosen, self._resources, progress=progress, machine_speed=machine_speed)

    def explain_files(
        self, root: Path, paths: Sequence[str], record: IndexRecord | None, options: IndexingOptions | None = None
    ) -> "list[Verdict]":
        """Why each of these files is in an index or not; see `indexing.why`."""
        from cocosearch_py.indexing.why import explain

        return explain(root, paths, record, options or self.indexing_options(), self.database)

    def indexing_options(
        self, *, fresh: bool = False, confirmed: bool = False, changes: Mapping[str, object] | None = None
    ) -> IndexingOptions:
        """Options of a run as the settings have them, with other values of some for this run, by dotted key.

        Raises:
            ConfigurationError: such a value is wrong.
        """
        return indexing_options(
            adjusted(self.settings, changes or {}),
            fresh=fresh,
            confirmed=confirmed,
            global_ignore_file=self._global_ignore_file,
            home=self._home,
        )

    def _name_of(self, index_name: str | None, folder: Path | None) -> str:
        if index_name is not None:
            return self.catalog.name_of(index_name)
        return self.catalog.of_folders(self.catalog.list_all(), [folder or Path.cwd()])[0].name

    @property
    def _embedding(self) -> EmbeddingOptions:
        return embedding_options(self.settings.embedding)

    @cached_property
    def _repairs(self) -> "Repairs":
        if self._base is not None:
            return self._base._repairs
        return Repairs(lambda: self._resources)

    @cached_property
    def _unmoved(self) -> "Unmoved":
        if self._base is not None:
            return self._base._unmoved
        from cocosearch_py.indexing.pending import Unmoved

        return Unmoved()

    @property
    def _resources(self) -> "Resources":
        from cocosearch_py.indexing.run import Resources, Thresholds

        base = self._base or self
        return Resources(
            base.database,
            lambda: base._pool,
            lambda: base.embedder,
            embed_here=not base.has_bundled_model,
            workers=self.settings.indexing.workers,
            limits=self._worker_limits,
            thresholds=self.thresholds or Thresholds(),
        )

    @cached_property
    def _pool(self) -> "WorkerPool":
        from cocosearch_py.indexing.pool import WorkerPool

        embedding = self._embedding if self.has_bundled_model else None
        return WorkerPool(self.settings.indexing.workers, embedding, self._worker_limits)

    @property
    def _worker_limits(self) -> WorkerLimits:
        chosen = self.settings.indexing
        return WorkerLimits(chosen.file_timeout, chosen.file_memory_mb * 1024**2)
