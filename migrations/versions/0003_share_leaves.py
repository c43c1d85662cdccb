"""Partition by ranges of index_id: small indexes share a leaf of each table, large ones keep their own.

Small indexes are copied to the shared leaves; the leaves of large ones are attached to the new tables as they are. The
old tables with the leaves of small ones stay in a schema of their own, `cocosearch_py_old`, which `storage/migrate.py`
drops leaf by leaf after the commit: detaching one takes time that grows with the number of all, and dropping thousands
in one transaction takes more locks than a server has. On the way down shared rows are copied to leaves of their own.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_SCHEMA = "cocosearch_py"
_OLD = "cocosearch_py_old"
_FIRST_SHARED_ID = 2**30
_OWN_LEAF_MIN_CHUNKS = 1_500
# Table -> (primary key, how the leaves of the older revision begin).
_TABLES = {
    "files": ("index_id, file_id", "files_"),
    "chunks": ("index_id, file_id, chunk_no", "cocosearch_"),
    "keywords": ("index_id, file_id, chunk_no", "keywords_"),
    "vectors": ("index_id, file_id, chunk_no", "vectors_"),
    "symbols": ("index_id, file_id, symbol_no", "symbols_"),
    "lexemes": ("index_id, lexeme", "lexemes_"),
}
# (comment below this revision, comment from it on)
_COMMENTS = {
    "COLUMN cocosearch_py.indexes.index_id": (
        "chosen by the program, never reused",
        "another one after a rebuild; never reused",
    ),
    "COLUMN cocosearch_py.indexes.table_name": (
        "leaf of chunks that holds this index: cocosearch_<name>",
        "view of the chunks of this index: cocosearch_<name>",
    ),
    "TABLE cocosearch_py.chunks": (
        "Passages that are searched and shown, cut at syntax boundaries. Leaves: cocosearch_<index>.",
        "Passages that are searched and shown, cut at syntax boundaries. By index: view cocosearch_<name>.",
    ),
}


def upgrade() -> None:
    views = _drop_views()
    op.execute(f"ALTER SCHEMA {_SCHEMA} RENAME TO {_OLD}")
    op.execute(f"CREATE SCHEMA {_SCHEMA}")
    for kind, name in (("TABLE", "alembic_version"), ("TABLE", "indexes"), ("SEQUENCE", "index_ids")):
        op.execute(f"ALTER {kind} {_OLD}.{name} SET SCHEMA {_SCHEMA}")
    op.execute(f"CREATE SEQUENCE {_SCHEMA}.shared_index_ids START WITH {_FIRST_SHARED_ID}")
    indexes = _rows("SELECT index_id, table_name FROM cocosearch_py.indexes")
    large = _rows(f"SELECT index_id, table_name FROM {_SCHEMA}.indexes WHERE chunk_count >= {_OWN_LEAF_MIN_CHUNKS}")
    small = _rows(
        f"SELECT index_id, nextval('{_SCHEMA}.shared_index_ids'), table_name FROM {_SCHEMA}.indexes "
        f"WHERE chunk_count < {_OWN_LEAF_MIN_CHUNKS}"
    )
    for table, (key, prefix) in _TABLES.items():
        _create_parent(table, "RANGE", f"{_OLD}.{table}")
        op.execute(f"ALTER TABLE {_SCHEMA}.{table} ADD PRIMARY KEY ({key})")
        for index_id, table_name in large:
            own = prefix + table_name.removeprefix("cocosearch_")
            op.execute(f'ALTER TABLE {_OLD}.{table} DETACH PARTITION {_OLD}."{own}"')
            # By way of a name that nothing has: there may be an index called as the number of this one.
            op.execute(f'ALTER TABLE {_OLD}."{own}" RENAME TO "{table}${index_id}"')
            op.execute(f'ALTER TABLE {_OLD}."{table}${index_id}" SET SCHEMA {_SCHEMA}')
            op.execute(f'ALTER TABLE {_SCHEMA}."{table}${index_id}" RENAME TO {table}_{index_id}')
            op.execute(
                f"ALTER TABLE {_SCHEMA}.{table} ATTACH PARTITION {_SCHEMA}.{table}_{index_id} "
                f"FOR VALUES FROM ({index_id}) TO ({index_id + 1})"
            )
        _copy_to_shared(table, small)
        op.execute(f"ALTER TABLE {_SCHEMA}.{table}_shared ADD PRIMARY KEY ({key})")
        op.execute(
            f"ALTER TABLE {_SCHEMA}.{table} ATTACH PARTITION {_SCHEMA}.{table}_shared "
            f"FOR VALUES FROM ({_FIRST_SHARED_ID}) TO (MAXVALUE)"
        )
        # Statistics of when there were few indexes would let the planner read the whole table for one of many. Without
        # any it takes an index for half a percent of the rows, and goes by the key.
        op.execute(f"ALTER TABLE {_SCHEMA}.{table}_shared ALTER COLUMN index_id SET STATISTICS 0")
    op.execute(f"CREATE INDEX ON {_SCHEMA}.symbols_shared (index_id, name_key)")
    for index_id, new_id, _ in small:
        op.execute(f"UPDATE {_SCHEMA}.indexes SET index_id = {new_id} WHERE index_id = {index_id}")
    _create_views(views)
    for _, table_name in indexes:
        op.execute(
            f'CREATE VIEW {_SCHEMA}."{table_name}" AS SELECT * FROM {_SCHEMA}.chunks WHERE index_id = '
            f"(SELECT i.index_id FROM {_SCHEMA}.indexes i WHERE i.table_name = '{table_name}')"
        )
        op.execute(f"COMMENT ON VIEW {_SCHEMA}.\"{table_name}\" IS 'Chunks of one index; see table chunks.'")
    _set_comments(1)


def downgrade() -> None:
    indexes = _rows("SELECT index_id, table_name FROM cocosearch_py.indexes")
    for _, table_name in indexes:
        op.execute(f'DROP VIEW {_SCHEMA}."{table_name}"')
    views = _drop_views()
    new_ids = {
        index_id: _rows(f"SELECT nextval('{_SCHEMA}.index_ids')")[0][0] if index_id >= _FIRST_SHARED_ID else index_id
        for index_id, _ in indexes
    }
    for table, (key, prefix) in _TABLES.items():
        for index_id, _ in indexes:
            if index_id >= _FIRST_SHARED_ID:
                _copy_from_shared(table, key, index_id, new_ids[index_id])
            else:
                op.execute(f"ALTER TABLE {_SCHEMA}.{table} DETACH PARTITION {_SCHEMA}.{table}_{index_id}")
                op.execute(f'ALTER TABLE {_SCHEMA}.{table}_{index_id} RENAME TO "{table}${index_id}"')
        _repartition(table, key, "LIST")
        for index_id, table_name in indexes:
            new_id, own = new_ids[index_id], prefix + table_name.removeprefix("cocosearch_")
            op.execute(f'ALTER TABLE {_SCHEMA}."{table}${new_id}" RENAME TO "{own}"')
            op.execute(f'ALTER TABLE {_SCHEMA}.{table} ATTACH PARTITION {_SCHEMA}."{own}" FOR VALUES IN ({new_id})')
    for index_id, new_id in new_ids.items():
        op.execute(f"UPDATE {_SCHEMA}.indexes SET index_id = {new_id} WHERE index_id = {index_id}")
    _create_views(views)
    _set_comments(0)
    op.execute(f"DROP SEQUENCE {_SCHEMA}.shared_index_ids")


def _rows(query: str) -> Sequence[sa.Row[tuple[object, ...]]]:
    return op.get_bind().execute(sa.text(query)).fetchall()


def _drop_views() -> Sequence[sa.Row[tuple[object, ...]]]:
    """Drop the views that read the fact tables; return (name, query, comment) of each."""
    views = _rows(
        "SELECT c.relname, pg_get_viewdef(c.oid), obj_description(c.oid, 'pg_class') FROM pg_class c "
        f"WHERE c.relnamespace = '{_SCHEMA}'::regnamespace AND c.relkind = 'v' ORDER BY 1"
    )
    for name, _, _ in views:
        op.execute(f'DROP VIEW {_SCHEMA}."{name}"')
    return views


def _create_views(views: Sequence[sa.Row[tuple[object, ...]]]) -> None:
    for name, query, comment in views:
        op.execute(sa.text(f'CREATE VIEW {_SCHEMA}."{name}" AS {query}'.replace(":", "\\:")))
        op.execute(f"COMMENT ON VIEW {_SCHEMA}.\"{name}\" IS '{comment}'")


def _repartition(table: str, key: str, how: str) -> None:
    """Replace a table by one that is partitioned in another way; it has only the leaves that go with it."""
    op.execute(f"ALTER TABLE {_SCHEMA}.{table} RENAME TO {table}_old")
    _create_parent(table, how, f"{_SCHEMA}.{table}_old")
    op.execute(f"DROP TABLE {_SCHEMA}.{table}_old")
    op.execute(f"ALTER TABLE {_SCHEMA}.{table} ADD PRIMARY KEY ({key})")


def _create_parent(table: str, how: str, old: str) -> None:
    """Make a partitioned table, without key, with the columns and the comment of another."""
    ((comment,),) = _rows(f"SELECT obj_description('{old}'::regclass)")
    op.execute(
        f"CREATE TABLE {_SCHEMA}.{table} (LIKE {old} INCLUDING STORAGE INCLUDING COMMENTS) "
        f"PARTITION BY {how} (index_id)"
    )
    op.execute(f"COMMENT ON TABLE {_SCHEMA}.{table} IS '{comment}'")


def _create_leaf(table: str, key: str, name: str) -> None:
    op.execute(
        f'CREATE TABLE {_SCHEMA}."{name}" (LIKE {_SCHEMA}.{table} INCLUDING STORAGE INCLUDING COMMENTS, '
        f"PRIMARY KEY ({key}))"
    )


def _copy_to_shared(table: str, indexes: Sequence[sa.Row[tuple[object, ...]]]) -> None:
    """Make the shared leaf, detached, without key, with the rows of indexes: (number, new number, `table_name`)."""
    op.execute(f"CREATE TABLE {_SCHEMA}.{table}_shared (LIKE {_SCHEMA}.{table} INCLUDING STORAGE INCLUDING COMMENTS)")
    columns, prefix = _columns(table), _TABLES[table][1]
    for _, new_id, table_name in indexes:
        own = prefix + str(table_name).removeprefix("cocosearch_")
        op.execute(
            f'INSERT INTO {_SCHEMA}.{table}_shared (index_id, {columns}) SELECT {new_id}, {columns} FROM {_OLD}."{own}"'
        )


def _columns(table: str) -> str:
    """All columns but index_id, which is the first."""
    return ", ".join(
        row[0]
        for row in _rows(
            f"SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '{_SCHEMA}.{table}'::regclass "
            "AND attnum > 1 AND NOT attisdropped ORDER BY attnum"
        )
    )


def _copy_from_shared(table: str, key: str, index_id: int, new_id: int) -> None:
    """Give an index in the shared leaf a leaf as the older revision makes them."""
    own = f'{_SCHEMA}."{table}${new_id}"'
    _create_leaf(table, key, f"{table}${new_id}")
    columns = _columns(table)
    op.execute(
        f"INSERT INTO {own} (index_id, {columns}) SELECT {new_id}, {columns} FROM {_SCHEMA}.{table}_shared "
        f"WHERE index_id = {index_id}"
    )
    op.execute(f"ALTER TABLE {own} ADD CHECK (index_id = {new_id})")
    if table == "symbols":
        op.execute(f"CREATE INDEX ON {own} (name_key)")


def _set_comments(which: int) -> None:
    for thing, comments in _COMMENTS.items():
        op.execute(f"COMMENT ON {thing} IS '{comments[which]}'")
