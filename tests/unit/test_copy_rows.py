"""Rows that are put together by hand are those that the tables' encoders make."""

from cocosearch_py.model.chunks import ChunkSpan
from cocosearch_py.model.references import Metrics, Reference
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.write.rows import (
    chunk_row,
    keyword_row,
    lexeme_row,
    reference_rows,
    symbol_row,
    vector_row,
)

SYMBOL = Symbol("method", "f_g", "A.f_g", "f_g(ä)", "doc", "public", 3, 5, 30, 50, 7, 1)


def test_references_terms_and_vectors() -> None:
    references = (Reference("a", "call", "b.c", 3, 4, 5), Reference("ä", "read", "", 7, 8, None, "C"))
    encode = TABLES["refs"].encoder()
    expected = [
        encode(
            1, number, 2**40, one.line, one.column, one.symbol, one.kind, one.name, one.qualifier, one.receiver or None
        )
        for number, one in enumerate(references)
    ]
    assert reference_rows(1, 2**40, references) == b"".join(expected)
    of_terms = TABLES["keywords"].encoder()(1, 2**40, 3, ["ä", "b"], b"weights")
    assert keyword_row(1, 2**40, 3, ["ä", "b"], b"weights") == of_terms
    assert vector_row(1, 2**40, 3, b"vector") == TABLES["vectors"].encoder()(1, 2**40, 3, b"vector")
    assert lexeme_row(1, "ä", 2**15, 3) == TABLES["lexemes"].encoder()(1, "ä", 2**15, 3)


def test_definitions() -> None:
    encode = TABLES["symbols"].encoder()
    outer = SYMBOL._replace(parent=None, function_depth=0)
    for one, metrics, figures in ((SYMBOL, None, (None, None, None)), (outer, Metrics(1, 2, 3), (1, 2, 3))):
        names = (one.kind, one.name, "fg", one.qualified_name, one.signature, one.doc, one.visibility)
        places = (one.function_depth, one.parent is not None, one.start_line, one.end_line)
        expected = encode(1, 2**40, 9, 8, one.parent, *names, *places, *figures, True, False)
        assert symbol_row(1, 2**40, 9, 8, one, metrics, name_key="fg", is_test=True) == expected


def test_chunks() -> None:
    span, encode = ChunkSpan(10, 20, 2, 4), TABLES["chunks"].encoder()
    head = (1, 2**40, 3, 2, 4, 10, 20, "ä\0b")
    expected = encode(*head, "method", "A.f_g", 9, "method", "f_g", "f_g(ä)")
    assert chunk_row(1, 2**40, 3, span, "ä\0b", symbol_no=9, symbol=SYMBOL) == expected
    assert chunk_row(1, 2**40, 3, span, "ä\0b") == encode(*head, "lines", "", None, None, None, None)
