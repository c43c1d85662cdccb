"""Vectors that the process of a run makes itself: file by file where a model is late, and of the most central files."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from cocosearch_py.analysis.page_rank import page_rank
from cocosearch_py.errors import EmbeddingError, EmbeddingTimeoutError
from cocosearch_py.indexing.chunking import leads_of
from cocosearch_py.indexing.run import Run
from cocosearch_py.indexing.texts import embedded_text
from cocosearch_py.model.chunks import ChunkSpan
from cocosearch_py.model.files import EMBEDDING_TIMED_OUT, ContentClass
from cocosearch_py.storage.queries.graph import count_edges, graph_files
from cocosearch_py.storage.queries.sources import StoredChunk, chunks_to_embed, embedded_files
from cocosearch_py.storage.schema import copy
from cocosearch_py.storage.write import rows

Text = tuple[int, int, str]  # file_id, chunk_no, what its vector is made of
_MOST_LATE = 5  # files in a row, after which a model is taken to be away
_FILES_AT_ONCE = 50


def vector_rows(run: Run, texts: Sequence[Text], path_of: Callable[[int], str]) -> list[bytes]:
    """The rows of these texts but for those of files that the model is late with, which the ledger then tells.

    Raises:
        EmbeddingTimeoutError: it is late with one file after the other.
        EmbeddingError: it fails in another way.
    """
    try:
        made = _embed(run, texts)
    except EmbeddingTimeoutError as error:
        by_file: defaultdict[int, list[Text]] = defaultdict(list)
        for text in texts:
            by_file[text[0]].append(text)
        made = []
        for file_id, own in by_file.items():
            made += _embed_alone(run, path_of(file_id), own, error)
    else:
        run.late_in_a_row = 0
    return made


def _embed_alone(run: Run, path: str, texts: Sequence[Text], first: EmbeddingTimeoutError) -> list[bytes]:
    try:
        made = _embed(run, texts)
    except EmbeddingTimeoutError:
        run.late_in_a_row += 1
        if run.late_in_a_row >= _MOST_LATE:
            message = f"the embedding model timed out on {_MOST_LATE} files in a row: {first.message}"
            raise EmbeddingError(
                message, hint=f"{first.hint}, or index without vectors", details=first.details
            ) from None
        run.late[texts[0][0]] = path
        return []
    run.late_in_a_row = 0
    return made


def _embed(run: Run, texts: Sequence[Text]) -> list[bytes]:
    embedder = run.resources.limited(run.options.embedding)
    vectors = copy.halfvecs(embedder.embed_documents([text for _, _, text in texts]))
    return [
        rows.vector_row(run.writer.index_id, file_id, chunk_no, vector)
        for (file_id, chunk_no, _), vector in zip(texts, vectors, strict=True)
    ]


def note_late(run: Run) -> None:
    """Tell the ledger of the files that were not embedded in time; they are in it by now."""
    run.writer.note_errors(run.late, EMBEDDING_TIMED_OUT)


def embed_central(run: Run) -> None:
    """Give vectors to the files that most others depend on, as many as the options allow, and to no others."""
    most = run.options.content.max_files_to_embed
    if most is None or not run.options.content.vector:
        return
    conn, index_id = run.conn, run.writer.index_id
    files = graph_files(conn, index_id)
    ranks = page_rank(files, [(source, target, float(times)) for source, target, times in count_edges(conn, index_id)])
    order = sorted(
        files.values(),
        key=lambda file: (-round(ranks[file.file_id], 9), file.content_class != ContentClass.CODE, file.path),
    )
    chosen = {file.file_id for file in order[:most]}
    have = embedded_files(conn, index_id)
    run.writer.clear("vectors", sorted(have - chosen))
    embed_files(run, [file.file_id for file in order[:most] if file.file_id not in have])
    left_out = len(files) - len(chosen)
    if left_out:
        told = f"{left_out:,} of {len(files):,} files have no vectors (indexing.maxFilesToEmbed)"
        run.warn(f"{told}: only keyword search finds them")


def embed_files(run: Run, file_ids: Collection[int]) -> None:
    """Make the vectors of stored files, which have none."""
    wanted = list(file_ids)
    for start in range(0, len(wanted), _FILES_AT_ONCE):
        chunks = chunks_to_embed(run.conn, run.writer.index_id, wanted[start : start + _FILES_AT_ONCE])
        paths = {chunk.file_id: chunk.path for chunk in chunks}
        run.writer.write({"vectors": vector_rows(run, _texts(run, chunks), paths.__getitem__)})
        if run.control.cancelled():
            return
    note_late(run)


def _texts(run: Run, chunks: Sequence[StoredChunk]) -> list[Text]:
    """Return the texts to embed of whole files, their chunks in order."""
    content = run.options.content
    by_file: defaultdict[int, list[StoredChunk]] = defaultdict(list)
    for chunk in chunks:
        by_file[chunk.file_id].append(chunk)
    texts = []
    for file_id, own in by_file.items():
        source = "".join(chunk.content for chunk in own).encode()
        spans = [ChunkSpan(one.start_byte, one.end_byte, one.start_line, one.end_line) for one in own]
        leads = leads_of(source, spans, content, run.tokenizer_file)
        for chunk, lead in zip(own, leads, strict=True):
            before = source[lead : chunk.start_byte].decode("utf-8", "replace")
            is_whole = content.strategy == "tokens"
            texts.append((file_id, chunk.chunk_no, embedded_text(chunk.path, chunk.content, before, is_whole=is_whole)))
    return texts
