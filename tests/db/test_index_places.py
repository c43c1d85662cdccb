"""Where indexes have their rows: shared leaves or their own, what moves them, and what a build may not touch."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.errors import BusyError, IndexNotFoundError
from cocosearch_py.indexing import pipeline
from cocosearch_py.indexing.pending import Unmoved, count_pending, find_pending
from cocosearch_py.indexing.progress import Progress
from cocosearch_py.indexing.run import Run
from cocosearch_py.model.indexes import CLOCK_TICK
from cocosearch_py.model.search import SearchFilters, SearchRequest
from cocosearch_py.storage.queries.facts import read_definitions, store_weights
from cocosearch_py.storage.queries.indexes import find_by_name
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.schema.tables import TABLES

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
MANY = 300  # indexes beside the one that is searched


@pytest.fixture
def other_app(database_url: str, data_folder: Path) -> Iterator[App]:
    """A second program on the same database."""
    settings = Settings(database=DatabaseSettings(url=database_url), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as opened:
        yield opened


@pytest.fixture
def own_leaves(app: App) -> None:
    """Every index counts as large."""
    app.database.own_leaf_chunks = 1


def first_path(app: App, query: str, name: str) -> str:
    return app.search(SearchRequest(query), index_name=name)[1].hits[0].file_path


def fresh(app: App, folder: Path, name: str) -> None:
    app.index(folder, name=name, options=app.indexing_options(fresh=True))


def rows_by_index(database_url: str) -> dict[int, int]:
    """index_id -> rows in all fact tables."""
    found: dict[int, int] = {}
    with psycopg.connect(database_url) as conn:
        for table in TABLES:
            for index_id, count in conn.execute(f"SELECT index_id, count(*) FROM cocosearch_py.{table} GROUP BY 1"):
                found[index_id] = found.get(index_id, 0) + count
    return found


def relations(database_url: str) -> set[str]:
    with psycopg.connect(database_url) as conn:
        rows = conn.execute("SELECT relname FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace")
        return {row[0] for row in rows}


@pytest.mark.parametrize("neighbour", ["shop__new", "shop--new", "shop_new", "shop_shared", "1", "shared"])
@pytest.mark.parametrize("own_leaf", [True, False])
def test_a_build_touches_no_index_of_a_name_like_its_own(
    app: App,
    sample_repo: Path,
    content_of: ContentOf,
    neighbour: str,
    own_leaf: bool,
) -> None:
    app.database.own_leaf_chunks = 1 if own_leaf else 100
    app.index(sample_repo, name=neighbour)
    before = content_of(neighbour)
    app.index(sample_repo, name="shop")
    fresh(app, sample_repo, "shop")
    assert content_of(neighbour) == before == content_of("shop")
    fresh(app, sample_repo, neighbour)
    app.catalog.clear("shop")
    assert content_of(neighbour) == before
    assert first_path(app, "apply_discount", neighbour) == "shop/discounts.py"


def test_an_index_moves_when_it_grows_and_back_when_it_shrinks(
    app: App, other_app: App, tmp_path: Path, database_url: str, content_of: ContentOf
) -> None:
    """Readers find it all the time, people under the same name, and nothing is left behind."""
    app.database.own_leaf_chunks = 20
    for number in range(30):
        (tmp_path / f"module_{number:02}.py").write_text(f"def function_{number}(): ...\n")
    kept = tmp_path / "kept.py"
    kept.write_text("def always_here(): ...\n")
    later = [tmp_path / f"module_{number:02}.py" for number in range(5, 30)]
    texts = {path: path.read_text() for path in later}

    def resize(*, large: bool) -> None:
        for path in later:
            path.write_text(texts[path]) if large else path.unlink(missing_ok=True)

    resize(large=False)
    app.index(tmp_path, name="moving")
    done = threading.Event()
    found: list[str] = []

    def read() -> None:
        while not done.is_set():
            found.append(first_path(other_app, "always_here", "moving"))
            assert other_app.catalog.stats(other_app.catalog.find("moving")).languages

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            places = []
            for large in (True, False, True, False):
                resize(large=large)
                app.index(tmp_path, name="moving")
                places.append(is_shared(app.catalog.find("moving").index_id))
        finally:
            done.set()
        for reader in readers:
            reader.result()
    assert places == [False, True, False, True]
    assert set(found) == {"kept.py"}
    moved = content_of("moving")
    with psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT count(*) FROM cocosearch_py.cocosearch_moving").fetchone() == (
            len(moved["chunks"]),
        )
    fresh(app, tmp_path, "moving")
    assert content_of("moving") == moved
    fresh(app, tmp_path, "moving")  # frees what somebody may have read when it was replaced
    assert list(rows_by_index(database_url)) == [app.catalog.find("moving").index_id]


def test_an_index_about_the_threshold_stays_where_it_is(app: App, tmp_path: Path) -> None:
    app.database.own_leaf_chunks = 20
    files = [tmp_path / f"module_{number:02}.py" for number in range(20)]
    for number, path in enumerate(files):
        path.write_text(f"def function_{number}(): ...\n")
    app.index(tmp_path, name="about")
    number = app.catalog.find("about").index_id
    assert not is_shared(number)
    for _ in range(2):  # a file comes and goes
        files[-1].unlink()
        app.index(tmp_path, name="about")
        assert app.catalog.find("about").index_id == number
        files[-1].write_text("def function(): ...\n")
        app.index(tmp_path, name="about")
        assert app.catalog.find("about").index_id == number


@pytest.mark.parametrize("many_chunks", [True, False])
def test_a_wrong_guess_of_the_size_is_put_right(app: App, tmp_path: Path, database_url: str, many_chunks: bool) -> None:
    """Few bytes in many files, and many bytes in a file that turns out to be no text."""
    app.database.own_leaf_chunks = 20
    if many_chunks:
        for number in range(30):
            (tmp_path / f"module_{number:02}.py").write_text(f"def function_{number}(): ...\n")
    else:
        (tmp_path / "noise").write_bytes(bytes(range(256)) * 1_000)
        (tmp_path / "module.py").write_text("def function_1(): ...\n")
    app.index(tmp_path, name="guessed")
    record = app.catalog.find("guessed")
    assert is_shared(record.index_id) != many_chunks
    assert list(rows_by_index(database_url)) == [record.index_id]
    assert first_path(app, "function_1", "guessed").startswith("module")
    own = {name for name in relations(database_url) if name.startswith("chunks_") and name[7:].isdecimal()}
    assert own == ({f"chunks_{record.index_id}"} if many_chunks else set())


@pytest.mark.usefixtures("own_leaves")
def test_who_found_an_index_reads_it_to_the_end(app: App, other_app: App, sample_repo: Path, database_url: str) -> None:
    """A rebuild between finding an index and reading it is not noticed; then its old tables go."""
    app.index(sample_repo, name="shop")
    with app.database.reading() as conn:
        record = find_by_name(conn, "shop")
        assert record is not None
        fresh(other_app, sample_repo, "shop")
        assert read_definitions(conn, record.index_id)
    assert other_app.catalog.find("shop").index_id != record.index_id
    (sample_repo / "shop/cart.py").write_text("def other(): ...\n")
    other_app.index(sample_repo, name="shop")
    assert list(rows_by_index(database_url)) == [other_app.catalog.find("shop").index_id]


@pytest.mark.parametrize("own_leaf", [True, False])
def test_who_found_an_index_before_it_was_rebuilt_reads_it_as_it_is_now(
    app: App,
    other_app: App,
    sample_repo: Path,
    own_leaf: bool,
) -> None:
    """What is asked of an index in several transactions does not go by the number of the first."""
    app.database.own_leaf_chunks = 1 if own_leaf else 1000
    app.index(sample_repo, name="shop")
    time.sleep(2 * CLOCK_TICK.total_seconds())
    app.index(sample_repo, name="shop")  # after the last change of its files, for all that clocks tell
    record, options = app.catalog.find("shop"), app.indexing_options()
    paths = [str(sample_repo / "shop/cart.py")]

    def ask() -> list[object]:
        return [
            app.catalog.count_content(record),
            app.catalog.failed_files(record, 9),
            app.transfers.is_complete(record),
            app.explain_files(sample_repo, paths, record),
            count_pending(record, options, app.database),
            find_pending(record, options, app.database, Unmoved())[:3],
        ]

    before = ask()
    fresh(other_app, sample_repo, "shop")
    fresh(other_app, sample_repo, "shop")  # has dropped the leaves of the first
    assert ask() == before
    app.catalog.clear("shop")
    with pytest.raises(IndexNotFoundError):
        app.catalog.count_content(record)
    with pytest.raises(IndexNotFoundError):
        count_pending(record, options, app.database)


@pytest.mark.usefixtures("own_leaves")
@pytest.mark.parametrize("way", ["rebuilt", "cleared"])
def test_a_run_ends_well_whose_index_is_gone_when_it_looks_for_statistics(
    app: App, other_app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    app.index(sample_repo, name="beside")
    looked = []

    def gone(run: Run) -> bool:
        if not looked:
            looked.append(run)
            other_app.catalog.clear("shop")
            if way == "rebuilt":
                other_app.index(sample_repo, name="shop")
        return True

    monkeypatch.setattr(pipeline, "worth_analyzing", gone)
    assert app.index(sample_repo, name="shop").files_added > 0
    assert looked


@pytest.mark.parametrize("own_leaf", [True, False])
@pytest.mark.parametrize("first_run", [True, False])
def test_a_build_that_is_killed_leaves_nothing(
    app: App,
    other_app: App,
    sample_repo: Path,
    database_url: str,
    own_leaf: bool,
    first_run: bool,
) -> None:
    app.database.own_leaf_chunks = 1 if own_leaf else 100
    app.index(sample_repo, name="beside")
    if not first_run:
        app.index(sample_repo, name="shop")
    before = relations(database_url), rows_by_index(database_url)

    def kill(progress: Progress) -> None:
        if progress.stage == "graph":
            with psycopg.connect(database_url, autocommit=True) as conn:
                conn.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted")

    options = other_app.indexing_options(fresh=True)
    with pytest.raises(Exception, match=r"terminat|connection|closed"):
        other_app.index(sample_repo, name="shop", options=options, progress=kill)
    assert (relations(database_url), rows_by_index(database_url)) == before


@pytest.mark.usefixtures("own_leaves")
def test_clear_says_who_is_reading(app: App, sample_repo: Path, database_url: str, content_of: ContentOf) -> None:
    app.database.reader_patience_s = 0.0
    app.index(sample_repo, name="shop")
    before = content_of("shop")
    with psycopg.connect(database_url, application_name="a person") as person:
        person.execute("SELECT count(*) FROM cocosearch_py.cocosearch_shop")
        with pytest.raises(BusyError, match=rf"process {person.info.backend_pid} \(a person, last statement at \d"):
            app.catalog.clear("shop")
        assert content_of("shop") == before
    app.catalog.clear("shop")
    assert app.catalog.list_all() == []


def test_a_small_index_is_replaced_and_cleared_under_readers(app: App, sample_repo: Path, database_url: str) -> None:
    app.database.reader_patience_s = 0.0
    app.index(sample_repo, name="shop")
    with psycopg.connect(database_url) as person:
        for table in TABLES:
            person.execute(f"SELECT count(*) FROM cocosearch_py.{table}")
        fresh(app, sample_repo, "shop")
        app.catalog.clear("shop")
    assert rows_by_index(database_url) == {}


@pytest.mark.parametrize("rebuild", [True, False])
def test_weights_that_are_tuned_during_a_run_stay(app: App, other_app: App, sample_repo: Path, rebuild: bool) -> None:
    app.index(sample_repo, name="shop")
    generation = app.catalog.find("shop").generation
    (sample_repo / "shop/cart.py").write_text("def other(): ...\n")

    def tune(progress: Progress) -> None:
        if progress.stage == "graph":
            with app.database.writing() as conn:
                store_weights(conn, "shop", {"tests": -1.0})

    other_app.index(sample_repo, name="shop", options=other_app.indexing_options(fresh=rebuild), progress=tune)
    record = app.catalog.find("shop")
    assert record.weights == {"tests": -1.0}
    assert record.generation == generation + 2


def test_a_search_among_many_small_indexes_scans_no_shared_table(
    app: App, sample_repo: Path, database_url: str
) -> None:
    """Whatever the planner knows: without statistics, with those of before, with fresh ones; prepared or not."""
    app.index(sample_repo, name="shop")
    record = app.catalog.find("shop")
    requests = [
        SearchRequest("apply_discount", context_before=2),
        SearchRequest("percentage of a price"),
        SearchRequest("token", filters=SearchFilters(languages=("python",), symbol_types=("method",))),
    ]

    def scans() -> tuple[int, int]:
        """(sequential, by index) scans so far of shared leaves with rows; those of large indexes alone have none."""
        app.database.close()  # a session that ends delivers its counts
        with psycopg.connect(database_url) as conn:
            row = conn.execute(
                "SELECT sum(seq_scan)::int, sum(idx_scan)::int FROM pg_stat_user_tables "
                "WHERE relname LIKE '%\\_shared' AND pg_relation_size(relid) > 0"
            ).fetchone()
        assert row is not None
        return row

    def search_often() -> None:
        for request in requests * 8:  # a driver prepares at the fifth time, a server generalises after five more
            app.search(request, index_name="shop")
        app.catalog.stats(record)

    with psycopg.connect(database_url, autocommit=True) as conn:
        # As the embedded server has it: at 4, the default, six pages are cheaper to read than to look up.
        conn.execute(f'ALTER DATABASE "{conn.info.dbname}" SET random_page_cost = 1.1')
        for table in TABLES:
            conn.execute(f"ALTER TABLE cocosearch_py.{table}_shared SET (autovacuum_enabled = false)")
            conn.execute(f"ANALYZE cocosearch_py.{table}_shared")
        for name, table in TABLES.items():
            others = ", ".join(f'"{column.name}"' for column in table.columns[1:])
            conn.execute(
                f"INSERT INTO cocosearch_py.{name}_shared (index_id, {others}) SELECT index_id + n, {others} "
                f"FROM cocosearch_py.{name}_shared, generate_series(1, {MANY}) n"
            )
    for analyze in (False, True):
        if analyze:
            with psycopg.connect(database_url, autocommit=True) as conn:
                conn.execute("ANALYZE")
        before = scans()
        search_often()
        after = scans()
        assert after[0] == before[0]
        assert after[1] > before[1]


@pytest.mark.usefixtures("own_leaves")
def test_autovacuum_looks_after_an_index_when_it_is_there(app: App, sample_repo: Path, database_url: str) -> None:
    app.index(sample_repo, name="large")
    with psycopg.connect(database_url) as conn:
        query = (
            "SELECT c.reloptions FROM pg_inherits n JOIN pg_class c ON c.oid = n.inhrelid WHERE c.relname ~ '_[0-9]+$'"
        )
        options = conn.execute(query).fetchall()
    assert len(options) >= len(TABLES)
    assert not [one for one in options if one != (None,)]
