"""A fact table takes a declaration and a migration: its rows then follow every index wherever it goes.

Both are those that CONTRIBUTING has as an example; the code that fills the table is `take_notes`.
"""

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Engine, MetaData, NullPool, create_engine

from cocosearch_py.app import App
from cocosearch_py.indexing import resolve
from cocosearch_py.storage.schema.metadata import define
from cocosearch_py.storage.schema.partitions import is_shared, rows_of
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.write.writer import IndexWriter


def example(folder: str) -> dict[str, Any]:
    """What the example of a module in a folder defines."""
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    ((code,),) = [re.findall(rf"```python {folder}/\S+\n(.*?)```", text, re.DOTALL)]
    defined: dict[str, Any] = {}
    exec(code, defined)
    return defined


def engine_of(database_url: str) -> Engine:
    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(database_url), poolclass=NullPool)


def take_notes(writer: IndexWriter) -> None:
    """A step: remarks the path of every file that has none yet."""
    files = rows_of("files", writer.index_id).as_string(writer.conn)
    notes = rows_of("notes", writer.index_id).as_string(writer.conn)
    found = writer.conn.execute(
        f"SELECT file_id, path FROM {files} f WHERE status = 'indexed' "
        f"AND file_id NOT IN (SELECT file_id FROM {notes} n)",
        {"index_id": writer.index_id},
    ).fetchall()
    encode = TABLES["notes"].encoder()
    writer.write({"notes": [encode(writer.index_id, file_id, path) for file_id, path in found]})


@pytest.fixture
def with_notes(app: App, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database and a program that have the table, and a large index from before."""
    app.database.start()
    with engine_of(database_url).begin() as connection, Operations.context(MigrationContext.configure(connection)):
        example("migrations/versions")["upgrade"]()
    monkeypatch.setitem(TABLES, "notes", example("storage/schema/tables")["TABLE"])
    monkeypatch.setattr(resolve, "STEPS", (*resolve.STEPS, take_notes))


def notes_of(app: App, name: str) -> list[str]:
    record = app.catalog.find(name)
    with app.database.reading() as conn:
        return [
            row[0]
            for row in conn.execute(
                "SELECT note FROM cocosearch_py.notes WHERE index_id = %s ORDER BY 1", [record.index_id]
            )
        ]


@pytest.mark.usefixtures("with_notes")
def test_rows_of_a_new_table_follow_their_index(app: App, sample_repo: Path, database_url: str) -> None:
    app.index(sample_repo, name="shop")
    paths = notes_of(app, "shop")
    assert "shop/cart.py" in paths
    (sample_repo / "shop/cart.py").unlink()
    app.database.own_leaf_chunks = 1
    app.index(sample_repo, name="shop")
    assert not is_shared(app.catalog.find("shop").index_id)
    assert notes_of(app, "shop") == [path for path in paths if path != "shop/cart.py"]
    app.index(sample_repo, name="shop", options=app.indexing_options(fresh=True))
    assert notes_of(app, "shop") == [path for path in paths if path != "shop/cart.py"]
    app.catalog.clear("shop")
    with psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT count(*) FROM cocosearch_py.notes").fetchone() == (0,)


def test_a_new_table_gets_leaves_for_the_indexes_that_are_there(
    app: App, sample_repo: Path, database_url: str, request: pytest.FixtureRequest
) -> None:
    app.database.own_leaf_chunks = 1
    app.index(sample_repo, name="shop")
    request.getfixturevalue("with_notes")
    (sample_repo / "shop/cart.py").write_text("def other(): ...\n")
    app.index(sample_repo, name="shop")
    assert "shop/cart.py" in notes_of(app, "shop")


@pytest.mark.usefixtures("with_notes")
def test_the_declaration_is_what_the_migration_made(database_url: str) -> None:
    metadata = MetaData(schema="cocosearch_py")
    define(TABLES["notes"], metadata)
    with engine_of(database_url).connect() as connection:
        wanted = {"schema": "cocosearch_py", "table": "notes"}
        options = {
            "include_schemas": True,
            "include_name": lambda name, kind, _: name == wanted.get(kind, name),
            "compare_type": True,
        }
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
