"""What `rows` builds is what PostgreSQL reads: every value goes through a real COPY and comes back."""

from collections.abc import Callable
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.errors import DatabaseError
from cocosearch_py.storage.lexemes import LEXEME_SPACE, position
from cocosearch_py.storage.schema import copy
from cocosearch_py.storage.server.database import Database

ONCE = settings(max_examples=40)
TEXT = st.text(max_size=60)  # surrogates included
RoundTrip = Callable[[str, list[bytes]], list[object]]


@pytest.fixture
def round_trip(database: Database) -> RoundTrip:
    """Loads fields of one type through binary COPY and returns what the server then holds, in order."""

    def run(column: str, fields: list[bytes]) -> list[object]:
        with database.writing() as conn:
            kind, _, shown = column.partition(" AS ")
            conn.execute(f"CREATE TEMP TABLE trip (number int, value {kind}) ON COMMIT DROP")
            with conn.cursor().copy("COPY trip FROM STDIN (FORMAT binary)") as stream:
                rows = [copy.row(copy.int4(number), field) for number, field in enumerate(fields)]
                stream.write(copy.SIGNATURE + b"".join(rows) + copy.TRAILER)
            found = conn.execute(f"SELECT value{shown} FROM trip ORDER BY number").fetchall()
            conn.rollback()
        return [row[0] for row in found]

    return run


@ONCE
@given(st.lists(st.one_of(st.none(), TEXT), max_size=8))
def test_text(round_trip: RoundTrip, values: list[str | None]) -> None:
    wanted = [
        None if value is None else value.encode("utf-8", "backslashreplace").decode().replace("\0", "")
        for value in values
    ]
    assert round_trip("text", [copy.text(value) for value in values]) == wanted


@ONCE
@given(st.lists(st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1)), max_size=8))
def test_int4(round_trip: RoundTrip, values: list[int | None]) -> None:
    assert round_trip("int", [copy.int4(value) for value in values]) == values


@ONCE
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8), st.lists(st.booleans(), max_size=4))
def test_int8_and_boolean(round_trip: RoundTrip, numbers: list[int], flags: list[bool]) -> None:
    assert round_trip("bigint", [copy.int8(number) for number in numbers]) == numbers
    assert round_trip("boolean", [copy.boolean(flag) for flag in flags]) == flags


@ONCE
@given(st.lists(st.one_of(st.none(), st.binary(max_size=40)), max_size=8))
def test_bytes(round_trip: RoundTrip, values: list[bytes | None]) -> None:
    assert round_trip("bytea", [copy.raw(value) for value in values]) == values


@ONCE
@given(
    st.lists(
        st.sets(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=64),
            max_size=30,
        ),
        max_size=4,
    )
)
def test_tsvector(round_trip: RoundTrip, values: list[set[str]]) -> None:
    found = round_trip("tsvector AS ::text", [copy.tsvector(list(value)) for value in values])
    for text, value in zip(found, values, strict=True):
        quoted = ("'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" for lexeme in value)
        assert sorted(str(text)) == sorted(" ".join(quoted))  # the server sorts by its own rules


@ONCE
@given(
    st.lists(
        st.dictionaries(st.integers(0, LEXEME_SPACE - 1), st.floats(2**-13, 2.25, width=32), max_size=30), max_size=4
    )
)
def test_sparsevec(round_trip: RoundTrip, values: list[dict[int, float]]) -> None:
    bounds = [0, *accumulate(map(len, values))]
    positions = [position for value in values for position in sorted(value)]
    weights = [value[position] for value in values for position in sorted(value)]
    fields = copy.sparsevecs(np.array(positions, np.int64), np.array(weights), bounds)
    for text, value in zip(round_trip("sparsevec AS ::text", fields), values, strict=True):
        inside, _, size = str(text).strip("{").partition("}/")
        assert int(size) == LEXEME_SPACE
        pairs = [pair.split(":") for pair in inside.split(",") if pair]
        assert {int(key) - 1: np.float32(number) for key, number in pairs} == {
            key: np.float32(number) for key, number in value.items()
        }


@ONCE
@given(st.integers(1, 5), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_halfvec(round_trip: RoundTrip, count: int, dimension: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    found = round_trip("halfvec AS ::text", copy.halfvecs(vectors))
    read = np.array([[float(number) for number in str(text).strip("[]").split(",")] for text in found])
    assert np.allclose(read, vectors.astype(np.float16).astype(np.float64), rtol=1e-3, atol=1e-6)


def test_half_a_row_is_refused(round_trip: RoundTrip) -> None:
    with pytest.raises(DatabaseError, match="incorrect binary data format"):
        round_trip("int", [copy.int8(1)])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_position_of_a_term(term: str) -> None:
    assert 0 <= position(term) < LEXEME_SPACE
    assert position(term) == position("".join(term))
