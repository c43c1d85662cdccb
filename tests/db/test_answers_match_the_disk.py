"""What an answer shows is on disk when it is given: files that changed are repaired, or their hits are marked."""

import errno
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Timer
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.tree_state import walk_with_state
from cocosearch_py.errors import BusyError, DatabaseUnreachableError
from cocosearch_py.indexing import repairs
from cocosearch_py.indexing.pending import Unmoved, count_pending, plan_next
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.model.indexes import CLOCK_TICK, IndexRecord, Pending
from cocosearch_py.model.search import Hit, SearchReport, SearchRequest
from cocosearch_py.model.texts import TextPattern, TextReport, TextRequest
from cocosearch_py.search import verify
from cocosearch_py.storage.queries.indexes import lock_for_repair, lock_for_writing

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
QUERY = "apply_discount reduce a price by a percentage"
FILE = "shop/discounts.py"
PATIENCE_S = 30.0  # a busy machine is no failure


@pytest.fixture(autouse=True)
def _patient(app: App) -> None:
    """A busy machine decides nothing here."""
    app.repair_wait_s = 60.0


@pytest.fixture
def shop(app: App, sample_repo: Path) -> Path:
    app.index(sample_repo, name="shop")
    return sample_repo


def ask(app: App, query: str = QUERY, name: str = "shop", *, use_cache: bool = False) -> SearchReport:
    return app.answer(lambda: app.searches.search(SearchRequest(query), name, use_cache=use_cache))[1]


def asked_by(app: App, mode: str) -> App:
    return app.under(replace(app.settings, search=replace(app.settings.search, freshness=mode)))


def hit_of(report: SearchReport, path: str) -> Hit:
    return next(hit for hit in report.hits if hit.file_path == path)


def generation(app: App) -> int:
    return app.catalog.find("shop").generation


def assert_on_disk(folder: Path, report: SearchReport) -> None:
    """Every hit is, line by line, what its file has at its lines."""
    assert report.hits
    for hit in report.hits:
        lines = (folder / hit.file_path).read_text().split("\n")
        assert "\n".join(lines[hit.start_line - 1 : hit.end_line]) == hit.content.removesuffix("\n"), hit.file_path


def test_unchanged_files_cost_no_run(app: App, shop: Path) -> None:
    before = app.catalog.find("shop")
    report = ask(app)
    assert (report.stale, report.stale_because) == ((), None)
    assert all(hit.stale is None for hit in report.hits)
    assert app.catalog.find("shop") == before


def test_edited_file_is_right_in_the_next_answer(app: App, shop: Path, content_of: ContentOf) -> None:
    assert hit_of(ask(app, use_cache=True), FILE).start_line < 20
    (shop / FILE).write_text("# moved down\n" * 30 + (shop / FILE).read_text().replace("percentage", "zebra"))
    before = app.catalog.find("shop")
    report = ask(app, use_cache=True)
    assert_on_disk(shop, report)
    assert "zebra" in hit_of(report, FILE).content
    assert (report.stale, report.stale_because) == ((), None)
    after = app.catalog.find("shop")
    assert after == replace(before, generation=before.generation + 1, chunk_count=after.chunk_count)
    repaired = content_of("shop")
    app.index(shop, name="shop", options=app.indexing_options(fresh=True))
    assert repaired == content_of("shop")


def test_repair_keeps_how_the_index_was_made(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    settings = app.settings
    own = replace(settings.indexing, chunk_size=80, content_classes={"discounts.py": "vendored"})
    maker = app.under(replace(settings, indexing=own))
    (sample_repo / ".gitattributes").write_text("cart.py -linguist-generated\n")
    maker.index(sample_repo, name="shop")
    for path in (FILE, "shop/cart.py", "docs/guide.md"):
        with (sample_repo / path).open("a") as file:
            file.write("\n# one more line about a discount on the price of a cart\n")
    assert not ask(app, "discount on the price of a cart").stale
    assert generation(app) > 1
    repaired = content_of("shop")
    with psycopg.connect(app.settings.database.url or "") as conn:
        query = "SELECT path, content_class, rule FROM cocosearch_py.files ORDER BY path"
        classes = conn.execute(query).fetchall()
        maker.index(sample_repo, name="shop", options=maker.indexing_options(fresh=True))
        assert classes == conn.execute(query).fetchall()
    assert repaired == content_of("shop")


def edit_unseen(file: Path) -> None:
    """As an archive that is unpacked, or a copy with its time."""
    before = file.stat()
    file.write_text(file.read_text().replace("percent", "zebra42"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size


def test_edit_that_keeps_size_and_time_is_seen(app: App, shop: Path) -> None:
    edit_unseen(shop / FILE)
    report = ask(asked_by(app, "check"))
    assert (hit_of(report, FILE).stale, report.stale) == ("changed", ((FILE, "changed"),))
    assert app.index(shop, name="shop").files_updated == 1
    assert "zebra42" in hit_of(ask(app), FILE).content


def test_a_run_over_failed_files_says_nothing_of_the_others(app: App, shop: Path) -> None:
    edit_unseen(shop / FILE)
    app.index(shop, name="shop", options=replace(app.indexing_options(), only_failed=True))
    assert hit_of(ask(asked_by(app, "check")), FILE).stale == "changed"
    assert app.index(shop, name="shop").files_updated == 1


def test_a_file_is_compared_by_content_once(app: App, shop: Path) -> None:
    def pending() -> int:
        return len(plan_next(app.catalog.find("shop"), app.indexing_options(), app.database).to_read)

    app.thresholds = Thresholds(clock_tick=timedelta(days=1))  # all files are from the tick in which it begins
    unchanged = app.index(shop, name="shop").files_unchanged
    assert pending() >= unchanged > 0
    app.thresholds = Thresholds(clock_tick=timedelta(0))
    assert app.index(shop, name="shop").files_unchanged == unchanged
    assert pending() == 0
    (shop / FILE).chmod(0o600)
    assert pending() == 1
    assert app.index(shop, name="shop").files_unchanged == unchanged
    assert pending() == 0


def test_a_touched_file_is_no_pending_change(app: App, shop: Path) -> None:
    def pending() -> int:
        return count_pending(app.catalog.find("shop"), app.indexing_options(), app.database)

    app.index(shop, name="shop")
    for path in shop.rglob("*.py"):
        path.touch()
    assert pending() == 0
    edit_unseen(shop / FILE)
    assert pending() == 1


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on."""
    paths: list[str] = []
    read = FolderReader.read
    monkeypatch.setattr(FolderReader, "read", lambda reader, path: paths.append(path) or read(reader, path))
    return paths


def without_moment(app: App) -> None:
    """As after an upgrade or an import: no run has said up to when the index has what the system changed."""
    with psycopg.connect(app.settings.database.url or "", autocommit=True) as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET read_at = NULL")


@pytest.mark.parametrize("way", ["chmod", "upgrade"])
def test_answers_compare_a_file_by_content_once(
    app: App, shop: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(verify, "_TICK_NS", 0)
    if way == "upgrade":
        without_moment(app)
    else:
        for file in shop.rglob("*"):
            file.chmod(file.stat().st_mode ^ 0o020)
    opened.clear()
    assert ask(app).stale == ()
    assert FILE in opened
    opened.clear()
    assert ask(app).stale == ()
    assert opened == []
    edit_unseen(shop / FILE)
    for _ in range(2):
        assert hit_of(ask(asked_by(app, "check")), FILE).stale == "changed"


def test_a_file_that_may_yet_change_unseen_is_compared_again(
    app: App, shop: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_moment(app)
    changed_ns = (shop / FILE).lstat().st_ctime_ns
    monkeypatch.setattr(time, "time_ns", lambda: changed_ns)  # in the tick of its last change
    for _ in range(2):
        opened.clear()
        assert ask(app).stale == ()
        assert FILE in opened


def test_deleted_file_is_in_no_answer(app: App, shop: Path) -> None:
    (shop / FILE).unlink()
    report = ask(app)
    assert FILE not in {hit.file_path for hit in report.hits}
    assert_on_disk(shop, report)
    assert report.stale == ((FILE, "gone"),)
    assert app.catalog.find("shop").file_count == 5
    assert ask(app).stale == ()


@pytest.mark.skipif(os.sep == "\\", reason="a backslash is no character of a name there")
def test_deleted_file_is_noticed_below_a_folder_with_a_backslash(app: App, sample_repo: Path, tmp_path: Path) -> None:
    folder = sample_repo.rename(tmp_path / "ro\\ot")
    app.index(folder, name="shop")
    (folder / FILE).unlink()
    assert FILE not in {hit.file_path for hit in ask(app).hits}


def test_renamed_file_is_found_at_once(app: App, shop: Path) -> None:
    (shop / FILE).rename(shop / "shop/rebates.py")
    report = ask(app)
    assert (report.stale, report.unread) == (((FILE, "gone"),), 0)
    assert hit_of(report, "shop/rebates.py")
    assert (verify.explain_stale(report) or "").endswith("1 file is gone")
    assert_on_disk(shop, report)


def test_renamed_files_are_told_of_once(app: App, shop: Path) -> None:
    (shop / FILE).rename(shop / "shop/rebates.py")
    (shop / "large.py").write_text("# much\n" * (repairs.MOST_BYTES // 7 + 1))
    report = ask(app)
    assert (report.stale, report.unread) == (((FILE, "gone"),), 1)
    assert "under a new name" not in (verify.explain_stale(report) or "")


WALRUS = "def find_walrus(pond):\n    return pond.walrus\n"


@pytest.mark.parametrize("query", ["find_walrus", "where is find_walrus called", '"pond.walrus"'])
@pytest.mark.parametrize("path", ["late.py", "shop/cart.py", "docs/guide.md"])
def test_what_nothing_has_is_sought_in_new_and_changed_files(
    app: App, shop: Path, content_of: ContentOf, query: str, path: str
) -> None:
    with (shop / path).open("a") as file:
        file.write(f"\n\n{WALRUS}")
    report = ask(app, query)
    assert "find_walrus" in hit_of(report, path).content
    assert (report.stale, report.unread) == ((), None)
    taken_in = content_of("shop")
    assert app.index(shop, name="shop").files_unchanged == app.catalog.find("shop").file_count
    app.index(shop, name="shop", options=app.indexing_options(fresh=True))
    assert taken_in == content_of("shop")


@pytest.mark.parametrize(
    "query",
    [
        "Widget.turn",
        "Widget::turn",
        "shop.late_widget.Widget",
        "how does Widget.turn work",
        "where is the Widget",
        "late_widget.py",
        "late_widget.py:2",
        "what does shop/late_widget.py do",
        'File "/app/shop/late_widget.py", line 2, in turn',
    ],
)
def test_dotted_names_and_files_that_nothing_has_are_sought(app: App, shop: Path, query: str) -> None:
    (shop / "shop/late_widget.py").write_text("class Widget:\n    def turn(self):\n        ...\n")
    assert hit_of(ask(app, query), "shop/late_widget.py")


def test_files_that_got_their_text_later_are_sought(app: App, sample_repo: Path) -> None:
    (sample_repo / "empty.py").touch()
    app.index(sample_repo, name="shop")
    (sample_repo / "empty.py").write_text(WALRUS)
    assert hit_of(ask(app, "find_walrus"), "empty.py")


def test_what_is_left_out_is_not_sought(app: App, sample_repo: Path) -> None:
    (sample_repo / ".gitignore").write_text("ignored.py\n")
    (sample_repo / "kept_out").mkdir()
    (sample_repo / "kept_out/before.py").touch()
    options = app.indexing_options()
    without = replace(options, discovery=replace(options.discovery, exclude=("kept_out/", "other.py")))
    (sample_repo / "other.py").write_text("pass\n")
    app.index(sample_repo, name="shop", options=without)
    before = generation(app)
    for path in ("ignored.py", "kept_out/before.py", "kept_out/late.py", "other.py", ".env", "late.bin"):
        (sample_repo / path).write_text(WALRUS if path != "late.bin" else "\0")
    assert "kept_out" not in {hit.file_path.split("/")[0] for hit in ask(app, "find_walrus").hits}
    assert ask(app, "find_walrus").unread == 0
    assert generation(app) == before + 1  # of the binary file, once


@pytest.mark.parametrize("way", ["search", "look"])
def test_what_another_answer_has_taken_in_meanwhile_is_found(app: App, shop: Path, way: str) -> None:
    """Of two that ask for the same at once, one repairs, and the other finds nothing new on disk."""
    (shop / "late.py").write_text(WALRUS)
    record = app.catalog.find("shop")

    def search() -> tuple[IndexRecord, SearchReport]:
        found = app.searches.search(SearchRequest("find_walrus"), "shop")
        ask(app, "find_walrus")
        return found

    def look() -> TextReport:
        found = app.searches.search_text(TextRequest(pattern=TextPattern("find_walrus")), record)
        ask(app, "find_walrus")
        return found

    if way == "search":
        assert hit_of(app.answer(search)[1], "late.py")
    else:
        assert "late.py" in app.look(record, look).versions


def test_a_connection_that_was_lost_is_no_refusal(app: App, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise DatabaseUnreachableError("terminated")

    (shop / "late.py").write_text(WALRUS)
    with monkeypatch.context() as away:
        away.setattr("cocosearch_py.indexing.repair.lock_for_repair", lost)
        assert ask(app, "find_walrus").stale_because == "terminated"
    assert hit_of(ask(app, "find_walrus"), "late.py")


@pytest.mark.parametrize("rule", ["late.py", "late/"])
@pytest.mark.parametrize("fresh", [True, False])
def test_what_a_run_leaves_out_before_a_repair_begins_stays_out(app: App, shop: Path, fresh: bool, rule: str) -> None:
    """A repair may wait behind a long one, and for the run."""
    found = app.catalog.find("shop")
    files = {path: None for path in ("late/late.py", "kept.py")}
    for path in files:
        (shop / path).parent.mkdir(exist_ok=True)
        (shop / path).write_text(WALRUS)
    asked = app.pending(found)
    assert asked is not None
    assert {*asked.files} == {*files}
    (shop / ".gitignore").write_text(f"{rule}\n")
    (shop / "kept.py").rename(shop / "kept_later.py")
    app.index(shop, name="shop", options=app.indexing_options(fresh=fresh))
    (shop / "kept_later.py").rename(shop / "kept.py")
    assert app._repairs.repair(found, [*files], DiscoveryOptions(), budget_s=60, new=asked.files) is None
    report = app.searches.search(SearchRequest("find_walrus"), "shop")[1]
    assert {hit.file_path for hit in report.hits if "find_walrus" in hit.content} == {"kept.py", "kept_later.py"}


def test_the_latest_of_many_files_are_sought(app: App, shop: Path) -> None:
    for number in range(4):
        (shop / f"much_{number}.py").write_text(f"# {number}\n" * (repairs.MOST_BYTES // 8))
        os.utime(shop / f"much_{number}.py", (number, number))
    (shop / "late.py").write_text(WALRUS)
    report = ask(app, "find_walrus")
    assert hit_of(report, "late.py")
    assert report.unread is None
    report = ask(app, "find_seal")
    assert report.unread == 1
    assert "1 new or changed file may contain it" in (verify.explain_stale(report) or "")


def test_a_new_file_whose_name_is_no_text_is_left_to_a_run(app: App, shop: Path) -> None:
    (shop / os.fsdecode(b"caf\xe9.py")).write_text(WALRUS)
    assert ask(app, "find_walrus").unread == 1
    app.index(shop, name="shop")
    assert hit_of(ask(app, "find_walrus"), "caf\\xe9.py")
    assert ask(app, "find_seal").unread == 0


def test_a_large_new_file_keeps_out_no_older_one(app: App, shop: Path) -> None:
    (shop / "late.py").write_text(WALRUS)
    os.utime(shop / "late.py", (1, 1))
    (shop / "large.py").write_text("# much\n" * (repairs.MOST_BYTES // 7 + 1))
    report = ask(app, "find_walrus")
    assert hit_of(report, "late.py")
    assert ask(app, "find_seal").unread == 1


def test_names_that_are_there_cost_no_look_at_the_folder(app: App, shop: Path) -> None:
    def survey(_: IndexRecord) -> Pending:
        pytest.fail("the folder was looked at")

    known = ("Cart.add_item", "how does Cart.add_item work", "discounts.py", "what does shop/discounts.py do")
    for query in (QUERY, "apply_discount", "how are prices reduced when the moon is blue", *known):
        app.answer(lambda query=query: app.searches.search(SearchRequest(query), "shop"), survey=survey)


class CountedWalks(Unmoved):
    """Counts the walks of a folder that found nothing new."""

    walks = 0

    def keep(self, *state: Any) -> None:
        self.walks += 1
        super().keep(*state)


@pytest.mark.parametrize("path", ["empty/late.py", "late.py", FILE])
def test_a_folder_is_walked_again_once_something_in_it_moved(app: App, sample_repo: Path, path: str) -> None:
    (sample_repo / "empty").mkdir()
    app.index(sample_repo, name="shop")
    app._unmoved = unmoved = CountedWalks()
    time.sleep(2 * CLOCK_TICK.total_seconds())  # what changes after the first look is dated later
    for _ in range(3):
        assert ask(app, "find_walrus").unread == 0
    assert unmoved.walks == 1
    (sample_repo / path).write_text(WALRUS)
    os.utime(sample_repo / path, (1, 1))
    assert "find_walrus" in hit_of(ask(app, "find_walrus"), path).content


def test_a_folder_that_has_just_changed_is_walked_again(app: App, shop: Path) -> None:
    record, options = app.catalog.find("shop"), app.indexing_options().discovery
    assert walk_with_state(Path(record.root_path), options, timedelta(minutes=1))[1] is None


def test_check_tells_of_files_that_may_hold_it(app: App, shop: Path) -> None:
    (shop / "late.py").write_text(WALRUS)
    report = ask(asked_by(app, "check"), "find_walrus")
    assert report.unread == 1
    assert "search.freshness" in (verify.explain_stale(report) or "")
    assert generation(app) == 1


@pytest.mark.parametrize("content", [b"", b"\0\1\2" * 100], ids=["empty", "binary"])
def test_file_without_text_is_in_no_answer(app: App, shop: Path, content: bytes) -> None:
    (shop / FILE).write_bytes(content)
    report = ask(app)
    assert FILE not in {hit.file_path for hit in report.hits}
    assert_on_disk(shop, report)


@pytest.mark.parametrize("mode", ["repair", "check"])
@pytest.mark.parametrize("linked", ["file", "folder"])
def test_link_in_its_place_shows_nothing(app: App, shop: Path, tmp_path: Path, mode: str, linked: str) -> None:
    """Nothing outside the root is read, not even the lines around a passage that is there, too."""
    outside = tmp_path / "outside"
    shutil.copytree(shop / "shop", outside)
    with (outside / "discounts.py").open("a") as file:
        file.write("SECRET = 'outside'\n")
    place = shop / FILE if linked == "file" else shop / "shop"
    place.rename(tmp_path / "away")
    place.symlink_to(outside / "discounts.py" if linked == "file" else outside)
    chosen = asked_by(app, mode)
    request = SearchRequest(QUERY, context_after=20)
    _, report = chosen.answer(lambda: chosen.searches.search(request, "shop"))
    for hit in report.hits:
        assert "SECRET" not in hit.content + hit.context_after
    if mode == "repair":
        assert FILE not in {hit.file_path for hit in report.hits}


def test_new_time_alone_changes_nothing(app: App, shop: Path) -> None:
    before = generation(app)
    os.utime(shop / FILE, (1, 1))
    report = ask(app)
    assert (report.stale, report.stale_because, generation(app)) == ((), None, before)


def test_check_shows_the_lines_of_the_disk(app: App, shop: Path) -> None:
    text, before = (shop / FILE).read_text(), generation(app)
    (shop / FILE).write_text("# one\n# two\n" + text)
    chosen = asked_by(app, "check")
    report = ask(chosen)
    assert (hit_of(report, FILE).stale, report.stale) == ("moved", ((FILE, "moved"),))
    assert_on_disk(shop, report)
    assert "search.freshness" in (verify.explain_stale(report) or "")
    (shop / FILE).write_text(text.replace("percent", "share"))
    report = ask(chosen)
    assert (hit_of(report, FILE).stale, report.stale) == ("changed", ((FILE, "changed"),))
    (shop / FILE).unlink()
    report = ask(chosen)
    assert report.stale == ((FILE, "gone"),)
    assert FILE not in {hit.file_path for hit in report.hits}
    assert generation(app) == before


def test_lines_around_a_moved_passage_are_those_of_the_disk(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    functions = [f"def compute_{name}(value):\n    return value\n\n\n" for name in ("first", "second", "third")]
    (folder / "a.py").write_text("".join(functions))
    indexing = replace(app.settings.indexing, chunk_size=50)
    chosen = app.under(replace(asked_by(app, "check").settings, indexing=indexing))
    chosen.index(folder, name="shop")
    functions[0] = functions[0].replace("return value\n\n\n", "return value\n# added\n" + "x" * 500 + "\n")
    (folder / "a.py").write_text("".join(functions))
    request = SearchRequest("compute_second", context_before=2, context_after=1)
    hit = chosen.answer(lambda: chosen.searches.search(request, "shop"))[1].hits[0]
    assert (hit.start_line, hit.stale) == (5, "moved")
    assert hit.context_before == "# added\n" + "x" * 200 + "..."
    assert hit.context_after == "def compute_third(value):"


def test_off_looks_at_nothing(app: App, shop: Path) -> None:
    (shop / FILE).unlink()
    report = ask(asked_by(app, "off"))
    assert hit_of(report, FILE)
    assert (report.stale, report.stale_because) == ((), None)


def test_of_several_same_passages_the_nearest_is_shown(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    passage = "def apply_discount(price):\n    return price\n"
    (folder / "a.py").write_text(f"{passage}\n\n")
    app.index(folder, name="shop")
    (folder / "a.py").write_text(f"# new\n{passage}\n\n{passage}\n\n")
    report = ask(asked_by(app, "check"))
    assert [(hit.start_line, hit.stale) for hit in report.hits] == [(2, "moved")]


@pytest.mark.parametrize("way", ["away", "empty", "link"])
def test_folder_that_is_away_is_told_once(app: App, shop: Path, tmp_path: Path, way: str) -> None:
    before = ask(app).hits
    shop.rename(tmp_path / "away")
    if way == "empty":  # a disk that is not mounted
        shop.mkdir()
    elif way == "link":  # of the same files no index is known
        shop.symlink_to(tmp_path / "away")
        (shop / FILE).write_text("changed = True\n")
    report = ask(app)
    assert report.hits == before
    assert (report.stale, report.stale_because) == ((), verify.NO_FOLDER)
    assert verify.NO_FOLDER in (verify.explain_stale(report) or "")
    assert generation(app) == 1


def test_another_run_is_not_waited_for(app: App, shop: Path) -> None:
    (shop / FILE).write_text("# one\n" + (shop / FILE).read_text())
    with app.database.writing() as conn:
        lock_for_writing(conn, "shop")
        report = ask(app)
    assert "another run" in (report.stale_because or "")
    assert_on_disk(shop, report)
    assert ask(app).stale == ()


def test_a_run_waits_for_a_repair(app: App, shop: Path) -> None:
    (shop / FILE).write_text("def changed(): ...\n")
    with app.database.writing() as conn:
        lock_for_repair(conn, "shop")
        ended = Timer(0.2, conn.rollback)
        ended.start()
        assert app.index(shop, name="shop").files_updated == 1
        ended.join()


def test_a_run_waits_for_a_long_repair_and_no_other_one_comes_before_it(app: App, shop: Path) -> None:
    too_short_s = 0.1
    waiting_long = (
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
        f"AND clock_timestamp() - waitstart > interval '{2 * too_short_s} s'"
    )
    with app.database.writing() as repair, app.database.writing() as run, app.database.writing() as other:
        lock_for_repair(repair, "shop")
        with ThreadPoolExecutor(1) as thread:
            locked = thread.submit(lock_for_writing, run, "shop", too_short_s)
            deadline = time.monotonic() + PATIENCE_S
            while not app.database.read(lambda conn: conn.execute(waiting_long).fetchone()):
                assert time.monotonic() < deadline
            repair.rollback()
            with pytest.raises(BusyError):
                lock_for_repair(other, "shop")
            locked.result()


def test_much_is_left_to_a_run(app: App, shop: Path) -> None:
    (shop / FILE).write_text("# one more line\n" * (repairs.MOST_BYTES // 16 + 1) + (shop / FILE).read_text())
    report = ask(app)
    assert (report.stale, hit_of(report, FILE).stale) == (((FILE, "moved"),), "moved")
    assert "too much has changed" in (report.stale_because or "")
    assert_on_disk(shop, report)


def test_a_file_that_became_too_large_leaves_the_index_and_holds_up_no_other(app: App, shop: Path) -> None:
    os.truncate(shop / FILE, 20_000_000)
    (shop / "shop" / "cart.py").write_text("def apply_discount(price):\n    return price - 7\n")
    report = ask(app)
    assert (report.stale, report.stale_because) == ((), None)
    assert FILE not in {hit.file_path for hit in report.hits}
    assert "price - 7" in hit_of(report, "shop/cart.py").content


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.EMFILE])
def test_a_file_that_cannot_be_read_for_a_moment_stays_in_the_index(
    app: App, shop: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (shop / FILE).write_text((shop / FILE).read_text() + "# one more line\n")
    (shop / "shop/cart.py").write_text("# one more line\n" + (shop / "shop/cart.py").read_text())
    before, read = app.catalog.find("shop"), FolderReader.read

    def refused(self: FolderReader, path: str) -> Any:
        if path == FILE:
            raise OSError(number, os.strerror(number))
        return read(self, path)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(FolderReader, "read", refused)
        report = ask(app)
    assert [(one.path, one.reason) for one in report.stale] == [(FILE, "changed")]
    assert "cannot be read now" in (verify.explain_stale(report) or "")
    assert app.catalog.find("shop").file_count == before.file_count
    assert generation(app) == before.generation + 1  # the other file is repaired
    report = ask(app)
    assert (report.stale, hit_of(report, FILE).stale) == ((), None)
    assert_on_disk(shop, report)


def test_time_is_up(app: App, shop: Path) -> None:
    app.repair_wait_s = 0.0
    (shop / FILE).write_text("# one\n" + (shop / FILE).read_text())
    report = ask(app)
    assert report.stale_because
    assert_on_disk(shop, report)


def test_foreign_folder_is_only_marked(app: App, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / FILE).write_text("# one\n" + (shop / FILE).read_text())
    record, wanted = app.catalog.find("shop"), {"rules": DiscoveryOptions(), "budget_s": 60}
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.stat(shop).st_uid + 1)
        assert "another user" in (app._repairs.repair(record, [FILE], **wanted) or "")
    assert app._repairs.repair(record, [FILE], **wanted) is None


@contextmanager
def reader_of(app: App, database_url: str):
    """The same database for a role that may only read."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        name = conn.info.dbname
        conn.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        with App(app.settings, Path("/nonexistent")) as opened:
            yield opened
        conn.execute("SET default_transaction_read_only = off")
        conn.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')


def test_database_that_is_only_read_is_only_marked(app: App, shop: Path, database_url: str) -> None:
    (shop / FILE).write_text("# one\n" + (shop / FILE).read_text())
    with reader_of(app, database_url) as reader:
        for _ in range(2):
            report = ask(reader)
            assert "read-only" in (report.stale_because or "")
            assert_on_disk(shop, report)
    assert ask(app).stale == ()


def test_another_index_of_that_name_is_left_alone(app: App, shop: Path, tmp_path: Path, write_sample: Any) -> None:
    record = app.catalog.find("shop")
    other = write_sample(tmp_path / "other")
    app.catalog.clear("shop")
    app.index(other, name="shop")
    (other / FILE).write_text("def changed(): ...\n")
    why = app._repairs.repair(record, [FILE], DiscoveryOptions(), budget_s=60)
    assert "needs a full run" in (why or "")
    assert generation(app) == 1


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(sample_repo: Path) -> Path:
    """The sample on two branches that differ in two files of six."""
    git(sample_repo, "init", "-q", "-b", "main")
    git(sample_repo, "add", ".")
    git(sample_repo, "commit", "-qm", "one")
    git(sample_repo, "checkout", "-qb", "feature")
    (sample_repo / FILE).write_text((sample_repo / FILE).read_text().replace("percent", "share"))
    (sample_repo / "docs/guide.md").unlink()
    git(sample_repo, "commit", "-qam", "two")
    git(sample_repo, "checkout", "-q", "main")
    return sample_repo


def test_switched_branch_is_right_at_once_and_costs_the_difference(app: App, repository: Path) -> None:
    app.index(repository, name="shop")
    git(repository, "checkout", "-q", "feature")
    report = ask(app, "discount")
    assert_on_disk(repository, report)
    assert "share" in hit_of(report, FILE).content
    assert app.catalog.drift(app.catalog.find("shop"))  # only a whole run knows the branch
    git(repository, "checkout", "-q", "main")
    run = app.index(repository, name="shop")
    assert (run.files_added, run.files_updated, run.files_removed) == (1, 1, 0)
    git(repository, "checkout", "-q", "feature")
    run = app.index(repository, name="shop")
    assert (run.files_added, run.files_updated, run.files_removed, run.files_unchanged) == (0, 1, 1, 4)
    assert_on_disk(repository, ask(app, "discount"))


def test_each_worktree_answers_for_itself(app: App, repository: Path, tmp_path: Path) -> None:
    worktree = tmp_path / "second"
    git(repository, "worktree", "add", "-q", str(worktree), "feature")
    app.index(repository)
    app.index(worktree)
    (worktree / FILE).write_text((worktree / FILE).read_text().replace("share", "third"))

    def found_in(folder: Path) -> tuple[IndexRecord, SearchReport]:
        (record,) = app.catalog.of_folders(app.catalog.list_all(), [folder])
        return record, ask(app, name=record.name)

    for folder, word in ((worktree / "shop", "third"), (repository / "shop", "percent")):
        record, report = found_in(folder)
        assert record.root_path == str(folder.parent)
        assert word in hit_of(report, FILE).content
        assert_on_disk(folder.parent, report)
