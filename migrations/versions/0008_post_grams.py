"""Keep which chunks of a large index hold which trigrams, so that exact text is found without looking at all of them.

Indexes that are there get theirs with their next run that changes something.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from cocosearch_py.storage.write.partitions import add_table

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_INDEX_ID = ("index_id", "integer NOT NULL", "which index; the partition key")
# Table -> (comment, key, columns with their comments).
_TABLES = {
    "grams": (
        "Which chunks may hold a text, by trigrams of their lines; only of large indexes.",
        "index_id, gram, segment",
        (
            _INDEX_ID,
            ("gram", "integer NOT NULL", "three bytes of a line in lower case, hashed to 16 bits"),
            ("segment", "integer NOT NULL", "of the numbers of chunks, which is 65,536 of them, from 0"),
            ("chunk_count", "integer NOT NULL", "chunks of the segment that hold it"),
            ("chunks", "bytea NOT NULL", "their numbers in the segment, ascending, in one of three forms"),
        ),
    ),
    "posted_files": (
        "Numbers of chunks in table grams, by file; only of large indexes.",
        "index_id, file_id",
        (
            _INDEX_ID,
            ("file_id", "bigint NOT NULL", "64-bit hash of the path; see files"),
            (
                "first_chunk",
                "integer",
                "number of the first chunk, the others follow; null if the file is newer than table grams",
            ),
        ),
    ),
}


def upgrade() -> None:
    for table, (comment, key, columns) in _TABLES.items():
        fields = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
        op.execute(f"CREATE TABLE {_SCHEMA}.{table} ({fields}, PRIMARY KEY ({key})) PARTITION BY RANGE (index_id)")
        op.execute(f"COMMENT ON TABLE {_SCHEMA}.{table} IS '{comment}'")
        for name, _, text in columns:
            op.execute(f"COMMENT ON COLUMN {_SCHEMA}.{table}.{name} IS '{text}'")
        if table == "grams":
            op.execute(f"ALTER TABLE {_SCHEMA}.{table} ALTER COLUMN chunks SET STORAGE EXTERNAL")
        connection = op.get_bind().connection.driver_connection
        assert connection is not None
        add_table(connection, table)
    for own in _leaves("posted_files"):
        op.execute(f"CREATE INDEX ON {own} ({'index_id, ' if own.endswith('_shared') else ''}first_chunk)")


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table, schema=_SCHEMA)
        for build in _detached(table):
            op.execute(f"DROP TABLE {build}")


def _leaves(table: str) -> list[str]:
    query = f"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{_SCHEMA}.{table}'::regclass"
    return [name for (name,) in op.get_bind().execute(sa.text(query))]


def _detached(table: str) -> list[str]:
    """Quoted names of the tables that unfinished builds have for a fact table."""
    query = (
        f"SELECT oid::regclass::text FROM pg_class WHERE relnamespace = '{_SCHEMA}'::regnamespace "
        f"AND relkind = 'r' AND relname ~ '^{table}_[0-9]+$'"
    )
    return [name for (name,) in op.get_bind().execute(sa.text(query))]
