"""A model that is late with some files, and a bound on how many get vectors: words find them, and they are told."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.embedding_service import Service, ollama

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings
from cocosearch_py.errors import EmbeddingError, IndexNotFoundError, WorkspaceError
from cocosearch_py.model.search import SearchReport, SearchRequest
from cocosearch_py.search.pipeline import find_candidates

Content = Callable[[str], dict[str, list[Any]]]


class Late:
    """An endpoint that does not answer for texts with a line that begins with `slow` while `is_late`."""

    def __init__(self) -> None:
        self.is_late = True
        self.over = threading.Event()

    def __call__(self, body: dict[str, Any]) -> Any:
        if self.is_late and any("\nslow" in text for text in body["input"]):
            self.over.wait(60)
        return ollama(body)


@pytest.fixture
def late() -> Iterator[tuple[Late, Service]]:
    with Service() as service:
        service.answer = answer = Late()
        yield answer, service
        answer.over.set()


@pytest.fixture
def served(app: App, data_folder: Path, late: tuple[Late, Service]) -> Iterator[App]:
    """The same database, with vectors of the endpoint, which is waited for as long as a test can bear."""
    embedding = EmbeddingSettings(provider="ollama", model="m", base_url=late[1].url, timeout=1.5)
    with App(replace(app.settings, embedding=embedding), data_folder) as made:
        yield made


def project(folder: Path, slow: int, others: int = 4) -> Path:
    for number in range(others):
        (folder / f"quick_{number}.py").write_text(f"quick = {number}\n")
    for number in range(slow):
        (folder / f"tardy_{number}.py").write_text(f"slow_{number} = {number}\n")
    return folder


def embedded(content: dict[str, list[Any]]) -> set[str]:
    paths = {row[0]: row[1] for row in content["files"]}
    return {paths[row[0]] for row in content["vectors"]}


def test_files_that_a_model_is_late_with_are_found_by_words_and_tried_again(
    served: App, late: tuple[Late, Service], content_of: Content, tmp_path: Path
) -> None:
    project(tmp_path, slow=2)
    done = served.index(tmp_path, name="one")
    assert done.timeout_files == ("tardy_0.py", "tardy_1.py")
    assert (done.files_added, done.files_failed, done.interrupted) == (6, 0, False)
    assert embedded(content_of("one")) == {f"quick_{number}.py" for number in range(4)}
    errors = {row[1]: row[5] for row in content_of("one")["files"]}
    assert sorted(path for path, error in errors.items() if error) == list(done.timeout_files)
    assert "timed out" in errors["tardy_0.py"]
    _, report = served.search(SearchRequest("slow_1"), index_name="one")
    assert report.hits[0].file_path == "tardy_1.py"
    (tmp_path / "new.py").write_text("new = 1\n")
    again = served.index(tmp_path, name="one", options=replace(served.indexing_options(), only_failed=True))
    assert again.timeout_files == done.timeout_files
    assert (again.files_added, again.files_unchanged) == (0, 4)
    late[0].is_late = False
    healed = served.index(tmp_path, name="one", options=replace(served.indexing_options(), only_failed=True))
    assert (healed.timeout_files, healed.files_updated, healed.files_added) == ((), 2, 0)
    assert served.index(tmp_path, name="one").files_added == 1
    after = content_of("one")
    assert not any(row[5] for row in after["files"])
    served.index(tmp_path, name="one", options=served.indexing_options(fresh=True))
    assert content_of("one") == after


def test_every_run_tries_late_files_again_and_other_indexes_do_not_copy_them(
    served: App, late: tuple[Late, Service], content_of: Content, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        project(tmp_path / name, slow=1)
    served.index(tmp_path / "one", name="one")
    late[0].is_late = False
    other = served.index(tmp_path / "two", name="two")
    assert (other.files_reused, other.timeout_files) == (4, ())
    assert served.index(tmp_path / "one", name="one").files_updated == 1
    assert embedded(content_of("one")) == embedded(content_of("two"))
    assert "tardy_0.py" in embedded(content_of("two"))


def test_a_model_that_is_late_with_everything_ends_the_run_and_loses_nothing(
    served: App, late: tuple[Late, Service], content_of: Content, tmp_path: Path
) -> None:
    project(tmp_path, slow=0)
    served.index(tmp_path, name="one")
    before = content_of("one")
    project(tmp_path, slow=9)
    with pytest.raises(EmbeddingError, match="timed out on 5 files in a row"):
        served.index(tmp_path, name="one")
    assert content_of("one") == before
    late[0].is_late = False
    assert served.index(tmp_path, name="one").files_added == 9


def test_only_failed_needs_an_index_that_only_lacks_what_failed(served: App, app: App, tmp_path: Path) -> None:
    project(tmp_path, slow=0)
    retry = replace(served.indexing_options(), only_failed=True)
    with pytest.raises(IndexNotFoundError, match="no index 'one'"):
        served.index(tmp_path, name="one", options=retry)
    served.index(tmp_path, name="one")
    assert served.index(tmp_path, name="one", options=retry).files_unchanged == 4
    with pytest.raises(WorkspaceError, match="needs a full run"):
        app.index(tmp_path, name="one", options=retry)


def central(folder: Path) -> Path:
    """Three files import `core`, one `util`."""
    (folder / "core.py").write_text("def base():\n    return 1\n")
    (folder / "util.py").write_text("def helper():\n    return 2\n")
    for number in range(3):
        (folder / f"a_{number}.py").write_text(f"import core\n\nvalue_{number} = core.base()\n")
    (folder / "b.py").write_text("import util\nimport core\n\nother = util.helper()\n")
    return folder


def test_the_most_central_files_get_vectors_and_a_change_of_imports_moves_them(
    app: App, content_of: Content, tmp_path: Path
) -> None:
    central(tmp_path)
    options = app.indexing_options(changes={"indexing.maxFilesToEmbed": 2})
    done = app.index(tmp_path, name="one", options=options)
    assert embedded(content_of("one")) == {"core.py", "util.py"}
    assert any("4 of 6 files have no vectors" in text for text in done.warnings)
    app.index(tmp_path, name="all")
    whole = {(row[0], row[1]): row[2] for row in content_of("all")["vectors"]}
    assert all(whole[row[0], row[1]] == row[2] for row in content_of("one")["vectors"])
    _, report = app.search(SearchRequest("value_1"), index_name="one")
    assert report.hits[0].file_path == "a_1.py"
    for number in range(3):
        (tmp_path / f"a_{number}.py").write_text(f"import b\n\nvalue_{number} = b.other\n")
    app.index(tmp_path, name="one", options=options)
    changed = content_of("one")
    assert "b.py" in embedded(changed)
    assert len(embedded(changed)) == 2
    app.index(tmp_path, name="one", options=replace(options, fresh=True))
    assert content_of("one") == changed


def test_a_repaired_file_has_vectors_as_it_had(app: App, content_of: Content, tmp_path: Path) -> None:
    app.repair_wait_s = 60
    central(tmp_path)
    app.index(tmp_path, name="one", options=app.indexing_options(changes={"indexing.maxFilesToEmbed": 1}))
    (tmp_path / "core.py").write_text("def base():\n    return 17\n")
    (tmp_path / "a_1.py").write_text("import core\n\nvalue_1 = core.base() + 17\n")
    app.answer(lambda: app.searches.search(SearchRequest("value_1 base"), "one"))
    content = content_of("one")
    assert sum("17" in row[6] for row in content["chunks"]) == 2
    assert embedded(content) == {"core.py"}


def test_words_answer_while_the_model_does_not(
    served: App, data_folder: Path, late: tuple[Late, Service], tmp_path: Path
) -> None:
    served.index(project(tmp_path, slow=0), name="shop")

    def search(app: App, **asked: Any) -> SearchReport:
        return app.search(SearchRequest("quick_2", **asked), index_name="shop", use_cache=True)[1]

    late[1].answer = lambda _: (401, {"error": "who are you"})
    down = EmbeddingSettings(provider="ollama", model="m", base_url="http://127.0.0.1:1")
    with App(replace(served.settings, embedding=down), data_folder) as unopened:
        for app, says in ((served, "who are you"), (unopened, "127.0.0.1:1")):
            for _ in range(2):
                report = search(app, min_score=0.2)
                assert (report.mode, report.hits[0].file_path) == ("keyword", "quick_2.py")
                assert report.unanswered is not None
                assert says in report.unanswered.message
            with pytest.raises(EmbeddingError, match=says):
                search(app, use_hybrid=False)
    with served.database.reading() as conn, pytest.raises(EmbeddingError, match="who are you"):
        find_candidates(SearchRequest("quick_2"), served.searches.searchable(conn, "shop"), conn, served.embedder)
    assert len(late[1].requests) <= 5, "the model is not asked for every question"
    late[1].answer = late[0]
    assert search(served).unanswered is not None, "it is not asked again at once"
    served.searches.caches.outage.until_s = 0.0
    report = search(served)
    assert (report.mode, report.unanswered) == ("hybrid", None), "and nothing of it was kept"


def test_a_refused_question_is_nobody_elses_outage(served: App, late: tuple[Late, Service], tmp_path: Path) -> None:
    served.index(project(tmp_path, slow=0), name="shop")

    def search(query: str, **asked: Any) -> SearchReport:
        return served.search(SearchRequest(query, **asked), index_name="shop")[1]

    late[1].answer = lambda body: (400, {"error": "no"}) if "my secret" in body["input"][0] else ollama(body)
    report = search("my secret quick_2")
    assert report.unanswered is not None and "my secret" in report.unanswered.message
    assert (report.mode, report.hits[0].file_path) == ("keyword", "quick_2.py")
    with pytest.raises(EmbeddingError, match="my secret"):
        search("my secret quick_2", use_hybrid=False)
    assert (search("quick_2").mode, served.searches.caches.outage.error) == ("hybrid", None)


def test_meaning_alone_without_an_answer_begins_an_outage_that_keeps_no_traceback(
    served: App, late: tuple[Late, Service], tmp_path: Path
) -> None:
    served.index(project(tmp_path, slow=0), name="shop")
    late[1].answer = lambda _: (401, {"error": "who are you"})
    asked = len(late[1].requests)
    for _ in range(3):
        with pytest.raises(EmbeddingError, match="who are you"):
            served.search(SearchRequest("quick_2", use_hybrid=False), index_name="shop")
    assert len(late[1].requests) <= asked + 1
    error = served.searches.caches.outage.now()
    assert error is not None
    assert error.__traceback__ is None
