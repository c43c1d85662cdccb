"""The catalog: everything about indexes but their content."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.catalog import selection
from cocosearch_py.catalog.freshness import doubts, drift
from cocosearch_py.catalog.stats import IndexStats, StatsRequest, collect
from cocosearch_py.discovery.git import repository_state
from cocosearch_py.errors import BusyError, IndexCollisionError, IndexNotFoundError
from cocosearch_py.model.indexes import IndexRecord, UnreadableIndex, may_be_id, unknown_index
from cocosearch_py.model.paths import storable_path
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import builds, cleared, identities
from cocosearch_py.storage.queries import indexes as store
from cocosearch_py.storage.queries.stats import count_rows, failed_files
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write import partitions

if TYPE_CHECKING:  # brings parsers of manifests
    from cocosearch_py.catalog.members import Members
    from cocosearch_py.catalog.workspaces import Workspace

MOST_COMMITS = 10  # of each folder whose indexes are kept
_USE_IS_NEWS = timedelta(hours=1)
_PLAIN = StatsRequest()
_MOST_RECLAIMED = 20


@dataclass(frozen=True, slots=True)
class CatalogOptions:
    """Configuration of indexes; `home` is the user's home folder."""

    index_name: str | None = None
    linked_indexes: tuple[str, ...] = ()
    home: Path | None = None


class Catalog:
    """Finds, counts and deletes the indexes of one database; safe for threads."""

    def __init__(self, database: Database, options: CatalogOptions) -> None:
        self._database = database
        self._options = options

    def list_all(self) -> list[IndexRecord]:
        """All indexes, by name."""
        return self._database.read(store.list_all)

    def list_unreadable(self) -> list[UnreadableIndex]:
        """Indexes whose rows cannot be read, by name; `clear_unreadable` removes one."""
        return self._database.read(store.list_unreadable)

    def find(self, name: str) -> IndexRecord:
        """The index that a name or an id means; raises IndexNotFoundError with the nearest names."""

        def read(conn: Connection) -> IndexRecord:
            found = selection.meant(store.list_all(conn), name) if may_be_id(name) else None
            return found or store.require(conn, name)

        return self._database.read(read)

    def name_of(self, text: str, may_see: Callable[[str], bool] = lambda _: True) -> str:
        """The name of the index that a name or an id means, also of one that is still to be made; else the text.

        Args:
            may_see: whether the index of a folder exists for whoever asks.
        """
        if not may_be_id(text) or not self._database.is_there:
            return text

        def read(conn: Connection) -> list[selection.Named]:
            return [
                *(record for record in store.list_all(conn) if may_see(record.root_path)),
                *(one for one in identities.reserved(conn) if may_see(one.root_path)),
            ]

        found = selection.meant(self._database.read(read), text)
        return found.name if found is not None else text

    def identify(self, name: str, folder: Path) -> str:
        """The ULID of an index, or the one that it will have when a run on this folder has made it."""
        with self._database.writing() as conn:
            return identities.reserve(conn, name, storable_path(str(folder.resolve())))

    def identity_of(self, name: str) -> str | None:
        """The ULID of the index of this name, or the one that is kept for it; None when nobody has asked for it."""

        def read(conn: Connection) -> str | None:
            record = store.find_by_name(conn, name)
            return record.ulid if record is not None else identities.reserved_for(conn, name)

        return self._database.read(read)

    def of_folders(self, records: Sequence[IndexRecord], folders: Sequence[Path]) -> tuple[IndexRecord, ...]:
        """Those of the given indexes that a call about these folders means; see `selection.by_folder`."""
        return selection.by_folder(
            records,
            folders,
            configured=self._options.index_name,
            linked=self._options.linked_indexes,
            home=self._options.home,
        )

    def name_for(self, folder: Path) -> str:
        """Return the name for an index of this folder: configured, existing, or the folder's own."""
        if self._options.index_name:
            return self.name_of(self._options.index_name)
        found: list[IndexRecord] = []
        if self._database.is_there:
            there = self._database.read(lambda conn: store.find_by_root(conn, str(folder.resolve())))
            found = [record for record in there if record.commit is None]
        return found[0].name if found else selection.name_from_folder(folder)

    def drift(self, record: IndexRecord) -> str | None:
        """How the checkout moved since an index was made, in words; None when it did not, or without git."""
        return drift(record, repository_state(Path(record.root_path)))

    def stats(self, record: IndexRecord, request: StatsRequest = _PLAIN) -> IndexStats:
        """Figures of one index, with what is known to be wrong with it."""
        warnings = doubts(record, repository_state(Path(record.root_path)), request.stale_days)

        def read(conn: Connection) -> IndexStats:
            kept = tuple(str(build) for build in builds.waiting(conn) if build.name == record.name)
            return collect(conn, store.require(conn, record.name), request, (*warnings, *kept))

        return self._database.read(read)

    def count_content(self, record: IndexRecord) -> tuple[int, int]:
        """How many definitions and how many different words an index has; raises as `members`."""

        def count(conn: Connection) -> list[int]:
            return count_rows(conn, store.require_same(conn, record).index_id, ("symbols", "lexemes"))

        symbols, words = self._database.read(count)
        return symbols, words

    def failed_files(self, record: IndexRecord, most: int) -> list[tuple[str, str, str]]:
        """(path, status, error) of files that failed, or whose status is indexed but that could not be embedded.

        Raises as `members`.
        """
        return self._database.read(lambda conn: failed_files(conn, store.require_same(conn, record).index_id, most))

    def members(self, record: IndexRecord) -> "Members":
        """The members of the workspace in an index's folder; see `catalog.members`.

        Raises:
            IndexNotFoundError: the index went away, or another folder has its name now.
        """
        from cocosearch_py.catalog.members import read_members

        return self._database.read(lambda conn: read_members(store.require_same(conn, record), conn))

    @staticmethod
    def workspaces_on_disk(root: str, paths: Collection[str]) -> "list[Workspace]":
        """Return the workspaces of a folder with these files, indexed or not; see `catalog.members`."""
        from cocosearch_py.catalog.members import workspaces_on_disk

        return workspaces_on_disk(root, paths)

    def unfinished(self) -> list[IndexRecord]:
        """First builds that were cut off, as interrupted indexes, by name; nobody can search them yet."""

        def read(conn: Connection) -> list[IndexRecord]:
            known = {record.name for record in store.list_all(conn)}
            ids = {one.name: one.ulid for one in identities.reserved(conn)}
            left = [build.as_record() for build in builds.waiting(conn) if build.name not in known]
            return [replace(record, ulid=ids.get(record.name, "")) for record in left]

        return self._database.read(read)

    def note_use(self, record: IndexRecord) -> None:
        """Remember that an index was asked, if that is not known of the last hour; see `drop_old_commits`."""
        if datetime.now(UTC) - record.updated_at > _USE_IS_NEWS:
            with self._database.writing() as conn:
                store.touch(conn, record.name)

    def drop_old_commits(self, root_path: str) -> None:
        """Delete those indexes of commits of a folder that nobody asked for the longest, if there are too many.

        One that is being read or written stays until the next time.
        """
        of_commits = [one for one in self.list_all() if one.commit is not None and one.root_path == root_path]
        of_commits.sort(key=lambda one: one.updated_at, reverse=True)
        for record in of_commits[MOST_COMMITS:]:
            with suppress(BusyError, IndexNotFoundError):
                self.clear(record.name)

    def put_away(self, name: str, tell: Callable[[str], None] = lambda _: None) -> tuple[IndexRecord, datetime | None]:
        """Take one index out of everybody's sight; until the time that is returned, `restore` brings it back.

        What is kept of a first build that was cut off is removed at once; there is no time then.

        Raises:
            IndexNotFoundError, BusyError.
        """
        with self._database.writing() as conn:
            record, is_there = self._held(conn, name)
            if not is_there:
                return record, None
            partitions.drop(conn, None, record.table_name, self._database.reader_patience_s, tell)
            return record, cleared.put_away(conn, record).expires_at

    def restorable(self) -> list[cleared.Cleared]:
        """Indexes that `restore` can bring back, the last cleared first."""
        return self._database.read(cleared.restorable)

    def restore(self, gone: cleared.Cleared) -> IndexRecord:
        """Make an index of `restorable` one again, as it was.

        Raises:
            IndexCollisionError: another index has its name now.
            IndexNotFoundError: somebody else has restored or removed it.
            BusyError.
        """
        record = gone.as_record()
        with self._database.writing() as conn:
            store.lock_for_writing(conn, gone.name, store.PATIENCE_S)
            if (there := store.find_by_name(conn, gone.name)) is not None:
                raise IndexCollisionError(
                    f"a new index '{gone.name}' exists, of {there.root_path}",
                    hint=f"clear that one first (`cocosearch-py clear {gone.name}`), then restore {gone.ulid}",
                )
            if not cleared.take_out(conn, gone.index_id):
                raise unknown_index(gone.name, ())
            table_name = store.free_table_name(conn, gone.name)
            restored = replace(record, table_name=table_name, generation=record.generation + 1)
            store.save(conn, restored)
            return restored

    def purge(self, gone: cleared.Cleared, tell: Callable[[str], None] = lambda _: None) -> None:
        """Remove an index of `restorable` for good; raises BusyError when somebody kept reading it."""
        with self._database.writing() as conn:
            if cleared.take_out(conn, gone.index_id):
                partitions.drop(conn, gone.index_id, None, self._database.reader_patience_s, tell)

    def reclaim(self) -> None:
        """Remove what can no longer be restored, if there is any."""
        if not self._database.read(cleared.has_expired):
            return
        with self._database.writing() as conn:
            cleared.drop_expired(conn, _MOST_RECLAIMED)
        with self._database.writing() as conn:  # after the commit: only then nobody can restore them
            partitions.drop_unused(conn)

    def clear(self, name: str, tell: Callable[[str], None] = lambda _: None) -> IndexRecord:
        """Delete one index, or what is kept of its first build, for good; `tell` hears who is waited for.

        Raises:
            IndexNotFoundError, BusyError.
        """
        with self._database.writing() as conn:
            record, is_there = self._held(conn, name)
            if is_there:
                store.delete(conn, record, self._database.reader_patience_s, tell)
            return record

    def clear_unreadable(self, index: UnreadableIndex, tell: Callable[[str], None] = lambda _: None) -> None:
        """Delete an index of `list_unreadable` for good; `tell` hears who is waited for. Raises BusyError."""
        with self._database.writing() as conn:
            store.lock_for_writing(conn, index.name, store.PATIENCE_S)
            store.delete(conn, index, self._database.reader_patience_s, tell)

    @staticmethod
    def _held(conn: Connection, name: str) -> tuple[IndexRecord, bool]:
        """An index that nobody else writes now, and True; or what was kept of its first build, and False.

        What is kept of a build is gone afterwards, in either case.
        """
        store.lock_for_writing(conn, name, store.PATIENCE_S)
        build = builds.find(conn, name)
        if build is None:
            return store.require(conn, name), True
        builds.discard(conn, build)
        record = store.find_by_name(conn, name)
        if record is None:
            identities.release(conn, name)
            return build.as_record(), False
        return record, True
