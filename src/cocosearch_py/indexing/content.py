"""The stage that writes the rows of files that workers read and prepare."""

import pickle
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from zlib import compress, decompress

from cocosearch_py.errors import CocosearchError, DatabaseError
from cocosearch_py.indexing.checkpoint import keep_regularly
from cocosearch_py.indexing.embedding import note_late, vector_rows
from cocosearch_py.indexing.memory import trim
from cocosearch_py.indexing.pool import Lost
from cocosearch_py.indexing.prepare import PreparedBatch, languages_of, lost_batch, prepare_batch
from cocosearch_py.indexing.progress import EMBED, PARSE
from cocosearch_py.indexing.run import Run
from cocosearch_py.indexing.tasks import BatchTask, FileTask

_BATCH_BYTES = 200_000  # about 0.2 s of a worker: smooth progress, little overhead per batch
_LEAST_BATCH_BYTES = 50_000  # of a small run, which is cut in so many that workers end together
_LEAST_BATCHES = 4
_BATCH_FILES = 64
_TRIM_BATCHES = 16  # until freed memory goes back: the rows of a large file are some 20 MB


def write_contents(run: Run) -> None:
    """Read, prepare and write what is new or changed, until all is done or the caller stops the run.

    When the embedder or the workers give up on the way, that becomes `run.failure`, and what was written stays.

    Raises:
        CocosearchError: they gave up before any file was done.
    """
    try:
        _write_batches(run)
    except DatabaseError:
        raise
    except CocosearchError as error:
        if not run.files_done:
            raise
        run.failure = error
    run.writer.flush()
    if run.is_large:
        run.resources.pool.close()
        trim()


def _write_batches(run: Run) -> None:
    with closing(_prepared(run)) as batches:
        for number, (task, batch) in enumerate(batches, 1):
            _write_batch(run, task, lost_batch(task, batch.reason) if isinstance(batch, Lost) else batch)
            if run.handed_out:
                run.writer.flush()  # while the workers are at the last ones
            if run.control.cancelled():
                return
            keep_regularly(run)
            if number % _TRIM_BATCHES == 0 and run.is_large:
                trim()


def _prepared(run: Run) -> Generator[tuple[BatchTask, PreparedBatch | Lost]]:
    """Prepare all batches, here or by the workers; `Lost` for a file that killed its worker."""
    resources = run.resources
    size_bytes = run.bytes_left
    little = size_bytes <= resources.thresholds.in_process_bytes
    is_suspect = run.control.is_suspect or any(file.killed_worker for file in run.left)
    if not little or (size_bytes and (is_suspect or resources.pool.is_quick)):
        tasks = (replace(task, watched=little) for task in _batches(run))
        languages, idle = partial(_languages, run), partial(run.tell, PARSE)
        yield from resources.pool.run(tasks, resources.workers, resources.limits, languages=languages, idle=idle)
        return
    if not run.left:
        return
    from cocosearch_py.indexing.words import WordTable  # brings numpy, which a run that reads nothing does without

    vector = run.options.content.vector
    words = resources.words or WordTable(None if resources.embed_here or not vector else resources.embedder)
    for task in _batches(run):
        yield task, prepare_batch(task, words)


def _languages(run: Run) -> set[str]:
    return languages_of(run.left, run.options.content)


def _batches(run: Run) -> Iterator[BatchTask]:
    """All batches. Workers that are forked would keep what the list of files takes, 0.5 KB each, to their end."""
    most_bytes = min(max(run.bytes_left // _LEAST_BATCHES, _LEAST_BATCH_BYTES), _BATCH_BYTES)
    packed = [compress(pickle.dumps(batch), 1) for batch in _cut(run.take_left(), most_bytes)]
    if run.is_large:
        re.purge()  # a pattern of an ignore file keeps a megabyte in which the list was
        trim()
    for batch in packed:
        yield _task(run, pickle.loads(decompress(batch)))
    run.handed_out = True


def _cut(files: list[FileTask], most_bytes: int) -> Iterator[list[FileTask]]:
    """Cut the work into batches of like size, in path order so that readers of the disk stay local.

    A file that the system killed a worker for the last time is a batch by itself.
    """
    batch: list[FileTask] = []
    size = 0
    for file in files:
        if file.killed_worker:
            yield [file]
            continue
        batch.append(file)
        size += file.size_bytes
        if size >= most_bytes or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _task(run: Run, files: list[FileTask]) -> BatchTask:
    limit, content = run.options.discovery.max_file_size_bytes, run.options.content
    run.in_hand.update(file.path for file in files)
    return BatchTask(
        *(str(run.root), run.writer.index_id, tuple(files), content),
        max_file_bytes=limit,
        tokenizer_file=run.tokenizer_file,
        of_commit=run.options.revision is not None,
        renews=run.is_large,
    )


def _write_batch(run: Run, task: BatchTask, batch: PreparedBatch) -> None:
    if batch.to_embed:
        run.tell(EMBED)
        paths = {file.file_id: file.path for file in task.files}
        batch.rows["vectors"] += vector_rows(run, batch.to_embed, paths.__getitem__)
    replaced = run.plan.replaced
    run.remove([replaced[file_id] for file_id in (*batch.written, *batch.vanished) if file_id in replaced])
    run.writer.append(batch.rows, batch.document_frequencies, batch.chunks)
    note_late(run)
    run.writer.files_written |= batch.written.keys()
    run.writer.touch((file.file_id, file.mtime_ns) for file in batch.unchanged)
    run.changed |= bool(batch.written)
    for file_id, status in batch.written.items():
        run.counts.change(replaced.get(file_id), status)
    for file_id in batch.vanished:
        run.counts.change(replaced.get(file_id), None)
    for file in batch.unchanged:
        run.counts.keep(replaced[file.file_id])
    run.symbols += batch.symbols
    run.files_done += len(task.files)
    run.bytes_done += sum(file.size_bytes for file in task.files)
    run.in_hand.difference_update(file.path for file in task.files)
    run.effort += batch.effort
    run.tell(PARSE)
