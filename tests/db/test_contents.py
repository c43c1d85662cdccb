"""What is read of an index into memory answers as the server does."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from cocosearch_py.analysis.words import name_key
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.model.search import Hit, SearchFilters, SearchRequest
from cocosearch_py.search import cache
from cocosearch_py.search.cache import KnownIndexes
from cocosearch_py.search.exact_names import TYPE_KINDS
from cocosearch_py.search.passages import TELLING_KINDS
from cocosearch_py.search.verbatim import terms_within
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries import texts
from cocosearch_py.storage.queries.candidates import keyword_query
from cocosearch_py.storage.queries.contents import PASSAGE_BYTES, Contents, read_contents
from cocosearch_py.storage.queries.facts import names_like
from cocosearch_py.storage.queries.passages import contents_of, find_holding, finding_named, words_pattern
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.words import AskedWords, find_words, read_words
from cocosearch_py.storage.server.embedded import EmbeddedServer

NAME = "shop"
DATABASE = "contents_tests"
LONG = "\n".join(f"    def step_{number}(self):\n        return self.total + {number}\n" for number in range(60))
FILES = {
    "shop/cart.py": f'"""Carts."""\n\nclass Cart:\n    """What somebody buys."""\n\n    total = 0\n\n{LONG}\n'
    "    class Line:\n        def price(self):\n            def inner():\n                return 1\n"
    "            return inner()\n\n\ndef add_item(cart):\n    return cart\n",
    "shop/orders.py": "class Order:\n    def add_item(self):\n        pass\n\n\nclass OrderLine:\n    pass\n",
    "shop/plug.ex": "defmodule Shop.Plug.Conn do\n  def assign(struct, key), do: struct\nend\n",
    "shop/point.rs": "struct Point { x: i32 }\n\nimpl Point {\n    fn length(&self) -> i32 { self.x }\n}\n",
    "shop/data.py": "def before():\n    return 1\n\n\n" * 9
    + "DATA = ["
    + ", ".join(f'"word{number} of an item"' for number in range(300))
    + "]\n\n\n"
    + "def after():\n    return 2\n\n\n" * 9,
    "shop/crème.py": "def größe_der_torte():\n    return 'Torte mit Crème'\n",
    "empty.py": "",
    "notes.md": "# Orders\n\nHow an order is made of a cart, line by line.\n",
}
NO_LINES, SOME_LINES, MANY_LINES = texts.Reach(0, 0), texts.Reach(2, 5), texts.Reach(50, 50)


@pytest.fixture(scope="module")
def shop(
    server: EmbeddedServer, template: str, data_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    """An app whose database holds one index, `shop`, and another one beside it."""
    folder = tmp_path_factory.mktemp("contents") / NAME
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "{DATABASE}" TEMPLATE "{template}"')
    settings = Settings(database=DatabaseSettings(url=server.dsn(DATABASE)), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as opened:
        opened.index(folder / "shop", name="other")
        opened.index(folder, name=NAME)
        yield opened
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE "{DATABASE}" WITH (FORCE)')


@pytest.fixture
def reading(shop: App) -> Iterator[tuple[psycopg.Connection, Target, Contents]]:
    record = shop.catalog.find(NAME)
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    with shop.database.reading() as conn:
        yield conn, target, read_contents(conn, target)


Reading = tuple[psycopg.Connection, Target, Contents]


def keys_of(contents: Contents) -> list[store.ChunkKey]:
    keys = [row[:2] for row in contents.passages]
    assert len({file_id for file_id, _ in keys}) == len(FILES) - 1  # an empty file has no passage
    assert len(keys) > len(FILES)
    return keys


def test_definitions_are_those_of_the_server(reading: Reading) -> None:
    conn, target, contents = reading
    files = sorted({file_id for file_id, _ in keys_of(contents)})
    names = ["additem", "order", "nowhere", "step1", "conn", "additem", "größedertorte", "inner", "line"]
    some = [row[0] for row in contents.definitions if row[3] == "additem"][:1]
    for named, others, among in [(names, [], []), ([], names, some), (names[:2], names[2:], files), ([], [], [])]:
        with store.finding_definitions(conn, target, named, others, among) as found:
            wanted = found()
        assert contents.find_definitions(named, others, among) == wanted
        assert bool(wanted) == bool(named or among)
    assert [one.name for one in contents.find_dotted_definitions("conn", files)] == ["Shop.Plug.Conn"]
    for among in (files, files[:1], []):
        assert contents.find_dotted_definitions("conn", among) == store.find_dotted_definitions(
            conn, target, "conn", among
        )


def test_no_more_definitions_are_found_than_the_server_gives(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    conn, target, contents = reading
    names = [f"step{number}" for number in range(60)]
    for module in ("search", "contents"):
        monkeypatch.setattr(f"cocosearch_py.storage.queries.{module}.MAX_DEFINITIONS", 7)
    with store.finding_definitions(conn, target, names, [], []) as found:
        assert contents.find_definitions(names, [], []) == found()
    assert len(contents.find_definitions(names, [], [])) == 7


@pytest.mark.parametrize("starts", [["ste", "ord"], ["x"], []])
def test_named_definitions_are_those_of_the_server(reading: Reading, starts: list[str]) -> None:
    conn, target, contents = reading
    keys = keys_of(contents)
    for kinds in (TELLING_KINDS, TYPE_KINDS):
        with finding_named(conn, target, keys, kinds, starts) as found:
            wanted = found()
        assert contents.find_named([*keys, (keys[0][0], 99), (0, 0)], kinds, starts) == wanted
        assert bool(wanted) == ("ord" in starts)


@pytest.mark.parametrize("reach", [NO_LINES, SOME_LINES, MANY_LINES])
def test_passages_are_those_of_the_server(reading: Reading, reach: texts.Reach) -> None:
    conn, target, contents = reading
    keys = keys_of(contents)
    legs = store.LegVectors(None, {}, lambda keys: [store.LegScores(0.5, 0.25)] * len(keys))
    scores = dict.fromkeys(keys, store.LegScores(0.5, 0.25))
    owners = {(row[0], row[10]) for row in contents.definitions}
    for types in (TYPE_KINDS, ()):
        wanted = texts.read_passages(conn, target, keys, legs, reach, types)
        read = contents.read_passages(scores, reach, with_members=bool(types))
        assert read.texts == wanted.texts
        assert read.definitions == wanted.definitions
        heads = {
            (key[0], one.qualified_name)
            for key, inside in wanted.definitions.items()
            for one in inside
            if one.kind in TYPE_KINDS and one.start_line >= wanted.texts[key].start_line
        }
        assert heads < owners
        told = {owner: list(wanted.members(*owner)) for owner in heads}
        assert {owner: list(read.members(*owner)) for owner in heads} == told
        assert any(told.values()) == bool(types)


# How many passages hold these words in order; None where the server has to tell.
WORDS = {
    "LINE by line": 1,
    "return self total 7": 1,
    "class order def": 1,
    "def add": 0,  # add_item is one word
    "item of an": 0,
    "torte mit": 1,
    "torte mit cr": None,  # which goes on with a letter beyond ASCII
    "mit Crème": None,
}


@pytest.mark.parametrize("text", WORDS)
def test_passages_with_words_in_order_are_those_of_the_server(reading: Reading, text: str) -> None:
    conn, target, contents = reading
    pattern, terms = words_pattern(text.split()), terms_within(text)
    with store.finding_frequencies(conn, target, list(terms)) as found:
        known = found()
    table = read_words(conn, target, frozenset())
    assert table is not None
    query = keyword_query(known, target.chunk_count)
    query = replace(query, positions={term: place for term, (place, _) in known.items()})
    asked = AskedWords(table, query, contents)
    wanted = find_holding(conn, target, [pattern], [], query.idf, limit=99)
    matching = contents.matching(keys_of(contents), pattern.text)
    if WORDS[text] is None:
        assert matching is None
        assert find_words(asked, pattern, terms, limit=99) is None
        return
    assert matching == sorted(one[:2] for one in wanted)
    assert len(wanted) == WORDS[text]
    told = find_words(asked, pattern, terms, limit=99)
    assert told is not None
    assert [one[:2] for one in told] == [one[:2] for one in wanted]
    assert [one.score for one in told] == pytest.approx([one.score for one in wanted], rel=1e-6)
    assert find_words(asked, pattern, [*terms, "nowhere"], limit=99) is None


def test_texts_are_those_of_the_server(reading: Reading) -> None:
    conn, target, contents = reading
    keys = [*keys_of(contents), (0, 0)]
    assert sorted(contents.texts_of(keys)) == sorted(contents_of(conn, target, keys))


@pytest.mark.parametrize("text", ["item", "Ord", "STEP_1", "Conn", "größe", "zz", "ad"])
def test_names_are_those_of_the_server(reading: Reading, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    conn, target, contents = reading
    wanted = names_like(conn, target.index_id, text, name_key)
    assert sorted(contents.names_like(text)) == sorted(wanted)
    assert bool(wanted) == (text != "zz")
    monkeypatch.setattr("cocosearch_py.storage.queries.contents.MOST_NAMES", 1)
    assert len(contents.names_like(text)) == min(1, len(wanted))


QUESTIONS = [
    SearchRequest("how a cart adds an item", limit=8),
    SearchRequest("Cart", limit=8),
    SearchRequest("Ordr", limit=8),
    SearchRequest("an order is made of a cart, line by line", limit=8),
    SearchRequest("ERROR: 7 of an item is made of a cart: failed", limit=8),
    SearchRequest("Plug.Conn", limit=8),
    SearchRequest("step_7", limit=8, context_before=3, context_after=9),
    SearchRequest("word150", limit=8, context_before=2, context_after=5),
    SearchRequest("order lines", limit=8, smart_context=False),
    SearchRequest("order lines", limit=8, vector=False),
    SearchRequest("order", limit=8, filters=SearchFilters(languages=("python",))),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.query)
def test_answers_from_memory_are_those_of_the_server(
    shop: App, monkeypatch: pytest.MonkeyPatch, question: SearchRequest
) -> None:
    for name in ("MIN_CHUNKS", "READ_VECTORS_AFTER", "READ_WORDS_AFTER"):
        monkeypatch.setattr(cache, name, 1)

    def ask(after: int) -> tuple[list[Hit], object, bool]:
        monkeypatch.setattr(cache, "READ_CONTENTS_AFTER", after)
        service = replace(shop.searches, known=KnownIndexes())
        record, report = service.search(question, NAME)
        return list(report.hits), report.unknown_name, service.known.of(*record.version).contents is not None

    hits, unknown, is_kept = ask(after=1)
    assert (hits, unknown, False) == ask(after=1_000)
    assert hits
    assert is_kept == (question.filters == SearchFilters())


def test_contents_are_kept_as_long_as_the_index_stays_as_it_is(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MIN_CHUNKS", 1)
    monkeypatch.setattr(cache, "READ_CONTENTS_AFTER", 2)
    (tmp_path / "one.py").write_text("def first_step():\n    return 1\n")
    app.index(tmp_path, name="small")

    def ask() -> tuple[str, bool]:
        record, report = app.search(SearchRequest("first step"), index_name="small")
        return report.hits[0].content, app.searches.known.of(*record.version).contents is not None

    assert [ask()[1] for _ in range(3)] == [False, True, True]
    (tmp_path / "one.py").write_text("def first_step():\n    return 2\n")
    app.index(tmp_path, name="small")
    assert [ask() for _ in range(2)] == [
        ("def first_step():\n    return 2\n", False),
        ("def first_step():\n    return 2\n", True),
    ]


def test_contents_give_way_where_there_is_no_room(shop: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MIN_CHUNKS", 1)
    monkeypatch.setattr(cache, "READ_CONTENTS_AFTER", 1)
    records = [shop.catalog.find(name) for name in (NAME, "other")]
    chunks = max(record.chunk_count for record in records)
    size = PASSAGE_BYTES * chunks

    def kept(max_bytes: int) -> list[bool]:
        service = replace(shop.searches, known=KnownIndexes(max_bytes))
        for record in records:
            service.search(SearchRequest("cart"), record.name)
        service.known.of("none", 0)
        return [service.known.of(*record.version).contents is not None for record in records]

    assert kept(2 * size) == [True, True]
    assert kept(size) == [False, True]
    assert kept(PASSAGE_BYTES) == [False, False]
