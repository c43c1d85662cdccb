"""One history of the schema: the migrations give exactly the metadata, forwards and backwards, with data in it."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, create_engine, text

from cocosearch_py.app import App
from cocosearch_py.errors import SchemaOutdatedError
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage import migrate
from cocosearch_py.storage.schema.metadata import metadata
from cocosearch_py.storage.schema.partitions import is_leaf
from cocosearch_py.storage.schema.registry import SCHEMA
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import downgrade_schema, upgrade_schema

ROOT = Path(__file__).parents[2]


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    if kind == "schema":
        return name == SCHEMA
    return not (kind == "table" and name is not None and is_leaf(name))


def test_migrations_give_the_metadata(app: App, sample_repo: Path, database_url: str) -> None:
    app.index(sample_repo, name="shop")
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(database_url), poolclass=NullPool)
    with engine.connect() as connection:
        options = {
            "include_schemas": True,
            "include_name": is_ours,
            "version_table_schema": SCHEMA,
            "compare_type": True,
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        connection.execute(text(f"ALTER TABLE {SCHEMA}.files DROP COLUMN encoding CASCADE"))
        assert compare_metadata(context, metadata) != []  # the comparison would see a difference
        connection.rollback()


def test_storage_and_shared_search_indexes_are_as_declared(app: App) -> None:
    """What Alembic does not compare: how long values are kept, and the indexes of the shared leaves."""
    declared = {
        (name, column.name, column.storage)
        for name, table in TABLES.items()
        for column in table.columns
        if column.storage
    }
    shared = {
        f"CREATE INDEX ON {name}_shared USING {index.method} (index_id, {index.expression})"
        for name, table in TABLES.items()
        for index in table.indexes
        if index.in_shared_leaf
    }
    with app.database.reading() as conn:
        stored = conn.execute(
            "SELECT c.relname, a.attname, CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' "
            "ELSE 'MAIN' END FROM pg_attribute a "
            "JOIN pg_type t ON t.oid = a.atttypid JOIN pg_class c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = 'cocosearch_py'::regnamespace AND c.relname = ANY(%s) "
            "AND a.attnum > 0 AND a.attstorage <> t.typstorage",
            [list(TABLES)],
        ).fetchall()
        made = conn.execute(
            "SELECT regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \\S+ ON \\S+\\.', 'INDEX ON ') "
            "FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
            "WHERE c.relnamespace = 'cocosearch_py'::regnamespace AND c.relname = ANY(%s) AND NOT i.indisprimary",
            [[f"{name}_shared" for name in TABLES]],
        ).fetchall()
    assert (set(stored), {text for (text,) in made}) == (declared, shared)


def test_leaves_are_made_as_their_parents_are(app: App, sample_repo: Path, database_url: str) -> None:
    """The program makes them from the declaration, not from the parents."""
    app.database.own_leaf_chunks = 1
    app.index(sample_repo, name="shop")
    index_id = app.catalog.find("shop").index_id
    query = """
        SELECT a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation, a.attnotnull, a.attstorage,
               a.attcompression, a.attidentity, a.attgenerated, a.atthasdef, col_description(a.attrelid, a.attnum)
        FROM pg_attribute a WHERE a.attrelid = %s::regclass AND a.attnum > 0 ORDER BY 1
    """
    with psycopg.connect(database_url) as conn:
        for table in TABLES:
            parent, own = (
                conn.execute(query, [f"{SCHEMA}.{name}"]).fetchall() for name in (table, f"{table}_{index_id}")
            )
            assert own == parent


def test_head_is_the_newest_script() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.migrations_folder()))
    assert ScriptDirectory.from_config(config).get_heads() == [migrate.HEAD_REVISION]


def test_every_table_column_and_view_has_a_comment(app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    with app.database.reading() as conn:
        silent = conn.execute(
            "SELECT c.relname, a.attname FROM pg_class c LEFT JOIN pg_attribute a "
            "ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind <> 'v' "
            "WHERE c.relnamespace = 'cocosearch_py'::regnamespace AND c.relkind IN ('r', 'p', 'v') "
            "AND c.relname <> 'alembic_version' "
            "AND (col_description(c.oid, a.attnum) IS NULL AND c.relkind <> 'v' "
            "     OR obj_description(c.oid, 'pg_class') IS NULL AND NOT c.relispartition)"
        ).fetchall()
    assert silent == []


def test_views_read_an_index(app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    with app.database.reading() as conn:
        views = conn.execute("SELECT viewname FROM pg_views WHERE schemaname = 'cocosearch_py'").fetchall()
        assert len(views) >= 4
        for (view,) in views:
            conn.execute(f"SELECT * FROM cocosearch_py.{view}").fetchall()
        assert conn.execute("SELECT count(*) FROM cocosearch_py.code").fetchone() != (0,)


def test_down_to_nothing_and_up_again_with_an_index(app: App, sample_repo: Path, database_url: str) -> None:
    app.index(sample_repo, name="shop")
    app.index(sample_repo, name="second")
    app.close()
    assert downgrade_schema(app.database, "base") is None
    with psycopg.connect(database_url) as conn:
        left = conn.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace "
            "AND relkind IN ('r', 'p', 'v', 'S')"
        ).fetchall()
    assert left in ([], [("alembic_version",)])
    assert upgrade_schema(app.database) == migrate.HEAD_REVISION
    assert app.catalog.list_all() == []
    app.index(sample_repo, name="shop")
    assert app.search(SearchRequest("apply_discount"), index_name="shop")[1].hits[0].file_path == "shop/discounts.py"


def test_upgrade_twice_changes_nothing(app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    assert upgrade_schema(app.database) == migrate.HEAD_REVISION
    assert [record.name for record in app.catalog.list_all()] == ["shop"]


@pytest.mark.slow
def test_alembic_command_finds_nothing_to_do(app: App, sample_repo: Path, database_url: str) -> None:
    app.index(sample_repo, name="shop")
    url = database_url.replace("postgresql://", "postgresql+psycopg://")
    command = [sys.executable, "-m", "alembic", "-c", str(ROOT / "alembic.ini"), "-x", f"url={url}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for arguments in (["check"], ["current"]):
        done = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, env=environment, cwd=ROOT, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
    assert migrate.HEAD_REVISION in done.stdout


def test_newer_schema_is_refused(app: App, database_url: str) -> None:
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaOutdatedError, match="newer") as caught:
        app.catalog.list_all()
    assert "upgrade cocosearch-py" in caught.value.hint
    assert caught.value.error_type == "configuration_error", "the server is there, and was asked"


def test_older_schema_of_a_server_is_not_changed_unasked(app: App, database_url: str) -> None:
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.alembic_version SET version_num = '0000'")
    with pytest.raises(SchemaOutdatedError, match="0000") as caught:
        app.catalog.list_all()
    assert "db upgrade" in caught.value.hint


def test_a_user_who_may_not_create_pg_trgm_goes_without(database_url: str) -> None:
    statement = ScriptDirectory(str(migrate.migrations_folder())).get_revision("0021").module.CREATE_EXTENSION
    with psycopg.connect(database_url) as conn:
        conn.execute("DROP EXTENSION pg_trgm CASCADE; CREATE ROLE without_rights; SET LOCAL ROLE without_rights")
        conn.execute(statement)
        count = "SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'"
        assert conn.execute(count).fetchall() == [(0,)]
        conn.execute("RESET ROLE")
        conn.execute(statement)
        assert conn.execute(count).fetchall() == [(1,)]
        conn.rollback()
