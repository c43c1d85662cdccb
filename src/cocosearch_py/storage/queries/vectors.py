"""The vectors of an index in memory: the exact vector leg without the server, where many questions are asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import psycopg

from cocosearch_py.storage.queries.search import ChunkKey, QueryVector, ScoredChunk, as_chunk
from cocosearch_py.storage.queries.target import Target, parameters, statement
from cocosearch_py.storage.statements import run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEAD = 2  # what pgvector sends before the values of a vector: its dimension and a number not used, as 16 bits each
_DIGITS = 6  # of scores that differ; further ones depend on the order of a sum


@dataclass(frozen=True, slots=True, eq=False)
class VectorTable:
    """The vectors of an index, or of the files that filters let pass, as one snapshot has them; nothing changes it.

    They are in the order of file and passage.
    """

    file_ids: "NDArray[np.int64]"
    chunk_nos: "NDArray[np.int64]"
    rows: "NDArray[np.float32]"  # passages x dimension

    @property
    def size_bytes(self) -> int:
        return int(self.file_ids.nbytes + self.chunk_nos.nbytes + self.rows.nbytes)


@dataclass(frozen=True, eq=False)
class AskedVectors:
    """The vectors in memory and that of a question; passages are scored once, when that is first asked for.

    `begun` waits for what scores them meanwhile, if something does.
    """

    table: VectorTable
    vector: QueryVector
    begun: "Callable[[], NDArray[np.float32]] | None" = None

    @cached_property
    def scores(self) -> "NDArray[np.float32]":
        return self.begun() if self.begun else self.score()

    def score(self) -> "NDArray[np.float32]":
        """The score of each passage."""
        import numpy as np

        asked = np.array(self.vector.values, np.float16).astype(np.float32)  # as the server compares it
        # Row by row: equal rows have equal scores, and no threads start.
        scores: NDArray[np.float32] = np.vecdot(self.table.rows, asked)
        return scores

    def nearest(self, *, limit: int) -> list[ScoredChunk]:
        """What `rank_by_vector` gives of these, up to how sums are rounded; equals by file and passage."""
        import numpy as np

        table, scores = self.table, self.scores
        best = np.argpartition(scores, max(0, len(scores) - limit))[-limit:]
        best = best[np.lexsort((best, -np.round(scores[best], _DIGITS)))]
        columns = table.file_ids[best].tolist(), table.chunk_nos[best].tolist(), scores[best].tolist()
        return [as_chunk((*row, "", None)) for row in zip(*columns, strict=True)]


def rows_of(
    keys: Sequence[ChunkKey], file_ids: "NDArray[np.int64]", chunk_nos: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """The number of each passage among all, which are in the order of file and number; -1 for one that is not there."""
    import numpy as np

    files, numbers = np.array(keys, np.int64).reshape(-1, 2).T
    # Where all passages of a file are there, as a rule, their numbers tell the rows.
    likely: NDArray[np.int64] = np.minimum(file_ids.searchsorted(files) + numbers, len(file_ids) - 1)
    if ((file_ids[likely] == files) & (chunk_nos[likely] == numbers)).all():
        return likely
    places = zip(file_ids.searchsorted(files).tolist(), file_ids.searchsorted(files, "right").tolist(), strict=True)
    rows = []
    for (first, end), number in zip(places, numbers.tolist(), strict=True):
        row = first + int(chunk_nos[first:end].searchsorted(number))
        rows.append(row if row < end and chunk_nos[row] == number else -1)
    return np.array(rows, np.int64)


def read_vectors(conn: psycopg.Connection, target: Target, dimension: int) -> VectorTable | None:
    """All vectors that the filters let pass; None if there are none, or some of another length."""
    import numpy as np

    query = statement(
        "SELECT string_agg(int8send(file_id), ''::bytea), string_agg(int8send(chunk_no), ''::bytea), "
        "string_agg(halfvec_send(embedding), ''::bytea) FROM (SELECT file_id, chunk_no, embedding FROM {vectors} k "
        "WHERE embedding IS NOT NULL {restriction} ORDER BY file_id, chunk_no) v",
        target,
    )
    [(file_ids, chunk_nos, embeddings)] = run(conn, query, parameters(target), prepare=False)
    if not file_ids:
        return None
    halves = np.frombuffer(embeddings, ">u2")
    if halves.size != len(file_ids) // 8 * (_HEAD + dimension):
        return None
    values = halves.reshape(-1, _HEAD + dimension)
    if not (values[:, 0] == dimension).all():
        return None
    rows = values[:, _HEAD:].astype("<u2").view(np.float16).astype(np.float32)
    files, chunks = (np.frombuffer(part, ">i8").astype(np.int64) for part in (file_ids, chunk_nos))
    return VectorTable(files, chunks, rows)
