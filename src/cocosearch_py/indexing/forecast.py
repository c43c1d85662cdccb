"""Dry run: the changes of a run, its time and the size of the index. Writes nothing."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from cocosearch_py.discovery.extent import MOST_BYTES, MOST_FILES, bulky_folders, is_wide
from cocosearch_py.discovery.origin import open_reader
from cocosearch_py.indexing.cost_model import DEFAULT_RATE, effort_of, seconds_of
from cocosearch_py.indexing.forecast_report import Forecast, Share
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.outcome import read_outcome
from cocosearch_py.indexing.plan import Judged, Plan
from cocosearch_py.indexing.progress import ACQUIRE, Progress, ProgressSink
from cocosearch_py.indexing.reuse import foretell_reuse
from cocosearch_py.indexing.run import Resources
from cocosearch_py.indexing.start import Start, find_start, plan_folder, start_without_ledger
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.queries import tells_references
from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.indexes import base_name, check_name
from cocosearch_py.model.machine import speed, usable_cores
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import known_rates
from cocosearch_py.storage.queries.stats import count_languages, storage_bytes
from cocosearch_py.storage.schema.registry import GIN_MIN_CHUNKS, HNSW_MIN_CHUNKS, TRIGRAM_MIN_CHUNKS
from cocosearch_py.storage.write.writer import StoredFile

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
class _Stored:
    """Facts from the database: the start of the run, the size of the index, and the speed of runs on this machine."""

    start: Start
    storage_bytes: int = 0
    source_bytes: int = 0
    rates: Sequence[float] = ()


def forecast(
    root: Path,
    name: str,
    options: IndexingOptions,
    resources: Resources,
    *,
    progress: ProgressSink = lambda _: None,
    machine_speed: float | None = None,
) -> Forecast:
    """Plan a run, read what it would read, and report what it would do. A database that is not there stays so.

    Args:
        progress: hears of the files that are read.
        machine_speed: see `machine.speed`, which measures it.
    Raises:
        WorkspaceError: no such folder.
        IndexCollisionError: the name belongs to another folder.
        ValidationError: no index can have this name.
    """
    check_name(base_name(name) if options.revision else name)
    root = root.resolve()
    database = resources.database
    progress(Progress(ACQUIRE))
    if database.is_there:
        stored = database.read(lambda conn: _read(conn, root, name, options, resources))
    else:
        stored = _Stored(start_without_ledger(root, name, None, options, resources.model))
    start = stored.start
    options = start.options
    plan = plan_folder(root, options, start.ledger, start.read_ns, commit=options.commit)
    if start.build is not None:
        plan = plan.of_build()
    copied: Collection[int] = ()
    if database.is_there:
        copied = database.read(lambda conn: foretell_reuse(conn, root, start.record, options, plan.to_read, resources))
    told = Forecast(
        index_name=start.record.name, root_path=start.record.root_path, record=start.old, rebuilt=start.rebuilt
    )
    _count(told, plan, copied, options, root, progress=progress)
    rate = speed() if machine_speed is None else machine_speed
    _measure(told, stored, options, rate)
    told.seconds += 0.0 if database.is_there else _FIRST_START_S
    most = len(told.held) > MOST_FILES or told.held_bytes > MOST_BYTES
    begun = start.old is not None or start.build is not None
    told.asks = not (begun or options.confirmed) and (most or is_wide(root, options.home))
    told.warnings = (*options.remarks, *bulky_folders(told.held))
    return told


def _read(conn: Connection, root: Path, name: str, options: IndexingOptions, resources: Resources) -> _Stored:
    start = find_start(conn, root, name, options, resources.model)
    rates = known_rates(conn, start.record.embedding_model)
    if start.old is None:
        return _Stored(start, rates=rates)
    index_id = start.old.index_id
    source_bytes = sum(language.size_bytes for language in count_languages(conn, index_id))
    return _Stored(start, storage_bytes(conn, index_id), source_bytes, rates)


def _count(
    told: Forecast,
    plan: Plan,
    copied: Collection[int],
    options: IndexingOptions,
    root: Path,
    *,
    progress: ProgressSink,
) -> None:
    """Count what becomes of each file, as a run does.

    Args:
        copied: ids of the files that another index has.
    """
    for old in plan.kept:
        _keep(told, old)
    for gone in plan.gone:
        told.change(gone, None)
    for before, row in plan.left_out:
        told.change(before, row.status, row.path, row.file_count)
        _leave_out(told, row, row.file_count)
    limit = options.discovery.max_file_size_bytes
    with open_reader(str(root), limit, of_commit=options.revision is not None) as folder:
        for file in _with_progress(plan.to_read, progress):
            outcome = read_outcome(file, folder, options.content)
            before = plan.replaced.get(file.file_id)
            if outcome.is_known and before is not None:
                _keep(told, before)
                continue
            told.change(before, outcome.status)
            if outcome.status is FileStatus.INDEXED:
                _hold(told, file, outcome.language_id or "", options, is_copied=file.file_id in copied)
            elif outcome.status is not None:
                _leave_out(told, outcome)


def _hold(told: Forecast, file: FileTask, language_id: str, options: IndexingOptions, *, is_copied: bool) -> None:
    """Add a file that would be read to what the index would hold."""
    told.held[file.path] = file.size_bytes
    if options.content.graph and _is_code(language_id):
        told.facts_bytes += file.size_bytes
    if is_copied:
        told.files_reused += 1
        told.copied_bytes += file.size_bytes
    else:
        told.read_bytes += file.size_bytes
        told.effort += effort_of(language_id, file.size_bytes)


def _is_code(language_id: str) -> bool:
    """Whether definitions and references are read in a language; in other kinds these are few."""
    language = LANGUAGES.get(language_id)
    return language is not None and language.kind == "code" and tells_references(language.id)


def _with_progress(files: Sequence[FileTask], progress: ProgressSink) -> Iterator[FileTask]:
    """Iterate over the files, and report progress after every hundred of them."""
    for done, file in enumerate(files):
        if done % _FILES_BETWEEN_REPORTS == 0:
            progress(Progress(ACQUIRE, done, len(files)))
        yield file


def _keep(told: Forecast, old: StoredFile) -> None:
    """Count a file that stays as it is stored."""
    told.keep(old)
    if old.status == FileStatus.INDEXED:
        told.held[old.path] = old.size_bytes
    else:
        _leave_out(told, old, old.file_count)


def _leave_out(told: Forecast, judged: Judged, files: int = 1) -> None:
    told.left_out[judged.reason or judged.status or "", judged.rule or judged.error or ""] += files


def _measure(told: Forecast, stored: _Stored, options: IndexingOptions, machine_speed: float) -> None:
    """Estimate time and size, and find the folders with most files."""
    held, dimension = told.held, stored.start.record.embedding_dimension
    told.folders = top_folders(held)
    told.held_bytes = sum(held.values())
    told.measured = bool(stored.rates)
    # The default is as good as one run: the first one of a machine may have been held up.
    rate = median([*stored.rates, DEFAULT_RATE * machine_speed * (options.workers or usable_cores())])
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
