"""Alembic's entry: `cocosearch-py db upgrade` passes a connection; the `alembic` command reads alembic.ini's URL."""

from typing import Any

from alembic import context
from sqlalchemy import Connection, create_engine, text

from cocosearch_py.storage.schema.metadata import metadata
from cocosearch_py.storage.schema.partitions import is_leaf
from cocosearch_py.storage.schema.registry import SCHEMA


def _is_ours(name: str | None, kind: str, parents: Any) -> bool:
    """Compare our schema only, without the leaves that indexing creates."""
    if kind == "schema":
        return name == SCHEMA
    if kind == "table" and name is not None:
        return not is_leaf(name)
    return True


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        include_schemas=True,
        include_name=_is_ours,
        version_table_schema=SCHEMA,
        compare_type=True,
    )
    with context.begin_transaction():
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        context.run_migrations()


def _main() -> None:
    given = context.config.attributes.get("connection")
    if given is not None:
        _run(given)
        return
    url = context.get_x_argument(as_dictionary=True).get("url") or context.config.get_main_option("sqlalchemy.url")
    with create_engine(url or "").connect() as connection:
        _run(connection)
        connection.commit()


_main()
