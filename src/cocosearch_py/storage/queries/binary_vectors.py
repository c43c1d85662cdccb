"""The signs of an index's vectors in memory: which passages of a large index the server has to compare.

A vector has a bit for each number, whether it is above zero. Passages whose bits differ least from the question's are
looked at again with the question's own numbers, and the best of these are compared by the server.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from cocosearch_py.storage.queries.search import QueryVector, ScoredChunk, as_chunk, rank_by_vector
from cocosearch_py.storage.queries.target import Target, parameters, statement
from cocosearch_py.storage.schema.partitions import leaf
from cocosearch_py.storage.statements import run, running

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIFTED = 5_000  # passages that are looked at again
_COMPARED = 1_000  # of these by the server
_JUDGED = 65_536  # of which it is judged how many differ how much, if there are more
_BLOCK = 32_768  # passages whose bits are compared at once: they stay in the processor's cache
_READ_PAGES = 8_192  # of the table by one statement
_WORD_BITS = 64
_BYTE_VALUES = 256
_HEAD = 4  # bytes that the server sends before bits: how many there are
SIGN_BYTES = 10  # of a passage besides its bits, about


# Of an array of tid as PostgreSQL sends it: its head (dimensions, whether there are NULLs, type, length, first number),
# then each with its size. As text a thousand take the program a millisecond, and the server a tenth.
_TID = 27
_PLACE = [("size", ">i4"), ("page", ">u4"), ("number", ">u2")]
_PLACE_BYTES = 6


@dataclass(frozen=True, slots=True)
class Likely:
    """Where the passages are that may be nearest, in a file of the table: page and number of each, in its order."""

    node: int
    places: "NDArray[np.void]"

    @property
    def written(self) -> bytes:
        """The places as a parameter of the server."""
        head = (1, 0, _TID, len(self.places), 1)
        return b"".join([number.to_bytes(4, "big") for number in head]) + self.places.tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class SignTable:
    """The signs of an index's vectors as one snapshot has them, in the order of the table; nothing changes it."""

    dimension: int
    node: int  # the file that the table had: the places are not those of another one
    signs: "NDArray[np.uint64]"  # 64 bits each: words of a vector x passages
    pages: "NDArray[np.uint32]"  # where the row of each is
    numbers: "NDArray[np.uint16]"
    runs: "NDArray[np.int64]"  # files of neighbouring passages
    lengths: "NDArray[np.int32]"  # how many these are

    @property
    def size_bytes(self) -> int:
        return sum(int(one.nbytes) for one in (self.signs, self.pages, self.numbers, self.runs, self.lengths))

    def of_files(self, file_ids: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Which passages are of the files."""
        import numpy as np

        return np.repeat(np.isin(self.runs, file_ids), self.lengths)

    def likely(self, vector: QueryVector, passing: "NDArray[np.bool_] | None") -> Likely:
        """The passages that may be nearest, of those that may pass."""
        import numpy as np

        differing = self._differing(_words_of(vector))
        held = len(differing)
        if passing is not None:
            held = int(np.count_nonzero(passing))
            differing |= np.subtract(passing, 1, dtype=differing.dtype)  # of what may not pass all bits are others
        step = max(held // _JUDGED, 1)
        judged = np.cumsum(np.bincount(differing[::step]))
        most = int(np.searchsorted(judged, min(_SIFTED, held) // step))
        rows = np.flatnonzero(differing <= most)
        if len(rows) > _COMPARED:
            scores = self._scores(vector, rows)
            rows = np.sort(rows[np.argpartition(scores, len(rows) - _COMPARED)[-_COMPARED:]])
        places = np.full(len(rows), _PLACE_BYTES, _PLACE)
        places["page"], places["number"] = self.pages[rows], self.numbers[rows]
        return Likely(self.node, places)

    def _differing(self, asked: "NDArray[np.uint64]") -> "NDArray[np.uint8] | NDArray[np.uint16]":
        """How many bits of each passage are others than those asked for; 256 of 256 may count as none."""
        import numpy as np

        count = self.signs.shape[1]
        kind = np.uint8 if self.dimension <= _BYTE_VALUES else np.uint16
        differing: NDArray[Any] = np.zeros(count, kind)
        words = np.empty(_BLOCK, np.uint64)
        counts = np.empty(_BLOCK, np.uint8)
        for start in range(0, count, _BLOCK):
            part = differing[start : start + _BLOCK]
            some, few = words[: len(part)], counts[: len(part)]
            for row, word in zip(self.signs, asked, strict=True):
                np.bitwise_count(np.bitwise_xor(row[start : start + _BLOCK], word, out=some), out=few)
                part += few
        return differing

    def _scores(self, vector: QueryVector, rows: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """The products of the question's numbers with the signs of some passages, but for a factor and a summand."""
        import numpy as np

        # What each byte of signs adds is looked up: a product with all bits as numbers takes ten times as long.
        values = np.zeros(len(self.signs) * _WORD_BITS, np.float32)
        values[: vector.dimension] = vector.values
        bits = np.unpackbits(np.arange(_BYTE_VALUES, dtype=np.uint8)[:, None], axis=1)
        added = values.reshape(-1, 8) @ bits.T.astype(np.float32)  # bytes of a vector x 256
        scores, more = np.zeros((2, len(rows)), np.float32)
        for number, words in enumerate(self.signs):
            held = words[rows].view(np.uint8).reshape(-1, 8).T.astype(np.intp)
            for byte in range(8):
                # With `clip` it writes to `out` itself, not to a copy first; no byte is beyond.
                scores += np.take(added[8 * number + byte], held[byte], out=more, mode="clip")
        return scores


def _words_of(vector: QueryVector) -> "NDArray[np.uint64]":
    """The signs of a question's vector."""
    import numpy as np

    bits = np.packbits(np.array(vector.values, np.float16) > 0)  # as the server rounds it
    words: NDArray[np.uint64] = _padded(bits[None])[0]
    return words


def _padded(rows: "NDArray[np.uint8]") -> "NDArray[np.uint64]":
    """Rows of bytes as 64 bits each; what lacks is zero."""
    import numpy as np

    lacking = -rows.shape[1] % (_WORD_BITS // 8)
    words: NDArray[np.uint64] = np.pad(rows, ((0, 0), (0, lacking))).view(np.uint64)
    return words


@contextmanager
def ranking_by_signs(
    conn: psycopg.Connection, target: Target, likely: Likely, vector: QueryVector, *, limit: int
) -> Iterator[Callable[[], list[ScoredChunk]]]:
    """Let the server compare the vectors at some places; the callable waits for the nearest, best first.

    Where the table was written anew (VACUUM FULL) the server has to find the nearest itself.
    """
    query = statement(
        "SELECT file_id, chunk_no, -distance, '', NULL::int FROM ("
        "SELECT file_id, chunk_no, embedding <#> %(vector)s::halfvec AS distance FROM {vectors} k "
        "WHERE ctid = ANY(%(places)s::tid[]) AND pg_relation_filenode(to_regclass(%(leaf)s)) = %(node)s::oid "
        "ORDER BY distance LIMIT %(limit)s) best",
        target,
    )
    place = {"leaf": leaf("vectors", target.index_id).as_string(), "node": likely.node, "places": likely.written}
    values = {"vector": vector.text, "limit": limit, "index_id": target.index_id, **place}
    with running(conn, query, values) as rows:

        def nearest() -> list[ScoredChunk]:
            found = list(map(as_chunk, rows()))
            return found if found or not len(likely.places) else rank_by_vector(conn, target, vector, limit=limit)

        yield nearest


def read_signs(conn: psycopg.Connection, target: Target, dimension: int) -> SignTable | None:
    """The signs of all vectors; None if there are none, or some of another length."""
    import numpy as np

    size = (
        b"SELECT pg_relation_size(one) / current_setting('block_size')::bigint, pg_relation_filenode(one)::bigint "
        b"FROM to_regclass(%(leaf)s) one"
    )
    [(pages, node)] = run(conn, size, {"leaf": leaf("vectors", target.index_id).as_string()})
    query = statement(
        "SELECT string_agg(int8send(file_id), ''::bytea), string_agg(tidsend(ctid), ''::bytea), "
        "string_agg(bit_send(binary_quantize(embedding)), ''::bytea) FROM {vectors} k "
        "WHERE embedding IS NOT NULL AND ctid >= %(first)s::tid AND ctid < %(end)s::tid",
        target,
    )
    head = np.frombuffer(dimension.to_bytes(_HEAD, "big"), np.uint8)
    files, places, signs = [], [], []
    for first in range(0, pages or 0, _READ_PAGES):
        span = {"first": f"({first},0)", "end": f"({first + _READ_PAGES},0)"}
        [(file_ids, tids, bits)] = run(conn, query, {**span, **parameters(target)}, prepare=False)
        if not file_ids:
            continue
        files.append(np.frombuffer(file_ids, ">i8").astype(np.int64))
        places.append(np.frombuffer(tids, [("page", ">u4"), ("number", ">u2")]))
        rows = np.frombuffer(bits, np.uint8)
        if rows.size != len(files[-1]) * (_HEAD + -(-dimension // 8)):
            return None
        rows = rows.reshape(len(files[-1]), -1)
        if (rows[:, :_HEAD] != head).any():
            return None
        signs.append(_padded(rows[:, _HEAD:]).T)
    if not files:
        return None
    file_ids, tids = np.concatenate(files), np.concatenate(places)
    firsts = np.flatnonzero(np.diff(file_ids, prepend=~file_ids[:1]))
    lengths = np.diff(firsts, append=len(file_ids)).astype(np.int32)
    return SignTable(
        dimension,
        node,
        np.ascontiguousarray(np.concatenate(signs, axis=1)),
        tids["page"].astype(np.uint32),
        tids["number"].astype(np.uint16),
        file_ids[firsts],
        lengths,
    )


def read_passing(conn: psycopg.Connection, target: Target, table: SignTable) -> "NDArray[np.bool_]":
    """Which passages are of files that the filters let pass; these ask nothing of definitions."""
    import numpy as np

    if target.passing:
        return table.of_files(np.array([int(one) for one in target.passing.ids[1:-1].split(",") if one], np.int64))
    query = statement(
        "SELECT string_agg(int8send(file_id), ''::bytea) FROM {files} f WHERE chunk_count > 0 AND {of_file}", target
    )
    [(file_ids,)] = run(conn, query, parameters(target), prepare=False)
    return table.of_files(np.frombuffer(file_ids or b"", ">i8").astype(np.int64))
