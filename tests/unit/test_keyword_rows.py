"""Keyword rows and vectors of many chunks at once, against the formula written out for one chunk."""

import struct
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.analysis import bm25f
from cocosearch_py.analysis.words import TOKEN, Stems, stem, terms_of
from cocosearch_py.embedding.models import open_bundled
from cocosearch_py.indexing import words
from cocosearch_py.indexing.texts import ChunkText
from cocosearch_py.indexing.words import WordTable
from cocosearch_py.storage.lexemes import position
from cocosearch_py.storage.schema import copy

INDEX_ID = 7
TEXT = st.text(st.sampled_from("aabBcC_12é大\n .("), max_size=80)
FIELDS = st.tuples(*[TEXT] * len(bm25f.FIELDS))
CHUNKS = st.lists(FIELDS, min_size=1, max_size=6)
TABLE = open_bundled()
Row = tuple[int, int, set[str], dict[int, float]]


def chunks_of(texts: list[tuple[str, ...]]) -> list[ChunkText]:
    return [ChunkText(1, number, "src main.c", fields) for number, fields in enumerate(texts)]


def fields_of(row: bytes) -> list[bytes]:
    (count,) = struct.unpack_from(">h", row)
    fields, at = [], 2
    for _ in range(count):
        (length,) = struct.unpack_from(">i", row, at)
        fields.append(row[at + 4 : at + 4 + length])
        at += 4 + length
    assert at == len(row)
    return fields


def read(row: bytes) -> Row:
    """File, chunk, terms, and weights by position."""
    index_id, file_id, chunk_no, terms, weights = fields_of(row)
    assert int.from_bytes(index_id, "big") == INDEX_ID
    lexemes = [lexeme.decode() for lexeme in terms[4:].split(b"\0\0\0")[:-1]]
    _, count, _ = struct.unpack_from(">iii", weights)
    assert len(set(lexemes)) == len(lexemes) == int.from_bytes(terms[:4], "big")
    values = struct.unpack_from(f">{count}i{count}f", weights, 12)
    positions = values[:count]
    assert list(positions) == sorted(set(positions))
    numbers = int.from_bytes(file_id, "big"), int.from_bytes(chunk_no, "big")
    return *numbers, set(lexemes), dict(zip(positions, values[count:], strict=True))


def made(texts: list[tuple[str, ...]], table: WordTable | None = None) -> tuple[list[Row], Counter[str]]:
    rows: defaultdict[str, list[bytes]] = defaultdict(list)
    frequencies = (table or WordTable(None)).add_rows(INDEX_ID, chunks_of(texts), rows)
    assert set(rows) <= {"keywords"}
    return list(map(read, rows["keywords"])), frequencies


def weights_of(**texts: str) -> dict[str, float]:
    """Term -> weight of a chunk with these fields."""
    names = ("body", "doc", "symbols", "signature", "stem", "directory")
    [(_, _, terms, weights)], _ = made([tuple(texts.get(name, "") for name in names)])
    return {term: weights[position(term)] for term in terms}


def formula(texts: tuple[str, ...]) -> dict[str, float]:
    """BM25F of one chunk, term by term."""
    frequencies: defaultdict[str, float] = defaultdict(float)
    for field, text in zip(bm25f.FIELDS, texts, strict=True):
        tokens = TOKEN.findall(text)
        norm = 1.0
        if field.reference_tokens is not None:
            norm = 1 - bm25f.B + bm25f.B * len(tokens) / field.reference_tokens
        for term in (term for token in tokens for term in terms_of(token)):
            frequencies[term] += field.weight / norm
    return {term: value * (bm25f.K1 + 1) / (value + bm25f.K1) for term, value in frequencies.items()}


@given(CHUNKS)
def test_rows_are_the_formula(texts: list[tuple[str, ...]]) -> None:
    rows, frequencies = made(texts)
    wanted = [formula(one) for one in texts]
    assert [row[:2] for row in rows] == [(1, number) for number in range(len(texts))]
    assert [row[2] for row in rows] == [set(one) for one in wanted]
    for row, one in zip(rows, wanted, strict=True):
        assert row[3] == pytest.approx({position(term): weight for term, weight in one.items()})
        assert all(0 < weight < bm25f.K1 + 1 for weight in row[3].values())
    assert frequencies == Counter(term for one in wanted for term in one)


@given(CHUNKS)
def test_rows_do_not_depend_on_what_came_before(texts: list[tuple[str, ...]]) -> None:
    table = WordTable(None)
    together, _ = made(texts, table)
    alone = [made([one])[0][0][2:] for one in texts]
    again = [made([one], table)[0][0][2:] for one in texts[::-1]]
    assert [row[2:] for row in together] == alone == again[::-1]


@pytest.mark.parametrize(("name", "limit"), [("_MAX_WORDS", 3), ("_SLICE_CHUNKS", 2), ("_SLICE_CHARS", 90)])
def test_rows_do_not_depend_on_limits(name: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [(f"one{number} two three", "", "", "", f"four {number}", "") for number in range(9)]
    unlimited = made(texts)
    monkeypatch.setattr(words, name, limit)
    table = WordTable(None)
    assert made(texts, table) == made(texts, table) == unlimited


def test_terms_at_one_position_are_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [("apple pear plum", "apple", "", "", "", ""), ("plum", "", "", "", "", "")]
    wanted = [formula(one) for one in texts]
    monkeypatch.setattr(words, "position", lambda term: len(term) % 2)
    for (_, _, terms, weights), one in zip(made(texts)[0], wanted, strict=True):
        assert terms == set(one)
        assert sum(weights.values()) == pytest.approx(sum(one.values()))
        assert set(weights) <= {0, 1}


def test_a_chunk_keeps_its_heaviest_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_MAX_CHUNK_TERMS", 3)
    many, few = ("d c b b a e e e f", "", "", "", "", ""), ("x y z", "", "", "", "", "")
    rows, frequencies = made([few, many, few])
    assert [row[2] for row in rows] == [{"x", "y", "z"}, {"e", "b", "a"}, {"x", "y", "z"}]
    assert all(len(row[3]) == 3 for row in rows)
    assert frequencies == Counter({"x": 2, "y": 2, "z": 2, "e": 1, "b": 1, "a": 1})


def test_a_text_beyond_all_bounds_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_SLICE_CHARS", 7)
    assert set(weights_of(body="apple pear", stem="plum")) == {stem("apple"), "p", "plum"}


def test_no_words_and_no_chunks() -> None:
    assert made([]) == ([], Counter())
    assert made([("", "..", "", "", "", "")]) == ([(1, 0, set(), {})], Counter())


def test_weight_is_the_formula() -> None:
    tokens = 4
    frequency = 2 * bm25f.BODY.weight / (1 - bm25f.B + bm25f.B * tokens / (bm25f.BODY.reference_tokens or 1))
    frequency += bm25f.STEM.weight
    wanted = frequency * (bm25f.K1 + 1) / (frequency + bm25f.K1)
    weights = weights_of(body="apple pear apple plum", stem="apple")
    assert weights[stem("apple")] == pytest.approx(wanted)


def test_more_occurrences_weigh_more_and_longer_texts_less() -> None:
    one, two = (weights_of(body=text)["zebra"] for text in ("zebra lion ox", "zebra zebra ox"))
    long = weights_of(body="zebra " + "lion " * 500)["zebra"]
    assert long < one < two


def test_symbol_names_weigh_more_than_text() -> None:
    assert weights_of(symbols="zebra")["zebra"] > weights_of(body="zebra")["zebra"]


@settings(max_examples=40)
@given(CHUNKS)
def test_vectors_are_those_of_the_texts(texts: list[tuple[str, ...]]) -> None:
    assert_vectors(chunks_of(texts))


@given(st.lists(st.text(st.sampled_from("aeinrstABTS_19"), max_size=90), max_size=20))
def test_words_have_the_tokens_that_the_tokenizer_gives_them(some: list[str]) -> None:
    pieces = TABLE.word_pieces()
    some += ["x9" * 300, "a" * 40, "b" * 41, "getHTTPUrl2", "configuration", "__init__", ""]
    assert [pieces.of(word) for word in some] == TABLE.tokens(some)


@given(st.text(st.sampled_from("aeisABS_19é大"), max_size=90))
def test_terms_of_many_words_are_those_of_one(token: str) -> None:
    stems = Stems()
    assert stems.terms_of(token) == stems.terms_of(token) == list(terms_of(token))


@pytest.mark.parametrize("many", [0, words._MANY_WORDS])
def test_vectors_of_long_and_foreign_texts_and_paths(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_MANY_WORDS", many)
    bodies = ["getHTTPUrl2 " * 150, "x" * 1_999 + " y", "x" * 2_000 + " y", "a1 " * 900, "größe", "", "ABc__dE 12ab"]
    chunks = [ChunkText(1, 0, path, (body, *[""] * 5)) for body in bodies for path in ("src main.c", "über uns.c", "")]
    assert_vectors(chunks)


def assert_vectors(chunks: list[ChunkText]) -> None:
    rows: defaultdict[str, list[bytes]] = defaultdict(list)
    WordTable(TABLE).add_rows(INDEX_ID, chunks, rows)
    vectors = TABLE.embed_documents([chunk.embedded for chunk in chunks])
    assert vectors.shape == (len(chunks), TABLE.dimension)
    wanted = [field[4:] for field in copy.halfvecs(np.asarray(vectors))]
    assert [fields_of(row)[3] for row in rows["vectors"]] == wanted
