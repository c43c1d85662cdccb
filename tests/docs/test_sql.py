"""Queries of docs/sql.md run on a real index and return what the text says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.features.wiki.model import Contribution, NewFailure
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.storage.server.embedded import PORT, SUPERUSER, EmbeddedServer

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"
DATABASE = "sql_page"
MAY_BE_EMPTY = "Empty when"  # words of the page for a query that may return nothing

RETRY = '''"""Calls that may fail."""

import time


def retry_with_backoff(call, attempts=5):
    """Repeat a failed call after a growing pause."""
    for number in range(attempts):
        try:
            return call()
        except OSError:
            time.sleep(2**number)
    raise OSError("the call failed too often")


class Client:
    """Talks to the server."""

    def get(self, path):
        # TODO: reuse the connection
        return retry_with_backoff(lambda: self.send("GET", path))

    def get_user(self, key):
        return self.get(f"/users/{key}")
'''
FILES = {
    ".gitignore": "build/\n*.log\n",
    "README.md": "# Sample\n\nA client that repeats failed calls.\n",
    "src/retry.py": RETRY,
    "src/copy_of_retry.py": RETRY,
    "src/jobs.py": "from .retry import retry_with_backoff\n\n\ndef nightly(job):\n    return retry_with_backoff(job)\n",
    "src/broken.py": "def half(:\n    return 1\n\n\ndef whole():\n    return 2\n",
    "web/user.ts": "export class User {\n  getUser(): string { return 'u'; }\n  name(): string { return 'n'; }\n}\n",
    "cmd/main.go": "package main\n\n// main prints.\nfunc main() { println(2) }\n\nfunc whole() int { return 2 }\n",
    "Makefile": "all: test\n\ntest:\n\tpytest\n",
    "build/out.js": "console.log(1)\n",
    "run.log": "started\n",
    ".env": "TOKEN=abc\n",
}


class Query(NamedTuple):
    heading: str
    about: str
    text: str


def page_queries() -> list[Query]:
    queries = []
    heading = ""
    about: list[str] = []
    for part in re.split(r"(^```sql\n.*?^```$)", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL):
        if part.startswith("```sql"):
            queries.append(Query(heading, about[-1], part.removeprefix("```sql\n").removesuffix("```").strip()))
        else:
            headings = re.findall(r"^## (.+)$", part, flags=re.MULTILINE)
            heading = headings[-1] if headings else heading
            about = [text for text in part.split("\n\n") if text.strip()]
    return queries


@pytest.fixture(scope="module")
def page_database(
    server: EmbeddedServer, template: str, data_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[psycopg.Connection]:
    """Connection to a database with an index `sample`, set up as the page describes."""
    root = tmp_path_factory.mktemp("sample")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0")
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "{DATABASE}" TEMPLATE "{template}"')
    dsn = server.dsn(DATABASE)
    url = f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(server.socket_dir), safe='')}&port={PORT}"
    settings = Settings(database=DatabaseSettings(url=url), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as app:
        app.index(root, name="sample")
        place = find_place(root)
        Wikis(app.database).start(place)
        failed = NewFailure("calls fail", "more attempts", "the server is away")
        page = Contribution("retries", "See [[lost]].", title="Retries", sources=["src/retry.py"], failures=[failed])
        Wikis(app.database).write(place, page)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(page_queries()[0].text)
        yield conn
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE "{DATABASE}" WITH (FORCE)')


def test_the_page_begins_with_the_search_path_and_has_enough_queries() -> None:
    first, *others = page_queries()
    assert first.text.startswith("SET search_path")
    assert len(others) >= 12


def test_every_query_has_a_sentence_of_its_own() -> None:
    abouts = [query.about for query in page_queries()]
    assert len(set(abouts)) == len(abouts)
    assert all(re.search(r"\w+ \w+", about) and not about.startswith("#") for about in abouts)


@pytest.mark.parametrize("query", page_queries()[1:], ids=lambda query: query.text.split("\n")[0][:60])
def test_query_runs_and_finds(query: Query, page_database: psycopg.Connection) -> None:
    rows = page_database.execute(query.text).fetchall()
    assert rows or MAY_BE_EMPTY in query.about


def _only(text: str) -> str:
    (query,) = [query.text for query in page_queries() if text in query.about]
    return query


def test_the_ledger_sums_to_the_files_on_disk(page_database: psycopg.Connection) -> None:
    rows = page_database.execute(_only("The ledger counts")).fetchall()
    assert {row[-1] for row in rows} == {len(FILES) + 1}
    assert sum(row[2] for row in rows) == len(FILES) + 1


def test_only_languages_with_a_grammar_have_a_health(page_database: psycopg.Connection) -> None:
    rows = page_database.execute(_only("Parse health by language")).fetchall()
    health = {language: (ok, errors) for language, _, _, _, ok, errors in rows}
    assert health["typescript"] == (100, 0)
    assert health["python"][0] < 100
    assert health["ignore"] == (None, None)


def test_a_file_comes_back_from_its_chunks(page_database: psycopg.Connection) -> None:
    assert page_database.execute(_only("A whole file")).fetchall() == [(RETRY,)]


def test_bm25_in_sql_puts_the_retrying_function_first(page_database: psycopg.Connection) -> None:
    rows = page_database.execute(_only("*is* the BM25F score")).fetchall()
    assert rows[0][0] in {"src/retry.py", "src/copy_of_retry.py"}
    scores = [row[-1] for row in rows]
    assert scores == sorted(scores, reverse=True)


def test_what_is_left_out_names_the_rule(page_database: psycopg.Connection) -> None:
    rules = {path: (reason, rule) for path, reason, rule, _ in page_database.execute(_only("Files that were left out"))}
    assert rules["build/"][0] == "ignored"
    assert "build/" in rules["build/"][1]
    assert rules[".env"][0] == "secret"
    assert rules["logo.png"][0] == "binary"


def test_a_copied_file_is_found_twice(page_database: psycopg.Connection) -> None:
    rows = page_database.execute(_only("Nearly equal passages")).fetchall()
    assert {row[0] for row in rows} | {row[2] for row in rows} == {"src/retry.py", "src/copy_of_retry.py"}
    assert rows[0][-1] < 0.01  # not 0: a chunk's path is part of what is embedded


def test_targets_of_a_makefile_are_not_undocumented_functions(page_database: psycopg.Connection) -> None:
    found = {path for path, _, _ in page_database.execute(_only("Public functions without")).fetchall()}
    assert found >= {"src/retry.py", "web/user.ts"}
    assert "Makefile" not in found


def test_passages_are_compared_with_a_bounded_number_of_others(page_database: psycopg.Connection) -> None:
    """The plan scans the vectors once per chosen passage, not once per passage."""
    plan = page_database.execute("EXPLAIN (FORMAT JSON) " + _only("Nearly equal passages")).fetchone()
    assert plan is not None
    limits = [part for part in _parts(plan[0][0]["Plan"]) if part["Node Type"] == "Limit"]
    assert len(limits) == 3  # of the chosen, of the neighbours of each, of what is shown
    assert max(part["Plan Rows"] for part in limits) <= 100


def _parts(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", []):
        yield from _parts(part)


def test_every_column_has_a_comment(page_database: psycopg.Connection) -> None:
    rows = page_database.execute(_only("The comments say")).fetchall()
    assert not [row[:2] for row in rows if not row[-1]]
