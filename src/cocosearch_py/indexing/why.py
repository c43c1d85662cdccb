"""Reasons why a file is in an index or not: its row in the ledger, the rules now, the effect of the next run."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from cocosearch_py.discovery.attributes import FILE_NAME
from cocosearch_py.discovery.origin import Origin, open_origin, open_reader
from cocosearch_py.discovery.rules import GIT_NAME, VERSION_CONTROL_FOLDERS
from cocosearch_py.discovery.walk import Entry
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.outcome import Outcome, read_outcome
from cocosearch_py.indexing.plan import Effect, decide, effect_of
from cocosearch_py.indexing.tasks import stored_path
from cocosearch_py.model.files import DiscoveredFile, FileStatus
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import unescaped_path
from cocosearch_py.model.verdicts import Verdict, message
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.storage.queries.stats import parse_details
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write.rows import FileRow
from cocosearch_py.storage.write.writer import StoredFile, load_ledger


@dataclass(frozen=True, slots=True)
class _Known:
    """Rows of an index by stored path; nothing without an index."""

    ledger: Mapping[str, StoredFile] = field(default_factory=dict)
    parses: Mapping[int, tuple[str, str | None, int]] = field(default_factory=dict)  # see `parse_details`
    read_ns: int = 0  # see `plan.decide`


def explain(
    root: Path, paths: Sequence[str], record: IndexRecord | None, options: IndexingOptions, database: Database
) -> list[Verdict]:
    """Return a verdict on each path, in their order. Writes nothing.

    Args:
        root: the folder of the index, or that would be indexed.
        paths: of files or folders, absolute.
        record: the index; None when there is none.
    Raises:
        WorkspaceError: the root is not there.
        IndexNotFoundError: the index is gone.
    """
    root = root.resolve()
    inner = {path: inside for path in paths if (inside := _below(root, path)) is not None}
    known = _Known()
    if record is not None:
        index, stored = record, [stored_path(path) for path in inner.values()]
        known = database.read(lambda conn: _read(conn, index, stored))
    origin = open_origin(root, record.commit if record is not None else None)
    entries = {entry.path: entry for entry in origin.look_up(options.discovery, filter(None, inner.values()))}
    sight = _Sight(root, origin, options, known, entries, set(inner.values()))
    verdicts = (
        sight.verdict(path, inner[path]) if path in inner else Verdict(path, "outside", decided=str(root))
        for path in paths
    )
    return [structs.replace(verdict, message=message(verdict)) for verdict in verdicts]


def _below(root: Path, path: str) -> str | None:
    """The path relative to the root; only what is above its last name may be a link that leads there."""
    plain = Path(os.path.abspath(path))
    for one in (plain, Path(os.path.realpath(plain.parent)) / plain.name):
        if one.is_relative_to(root):
            return _as_on_disk(root, one.relative_to(root).as_posix()) if one != root else ""
    return None


def _as_on_disk(root: Path, inner: str) -> str:
    """A path as it is on disk that may be written as the ledger shows one that is no text."""
    if "\\x" not in inner or os.path.lexists(root / inner):
        return inner
    named = unescaped_path(inner)
    return named if os.path.lexists(root / named) else inner


def _read(conn: Connection, record: IndexRecord, paths: Iterable[str]) -> _Known:
    current = require_same(conn, record)
    ledger = load_ledger(conn, current.index_id)
    ids = [ledger[path].file_id for path in paths if path in ledger]
    return _Known(ledger, parse_details(conn, current.index_id, ids), current.read_ns)


class _Sight:
    """A folder as it is now beside its ledger."""

    def __init__(
        self,
        root: Path,
        origin: Origin,
        options: IndexingOptions,
        known: _Known,
        entries: Mapping[str, Entry],
        asked: set[str],
    ) -> None:
        self._root, self._options, self._known, self._entries = root, options, known, entries
        self._origin = origin
        above = {part for path in asked for part in _folders_above(path)}
        attributes = [f"{folder}/{FILE_NAME}" if folder else FILE_NAME for folder in above]
        present = [path for path in attributes if origin.is_file(path)]
        paths = {*known.ledger, *asked, *present}
        self._classes = Classifier(root, paths, options.content_classes, origin.attributes)

    def verdict(self, path: str, inner: str) -> Verdict:
        """Return the verdict on the path `path`, which is `inner` below the root."""
        if _is_version_control(self._origin, inner):
            return Verdict(path, "version_control")
        entry = self._deciding(inner)
        if entry is None and self._origin.is_folder(inner):
            return self._folder(path, inner)
        ledger = self._known.ledger
        decided = inner if entry is None else entry.path
        old = ledger.get(stored_path(decided)) or ledger.get(stored_path(inner))
        if entry is not None:
            return self._decided(path, entry, old)
        if old is None:
            below = f"{stored_path(inner)}/"
            if any(name.startswith(below) for name in ledger):  # a folder has no row of its own
                return Verdict(path, "removed", next_run=Effect.REMOVE, decided=f"{inner}/")
        return _judged(path, Outcome(None), old, decided)

    def _deciding(self, inner: str) -> Entry | None:
        """Return the walk's verdict on a path, or on a folder or link above it."""
        for place in (inner, *_folders_above(inner)):
            if (found := self._entries.get(place) or self._entries.get(f"{place}/")) is not None:
                is_below_file = place != inner and isinstance(found, DiscoveredFile)
                return None if is_below_file else found
        return None

    def _decided(self, path: str, entry: Entry, old: StoredFile | None) -> Verdict:
        """Judge an entry of the walk as a run does, by the content of the file unless it is unchanged."""
        stored = {} if old is None else {old.path: old}
        decision = next(decide([entry], stored, self._classes.name, self._known.read_ns))
        if decision.row is not None:
            return _judged(path, decision.row, old, entry.path)
        if decision.file is None:
            return self._as_stored(path, decision.stored or old)
        limit = self._options.discovery.max_file_size_bytes
        with open_reader(str(self._root), limit, of_commit=self._origin.of_commit) as folder:
            outcome = read_outcome(decision.file, folder, self._options.content)
        if outcome.is_known:
            return self._as_stored(path, old)
        return _judged(path, outcome, old, entry.path)

    def _as_stored(self, path: str, old: StoredFile | None) -> Verdict:
        """Return the ledger's verdict on a file that did not change."""
        if old is None:
            raise ValueError("a file that is not in the ledger cannot be unchanged")
        if old.status != FileStatus.INDEXED:
            return Verdict(path, old.status, old.status, None, old.reason, old.rule, old.error, old.path)
        status, error, symbols = self._known.parses.get(old.file_id, (None, None, 0))
        return Verdict(
            path,
            "indexed",
            old.status,
            decided=old.path,
            language_id=old.language_id,
            content_class=old.content_class,
            class_rule=old.rule,
            chunks=old.chunk_count,
            symbols=symbols,
            parse_status=status,
            parse_error=error,
        )

    def _folder(self, path: str, inner: str) -> Verdict:
        prefix = f"{stored_path(inner)}/" if inner else ""
        counts: Counter[str] = Counter()
        for old in self._known.ledger.values():
            if old.path.startswith(prefix):
                counts[old.reason or old.status] += old.file_count
        return Verdict(path, "folder", decided=f"{inner}/" if inner else "./", counts=dict(counts.most_common()))


def _judged(path: str, now: Outcome | FileRow, old: StoredFile | None, decided: str) -> Verdict:
    """Verdict on a path that is stored as `old` and judged so now, by what the next run changes about it."""
    effect, status = effect_of(old, now), None if old is None else old.status
    if now.status is None:
        return Verdict(path, "missing") if old is None else Verdict(path, "removed", status, effect, decided=old.path)
    if now.status == FileStatus.INDEXED:
        verdict = "new" if old is None else "changed"
        return Verdict(path, verdict, status, effect, decided=decided)
    verdict = "changed" if old is not None and effect is not None else str(now.status)
    return Verdict(path, verdict, status, effect, now.reason, now.rule, now.error, decided)


def _folders_above(inner: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first; the root is ""."""
    while inner:
        inner = inner.rpartition("/")[0]
        yield inner


def _is_version_control(origin: Origin, inner: str) -> bool:
    """Whether a path is, or is below, a folder of a version control system."""
    parts = inner.split("/")
    return any(
        name == GIT_NAME or (name in VERSION_CONTROL_FOLDERS and origin.is_folder("/".join(parts[: end + 1])))
        for end, name in enumerate(parts)
    )
