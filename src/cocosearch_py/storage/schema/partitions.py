"""Where an index has its rows: in leaves of its own, or in the leaves that all small indexes share.

The number of an index tells: those from FIRST_SHARED_ID on are in the shared leaves. So an index that moves gets a new
number, and a reader of the old one finds what it read before (docs/adr/0009).
"""

from psycopg import sql

from cocosearch_py.storage.schema.registry import SCHEMA
from cocosearch_py.storage.schema.tables import TABLES

FIRST_SHARED_ID = 2**30  # below are a billion numbers for large indexes and as many above: one for every build
VIEW_PREFIX = "cocosearch_"  # of the views that show people the chunks of one index; no table's name begins so


def is_shared(index_id: int) -> bool:
    """Whether the rows of this index are in the shared leaves."""
    return index_id >= FIRST_SHARED_ID


def is_leaf(relation: str) -> bool:
    """Whether a table of our schema is a leaf of a fact table."""
    table, _, place = relation.rpartition("_")
    return table in TABLES and (place == "shared" or place.isdecimal())


def qualified(relation: str) -> sql.Composed:
    """A relation of our schema."""
    return sql.SQL("{}.{}").format(sql.Identifier(SCHEMA), sql.Identifier(relation))


def leaf(table: str, index_id: int) -> sql.Composed:
    """The leaf of a fact table that has the rows of an index; other indexes' rows too, if it is shared."""
    return qualified(f"{table}_shared" if is_shared(index_id) else f"{table}_{index_id}")


def rows_of(table: str, index_id: int) -> sql.Composed:
    """Return the SQL behind FROM, before an alias, for the rows of one index in a fact table.

    For a shared leaf the statement needs the parameter `index_id`: one statement, prepared once, serves all indexes.
    """
    if not is_shared(index_id):
        return leaf(table, index_id)
    return sql.SQL("(SELECT * FROM {} WHERE index_id = %(index_id)s)").format(leaf(table, index_id))
