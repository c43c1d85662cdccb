"""`index --dry-run`: what it foretells is what the run then does, and it writes nothing."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.odd_trees import churn, odd_tree

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.discovery.extent import MANY_BUILT_FILES, MANY_FILES_IN_ONE_FOLDER, bulky_folders
from cocosearch_py.errors import IndexCollisionError, IndexNotFoundError, WorkspaceError
from cocosearch_py.indexing.cost_model import DEFAULT_RATE, seconds_of
from cocosearch_py.indexing.forecast import top_folders
from cocosearch_py.indexing.forecast_report import Forecast
from cocosearch_py.indexing.progress import Progress
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.model.machine import usable_cores

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
COUNTS = (
    *("files_added", "files_updated", "files_removed", "files_unchanged", "files_skipped", "files_failed"),
    *("files_reused", "folders_skipped", "files_in_skipped_folders"),
)
SPEED = 1.25
SOURCES = Path(__file__).parents[2]


def foretell(app: App, folder: Path, **more: Any) -> Forecast:
    """The forecast of a machine whose speed does not depend on what else it does."""
    return app.forecast(folder, machine_speed=SPEED, **more)


def counts(report: Any) -> dict[str, int]:
    return {name: getattr(report, name) for name in COUNTS}


@pytest.mark.parametrize("repository", [True, False], ids=["git", "no git"])
def test_what_is_foretold_is_what_happens(app: App, tmp_path: Path, content_of: ContentOf, repository: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    odd_tree(root, repository=repository)
    for seed in range(4):
        foretold = foretell(app, root, name="odd")
        before = content_of("odd") if seed else None
        assert foretell(app, root, name="odd") == foretold
        assert before == (content_of("odd") if seed else None)
        report = app.index(root, name="odd")
        assert counts(foretold) == counts(report)
        rows = content_of("odd")["files"]
        told: dict[tuple[str, str], int] = {}
        for row in rows:
            if row[2] != "indexed":
                key = (row[3] or row[2], row[4] or row[5])
                told[key] = told.get(key, 0) + row[6]
        assert dict(foretold.left_out) == told
        assert foretold.held_bytes == sum(row[9] for row in rows if row[2] == "indexed")
        churn(root, seed)
        (root / "src/a.py").write_text(f"def changed_{seed}(): ...\n")


def test_what_would_be_copied_from_another_index_is_foretold(app: App, tmp_path: Path) -> None:
    app.thresholds = Thresholds(copy_bytes=0)
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        odd_tree(folder, repository=False)
    app.index(first)
    churn(second, 3)
    (second / "src/a.py").write_text("def other(): ...\n")
    foretold = foretell(app, second)
    assert 0 < foretold.files_reused < foretold.files_added
    assert foretold.copied_bytes + foretold.read_bytes == foretold.held_bytes
    assert 0 < foretold.copied_bytes < foretold.held_bytes
    unseen = replace(app.indexing_options(), may_see=lambda path: False)
    assert foretell(app, second, options=unseen).files_reused == 0
    assert foretell(app, second, options=app.indexing_options(fresh=True)).files_reused == 0
    assert counts(foretold) == counts(app.index(second))


def test_a_rebuild_is_foretold_with_its_reason(app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    options = app.indexing_options()
    assert foretell(app, sample_repo, name="shop").rebuilt is None
    smaller = replace(options, content=replace(options.content, chunk_bytes=500))
    foretold = foretell(app, sample_repo, name="shop", options=smaller)
    assert foretold.rebuilt == "settings changed: chunk_bytes"
    assert foretold.files_added == 6
    assert app.index(sample_repo, name="shop", options=smaller).rebuilt


def test_time_and_size_go_by_what_was_measured(app: App, tmp_path: Path) -> None:
    words = random.Random(3)
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        for number in range(40):
            lines = (f"    value_{words.randrange(9999)} = {words.randrange(9999)}\n" for _ in range(600))
            (folder / f"m{number}.py").write_text(f"def work_{number}():\n{''.join(lines)}")
    unknown = foretell(app, first)
    assert not unknown.measured
    app.index(first)
    record = app.catalog.find("first")
    assert record.bytes_per_second is not None
    foretold = foretell(app, second)
    assert foretold.measured
    workers = app.indexing_options().workers or usable_cores()
    rate = (record.bytes_per_second + DEFAULT_RATE * SPEED * workers) / 2  # the default counts as one run
    assert foretold.seconds == pytest.approx(seconds_of(foretold.effort, rate))
    assert foretold.effort == pytest.approx(foretold.read_bytes, rel=0.2)
    stored = app.catalog.stats(record).storage_bytes
    assert unknown.index_bytes == pytest.approx(stored, rel=0.6)
    (first / "m1.py").unlink()
    (first / "m2.py").write_text("x = 1\n")
    again = foretell(app, first)
    assert again.index_bytes == pytest.approx(stored * 38 / 40, rel=0.05)
    assert again.read_bytes == 6
    app.index(first)
    assert app.catalog.find("first").bytes_per_second == record.bytes_per_second  # six bytes tell nothing


@pytest.mark.parametrize(("folder", "kind"), [("docs", "*.md"), ("src/cocosearch_py", "*.py")])
def test_the_size_goes_by_what_is_in_the_files(app: App, tmp_path: Path, folder: str, kind: str) -> None:
    for number, file in enumerate((SOURCES / folder).rglob(kind)):
        shutil.copy(file, tmp_path / f"{number}{file.suffix}")
    foretold = foretell(app, tmp_path, name="sized")
    app.index(tmp_path, name="sized")
    assert 0.75 <= foretold.index_bytes / app.catalog.stats(app.catalog.find("sized")).storage_bytes <= 1.35


def test_a_run_that_copies_does_not_tell_how_fast_others_will_be(app: App, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    for number in range(80):
        (first / f"m{number}.py").write_text("".join(f"value_{number}_{line} = {line}\n" for line in range(1_000)))
    app.index(first)
    shutil.copytree(first, second)
    for number in range(60):
        (second / f"m{number}.py").write_text("".join(f"other_{number}_{line} = {line}\n" for line in range(1_000)))
    assert app.index(second).files_reused == 20
    assert app.catalog.find("first").bytes_per_second is not None
    assert app.catalog.find("second").bytes_per_second is None


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, sample_repo: Path) -> None:
    with App(Settings(), tmp_path / "data") as app:
        foretold = foretell(app, sample_repo)
        server = app.database.server
        assert foretold.files_added == 6
        rate = DEFAULT_RATE * SPEED * usable_cores()
        assert foretold.seconds == pytest.approx(3 + seconds_of(foretold.effort, rate))
        assert not (tmp_path / "data").exists()
        assert server is not None
        assert not server.home.exists()


def test_folders_and_names_that_a_run_would_refuse(app: App, sample_repo: Path, tmp_path: Path) -> None:
    app.index(sample_repo, name="shop")
    with pytest.raises(IndexCollisionError):
        foretell(app, tmp_path, name="shop")
    with pytest.raises(WorkspaceError):
        foretell(app, tmp_path / "nowhere")


def test_a_home_folder_is_told_to_need_a_confirmation(app: App, sample_repo: Path) -> None:
    options = replace(app.indexing_options(), home=sample_repo)
    assert foretell(app, sample_repo, options=options).asks
    assert not foretell(app, sample_repo, options=replace(options, confirmed=True)).asks


def test_top_folders() -> None:
    held = {f"src/main/java/org/x/{number}.java": 10 for number in range(95)}
    held |= {f"src/test/{number}.java": 10 for number in range(5)}
    held |= {f"docs/{part}/{number}.md": 1 for part in "ab" for number in range(20)}
    held |= {"README.md": 7}
    assert [(share.name, share.files, share.size_bytes) for share in top_folders(held)] == [
        ("src/main/java/org/x", 95, 950),
        ("docs", 40, 40),
        ("", 1, 7),
    ]


def test_folders_that_builds_fill_are_warned_of() -> None:
    source = [f"lib/{number}.dart" for number in range(300)]
    built = [f"app/build/x/{number % 50}/{number}.o" for number in range(100_000)]
    (warning,) = bulky_folders([*source, *built])
    assert warning.startswith("app/build/ is named like a folder of generated files, with 100,000 of 100,300 files")
    assert "--exclude '/app/build/'" in warning
    assert bulky_folders([*source, *built[: MANY_BUILT_FILES - 1]]) == []
    many = bulky_folders([f"{place}/{path}" for place in range(7) for path in built])
    assert len(many) == 6
    assert many[-1] == f"2 more such folders have {2 * len(built):,} files to index"
    (full,) = bulky_folders([f"data/{number}.json" for number in range(MANY_FILES_IN_ONE_FOLDER)])
    assert full.startswith("data/ is a single folder with many files")
    assert bulky_folders([f"{number % 20}/{number}.json" for number in range(MANY_FILES_IN_ONE_FOLDER)]) == []


def test_progress_counts_the_files_that_are_read(app: App, tmp_path: Path) -> None:
    for number in range(250):
        (tmp_path / f"{number}.py").write_text("one = 1\n")
    told: list[Progress] = []
    foretell(app, tmp_path, progress=told.append)
    assert [(one.files_done, one.files_total) for one in told] == [(0, 0), (0, 250), (100, 250), (200, 250)]


def test_a_retry_of_failed_files_is_foretold(app: App, sample_repo: Path) -> None:
    """A dry run reads no other files either, and refuses what the run refuses."""
    options = replace(app.indexing_options(), only_failed=True)
    with pytest.raises(IndexNotFoundError):
        foretell(app, sample_repo, name="shop", options=options)
    app.index(sample_repo, name="shop")
    (sample_repo / "shop/new.py").write_text("new = 1\n")
    (sample_repo / "shop/cart.py").unlink()
    foretold = foretell(app, sample_repo, name="shop", options=options)
    assert counts(foretold) == counts(app.index(sample_repo, name="shop", options=options))
    assert (foretold.files_added, foretold.files_removed, foretold.files_unchanged) == (0, 0, 6)
