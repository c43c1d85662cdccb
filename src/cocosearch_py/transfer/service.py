"""Takes indexes out of a database and into one."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from cocosearch_py.errors import IndexCollisionError, IndexNotFoundError, ValidationError, WorkspaceError
from cocosearch_py.model.indexes import DETACHED, IndexRecord, check_name
from cocosearch_py.model.paths import storable_path
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.identities import reserve
from cocosearch_py.storage.queries.indexes import find_by_name, free_table_name, lock_for_writing, require_same, save
from cocosearch_py.storage.queries.whole import read_files
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.server.stopping import Work
from cocosearch_py.storage.write import partitions
from cocosearch_py.storage.write import transfer as rows
from cocosearch_py.transfer import archive
from cocosearch_py.transfer.archive import Manifest, Part
from cocosearch_py.transfer.checks import REMEDY, TIMES, CheckOptions, check_files, read_fields
from cocosearch_py.transfer.formats import FORMS

# What a bundle does not say of an index: what is of one database or one machine.
_OF_A_PLACE = frozenset({"index_id", "table_name", "root_path", "generation", "ulid", "read_at"})


Describe = Callable[[Connection, IndexRecord], str | None]  # what a bundle's map says, in the snapshot that it is of


class Exported(NamedTuple):
    """A bundle that was written."""

    path: Path
    size_bytes: int
    manifest: Manifest


class Written(NamedTuple):
    """A file in one of FORMS; `sha256` in hexadecimal."""

    path: Path
    size_bytes: int
    sha256: str
    record: IndexRecord


class Transfers:
    """Writes bundles and other forms of an index, and reads bundles; safe for threads."""

    def __init__(self, database: Database, check_options: CheckOptions) -> None:
        """Make the service; `check_options` raises ValueError for options of an index that no run stores."""
        self._database = database
        self._check_options = check_options

    def export(self, record: IndexRecord, target: Path, describe: Describe) -> Exported:
        """Write an index as it is now to a file; the same rows give the same bytes.

        Args:
            describe: makes the map of the index from its rows alone; None where it has none.
        Raises:
            IndexNotFoundError: it went away, or another folder has its name now.
            WorkspaceError: the file cannot be written.
        """
        with self._database.writing() as conn:
            rows.freeze(conn)
            current = require_same(conn, record)
            text = describe(conn, current)
            derived = {} if text is None else {archive.MAP: text.encode()}
            tables = self._tables(conn, current.index_id)
            manifest = archive.write(target, _product(), _told(current), tables, derived)
        return Exported(target, target.stat().st_size, manifest)

    def write(self, record: IndexRecord, target: Path, form: str, parts: Collection[str]) -> Written:
        """Write what an index says now in one of FORMS; the same rows give the same bytes.

        Args:
            parts: which of PARTS, where the form leaves it open.
        Raises:
            IndexNotFoundError, WorkspaceError: as `export`.
        """
        chosen = FORMS[form]
        with self._database.writing() as conn, archive.appearing(target) as file:
            rows.freeze(conn)
            current = require_same(conn, record)
            wanted = frozenset(parts)
            reads = chosen.reads if chosen.reads is not None else wanted | ({"imports"} if "edges" in wanted else set())
            digest = hashlib.sha256()
            for block in chosen.make(current, read_files(conn, current.index_id, reads), wanted):
                digest.update(block)
                file.write(block)
        return Written(target, target.stat().st_size, digest.hexdigest(), current)

    def load(self, source: Path, name: str | None, root: Path | None) -> IndexRecord:
        """Make an index of a bundle, in one transaction; nothing is parsed or embedded.

        It answers then; `complete` makes what a large one lacks.

        Args:
            name: of the index; that of the bundle by default.
            root: the folder that it is of from now on. Without one it is detached: nothing is compared with a disk.
        Raises:
            WorkspaceError: no such file or folder.
            ValidationError: it is no bundle, a damaged one, or of another version.
            SafetyError: it holds a file that no run indexes, by its name.
            IndexCollisionError: there is an index of this name.
        """
        folder = _folder(root) if root is not None else None
        manifest = archive.verify(source)
        known = read_fields(manifest, source, self._check_options)
        chosen = check_name(name) if name else str(known["name"])
        with self._database.writing() as conn:
            lock_for_writing(conn, chosen)
            if (there := find_by_name(conn, chosen)) is not None:
                raise IndexCollisionError(
                    f"index '{chosen}' already exists, of {there.root_path}",
                    hint=f"choose another name with --name, or `cocosearch-py clear {chosen}`",
                )
            index_id = rows.make_room(conn)
            counted = dict[str, int]()

            def take(part: Part, blocks: Iterator[bytes]) -> None:
                if part not in manifest.parts:  # nobody has looked at this one
                    raise ValidationError(f"{source} changed during reading", hint="import it again")
                if part.table not in rows.RETIRED_TABLES:
                    counted[part.table] = rows.load(conn, part.table, index_id, part.columns, blocks)

            archive.read(source, take)
            _check_counts(counted, manifest, source)
            check_files(rows.loaded_files(conn, index_id), known["file_count"])
            rows.check_facts(conn, index_id, known["embedding_dimension"])
            root_path = storable_path(str(folder)) if folder is not None else DETACHED + chosen
            record = IndexRecord(
                **known
                | {
                    "index_id": rows.settle(conn, index_id, known["chunk_count"], self._database.own_leaf_chunks),
                    "name": chosen,
                    "table_name": free_table_name(conn, chosen),
                    "root_path": root_path,
                    "generation": 1,
                    "ulid": reserve(conn, chosen, root_path),
                }
            )
            save(conn, record)
        with self._database.writing() as conn:  # after the commit, so that no reader waits for it
            partitions.analyze(conn, record.index_id)
        return record

    def is_complete(self, record: IndexRecord) -> bool:
        """Whether `complete` has nothing to do for an index; raises IndexNotFoundError if it is gone."""

        def look(conn: Connection) -> bool:
            current = require_same(conn, record)
            return rows.is_complete(conn, current.index_id, current.chunk_count)

        return self._database.read(look)

    def complete(self, name: str, root_path: str, fence: Callable[[Connection], None], work: Work) -> IndexRecord:
        """Make what a loaded index answers without, but faster with: of large ones the search index of their vectors.

        Args:
            root_path: what the index must be of.
            fence: called before the commit; what it raises keeps all as it was.
            work: another thread may stop it.
        Raises:
            BusyError: another run is writing the index.
            IndexNotFoundError: it is gone, or of something else.
            DatabaseError: it was stopped.
        """
        with self._database.writing() as conn, work.holding(conn):
            lock_for_writing(conn, name)
            if (record := find_by_name(conn, name)) is None or record.root_path != root_path:
                raise IndexNotFoundError(f"no index '{name}' of {root_path}", hint="import it again")
            rows.complete(conn, record.index_id, record.chunk_count)
            fence(conn)
        return record

    def verify(self, source: Path) -> Manifest:
        """The manifest of a bundle that is whole and that `load` would take; raises as `load` does."""
        manifest = archive.verify(source)
        read_fields(manifest, source, self._check_options)
        return manifest

    def _tables(self, conn: Connection, index_id: int) -> Iterator[tuple[str, list[str], archive.Pour]]:
        for table in rows.table_names():
            yield table, rows.columns_of(table), partial(rows.dump, conn, table, index_id)


def _told(record: IndexRecord) -> dict[str, Any]:
    told = {one.name: getattr(record, one.name) for one in fields(record) if one.name not in _OF_A_PLACE}
    return {name: value.isoformat() if name in TIMES else value for name, value in told.items()}


def _check_counts(counted: Mapping[str, int], manifest: Manifest, source: Path) -> None:
    wrong = [
        part.table
        for part in manifest.parts
        if part.table not in rows.RETIRED_TABLES and counted[part.table] != part.rows
    ]
    if wrong or counted["chunks"] != manifest.index["chunk_count"]:
        raise ValidationError(f"the numbers of rows in {source} differ from its manifest", hint=REMEDY)


def _folder(root: Path) -> Path:
    """The folder with links resolved; raises WorkspaceError when it is none."""
    folder = root.expanduser().resolve()
    if not folder.is_dir():
        raise WorkspaceError(f"{root} is not a folder", hint="name the folder that was indexed, or leave out --root")
    return folder


def _product() -> str:
    try:
        return version("cocosearch-py")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0"
