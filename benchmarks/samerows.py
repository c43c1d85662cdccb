"""Whether two databases hold the same rows: what a change that should only be faster has to show.

    python benchmarks/samerows.py DATA_FOLDER OTHER_DATA_FOLDER

Each folder is the data folder (COCOSEARCH_DATA_DIR) of an embedded database. All fact tables of indexes with one name
are compared column by column, but for the number of the index and times of files. Exits with 1 if anything differs.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from psycopg import sql

from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import list_all
from cocosearch_py.storage.schema.partitions import rows_of
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import stop_server
from cocosearch_py.storage.server.database import Database, DatabaseOptions

LEFT_OUT = {"index_id", "mtime_ns"}
Rows = dict[tuple[str, str], Counter[str]]  # (index, table) -> rows as text, and how often each is there


def read(conn: Connection) -> Rows:
    """All rows of all indexes."""
    found: Rows = {}
    for record in list_all(conn):
        for name, table in TABLES.items():
            columns = [sql.Identifier(column.name) for column in table.columns if column.name not in LEFT_OUT]
            query = sql.SQL("SELECT ROW({})::text FROM {} r").format(
                sql.SQL(", ").join(columns), rows_of(name, record.index_id)
            )
            rows = conn.execute(query, {"index_id": record.index_id})
            found[record.name, name] = Counter(row[0] for row in rows)
    return found


def read_folder(folder: Path) -> Rows:
    with Database(DatabaseOptions(folder.resolve())) as database:
        database.start()
        found = database.read(read)
        stop_server(database)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs=2)
    one, other = map(read_folder, parser.parse_args().folders)
    differ = False
    for index, table in sorted(one.keys() | other.keys()):
        left, right = one.get((index, table), Counter()), other.get((index, table), Counter())
        missing, added = left - right, right - left
        differ |= bool(missing or added)
        print(f"{index} {table}: {left.total():,} rows, {missing.total():,} missing, {added.total():,} added")
        for sign, rows in (("-", missing), ("+", added)):
            print(*(f"  {sign} {row[:200]}" for row in list(rows)[:2]), sep="\n", end="\n" if rows else "")
    sys.exit(differ)


if __name__ == "__main__":
    main()
