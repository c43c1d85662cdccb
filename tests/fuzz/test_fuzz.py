"""Inputs that people and other programs write, made up by the hundred: each is answered, or refused with a hint.

Longer, for as many inputs as there is time for:

    python -m pytest tests/fuzz --fuzz-examples 20000

An input that breaks something becomes a test beside those of what it broke.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.app import App
from cocosearch_py.config.keys import setting_rules
from cocosearch_py.config.load import load_settings
from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.search import MAX_QUERY_CHARS, SearchFilters, SearchRequest
from cocosearch_py.storage.queries.globs import alternatives, glob_pattern, name_pattern
from cocosearch_py.storage.schema import copy
from cocosearch_py.storage.server.database import Database

Fuzz = Callable[[Callable[..., None], Any], None]

# What means something to one of the readers, so that the inputs get past the first check.
_FILTERS = 'lang: -lang: path: -path: file: kind: -kind: type: name: -name: " , //'.split()
_VALUES = "python py,go src/ *.py {a,b} [!a-z] **/x class get_* :: -> # () . \\".split()
_WORDS = ["how does", "\0", "\ud83c", *"server getUser get_user Cart.add the ' %s $1 ! ? é 🎉".split()]
TEXT = st.text(max_size=30)
QUERY = st.lists(st.one_of(st.sampled_from([*_FILTERS, *_VALUES, *_WORDS, " ", " "]), TEXT), max_size=12).map("".join)
GLOB = st.lists(st.one_of(st.sampled_from([*"*?{},[]!-\\/.^$()|+", "**", "**/", "[a-", "{a,", "x"]), TEXT), max_size=10)
SCALAR = st.one_of(
    TEXT, st.integers(), st.floats(), st.booleans(), st.none(), st.sampled_from(["${HOME}", "${", "8", "on"])
)


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> Fuzz:
    """Runs a check on as many inputs as `--fuzz-examples` says."""

    def run(check: Callable[..., None], inputs: st.SearchStrategy[Any]) -> None:
        settings(max_examples=request.config.getoption("--fuzz-examples"))(given(inputs)(check))()

    return run


def refused_with_a_hint(work: Callable[[], object]) -> bool:
    try:
        work()
    except CocosearchError as error:
        assert error.message and error.hint
        return True
    return False


def test_queries(fuzz: Fuzz, app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")

    def check(query: str) -> None:
        def ask() -> None:
            _, report = app.search(SearchRequest(query), index_name="shop")
            assert all(0.0 <= hit.score <= 1.0 for hit in report.hits)
            assert report.hits or report.filters != SearchFilters() or not report.vector_count
            app.searches.explain_path(app.catalog.find("shop"), report, query)

        if refused_with_a_hint(ask):
            return
        assert query.strip() and len(query) <= MAX_QUERY_CHARS

    fuzz(check, QUERY)


def test_globs(fuzz: Fuzz, database: Database) -> None:
    def check(parts: list[str]) -> None:
        glob = "".join(parts).encode("utf-8", "replace").decode().replace("\0", "")
        patterns = [glob_pattern(glob), *map(glob_pattern, alternatives(glob)), *map(name_pattern, alternatives(glob))]
        with database.writing() as conn:
            conn.execute("SELECT 'src/a.py' ~* ANY(%s)", [patterns]).fetchone()
            if not set(glob) & set("*?[]{},/") and glob:
                (itself,) = conn.execute("SELECT %s ~* %s", [glob, glob_pattern(glob)]).fetchone() or (None,)
                assert itself

    fuzz(check, GLOB)


def test_settings_files(fuzz: Fuzz, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "cocosearch.yaml"
    keys = st.sampled_from(sorted({part for key in setting_rules() for part in (key, *key.split("."))}))
    inside = lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3))  # noqa: E731
    nested = st.recursive(SCALAR, inside, max_leaves=8)
    dumped = st.dictionaries(keys, nested, max_size=4).map(lambda value: yaml.safe_dump(value, allow_unicode=True))

    def check(text: str) -> None:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        refused_with_a_hint(lambda: load_settings(start=tmp_path, environ={"HOME": str(tmp_path)}))

    fuzz(
        check,
        st.one_of(dumped, st.tuples(dumped, TEXT, st.integers(0, 200)).map(_with_text_inside), st.text(max_size=200)),
    )


def _with_text_inside(given: tuple[str, str, int]) -> str:
    whole, inserted, place = given
    return whole[:place] + inserted + whole[place:]


def test_copied_rows(fuzz: Fuzz, database: Database) -> None:
    columns = "a text, b int, c bigint, d boolean, e tsvector, f bytea"
    words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
    row = st.tuples(
        st.one_of(st.none(), st.text(max_size=40)),
        st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1)),
        st.integers(-(2**63), 2**63 - 1),
        st.booleans(),
        st.sets(words, max_size=6),
        st.one_of(st.none(), st.binary(max_size=40)),
    )

    def check(rows: list[tuple[Any, ...]]) -> None:
        fields = (copy.text, copy.int4, copy.int8, copy.boolean, lambda terms: copy.tsvector(list(terms)), copy.raw)
        packed = [copy.row(*(field(value) for field, value in zip(fields, row, strict=True))) for row in rows]
        with database.writing() as conn:
            conn.execute(f"CREATE TEMP TABLE fuzzed ({columns}) ON COMMIT DROP")
            with conn.cursor().copy("COPY fuzzed FROM STDIN (FORMAT binary)") as stream:
                stream.write(copy.SIGNATURE + b"".join(packed) + copy.TRAILER)
            held = conn.execute("SELECT b, c, d, f, cardinality(tsvector_to_array(e)) FROM fuzzed").fetchall()
            conn.rollback()
        assert held == [(b, c, d, f, len(e)) for _, b, c, d, e, f in rows]

    fuzz(check, st.lists(row, max_size=5))


def test_a_refusal_without_a_hint_would_be_seen() -> None:
    def refuse() -> None:
        raise CocosearchError("no", hint="")

    with pytest.raises(AssertionError):
        refused_with_a_hint(refuse)
    with pytest.raises(psycopg.Error):
        refused_with_a_hint(lambda: (_ for _ in ()).throw(psycopg.Error()))
