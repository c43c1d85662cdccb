"""What is cleared is out of everybody's sight, comes back as it was for a day, and is then removed."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import BusyError, CocosearchError, IndexCollisionError, IndexNotFoundError
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import downgrade_schema, upgrade_schema

ContentOf = Callable[[str], Any]
BEFORE = "0008"  # the revision that does not know what was cleared


@pytest.fixture(params=["shared leaves", "own leaves"])
def shop(app: App, sample_repo: Path, request: pytest.FixtureRequest) -> Path:
    if request.param == "own leaves":
        app.database.own_leaf_chunks = 1
    app.index(sample_repo, name="shop")
    assert is_shared(app.catalog.find("shop").index_id) is (request.param == "shared leaves")
    return sample_repo


def numbers_with_rows(database_url: str) -> set[int]:
    with psycopg.connect(database_url) as conn:
        found = set[int]()
        for table in TABLES:
            found |= {row[0] for row in conn.execute(f"SELECT DISTINCT index_id FROM cocosearch_py.{table}")}
        return found


def own_tables(database_url: str) -> list[str]:
    with psycopg.connect(database_url) as conn:
        query = (
            "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace AND relname ~ '_[0-9]+$'"
        )
        return [row[0] for row in conn.execute(query + " AND relkind = 'r'")]


def expire(database_url: str) -> None:
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.cleared SET expires_at = now()")


def test_what_is_cleared_nobody_sees_and_it_comes_back_as_it_was(
    app: App, shop: Path, database_url: str, content_of: ContentOf
) -> None:
    record, content = app.catalog.find("shop"), content_of("shop")
    _, until = app.catalog.put_away("shop")
    assert until is not None
    assert app.catalog.list_all() == []
    for text in ("shop", record.ulid, record.workspace_id):
        with pytest.raises(IndexNotFoundError):
            app.catalog.find(text)
    with pytest.raises(IndexNotFoundError):
        app.search(SearchRequest("apply_discount"), index_name="shop")
    with psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT to_regclass('cocosearch_py.cocosearch_shop')").fetchone() == (None,)
        for view in ("index_overview", "coverage", "language_overview", "parse_problems", "code", "definitions"):
            assert conn.execute(f"SELECT count(*) FROM cocosearch_py.{view}").fetchone() == (0,), view
    (gone,) = app.catalog.restorable()
    assert (gone.name, gone.ulid, gone.expires_at) == ("shop", record.ulid, until)
    assert gone.expires_at - gone.cleared_at == timedelta(hours=24)
    restored = app.catalog.restore(gone)
    assert content_of("shop") == content
    for name in ("index_id", "ulid", "table_name", "created_at", "updated_at", "options", "weights", "seconds"):
        assert getattr(restored, name) == getattr(record, name), name
    assert app.catalog.find("shop") == restored
    assert app.search(SearchRequest("apply_discount"), index_name="shop")[1].hits
    assert app.catalog.restorable() == []
    run = app.index(shop, name="shop")
    assert (run.files_added, run.files_updated, run.index_id) == (0, 0, record.ulid)
    with psycopg.connect(database_url) as conn:
        chunks = conn.execute("SELECT count(*) FROM cocosearch_py.cocosearch_shop").fetchone()
        assert chunks == (record.chunk_count,)


def test_other_processes_take_a_restored_index_for_a_new_version(app: App, shop: Path) -> None:
    with App(app.settings, app.data_folder) as other:

        def ask() -> tuple[object, int]:
            record, report = other.search(SearchRequest("apply discount"), index_name="shop", use_cache=True)
            return record.version, len(report.hits)

        version, count = ask()
        assert ask() == (version, count)
        app.catalog.put_away("shop")
        with pytest.raises(IndexNotFoundError):
            ask()
        (gone,) = app.catalog.restorable()
        app.catalog.restore(gone)
        restored, found = ask()
    assert restored != version, "nothing that was kept of the version before is used any more"
    assert found == count > 0


def test_a_name_that_is_used_again_is_a_conflict(app: App, shop: Path) -> None:
    first = app.catalog.find("shop").ulid
    app.catalog.put_away("shop")
    assert app.index(shop, name="shop").index_id != first
    (gone,) = app.catalog.restorable()
    with pytest.raises(IndexCollisionError, match="a new index 'shop' exists") as raised:
        app.catalog.restore(gone)
    assert first in raised.value.hint
    app.catalog.put_away("shop")
    assert [one.name for one in app.catalog.restorable()] == ["shop", "shop"]
    assert app.catalog.restore(gone).ulid == first
    assert [one.ulid != first for one in app.catalog.restorable()] == [True]


def test_a_view_whose_name_is_taken_gets_another(app: App, shop: Path, tmp_path: Path) -> None:
    app.catalog.put_away("shop")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/code.py").write_text("def work(): ...\n")
    app.index(tmp_path / "other", name="Shop")  # whose view has the same name
    assert app.catalog.find("Shop").table_name == "cocosearch_shop"
    assert app.catalog.restore(app.catalog.restorable()[0]).table_name == "cocosearch_shop_2"


def test_after_a_day_the_next_run_removes_it(app: App, shop: Path, database_url: str, tmp_path: Path) -> None:
    number = app.catalog.find("shop").index_id
    app.catalog.put_away("shop")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/code.py").write_text("def work(): ...\n")
    app.index(tmp_path / "other", name="other")
    assert number in numbers_with_rows(database_url)
    (gone,) = app.catalog.restorable()
    expire(database_url)
    assert app.catalog.restorable() == []
    app.index(tmp_path / "other", name="other")
    assert numbers_with_rows(database_url) == {app.catalog.find("other").index_id}
    assert not [name for name in own_tables(database_url) if name.endswith(f"_{number}")]
    with pytest.raises(IndexNotFoundError):
        app.catalog.restore(gone)


def test_a_server_removes_it_when_it_opens_the_database(app: App, shop: Path, database_url: str) -> None:
    app.catalog.put_away("shop")
    app.catalog.reclaim()
    assert numbers_with_rows(database_url)
    expire(database_url)
    app.catalog.reclaim()
    assert numbers_with_rows(database_url) == set()
    assert own_tables(database_url) == []


def test_purging_is_final(app: App, shop: Path, database_url: str) -> None:
    app.catalog.put_away("shop")
    app.index(shop, name="shop")
    (gone,) = app.catalog.restorable()
    app.catalog.purge(gone)
    assert numbers_with_rows(database_url) == {app.catalog.find("shop").index_id}
    assert app.search(SearchRequest("apply_discount"), index_name="shop")[1].hits
    with psycopg.connect(database_url) as conn:  # the view of the index that has the name now
        assert conn.execute("SELECT count(*) > 0 FROM cocosearch_py.cocosearch_shop").fetchone() == (True,)
    app.catalog.purge(gone)  # once more is nothing
    app.catalog.clear("shop")
    assert numbers_with_rows(database_url) == set()
    assert app.catalog.restorable() == []


@pytest.mark.parametrize("step", ["clear", "restore"])
def test_a_kill_in_the_middle_leaves_either(
    app: App, shop: Path, database_url: str, content_of: ContentOf, step: str
) -> None:
    """The connection ends while the step waits for a lock, after its first changes or before them."""
    content = content_of("shop")
    if step == "restore":
        app.catalog.put_away("shop")

    def clear() -> None:
        app.catalog.put_away("shop")

    def restore() -> None:
        app.catalog.restore(app.catalog.restorable()[0])

    todo = clear if step == "clear" else restore

    for table in ("cleared", "indexes"):
        with psycopg.connect(database_url) as holder, ThreadPoolExecutor(1) as pool:
            holder.execute(f"LOCK TABLE cocosearch_py.{table} IN SHARE MODE")  # readers go on, who writes waits
            future = pool.submit(todo)
            with psycopg.connect(database_url, autocommit=True) as killer:
                kill = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
                deadline = time.monotonic() + 60
                while not killer.execute(kill, [f"cocosearch_py.{table}"]).fetchall():
                    assert time.monotonic() < deadline
                    time.sleep(0.01)
            with pytest.raises(CocosearchError):
                future.result(60)
        names = [record.name for record in app.catalog.list_all()]
        kept = [one.name for one in app.catalog.restorable()]
        assert (names, kept) == ((["shop"], []) if step == "clear" else ([], ["shop"]))
    todo()
    if step == "clear":
        restore()
    assert content_of("shop") == content


def test_whoever_reads_the_view_is_named(app: App, shop: Path, database_url: str) -> None:
    app.database.reader_patience_s = 0.0
    with psycopg.connect(database_url, application_name="a person") as person:
        person.execute("SELECT count(*) FROM cocosearch_py.cocosearch_shop")
        with pytest.raises(BusyError, match=rf"process {person.info.backend_pid} \(a person"):
            app.catalog.put_away("shop")
        assert app.search(SearchRequest("apply_discount"), index_name="shop")[1].hits
        person.rollback()
        for table in TABLES:  # whoever reads the rows is waited for only when they are removed
            person.execute(f"SELECT count(*) FROM cocosearch_py.{table}")
        app.catalog.put_away("shop")
    assert app.catalog.list_all() == []


def test_a_first_build_that_was_cut_off_goes_at_once(app: App, sample_repo: Path, database_url: str) -> None:
    ulid = app.catalog.identify("shop", sample_repo)
    with psycopg.connect(database_url) as conn:
        conn.execute(
            "INSERT INTO cocosearch_py.builds (index_id, name, root_path, shape, file_count, pending_file_count, "
            "updated_at) VALUES (1, 'shop', %s, %s, 1, 2, now())",
            [
                str(sample_repo),
                '{"format_version": 1, "options": {}, "embedding_model": "m", "embedding_dimension": 1}',
            ],
        )
    assert [(record.name, record.ulid) for record in app.catalog.unfinished()] == [("shop", ulid)]
    assert app.catalog.put_away("shop")[1] is None
    assert app.catalog.restorable() == app.catalog.unfinished() == []
    assert app.catalog.identity_of("shop") is None


def test_the_schema_before_takes_what_was_cleared_with_it(app: App, shop: Path, database_url: str) -> None:
    app.index(shop, name="kept")
    kept = app.catalog.find("kept").index_id
    app.catalog.put_away("shop")
    app.close()
    downgrade_schema(app.database, BEFORE)
    assert numbers_with_rows(database_url) == {kept}
    assert all(name.endswith(f"_{kept}") for name in own_tables(database_url))
    upgrade_schema(app.database)
    assert [record.name for record in app.catalog.list_all()] == ["kept"]
