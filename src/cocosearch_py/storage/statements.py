"""Run statements whose rows come in binary form."""

from collections.abc import Mapping
from typing import Any

import psycopg

Row = tuple[Any, ...]
Rows = list[Row]


def run(
    conn: psycopg.Connection,
    query: bytes,
    values: Mapping[str, object] | None = None,
    *,
    prepare: bool | None = None,
) -> Rows:
    """Return the rows of a statement with `%(name)s` in place of values, and %% for %.

    Args:
        prepare: whether the statement is planned once; None leaves it to psycopg, which counts its uses.
    """
    return conn.execute(query, values, prepare=prepare, binary=True).fetchall()


def run_each(conn: psycopg.Connection, query: bytes, values: Mapping[str, object] | None = None) -> list[Row | str]:
    """Return rows as `run` does; for a row with a value that Python cannot hold, the reason."""
    cursor = conn.execute(query, values, binary=True)
    return [_row_or_reason(cursor, number) for number in range(cursor.rowcount)]


def _row_or_reason(cursor: psycopg.Cursor[Row], number: int) -> Row | str:
    cursor.scroll(number, mode="absolute")
    try:
        return cursor.fetchone() or ()
    except (psycopg.DataError, ValueError, ArithmeticError, RecursionError) as error:
        return " ".join(str(error).split())
