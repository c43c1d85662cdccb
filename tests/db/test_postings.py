"""Exact text in a large index: by its trigrams the same lines are found as by looking at every passage."""

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cocosearch_py.analysis.words import name_key
from cocosearch_py.app import App
from cocosearch_py.indexing import postings
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.texts import TextMatch, TextRequest
from cocosearch_py.search import multiline, narrowing, unmatched
from cocosearch_py.search import text as searching
from cocosearch_py.search.patterns import text_pattern
from cocosearch_py.storage.queries.facts import names_like
from cocosearch_py.storage.schema.partitions import is_shared

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa Alpha BETA naïve Größe".split()
QUERIES = [
    ("alpha", {}),
    ("Alpha", {}),
    ("alpha beta", {}),
    ("größe", {}),
    ("eta", {"word": True}),
    ("z", {}),
    ("nowhere", {}),
    ("only_once", {}),
    (r"alpha|iota", {"regex": True}),
    (r"(gamma|delta) (eta|zeta)", {"regex": True}),
    (r"^\w+ kappa", {"regex": True}),
    (r"\d\d$", {"regex": True}),
    (r"[Bb]eta.*theta", {"regex": True}),
]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is large, there are many segments, and pages are filled by several batches."""
    for module, name, value in (
        (postings, "POSTING_MIN_CHUNKS", 20),
        (postings, "_KEPT_CHUNKS", 10),
        (postings, "SEGMENT_CHUNKS", 16),
        (postings, "_FILES_AT_ONCE", 7),
        (postings, "_LISTS_AT_ONCE", 50),
        (narrowing, "POSTING_MIN_CHUNKS", 20),
        (narrowing, "SEGMENT_CHUNKS", 16),
        (narrowing, "_ALWAYS", 4),
        (narrowing, "_FIRST_BATCH", 3),
        (narrowing, "_ONE_BY_ONE", 1),
    ):
        monkeypatch.setattr(module, name, value)


def write(folder: Path, count: int, seed: int = 1) -> Path:
    chosen = random.Random(seed)
    for number in range(count):
        kind = ("src/{}.py", "tests/test_{}.py", "docs/{}.md", "vendor/{}.py")[number % 4]
        path = folder / kind.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(chosen.choices(WORDS, k=4)) + f" {number}" for _ in range(chosen.randint(1, 40))]
        path.write_text("\n".join([*lines, "only_once" if number == 5 else ""]), encoding="utf-8")
    return folder


@pytest.fixture
def project(small: None, app: App, tmp_path: Path) -> Path:
    folder = write(tmp_path / "project", 48)
    app.index(folder, name="project")
    return folder


def pages(app: App, request: TextRequest, limit: int) -> list[TextMatch]:
    found: list[TextMatch] = []
    after = None
    while True:
        asked = replace(request, limit=limit, after=after)
        page = app.searches.search_text(asked, app.catalog.find("project"))
        found += page.matches
        if (after := page.next) is None:
            return found


def check(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the answers with those of a search that looks at every passage."""
    used = []
    record = app.catalog.find("project")
    for query, options in QUERIES:
        pattern = text_pattern(query, **options)
        for filters in (SearchFilters(), SearchFilters(path_globs=("src/**",)))[: 2 if len(query) == 5 else 1]:
            request = TextRequest(pattern=pattern, filters=filters, scope=False)
            narrowed = pages(app, request, 60)
            paths = app.searches.search_text(replace(request, limit=5, paths_only=True), record).paths
            count = app.searches.search_text(replace(request, count_only=True), record)
            with app.database.reading() as conn:
                used.append(
                    narrowing.narrow(conn, searching.Target(record.index_id, record.chunk_count, filters), request)
                )
            with monkeypatch.context() as patched:
                patched.setattr(searching, "narrow", lambda *_: None)
                expected = pages(app, request, 10_000)
            assert [(one.path, one.line, one.column) for one in narrowed] == [
                (one.path, one.line, one.column) for one in expected
            ], (query, filters)
            assert list(paths) == list(dict.fromkeys(one.path for one in expected))[:5]
            assert (count.total, count.files_matched) == (len(expected), len({one.path for one in expected}))
    assert sum(one is not None for one in used) > len(used) // 2


def test_matches_over_lines_are_found_by_their_texts(project: Path, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    record = app.catalog.find("project")
    (project / "src" / "0.py").write_text("alpha\nnewer beta\n")
    app.index(project, name="project")
    used = []
    for query in (r"alpha.*\n.*beta", r"(?s)only_once.*", r"gamma\s+\d+\n(alpha|iota)", r"\n\n", r"größe \w+ \d+\n"):
        pattern = text_pattern(query, regex=True, multiline=True)
        request = TextRequest(pattern=pattern, scope=False)
        narrowed = pages(app, request, 7)
        with app.database.reading() as conn:
            target = searching.Target(record.index_id, record.chunk_count, SearchFilters())
            used.append(narrowing.numbers_of_files(conn, target, pattern))
        with monkeypatch.context() as patched:
            patched.setattr(multiline, "numbers_of_files", lambda *_: None)
            expected = pages(app, request, 10_000)
        assert narrowed == expected, query
        assert bool(expected) == (query != r"\n\n")
    assert [one is not None for one in used] == [True, True, True, False, False]  # line ends, letters beyond ASCII


@pytest.mark.parametrize("text", ["reads_once", "ONCE_alp", "Alp", "größ", "pha_0", "newer", "nowhere"])
def test_names_are_those_that_all_keys_tell(
    project: Path, app: App, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for number in range(9):
        names = [f"reads_once_{WORDS[number]}_{number}", f"größe_{number}", "newer" if number == 3 else "other"]
        (project / "src" / f"named{number}.py").write_text("".join(f"def {name}(): ...\n" for name in names))
    app.index(project, name="project")
    (project / "src" / "named3.py").write_text("def newer_reads_once_alpha_0(): ...\n")
    app.index(project, name="project")
    record = app.catalog.find("project")
    told = []
    monkeypatch.setattr(unmatched, "names_like", lambda *given: told.append(given[4]) or names_like(*given))
    monkeypatch.setattr(unmatched, "_NAMED_COST", 1)
    with app.database.reading() as conn:
        found = unmatched._names_like(
            conn, searching.Target(record.index_id, record.chunk_count, SearchFilters()), text
        )
        assert found == names_like(conn, record.index_id, text, name_key)
    assert bool(found) == (text != "nowhere")
    assert [one is None for one in told] == [text == "größ"], "letters beyond ASCII have no trigrams"


def rows(app: App, table: str, condition: str = "true") -> int:
    with app.database.reading() as conn:
        query = f"SELECT count(*) FROM cocosearch_py.{table} WHERE index_id = %s AND {condition}"
        row = conn.execute(query, [app.catalog.find("project").index_id]).fetchone()  # type: ignore[call-overload]
    assert row
    return int(row[0])


def newer(app: App) -> int:
    return rows(app, "posted_files", "first_chunk IS NULL")


def test_a_new_index_is_searched_by_trigrams(app: App, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows(app, "posted_files") == 48 and rows(app, "grams", "segment > 0") and not newer(app)
    check(app, monkeypatch)


def test_what_changed_since_is_found(app: App, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "src/0.py").write_text("alpha beta\nonly_once\n")
    (project / "src/new.py").write_text("kappa kappa\nalpha\n")
    (project / "docs/2.md").unlink()
    app.index(project, name="project")
    assert (newer(app), rows(app, "posted_files")) == (2, 48)
    check(app, monkeypatch)
    (project / "src/new.py").unlink()
    app.index(project, name="project")
    assert (newer(app), rows(app, "posted_files")) == (1, 47)
    check(app, monkeypatch)


def test_a_file_of_another_class_keeps_its_place_in_the_answer(
    app: App, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".gitattributes").write_text("src/4.py linguist-vendored\n")
    app.index(project, name="project")
    assert newer(app) >= 1
    check(app, monkeypatch)


def test_all_is_posted_anew_when_much_is_newer(app: App, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, 20, seed=2)
    app.index(project, name="project")
    assert newer(app) == 0 and rows(app, "posted_files") == 48
    check(app, monkeypatch)


def test_an_index_that_has_become_small_needs_none(app: App, project: Path) -> None:
    for number in range(4, 48):
        for path in project.glob(f"*/*{number}.*"):
            path.unlink()
    app.index(project, name="project")
    assert (rows(app, "posted_files"), rows(app, "grams")) == (0, 0)


def test_an_index_from_before_is_posted_by_its_next_run(
    app: App, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "project", 48)
    app.index(folder, name="project")
    assert rows(app, "posted_files") == 0
    request.getfixturevalue("small")
    app.index(folder, name="project")
    assert rows(app, "posted_files") == 48
    check(app, monkeypatch)


def test_a_repair_leaves_the_lists_and_its_file_is_found(
    app: App, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cocosearch_py.search.verify.BUDGET_S", 60)
    before = rows(app, "grams")
    lines = "\n".join(f"alpha {number} repaired" for number in range(400))
    (project / "src/8.py").write_text(lines)
    record = app.catalog.find("project")
    request = TextRequest(pattern=text_pattern("alpha"), limit=200)
    report = app.look(record, lambda: app.searches.search_text(request, record))
    assert any("repaired" in match.text for match in report.matches)
    assert (rows(app, "grams"), newer(app)) == (before, 1)
    check(app, monkeypatch)


def test_a_rebuilt_index_is_posted(app: App, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app.index(project, name="project", options=app.indexing_options(fresh=True))
    check(app, monkeypatch)


def test_the_lists_of_another_index_are_copied_with_its_files(
    small: None, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write(tmp_path / "first", 48)
    (first / "src/8.py").write_text("alpha beta\n")
    app.index(first, name="first")
    folder = write(tmp_path / "project", 48)
    (folder / "src/0.py").write_text("alpha beta\nonly_once\n")
    (folder / "src/new.py").write_text("kappa kappa\nalpha\n")
    (folder / "docs/2.md").unlink()
    shutil.copyfile(first / "src/8.py", folder / "src/8.py")
    (folder / ".gitattributes").write_text("src/4.py linguist-vendored\n")
    app.thresholds = Thresholds(copy_bytes=0)
    with monkeypatch.context() as patched:
        patched.delattr(postings, "_post_all")
        assert app.index(folder, name="project").files_reused == 46
    with app.database.reading() as conn:
        query = (
            "SELECT path FROM cocosearch_py.posted_files JOIN cocosearch_py.files USING (index_id, file_id) "
            "WHERE index_id = %s AND first_chunk IS NULL ORDER BY 1"
        )
        found = conn.execute(query, [app.catalog.find("project").index_id]).fetchall()
    assert [row[0] for row in found] == [".gitattributes", "src/0.py", "src/4.py", "src/new.py"]
    check(app, monkeypatch)


def test_lists_that_know_too_little_of_a_copy_are_made_anew(
    small: None, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.index(write(tmp_path / "first", 48), name="first")
    folder = write(write(tmp_path / "project", 48), 12, seed=2)
    app.thresholds = Thresholds(copy_bytes=0)
    assert app.index(folder, name="project").files_reused == 36
    assert newer(app) == 0 and rows(app, "posted_files") == 48
    check(app, monkeypatch)


@pytest.mark.usefixtures("small")
def test_an_index_that_moves_takes_them_along(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "project", 48)
    app.index(folder, name="project")
    assert is_shared(app.catalog.find("project").index_id)
    for start in (0, 8_000):
        lines = [" ".join(f"{number}{letter}" for letter in "qrvw" * 5) for number in range(start, start + 8_000)]
        (folder / f"filling_{start}.txt").write_text("\n".join(lines))
    app.index(folder, name="project")
    assert not is_shared(app.catalog.find("project").index_id)
    check(app, monkeypatch)
    shutil.rmtree(folder / "docs")
    app.index(folder, name="project")
    check(app, monkeypatch)
