"""Keep what files refer to: uses of names, imports, and the files that these mean; figures about functions.

Indexes that are there get theirs when their next run rebuilds them.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from cocosearch_py.storage.write.partitions import add_table

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_INDEX_ID = ("index_id", "integer NOT NULL", "which index; the partition key")
_FILE_ID = ("file_id", "bigint NOT NULL", "64-bit hash of the path; see files")
# Table -> (comment, key, column that is indexed, columns with their comments).
_TABLES = {
    "refs": (
        "Uses of names, as written: which definition each means is worked out by a query.",
        "index_id, file_id, ref_no",
        "name",
        (
            _INDEX_ID,
            ("ref_no", "integer NOT NULL", "position in the file, from 0"),
            _FILE_ID,
            ("line", "integer NOT NULL", "line, from 1"),
            ("col", "integer NOT NULL", "column in characters, from 1"),
            ("symbol_no", "integer", "innermost definition around it; see symbols"),
            ("kind", "text NOT NULL", "call, type, inherit or read"),
            ("name", 'text COLLATE "C" NOT NULL', "the identifier alone: b of a.b()"),
            (
                "qualifier",
                "text NOT NULL",
                "what stands before it: a of a.b(); empty for nothing, … for an expression",
            ),
        ),
    ),
    "imports": (
        "Imports as written, one row per imported name.",
        "index_id, file_id, import_no",
        "name",
        (
            _INDEX_ID,
            ("import_no", "integer NOT NULL", "position in the file, from 0"),
            _FILE_ID,
            ("line", "integer NOT NULL", "line, from 1"),
            ("module", "text NOT NULL", "as written, without quotes: ..pkg.mod, ./lib/x, std::fmt"),
            ("name", 'text COLLATE "C"', "what is imported of it; * for all, null for the module itself"),
            ("alias", "text", "name in this file, where it is another one"),
        ),
    ),
    "dependencies": (
        "Which file an import means, for those that mean one of the index; worked out from imports and all paths.",
        "index_id, file_id, import_no, target_file_id",
        "target_file_id",
        (
            _INDEX_ID,
            ("import_no", "integer NOT NULL", "see imports"),
            _FILE_ID,
            (
                "target_file_id",
                "bigint NOT NULL",
                "the file that is imported, see files; 0 if it should be in the index and is not",
            ),
            ("line", "integer NOT NULL", "line of the import, from 1"),
            ("module", "text NOT NULL", "as written"),
        ),
    ),
}
_SYMBOL_COLUMNS = (
    ("cyclomatic", sa.Integer(), True, "cyclomatic complexity of a function, from 1"),
    ("max_nesting", sa.Integer(), True, "blocks around the innermost statement of a function"),
    ("parameter_count", sa.Integer(), True, "parameters of a function"),
    ("is_test", sa.Boolean(), False, "a test, by its annotation or by the names of it and its file"),
    ("is_deprecated", sa.Boolean(), False, "marked or documented as deprecated"),
)


def upgrade() -> None:
    for name, kind, nullable, comment in _SYMBOL_COLUMNS:
        default = None if nullable else sa.false()  # for the rows that are there
        column = sa.Column(name, kind, nullable=nullable, comment=comment, server_default=default)
        op.add_column("symbols", column, schema=_SCHEMA)
        for table in _symbols_and_leaves():
            op.execute(f"COMMENT ON COLUMN {table}.{name} IS '{comment}'")
        if default is not None:
            op.alter_column("symbols", name, server_default=None, schema=_SCHEMA)
    for table, (comment, key, indexed, columns) in _TABLES.items():
        fields = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
        op.execute(f"CREATE TABLE {_SCHEMA}.{table} ({fields}, PRIMARY KEY ({key})) PARTITION BY RANGE (index_id)")
        op.execute(f"COMMENT ON TABLE {_SCHEMA}.{table} IS '{comment}'")
        for name, _, text in columns:
            op.execute(f"COMMENT ON COLUMN {_SCHEMA}.{table}.{name} IS '{text}'")
        connection = op.get_bind().connection.driver_connection
        assert connection is not None
        add_table(connection, table)
        op.execute(f"CREATE INDEX ON {_SCHEMA}.{table}_shared (index_id, {indexed})")


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table, schema=_SCHEMA)
        for build in _detached(table):
            op.execute(f"DROP TABLE {build}")
    for name, *_ in _SYMBOL_COLUMNS:
        op.drop_column("symbols", name, schema=_SCHEMA)


def _detached(table: str) -> list[str]:
    """Quoted names of the tables that unfinished builds have for a fact table."""
    query = (
        f"SELECT oid::regclass::text FROM pg_class WHERE relnamespace = '{_SCHEMA}'::regnamespace "
        f"AND relkind = 'r' AND relname ~ '^{table}_[0-9]+$'"
    )
    return [name for (name,) in op.get_bind().execute(sa.text(query))]


def _symbols_and_leaves() -> list[str]:
    """Quoted names of the table and of its leaves, which do not inherit comments."""
    parent = f"{_SCHEMA}.symbols"
    leaves = op.get_bind().execute(
        sa.text(f"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{parent}'::regclass ORDER BY 1")
    )
    return [parent, *(name for (name,) in leaves)]
