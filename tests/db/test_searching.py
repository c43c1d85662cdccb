"""Search on a real index: filters, odd questions, exact scores, context and the report's figures."""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest

from cocosearch_py.analysis.words import name_key, terms_of
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.errors import IndexNotFoundError, NotFoundError, ValidationError
from cocosearch_py.model.search import MAX_CONTEXT_LINES, MAX_LIMIT, Hit, SearchFilters, SearchReport, SearchRequest
from cocosearch_py.search.cache import SearchCaches
from cocosearch_py.search.request import build_filters, build_weights
from cocosearch_py.search.unmatched import explain_no_answer
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.candidates import CandidateBudget, KeywordQuery, any_of, keyword_query
from cocosearch_py.storage.queries.search import READ_CHUNKS
from cocosearch_py.storage.queries.target import SearchLimits, Target, statement, text_array
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.embedded import SUPERUSER, EmbeddedServer

NAME = "project"
DATABASE = "searching"

FILES = {
    "src/app/main.py": "import config\n\n\ndef start_server(port):\n    '''Start the server.'''\n"
    "    return listen(port)\n",
    "src/app/config.py": "class ConfigLoader:\n    '''Loads the configuration.'''\n\n    def load_file(self, path):\n"
    "        return parse(path)\n\n    def load_100(self):\n        return 100\n",
    "src/app/long.py": "def long_function(value):\n" + "".join(f"    step_{n} = value + {n}\n" for n in range(400)),
    "src/app/medium.py": "def before():\n    return 1\n\n\nclass Medium:\n    '''Medium.'''\n\n"
    + "".join(f"    def method_{n}(self):\n        return 'needle_{n}' * {n}\n\n" for n in range(12)),
    "src/lib/util.go": "package lib\n\n// ParseDuration reads a duration.\n"
    "func ParseDuration(text string) int {\n\treturn 1\n}\n",
    "src/lib/deep/inner/server.ts": "export class HttpServer {\n  listen(port: number): void {}\n}\n",
    "web/index.js": "export function renderPage(user) {\n  return `<p>${user.name}</p>`;\n}\n",
    "tests/test_main.py": "from app import main\n\n\ndef test_start_server():\n    assert main.start_server(80)\n",
    "docs/readme.md": "# Project\n\nHow to start the server and load the configuration file.\n",
    "odd/a,b.py": "def comma_name():\n    return 'comma'\n",
    "odd/[x]{y}.py": "def bracket_name():\n    return 'bracket'\n",
    "odd/per%cent_'quote.py": "def percent_name():\n    return 'percent'\n",
}


_CALLS = "".join(f"\n\ndef solve_{n}(depends):\n    return depends.get_user(depends, Depends, {n})\n" for n in range(9))
NAMING = {
    "dependencies/depends/utils.py": "from params import Depends\n" + _CALLS,
    "params.py": "import store\n\n\nclass Depends:\n    '''Marks what a parameter asks for.'''\n",
    "functions.py": "import params\n\n\ndef Depends(wanted):\n    return params.Depends(wanted)\n",
    "tests/test_depends.py": "class Depends:\n    pass\n\n\ndef test_depends():\n    assert Depends()\n",
    "store.ts": "export class Store {\n  getUser(key: string): string {\n    return key;\n  }\n}\n",
    "users.py": "def get_user(key):\n    return key\n",
    "user/get_user/get.py": "import users\n\nprint(users.get_user('get user'))\n",
    "plug/conn.ex": "defmodule Plug.Conn do\n  def assign(struct, key), do: struct\nend\n",
    "plug/test.ex": "defmodule Plug.Test do\n  def conn(path), do: conn(conn(path))\nend\n",
    "settings.py": "class Settings:\n    limit: int = 3\n",
    "limit/limit.py": "'''The limit.'''\n\nprint('limit of the limit')\n",
    "quota.py": "class Quota:\n    def spend(self):\n        return 'quota of a quota'\n",
    "plans.py": "class Plan:\n    quota: int = 3\n",
    "tests/test_plans.py": "class TestPlan:\n    quota: int = 4\n",
}


@pytest.fixture(scope="module")
def searcher(
    server: EmbeddedServer, template: str, data_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    """An app whose database holds one index, `project`."""
    folder = tmp_path_factory.mktemp("search") / NAME
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    source = random.Random(3)
    for number in range(40):
        words = source.choices("server port load file parse user render page token cache queue retry".split(), k=60)
        path = folder / f"bulk/module_{number:02}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"def bulk_{number}():\n    return '{' '.join(words)}'\n")
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "{DATABASE}" TEMPLATE "{template}"')
    settings = Settings(database=DatabaseSettings(url=server.dsn(DATABASE)), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as opened:
        opened.index(folder, name=NAME)
        yield opened
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE "{DATABASE}" WITH (FORCE)')


Ask = Callable[..., SearchReport]


@pytest.fixture
def ask(searcher: App) -> Ask:
    def run(query: str, **options: object) -> SearchReport:
        return searcher.search(SearchRequest(query, **options), index_name=NAME)[1]  # type: ignore[arg-type]

    return run


@pytest.fixture(scope="module")
def naming(searcher: App, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Asks an index of files of which the best worded do not define the names."""
    folder = tmp_path_factory.mktemp("naming")
    for name, text in NAMING.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    searcher.index(folder, name="naming")

    def run(query: str, **options: object) -> SearchReport:
        return searcher.search(SearchRequest(query, **options), index_name="naming")[1]  # type: ignore[arg-type]

    return run


def paths(report: SearchReport) -> set[str]:
    return {hit.file_path for hit in report.hits}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("ConfigLoader", "src/app/config.py"),
        ("start_server", "src/app/main.py"),
        ("startServer", "src/app/main.py"),
        ("parse duration", "src/lib/util.go"),
        ("HttpServer", "src/lib/deep/inner/server.ts"),
        ("how to start the server", "src/app/main.py"),
        ("needle_7", "src/app/medium.py"),
    ],
)
def test_finds_the_file(ask: Ask, query: str, path: str) -> None:
    assert path in [hit.file_path for hit in ask(query).hits[:3]]


@pytest.mark.parametrize(
    ("given", "suffixes"),
    [
        ("python", {".py"}),
        ("py", {".py"}),
        ("golang,ts", {".go", ".ts"}),
        ("JavaScript", {".js"}),
        ("markdown, go", {".md", ".go"}),
    ],
)
def test_language_filter(ask: Ask, given: str, suffixes: set[str]) -> None:
    report = ask("server user", limit=100, filters=build_filters(language=given))
    assert {Path(path).suffix for path in paths(report)} == suffixes


def test_unknown_language(ask: Ask) -> None:
    with pytest.raises(ValidationError):
        build_filters(language="klingon")
    with pytest.raises(ValidationError):
        ask("server lang:klingon")


def test_symbol_filters(ask: Ask) -> None:
    for types, kinds in [("class", {"class"}), ("class,method", {"class", "method"}), (["function"], {"function"})]:
        report = ask("server load value", limit=100, filters=build_filters(symbol_type=types))
        assert {hit.symbol_type for hit in report.hits} == kinds
    assert ask("server", filters=build_filters(symbol_type="no_such_kind")).hits == ()


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("load_*", {"load_file"}),  # stands before load_100 in the same chunk
        ("LOAD_FILE", {"load_file"}),
        ("load_???", {"load_100"}),
        ("loadXfile", set()),  # _ is no wildcard
        ("load%", set()),  # nor is %
        ("*'*", set()),
        ("\\", set()),
        ("load_(file|100)", set()),
        ("[", set()),
        (".*", set()),
        ("", None),
    ],
)
def test_symbol_name_glob(ask: Ask, glob: str, names: set[str] | None) -> None:
    report = ask("load file", limit=100, filters=build_filters(symbol_name=glob))
    found = {hit.symbol_name for hit in report.hits}
    if names is None:
        assert len(found) > 2
    else:
        assert found == names


@pytest.mark.parametrize(
    ("globs", "wanted"),
    [
        (["src/**"], {"src/app/main.py", "src/lib/util.go", "src/lib/deep/inner/server.ts"}),
        (["src/*"], set()),
        (["src/"], {"src/app/main.py", "src/lib/util.go"}),
        (["*.go"], {"src/lib/util.go"}),
        (["**/*.go"], {"src/lib/util.go"}),
        (["src/*/util.go"], {"src/lib/util.go"}),
        (["src/**/server.ts"], {"src/lib/deep/inner/server.ts"}),
        (["src/lib/**/*.{go,ts}"], {"src/lib/util.go", "src/lib/deep/inner/server.ts"}),
        (["{src,web}/**"], {"src/app/main.py", "web/index.js"}),
        (["*.{go,ts}"], {"src/lib/util.go", "src/lib/deep/inner/server.ts"}),
        (["mai?.py"], {"src/app/main.py"}),
        (["[mn]ain.py"], {"src/app/main.py"}),
        (["[!xyz]ain.py"], {"src/app/main.py"}),
        (["SRC/APP/MAIN.PY"], {"src/app/main.py"}),
        (["/src/app/main.py"], {"src/app/main.py"}),
        (["web/**", "*.go"], {"web/index.js", "src/lib/util.go"}),
        (["a,b.py"], {"odd/a,b.py"}),
        (["odd/\\[x\\]*"], set()),
        (["per%cent_'quote.py"], {"odd/per%cent_'quote.py"}),
        (["main.p"], set()),
        (["ain.py"], set()),
    ],
)
def test_path_globs(ask: Ask, globs: list[str], wanted: set[str]) -> None:
    found = paths(
        ask(
            "server function user duration comma percent bracket",
            limit=100,
            filters=SearchFilters(path_globs=tuple(globs)),
        )
    )
    assert found >= wanted
    if not wanted or len(wanted) == 1:
        assert found == wanted


@pytest.mark.parametrize(
    "glob",
    [
        "{",
        "}",
        "[",
        "]",
        "{a",
        "a}",
        "[a",
        "(",
        ")",
        "\\",
        "+",
        "^$",
        "{{a,b}",
        "{a,{b,c}}",
        "[]",
        "[!]",
        "**",
        "***=x",
        "(?i)x",
        "'",
        "%",
        "[z-a]",
        "[[:foo:]]",
        "\u00e9*",
    ],
)
def test_no_path_glob_is_an_error(ask: Ask, glob: str) -> None:
    ask("server", filters=SearchFilters(path_globs=(glob,)))
    ask("server", filters=SearchFilters(exclude_globs=(glob,)))


def test_excluded_paths(ask: Ask) -> None:
    report = ask("server", limit=100, filters=SearchFilters(exclude_globs=("bulk/**", "*.md")))
    assert report.hits
    assert not any(path.startswith("bulk/") or path.endswith(".md") for path in paths(report))
    both = SearchFilters(path_globs=("src/**",), exclude_globs=("*.py",))
    assert paths(ask("server duration", limit=100, filters=both)) == {"src/lib/util.go", "src/lib/deep/inner/server.ts"}


@pytest.mark.parametrize(
    ("query", "check"),
    [
        ("lang:go duration", lambda hit: hit.language_id == "go"),
        ("server -path:bulk", lambda hit: "bulk" not in hit.file_path),
        ("path:src/app server", lambda hit: hit.file_path.startswith("src/app/")),
        ("kind:class server", lambda hit: hit.symbol_type == "class"),
        ("name:load_* file", lambda hit: hit.symbol_name.startswith("load_")),
        ('path:"src/app" server', lambda hit: hit.file_path.startswith("src/app/")),
        ("path:src/** kind:class server", lambda hit: hit.file_path.startswith("src/") and hit.symbol_type == "class"),
        ("path:src/** name:load_* file", lambda hit: hit.symbol_name.startswith("load_")),
        ("lang:py,go kind:function,method server parse", lambda hit: hit.language_id in {"python", "go"}),
    ],
)
def test_inline_filters(ask: Ask, query: str, check: Callable[[Hit], bool]) -> None:
    report = ask(query, limit=100)
    assert report.hits
    assert all(check(hit) for hit in report.hits)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("server -lang:python", lambda hit: hit.language_id == "python"),
        ("server -lang:py,go", lambda hit: hit.language_id in {"python", "go"}),
        ("server load -kind:class", lambda hit: hit.symbol_type == "class"),
        ("server load -kind:function,method", lambda hit: hit.symbol_type in {"function", "method"}),
        ("load file -name:load_*,bulk_*", lambda hit: (hit.symbol_name or "").startswith(("load_", "bulk_"))),
        ("load file kind:method -name:load_*", lambda hit: hit.symbol_name in {"load_file", "load_100"}),
        ("long_function -kind:function", lambda hit: hit.symbol_type == "function" or "long.py" in hit.file_path),
    ],
)
def test_negated_inline_filters(ask: Ask, query: str, wrong: Callable[[Hit], bool]) -> None:
    report = ask(query, limit=100)
    assert report.hits
    assert [hit.hierarchy for hit in report.hits if wrong(hit)] == []
    word, *filters = [part for part in query.split() if not part.startswith("-")]
    assert [hit for hit in ask(" ".join([word, *filters]), limit=100).hits if wrong(hit)]


def test_a_passage_stays_for_those_of_its_definitions_that_are_not_excluded(ask: Ask) -> None:
    report = ask("load the configuration file -kind:class path:config.py")
    assert [(hit.file_path, hit.symbol_type) for hit in report.hits] == [("src/app/config.py", "method")]


def test_a_definition_that_the_filters_exclude_is_not_shown_for_its_name(ask: Ask) -> None:
    assert {hit.symbol_type for hit in ask("ConfigLoader kind:method").hits} == {"method"}


@pytest.mark.parametrize("query", ["server duration user path:src/lib,web", "server duration path:{src/lib,web}/**"])
def test_alternatives_of_a_path(ask: Ask, query: str) -> None:
    assert paths(ask(query, limit=100)) == {"src/lib/util.go", "src/lib/deep/inner/server.ts", "web/index.js"}


def test_text_that_resembles_a_filter_is_searched_for(ask: Ask) -> None:
    for query in ("start the server file:///etc/hosts", "start the server path::join"):
        report = ask(query)
        assert report.filters == SearchFilters()
        assert report.analysis.text == query
        assert report.hits


@pytest.mark.parametrize(
    ("query", "unmatched", "said"),
    [
        ("server kind:metod", [("symbol_type", "metod", "method")], "no definition has the kind 'metod'"),
        ("server kind:banana", [("symbol_type", "banana", "function")], "similar: function"),
        ("server path:src/ap/man.py", [("path", "src/ap/man.py", "src/app/main.py")], "no indexed file has the path"),
        ("server path:zz/**,qq*", [("path", "zz/**,qq*", None)], "no indexed file has the path"),
        ("server path:libb", [("path", "libb", "src/lib/")], "src/lib/"),
        ("server lang:rust", [("language", "rust", "python")], "no indexed file has the language 'rust'"),
        ("server name:LoadFile", [("symbol_name", "LoadFile", "load_file")], "load_file"),
        ("server name:file", [("symbol_name", "file", "load_file")], "load_file"),
        ("server -path:**", [("-path", "**", None)], "excluding the path '**' leaves nothing"),
        (
            "server lang:rust kind:banana lang:cobol",
            [("language", "rust,cobol", "python"), ("symbol_type", "banana", "function")],
            "the kind 'banana'",
        ),
        ("server lang:go path:web", [], "nothing matches all of them"),
    ],
)
def test_filters_that_match_nothing_are_told_of(
    ask: Ask, query: str, unmatched: list[tuple[str, str, str | None]], said: str
) -> None:
    report = ask(query)
    assert report.hits == ()
    assert [(one.filter, one.value, next(iter(one.nearest), None)) for one in report.unmatched] == unmatched
    assert said in " ".join(explain_no_answer(report))


def test_filters_that_match_are_not_looked_into(ask: Ask) -> None:
    for query in ("server lang:go", "server"):
        assert ask(query).unmatched == ()
        assert explain_no_answer(ask(query)) == ()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Depends", ["params.py", "functions.py", "tests/test_depends.py"]),
        ("depends", ["params.py", "functions.py", "tests/test_depends.py"]),
        ("Depends()", ["params.py", "functions.py", "tests/test_depends.py"]),
        ("getUser", ["store.ts"]),
        ("get_user", ["users.py"]),
        ("GetUser", ["users.py", "store.ts"]),
        ("getuser", ["users.py", "store.ts"]),
        ("Store.getUser", ["store.ts"]),
        ("store::get_user", ["store.ts"]),
        ("users.get_user()", ["users.py"]),
        ("#getUser", ["store.ts"]),
        ("Conn", ["plug/conn.ex"]),
        ("Plug.Conn", ["plug/conn.ex"]),
        ("limit", ["settings.py"]),
        ("quota", ["plans.py", "quota.py"]),
        ("Quota", ["quota.py"]),
        ("QUOTA", ["quota.py"]),
    ],
)
def test_a_query_that_is_a_name_has_its_definitions_first(naming: Ask, query: str, wanted: list[str]) -> None:
    report = naming(query)
    assert list(report.ranked_paths[: len(wanted)]) == wanted
    first = report.hits[0]
    assert first.symbol_name is not None
    member = query.strip("#()").replace("::", ".").split(".")[-1]
    assert name_key(first.symbol_name.rpartition(".")[2]) == name_key(member)
    scores = [hit.score for hit in report.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_field_of_another_spelling_does_not_come_before_the_file_of_that_name(naming: Ask) -> None:
    assert naming("Limit").ranked_paths[0] == "limit/limit.py"


def test_weights_of_a_request_go_before_exact_names(naming: Ask) -> None:
    demoted = naming("Depends", weights=build_weights({"path": [{"pattern": "params.py", "weight": 0}]}))
    assert demoted.ranked_paths[-1] == "params.py"


@pytest.mark.parametrize("limit", [1, 2, 10, 100])
def test_limit_and_distinct_files_first(ask: Ask, limit: int) -> None:
    hits = ask("server load file value step", limit=limit).hits
    assert 0 < len(hits) <= limit
    assert len({(hit.file_path, hit.start_line) for hit in hits}) == len(hits)
    files = [hit.file_path for hit in hits]
    distinct = len(set(files))
    assert len(set(files[:distinct])) == distinct  # a second hit of a file only after every file had one


@pytest.fixture(scope="module")
def mirrored(searcher: App, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Asks an index in which three clients are the same and one file is not."""
    folder = tmp_path_factory.mktemp("mirrored")
    body = "\n".join(f"    refund_{step} = invoice.pay({step})" for step in range(12))
    for name in ("billing/client.py", "copy/client.py", "mirror/client.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"def pay_invoice(invoice):\n{body}\n")
    (folder / "billing/report.py").write_text(
        "def total(invoices):\n    return sum(invoice.paid for invoice in invoices)\n"
    )
    searcher.index(folder, name="mirrored")

    def run(query: str, **options: object) -> SearchReport:
        return searcher.search(SearchRequest(query, **options), index_name="mirrored")[1]  # type: ignore[arg-type]

    return run


def test_of_passages_that_say_the_same_the_best_stands_for_the_others(mirrored: Ask) -> None:
    hits = mirrored("refund of a client", limit=2).hits
    assert [hit.file_path for hit in hits] == ["billing/client.py", "billing/report.py"]
    assert hits[0].copies == ("copy/client.py", "mirror/client.py")
    assert not hits[1].copies
    everything = mirrored("refund of a client").hits
    assert [hit.file_path for hit in everything][:2] == ["billing/client.py", "billing/report.py"]
    assert {hit.file_path for hit in everything[2:]} == {"copy/client.py", "mirror/client.py"}
    scores = [hit.score for hit in everything]
    assert scores == sorted(scores, reverse=True)


def test_what_the_query_names_is_no_copy(mirrored: Ask) -> None:
    hits = mirrored("pay_invoice", limit=3).hits
    assert {hit.file_path for hit in hits} == {"billing/client.py", "copy/client.py", "mirror/client.py"}


@pytest.mark.parametrize("limit", [0, -1, 101, 10_000])
def test_limit_out_of_range(ask: Ask, limit: int) -> None:
    with pytest.raises(ValidationError, match="limit"):
        ask("server", limit=limit)


def test_vector_leg_alone(ask: Ask) -> None:
    report = ask("start the server", use_hybrid=False)
    assert report.hits
    assert (report.mode, report.keyword_executed, report.keyword_count) == ("vector", False, 0)
    assert {hit.match_type for hit in report.hits} == {"semantic"}


ODD_QUERIES = [
    "the of and", "???", "...", "()", "🎉", "🎉 server", "服务器 変数", "İstanbul", "ß", "'", '"', "\\", ":",
    "a & b", "a | b",
    "!server", "server:*", "a <-> b", "( ( (", "'; DROP TABLE cocosearch_py.indexes; --", "%s %(x)s {}", "$1",
    "_", "___", "-",
    "path:", "lang", "a\0b", "\t\n server \r", "x" * 1_000, "word " * 200, "a.b.c::d->e\\f",
    "server server server", "1 2 3 42",
    "@decorator #tag", "</p>", "' OR 1=1", "\u202e reversed", "\ud83c\udf89",
]  # fmt: skip


@pytest.mark.parametrize("query", ODD_QUERIES)
def test_odd_queries_answer(ask: Ask, query: str) -> None:
    report = ask(query)
    assert bool(report.hits) or "server" not in query
    assert [hit.score for hit in report.hits if not 0.0 <= hit.score <= 1.0] == []
    assert "src/app/main.py" in paths(ask("start_server"))  # nothing was harmed


@pytest.mark.parametrize("query", ["", "   ", "\0", "\t\n", "lang:go", "x" * 20_001, "x " * 10_001])
def test_queries_that_are_refused(ask: Ask, query: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ask(query)
    assert caught.value.hint


def test_unknown_index_names_the_nearest(searcher: App) -> None:
    with pytest.raises(IndexNotFoundError) as caught:
        searcher.search(SearchRequest("x"), index_name="projekt")
    assert NAME in caught.value.hint
    for name in ("'; --", "x" * 300, "", "\0"):
        with pytest.raises((IndexNotFoundError, ValidationError)):
            searcher.catalog.find(name)


def reference_bm25(searcher: App, terms: list[str]) -> dict[tuple[int, int], float]:
    """BM25 of every chunk with true IDFs, from the stored rows, in plain Python."""
    record = searcher.catalog.find(NAME)
    with searcher.database.reading() as conn:
        rows = conn.execute(
            "SELECT file_id, chunk_no, tsvector_to_array(terms), weights::text "
            "FROM cocosearch_py.keywords WHERE index_id = %s",
            [record.index_id],
        ).fetchall()
        positions = dict(
            conn.execute(
                "SELECT lexeme, position FROM cocosearch_py.lexemes WHERE index_id = %s", [record.index_id]
            ).fetchall()
        )
    scores = {}
    held = {(row[0], row[1]): set(row[2]) for row in rows}
    for file_id, chunk_no, _, weights in rows:
        stored = {
            int(key) - 1: float(value)
            for key, value in (pair.split(":") for pair in weights[1 : weights.index("}")].split(",") if pair)
        }
        total = 0.0
        for term in terms:
            df = sum(term in lexemes for lexemes in held.values())
            if df and term in held[file_id, chunk_no]:
                total += math.log(1 + (len(rows) - df + 0.5) / (df + 0.5)) * stored[positions[term]]
        if total:
            scores[file_id, chunk_no] = total
    return scores


@pytest.mark.parametrize(
    "query", ["start server", "load configuration file", "ConfigLoader", "needle_7 method", "token cache queue"]
)
def test_keyword_leg_is_true_bm25(searcher: App, query: str) -> None:
    record = searcher.catalog.find(NAME)
    terms = list(dict.fromkeys(term for word in query.split() for term in terms_of(word)))
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    with searcher.database.reading() as conn:
        known = store.find_frequencies(conn, target, terms)
        idf = {place: math.log(1 + (record.chunk_count - df + 0.5) / (df + 0.5)) for place, df in known.values()}
        keywords = KeywordQuery(idf, ((any_of(list(known)),),), ())
        found = store.rank_by_keywords(conn, target, keywords, limit=10_000)
    wanted = reference_bm25(searcher, terms)
    assert {(item.file_id, item.chunk_no) for item in found} == set(wanted)
    for item in found:
        assert item.score == pytest.approx(wanted[item.file_id, item.chunk_no], abs=1e-4)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


def test_wider_candidates_are_tried_until_enough_are_found(searcher: App) -> None:
    record = searcher.catalog.find(NAME)
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    with searcher.database.reading() as conn:
        known = store.find_frequencies(conn, target, ["server", "queue", "token"])
        idf = dict.fromkeys([place for place, _ in known.values()], 1.0)
        everything = any_of(list(known))

        def found(*candidates: str, limit: int = 10) -> list[store.ScoredChunk]:
            return store.rank_by_keywords(
                conn, target, KeywordQuery(idf, tuple([(one,) for one in candidates]), ()), limit=limit
            )

        assert found("'nowhere'", everything) == found(everything) != []
        assert found("'server' & 'nowhere'", "'server' & 'queue' & 'token'", everything, limit=1_000) == found(
            "'server' & 'queue' & 'token'", limit=1_000
        )
        few = found("'server' & 'queue' & 'token'", everything, limit=2)
        assert few == found("'server' & 'queue' & 'token'", limit=2)


def test_few_files_that_are_asked_for_are_all_ranked(searcher: App) -> None:
    """A wider condition, which some of them meet, is not tried before."""
    record = searcher.catalog.find(NAME)
    everywhere = Target(record.index_id, record.chunk_count, SearchFilters())
    target = replace(everywhere, filters=SearchFilters(path_globs=("bulk/module_0*",)))
    with searcher.database.reading() as conn:
        known = store.find_frequencies(conn, target, ["server", "bulk_3"])
        idf = dict.fromkeys([place for place, _ in known.values()], 1.0)
        some, everything = "'server' & 'bulk_3'", any_of(list(known))

        def found(target: Target, *candidates: str) -> list[store.ScoredChunk]:
            return store.rank_by_keywords(
                conn, target, KeywordQuery(idf, tuple([(one,) for one in candidates]), ()), limit=200
            )

        assert found(target, "'nowhere'", some, everything) == found(target, everything)
        all_of_them = {chunk[:2] for chunk in found(target, everything)}
        assert 0 < len(all_of_them & {chunk[:2] for chunk in found(everywhere, some)}) < len(all_of_them)
        assert found(everywhere, "'nowhere'", some, everything) == found(everywhere, some)


LARGE = SearchLimits(large_min_chunks=1)
FILE_FILTERS = [
    (SearchFilters(languages=("python",)), lambda path: path.endswith(".py")),
    (SearchFilters(folder="src"), lambda path: path.startswith("src/")),
    (
        SearchFilters(path_globs=("**/*o*.py",), exclude_globs=("odd/**",)),
        lambda path: path in {"src/app/config.py", "src/app/long.py"},
    ),
    (SearchFilters(languages=("go", "typescript"), path_globs=("src/**",)), lambda path: path.endswith((".go", ".ts"))),
    (SearchFilters(path_globs=("nowhere/**",)), lambda path: False),
]


@pytest.mark.parametrize("filters", [filters for filters, _ in FILE_FILTERS])
@pytest.mark.parametrize("compared", [10_000, 0])
def test_filters_of_a_large_index_let_the_same_pass(searcher: App, filters: SearchFilters, compared: int) -> None:
    """Whether files are told apart by the filters' conditions, by their numbers, or all of these are compared."""
    record = searcher.catalog.find(NAME)
    by_conditions = Target(record.index_id, record.chunk_count, filters)
    vector = embedded(searcher.embedder.embed_query("start the server").tolist())

    def found(conn: psycopg.Connection, target: Target) -> list[list[store.ScoredChunk]]:
        known = store.find_frequencies(conn, target, ["server", "start", "name"])
        idf = dict.fromkeys([place for place, _ in known.values()], 1.0)
        keywords = KeywordQuery(idf, (("'nowhere'",), (any_of(list(known)),)), ())
        named = ["start_server", "comma_name", "parseduration", "httpserver", "listen"]
        definitions = store.find_definitions(conn, target, named, (), ())
        defined = [store.ScoredChunk(one.file_id, one.symbol_no, 0.0) for one in definitions]
        ranked = store.rank_by_keywords(conn, target, keywords, limit=500)
        return [ranked, store.rank_by_vector(conn, target, vector, limit=500), defined]

    with searcher.database.reading() as conn:
        expected = found(conn, by_conditions)
        assert store.with_passing_files(conn, by_conditions) is by_conditions  # a small index
        limits = replace(LARGE, hnsw_min_chunks=1, compared_chunks=compared, compared_share=0)
        by_numbers = store.with_passing_files(conn, replace(by_conditions, limits=limits))
        assert by_numbers.passing is not None
        now = found(conn, by_numbers)
    for before, after in zip(expected, now, strict=True):
        assert sorted(after) == sorted(before)
    assert by_numbers.passing.chunk_count == len(expected[1])


@pytest.mark.parametrize(("filters", "passes"), FILE_FILTERS)
def test_files_that_pass_are_read_once_in_a_generation(
    searcher: App, filters: SearchFilters, passes: Callable[[str], object]
) -> None:
    record = searcher.catalog.find(NAME)
    caches = SearchCaches()
    with searcher.database.reading() as conn:
        rows = conn.execute("SELECT file_id, path FROM cocosearch_py.files WHERE index_id = %s", [record.index_id])
        ids = {path: file_id for file_id, path in rows}
        target = Target(record.index_id, record.chunk_count, filters, limits=LARGE)
        narrowed = caches.narrowed(conn, record, target)
        assert narrowed.passing is not None
        wanted = {file_id for path, file_id in ids.items() if path in FILES and passes(path)}
        bulk = {file_id for path, file_id in ids.items() if path not in FILES}
        assert {int(one) for one in narrowed.passing.ids.strip("{}").split(",") if one} - bulk == wanted
        assert caches.narrowed(conn, record, target) is narrowed
        later = caches.narrowed(conn, replace(record, generation=record.generation + 1), target)
        assert later == narrowed and later is not narrowed


def test_searches_under_other_settings_share_caches(searcher: App) -> None:
    """A server makes an app of its own for each call's settings."""
    assert searcher.under(Settings()).searches.caches is searcher.searches.caches


def test_texts_of_any_characters_reach_the_server(searcher: App) -> None:
    texts = ["plain", 'a"b', "c\\d", "{e,f}", "", "NULL", "\u00fc \n'x'"]
    with searcher.database.reading() as conn:
        assert conn.execute("SELECT %s::text[]", [text_array(texts)]).fetchone() == (texts,)
        assert conn.execute("SELECT %s::text[]", [text_array([])]).fetchone() == ([],)


def test_document_frequencies_are_exact(searcher: App) -> None:
    record = searcher.catalog.find(NAME)
    with searcher.database.reading() as conn:
        stored = conn.execute(
            "SELECT lexeme, df FROM cocosearch_py.lexemes WHERE index_id = %s ORDER BY 1", [record.index_id]
        )
        counted = conn.execute(
            "SELECT lexeme, count(*) FROM cocosearch_py.keywords, unnest(terms) WHERE index_id = %s "
            'GROUP BY 1 ORDER BY lexeme COLLATE "C"',
            [record.index_id],
        )
        assert sorted(stored.fetchall()) == sorted(counted.fetchall())


def stored_vectors(searcher: App) -> tuple[list[tuple[int, int]], np.ndarray]:
    with searcher.database.reading() as conn:
        rows = conn.execute(
            "SELECT file_id, chunk_no, embedding::text FROM cocosearch_py.vectors WHERE index_id = %s",
            [searcher.catalog.find(NAME).index_id],
        ).fetchall()
    keys = [(row[0], row[1]) for row in rows]
    return keys, np.array([[float(value) for value in row[2].strip("[]").split(",")] for row in rows])


def embedded(values: list[float]) -> store.QueryVector:
    vector = store.query_vector(values)
    assert vector is not None
    return vector


@pytest.mark.parametrize("query", ["start the server", "load configuration", "render a page for a user"])
def test_vector_leg_is_exact(searcher: App, query: str) -> None:
    record = searcher.catalog.find(NAME)
    vector = np.array(searcher.embedder.embed_query(query))
    keys, matrix = stored_vectors(searcher)
    similarity = dict(zip(keys, matrix @ vector.astype(np.float16).astype(np.float64), strict=True))
    with searcher.database.reading() as conn:
        target = Target(record.index_id, record.chunk_count, SearchFilters())
        found = store.rank_by_vector(conn, target, embedded(vector.tolist()), limit=20)
    assert len(found) == 20
    best = sorted(similarity.values(), reverse=True)[:20]
    assert [item.score for item in found] == pytest.approx(best, abs=1e-3)
    for item in found:
        assert item.score == pytest.approx(similarity[item.file_id, item.chunk_no], abs=1e-3)


WORD_QUERIES = [  # terms, identifiers, terms of the whole query
    (("server", "start"), (), ()),
    (("load", "configur", "file"), ("configloader", "nowhere"), ("load", "configur", "file")),
    (("bulk_3", "name", "a"), ("bulk_3",), ("name",)),
    (("return", "self", "def", "modul"), (), ("return", "nowhere")),
]


@pytest.mark.parametrize(("terms", "identifiers", "whole"), WORD_QUERIES)
@pytest.mark.parametrize("narrow", [3, 30, 10_000])
@pytest.mark.parametrize(
    "filters",
    [
        SearchFilters(),
        SearchFilters(path_globs=("**/*o*.py",)),
        SearchFilters(exclude_globs=("bulk/module_*[02468].py", "**/odd/**")),
    ],
)
def test_candidates_are_described_as_they_are(
    searcher: App,
    terms: tuple[str, ...],
    identifiers: tuple[str, ...],
    whole: tuple[str, ...],
    narrow: int,
    filters: SearchFilters,
) -> None:
    """Whichever candidates are scored: which identifiers each holds, and whether the words of the query in order."""
    record = searcher.catalog.find(NAME)
    limits = SearchLimits(large_min_chunks=1, budget=CandidateBudget(narrow, 2 * narrow))
    target = Target(record.index_id, record.chunk_count, filters, limits=limits)
    pattern = re.compile(r"\bload\W+config", re.IGNORECASE)
    with searcher.database.reading() as conn:
        target = store.with_passing_files(conn, target)
        known = store.find_frequencies(conn, target, [*terms, *identifiers, *whole])
        asked = {term: known[term] for term in terms if term in known}
        query = keyword_query(asked, target.chunk_count, identifiers, budget=limits.budget)
        query = replace(query, whole=whole, words=r"\mload\W+config")
        found = store.rank_by_keywords(conn, target, query, limit=500)
        rows = conn.execute(
            "SELECT k.file_id, k.chunk_no, tsvector_to_array(terms), content FROM cocosearch_py.keywords k "
            "JOIN cocosearch_py.chunks c USING (index_id, file_id, chunk_no) WHERE index_id = %s",
            [record.index_id],
        )
        stored = {(file_id, chunk_no): (set(held), text) for file_id, chunk_no, held, text in rows}
    assert found
    for place, chunk in enumerate(found):
        held, text = stored[chunk[:2]]
        assert held & asked.keys()
        assert chunk.holds == "".join(str(int(name in held)) for name in identifiers)
        in_order = store.IN_ORDER if pattern.search(text) else store.ALL
        words_held = in_order if held.issuperset(whole) else store.NOT_ALL
        assert chunk.words_held == (words_held if whole and place < READ_CHUNKS else None)


@pytest.mark.parametrize("words", [("parseduration",), ("needle_3",), ("server", "port")])
def test_words_are_looked_up_or_all_that_passes_is_read(searcher: App, words: tuple[str, ...]) -> None:
    """Whichever costs less; both find the same."""
    record = searcher.catalog.find(NAME)
    found = []
    with searcher.database.reading() as conn:
        for cost in (10**6, 0):
            limits = replace(LARGE, looked_up_cost=cost)
            target = Target(record.index_id, record.chunk_count, SearchFilters(path_globs=("**/*.??",)), limits=limits)
            target = store.with_passing_files(conn, target)
            query = keyword_query(store.find_frequencies(conn, target, words), target.chunk_count)
            found.append(store.rank_by_keywords(conn, target, query, limit=300))
    assert found[0] == found[1] != []


def test_stored_vectors_have_length_one(searcher: App) -> None:
    _, matrix = stored_vectors(searcher)
    lengths = np.linalg.norm(matrix, axis=1)
    assert np.all((np.abs(lengths - 1) < 0.01) | (lengths == 0))


WORDS = "server port load file parse user render page token cache queue retry open close read".split()


def write_functions(folder: Path, names: Sequence[str], source: random.Random) -> None:
    for name in names:
        words = " ".join(source.choices(WORDS, k=30))
        (folder / f"m{name[1:].zfill(3)}.py").write_text(f"def {name}():\n    return '{words}'\n")


def test_hnsw_gives_as_many_rows_as_asked(
    app: App, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = SearchLimits(large_min_chunks=150, hnsw_min_chunks=150)  # the real ones need minutes of indexing
    app.database.own_leaf_chunks = 150
    vectors = TABLES["vectors"]
    hnsw = replace(vectors.indexes[0], min_chunks=150)
    monkeypatch.setitem(TABLES, "vectors", replace(vectors, indexes=(hnsw,)))
    source = random.Random(5)
    write_functions(tmp_path, [f"f{number}" for number in range(300)], source)
    app.index(tmp_path, name="big")
    # Dead rows stay in the graph until a vacuum.
    write_functions(tmp_path, [f"g{number}" for number in range(0, 300, 2)], source)
    app.index(tmp_path, name="big")
    record = app.catalog.find("big")
    vector = [float(value) for value in app.embedder.embed_query("open a file and read")]
    with app.database.reading() as conn:
        table = f"cocosearch_py.vectors_{record.index_id}"
        indexes = conn.execute(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass", [table]
        ).fetchall()
        assert any("hnsw" in row[0] for row in indexes)
        target = Target(record.index_id, record.chunk_count, SearchFilters(), limits=limits)
        conn.execute("SET LOCAL enable_seqscan = off")
        conn.execute("SET LOCAL enable_sort = off")
        near = store.rank_by_vector(conn, target, embedded(vector), limit=50)
        assert len(near) == 50
        plan = conn.execute(
            f"EXPLAIN SELECT file_id FROM {table} ORDER BY (embedding::halfvec({len(vector)})) "
            f"<#> '{vector}'::halfvec({len(vector)}) LIMIT 5"
        ).fetchall()
        assert "Index Scan" in "\n".join(row[0] for row in plan)
        # Half of the files pass the first glob: HNSW fills the limit. Three pass the second: the exact scan does.
        half, few = (
            replace(target, filters=SearchFilters(path_globs=(glob,))) for glob in ("m??[02468].py", "m00[1-3].py")
        )
        near_half = store.rank_by_vector(conn, half, embedded(vector), limit=20)
        near_few = store.rank_by_vector(conn, few, embedded(vector), limit=20)
    target, half, few = (replace(one, limits=SearchLimits()) for one in (target, half, few))
    with app.database.reading() as conn:
        exact = store.rank_by_vector(conn, target, embedded(vector), limit=50)
    same = {(item.file_id, item.chunk_no) for item in near} & {(item.file_id, item.chunk_no) for item in exact}
    assert len(same) >= 40
    with app.database.reading() as conn:
        exact_half = store.rank_by_vector(conn, half, embedded(vector), limit=20)
        assert near_few == store.rank_by_vector(conn, few, embedded(vector), limit=20)
    assert len(near_few) == 3
    assert len(near_half) == 20
    assert len({item.file_id for item in near_half} & {item.file_id for item in exact_half}) >= 16


@pytest.mark.parametrize(("part_chunks", "parts"), [(1_000, 1), (100, 4), (40, 8)])
def test_hnsw_of_a_large_index_is_made_in_parts(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part_chunks: int, parts: int
) -> None:
    limits = SearchLimits(large_min_chunks=150, hnsw_min_chunks=150, parts_min_chunks=75)
    app.database.own_leaf_chunks = 150
    vectors = TABLES["vectors"]
    hnsw = replace(vectors.indexes[0], min_chunks=150, part_chunks=part_chunks)
    monkeypatch.setitem(TABLES, "vectors", replace(vectors, indexes=(hnsw,)))
    write_functions(tmp_path, [f"f{number}" for number in range(300)], random.Random(5))
    app.index(tmp_path, name="big")
    write_functions(tmp_path, [f"g{number}" for number in range(0, 300, 2)], random.Random(6))
    app.index(tmp_path, name="big")  # finds the parts, and makes no others
    record = app.catalog.find("big")
    target = Target(record.index_id, record.chunk_count, SearchFilters(), limits=limits)
    filtered = replace(target, filters=SearchFilters(path_globs=("m??[02468].py",)))
    vector = embedded([float(value) for value in app.embedder.embed_query("open a file and read")])
    with app.database.reading() as conn:
        found = conn.execute(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass",
            [f"cocosearch_py.vectors_{record.index_id}"],
        ).fetchall()
        assert sum("hnsw" in row[0] for row in found) == parts
        conn.execute("SET LOCAL enable_seqscan = off")
        conn.execute("SET LOCAL enable_sort = off")
        assert store._parts_of_hnsw(conn, target) == parts
        near = [store.rank_by_vector(conn, one, vector, limit=40) for one in (target, filtered)]
        nearest = statement(store._nearest(parts), target, vector.dimension)
        plan = conn.execute(b"EXPLAIN " + nearest, {"vector": vector.text, "visited": 40, "limit": 40}).fetchall()
        assert "\n".join(row[0] for row in plan).count("Index Scan using") == parts
    exactly = [replace(one, limits=SearchLimits()) for one in (target, filtered)]
    with app.database.reading() as conn:
        exact = [store.rank_by_vector(conn, one, vector, limit=40) for one in exactly]
    for some, all_of_them in zip(near, exact, strict=True):
        assert len(some) == len(all_of_them) == 40
        assert len({item[:2] for item in some} & {item[:2] for item in all_of_them}) >= 36


def lines(text: str) -> int:
    return len(text.split("\n")) if text else 0


@pytest.mark.parametrize("query", ["needle_7", "needle_0", "needle_11", "step_200", "ConfigLoader", "start_server"])
def test_smart_context_is_the_definition_and_bounded(searcher: App, ask: Ask, query: str) -> None:
    hit = ask(query, limit=1).hits[0]
    shown = hit.end_line - hit.start_line + 1
    assert lines(hit.context_before) + lines(hit.context_after) + shown <= max(MAX_CONTEXT_LINES, shown)
    text = FILES[hit.file_path].split("\n")
    before = lines(hit.context_before)
    assert hit.context_before == "\n".join(text[hit.start_line - 1 - before : hit.start_line - 1])
    assert hit.context_after == "\n".join(text[hit.end_line : hit.end_line + lines(hit.context_after)])


@pytest.mark.parametrize(("before", "after"), [(0, 0), (3, 0), (0, 3), (2, 4), (None, 2), (1, None), (50, 50)])
def test_exact_context(ask: Ask, before: int | None, after: int | None) -> None:
    hit = ask("step_200", limit=1, context_before=before, context_after=after).hits[0]
    assert hit.file_path == "src/app/long.py"
    assert lines(hit.context_before) == min(before or 0, hit.start_line - 1)
    assert lines(hit.context_after) == min(after or 0, 401 - hit.end_line)


@pytest.mark.parametrize("context", [{"context_before": -1}, {"context_after": 51}])
def test_context_out_of_range(ask: Ask, context: dict[str, int]) -> None:
    with pytest.raises(ValidationError, match="context"):
        ask("server", **context)


def test_no_context(ask: Ask) -> None:
    hits = ask("needle_7", smart_context=False).hits
    assert {(hit.context_before, hit.context_after) for hit in hits} == {("", "")}


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_score_out_of_range(ask: Ask, score: float) -> None:
    with pytest.raises(ValidationError):
        ask("server", min_score=score)


def test_min_score_filters(ask: Ask) -> None:
    everything = ask("start the server", limit=50)
    middle = sorted(hit.vector_score or 0.0 for hit in everything.hits)[len(everything.hits) // 2]
    some = ask("start the server", limit=50, min_score=middle)
    assert 0 < len(some.hits) < len(everything.hits)
    assert all((hit.vector_score or 0.0) >= middle for hit in some.hits)
    assert some.pre_filter_count == len(everything.hits)


@pytest.mark.parametrize("query", ["start the server", "ConfigLoader", "load file", "zzzunknownword"])
def test_legs_are_counted_as_the_hits_show_them(ask: Ask, query: str) -> None:
    report = ask(query, limit=MAX_LIMIT)
    shown = Counter(hit.match_type for hit in report.hits)
    assert len(report.hits) < MAX_LIMIT  # all that was found
    assert shown["both"] == report.both_count
    assert shown["both"] + shown["keyword"] == report.keyword_count
    assert shown["both"] + shown["semantic"] == report.vector_count
    assert shown.total() - shown["symbol"] == report.fused_count


@pytest.mark.parametrize("query", ["start the server", "ConfigLoader", "load file", "🎉", "zzzunknownword"])
@pytest.mark.parametrize("hybrid", [None, True, False])
def test_report_is_consistent(ask: Ask, query: str, hybrid: bool | None) -> None:
    report = ask(query, limit=20, use_hybrid=hybrid)
    assert report.both_count <= min(report.vector_count, report.keyword_count)
    assert len(report.hits) <= report.pre_filter_count <= 20
    assert paths(report) <= set(report.ranked_paths)
    assert report.boosted_count <= len(report.ranked_paths)
    assert 0 <= report.rank_changes <= len(report.ranked_paths)
    assert (report.vector_top is None) == (report.vector_count == 0)
    if report.vector_count:
        assert report.vector_top is not None and report.vector_bottom is not None
        assert report.vector_top >= report.vector_bottom
    kinds = {hit.match_type for hit in report.hits}
    assert kinds <= {"both", "keyword", "semantic", "symbol"}
    for hit in report.hits:
        assert hit.content == "".join(
            FILES.get(hit.file_path, hit.content).splitlines(keepends=True)[hit.start_line - 1 : hit.end_line]
        ) or (hit.file_path not in FILES or hit.file_path == "src/app/long.py")
    stages = {name: value for name, value in report.timings_ms.items() if name != "total_ms"}
    assert all(value >= 0 for value in stages.values())
    assert max(stages.values()) <= report.timings_ms["total_ms"]


def test_one_connection_is_enough(searcher: App, ask: Ask, server: EmbeddedServer, data_folder: Path) -> None:
    """A role, a server or other programs may leave no second one."""
    with psycopg.connect(server.dsn(DATABASE), autocommit=True) as conn:
        conn.execute("CREATE ROLE single LOGIN CONNECTION LIMIT 1 IN ROLE pg_read_all_data")
    url = server.dsn(DATABASE).replace(f"user={SUPERUSER}", "user=single")
    with App(Settings(database=DatabaseSettings(url=url)), data_folder) as alone:
        report = alone.search(SearchRequest("start the server", limit=20), index_name=NAME)[1]
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute("DROP ROLE single")
    hits = ask("start the server", limit=20).hits
    assert [replace(hit, why={}) for hit in report.hits] == [replace(hit, why={}) for hit in hits]


def test_same_question_same_answer(ask: Ask) -> None:
    first = ask("load file server", limit=50)
    assert all(ask("load file server", limit=50).hits == first.hits for _ in range(3))


@pytest.mark.parametrize(
    ("weights", "query", "path"),
    [
        ({"ext": {"md": 10}}, "start the server", "docs/readme.md"),
        ({"language": {"markdown": 10}}, "start the server", "docs/readme.md"),
        ({"path": [{"pattern": "tests/**", "weight": 10}]}, "start_server", "tests/test_main.py"),
        ({"path": [{"pattern": "test_*.py", "weight": 10}]}, "start_server", "tests/test_main.py"),
    ],
)
def test_weights_promote(ask: Ask, weights: dict[str, object], query: str, path: str) -> None:
    plain, weighted = ask(query, limit=30), ask(query, limit=30, weights=build_weights(weights))
    assert plain.ranked_paths[0] != path == weighted.ranked_paths[0] == weighted.hits[0].file_path
    assert set(plain.ranked_paths) == set(weighted.ranked_paths), "they order and hide nothing"
    assert weighted.hits[0].why["factor"] == 10
    scores = [hit.score for hit in weighted.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_weights_demote(ask: Ask) -> None:
    plain = ask("start_server", limit=100)
    best = plain.ranked_paths[0]
    weighted = ask("start_server", limit=100, weights=build_weights({"path": [{"pattern": best, "weight": 0}]}))
    assert weighted.ranked_paths == (*plain.ranked_paths[1:], best)
    assert list(dict.fromkeys(hit.file_path for hit in weighted.hits)) == list(weighted.ranked_paths)


def test_weights_that_fit_one_file_are_multiplied(ask: Ask) -> None:
    weights = build_weights(
        {
            "ext": {"py": 2, "test_main.py": 9},
            "language": {"python": 3},
            "path": [{"pattern": "src/**", "weight": 0.5}, {"pattern": "*[x*", "weight": 7}],
        }
    )
    report = ask("start the server", limit=100, weights=weights)
    factors = {hit.file_path: hit.why.get("factor") for hit in report.hits}
    assert factors["src/app/main.py"] == 3.0
    assert factors["tests/test_main.py"] == 6.0
    assert factors["docs/readme.md"] is None


@pytest.mark.parametrize("own_leaf", [True, False])
def test_an_index_that_is_deleted_during_a_search(app: App, tmp_path: Path, own_leaf: bool) -> None:
    """Rows in a shared leaf can be read to the end; tables that are gone cannot."""
    app.database.own_leaf_chunks = 1 if own_leaf else 100

    class Deleting:
        """Deletes the index between its row and its tables being read."""

        dimension = app.embedder.dimension
        plain = app.embedder

        @property
        def name(self) -> str:
            app.catalog.clear("gone")
            return self.plain.name

        def embed_query(self, text: str) -> np.ndarray:
            return self.plain.embed_query(text)

    (tmp_path / "a.py").write_text("def start_server():\n    pass\n")
    app.index(tmp_path, name="gone")
    app.__dict__["embedder"] = Deleting()
    if own_leaf:
        with pytest.raises(IndexNotFoundError):
            app.search(SearchRequest("start the server"), index_name="gone")
    else:
        assert app.search(SearchRequest("start the server"), index_name="gone")[1].hits
        assert app.catalog.list_all() == []


@pytest.mark.parametrize(
    ("path", "verdict", "name"),
    [
        ("src/app/main.py", "shown", "src/app/main.py"),
        ("./src/app/main.py", "shown", "src/app/main.py"),
        ("main.py", "shown", "src/app/main.py"),
        ("{root}/src/app/main.py", "shown", "src/app/main.py"),
        ("{root}src/app/main.py", "unknown", None),
        ("{root}2/src/app/main.py", "unknown", None),
        ("no/such.py", "unknown", "no/such.py"),
    ],
)
def test_explained_paths_are_resolved_by_folders(
    searcher: App, ask: Ask, path: str, verdict: str, name: str | None
) -> None:
    record = searcher.catalog.find(NAME)
    explained = searcher.searches.explain_path(record, ask("start_server"), path.format(root=record.root_path))
    assert explained["verdict"] == verdict
    if name is not None:
        assert explained["path"] == name


@pytest.mark.parametrize("path", ["src/\ud83c.py", "a\0b"])
def test_a_path_that_is_no_text_is_not_found(searcher: App, ask: Ask, path: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        searcher.searches.explain_path(searcher.catalog.find(NAME), ask("start_server"), path)
    assert caught.value.hint


@pytest.fixture
def lifts(app: App, tmp_path: Path) -> App:
    """An index of many files that use two words, one of which is a name that a single file defines."""
    folder = tmp_path / "lifts"
    folder.mkdir()
    for number in range(12):
        text = f"def step_{number}(item):\n    # the thread of the lift\n    return item.lift + {number}\n"
        (folder / f"step_{number}.py").write_text(text)
    (folder / "items.py").write_text("class Item:\n    lift: float = 0.0\n    weight: float = 1.0\n")
    app.index(folder, name="lifts")
    return app


@pytest.mark.parametrize(
    ("query", "level", "reason"),
    [
        ("lift", "medium", "the first result defines this name; other files use the same word"),
        ("thread", "low", "one word does not distinguish these files; add words, or a name"),
        ("the thread and the lift", "low", "many files contain these words, and none stands out"),
    ],
)
def test_the_reason_beside_a_doubtful_answer_is_true(lifts: App, query: str, level: str, reason: str) -> None:
    confidence = lifts.search(SearchRequest(query), index_name="lifts")[1].confidence
    assert (confidence.level, confidence.reason) == (level, reason)


@pytest.mark.parametrize(
    ("query", "level", "reason"),
    [
        ("crane counterweight", "medium", "the first result defines a name made of these words"),
        ("how hoists are greased", "low", "the first result lacks 'hoists'"),
        ("grease the unicorn", "low", "'unicorn' is not in this index"),
        ("required python version", "high", "a line of these settings answers the question"),
    ],
)
def test_a_reason_names_what_is_there_and_what_is_not(
    app: App, tmp_path: Path, query: str, level: str, reason: str
) -> None:
    folder = tmp_path / "cranes"
    folder.mkdir()
    for number in range(12):
        (folder / f"hoist_{number}.py").write_text(f"def lower_{number}(crane):\n    return crane.hoist - {number}\n")
    (folder / "balance.py").write_text("class CraneCounterweight:\n    crane = None\n")
    (folder / "oil.py").write_text("def grease(crane):\n    # greased by hand\n    crane.greased = True\n")
    (folder / "pyproject.toml").write_text('[project]\nname = "cranes"\nrequires-python = ">=3.11"\n')
    app.index(folder, name="cranes")
    confidence = app.search(SearchRequest(query), index_name="cranes")[1].confidence
    assert (confidence.level, confidence.reason) == (level, reason)
