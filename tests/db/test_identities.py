"""Ids of indexes: each has a ULID from before its first run has ended, and every place that takes a name takes it."""

import hashlib
from pathlib import Path

import psycopg
import pytest
from ulid import ULID

from cocosearch_py.app import App
from cocosearch_py.errors import IndexNotFoundError, WorkspaceError
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.queries import identities


def test_an_id_is_there_before_the_first_run_ends_and_stays(app: App, sample_repo: Path) -> None:
    seen: set[str | None] = set()
    assert app.catalog.identity_of("shop") is None
    report = app.index(sample_repo, name="shop", progress=lambda _: seen.add(app.catalog.identity_of("shop")))
    assert seen == {report.index_id}
    assert str(ULID.from_str(report.index_id)) == report.index_id
    record = app.catalog.find("shop")
    assert record.ulid == report.index_id
    assert app.database.read(identities.reserved) == []
    (sample_repo / "shop/cart.py").write_text("def other(): ...\n")
    updated = app.index(sample_repo, name="shop")
    rebuilt = app.index(sample_repo, name="shop", options=app.indexing_options(fresh=True))
    assert app.catalog.find("shop").index_id != record.index_id  # the number of its rows is another one
    assert {updated.index_id, rebuilt.index_id, app.catalog.find("shop").ulid} == {record.ulid}
    app.catalog.clear("shop")
    assert app.index(sample_repo, name="shop").index_id != record.ulid


def test_an_id_can_be_had_before_any_run_and_is_kept_for_that_folder(
    app: App, sample_repo: Path, tmp_path: Path
) -> None:
    first = app.catalog.identify("shop", sample_repo)
    assert app.catalog.identify("shop", sample_repo) == first == app.catalog.identity_of("shop")
    assert app.catalog.name_of(first) == "shop"
    assert app.catalog.name_of(first, lambda root: False) == first  # of a folder that the caller may not know of
    with pytest.raises(IndexNotFoundError):
        app.catalog.find(first)  # it is not there yet
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkspaceError):
        app.index(tmp_path / "empty", name="shop")
    assert app.catalog.identity_of("shop") != first  # another folder's index would be another index
    second = app.catalog.identify("shop", sample_repo)
    assert app.index(sample_repo, name="shop").index_id == second


def test_name_id_and_hash_of_the_folder_mean_the_same(app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    record = app.catalog.find("shop")
    by_folder = "ws-" + hashlib.sha256(str(sample_repo.resolve()).encode()).hexdigest()[:12]
    for text in ("shop", record.ulid, record.ulid.lower(), by_folder, by_folder.upper()):
        assert app.catalog.find(text) == record
        assert app.search(SearchRequest("apply_discount"), index_name=text)[0].name == "shop"
    for text in ("ws-000000000000", record.ulid[:-1] + ("0" if record.ulid[-1] != "0" else "1")):
        with pytest.raises(IndexNotFoundError):
            app.catalog.find(text)


def test_a_name_that_looks_like_an_id_is_a_name_first(app: App, sample_repo: Path, tmp_path: Path) -> None:
    app.index(sample_repo, name="shop")
    taken = app.catalog.find("shop").workspace_id
    (tmp_path / "other").mkdir()
    (tmp_path / "other/code.py").write_text("def work(): ...\n")
    app.index(tmp_path / "other", name=taken)
    assert app.catalog.find(taken).root_path == str((tmp_path / "other").resolve())


def test_two_indexes_of_one_folder_have_ids_of_their_own(app: App, sample_repo: Path) -> None:
    for name in ("two", "one"):
        app.index(sample_repo, name=name)
    first, second = app.catalog.list_all()
    assert first.ulid != second.ulid
    assert first.workspace_id == second.workspace_id
    assert app.catalog.find(second.workspace_id).name == "one"
    assert app.catalog.find(second.ulid).name == "two"


def test_two_first_runs_of_one_name_get_one_id(app: App, sample_repo: Path, database_url: str) -> None:
    root = str(sample_repo.resolve())
    with psycopg.connect(database_url) as one, psycopg.connect(database_url, autocommit=True) as other:
        ulid = identities.reserve(one, "shop", root)
        assert identities.reserved_for(other, "shop") is None
        one.commit()
        assert identities.reserve(other, "shop", root) == ulid
