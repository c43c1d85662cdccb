"""A folder with everything that could stop a run: it ends, accounts for every file, and a search works."""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from tests.hostile_sources import damaged_files, strange_files
from tests.odd_trees import files_below, odd_tree

from cocosearch_py.app import App
from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.model.search import SearchRequest

PATIENCE_S = 120.0


@pytest.fixture
def app(database_url: str, data_folder: Path) -> Iterator[App]:
    """One with workers that give up a file soon."""
    indexing = IndexingSettings(workers=2, file_timeout=8)
    with App(Settings(database=DatabaseSettings(url=database_url), indexing=indexing), data_folder) as opened:
        yield opened


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    root.mkdir()
    odd_tree(root, repository=False)
    for name, data in {**strange_files(), **dict(damaged_files(150, seed=11))}.items():
        path = root / "sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "many").mkdir()
    for number in range(10_000):
        (root / "many" / f"{number}.cfg").touch()
    (root / "good.py").write_text("def healthy_function():\n    return 'found'\n")
    return root


def disturb(root: Path, stop: Event) -> None:
    """Change, remove and replace files for as long as a run looks at them."""
    chance = random.Random(5)
    names = [f"moving/{number}.py" for number in range(200)]
    while not stop.wait(0.001):
        path = root / chance.choice(names)
        with suppress(OSError):
            kind = chance.randrange(5)
            if kind == 0:
                path.unlink()
            elif kind == 1:
                path.rename(root / chance.choice(names))
            elif kind == 2:
                path.mkdir()
            elif kind == 3:
                path.rmdir()
            else:
                path.write_text("changing = 1\n" * chance.randrange(2_000))


def counted(report: RunReport) -> int:
    kept = report.files_added + report.files_updated + report.files_unchanged
    return kept + report.files_skipped + report.files_failed + report.files_pending


@pytest.mark.slow
def test_a_run_over_everything_hostile_ends_and_accounts_for_it(app: App, corpus: Path) -> None:
    (corpus / "moving").mkdir()
    stop = Event()
    with ThreadPoolExecutor(2) as threads:
        disturber = threads.submit(disturb, corpus, stop)
        try:
            threads.submit(app.index, corpus, name="hostile").result(PATIENCE_S)
        finally:
            stop.set()
        disturber.result()
        report = threads.submit(app.index, corpus, name="hostile").result(PATIENCE_S)
    on_disk = files_below(corpus)
    stats = app.catalog.stats(app.catalog.find("hostile"), StatsRequest(skipped=True))
    assert counted(report) == on_disk == sum(files for _, _, files in stats.ledger)
    for path, status, reason, rule, _ in stats.left_out or ():
        assert reason and (rule or status == "failed"), path
    _, answer = app.search(SearchRequest("healthy_function"), index_name="hostile")
    assert answer.hits[0].file_path == "good.py"
    assert app.search(SearchRequest("Launch größe discard count"), index_name="hostile")[1].hits
    failed = {path: error for path, status, error, _, _ in stats.left_out or () if status == "failed"}
    assert all("fileTimeout" in str(error) for error in failed.values()), failed  # of a machine that is very busy
    assert app.index(corpus, name="hostile").files_added == 0
    assert os.path.exists(corpus / "links/circle")
