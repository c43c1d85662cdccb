import random

import pytest
import tree_sitter_go
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
from tree_sitter import Language, Node, Parser

from cocosearch_py.chunking.lines import split_lines
from cocosearch_py.chunking.syntax import split_syntax
from cocosearch_py.model.chunks import ChunkSpan

PYTHON = Language(tree_sitter_python.language())
JAVASCRIPT = Language(tree_sitter_javascript.language())
GO = Language(tree_sitter_go.language())
RUST = Language(tree_sitter_rust.language())


def parse(language: Language, source: bytes) -> Node:
    return Parser(language).parse(source).root_node


def syntax_texts(language: Language, source: str, target_bytes: int) -> list[str]:
    encoded = source.encode()
    spans = split_syntax(parse(language, encoded), encoded, target_bytes=target_bytes)
    return [encoded[span.start_byte : span.end_byte].decode() for span in spans]


def line_texts(source: str, target_bytes: int) -> list[str]:
    encoded = source.encode()
    spans = split_lines(encoded, target_bytes=target_bytes)
    return [encoded[span.start_byte : span.end_byte].decode() for span in spans]


def function(name: str, statements: int) -> str:
    return f"def {name}():\n" + "".join(f"    value_{i} = {i}\n" for i in range(statements))


def test_empty_sources_have_no_chunks() -> None:
    assert split_lines(b"") == []
    assert split_syntax(parse(PYTHON, b""), b"") == []


def test_a_short_file_is_one_chunk_with_all_its_lines() -> None:
    source = b"\n\nimport os\n\n\ndef f():\n    pass\n\n"
    for spans in (split_syntax(parse(PYTHON, source), source), split_lines(source)):
        assert spans == [ChunkSpan(0, len(source), 1, 8)]


def test_the_last_line_counts_without_a_newline() -> None:
    assert [(s.start_line, s.end_line) for s in split_lines(b"a\nb")] == [(1, 2)]


@pytest.mark.parametrize("target_bytes", [0, -5])
def test_a_target_below_one_is_refused(target_bytes: int) -> None:
    with pytest.raises(ValueError, match="target_bytes"):
        split_lines(b"a", target_bytes=target_bytes)
    with pytest.raises(ValueError, match="target_bytes"):
        split_syntax(parse(PYTHON, b"a"), b"a", target_bytes=target_bytes)


def test_small_neighbours_share_a_chunk_and_none_is_cut() -> None:
    functions = [function(f"f{i}", 2) for i in range(6)]  # 9 + 2 * 16 bytes each
    assert syntax_texts(PYTHON, "".join(functions), 100) == [
        functions[0] + functions[1],
        functions[2] + functions[3],
        functions[4] + functions[5],
    ]


def test_a_definition_of_exactly_the_target_is_whole() -> None:
    whole = function("whole", 10)
    target_bytes = len(whole.rstrip("\n"))
    before, after = function("before", 4), function("after", 4)
    assert syntax_texts(PYTHON, before + whole + after, target_bytes) == [before, whole, after]


def test_a_large_class_keeps_its_header_with_its_first_member() -> None:
    methods = [f"    def m{i}(self):\n        return {'x' * 40}\n\n" for i in range(4)]
    source = "import os, sys, json, re, random\n\n\nclass Big:\n" + "".join(methods)
    texts = syntax_texts(PYTHON, source, 100)
    assert texts[0] == "import os, sys, json, re, random\n\n\n"
    assert texts[1] == "class Big:\n" + methods[0]
    assert texts[2:] == methods[1:]


def test_a_decorator_stays_with_its_class() -> None:
    methods = "".join(f"    def m{i}(self):\n        return {'x' * 40}\n\n" for i in range(4))
    texts = syntax_texts(PYTHON, function("f", 4) + "@first\n@second(1)\nclass Big:\n" + methods, 100)
    assert texts[1].startswith("@first\n@second(1)\nclass Big:\n    def m0")


def test_leading_comments_and_attributes_travel_with_the_next_item() -> None:
    item = "/// Adds.\n// And more.\n#[inline]\n#[must_use]\nfn add%d(a: u8) -> u8 {\n    a + 1\n}\n"
    source = "".join(item % i for i in range(4))
    assert syntax_texts(RUST, source, 100) == [item % i for i in range(4)]


def test_a_comment_after_code_on_its_line_stays_there() -> None:
    source = "alpha = 1111111111  # the first\nbeta = 22222222222222222222222222\n"
    assert syntax_texts(PYTHON, source, 40) == source.splitlines(keepends=True)


def test_a_comment_apart_from_the_next_node_does_not_travel() -> None:
    notice = "# Copyright, and some more words here.\n\n"
    body = function("f", 5)
    assert syntax_texts(PYTHON, notice + body, len(body)) == [notice, body]


@pytest.mark.parametrize("target_bytes", range(60, 140, 5))
def test_closing_lines_start_no_chunk(target_bytes: int) -> None:
    body = "".join(f"\tcall({'x' * 12}{i})\n" for i in range(8))
    source = "package a\n\nfunc f() {\n" + body + "}\n\nfunc g() {\n" + body + "}\n"
    assert not [text for text in syntax_texts(GO, source, target_bytes) if text.startswith("}")]


@pytest.mark.parametrize("target_bytes", range(85, 155, 5))
def test_attributes_are_never_parted_from_their_item(target_bytes: int) -> None:
    item = "#[inline]\n#[must_use]\nfn add%d(a: u8) -> u8 {\n    a + 1111111111111111111111\n}\n"
    texts = syntax_texts(RUST, "".join(item % i for i in range(6)), target_bytes)
    assert len(texts) > 1
    assert all(text.startswith("#[inline]") for text in texts)


def test_a_tiny_rest_joins_the_node_after_it() -> None:
    source = "x = 1\n" + function("f", 5)
    assert syntax_texts(PYTHON, source, 90) == [source]


def test_leading_blank_lines_are_no_chunk_of_their_own() -> None:
    source = "\n" * 30 + function("f", 4)
    assert syntax_texts(PYTHON, source, 80) == [source]


def test_a_plain_boundary_beats_a_line_that_two_nodes_share() -> None:
    joined = "function a() {\n  x();\n} function b() {\n  y();\n}\n"
    assert syntax_texts(JAVASCRIPT, "z();\n" + joined, 40) == ["z();\n", joined]


def test_two_nodes_on_one_line_share_a_chunk() -> None:
    source = "f({\n  a: 11111111111111\n}, {\n  b: 22222222222222\n}, {\n  c: 33333333333333\n});\n"
    spans = split_syntax(parse(JAVASCRIPT, source.encode()), source.encode(), target_bytes=25)
    assert len(spans) > 1
    assert all(source.encode()[span.end_byte - 1 : span.end_byte] == b"\n" for span in spans)
    assert [span.start_line for span in spans[1:]] == [span.end_line + 1 for span in spans[:-1]]


def test_a_chunk_ends_at_the_outermost_boundary_near_the_target() -> None:
    tail = "if x:\n" + "".join(f"    line_{i} = {'1' * 30}\n" for i in range(5))
    large = "class Big:\n" + "".join(f"    name_{i} = {'2' * 30}\n" for i in range(8))
    texts = syntax_texts(PYTHON, tail + large, 160)
    assert any(text.startswith("class Big:") for text in texts)


def test_blank_lines_do_not_cut_the_definition_before_them() -> None:
    whole = "    def inner():\n" + "        value = 1\n" * 4
    source = "def outer():\n    first = 1\n    second = 2\n" + whole + "    \n" * 12 + "    pass\n"
    texts = syntax_texts(PYTHON, source, len(whole) - 5)
    assert [text for text in texts if "inner" in text] == [whole]


def test_a_long_string_is_cut_at_lines() -> None:
    source = 'text = """\n' + "".join(f"line {i} of the long text\n" for i in range(40)) + '"""\n'
    texts = syntax_texts(PYTHON, source, 200)
    assert "".join(texts) == source
    assert all(100 <= len(text) <= 300 and text.endswith("\n") for text in texts[:-1])


def test_files_that_do_not_parse_lose_nothing() -> None:
    source = "def (:\n" * 50 + "}}}} class\n" * 50
    texts = syntax_texts(PYTHON, source, 100)
    assert "".join(texts) == source
    assert max(len(text) for text in texts) <= 150


def test_very_deep_nesting_is_split_without_recursion() -> None:
    levels = 100_000
    source = b"x = " + b"[" * levels + b"]" * levels + b"\n"
    spans = split_syntax(parse(PYTHON, source), source)
    assert spans[-1].end_byte == len(source)
    assert max(span.end_byte - span.start_byte for span in spans) <= 1500


def test_lines_are_packed_up_to_the_target() -> None:
    assert line_texts("aaaa\n" * 7, 15) == ["aaaa\n" * 3, "aaaa\n" * 3, "aaaa\n"]


def test_lines_prefer_a_blank_line_near_the_end_of_a_chunk() -> None:
    paragraph = "aaaaaaaaa\n" * 8 + " \t\n"
    assert line_texts(paragraph + "b\n" * 40, 100)[0] == paragraph


def test_lines_ignore_a_blank_line_far_from_the_end_of_a_chunk() -> None:
    source = "aaaaaaaaa\n" * 4 + "\n" + "bbbbbbbbb\n" * 10
    assert line_texts(source, 100)[0] == "aaaaaaaaa\n" * 4 + "\n" + "bbbbbbbbb\n" * 5


def test_a_line_up_to_four_targets_is_whole() -> None:
    source = "a\n" + "b" * 39 + "\nc\n"
    assert line_texts(source, 10) == ["a\n", "b" * 39 + "\n", "c\n"]


def test_a_longer_line_is_cut_at_separators_and_its_rest_stands_alone() -> None:
    source = "word " * 12 + "\nnext\n"
    texts = line_texts(source, 12)
    assert texts[:2] == ["word word ", "word word "]
    assert texts[-1] == "next\n"
    assert "".join(texts) == source


def test_a_long_line_without_separators_is_cut_between_characters() -> None:
    source = "é€😀" * 200
    texts = line_texts(source, 50)  # decoding each piece fails when a character is cut
    assert "".join(texts) == source
    assert all(46 < len(text.encode()) <= 50 for text in texts[:-1])


def test_a_target_below_one_character_still_moves_on() -> None:
    assert line_texts("😀" * 5, 1) == ["😀"] * 5


def test_bytes_that_are_not_utf8_are_kept() -> None:
    source = bytes(random.Random(7).randrange(256) for _ in range(20_000)) + b"\x80" * 5_000
    spans = split_lines(source, target_bytes=100)
    assert b"".join(source[span.start_byte : span.end_byte] for span in spans) == source


def test_one_line_of_five_megabytes_has_chunks_of_the_target() -> None:
    source = b'{"key":1},' * 500_000
    for spans in (split_lines(source), split_syntax(parse(PYTHON, b""), source)):
        assert {span.start_line for span in spans} == {span.end_line for span in spans} == {1}
        assert min(span.end_byte - span.start_byte for span in spans[:-1]) >= 700
        assert max(span.end_byte - span.start_byte for span in spans) <= 1000
