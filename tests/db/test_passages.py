"""Passages of real files, those of this project: what is named is what is shown."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import cocosearch_py
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.model.search import Hit, SearchFilters, SearchRequest
from cocosearch_py.storage.queries.indexes import require
from cocosearch_py.storage.queries.target import Target, parameters, statement
from cocosearch_py.storage.server.embedded import EmbeddedServer
from cocosearch_py.tools.surroundings import surroundings

FOLDER = Path(cocosearch_py.__file__).parent / "search"
QUESTIONS = [
    "how are keyword and vector results fused",
    "where is the confidence of an answer judged",
    "lines around a hit up to the enclosing definition",
    "which definitions does a query name",
    "how is a stack trace recognised in a report",
    "filters inside a query",
    "QuestionWords",
    "FileCandidate",
    "rank_files",
    "why is a path not among the answers",
    "context_range of a request",
    "weights of features",
]


@pytest.fixture(scope="module")
def indexed(server: EmbeddedServer, template: str, data_folder: Path) -> Iterator[App]:
    """An app with an index of the folder, `real`."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "passages" TEMPLATE "{template}"')
    settings = Settings(database=DatabaseSettings(url=server.dsn("passages")), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as opened:
        opened.index(FOLDER, name="real")
        yield opened


def definitions(app: App, path: str) -> list[tuple[str, str, int, int]]:
    """Name, qualified name, first and last line of each definition of a file, outer ones first."""
    with app.database.reading() as conn:
        record = require(conn, "real")
        target = Target(record.index_id, record.chunk_count, SearchFilters())
        query = statement(
            "SELECT s.name, s.qualified_name, s.start_line, s.end_line FROM {symbols} s JOIN {files} f USING (file_id) "
            "WHERE f.path = %(path)s ORDER BY s.symbol_no",
            target,
        )
        return list(conn.execute(query, {"path": path, **parameters(target)}).fetchall())


def hits_of(app: App, **options: int) -> Iterator[tuple[str, Hit]]:
    for question in QUESTIONS:
        for hit in app.search(SearchRequest(question, **options), index_name="real")[1].hits:  # type: ignore[arg-type]
            yield question, hit


@pytest.mark.parametrize("limit", [3, 100])
def test_the_named_definition_is_that_of_the_lines_shown(indexed: App, limit: int) -> None:
    for question, hit in hits_of(indexed, limit=limit):
        text = (FOLDER / hit.file_path).read_text(encoding="utf-8").split("\n")
        assert hit.content.removesuffix("\n").split("\n") == text[hit.start_line - 1 : hit.end_line], question
        if hit.symbol_name is None:
            continue
        places = definitions(indexed, hit.file_path)
        own = [
            (start, end)
            for name, qualified, start, end in places
            if (name, qualified) == (hit.symbol_name, hit.hierarchy) and start <= hit.end_line and end >= hit.start_line
        ]
        assert own, (question, hit)
        begun = [(start, end) for _, _, start, end in places if start < hit.start_line <= end]
        deeper = [one for one in begun[-1:] for mine in own if one != mine and mine[0] <= one[0] and one[1] <= mine[1]]
        assert not deeper, (question, hit)


def test_second_passages_are_about_something_else_and_no_file_gives_way_to_them(indexed: App) -> None:
    found = 0
    for _, hit in hits_of(indexed, limit=5):
        if hit.further is not None:
            found += 1
            text = (FOLDER / hit.file_path).read_text(encoding="utf-8").split("\n")
            assert hit.further.content.split("\n") == text[hit.further.start_line - 1 : hit.further.end_line]
            assert hit.further.hierarchy != hit.hierarchy
            around = "\n".join(surroundings(hit))
            lines = range(hit.further.start_line, hit.further.end_line + 1)
            assert f"of {hit.further.hierarchy}:" in around or set(lines) <= set(
                range(hit.start_line - 50, hit.end_line + 50)
            )
    assert found
    for question in QUESTIONS:
        report = indexed.search(SearchRequest(question, limit=5), index_name="real")[1]
        assert len({hit.file_path for hit in report.hits}) == len(report.hits)


def test_further_passages_are_hits_of_their_own_where_files_run_out(indexed: App) -> None:
    assert all(hit.further is None for _, hit in hits_of(indexed, limit=100))


def test_a_class_shows_its_head_and_its_members(app: App, tmp_path: Path) -> None:
    methods = "".join(
        f"    def step_{n}(self):\n        first = {n}\n        return first + {n}\n\n" for n in range(30)
    )
    source = f'import this\n\n\n# Walks.\nclass Walker:\n    """Takes steps."""\n\n{methods}'
    (tmp_path / "walker.py").write_text(source)
    app.index(tmp_path, name="walker")
    hit = app.search(SearchRequest("Walker"), index_name="walker")[1].hits[0]
    assert hit.content.startswith('# Walks.\nclass Walker:\n    """Takes steps."""\n')
    assert hit.context_after == ""
    hidden = [(f"step_{n}", 8 + 4 * n) for n in range(30) if 8 + 4 * n > hit.end_line]
    assert 0 < len(hidden) < 30
    assert [(one.name, one.start_line) for one in hit.members] == hidden
    after = surroundings(hit)[1].split("\n")
    assert after[0] == "... members of Walker:"
    assert after[1:] == [f"{line:>3} method {name}" for name, line in hidden]
