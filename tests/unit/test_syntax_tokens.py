"""Tokens without a parse: no comments, each with its place, keywords from the grammars."""

import pytest

from cocosearch_py.parsing.parsers import keywords
from cocosearch_py.parsing.tokens import token_spans, tokens


@pytest.mark.parametrize(
    ("language_id", "source", "expected"),
    [
        ("python", "x = 1  # note\n", ["x", "=", "1"]),
        ("python", '"""a # b"""\ny', ['"""a # b"""', "y"]),
        ("javascript", "a('//'); /* b\n */ c // d", ["a", "(", "'//'", ")", ";", "c"]),
        ("javascript", "`x\n${y}` + 1", ["`x\n${y}`", "+", "1"]),
        ("ruby", "a # b\n#{c}\n`ls`", ["a", "#", "{", "c", "}", "`ls`"]),
        ("ruby", "=begin\nx\n=end\ny", ["y"]),
        ("php", "#[A]\n$x; # b\n// c", ["#", "[", "A", "]", "$x", ";"]),
        ("lua", "x --[[ a\n b ]] y -- z", ["x", "y"]),
        ("haskell", "{- a -} f' -- b", ["f", "'"]),
        ("ocaml", "(* a *) let x = 'a'", ["let", "x", "=", "'a'"]),
        ("html", "<!-- a --><p>don't</p>", ["<", "p", ">", "don", "'", "t", "<", "/", "p", ">"]),
        ("sql", "SELECT 1 -- one\n/* two */ FROM t", ["SELECT", "1", "FROM", "t"]),
        ("python", "größe", ["größe"]),
    ],
)
def test_tokens_of(language_id: str, source: str, expected: list[str]) -> None:
    text = source.encode()

    assert [token.decode() for token in tokens(language_id, text)] == expected
    assert [text[start:end].decode() for start, end in token_spans(language_id, text)] == expected


def test_a_text_that_nothing_closes_ends() -> None:
    for opened in ("/*", '"""', "'", "`", "--[[", "(*", "<!--"):
        assert tokens("javascript", ("y " + opened + " x" * 50_000).encode())


def test_keywords_are_those_of_the_grammar() -> None:
    assert {b"if", b"return", b"lambda"} <= keywords("python")
    assert b"identifier" not in keywords("go")
    assert b"func" in keywords("go")
    assert not keywords("text")


@pytest.mark.parametrize(
    ("language_id", "mark"), [("c", b"/* "), ("html", b"<!-- "), ("lua", b"--[[ "), ("sql", b"/* ")]
)
def test_what_is_not_closed_is_read_once(language_id, mark):
    assert tokens(language_id, b"x " + mark * 200_000) == [b"x"]
