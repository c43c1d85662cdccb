"""The call of a tool: services, the indexes it is about, and a way to ask the caller.

This is a caller on this machine, who may see and do everything; a server narrows it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from cocosearch_py.catalog.selection import by_name
from cocosearch_py.errors import CocosearchError, ConfigurationError, FeatureMissingError
from cocosearch_py.model.indexes import IndexRecord, Pending, UnreadableIndex
from cocosearch_py.model.ports import OfFiles

if TYPE_CHECKING:  # brings psycopg and numpy, which a server's first answer does without
    from cocosearch_py.app import App
    from cocosearch_py.discovery.options import DiscoveryOptions
    from cocosearch_py.indexing.forecast_report import Forecast
    from cocosearch_py.indexing.options import IndexingOptions
    from cocosearch_py.jobs.registry import JobStatus
    from cocosearch_py.jobs.run_store import Runs
    from cocosearch_py.model.search import SearchReport, SearchRequest
    from cocosearch_py.storage.queries.cleared import Cleared

    Removable = IndexRecord | UnreadableIndex | Cleared  # an index, or one that can be restored

FEATURE_SETTINGS = {"symbol": "indexing.symbols", "graph": "indexing.graph"}
F = TypeVar("F", bound=OfFiles)
R = TypeVar("R")
A = TypeVar("A")
_PATIENCE_S = 30.0  # for the index of a file that a command has written; nobody else would bring it up to date
_MOST_SURVEYED = 3  # folders that a call walks


def no_survey(_: IndexRecord) -> None:
    """Look at no folder as a whole."""


def without_feature(record: IndexRecord, feature: str) -> FeatureMissingError:
    """The error for an index that was made without a feature that a call needs."""
    return FeatureMissingError(
        f"index '{record.name}' has no {feature} data, which this needs",
        hint=f"index the folder again with {feature} among its features ({FEATURE_SETTINGS[feature]})",
    )


class Place(NamedTuple):
    """Where a caller is. `client_roots` are kept apart: over stdio they may also be indexed."""

    folders: tuple[Path, ...]
    source: str  # roots, project parameter, server project or working folder
    client_roots: tuple[Path, ...] = ()


class Selection(NamedTuple):
    """Which indexes a call asks for: by name, else those of a place."""

    names: tuple[str, ...] = ()
    place: Place | None = None


class Found(NamedTuple):
    """The indexes that a call is about. `missing` are names that were asked for and are not there."""

    app: "App"
    records: tuple[IndexRecord, ...]
    place: Place | None  # None when the call named its indexes
    missing: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()  # what an answer should say of these indexes


class Call(ABC):
    """One call of an operation.

    `settles`: what flags say is in the settings that its services have, those of entries included.
    """

    settles = False

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.needs = ""  # the feature that its indexes must have been made with; none if empty
        self._surveyed = set[str]()
        self._asked: object = ""
        self.doubts: dict[str, None] = {}  # what looks have said of files that are not as on disk

    @abstractmethod
    def app(self, folder: Path | None = None) -> "App":
        """The services under the settings of a folder; without one, of the caller's."""

    def app_of_entry(self, folder: Path) -> "App":
        """The services under a folder's own settings, where the call is about others as well."""
        return self.app(folder)

    @abstractmethod
    def folder_to_index(self, text: str) -> Path:
        """The folder that a path in the arguments means.

        Raises:
            ValidationError, SafetyError, WorkspaceError: it is not a folder that the caller may have indexed.
        """

    @abstractmethod
    def start_run(self, app: "App", folder: Path, name: str | None, options: "IndexingOptions") -> "JobStatus":
        """Begin to bring an index up to date; where nobody else is served meanwhile, this also ends it."""

    def forecast(self, app: "App", folder: Path, name: str | None, options: "IndexingOptions") -> "Forecast":
        """Return the effects and costs of a run; see `App.forecast`."""
        return app.forecast(folder, name=name, options=options)

    def each(self, works: "Sequence[Callable[[Call], R]]") -> "list[R]":
        """Do works of one call that each begin a run."""
        return [work(self) for work in works]

    @property
    def is_stopped(self) -> bool:
        """Whether no further run is to begin."""
        return False

    def wait_for(self, job: "JobStatus", seconds: float) -> "JobStatus":  # it has ended here
        """A run that was begun, as it is when it has ended or the time is up."""
        return job

    def may_write(self, root_path: str) -> bool:
        """Whether the caller may have indexes of a folder written."""
        return True

    @abstractmethod
    def may_delete(self, records: "Sequence[Removable]", *, at_once: bool) -> bool:
        """Ask whether these indexes may be deleted; `at_once` when the call named one to be deleted at once.

        Raises:
            SafetyError: the caller must say so, and cannot be asked.
        """

    @property
    def masks_secrets(self) -> bool:
        """Whether the caller sees secrets of files as asterisks."""
        return False

    @property
    def author(self) -> str:
        """Return the name of the client, or of this program, for the log of changes."""
        return "the command line"

    def take_in(self, app: "App", record: IndexRecord, path: str) -> str | None:
        """Have a file that was just written in the index; why it is not, in words, or None. See `App.take_in`."""
        return app.take_in(record, path, patience_s=_PATIENCE_S)

    @abstractmethod
    def may_edit(self, told: str, key: str, diff: Callable[[], Sequence[str]], *, required: bool) -> bool:
        """Ask whether a file may be changed.

        Args:
            told: what would be done, as "overwrite a.py".
            key: the same for what is the same.
            diff: makes the lines of what would change, for whoever is asked.
            required: without an answer it may not.
        Raises:
            SafetyError: the caller cannot be asked.
        """

    @property
    def jobs(self) -> "Runs":
        """The runs of indexing, of every process, that the caller may know of."""
        return self.app().runs

    def visible(self, app: "App") -> list[IndexRecord]:
        """All indexes that the caller may know of, by name."""
        return app.catalog.list_all()

    def unfinished(self, app: "App") -> list[IndexRecord]:
        """First builds that were cut off, of folders that the caller may know of; see `Catalog.unfinished`."""
        return app.catalog.unfinished()

    def unreadable(self, app: "App") -> list[UnreadableIndex]:
        """Indexes whose rows cannot be read, of folders that the caller may know of; see `Catalog.list_unreadable`."""
        return app.catalog.list_unreadable()

    def restorable(self, app: "App") -> "list[Cleared]":
        """Cleared indexes that can be restored, of folders that the caller may know of, the last cleared first."""
        return app.catalog.restorable()

    def named(self, app: "App", name: str) -> IndexRecord:
        """Index by name; raises IndexNotFoundError with the nearest names."""
        return by_name(self.visible(app), [name]).records[0]

    def name_of(self, app: "App", text: str) -> str:
        """The name that a name or an id means, also of an index that is still to be made; else the text itself."""
        return app.catalog.name_of(text)

    def find(self) -> Found:
        """The indexes that the call is about.

        Raises:
            IndexNotFoundError: unknown names, with the nearest ones.
            NotIndexedError: the place has no index.
            IndexCollisionError: the place's configuration names an index that holds another folder.
        """
        place = self.selection.place
        app = self.app(place.folders[0] if place else None)
        return self.find_in(self.visible(app), app)

    def find_in(self, records: list[IndexRecord], app: "App") -> Found:
        """Find the indexes of the call among these."""
        place = self.selection.place
        if place is None:
            chosen = by_name(records, self.selection.names)
            return Found(app, self._fit(chosen.records), None, chosen.missing)
        return Found(app, self._fit(app.catalog.of_folders(records, place.folders)), place)

    def _fit(self, records: tuple[IndexRecord, ...]) -> tuple[IndexRecord, ...]:
        """Those of the indexes that have what the call needs; raises FeatureMissingError if none has."""
        fit = tuple(record for record in records if not self.needs or record.has(self.needs))
        if records and not fit:
            raise without_feature(records[0], self.needs)
        return fit

    def search(
        self, app: "App", request: "SearchRequest", record: IndexRecord, *, use_cache: bool = False
    ) -> "tuple[IndexRecord, SearchReport]":
        """Search an index that `find` gave, and compare the answer with the disk."""
        search = partial(app.searches.search, request, record.name, use_cache=use_cache)
        return app.answer(search, self._may_repair, self.survey, self.rules)

    def look(self, app: "App", record: IndexRecord, look: Callable[[], F], *, may_be_empty: bool = False) -> F:
        """Return a service's report on files of an index of `find`, compared with the disk; see `App.look`.

        An answer about no file lacks what was asked for, unless it `may_be_empty`.
        """
        found = app.look(record, look, self._may_repair, no_survey if may_be_empty else self.survey, self.rules)
        if found.stale:
            self.doubts[found.stale] = None
        return found

    def _may_repair(self, record: IndexRecord) -> bool:
        return self.may_write(record.root_path)

    def run(self, operation: "Callable[[Any, A], R]", asked: A) -> R:
        """Run an operation; the words of its arguments say which files of many are examined first.

        An error also says what may be missing in what was looked at before it.
        """
        self._asked = asked
        try:
            return operation(self, asked)
        except CocosearchError as error:
            error.message = "; ".join([error.message, *self.doubts])
            raise

    def survey(self, record: IndexRecord) -> Pending | None:
        """Return new and changed files of an index's folder: once a call, of the first indexes that lack something."""
        is_due = record.name not in self._surveyed and len(self._surveyed) < _MOST_SURVEYED
        if is_due and self.may_write(record.root_path):
            self._surveyed.add(record.name)
            with suppress(ConfigurationError):  # of that folder, which those who index it are told
                return self.app_of_entry(Path(record.root_path)).pending(record, repr(self._asked))
        return None

    def rules(self, record: IndexRecord) -> "DiscoveryOptions":
        """Which files of the folder of an index a run would read."""
        with suppress(ConfigurationError):  # the next run reports a wrong configuration of that folder
            return self.app_of_entry(Path(record.root_path)).indexing_options().discovery
        return self.app().indexing_options().discovery

    def ask_drift(self, app: "App", record: IndexRecord) -> Callable[[], str | None]:
        """Begin to ask how the checkout moved since the index was made; the answer comes when it is wanted."""
        return lambda: app.catalog.drift(record)

    def changed(self) -> None:  # noqa: B027  # whoever keeps nothing has nothing to do
        """Learn that indexes came, went or changed."""

    def working(self) -> AbstractContextManager[Callable[[str], None]]:
        """Lend a function that says which step of a long work begins; for a person who waits."""
        return nullcontext(lambda _: None)

    def tell(self, text: str) -> None:  # noqa: B027  # a program hears of it in the answer
        """Tell a person who waits why it takes long."""

    def told(self, error: CocosearchError) -> str:
        """The message of an error, as the caller may read it."""
        return error.message

    def described(self, error: CocosearchError) -> dict[str, Any]:
        """An error as a member of an answer."""
        return {"error": error.message, "error_type": error.error_type, "message": error.message}
