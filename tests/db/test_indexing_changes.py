"""Runs after the first: only what changed is touched, and the result is what a clean run gives."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import IndexCollisionError, ValidationError, WorkspaceError
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.schema.tables import TABLES

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]


def found_paths(app: App, query: str, name: str) -> list[str]:
    _, report = app.search(SearchRequest(query), index_name=name)
    return [hit.file_path for hit in report.hits]


def clean_content(app: App, folder: Path, content_of: ContentOf) -> dict[str, list[tuple[Any, ...]]]:
    """What indexing this folder from nothing gives."""
    app.index(folder, name="clean", options=app.indexing_options(fresh=True))
    found = content_of("clean")
    app.catalog.clear("clean")
    return found


def assert_like_clean(app: App, folder: Path, name: str, content_of: ContentOf) -> None:
    clean, found = clean_content(app, folder, content_of), content_of(name)
    for table in clean:
        assert found[table] == clean[table], table


def counts(report: RunReport) -> dict[str, int]:
    names = ("added", "updated", "removed", "unchanged", "skipped", "failed")
    return {name: value for name in names if (value := getattr(report, f"files_{name}"))}


def test_first_run_finds_every_file(app: App, sample_repo: Path, files_on_disk: Callable[[Path], int]) -> None:
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"added": files_on_disk(sample_repo)}
    assert (report.index_name, report.root_path) == ("shop", str(sample_repo))
    assert app.catalog.find("shop").file_count == report.files_added
    assert found_paths(app, "apply_discount", "shop")[0] == "shop/discounts.py"


def test_nothing_changed_writes_nothing(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    app.index(sample_repo, name="shop")
    before, record = content_of("shop"), app.catalog.find("shop")
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"unchanged": record.file_count}
    assert app.catalog.find("shop").generation == record.generation
    assert app.catalog.find("shop").created_at == record.created_at
    assert content_of("shop") == before


def test_edit_replaces_one_file(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    first = app.index(sample_repo, name="shop")
    (sample_repo / "shop/discounts.py").write_text("def grant_rebate(zebra):\n    return zebra\n")
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"updated": 1, "unchanged": first.files_added - 1}
    assert found_paths(app, "grant_rebate zebra", "shop")[0] == "shop/discounts.py"
    assert_like_clean(app, sample_repo, "shop", content_of)


def test_deleted_file_is_gone(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    first = app.index(sample_repo, name="shop")
    (sample_repo / "shop/discounts.py").unlink()
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"removed": 1, "unchanged": first.files_added - 1}
    assert "shop/discounts.py" not in found_paths(app, "apply_discount", "shop")
    assert_like_clean(app, sample_repo, "shop", content_of)


def test_renamed_file_moves(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    first = app.index(sample_repo, name="shop")
    (sample_repo / "shop/discounts.py").rename(sample_repo / "web/rebates.py")
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"added": 1, "removed": 1, "unchanged": first.files_added - 1}
    assert found_paths(app, "apply_discount", "shop")[0] == "web/rebates.py"
    assert_like_clean(app, sample_repo, "shop", content_of)


def test_touched_file_is_read_once_and_not_rewritten(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    first = app.index(sample_repo, name="shop")
    before = content_of("shop")
    os.utime(sample_repo / "shop/cart.py", ns=(1, 1))
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"unchanged": first.files_added}
    assert content_of("shop") == before
    generation = app.catalog.find("shop").generation
    app.index(sample_repo, name="shop")
    assert app.catalog.find("shop").generation == generation  # the new time is remembered


def test_touched_skipped_file_stays_out_of_the_file_count(app: App, sample_repo: Path) -> None:
    (sample_repo / "empty.py").write_bytes(b"")
    (sample_repo / "blob.bin").write_bytes(b"\x7fELF" + bytes(100))
    first = app.index(sample_repo, name="shop")
    os.utime(sample_repo / "empty.py", ns=(1, 1))
    os.utime(sample_repo / "blob.bin", ns=(1, 1))
    report = app.index(sample_repo, name="shop")
    assert counts(report) == {"unchanged": first.files_added, "skipped": 2}
    assert app.catalog.find("shop").file_count == first.files_added


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.write_bytes(b"\x7fELF" + bytes(500)), "binary"),
        (lambda path: path.write_bytes(b""), "empty"),
        (lambda path: path.write_bytes(b"x = 1\n" * 400_000), "too_large"),
        (lambda path: (path.parent / ".gitignore").write_text("discounts.py\n"), "ignored"),
        (lambda path: (path.unlink(), path.symlink_to("cart.py")), "symlink"),
    ],
)
def test_file_that_stops_being_source(
    app: App, sample_repo: Path, content_of: ContentOf, change: Callable[[Path], object], reason: str
) -> None:
    app.index(sample_repo, name="shop")
    change(sample_repo / "shop/discounts.py")
    report = app.index(sample_repo, name="shop")
    assert (report.files_removed, report.files_skipped) == (1, 1)
    ledger = {row[1]: (row[2], row[3]) for row in content_of("shop")["files"]}
    assert ledger["shop/discounts.py"] == ("skipped", reason)
    assert "shop/discounts.py" not in found_paths(app, "apply_discount", "shop")
    assert_like_clean(app, sample_repo, "shop", content_of)


def test_counts_of_a_run_of_mixed_changes(app: App, sample_repo: Path) -> None:
    first = app.index(sample_repo, name="shop")
    (sample_repo / "a_new.py").write_text("def brand_new(): ...\n")
    (sample_repo / "shop/cart.py").write_bytes(b"\x7fELF" + bytes(50))
    (sample_repo / "shop/prices.py").write_text("def changed(): ...\n")
    (sample_repo / "web/session.js").unlink()
    report = app.index(sample_repo, name="shop")
    wanted = {"added": 1, "updated": 1, "removed": 2, "unchanged": first.files_added - 3, "skipped": 1}
    assert counts(report) == wanted


def test_folder_becomes_a_file_and_back(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    app.index(sample_repo, name="shop")
    shutil.move(sample_repo / "web", sample_repo.parent / "aside")
    (sample_repo / "web").write_text("function plain() {}\n")
    app.index(sample_repo, name="shop")
    assert_like_clean(app, sample_repo, "shop", content_of)
    (sample_repo / "web").unlink()
    shutil.move(sample_repo.parent / "aside", sample_repo / "web")
    app.index(sample_repo, name="shop")
    assert_like_clean(app, sample_repo, "shop", content_of)


def test_everything_deleted_leaves_an_empty_index(app: App, sample_repo: Path) -> None:
    first = app.index(sample_repo, name="shop")
    for folder in sample_repo.iterdir():
        shutil.rmtree(folder)
    report = app.index(sample_repo, name="shop")
    assert (report.files_removed, report.chunks) == (first.files_added, 0)
    assert found_paths(app, "discount", "shop") == []


def test_interrupted_run_is_completed_by_the_next(app: App, tmp_path: Path, content_of: ContentOf) -> None:
    for number in range(150):  # more than two batches of files
        (tmp_path / f"file_{number:03}.py").write_text(f"def function_{number}(value):\n    return value + {number}\n")
    report = app.index(tmp_path, name="cut", cancelled=lambda: True)
    assert report.interrupted
    assert 0 < report.files_added < 150
    assert report.files_pending == 150 - report.files_added
    record = app.catalog.find("cut")
    assert (record.status, record.file_count) == ("interrupted", report.files_added)
    assert len(found_paths(app, "return value", "cut")) == 10  # what is kept can be searched
    resumed = app.index(tmp_path, name="cut")
    assert counts(resumed) == {"added": report.files_pending, "unchanged": report.files_added}
    assert_like_clean(app, tmp_path, "cut", content_of)


def test_interrupted_update_counts_what_it_still_holds(app: App, tmp_path: Path, content_of: ContentOf) -> None:
    for number in range(150):
        (tmp_path / f"file_{number:03}.py").write_text(f"def first_{number}(): ...\n")
    app.index(tmp_path, name="cut")
    for number in range(150):
        (tmp_path / f"file_{number:03}.py").write_text(f"def second_{number}(): return {number}\n")
    report = app.index(tmp_path, name="cut", cancelled=lambda: True)
    assert 0 < report.files_updated < 150
    content = content_of("cut")
    assert content["counts"] == [("interrupted", 150, len(content["chunks"]))]
    assert sum(row[2] == "indexed" for row in content["files"]) == 150
    app.index(tmp_path, name="cut")
    assert_like_clean(app, tmp_path, "cut", content_of)


def test_interrupted_rebuild_keeps_the_complete_index(app: App, tmp_path: Path, content_of: ContentOf) -> None:
    for number in range(150):
        (tmp_path / f"file_{number:03}.py").write_text(f"def function_{number}(): ...\n")
    app.index(tmp_path, name="cut")
    before = content_of("cut")
    report = app.index(tmp_path, name="cut", options=app.indexing_options(fresh=True), cancelled=lambda: True)
    assert report.interrupted
    assert content_of("cut") == before  # readers are always on the last complete generation


@pytest.mark.parametrize("change", [{"chunk_bytes": 200}, {"strategy": "lines"}, {"language_overrides": {".py": "go"}}])
def test_content_settings_rebuild(app: App, sample_repo: Path, change: dict[str, Any]) -> None:
    app.index(sample_repo, name="shop")
    options = app.indexing_options()
    options = replace(options, content=replace(options.content, **change))
    assert app.index(sample_repo, name="shop", options=options).rebuilt
    assert not app.index(sample_repo, name="shop", options=options).rebuilt


def test_chosen_languages_hold_for_unchanged_files(app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    options = app.indexing_options()
    only_go = replace(options, content=replace(options.content, languages=("go",)))
    app.index(sample_repo, name="shop", options=only_go)
    assert languages_of(app, "shop") == {"go"}
    app.index(sample_repo, name="shop", options=options)
    assert {count.language_id for count in app.catalog.stats(app.catalog.find("shop")).languages} >= {
        "go",
        "python",
        "javascript",
    }


def test_name_of_another_folder_is_refused(app: App, sample_repo: Path, tmp_path: Path) -> None:
    app.index(sample_repo, name="shop")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("a = 1\n")
    with pytest.raises(IndexCollisionError, match="belongs to"):
        app.index(other, name="shop")
    assert app.catalog.find("shop").root_path == str(sample_repo)


def test_names_with_the_same_slug_live_side_by_side(app: App, tmp_path: Path) -> None:
    names = ["my-api", "my_api", "My API", "my.api", "ä", "ö"]
    for number, name in enumerate(names):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / f"only_{number}.py").write_text(f"def unique_{number}(): ...\n")
        app.index(folder, name=name)
    for number, name in enumerate(names):
        assert found_paths(app, f"unique_{number}", name) == [f"only_{number}.py"]
    assert len({record.table_name for record in app.catalog.list_all()}) == len(names)
    app.catalog.clear("my_api")
    assert found_paths(app, "unique_0", "my-api") == ["only_0.py"]


@pytest.mark.parametrize(
    "name",
    ["", " a", "a ", "a'b", 'a"b', "a;b", "a/b", "a\\b", "a\nb", "a\0b", "x" * 101, "x" * 300, "%s", "{}", "a\udcff"],
)
def test_unusable_names_are_refused(app: App, sample_repo: Path, name: str) -> None:
    if name == "":
        assert app.index(sample_repo, name=name).index_name == "shop"  # the same as no name
        return
    with pytest.raises(ValidationError, match="cannot be an index name"):
        app.index(sample_repo, name=name)
    assert app.catalog.list_all() == []


@pytest.mark.parametrize("name", ["ж" * 100, "x" * 100, "a" * 48, "名前", "-", "_", "1", "Index", "select", "a__new"])
def test_unusual_names_work(app: App, sample_repo: Path, name: str) -> None:
    app.index(sample_repo, name=name)
    app.index(sample_repo, name=name, options=app.indexing_options(fresh=True))
    assert app.catalog.find(name).name == name
    assert found_paths(app, "apply_discount", name)[0] == "shop/discounts.py"
    assert app.catalog.stats(app.catalog.find(name)).storage_bytes > 0
    app.catalog.clear(name)
    assert app.catalog.list_all() == []


def test_long_names_with_a_common_start(app: App, sample_repo: Path) -> None:
    names = ["n" * 99 + end for end in "ab"]
    for name in names:
        app.index(sample_repo, name=name)
    for name in names:
        assert found_paths(app, "apply_discount", name)[0] == "shop/discounts.py"


def test_folders_that_cannot_be_indexed(app: App, tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("a = 1\n")
    (tmp_path / "empty/inner").mkdir(parents=True)
    for folder, text in [("missing", "not exist"), ("file.py", "not a folder"), ("empty", "no files")]:
        with pytest.raises(WorkspaceError, match=text):
            app.index(tmp_path / folder)
    assert app.catalog.list_all() == []


@pytest.mark.parametrize("own_leaf", [True, False])
def test_clear_removes_everything(app: App, sample_repo: Path, own_leaf: bool) -> None:
    app.database.own_leaf_chunks = 1 if own_leaf else 100

    def relations() -> set[str]:
        with app.database.reading() as conn:
            rows = conn.execute("SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace")
            return {row[0] for row in rows}

    app.database.start()
    before = relations()
    app.index(sample_repo, name="shop")
    added = {name for name in relations() - before if not name.endswith(("_pkey", "_idx"))}
    own = {f"{table}_{app.catalog.find('shop').index_id}" for table in TABLES} if own_leaf else set()
    assert added == {"cocosearch_shop", *own}
    app.catalog.clear("shop")
    assert relations() == before
    with app.database.reading() as conn:
        for table in TABLES:
            assert conn.execute(f"SELECT count(*) FROM cocosearch_py.{table}").fetchone() == (0,)


def languages_of(app: App, name: str) -> set[str]:
    return {count.language_id for count in app.catalog.stats(app.catalog.find(name)).languages}


def test_a_build_reads_manifests_without_passing_all_chunks(app: App, tmp_path: Path, database_url: str) -> None:
    """Each of them would be a scan of the table: an hour in an index of a million chunks with a thousand projects."""
    app.database.own_leaf_chunks = 1
    projects = 30
    for number in range(projects):
        folder = tmp_path / f"p{number}"
        folder.mkdir()
        (folder / "package.json").write_text(f'{{"name": "p{number}", "main": "index.ts"}}\n')
        (folder / "index.ts").write_text(f"import {{ a }} from 'p{(number + 1) % projects}';\nexport const a = 1;\n")
        for other in range(10):
            (folder / f"m{other}.ts").write_text(f"export const b{other} = {other};\n")
    app.index(tmp_path, name="projects")
    record = app.catalog.find("projects")
    app.database.close()
    with psycopg.connect(database_url) as conn:
        edges = conn.execute("SELECT count(*) FROM cocosearch_py.dependencies WHERE index_id = %s", [record.index_id])
        assert edges.fetchone() == (projects,)
        scans = conn.execute(
            "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = %s", [f"chunks_{record.index_id}"]
        ).fetchone()
    assert scans is not None and scans[0] < projects
