"""What a run would do, how long it would take and how large the index would get. Writes nothing."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from cocosearch_py.discovery.extent import MOST_BYTES, MOST_FILES, bulky_folders, is_wide
from cocosearch_py.discovery.origin import open_origin, open_reader
from cocosearch_py.indexing.checkpoint import kept_ledger
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.cost_model import DEFAULT_RATE, effort_of, seconds_of
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.outcome import fate_of
from cocosearch_py.indexing.pipeline import intended_record, why_rebuilt
from cocosearch_py.indexing.plan import Plan, make_plan, without_killed
from cocosearch_py.indexing.progress import ACQUIRE, Progress, ProgressSink
from cocosearch_py.indexing.reuse import foretell_reuse
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.queries import tells_references
from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.indexes import IndexRecord, base_name, check_name
from cocosearch_py.model.machine import speed, usable_cores
from cocosearch_py.model.ports import Embedder
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import find_by_name, known_rates
from cocosearch_py.storage.queries.stats import count_languages, storage_bytes
from cocosearch_py.storage.schema.registry import GIN_MIN_CHUNKS, HNSW_MIN_CHUNKS, TRIGRAM_MIN_CHUNKS
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write.rows import FileRow
from cocosearch_py.storage.write.writer import StoredFile, load_ledger

_HNSW_S = 0.00025  # a vector more in a search index over vectors; where a rate was measured, that has it
_COPIED_BYTES_PER_SECOND = 10_000_000.0  # by the server alone, however many workers there are
_FIRST_START_S = 3.0  # of a database that is still to be made
_BYTES_PER_CHUNK = 780  # of source, by the default settings; 740 to 850 in nine repositories
# Bytes on disk, search indexes included; measured in 28 repositories, see `benchmarks/estimates.py`.
_STORED_SHARE = 3.4  # of each byte of source: its text and terms
_STORED_SHARE_OF_FACTS = 4.4  # of each of code, for its definitions and references
_STORED_SHARE_OF_TRIGRAMS = 0.7  # of each in an index that has trigrams
_STORED_PER_FILE = 300  # its row
_STORED_PER_DIMENSION = 2.8  # of each chunk: two are the vector's
_COPY_PER_DIMENSION = 2.0  # in the index over vectors
_STORED_WHEN_SMALL = 0.8  # of all that: indexes that share leaves are told without the search indexes of these
_MOST_FOLDERS = 10
_FILES_BETWEEN_REPORTS = 100
_NEARLY_ALL = 0.9  # a folder that one inside it fills so far is shown as the inner one


@dataclass(frozen=True, slots=True)
class Share:
    """Files below a folder that an index would hold, and their bytes; no name: those in the root itself."""

    name: str
    files: int
    size_bytes: int


@dataclass(slots=True)
class Forecast:
    """What a run would report, and what it would cost; counts as in `progress.RunReport`.

    Attributes:
        record: the index as it is now; None when there is none.
        rebuilt: why everything would be built anew; None when it would not.
        left_out: files by reason (or `failed`) and rule (or error) that would not be in the index.
        folders: those with most files that the index would hold.
        files_reused: of those added and updated, how many would be copied from another index.
        held_bytes, read_bytes, copied_bytes: size of the source that it would hold, and of those parts which would be
            prepared anew or copied from another index.
        facts_bytes: of those parts, what is code whose definitions and references are read.
        effort: of what would be prepared anew; see `effort`.
        measured: whether `seconds` goes by earlier runs in this database, not by a default.
    """

    index_name: str
    root_path: str
    record: IndexRecord | None
    rebuilt: str | None = None
    files_added: int = 0
    files_updated: int = 0
    files_removed: int = 0
    files_unchanged: int = 0
    files_skipped: int = 0
    files_failed: int = 0
    folders_skipped: int = 0
    files_in_skipped_folders: int = 0
    files_reused: int = 0
    held_bytes: int = 0
    read_bytes: int = 0
    facts_bytes: int = 0
    effort: float = 0.0
    copied_bytes: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    folders: tuple[Share, ...] = ()
    seconds: float = 0.0
    measured: bool = False
    index_bytes: int = 0
    asks: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the database has of an index, and how fast runs are on this machine."""

    record: IndexRecord | None = None
    ledger: dict[str, StoredFile] = field(default_factory=dict)
    storage_bytes: int = 0
    source_bytes: int = 0
    rates: Sequence[float] = ()


def forecast(
    root: Path,
    name: str,
    options: IndexingOptions,
    database: Database,
    embedder: Embedder,
    *,
    embed_here: bool,
    progress: ProgressSink = lambda _: None,
) -> Forecast:
    """Walk the folder, read what a run would read, and say what it would do. A database that is not there stays so.

    `embed_here` as in `run.Resources`; `progress` counts no chunks.

    Raises:
        WorkspaceError: no such folder.
        IndexCollisionError: the name belongs to another folder.
        ValidationError: no index can have this name.
    """
    check_name(base_name(name) if options.revision else name)
    root = root.resolve()
    origin = open_origin(root, options.commit)
    progress(Progress(ACQUIRE))
    found = origin.walk(replace(options.discovery, bounded=False))
    stored = database.read(lambda conn: _read(conn, name, embedder.name)) if database.is_there else _Stored()
    wanted = intended_record(root, name, stored.record, options, embedder)
    told = Forecast(wanted.name, wanted.root_path, stored.record)
    told.rebuilt = why_rebuilt(stored.record, wanted, options) if stored.record else None
    building = stored.record is None or told.rebuilt is not None
    kept = None
    if building and not options.fresh and database.is_there:
        kept = database.read(lambda conn: kept_ledger(conn, wanted))
    ledger, read_ns = kept or ({}, 0)
    if stored.record is not None and not building:
        ledger, read_ns = stored.ledger, stored.record.read_ns
    classes = Classifier(root, [one.path for one in found], options.content_classes, origin.attributes)
    plan = make_plan(found, without_killed(ledger), classes.name, read_ns)
    if kept is not None:  # what has changed since is new to the build
        changed = {old.path for old in plan.forget_replaced()}
        ledger = {path: old for path, old in ledger.items() if path not in changed}
    copied: Collection[int] = ()
    if database.is_there:
        copied = database.read(
            lambda conn: foretell_reuse(conn, root, wanted, options, plan.to_read, embed_here=embed_here)
        )
    held = _settle(told, plan, ledger, copied, options, root, progress=progress)
    _measure(told, held, stored, wanted.embedding_dimension, options)
    told.seconds += 0.0 if database.is_there else _FIRST_START_S
    most = len(held) > MOST_FILES or sum(held.values()) > MOST_BYTES
    begun = stored.record is not None or kept is not None
    told.asks = not (begun or options.confirmed) and (most or is_wide(root, options.home))
    told.warnings = (*options.remarks, *bulky_folders(held))
    return told


def _read(conn: Connection, name: str, model: str) -> _Stored:
    record = find_by_name(conn, name)
    rates = known_rates(conn, model)
    if record is None:
        return _Stored(rates=rates)
    languages = count_languages(conn, record.index_id)
    return _Stored(
        record,
        load_ledger(conn, record.index_id),
        storage_bytes(conn, record.index_id),
        sum(language.size_bytes for language in languages),
        rates,
    )


def _settle(
    told: Forecast,
    plan: Plan,
    ledger: Mapping[str, StoredFile],
    copied: Collection[int],
    options: IndexingOptions,
    root: Path,
    *,
    progress: ProgressSink,
) -> dict[str, int]:
    """Count what becomes of each file; returns those that the index would hold, with their sizes in bytes.

    `copied`: ids of the files that another index has.
    """
    held: dict[str, int] = {}
    gone = {old.file_id for old in plan.gone}
    for old in ledger.values():
        if old.file_id not in gone and old.file_id not in plan.replaced:
            _keep(told, held, old)
    rows = [plan.replaced[row.file_id] for row in plan.ledger_only if row.file_id in plan.replaced]
    told.files_removed = sum(old.status == FileStatus.INDEXED for old in (*plan.gone, *rows))
    for row in plan.ledger_only:
        _leave_out_row(told, row)
    limit = options.discovery.max_file_size_bytes
    with open_reader(str(root), limit, of_commit=options.revision is not None) as folder:
        for file in _counted(plan.to_read, progress):
            fate = fate_of(file, folder, options.content)
            before = plan.replaced.get(file.file_id)
            was_indexed = before is not None and before.status == FileStatus.INDEXED
            if fate.is_known and before is not None:
                _keep(told, held, before)
            elif fate.status is FileStatus.INDEXED:
                held[file.path] = file.size_bytes
                is_copied = file.file_id in copied
                told.files_reused += is_copied
                told.copied_bytes += is_copied * file.size_bytes
                told.read_bytes += (not is_copied) * file.size_bytes
                told.facts_bytes += (options.content.graph and _is_code(fate.language_id)) * file.size_bytes
                told.effort += 0.0 if is_copied else effort_of(fate.language_id or "", file.size_bytes)
                told.files_updated += was_indexed
                told.files_added += not was_indexed
            else:
                told.files_removed += was_indexed
                if fate.status is not None:
                    _leave_out(told, fate.status, fate.reason, fate.rule or fate.error)
    return held


def _is_code(language_id: str | None) -> bool:
    """Whether definitions and references are read in a language; in other kinds these are few."""
    language = LANGUAGES.get(language_id or "")
    return language is not None and language.kind == "code" and tells_references(language.id)


def _counted(files: Sequence[FileTask], progress: ProgressSink) -> Iterator[FileTask]:
    """The files, with progress after every hundred of them."""
    for done, file in enumerate(files):
        if done % _FILES_BETWEEN_REPORTS == 0:
            progress(Progress(ACQUIRE, done, len(files)))
        yield file


def _keep(told: Forecast, held: dict[str, int], old: StoredFile) -> None:
    """Count a file that stays as it is stored."""
    if old.status == FileStatus.INDEXED:
        held[old.path] = old.size_bytes
        told.files_unchanged += 1
    else:
        _leave_out_row(told, old)


def _leave_out_row(told: Forecast, row: FileRow | StoredFile) -> None:
    """Count a file that is not indexed, or a skipped folder with all files below it."""
    _leave_out(told, row.status, row.reason, row.rule or row.error, row.file_count)
    if row.path.endswith("/"):
        told.folders_skipped += 1
        told.files_in_skipped_folders += row.file_count


def _leave_out(told: Forecast, status: str, reason: str | None, rule: str | None, files: int = 1) -> None:
    told.left_out[reason or status, rule or ""] += files
    told.files_skipped += files * (status == FileStatus.SKIPPED)
    told.files_failed += files * (status == FileStatus.FAILED)


def _measure(
    told: Forecast, held: Mapping[str, int], stored: _Stored, dimension: int, options: IndexingOptions
) -> None:
    """Estimate time and size, and find the folders with most files."""
    told.folders = top_folders(held)
    told.held_bytes = sum(held.values())
    told.measured = bool(stored.rates)
    # The default is as good as one run: the first one of a machine may have been held up.
    rate = median([*stored.rates, DEFAULT_RATE * speed() * (options.workers or usable_cores())])
    chunks = max(len(held), told.held_bytes / min(_BYTES_PER_CHUNK, options.content.chunk_bytes))
    if told.read_bytes or told.copied_bytes:
        told.seconds = seconds_of(told.effort, rate) + told.copied_bytes / _COPIED_BYTES_PER_SECOND
        if not told.measured and chunks >= HNSW_MIN_CHUNKS:
            told.seconds += _HNSW_S * told.read_bytes / told.held_bytes * chunks
    if stored.source_bytes and not told.rebuilt:
        told.index_bytes = round(stored.storage_bytes * told.held_bytes / stored.source_bytes)
    else:
        told.index_bytes = _stored_bytes(told, len(held), chunks, dimension)


def _stored_bytes(told: Forecast, files: int, chunks: float, dimension: int) -> int:
    """How large a new index gets. Of files that an unfinished build has, the languages are those of the others."""
    facts = told.facts_bytes / (told.read_bytes + told.copied_bytes or 1)
    of_byte = _STORED_SHARE + _STORED_SHARE_OF_FACTS * facts
    of_byte += _STORED_SHARE_OF_TRIGRAMS * (chunks >= TRIGRAM_MIN_CHUNKS)
    of_dimension = _STORED_PER_DIMENSION + _COPY_PER_DIMENSION * (chunks >= HNSW_MIN_CHUNKS)
    stored = of_byte * told.held_bytes + _STORED_PER_FILE * files + of_dimension * dimension * chunks
    return round(stored * (_STORED_WHEN_SMALL if chunks < GIN_MIN_CHUNKS else 1))


def top_folders(held: Mapping[str, int], most: int = _MOST_FOLDERS) -> tuple[Share, ...]:
    """Folders directly below the root with most files; one that a folder inside it nearly fills is told as that one.

    Args:
        held: path -> size in bytes.
    """
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    inner: defaultdict[str, set[str]] = defaultdict(set)
    for path, size_bytes in held.items():
        folder = path.rpartition("/")[0]
        inside = None
        while folder and inside != folder:
            files[folder] += 1
            sizes[folder] += size_bytes
            if inside is not None:
                inner[folder].add(inside)
            inside, folder = folder, folder.rpartition("/")[0]
        if inside is not None:
            inner[""].add(inside)
    shown = []
    for top in inner[""]:
        folder = top
        while inner[folder] and files[fullest := max(inner[folder], key=files.__getitem__)] >= _NEARLY_ALL * files[top]:
            folder = fullest
        shown.append(Share(folder, files[folder], sizes[folder]))
    direct = [size_bytes for path, size_bytes in held.items() if "/" not in path]
    if direct:
        shown.append(Share("", len(direct), sum(direct)))
    return tuple(sorted(shown, key=lambda share: (-share.files, -share.size_bytes, share.name))[:most])
