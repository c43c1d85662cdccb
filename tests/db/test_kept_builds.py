"""Builds that are cut off: what they have committed is kept, seen by nobody, and done no second time."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import BusyError, IndexNotFoundError, WorkspaceError
from cocosearch_py.indexing import checkpoint
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.progress import Progress, RunReport
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import downgrade_schema
from cocosearch_py.storage.write import terms

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
FILES = 200
LATER_TABLES = {"refs", "imports", "dependencies"}  # that revision 0005 does not have


class Cut(Exception):
    """Ends a run as a kill does: nothing is committed any more."""


@pytest.fixture(autouse=True)
def _often(app: App) -> None:
    """A build commits after each batch, and reports each. Files are as old as they say, however young."""
    app.thresholds = Thresholds(clock_tick=timedelta(0), checkpoint_interval_s=0.0, report_interval_s=-1.0)


@pytest.fixture(params=[1, 1_000_000], ids=["own", "shared"], autouse=True)
def _leaves(request: pytest.FixtureRequest, app: App) -> None:
    """Indexes have leaves of their own, or share them."""
    app.database.own_leaf_chunks = request.param


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for number in range(FILES):
        write(root / f"module_{number:03}.py", f"function_{number}")
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return root


def write(path: Path, word: str) -> None:
    body = "".join(f"    {word}_{step} = compute({step})\n" for step in range(50))
    path.write_text(f"def {word}():\n{body}    return 0\n")


def cut(
    app: App,
    folder: Path,
    *,
    name: str = "cut",
    options: IndexingOptions | None = None,
    files: int = 80,
    meanwhile: Callable[[], None] = lambda: None,
) -> int:
    """A run that is cut off in the middle; returns how many files of it are kept.

    `meanwhile` is called after each batch but the last.
    """

    def progress(told: Progress) -> None:
        if 0 < told.files_done < files:
            meanwhile()
        if told.files_done >= files or told.stage == "graph":
            raise Cut

    with pytest.raises(Cut):
        app.index(folder, name=name, options=options, progress=progress)
    return kept(app).get(name, 0)


def kept(app: App) -> dict[str, int]:
    """Files of each unfinished build."""
    with app.database.reading() as conn:
        return dict(conn.execute("SELECT name, file_count FROM cocosearch_py.builds").fetchall())


def assert_nothing_else(app: App, url: str, *names: str) -> None:
    """There are the rows and tables of these indexes, and no more."""
    ids = {app.catalog.find(name).index_id for name in names}
    with psycopg.connect(url) as conn:
        assert conn.execute("SELECT * FROM cocosearch_py.builds").fetchall() == []
        for table in TABLES:
            found = {row[0] for row in conn.execute(f"SELECT DISTINCT index_id FROM cocosearch_py.{table}")}
            assert found <= ids
        query = (
            "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace AND relkind = 'r' "
            "AND relname ~ '_[0-9]+$' AND substring(relname FROM '[0-9]+$')::int <> ALL(%s)"
        )
        assert conn.execute(query, [list(ids)]).fetchall() == []


def clean(app: App, folder: Path) -> None:
    """An index of the folder in which nothing comes from another one."""
    app.index(folder, name="clean", options=app.indexing_options(fresh=True))


def finish(app: App, folder: Path, **options: Any) -> RunReport:
    return app.index(folder, name="cut", options=app.indexing_options(**options) if options else None)


def test_a_first_build_goes_on_where_it_was_cut_off(
    app: App, folder: Path, content_of: ContentOf, database_url: str
) -> None:
    done = cut(app, folder)
    assert 0 < done < FILES
    with pytest.raises(IndexNotFoundError):
        app.catalog.find("cut")
    more = cut(app, folder)
    assert done < more < FILES
    report = finish(app, folder)
    assert (report.files_unchanged, report.files_added, report.files_skipped) == (more, FILES - more, 1)
    assert (report.files_removed, report.files_updated, report.interrupted) == (0, 0, False)
    clean(app, folder)
    assert content_of("cut") == content_of("clean")
    assert finish(app, folder).files_unchanged == FILES
    assert_nothing_else(app, database_url, "cut", "clean")


def test_a_build_with_many_terms_goes_on_with_them(
    app: App, folder: Path, content_of: ContentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "MOST_IN_MEMORY", 10)
    assert cut(app, folder)
    finish(app, folder)
    clean(app, folder)
    assert content_of("cut") == content_of("clean")


def test_what_an_unfinished_build_has_is_foretold(app: App, folder: Path) -> None:
    done = cut(app, folder)
    changed, removed = sorted(folder.glob("*.py"))[:2]
    write(changed, "changed")
    removed.unlink()
    (folder / "new.py").write_text("new = 1\n")
    foretold = app.forecast(folder, name="cut")
    assert done - 2 <= foretold.files_unchanged <= done
    assert kept(app) == {"cut": done}
    assert app.forecast(folder, name="cut", options=app.indexing_options(fresh=True)).files_unchanged == 0
    options = app.indexing_options()
    smaller = replace(options, content=replace(options.content, chunk_bytes=500))
    assert app.forecast(folder, name="cut", options=smaller).files_unchanged == 0
    at_home = replace(options, home=folder)
    assert not app.forecast(folder, name="cut", options=at_home).asks  # nor does the run that goes on with it
    report = finish(app, folder)
    names = ("files_added", "files_updated", "files_removed", "files_unchanged", "files_skipped", "files_failed")
    assert [getattr(foretold, name) for name in names] == [getattr(report, name) for name in names]


def test_what_changed_since_is_done_again_and_what_went_is_gone(
    app: App, folder: Path, content_of: ContentOf, database_url: str
) -> None:
    done = cut(app, folder, files=150)
    write(folder / "module_003.py", "changed")
    (folder / "module_005.py").unlink()
    write(folder / "module_new.py", "created")
    os.utime(folder / "module_007.py", ns=(1, 1))
    (folder / "image.png").unlink()
    report = finish(app, folder)
    assert (report.files_unchanged, report.files_added) == (done - 3, FILES - done + 3)
    assert report.files_removed == report.files_updated == 0
    clean(app, folder)
    assert content_of("cut") == content_of("clean")
    assert_nothing_else(app, database_url, "cut", "clean")


def test_a_change_during_a_build_that_is_cut_off_is_seen(app: App, folder: Path, content_of: ContentOf) -> None:
    """Though the file keeps its size and time, and the build has committed it since."""
    file = folder / "module_000.py"

    def change() -> None:
        before = file.stat()
        file.write_text(file.read_text().replace("function_0", "function_X"))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    done = cut(app, folder, files=150, meanwhile=change)
    assert "function_X" in file.read_text()
    assert app.forecast(folder, name="cut").files_unchanged == done - 1
    assert finish(app, folder).files_unchanged == done - 1
    clean(app, folder)
    assert content_of("cut") == content_of("clean")


def test_a_rebuild_for_other_settings_goes_on_and_the_old_index_answers_meanwhile(
    app: App, folder: Path, content_of: ContentOf, database_url: str
) -> None:
    app.index(folder, name="cut")
    before = content_of("cut")
    other = app.under(app.settings)
    other.settings = app.settings.__class__(indexing=app.settings.indexing.__class__(workers=1, strategy="lines"))
    done = cut(other, folder)
    assert 0 < done < FILES
    assert content_of("cut") == before
    assert app.search(SearchRequest("function_7"), index_name="cut")[1].hits[0].file_path == "module_007.py"
    report = finish(other, folder)
    assert (report.files_unchanged, report.files_added, report.rebuilt) == (done, FILES - done, True)
    clean(other, folder)
    assert content_of("cut") == content_of("clean")
    assert_nothing_else(app, database_url, "cut", "clean")


def test_a_build_of_another_shape_is_of_no_use(
    app: App, folder: Path, content_of: ContentOf, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cut(app, folder)
    monkeypatch.setattr(checkpoint, "HEAD_REVISION", "9999")
    report = finish(app, folder)
    assert (report.files_unchanged, report.files_added) == (0, FILES)
    assert_nothing_else(app, database_url, "cut")


def test_a_build_goes_on_that_had_copied_files_of_another_index(
    app: App, folder: Path, content_of: ContentOf, database_url: str
) -> None:
    later = {path: path.read_bytes() for path in sorted(folder.glob("*.py"))[120:]}
    for path in later:
        path.unlink()
    app.index(folder, name="other")
    for path, content in later.items():
        path.write_bytes(content)
    write(folder / "module_new.py", "created")
    done = cut(app, folder, files=190)
    assert 120 < done < FILES
    write(folder / "module_003.py", "changed")
    assert finish(app, folder).files_unchanged == done - 1
    clean(app, folder)
    assert content_of("cut") == content_of("clean")
    assert_nothing_else(app, database_url, "cut", "clean", "other")


def test_fresh_begins_from_nothing(app: App, folder: Path, content_of: ContentOf, database_url: str) -> None:
    assert cut(app, folder)
    assert finish(app, folder, fresh=True).files_added == FILES
    assert_nothing_else(app, database_url, "cut")
    assert cut(app, folder, options=app.indexing_options(fresh=True)) == 0  # no later run could go on with it
    assert finish(app, folder).files_unchanged == FILES
    assert_nothing_else(app, database_url, "cut")


def test_an_update_removes_a_build_that_nobody_needs_any_more(app: App, folder: Path, database_url: str) -> None:
    app.index(folder, name="cut")
    other = app.under(app.settings)
    other.settings = app.settings.__class__(indexing=app.settings.indexing.__class__(workers=1, strategy="lines"))
    assert cut(other, folder)
    assert finish(app, folder).files_unchanged == FILES
    assert_nothing_else(app, database_url, "cut")


def test_ctrl_c_in_a_rebuild_keeps_what_is_done(app: App, folder: Path, content_of: ContentOf) -> None:
    app.index(folder, name="cut")
    before = content_of("cut")
    other = app.under(app.settings)
    other.settings = app.settings.__class__(indexing=app.settings.indexing.__class__(workers=1, strategy="lines"))
    report = other.index(folder, name="cut", cancelled=lambda: True)
    assert report.interrupted
    assert report.warnings == ("the rebuild was stopped; the index is unchanged, and the next run continues",)
    assert content_of("cut") == before
    done = kept(app)["cut"]
    assert 0 < done < FILES
    assert finish(other, folder).files_unchanged == done


def test_a_build_that_is_left_for_long_is_dropped_by_any_run(
    app: App, folder: Path, tmp_path: Path, database_url: str
) -> None:
    assert cut(app, folder)
    small = tmp_path / "small"
    small.mkdir()
    (small / "a.py").write_text("a = 1\n")
    app.index(small, name="small")
    assert kept(app)
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.builds SET updated_at = updated_at - %s", [timedelta(days=8)])
    app.index(small, name="small")
    assert_nothing_else(app, database_url, "small")


def test_a_build_is_held_while_it_goes_on(app: App, folder: Path, database_url: str) -> None:
    """Also in the moment of a commit nobody else gets the index."""
    refused: list[int] = []

    def progress(told: Progress) -> None:
        if told.files_done and kept(app):
            with pytest.raises(BusyError):
                app.under(app.settings).index(folder, name="cut")
            refused.append(told.files_done)

    app.index(folder, name="cut", progress=progress)
    assert refused
    assert_nothing_else(app, database_url, "cut")


def test_what_is_kept_is_listed_and_can_be_cleared(app: App, folder: Path, database_url: str) -> None:
    done = cut(app, folder)
    (found,) = app.catalog.unfinished()
    assert (found.name, found.status, found.file_count) == ("cut", "interrupted", done)
    assert found.file_count + found.pending_file_count == FILES
    assert app.catalog.list_all() == []
    assert app.catalog.clear("cut").root_path == str(folder)
    assert_nothing_else(app, database_url)
    with pytest.raises(IndexNotFoundError):
        app.catalog.clear("cut")


def test_a_build_that_is_at_work_is_not_an_interrupted_one(app: App, folder: Path) -> None:
    seen: list[bool] = []

    def progress(told: Progress) -> None:
        if told.files_done:
            seen.append(bool(kept(app)))
            assert app.catalog.unfinished() == []

    app.index(folder, name="cut", progress=progress)
    assert any(seen)


def test_stats_of_an_index_tell_of_a_rebuild_that_was_cut_off(app: App, folder: Path) -> None:
    app.index(folder, name="cut")
    other = app.under(app.settings)
    other.settings = app.settings.__class__(indexing=app.settings.indexing.__class__(workers=1, strategy="lines"))
    done = cut(other, folder)
    assert app.catalog.unfinished() == []
    told = f"{done} of {FILES} files of an interrupted build are kept; the next run continues"
    assert told in app.catalog.stats(app.catalog.find("cut")).warnings
    finish(other, folder)
    assert app.catalog.stats(app.catalog.find("cut")).warnings == ()


def test_a_folder_that_has_become_empty(app: App, folder: Path) -> None:
    assert cut(app, folder)
    for path in folder.iterdir():
        path.unlink()
    with pytest.raises(WorkspaceError):
        finish(app, folder)


def test_an_older_schema_takes_unfinished_builds_with_it(app: App, folder: Path, database_url: str) -> None:
    app.index(folder, name="kept")
    assert cut(app, folder, options=app.indexing_options(fresh=True))
    app.close()
    downgrade_schema(app.database, "0005")
    with psycopg.connect(database_url) as conn:
        ids = {row[0] for row in conn.execute("SELECT index_id FROM cocosearch_py.indexes")}
        query = (
            "SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace AND relkind = 'r' "
            "AND relname ~ '_[0-9]+$' AND substring(relname FROM '[0-9]+$')::int <> ALL(%s)"
        )
        assert conn.execute(query, [list(ids)]).fetchall() == []
        for table in (name for name in TABLES if name not in LATER_TABLES):
            found = {row[0] for row in conn.execute(f"SELECT DISTINCT index_id FROM cocosearch_py.{table}")}
            assert found <= ids
