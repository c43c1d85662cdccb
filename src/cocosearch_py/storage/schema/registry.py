"""Declaration of a fact table: columns, key and indexes of its leaves.

A fact table is partitioned by `index_id`. Its declaration is all that Alembic's metadata, COPY, the making, attaching,
moving and dropping of leaves know of it. SQLAlchemy is not imported here: it takes half a second.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, LiteralString

from cocosearch_py.storage.lexemes import LEXEME_SPACE
from cocosearch_py.storage.schema import copy

SCHEMA = "cocosearch_py"
# Below this many chunks a sequential scan answers as fast as GIN, and building GIN would dominate a small index.
GIN_MIN_CHUNKS = 1_500
# The exact scan costs 0.35 us a row, which a process that asks often pays for its first searches alone. HNSW misses
# some chunks, and saves what it takes to make in 800 other searches.
HNSW_MIN_CHUNKS = 150_000
# Below this a text is compared with every chunk in 20 ms, and an index of trigrams would add an eighth to a run.
TRIGRAM_MIN_CHUNKS = 20_000
# While HNSW is built its graph is in memory, 1.2 KB a chunk; what does not fit is added to the index on disk, which
# takes several times as long. In parts of so many chunks it is built in the same memory, however large the index is.
HNSW_PART_CHUNKS = 300_000
HNSW_BUILD_BYTES = 1_250  # of a chunk


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type as PostgreSQL spells it, and the form of its values in a binary COPY."""

    sql: LiteralString
    encode: Callable[[Any], bytes]


INTEGER = ColumnType("integer", copy.int4)
BIGINT = ColumnType("bigint", copy.int8)
TEXT = ColumnType("text", copy.text)
LEXEME = ColumnType('text COLLATE "C"', copy.text)
BOOLEAN = ColumnType("boolean", copy.boolean)
BYTEA = ColumnType("bytea", copy.raw)
TSVECTOR = ColumnType("tsvector", copy.tsvector)
SPARSEVEC = ColumnType(f"sparsevec({LEXEME_SPACE})", bytes)  # encoded already, many at once: `copy.sparsevecs`
HALFVEC = ColumnType("halfvec", bytes)  # likewise: `copy.halfvecs`


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `storage` is PostgreSQL's strategy for long values where it is not the type's own."""

    name: LiteralString
    type: ColumnType
    comment: str
    nullable: bool = False
    storage: Literal["PLAIN", "MAIN"] | None = None


@dataclass(frozen=True, slots=True)
class LeafIndex:
    """An index besides the key; a table has at most one of each method.

    An index's own leaf gets it from `min_chunks` on, the shared leaf has it from its migration, with `index_id` in
    front, if `in_shared_leaf`. `{dimension}` in the expression is that of the vectors in the column `dimension_of`.
    `operator_class` is one that the server may lack, in which case there is no index.
    """

    method: Literal["btree", "gin", "hnsw"]
    expression: LiteralString
    min_chunks: int = 0
    in_shared_leaf: bool = False
    dimension_of: LiteralString | None = None
    part_chunks: int = 0
    build_bytes: int = 0
    operator_class: LiteralString | None = None


@dataclass(frozen=True, slots=True)
class FactTable:
    """A table partitioned by `index_id`, its first column. `columns` are in the order of a COPY row.

    The rows of a `derived` one are worked out from all files by a step of `indexing/resolve.py`. Every row `t` meets
    the condition `sound`, in which `f` is the row of its file and `target` that of `target_file_id`; imports check it.
    """

    name: LiteralString
    comment: str
    columns: tuple[Column, ...]
    key: tuple[LiteralString, ...]
    indexes: tuple[LeafIndex, ...] = ()
    derived: bool = False
    sound: LiteralString = "true"

    @property
    def of_content(self) -> bool:
        """Whether its rows come from the content of one file, and go with it."""
        return "file_id" in self.key and self.name != "files" and not self.derived

    def encoder(self) -> Callable[..., bytes]:
        """A function from one value per column, in order, to a row of a binary COPY."""
        encoders = [column.type.encode for column in self.columns]

        def encode(*values: Any) -> bytes:
            return copy.row(*[encode_one(value) for encode_one, value in zip(encoders, values, strict=True)])

        return encode


def part_condition(part: int, parts: int) -> LiteralString:
    """Which rows a part of an index has; the planner uses it for statements with the same condition."""
    return f"(file_id & {parts - 1}) = {part}"


INDEX_ID = Column("index_id", INTEGER, "which index; the partition key")
FILE_ID = Column("file_id", BIGINT, "64-bit hash of the path; see files")
