"""Chunks hold every byte once, whatever the text; definitions that fit are whole, whatever the program."""

from collections.abc import Iterator
from itertools import pairwise

import tree_sitter_javascript
import tree_sitter_python
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Node, Parser

from cocosearch_py.chunking.lines import LONG_LINE_TARGETS, split_lines
from cocosearch_py.chunking.syntax import OVERFLOW, split_syntax
from cocosearch_py.chunking.tokens import byte_leads, split_tokens, token_leads
from cocosearch_py.embedding.models import open_bundled
from cocosearch_py.embedding.tokens import token_starts
from cocosearch_py.model.chunks import ChunkSpan

TOKENIZER = str(open_bundled().tokenizer_file)
PYTHON = Language(tree_sitter_python.language())
JAVASCRIPT = Language(tree_sitter_javascript.language())
DEFINITIONS = {
    "function_definition",
    "class_definition",
    "decorated_definition",
    "function_declaration",
    "class_declaration",
    "method_definition",
}

names = st.from_regex(r"[a-zé_][a-zé_0-9]{0,12}", fullmatch=True)
targets = st.sampled_from([40, 100, 300, 1000])
any_text = st.text(st.sampled_from("ab;, \t\n\n\n\r{}()é€😀\0"), max_size=3000) | st.text(max_size=600)


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def python_blocks(draw: st.DrawFn, depth: int = 0) -> list[str]:
    kinds = ["assign", "call", "comment", "blank", "string"] + ["def", "class", "if"] * (depth < 3)
    lines: list[str] = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=9)):
        name = draw(names)
        if kind == "assign":
            lines.append(f"{name} = {draw(st.integers(0, 10**30))}")
        elif kind == "call":
            lines += [f"{name}(", *indented([f"{name}," for _ in range(draw(st.integers(1, 9)))]), ")"]
        elif kind == "comment":
            lines += [f"# {name}"] * draw(st.integers(1, 4))
        elif kind == "blank":
            lines += [""] * draw(st.integers(1, 5))
        elif kind == "string":
            lines += [f'{name} = """', *[name] * draw(st.integers(0, 30)), '""" + "é"']
        else:
            lines += [f"@{name}"] * (draw(st.integers(0, 2)) if kind != "if" else 0)
            header = {"def": f"def {name}(a, b):", "class": f"class {name}:", "if": f"if {name}:"}[kind]
            lines += [header, *indented(draw(python_blocks(depth=depth + 1))), "    pass"]
    return lines


@st.composite
def javascript_blocks(draw: st.DrawFn, depth: int = 0) -> list[str]:
    kinds = ["let", "comment", "object", "joined"] + ["function", "class", "callback"] * (depth < 3)
    lines: list[str] = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=9)):
        name = draw(names)
        if kind == "let":
            lines.append(f"let {name} = {draw(st.integers(0, 10**30))};")
        elif kind == "comment":
            lines += [f"// {name}", "/* more", "   lines */"]
        elif kind == "object":
            fields = indented([f"{name}: 1,"] * draw(st.integers(1, 9)))
            lines += [f"{name} = {{", *fields, "}, {", "  b: 2", "};"]
        elif kind == "joined":
            lines += [f"function {name}() {{", "  a();", f"}} function {name}2() {{", "  b();", "}"]
        else:
            inner = indented(draw(javascript_blocks(depth=depth + 1)))
            lines += {
                "function": [f"function {name}(a, b) {{", *inner, "}"],
                "class": [f"class {name} {{", f"  {name}() {{", *indented(inner), "  }", "  other() {}", "}"],
                "callback": [f"{name}(function () {{", *inner, "}, () => {", *inner, "});"],
            }[kind]
    return lines


def check_spans(source: bytes, spans: list[ChunkSpan], target_bytes: int) -> None:
    assert b"".join(source[span.start_byte : span.end_byte] for span in spans) == source
    long_line_bytes = LONG_LINE_TARGETS * target_bytes
    for before, after in pairwise(spans):
        assert before.end_byte == after.start_byte
        if before.end_line == after.start_line:  # the cut is inside a line
            line = source.split(b"\n")[before.end_line - 1]
            assert len(line) + 1 > long_line_bytes
    for span in spans:
        assert span.start_line == source.count(b"\n", 0, span.start_byte) + 1
        assert span.end_line == source.count(b"\n", 0, span.end_byte - 1) + 1
        size = span.end_byte - span.start_byte
        most_bytes = long_line_bytes if span.start_line == span.end_line else target_bytes * OVERFLOW
        assert 0 < size <= most_bytes


def fitting_definitions(root: Node, source: bytes, target_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield the byte spans of definitions that have their lines for themselves and fit into the target."""
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        line_start = source.rfind(b"\n", 0, node.start_byte) + 1
        line_end = source.find(b"\n", node.end_byte)
        others_on_its_lines = source[line_start : node.start_byte] + source[node.end_byte : line_end]
        fits = node.end_byte - node.start_byte <= target_bytes
        if node.type in DEFINITIONS and fits and not others_on_its_lines.strip():
            yield node.start_byte, node.end_byte


def check_program(language: Language, lines: list[str], target_bytes: int) -> None:
    source = ("\n".join(lines) + "\n").encode()
    root = Parser(language).parse(source).root_node
    spans = split_syntax(root, source, target_bytes=target_bytes)
    check_spans(source, spans, target_bytes)
    cuts = [span.start_byte for span in spans[1:]]
    for start, end in fitting_definitions(root, source, target_bytes):
        assert not [cut for cut in cuts if start < cut < end], source[start:end].decode()


@given(any_text, targets)
def test_lines_hold_every_byte_of_any_text(text: str, target_bytes: int) -> None:
    source = text.encode()
    check_spans(source, split_lines(source, target_bytes=target_bytes), target_bytes)


@given(st.binary(max_size=2000), targets)
def test_lines_hold_every_byte_of_any_bytes(source: bytes, target_bytes: int) -> None:
    check_spans(source, split_lines(source, target_bytes=target_bytes), target_bytes)


@given(any_text, targets, st.sampled_from([PYTHON, JAVASCRIPT]))
def test_syntax_holds_every_byte_of_any_text(text: str, target_bytes: int, language: Language) -> None:
    source = text.encode()
    root = Parser(language).parse(source).root_node
    check_spans(source, split_syntax(root, source, target_bytes=target_bytes), target_bytes)


@given(python_blocks(), targets)
def test_python_definitions_that_fit_are_whole(lines: list[str], target_bytes: int) -> None:
    check_program(PYTHON, lines, target_bytes)


@given(javascript_blocks(), targets)
def test_javascript_definitions_that_fit_are_whole(lines: list[str], target_bytes: int) -> None:
    check_program(JAVASCRIPT, lines, target_bytes)


token_sizes = st.sampled_from([(5, 0), (7, 3), (20, 10), (100, 20)])


@given(any_text, token_sizes)
def test_tokens_hold_every_byte_of_any_text_and_no_more_tokens_than_asked_for(
    text: str, sizes: tuple[int, int]
) -> None:
    source, (size, overlap) = text.encode(), sizes
    starts = token_starts(TOKENIZER, source)
    spans = split_tokens(source, starts, size=size, overlap=overlap)
    assert b"".join(source[span.start_byte : span.end_byte] for span in spans) == source
    leads = token_leads(spans, starts, overlap)
    for span, lead in zip(spans, leads, strict=True):
        assert span.start_byte < span.end_byte
        assert span.start_line == source.count(b"\n", 0, span.start_byte) + 1
        assert span.end_line == source.count(b"\n", 0, span.end_byte - 1) + 1
        assert 0 <= lead <= span.start_byte
        shared = sum(lead <= start < span.start_byte for start in starts)
        inside = {start for start in starts if span.start_byte <= start < span.end_byte}
        assert len(inside) + overlap <= size or span.start_byte == 0 or len(inside) == 1
        before = sum(start < span.start_byte for start in starts)
        assert shared >= min(overlap, before)
        source[lead : span.start_byte].decode()  # between characters


@given(any_text, st.integers(0, 200))
def test_lines_before_a_passage_are_whole_and_no_longer_than_the_overlap(text: str, overlap: int) -> None:
    source = text.encode()
    spans = split_lines(source, target_bytes=100)
    for span, lead in zip(spans, byte_leads(source, spans, overlap), strict=True):
        assert span.start_byte - overlap <= lead <= span.start_byte
        assert lead in (0, span.start_byte) or source[lead - 1] == 0x0A
