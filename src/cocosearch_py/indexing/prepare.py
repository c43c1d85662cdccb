"""One file to rows, in a worker process: read, sniff, parse, chunk, count terms, embed.

Pure but for reading the files it is given. Every fault of a file becomes a ledger row; nothing stops a batch.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cocosearch_py.analysis.paths import is_test, is_test_name
from cocosearch_py.analysis.words import name_key
from cocosearch_py.discovery.classes import class_of_content
from cocosearch_py.discovery.origin import open_reader
from cocosearch_py.discovery.reading import Reader, hash_of
from cocosearch_py.discovery.sniff import Text
from cocosearch_py.errors import CocosearchError
from cocosearch_py.indexing.chunking import Cut, cut_source
from cocosearch_py.indexing.classes import class_of_unread, settle
from cocosearch_py.indexing.cost_model import effort_of
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.outcome import Outcome, in_words, language_of, read_outcome
from cocosearch_py.indexing.tasks import BatchTask, FileTask
from cocosearch_py.indexing.texts import ChunkText, FileTexts
from cocosearch_py.model.chunks import ChunkSpan
from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.references import NO_FACTS
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.model.syntax import ParsedSource
from cocosearch_py.parsing.source import parse_source
from cocosearch_py.storage.write import rows

if TYPE_CHECKING:  # brings numpy, which a run that changes nothing does without
    from cocosearch_py.indexing.words import WordTable


@dataclass(slots=True)
class PreparedBatch:
    """Rows of a batch, ready for COPY, and what became of each of its files."""

    rows: defaultdict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))  # by table, one or more each
    document_frequencies: Counter[str] = field(default_factory=Counter)
    written: dict[int, FileStatus] = field(default_factory=dict)  # file_id -> status in its new ledger row
    unchanged: list[FileTask] = field(default_factory=list)  # same content, or still unreadable; the time may be new
    vanished: list[int] = field(default_factory=list)  # file_ids of files that are gone since the walk
    chunks: int = 0
    symbols: int = 0
    effort: float = 0.0  # see `effort`
    texts: list[ChunkText] = field(default_factory=list)  # whose keyword rows are still to be made
    to_embed: list[tuple[int, int, str]] = field(default_factory=list)  # (file_id, chunk_no, text) left to the caller

    @property
    def indexed(self) -> int:
        """Number of files with content."""
        return list(self.written.values()).count(FileStatus.INDEXED)

    def join_rows(self) -> None:
        """Make one piece of the rows of each table: thousands of small ones take long to send to another process."""
        for table, pieces in self.rows.items():
            self.rows[table] = [b"".join(pieces)]


def languages_of(files: Iterable[FileTask], content: ContentOptions) -> set[str]:
    """The languages of the files, as far as their names tell."""
    return {language_of(file.path, b"", content) for file in files}


def prepare_batch(task: BatchTask, words: "WordTable") -> PreparedBatch:
    """Prepare every file of the batch; if `words` make no vectors, texts to embed are left in `to_embed`.

    Where that fails for the files together, each is prepared by itself, and one that fails then is recorded as failed.

    Raises:
        CocosearchError: the model gave up.
    """
    try:
        return _prepare_files(task, words)
    except CocosearchError:
        raise
    except Exception as error:  # noqa: BLE001 - a worker's edge: the fault of one file must not stop a run
        if len(task.files) == 1:
            return lost_batch(task, in_words(error))
        words.forget()  # it may have stopped in the middle of learning words
    return _joined(prepare_batch(replace(task, files=(file,)), words) for file in task.files)


def _prepare_files(task: BatchTask, words: "WordTable") -> PreparedBatch:
    batch = PreparedBatch()
    with open_reader(task.root, task.max_file_bytes, of_commit=task.of_commit) as folder:
        for file in task.files:
            _prepare_file(task, file, folder, batch)
    embeds = task.content.vector and task.content.max_files_to_embed is None
    batch.document_frequencies = words.add_rows(task.index_id, batch.texts, batch.rows, embeds=embeds)
    if embeds and not words.embeds:
        batch.to_embed = [(text.file_id, text.chunk_no, text.embedded) for text in batch.texts]
    batch.texts = []
    return batch


def _joined(parts: Iterable[PreparedBatch]) -> PreparedBatch:
    whole = PreparedBatch()
    for part in parts:
        for table, table_rows in part.rows.items():
            whole.rows[table] += table_rows
        whole.document_frequencies.update(part.document_frequencies)
        whole.written |= part.written
        for name in ("unchanged", "vanished", "to_embed"):
            getattr(whole, name).extend(getattr(part, name))
        for name in ("chunks", "symbols", "effort"):
            setattr(whole, name, getattr(whole, name) + getattr(part, name))
    return whole


def lost_batch(task: BatchTask, reason: str) -> PreparedBatch:
    """Ledger rows for files that killed or hung their worker. With their hashes, so that they are not tried again."""
    batch = PreparedBatch()
    with open_reader(task.root, task.max_file_bytes, of_commit=task.of_commit) as folder:
        for file in task.files:
            if reason == file.known_error:
                batch.unchanged.append(file)
                continue
            try:
                data = folder.read(file.source)
            except OSError:
                data = None
            content_hash = hash_of(data) if isinstance(data, bytes) else None
            _record(task, file, batch, Outcome(FileStatus.FAILED, error=reason, content_hash=content_hash))
    return batch


def _prepare_file(task: BatchTask, file: FileTask, folder: Reader, batch: PreparedBatch) -> None:
    outcome = read_outcome(file, folder, task.content)
    if outcome.is_known:
        batch.unchanged.append(file)
    elif outcome.status is None:
        batch.vanished.append(file.file_id)
    elif outcome.text is None:
        _record(task, file, batch, outcome)
    else:
        try:
            _prepare_content(task, file, outcome, outcome.text, batch)
        except Exception as error:  # noqa: BLE001 - a worker's edge: the fault of one file must not stop a run
            failed = Outcome(FileStatus.FAILED, error=in_words(error), content_hash=outcome.content_hash)
            _record(task, file, batch, failed)


def _prepare_content(task: BatchTask, file: FileTask, outcome: Outcome, text: Text, batch: PreparedBatch) -> None:
    language = outcome.language_id or ""
    parsed = _without(parse_source(language, text.source, watched=task.watched), task.content)
    cut = cut_source(text.source, parsed.root, task.content, task.tokenizer_file)
    _add_content(task.index_id, file, text.source, parsed, cut, batch)
    naming = file.naming or class_of_content(file.path, text.source, text.line_count)
    content_class, class_rule = settle(naming, file.path, language)
    stored = rows.FileRow(
        file_id=file.file_id,
        path=file.path,
        status=FileStatus.INDEXED,
        rule=class_rule,
        content_class=content_class,
        size_bytes=outcome.size_bytes,
        mtime_ns=file.mtime_ns,
        language_id=language,
        content_hash=outcome.content_hash,
        line_count=text.line_count,
        encoding=text.encoding,
        parse_status=parsed.status,
        parse_error=parsed.error or None,
        parse_error_bytes=parsed.error_bytes,
        chunk_count=len(cut.spans),
    )
    batch.rows["files"].append(rows.file_row(task.index_id, stored))
    batch.written[file.file_id] = FileStatus.INDEXED
    batch.effort += effort_of(language, outcome.size_bytes)


def _without(parsed: ParsedSource, content: ContentOptions) -> ParsedSource:
    """Return the file without the parts that the index leaves out."""
    if not content.symbol:
        return replace(parsed, symbols=(), facts=NO_FACTS)
    return parsed if content.graph else replace(parsed, facts=replace(parsed.facts, references=(), imports=()))


def _record(task: BatchTask, file: FileTask, batch: PreparedBatch, outcome: Outcome) -> None:
    """Add a ledger row for a file without content."""
    status = outcome.status or FileStatus.FAILED
    stored = rows.FileRow(
        file_id=file.file_id,
        path=file.path,
        status=status,
        size_bytes=file.size_bytes,
        mtime_ns=file.mtime_ns,
        reason=outcome.reason,
        rule=outcome.rule,
        error=outcome.error,
        content_hash=outcome.content_hash,
        content_class=class_of_unread(file.naming, outcome.reason),
    )
    batch.rows["files"].append(rows.file_row(task.index_id, stored))
    batch.written[file.file_id] = status


def _add_content(
    index_id: int, file: FileTask, source: bytes, parsed: ParsedSource, cut: Cut, batch: PreparedBatch
) -> None:
    """Make all rows first and add them then: a file that fails halfway leaves none."""
    spans = cut.spans
    starts = [span.start_byte for span in spans]
    first_chunk = [max(bisect_right(starts, symbol.start_byte) - 1, 0) for symbol in parsed.symbols]
    about = chunk_symbols(parsed.symbols, first_chunk, spans)
    file_texts = FileTexts(file.path, source, parsed, starts, first_chunk)
    chunks, texts = [], []
    for number, span in enumerate(spans):
        content = source[span.start_byte : span.end_byte].decode("utf-8", "replace")
        symbol_no = about[number]
        symbol = None if symbol_no is None else parsed.symbols[symbol_no]
        chunks.append(rows.chunk_row(index_id, file.file_id, number, span, content, symbol_no=symbol_no, symbol=symbol))
        lead = source[cut.leads[number] : span.start_byte].decode("utf-8", "replace")
        texts.append(file_texts.of_chunk(file.file_id, number, content, lead, is_whole=cut.is_whole))
    symbols = _symbol_rows(index_id, file, parsed, first_chunk)
    references = rows.reference_rows(index_id, file.file_id, parsed.facts.references)
    imports = rows.import_rows(index_id, file.file_id, parsed.facts.imports)
    batch.rows["chunks"] += chunks
    batch.rows["symbols"] += symbols
    batch.rows["refs"].append(references)
    batch.rows["imports"] += imports
    batch.texts += texts
    batch.chunks += len(chunks)
    batch.symbols += len(symbols)


def _symbol_rows(index_id: int, file: FileTask, parsed: ParsedSource, first_chunk: Sequence[int]) -> list[bytes]:
    facts = parsed.facts
    metrics = dict(facts.metrics)
    in_test_file = is_test(file.path)
    return [
        rows.symbol_row(
            *(index_id, file.file_id, number, first_chunk[number], symbol, metrics.get(number)),
            name_key=name_key(symbol.name),
            is_test=number in facts.tests or (in_test_file and is_test_name(symbol.name, symbol.kind)),
            is_deprecated=number in facts.deprecated,
        )
        for number, symbol in enumerate(parsed.symbols)
    ]


def chunk_symbols(
    symbols: Sequence[Symbol], first_chunk: Sequence[int], spans: Sequence[ChunkSpan]
) -> list[int | None]:
    """For each chunk the definition it is about.

    Of the definitions that start in the chunk, the outermost one that fills most of it; if none starts there, the
    innermost one around it; None outside all definitions. `symbols` are in order of their start.
    """
    starting: dict[int, tuple[tuple[int, int], int]] = {}
    around: list[int | None] = [None] * len(spans)
    depth: list[int] = []
    for number, symbol in enumerate(symbols):
        depth.append(0 if symbol.parent is None else depth[symbol.parent] + 1)
        first = first_chunk[number]
        rank = (depth[number], symbol.start_byte - min(symbol.end_byte, spans[first].end_byte))
        if first not in starting or rank < starting[first][0]:
            starting[first] = (rank, number)
        for inside in range(first + 1, len(spans)):
            if spans[inside].start_byte >= symbol.end_byte:
                break
            around[inside] = number  # starts later than what it replaces, so it is the inner one
    return [starting[chunk][1] if chunk in starting else around[chunk] for chunk in range(len(spans))]
