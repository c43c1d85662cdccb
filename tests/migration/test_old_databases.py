"""A database that an older version filled migrates with its indexes intact, and back."""

from pathlib import Path

import psycopg
import pytest
from ulid import ULID

from cocosearch_py.app import App
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage import migrate
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import upgrade_schema

LAST_WITH_LISTS = "0002"
# Ids and names as they may be in an old database; the leaf of "2" was files_2, which is now the name of another's.
OLD_INDEXES = {1: "2", 2: "shared", 3: "shop", 7: "shop__new"}
LARGE = "shop__new"  # as far as its row tells
# What revision 0002 does not have.
LATER_COLUMNS = {
    "content_class",
    *("cyclomatic", "max_nesting", "parameter_count", "is_test", "is_deprecated"),
}
LATER_TABLES = {"refs", "imports", "dependencies"}
OLD_TABLES = [table for table in TABLES if table not in LATER_TABLES]
LATER_COLUMNS_OF_INDEXES = ("bytes_per_second", "ulid", "read_at")
LEAF_PREFIXES = {table: "cocosearch_" if table == "chunks" else f"{table}_" for table in OLD_TABLES}


def content(conn: psycopg.Connection, index_name: str) -> dict[str, list[str]]:
    """All rows of an index as text, without its number and what later revisions add."""
    return {
        table: sorted(
            row[0]
            for row in conn.execute(
                f"SELECT (to_jsonb(t) - 'index_id' - %s::text[])::text FROM cocosearch_py.{table} t "
                "JOIN cocosearch_py.indexes i USING (index_id) WHERE i.name = %s",
                [list(LATER_COLUMNS), index_name],
            )
        )
        for table in OLD_TABLES
    }


@pytest.fixture
def old_database(app: App, sample_repo: Path, database_url: str) -> str:
    """URL of a database as revision 0002 had it: four indexes of the sample, each in leaves of its own."""
    app.index(sample_repo, name="source")
    app.close()
    with psycopg.connect(database_url) as conn:
        for table in ("indexes", *OLD_TABLES):
            conn.execute(f"CREATE TABLE public.kept_{table} AS SELECT * FROM cocosearch_py.{table}")
        for column in LATER_COLUMNS_OF_INDEXES:
            conn.execute(f"ALTER TABLE public.kept_indexes DROP COLUMN {column}")
    migrate.downgrade(database_url, "base")
    migrate.upgrade(database_url, LAST_WITH_LISTS)
    with psycopg.connect(database_url) as conn:
        for index_id, name in OLD_INDEXES.items():
            conn.execute(
                "INSERT INTO cocosearch_py.indexes SELECT (jsonb_populate_record(k, jsonb_build_object("
                "'index_id', %s::int, 'name', %s::text, 'table_name', %s::text, "
                "'chunk_count', CASE WHEN %s THEN 1500 ELSE k.chunk_count END))).* FROM public.kept_indexes k",
                [index_id, name, f"cocosearch_{name}", name == LARGE],
            )
            for table in OLD_TABLES:
                add_old_leaf(conn, table, index_id, name)
        conn.execute("SELECT setval('cocosearch_py.index_ids', 7)")
    return database_url


def add_old_leaf(conn: psycopg.Connection, table: str, index_id: int, name: str) -> None:
    leaf = f'cocosearch_py."{LEAF_PREFIXES[table]}{name}"'
    key = ", ".join(TABLES[table].key)
    names = [column.name for column in TABLES[table].columns[1:] if column.name not in LATER_COLUMNS]
    columns = ", ".join(f'"{name}"' for name in names)
    conn.execute(f"CREATE TABLE {leaf} (LIKE cocosearch_py.{table} INCLUDING STORAGE INCLUDING COMMENTS)")
    conn.execute(f"INSERT INTO {leaf} (index_id, {columns}) SELECT {index_id}, {columns} FROM public.kept_{table}")
    conn.execute(f"ALTER TABLE {leaf} ADD PRIMARY KEY ({key}), ADD CHECK (index_id = {index_id})")
    if table == "symbols":
        conn.execute(f"CREATE INDEX ON {leaf} (name_key)")
    conn.execute(f"ALTER TABLE cocosearch_py.{table} ATTACH PARTITION {leaf} FOR VALUES IN ({index_id})")


def test_old_indexes_are_there_after_an_upgrade(app: App, old_database: str) -> None:
    with psycopg.connect(old_database) as conn:
        before = {name: content(conn, name) for name in OLD_INDEXES.values()}
        assert all(before["shop"].values())
    upgrade_schema(app.database)
    kept = {record.name: record.index_id for record in app.catalog.list_all() if not is_shared(record.index_id)}
    assert kept == {LARGE: 7}
    assert {record.read_at for record in app.catalog.list_all()} == {None}
    ids = {record.ulid: record.created_at for record in app.catalog.list_all()}
    assert len(ids) == len(OLD_INDEXES)
    for ulid, created_at in ids.items():  # its first ten characters say when
        assert abs(ULID.from_str(ulid).timestamp - created_at.timestamp()) < 0.002
    with psycopg.connect(old_database) as conn:
        assert {name: content(conn, name) for name in OLD_INDEXES.values()} == before
        for name in OLD_INDEXES.values():
            rows = conn.execute(f'SELECT count(*) FROM cocosearch_py."cocosearch_{name}"').fetchone()
            assert rows == (len(before[name]["chunks"]),)
        bounds = conn.execute(
            "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'files_7'"
        ).fetchone()
        assert bounds == ("FOR VALUES FROM (7) TO (8)",)
        assert conn.execute("SELECT to_regnamespace('cocosearch_py_old')").fetchone() == (None,)
        for table in TABLES:
            inherits = "SELECT count(*) FROM pg_inherits WHERE inhparent = %s::regclass"
            assert conn.execute(inherits, [f"cocosearch_py.{table}"]).fetchone() == (2,)
            old = f'cocosearch_py."{LEAF_PREFIXES.get(table, table)}3"'
            assert conn.execute("SELECT to_regclass(%s)", [old]).fetchone() == (None,)
    for name in OLD_INDEXES.values():
        hits = app.search(SearchRequest("apply_discount"), index_name=name)[1].hits
        assert hits[0].file_path == "shop/discounts.py"


def test_a_small_old_index_goes_on_with_its_next_run(app: App, sample_repo: Path, old_database: str) -> None:
    upgrade_schema(app.database)
    (sample_repo / "shop/discounts.py").write_text("def other(): ...\n")
    assert app.index(sample_repo, name="shop").files_updated == 1
    moved = app.catalog.find("shop")
    assert is_shared(moved.index_id)
    assert app.search(SearchRequest("other"), index_name="shop")[1].hits[0].file_path == "shop/discounts.py"
    assert app.search(SearchRequest("apply_discount"), index_name="shop__new")[1].hits
    with psycopg.connect(old_database) as conn:
        assert conn.execute("SELECT to_regclass('cocosearch_py.chunks_3')").fetchone() == (None,)
        assert conn.execute("SELECT count(*) FROM cocosearch_py.cocosearch_shop").fetchone() == (moved.chunk_count,)
    app.catalog.clear("2")
    with pytest.raises(IndexNotFoundError):
        app.catalog.find("2")


def test_an_old_index_gets_its_classes_with_its_next_run_and_is_searchable_before(
    app: App, sample_repo: Path, old_database: str
) -> None:
    upgrade_schema(app.database)
    guides = SearchRequest("discount content:docs")
    assert app.search(SearchRequest("discount -content:vendored"), index_name="shop")[1].hits
    assert app.search(guides, index_name="shop")[1].hits == ()
    run = app.index(sample_repo, name="shop")
    assert (run.files_updated, run.files_added) == (0, 0)
    assert {hit.file_path for hit in app.search(guides, index_name="shop")[1].hits} == {"docs/guide.md"}
    with psycopg.connect(old_database) as conn:
        unknown = "SELECT count(*) FROM cocosearch_py.files f JOIN cocosearch_py.indexes i USING (index_id) WHERE "
        unknown += "i.name = 'shop' AND f.status = 'indexed' AND content_class IS NULL"
        assert conn.execute(unknown).fetchone() == (0,)
    again = app.index(sample_repo, name="shop")
    assert again.files_unchanged == run.files_unchanged


def test_down_to_lists_and_up_again(app: App, sample_repo: Path, database_url: str) -> None:
    names = ["small", "large"]
    app.index(sample_repo, name="small")
    app.database.own_leaf_chunks = 1
    app.index(sample_repo, name="large")
    assert [is_shared(app.catalog.find(name).index_id) for name in names] == [True, False]
    app.close()
    with psycopg.connect(database_url) as conn:
        before = {name: content(conn, name) for name in names}
    migrate.downgrade(database_url, LAST_WITH_LISTS)
    with psycopg.connect(database_url) as conn:
        assert {name: content(conn, name) for name in names} == before
        for name in names:
            rows = conn.execute(f"SELECT count(*) FROM ONLY cocosearch_py.cocosearch_{name}").fetchone()
            assert rows == (len(before[name]["chunks"]),)
    upgrade_schema(app.database)
    with psycopg.connect(database_url) as conn:
        assert {name: content(conn, name) for name in names} == before
    for name in names:
        assert app.search(SearchRequest("apply_discount"), index_name=name)[1].hits[0].file_path == "shop/discounts.py"
