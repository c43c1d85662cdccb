"""One run: what it works with and how far it has come. The stages read and change it; none is here."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.embedding.none import NoEmbedder
from cocosearch_py.errors import CocosearchError
from cocosearch_py.indexing.file_counts import FileCounts
from cocosearch_py.indexing.options import EmbeddingLimits, IndexingOptions, WorkerLimits
from cocosearch_py.indexing.plan import Plan
from cocosearch_py.indexing.progress import EMBED, PARSE, Progress, ProgressSink, RunReport
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.model.changes import Seen
from cocosearch_py.model.files import FileStatus, SkipReason
from cocosearch_py.model.indexes import CLOCK_TICK, IndexRecord
from cocosearch_py.model.ports import Embedder, Limitable
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.imports import offers_of
from cocosearch_py.storage.schema.registry import HNSW_MIN_CHUNKS
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write.writer import IndexWriter, StoredFile

if TYPE_CHECKING:  # bring numpy and all parsers
    from cocosearch_py.indexing.pool import WorkerPool
    from cocosearch_py.indexing.words import WordTable


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Sizes and intervals that decide how a run goes.

    Attributes:
        clock_tick: a file that changed within it before the run may change again under the same time.
        in_process_bytes: size up to which files are prepared here: starting workers costs more.
        copy_bytes: size up to which files are not copied from other indexes: preparing them takes no longer.
        copied_by_two: chunks of a build that two connections copy from another index: 30,000 take 3.7 s, one connection
            takes 8 s. Less takes no time, and HNSW the memory for two at once.
        read_share: share of the bytes that may be read beside such a copy: search indexes take longer to grow than to
            be made.
        large_bytes: size from which the workers end with the files of the run. By then they know so many words that
            their memory counts, and what follows needs as much itself. New workers are no work beside it.
        report_interval_s: seconds between two reports of progress, while stages alternate.
        checkpoint_interval_s: seconds between two commits of a build. A build of less stays one transaction, whose
            COPY skips the log; losing it costs no more than this.
    """

    clock_tick: timedelta = CLOCK_TICK
    in_process_bytes: int = 300_000
    copy_bytes: int = 300_000
    copied_by_two: range = range(10_000, HNSW_MIN_CHUNKS)
    read_share: float = 0.1
    large_bytes: int = 20_000_000
    report_interval_s: float = 0.1
    checkpoint_interval_s: float = 15.0


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources that runs share. `embed_here` is set when vectors are made by this process, not by the workers.

    `workers` and `limits` are the run's own, where it has any. `words` are kept from run to run by a thread that makes
    one after the other.
    """

    database: Database
    open_pool: "Callable[[], WorkerPool]"
    open_embedder: Callable[[], Embedder]
    embed_here: bool
    words: "WordTable | None" = None
    workers: int | None = None
    limits: WorkerLimits | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)

    @property
    def pool(self) -> "WorkerPool":
        """The worker processes."""
        return self.open_pool()

    @property
    def embedder(self) -> Embedder:
        """The model; opening one behind an endpoint asks it."""
        return self.open_embedder()

    def limited(self, limits: EmbeddingLimits) -> Embedder:
        """The model as one run asks it."""
        embedder = self.embedder
        return embedder.limited(limits.batch_size, limits.timeout_s) if isinstance(embedder, Limitable) else embedder

    def model(self, *, vector: bool) -> Embedder:
        """The model of an index, which asks nobody where the index has no vectors."""
        return self.open_embedder() if vector else NoEmbedder()


@dataclass(frozen=True, slots=True)
class RunControl:
    """How the caller follows a run and stops it.

    `fence` is called with the run's connection before each commit of what it wrote, and raises if it may not.
    `is_suspect`: files are prepared by workers, which can be ended, however few there are: one may never be done.
    `tries_killed`: what the system killed a worker for the last time is tried again, unless `is_suspect`.
    """

    progress: ProgressSink
    cancelled: Callable[[], bool]
    fence: Callable[[Connection], None] = lambda _: None
    is_suspect: bool = False
    tries_killed: bool = True


@dataclass(slots=True)
class Run:
    """State of one run; everything happens inside the transaction of `conn`.

    Attributes:
        record: the row of the index, counts and status still those of the last run.
        is_new: no such index is there yet.
        plan: without the files that it keeps and, once they are in `left`, those to read.
        left: files that are still to be read, and known to the run; see `take_left`.
        counts: of files, as the report will have them.
        files_done: of the files to read, of which there are `files_total`.
        bytes_done: size of these; `bytes_total` of all of them.
        began_at: before it looked at the first file, in the time of the disk.
        connected: when the database was there, which may have had to start.
        effort: of the files that were read and have content; see `effort`.
        handed_out: no more files are to be given to workers.
        in_hand: paths of files that are being read or written.
        changed: a row was written or removed.
        other_settings: it rebuilds an index that was made with other settings.
        seen: changes of files since the index last knew them.
        resumable: whether what a build commits on the way is of use to the next run.
        kept_at: when it was last committed, or the run began; by time.monotonic.
        has_statistics: the planner's are made already.
        failure: why the run ends early although nobody stopped it.
        late: paths of the files that the model did not answer for in time, by file_id.
        late_in_a_row: files that the model did not answer for in time, since the last one that it did.
    """

    conn: Connection
    root: Path
    record: IndexRecord
    is_new: bool
    plan: Plan
    writer: IndexWriter
    options: IndexingOptions
    resources: Resources
    control: RunControl
    report: RunReport
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: float = field(default_factory=time.monotonic)
    connected: float = field(default_factory=time.monotonic)
    counts: FileCounts = field(default_factory=FileCounts)
    left: list[FileTask] = field(init=False)
    files_done: int = 0
    files_total: int = field(init=False)
    bytes_done: int = 0
    bytes_total: int = field(init=False)
    symbols: int = 0
    effort: float = 0.0
    handed_out: bool = False
    in_hand: set[str] = field(default_factory=set)
    changed: bool = False
    resumable: bool = False
    other_settings: bool = False
    seen: list[Seen] = field(default_factory=list)
    kept_at: float = field(default_factory=time.monotonic)
    has_statistics: bool = False
    failure: CocosearchError | None = None
    late_in_a_row: int = 0
    late: dict[int, str] = field(default_factory=dict)
    _told: float = 0.0

    def __post_init__(self) -> None:
        self.left = list(self.plan.to_read)
        self.files_total = len(self.left)
        self.bytes_total = sum(file.size_bytes for file in self.left)
        for old in self.plan.kept:
            self.counts.keep(old)
        self.plan = replace(self.plan, to_read=(), kept=())  # of a large folder they take much memory

    @property
    def tokenizer_file(self) -> str | None:
        """The model's tokenizer, if files are cut by its tokens."""
        content = self.options.content
        return str(self.resources.model(vector=content.vector).tokenizer_file) if content.strategy == "tokens" else None

    def warn(self, message: str) -> None:
        """Add a warning to the report."""
        self.report = replace(self.report, warnings=(*self.report.warnings, message))

    @property
    def chunk_count(self) -> int:
        """Chunks of the index with what the run has written; the record has those of before until it ends."""
        before = 0 if self.writer.building else self.record.chunk_count
        return before + self.writer.chunks_written - self.writer.chunks_removed

    @property
    def pending(self) -> int:
        """Files that are still to be read."""
        return self.files_total - self.files_done

    def take_left(self) -> list[FileTask]:
        """Take the files that are still to be read from the run, which no longer knows them."""
        left, self.left = self.left, []
        return left

    @property
    def bytes_left(self) -> int:
        """Size of the files in `left`, without those that could not be read the last time, and hardly can be now."""
        return sum(file.size_bytes for file in self.left if file.known_error is None or file.killed_worker)

    @property
    def is_large(self) -> bool:
        """Whether the memory of workers counts; see `Thresholds.large_bytes`."""
        return self.bytes_total > self.resources.thresholds.large_bytes

    @property
    def keeps_old(self) -> bool:
        """Whether this is a rebuild that is not complete: no replacement for the index that is there."""
        return self.pending > 0 and self.writer.building and not self.is_new

    def remove(self, files: list[StoredFile]) -> None:
        """Take stored files out of the index."""
        with_content = [file.file_id for file in files if file.chunk_count]
        if with_content and not self.writer.building:
            from cocosearch_py.indexing.packages import declared  # brings all languages

            self.writer.offers_removed += offers_of(self.writer.conn, self.writer.index_id, with_content)
            languages = {file.file_id: file.language_id or "" for file in files if file.chunk_count}
            self.writer.packages_removed |= set(declared(self.writer, languages))
        self.writer.remove(with_content, with_content=True)
        self.writer.remove([file.file_id for file in files if not file.chunk_count], with_content=False)
        self.writer.files_removed |= {file.file_id for file in files}
        self.writer.importable_removed |= {
            file.file_id: (file.path, file.language_id or "")
            for file in files
            if file.status == FileStatus.INDEXED or file.reason == SkipReason.EMPTY
        }
        self.changed |= bool(files)

    def tell(self, stage: str) -> None:
        """Report the progress; of the stages that alternate about ten times a second at most.

        Raises:
            DatabaseFullError: the disk is nearly full.
        """
        now = time.monotonic()
        if stage not in (PARSE, EMBED) or now - self._told > self.resources.thresholds.report_interval_s:
            self._told = now
            self.resources.database.require_room()
            counts = (self.files_done, self.files_total, self.writer.chunks_written, self.bytes_done, self.bytes_total)
            self.control.progress(Progress(stage, *counts, frozenset(self.in_hand)))
