"""Parse status, places of errors, and source that is broken or absurd."""

import itertools
import re
import subprocess
import sys

import pytest
import tree_sitter
from tests.hostile_sources import ENDLESS_KOTLIN, SAMPLES

from cocosearch_py.languages import LANGUAGES, symbols_query
from cocosearch_py.languages.c_family import hide_macros
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.parsing import has_grammar, parse_source
from cocosearch_py.parsing.captures import MAX_DEFINITIONS
from cocosearch_py.parsing.docs import docstring_text, join_comments
from cocosearch_py.parsing.nesting import nested_too_deep
from cocosearch_py.parsing.parsers import load_grammar, parser_of
from cocosearch_py.parsing.source import MAX_PARSED_BYTES, _is_dense, _Watch

WITH_QUERY = sorted(language.id for language in LANGUAGES.values() if symbols_query(language.id) is not None)
DEEP = 100_000


@pytest.mark.parametrize("language_id", WITH_QUERY)
def test_the_query_fits_the_grammar(language_id: str) -> None:
    grammar = load_grammar(language_id)
    text = symbols_query(language_id)
    assert grammar is not None and grammar.parser.language is not None and text is not None
    query = tree_sitter.Query(grammar.parser.language, re.sub(r"\([~=]", "(", text))
    captures = {query.capture_name(at) for at in range(query.capture_count)}
    assert "name" in captures
    assert "comment" in captures


def test_an_interrupt_while_a_query_is_compiled_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """tree-sitter makes an error of the query of it: the language would be read without facts."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    assert parser_of("rust") is not None
    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patched:
        patched.setattr(re, "_compile", interrupted)  # where the handler of a signal would run
        load_grammar.__wrapped__("rust")


@pytest.mark.parametrize("language_id", [one.id for one in LANGUAGES.values() if one.grammar is not None])
def test_every_grammar_of_the_table_is_installed(language_id: str) -> None:
    assert has_grammar(language_id)
    assert parse_source(language_id, b"").status in (ParseStatus.OK, ParseStatus.PARTIAL)


def test_unknown_language_has_no_grammar() -> None:
    parsed = parse_source("no-such-language", b"x")
    assert parsed.status is ParseStatus.NO_GRAMMAR
    assert parsed.root is None
    assert not has_grammar("csv")


def test_missing_wheel_is_no_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tree_sitter_go", None)  # import fails
    for kept in (parser_of, load_grammar):
        kept.cache_clear()
    try:
        assert parse_source("go", b"package a").status is ParseStatus.NO_GRAMMAR
    finally:
        for kept in (parser_of, load_grammar):
            kept.cache_clear()


def test_healthy_source() -> None:
    parsed = parse_source("python", b"x = 1\n")
    assert (parsed.status, parsed.error, parsed.error_bytes) == (ParseStatus.OK, "", 0)
    assert parsed.root is not None and parsed.root.end_byte == 6


def test_partial_source_keeps_its_definitions_and_names_the_place() -> None:
    good = b"def a():\n    return 1\n\n" * 10
    parsed = parse_source("python", good + b"x = = 2\n" + good)
    assert parsed.status is ParseStatus.PARTIAL
    assert parsed.error.startswith("line 31, column ")
    assert 0 < parsed.error_bytes < 10
    assert [symbol.name for symbol in parsed.symbols].count("a") == 20
    assert parsed.root is not None


def test_missing_token_is_an_error_with_a_place() -> None:
    parsed = parse_source("java", b"class A {\n  int x = 1\n}\n")
    assert parsed.status is ParseStatus.PARTIAL
    assert parsed.error == "line 2, column 12: missing ';'"
    assert [symbol.name for symbol in parsed.symbols] == ["A", "x"]


def test_mostly_senseless_source_is_an_error() -> None:
    parsed = parse_source("go", b"}}}} ))) ]]] ((( {{{\n" * 30)
    assert parsed.status is ParseStatus.ERROR
    assert parsed.root is None
    assert parsed.error.startswith("line 1, column 1: ")


@pytest.mark.parametrize("language_id", ["python", "javascript", "go", "rust", "java", "cpp", "json", "xml", "html"])
@pytest.mark.parametrize(
    ("opening", "times"), [(b"(", 20_000), (b"[", 20_000), (b"{", 20_000), (b"<a>", 5_000), (b'{"a":', 20_000)]
)
def test_unclosed_nesting_neither_crashes_nor_hangs(language_id: str, opening: bytes, times: int) -> None:
    if has_grammar(language_id):
        assert parse_source(language_id, opening * times).status is not ParseStatus.NO_GRAMMAR


@pytest.mark.parametrize("language_id", ["javascript", "scala", "lua"])
@pytest.mark.parametrize("closing", [b"", b"]" * DEEP])
def test_brackets_nested_absurdly_deep_are_not_parsed(language_id: str, closing: bytes) -> None:
    parsed = parse_source(language_id, b"x = " + b"[" * DEEP + closing + b"\n")
    assert parsed.status is ParseStatus.ERROR
    assert parsed.root is None
    assert "nested more than 5,000 deep" in parsed.error


def test_many_brackets_in_a_row_are_no_nesting() -> None:
    parsed = parse_source("javascript", b"x = [" + b"[], (1), {}," * 20_000 + b"];\nfunction after() {}\n")
    assert parsed.status is ParseStatus.OK
    assert parsed.symbols[-1].name == "after"


def test_deeply_nested_definitions() -> None:
    depth = 3_000
    parsed = parse_source("javascript", b"function f() {" * depth + b"}" * depth)
    assert len(parsed.symbols) == depth
    assert [symbol.function_depth for symbol in parsed.symbols[-1:]] == [depth - 1]
    assert max(len(symbol.qualified_name) for symbol in parsed.symbols) <= 1_000


def test_one_long_line() -> None:
    parsed = parse_source("javascript", b"var a=1;" * 10_000 + b"function z(){}")
    assert parsed.status is ParseStatus.OK
    assert parsed.symbols[-1].name == "z"
    assert len(parsed.symbols[0].signature) <= 200


@pytest.mark.parametrize("count", [MAX_DEFINITIONS + 1, 200_000])  # the second has more nodes than are looked at
def test_a_file_has_no_more_definitions_than_the_limit(count: int) -> None:
    parsed = parse_source("javascript", b"var a=1;\n" * count)
    assert parsed.status is ParseStatus.PARTIAL
    assert parsed.error.startswith(f"line {MAX_DEFINITIONS}: too many definitions")
    assert len(parsed.symbols) == MAX_DEFINITIONS
    assert (parsed.root is None) == (count > MAX_DEFINITIONS + 1)


def test_the_tree_of_data_is_bounded() -> None:
    """Dense data as long as a large source: only its beginning is parsed, and the file has no tree for its chunks."""
    data = parse_source("javascript", b"x=[" + b"1," * 2_000_000 + b"1]")
    assert (data.status, data.root) == (ParseStatus.PARTIAL, None)
    assert data.error == "line 1: too many definitions or comments in one file; the rest is skipped"
    line = parse_source("javascript", b"function first(){return 1}" + b"var a=1;" * 600_000)
    assert (line.status, line.root, len(line.symbols)) == (ParseStatus.PARTIAL, None, MAX_DEFINITIONS)
    assert line.symbols[0].name == "first"


def test_a_dense_file_without_definitions_is_partial_too() -> None:
    parsed = parse_source("javascript", b"a;\n" * 400_000 + b"function late() {}\n")
    assert parsed.status is ParseStatus.PARTIAL
    assert parsed.symbols == ()


def test_a_file_at_the_limit_of_definitions_is_whole() -> None:
    parsed = parse_source("javascript", b"var a=1;\n" * MAX_DEFINITIONS)
    assert (parsed.status, parsed.error, len(parsed.symbols)) == (ParseStatus.OK, "", MAX_DEFINITIONS)


def test_a_huge_file_is_not_parsed() -> None:
    parsed = parse_source("python", b"x = 1\n" * (MAX_PARSED_BYTES // 6 + 1))
    assert (parsed.status, parsed.root) == (ParseStatus.ERROR, None)
    assert "larger than 16 MB" in parsed.error


@pytest.mark.parametrize("language_id", WITH_QUERY)
def test_queries_use_only_predicates_that_the_binding_knows(language_id: str) -> None:
    """tree-sitter's Python binding takes others for assertions that always hold."""
    known = {f"#{negated}{name}" for negated in ("", "not-") for name in ("eq?", "match?")} | {"#any-of?"}
    assert set(re.findall(r"\(\s*(#[\w.!?-]+)", symbols_query(language_id) or "")) <= known


@pytest.mark.parametrize("language_id", WITH_QUERY)
@pytest.mark.parametrize(
    "source",
    [b"", b"\x00", b"\x00\x00def a():\x00 pass\n", b"\xff\xfe\xfd\n# \xc3\x28\n", b"\xef\xbb\xbfx\n", b"\n" * 50],
)
def test_odd_bytes(language_id: str, source: bytes) -> None:
    parsed = parse_source(language_id, source)
    assert parsed.status is not ParseStatus.NO_GRAMMAR
    for symbol in parsed.symbols:
        assert "\x00" not in symbol.signature + symbol.name + symbol.doc


def test_invalid_utf8_inside_a_definition() -> None:
    parsed = parse_source("python", b"# caf\xe9\ndef f(a='\xff'):\n    pass\n")
    (symbol,) = parsed.symbols
    assert symbol.doc == "caf\N{REPLACEMENT CHARACTER}"
    assert (symbol.start_byte, symbol.end_byte) == (7, len(b"# caf\xe9\ndef f(a='\xff'):\n    pass"))


def test_comments_are_spans_in_order_with_docstrings() -> None:
    source = b'"""Module."""\nx = 1  # one\ndef f():\n    """Doc."""\n    # inner\n'
    spans = parse_source("python", source).comments
    assert [source[start:end] for start, end in spans] == [b'"""Module."""', b"# one", b'"""Doc."""', b"# inner"]


@pytest.mark.parametrize(
    ("comments", "text"),
    [
        (["// One.", "// Two."], "One.\nTwo."),
        (["/** Block. **/", "//   indented"], "Block.\n  indented"),
        (["/*" + " x" * 20 + "\n" + " " * 50_000 + "*/"], ("x " * 20).strip()),
        (["/// Doc with `code`.\n", "///\n", "/// - item\n"], "Doc with `code`.\n\n- item"),
        (["/**\n * First.\n *\n * @param x  the x\n */"], "First.\n\n@param x  the x"),
        (["/* one line */"], "one line"),
        (["# shell", "#   indented"], "shell\n  indented"),
        (["#!/bin/sh"], "/bin/sh"),
        (["--- Lua doc", "-- more"], "Lua doc\nmore"),
        (["--[[ long\n text ]]"], "long\ntext"),
        (["-- | Haskell"], "Haskell"),
        (["{-| Block\nof two -}"], "Block\nof two"),
        ([";; lisp"], "lisp"),
        (["//! inner", "/*! qt */"], "inner\nqt"),
    ],
)
def test_comment_markers_are_stripped(comments: list[str], text: str) -> None:
    assert join_comments(comments) == text


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ('"""One.\n\n    Two.\n      Three.\n    """', "One.\n\nTwo.\n  Three."),
        ("r'''raw'''", "raw"),
        ("'short'", "short"),
        ('~S"""\n  Elixir.\n  """', "Elixir."),
    ],
)
def test_docstrings_are_stripped(literal: str, text: str) -> None:
    assert docstring_text(literal) == text


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        (b"class LIB_API Name : Base {", b"class         Name : Base {"),
        (b"struct FOO bar;", b"struct FOO bar;"),
        (b"LIB_EXPORT int run(void);", b"           int run(void);"),
        (b"DWORD run(void);", b"DWORD run(void);"),
        (b"  LIB_API ~Name();", b"          ~Name();"),
        (b"int a;\nLIB_BEGIN_NAMESPACE\nint b;", b"int a;\n                   \nint b;"),
        (b"enum e {\n  FIRST_ONE,\n  LAST_ONE\n};", b"enum e {\n  FIRST_ONE,\n  LAST_ONE\n};"),
        (b"#define LIB_API extern int f(x)", b"#define LIB_API extern int f(x)"),
        (b"LIB_API enum E { A };", b"        enum E { A };"),
        (b"EXPORT template <class T>", b"       template <class T>"),
        (b"int a;\nBEGIN_TESTS(a, f(b)) // c\nint b;", b"int a;\n" + b" " * 21 + b"// c\nint b;"),
        (b"int a = b\n + OF_ALL(c)\n;", b"int a = b\n + OF_ALL(c)\n;"),
        (b"SOME_TEST(a)\n{", b"SOME_TEST(a)\n{"),
        (b"LIB_API auto operator|(A a, A b)", b"        auto operator|(A a, A b)"),
    ],
)
def test_macros_are_hidden_in_place(source: bytes, hidden: bytes) -> None:
    assert hide_macros(source) == hidden


@pytest.mark.parametrize("unit", [b"AAA ", b"class AAA bbb ", b"AAA(x) ", b"template <a> ", b"((", b"/* x", b"AAA_B\n"])
def test_hiding_macros_takes_time_in_proportion(unit: bytes) -> None:
    source = unit * 100_000
    assert len(hide_macros(source)) == len(source)


def test_a_large_file_has_the_same_definitions_as_a_small_one() -> None:
    """Above a size the parser runs under a deadline, on another way through tree-sitter."""
    part = b"LIMIT_A = 1\nname_b = 2\n# doc\ndef f(a):\n    return a\n\n\n"
    small = parse_source("python", part)
    large = parse_source("python", part * 2_000)
    assert large.status is ParseStatus.OK
    assert [one.kind for one in large.symbols] == [one.kind for one in small.symbols] * 2_000
    assert {one.doc for one in large.symbols if one.name == "f"} == {"doc"}


def test_nothing_keeps_a_large_source_that_was_parsed() -> None:
    """The parser holds for ever what a callback gave it to read."""
    source = b"a = 1\n" * 20_000
    before = sys.getrefcount(source)
    parse_source("python", source)
    assert sys.getrefcount(source) == before


def test_a_source_that_is_read_in_pieces_has_the_same_tree() -> None:
    """Pieces of 16 KB end within a letter and within a token here."""
    source = "näme = 'ööööö'\n".encode() * 2_800
    pieces, whole = parse_source("python", source), parse_source("python", source, watched=False)
    assert pieces.root is not None
    assert str(pieces.root) == str(whole.root)


VALUES = """1 -1 1.5 "x" `raw` 'c' T{1} f(x) f[int](3) x.y.z x[0] x["k"] x[1:2] x[i+1] x[len(x)-1] x.(T)
a.b(c).d &x !ok <-ch *p+1 (a+b) a==b time.Now() []int{1} [...]int{1} []*T{} []byte("x") map[string]int{"a":1}
pkg.T{A:1} T[int]{} new("x")""".split()
TYPES = """T *T **T pkg.T []int [3]int [N][]*T List[int] pkg.List[[]int] Map[K,[]V] map[string][]T map[K]struct{}
chan(int) <-chan(T)
func() func(int)string func(a,b)(T,error) interface{} interface{F()} struct{} struct{a(int)} any (T)""".split()


@pytest.mark.parametrize("value", [*VALUES, '\n\t\t"x",\n\t', "a + b", "x == nil"])
def test_new_of_a_value_is_go(value: str) -> None:
    source = f"package a\n\nvar p = new({value})\n\nfunc f() {{\n\tg(new({value}), new(T))\n}}\n"
    parsed = parse_source("go", source.encode())
    assert (parsed.status, parsed.error) == (ParseStatus.OK, "")
    assert [(one.name, one.signature) for one in parsed.symbols][1:] == [("f", "func f()")]
    assert parsed.symbols[0].signature.startswith("var p = new(")


@pytest.mark.parametrize("type_", TYPES)
def test_new_of_a_type_parses_as_before(type_: str) -> None:
    source = f"package a\n\nfunc f() {{\n\tg(new({type_}))\n}}\n".encode()
    language = LANGUAGES["go"]
    assert language.rewrite is not None
    assert type_ == "(T)" or language.rewrite(source) == source
    grammar = load_grammar("go")
    assert grammar is not None
    before = grammar.parser.parse(source).root_node.has_error
    assert grammar.parser.parse(language.rewrite(source)).root_node.has_error == before


def test_other_functions_named_new_stay() -> None:
    language = LANGUAGES["go"]
    assert language.rewrite is not None
    source = b'x.new("x"); renew(1); \xc3\xa9new(1)'
    assert language.rewrite(source) == source
    assert [one.name for one in parse_source("go", b"package a\n\nfunc new(a *T) {\n}\n").symbols] == ["new"]


NESTED = {
    "yaml keys": ("yaml", lambda at: f"{' ' * at}k{at}:\n"),
    "yaml keys with lists": ("yaml", lambda at: f"{' ' * at}k:\n{' ' * at}-\n"),
    "yaml lists": ("yaml", lambda at: f"{' ' * at}-\n"),
    "yaml lists in one line": ("yaml", lambda _at: "- "),
    "yaml keys in one line": ("yaml", lambda _at: "? "),
    "python": ("python", lambda at: f"{' ' * at}if x:\n"),
    "haskell": ("haskell", lambda at: f"{' ' * at}f{at} = do\n"),
    "scala": ("scala", lambda at: f"{' ' * at}def f{at} =\n"),
    "elixir": ("elixir", lambda at: f"{' ' * at}if x do\n"),
    "make": ("make", lambda _at: "ifdef A\n"),
    "markdown": ("markdown", lambda at: f"{'  ' * at}- a\n"),
}
PARSE = """
import sys
from cocosearch_py.parsing import parse_source

for depth in (90, 99, 100, 300, 1500):
    parsed = parse_source(sys.argv[1], sys.stdin.buffer.read(int(sys.stdin.buffer.readline())))
    print(parsed.status.value, parsed.error)
"""


@pytest.mark.parametrize("name", NESTED)
def test_deep_indentation_does_not_end_the_process(name: str) -> None:
    language_id, level = NESTED[name]
    sources = [("".join(map(level, range(depth))) + "\n").encode() for depth in (90, 99, 100, 300, 1500)]
    done = subprocess.run(
        [sys.executable, "-c", PARSE, language_id],
        input=b"".join(b"%d\n%s" % (len(source), source) for source in sources),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 5
    if language_id == "yaml":
        assert lines[3] == lines[4] == "error line 1, column 1: lines indented more than 100 levels deep, not parsed"
        assert "not parsed" not in lines[0]


def test_levels_of_indentation_are_those_at_one_time() -> None:
    wide = b"".join(b" " * (at % 99) + b"- a\n" for at in range(1_000)) + b"k: |\n" + b" " * 5_000 + b"x\n"
    assert nested_too_deep(wide, 100) is None
    assert nested_too_deep(wide, 98) == "lines indented more than 98 levels deep"
    assert nested_too_deep(b"- " * 1_000, None) is None


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class A { fun f() = 1 }", "A f"),
        ("class A { private val x = 1 } // one", "A x"),
        ("class A { fun f() { } }", "A f"),
        ("class A { companion object { val x = 1 } }", "A x"),
        ("interface A { fun f(); fun g() }", "A f g"),
        ("enum class E { A, B; fun f() = 1 }", "E A B f"),
        ("sealed class R { object A : R() }", "R A"),
        ("class A { }", "A"),
        ("fun f() { g(A::class) { it } }", "f"),
        ('val s = "class ${ x }"', "s"),
    ],
)
def test_kotlin_bodies_of_one_line(source: str, names: str) -> None:
    parsed = parse_source("kotlin", source.encode() + b"\n")
    assert (parsed.status, parsed.error) == (ParseStatus.OK, "")
    assert [one.name for one in parsed.symbols] == names.split()


def test_a_busy_machine_stops_no_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = itertools.count(0, 3600)
    monkeypatch.setattr("time.monotonic", lambda: float(next(hours)))  # as if others had the processor in between
    parsed = parse_source("python", b"def before():\n    pass\n" * 2_000)
    assert (parsed.status, len(parsed.symbols)) == (ParseStatus.OK, 2_000)


def test_a_parse_whose_calls_are_slow_is_stopped_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = _Watch(deadline=3.0)
    monkeypatch.setattr("time.thread_time", lambda: float(watch.calls))  # each call takes a second
    assert [watch(1_000 * number, False) for number in range(1, 5)] == [False, False, False, True]


@pytest.mark.slow
def test_a_parse_that_would_never_end_is_stopped() -> None:
    parsed = parse_source("kotlin", ENDLESS_KOTLIN)
    assert (parsed.status, parsed.root) == (ParseStatus.ERROR, None)
    assert parsed.error == "line 1, column 1: parsing took too long"


@pytest.mark.parametrize(("language_id", "at"), [("lua", 13), ("zig", 7)])
def test_text_that_is_no_utf8_is_at_most_without_definitions(language_id: str, at: int) -> None:
    source = SAMPLES[language_id]
    assert parse_source(language_id, source).symbols
    parsed = parse_source(language_id, source[:at] + b"\xff" + source[at + 1 :])
    assert parsed.status in (ParseStatus.PARTIAL, ParseStatus.ERROR)
    omitted = parsed.error.endswith("line 1: the text is not UTF-8; its definitions are skipped")
    assert omitted != bool(parsed.symbols)  # whether a query compares the text in question depends on the language


@pytest.mark.parametrize("text", ["\N{GRINNING FACE}", "\N{CJK UNIFIED IDEOGRAPH-4E2D}", "\u00e9", "\u2500 "])
def test_text_of_other_scripts_is_no_punctuation(text: str) -> None:
    parsed = parse_source("javascript", f'const TEXT = "{text * 25_000}";\nfunction after() {{}}\n'.encode())
    assert (parsed.status, [one.name for one in parsed.symbols]) == (ParseStatus.OK, ["TEXT", "after"])


@pytest.mark.parametrize("source", ["[" + ", ,;;" * 10_000 + "]", "/*" + "=" * 40_000 + "*/"])
def test_what_is_too_dense_to_look_for_definitions_is_partial(source: str) -> None:
    parsed = parse_source("javascript", f"function before() {{}}\n{source}\n".encode())
    assert parsed.status is not ParseStatus.OK
    assert parsed.error.endswith("line 1: too many tokens in one place; its definitions are skipped")
    assert parsed.symbols == ()


def test_marks_with_more_than_one_space_between_them_are_no_dense_run() -> None:
    several = ("+ " * 19_999 + " ") * 3  # with a search from each mark on this would take a minute
    assert not _is_dense(several.encode())
    assert _is_dense(f"{several}{'+ ' * 20_000}".encode())


def test_swift_has_values_without_anything_in_them() -> None:
    calls = "promise.succeed(())\n  let x = y ?? ()\n  send((), to: ())\n  map {\n    ()\n  }\n  return ()\n"
    source = f"func run(_ f: (()) -> Void) -> () {{\n  {calls}}}\nclass After {{ let done: () -> Void = {{ () }} }}\n"
    parsed = parse_source("swift", source.encode())
    assert (parsed.status, parsed.error) == (ParseStatus.OK, "")
    assert [one.qualified_name for one in parsed.symbols] == ["run", "After", "After.done"]


def test_several_threads_parse_one_after_the_other() -> None:
    """With the same parser in two of them, in parses that are long enough to look at the clock, the process crashes."""
    program = """
import sys, threading
from cocosearch_py.parsing import parse_source
sys.setswitchinterval(1e-5)
source = b"def f(a):\\n    return g(a) + [1, 2]\\n" * 2_500

def parse():
    for _ in range(4):
        found.append(len(parse_source("python", source).symbols))

found = []
threads = [threading.Thread(target=parse) for _ in range(6)]
[one.start() for one in threads]
[one.join() for one in threads]
print(len(found), set(found))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "24 {2500}\n")


@pytest.mark.parametrize("language_id", sorted(SAMPLES))
def test_a_missing_newline_at_the_end_changes_nothing(language_id: str) -> None:
    lines = SAMPLES[language_id].rstrip(b"\n").split(b"\n")
    for count in range(1, len(lines) + 1):
        text = b"\n".join(lines[:count])
        without, whole = parse_source(language_id, text), parse_source(language_id, text + b"\n")
        assert (without.status, without.error, without.facts) == (whole.status, whole.error, whole.facts), text
        expected = [one._replace(end_byte=min(one.end_byte, len(text))) for one in whole.symbols]
        assert list(without.symbols) == expected, text
        assert all(last <= len(text) for _, last in (*without.comments, *without.error_places)), text
