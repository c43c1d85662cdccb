"""The schema as Alembic sees it: `indexes`, `builds`, tables of runs, changes and wikis, and the declared fact tables.

Every fact table is RANGE-partitioned by `index_id`: one leaf for all small indexes, one for each large one. Ids are
made by the program: `file_id` is derived from the path, a chunk is (file_id, chunk_no), a symbol is (file_id,
symbol_no), so the same content always gets the same key, and every key can be distributed (docs/adr/0003, 0009).
"""

from typing import Any

from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Sequence,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
from sqlalchemy.types import TypeEngine

from cocosearch_py.storage.lexemes import LEXEME_SPACE
from cocosearch_py.storage.schema import changes, registry, runs, wiki
from cocosearch_py.storage.schema.partitions import FIRST_SHARED_ID
from cocosearch_py.storage.schema.tables import TABLES

metadata = MetaData(schema=registry.SCHEMA)


def _own_number(comment: str) -> Column[int]:
    """Key of a table about rows that belong to no index."""
    return Column("index_id", Integer, primary_key=True, autoincrement=False, comment=comment)


_TYPES: dict[registry.ColumnType, TypeEngine[Any]] = {
    registry.INTEGER: Integer(),
    registry.BIGINT: BigInteger(),
    registry.TEXT: Text(),
    registry.LEXEME: Text(collation="C"),
    registry.BOOLEAN: Boolean(),
    registry.BYTEA: LargeBinary(),
    registry.TSVECTOR: TSVECTOR(),
    registry.SPARSEVEC: SPARSEVEC(LEXEME_SPACE),
    registry.HALFVEC: HALFVEC(),
}

# Numbers of indexes are taken by the program, one for each build.
index_ids = Sequence("index_ids", metadata=metadata, schema=registry.SCHEMA)
shared_index_ids = Sequence("shared_index_ids", start=FIRST_SHARED_ID, metadata=metadata, schema=registry.SCHEMA)

indexes = Table(
    "indexes",
    metadata,
    Column(
        "index_id", Integer, primary_key=True, autoincrement=False, comment="another one after a rebuild; never reused"
    ),
    Column("name", Text, nullable=False, comment="what people call it"),
    Column("table_name", Text, nullable=False, comment="view of the chunks of this index: cocosearch_<name>"),
    Column("root_path", Text, nullable=False, comment="canonical absolute path of the indexed folder"),
    Column("status", Text, nullable=False, comment="complete, or interrupted: some files wait for the next run"),
    Column("generation", BigInteger, nullable=False, comment="grows with every committed run; caches key on it"),
    Column("format_version", Integer, nullable=False, comment="version of the analysis; a newer program rebuilds"),
    Column("options", JSONB, nullable=False, comment="settings that shaped the content: patterns, sizes, strategy"),
    Column("embedding_model", Text, nullable=False, comment="identity of the model behind vectors.embedding"),
    Column("embedding_dimension", Integer, nullable=False, comment="numbers in a vector"),
    Column("chunk_count", Integer, nullable=False, comment="chunks now: N of the IDF formula"),
    Column("file_count", Integer, nullable=False, comment="indexed files now"),
    Column(
        "pending_file_count",
        Integer,
        nullable=False,
        server_default="0",
        comment="files that an interrupted run left for the next one",
    ),
    Column("git_branch", Text, comment="branch when last indexed; null outside git or when detached"),
    Column("git_commit", Text, comment="commit when last indexed"),
    Column("weights", JSONB, comment="ranking weights tuned for this index; null: the defaults"),
    Column("created_at", DateTime(timezone=True), nullable=False, comment="first indexed"),
    Column("updated_at", DateTime(timezone=True), nullable=False, comment="last run that finished"),
    Column("seconds", Double, nullable=False, comment="wall time of the last run that changed something"),
    Column(
        "bytes_per_second",
        Double,
        comment="source bytes per second of the last run that read enough to tell; else null",
    ),
    Column(
        "ulid",
        Text,
        nullable=False,
        comment="ULID, by which programs know it; stays the same as long as the index is there",
    ),
    Column(
        "read_at",
        DateTime(timezone=True),
        comment="it has what the system changed up to then: start of the last run that looked at all files; else null",
    ),
    UniqueConstraint("name"),
    UniqueConstraint("table_name"),
    UniqueConstraint("ulid"),
    comment="One row per index (an indexed folder).",
)

builds = Table(
    "builds",
    metadata,
    _own_number("number of its rows, which no index has; attached to no table unless they are in the shared leaves"),
    Column("name", Text, nullable=False, comment="index that it is to become"),
    Column("root_path", Text, nullable=False, comment="canonical absolute path of the folder"),
    Column("shape", JSONB, nullable=False, comment="what a run must have in common with it to go on with it"),
    Column("file_count", Integer, nullable=False, comment="files that have their rows"),
    Column("pending_file_count", Integer, nullable=False, comment="files that were still to be read"),
    Column("updated_at", DateTime(timezone=True), nullable=False, comment="when it was last committed"),
    Column(
        "read_at",
        DateTime(timezone=True),
        comment="its files are as they were then, or later: start of the last run that went on with it",
    ),
    UniqueConstraint("name"),
    comment="Unfinished builds of indexes; the next run of the index goes on with one, and removes its row.",
)

identities = Table(
    "identities",
    metadata,
    Column("name", Text, primary_key=True, comment="index that is to be made"),
    Column("root_path", Text, nullable=False, comment="canonical absolute path of its folder"),
    Column("ulid", Text, nullable=False, comment="what indexes.ulid will be"),
    UniqueConstraint("ulid"),
    comment="Ids of indexes whose first run has not ended; the run that makes the index removes its row.",
)

cleared = Table(
    "cleared",
    metadata,
    _own_number("number of its rows, which no index has now"),
    Column("name", Text, nullable=False, comment="what the index was called"),
    Column("root_path", Text, nullable=False, comment="canonical absolute path of its folder"),
    Column("ulid", Text, nullable=False, comment="ULID of the index"),
    Column("chunk_count", Integer, nullable=False, comment="its chunks"),
    Column("record", JSONB, nullable=False, comment="its row of table indexes"),
    Column("cleared_at", DateTime(timezone=True), nullable=False, comment="when it was cleared"),
    Column("expires_at", DateTime(timezone=True), nullable=False, comment="from then on it may be removed"),
    comment="Indexes that were cleared and can still be restored; nobody sees their rows.",
)


def define(table: registry.FactTable, metadata: MetaData) -> Table:
    """Make SQLAlchemy's picture of a fact table."""
    return Table(
        table.name,
        metadata,
        *[
            Column(column.name, _TYPES[column.type], nullable=column.nullable, comment=column.comment)
            for column in table.columns
        ],
        PrimaryKeyConstraint(*table.key),
        comment=table.comment,
        postgresql_partition_by="RANGE (index_id)",
    )


for fact_table in TABLES.values():
    define(fact_table, metadata)
runs.define(metadata)
changes.define(metadata)
wiki.define(metadata)
