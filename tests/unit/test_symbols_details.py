"""Details of definitions that hold across languages: clauses, visibility, signatures, spans and docs."""

import pytest

from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing import parse_source


def _symbols(language_id: str, source: str) -> list[Symbol]:
    return list(parse_source(language_id, source.encode()).symbols)


def _named(language_id: str, source: str, name: str) -> Symbol:
    (symbol,) = [one for one in _symbols(language_id, source) if one.name == name]
    return symbol


def _text(source: str, symbol: Symbol) -> str:
    return source.encode()[symbol.start_byte : symbol.end_byte].decode()


ELIXIR = """\
defmodule A do
  @doc "Sums."
  def sum([]), do: 0
  # the rest
  def sum([head | tail]) do
    head + sum(tail)
  end

  @doc "Sums from."
  def sum(list, start), do: start + sum(list)
  def sum(list, start, _), do: start
  def other, do: 1
  def sum(_, _, _, _), do: 2
  def go(a), do: go(a, 1)
  defp go(a, b), do: a + b
end
"""


def test_clauses_of_an_elixir_function_are_one_definition() -> None:
    _module, *rest = _symbols("elixir", ELIXIR)
    found = [(one.name, one.signature, one.doc, one.start_line, one.end_line, one.visibility) for one in rest]
    assert found == [
        ("sum", "def sum([]), do: 0", "Sums.", 3, 7, "public"),
        ("sum", "def sum(list, start), do: start + sum(list)", "Sums from.", 10, 10, "public"),
        ("sum", "def sum(list, start, _), do: start", "", 11, 11, "public"),
        ("other", "def other, do: 1", "", 12, 12, "public"),
        ("sum", "def sum(_, _, _, _), do: 2", "", 13, 13, "public"),
        ("go", "def go(a), do: go(a, 1)", "", 14, 14, "public"),
        ("go", "defp go(a, b), do: a + b", "", 15, 15, "private"),
    ]
    assert {one.parent for one in rest} == {0}
    assert _text(ELIXIR, rest[0]).endswith("sum(tail)\n  end")


def test_signature_and_equations_of_a_haskell_function_are_one_definition() -> None:
    source = (
        "-- | Scale.\nscale :: Int -> Int\nscale 0 = 0\n-- else\nscale n = go n\n"
        "  where\n    go 0 = 1\n    go m = m\n\nother = 1\n"
        "instance Show (a -> b) where\n  show _ = 1\ninstance Show [a] where\n  show [] = 1\n  show _ = 2\n"
    )
    found = [(one.kind, one.name, one.parent, one.start_line, one.end_line) for one in _symbols("haskell", source)]
    assert found == [
        ("function", "scale", None, 2, 8),
        ("function", "go", 0, 7, 8),
        ("function", "other", None, 10, 10),
        ("impl", "Show", None, 11, 12),
        ("method", "show", 3, 12, 12),
        ("impl", "Show", None, 13, 15),
        ("method", "show", 5, 14, 15),
    ]
    scale = _symbols("haskell", source)[0]
    assert (scale.signature, scale.doc) == ("scale :: Int -> Int", "Scale.")


@pytest.mark.parametrize(
    ("language_id", "source", "name", "visibility"),
    [
        ("kotlin", "class C {\n    private val a = 1\n}\n", "a", "private"),
        ("java", "class C {\n    private int i = 1;\n}\n", "i", "private"),
        ("swift", "class C {\n    @preconcurrency public func on() {}\n}\n", "on", "public"),
        ("swift", "class C {\n    private(set) var size = 1\n}\n", "size", "internal"),
        ("swift", "public extension C {\n    func plain() {}\n    private func hidden() {}\n}\n", "plain", "public"),
        ("swift", "public extension C {\n    func plain() {}\n    private func hidden() {}\n}\n", "hidden", "private"),
        ("swift", "extension C {\n    func plain() {}\n}\n", "plain", "internal"),
        ("kotlin", 'class C {\n    @Deprecated("use a private one") fun f() {}\n}\n', "f", "public"),
        ("java", "enum E {\n    A;\n    void f() {}\n}\n", "A", "public"),
        ("java", "enum E {\n    A;\n    void f() {}\n}\n", "f", "internal"),
        ("zig", "const S = struct {\n    size: u32,\n    const own = 1;\n};\n", "size", "public"),
        ("zig", "const S = struct {\n    size: u32,\n    const own = 1;\n};\n", "own", "private"),
        ("zig", "pub const E = enum {\n    first,\n    const own = 1;\n};\n", "first", "public"),
        ("zig", "pub const E = enum {\n    first,\n    const own = 1;\n};\n", "own", "private"),
        ("rust", "struct S {\n    pub u: u8,\n    b: u8,\n}\npub(crate) fn p() {}\n", "p", "internal"),
        ("elixir", "defmodule A do\n  defp d(x), do: x\nend\n", "d", "private"),
    ],
)
def test_visibility_is_read_from_what_stands_before_the_name(
    language_id: str, source: str, name: str, visibility: str
) -> None:
    assert _named(language_id, source, name).visibility == visibility


@pytest.mark.parametrize(
    ("language_id", "source", "name"),
    [
        ("scala", "object A {\n  def :+(x: Int): Int = x\n}\n", ":+"),
        ("scala", "object A {\n  def ::(x: Int): Int = x\n}\n", "::"),
        ("haskell", "data T = Int :+: Int\n", ":+:"),
        ("ruby", "class A\n  attr_reader :size\nend\n", "size"),
    ],
)
def test_colons_belong_to_operators_and_not_to_ruby_symbols(language_id: str, source: str, name: str) -> None:
    assert name in [one.name for one in _symbols(language_id, source)]


SCALA = """\
object A:
  /** First. */
  def first =
    val a = 1
    a + 1 // behind code
    // inside

  /** Second. */
  def second(
    a: Int
  ) =
    a

  // a remark

// B.
class B
"""


def test_an_indented_scala_body_ends_before_the_next_comment() -> None:
    first = _named("scala", SCALA, "first")
    assert (first.start_line, first.end_line) == (3, 6)
    assert _text(SCALA, first).endswith("// inside")
    second = _named("scala", SCALA, "second")
    assert (second.doc, second.end_line, _text(SCALA, second).split()[-1]) == ("Second.", 12, "a")
    assert _named("scala", SCALA, "A").end_line in (12, 14)
    assert _named("scala", SCALA, "B").doc == "B."


def test_qualified_names_have_dots_for_backslashes() -> None:
    source = "<?php\nnamespace Shop\\Cart;\nclass Item { function add() {} }\n"
    assert [one.qualified_name for one in _symbols("php", source)] == ["Shop.Cart.Item", "Shop.Cart.Item.add"]


@pytest.mark.parametrize(
    ("language_id", "source", "name", "signature"),
    [
        (
            "java",
            'class C {\n    @Column(\n        name = "x"\n    )\n    @Id\n    long id = 1;\n}\n',
            "id",
            "long id = 1;",
        ),
        ("java", "class C {\n    @Id long id;\n}\n", "id", "@Id long id;"),
        ("csharp", "class C {\n    [Key]\n    public int id = 1;\n}\n", "id", "public int id = 1;"),
        ("rust", "struct S {\n    #[serde(default)]\n    pub size: u8,\n}\n", "size", "pub size: u8"),
        ("python", "LIMITS = {\n    1: 2,\n}\n", "LIMITS", "LIMITS"),
        ("scala", "object A {\n  def f(x: Int): Int =\n    x\n}\n", "f", "def f(x: Int): Int"),
        ("javascript", "const f = (a) => a;\n", "f", "const f = (a)"),
        ("elixir", "defmodule A do\n  @type t :: atom\nend\n", "t", "@type t :: atom"),
    ],
)
def test_signature_is_the_line_of_the_name(language_id: str, source: str, name: str, signature: str) -> None:
    assert _named(language_id, source, name).signature == signature


def test_an_operator_keeps_its_name_when_qualified() -> None:
    source = "object A {\n  def ::(x: Int): Int = x\n}\n"
    assert [one.qualified_name for one in _symbols("scala", source)] == ["A", "A.::"]


@pytest.mark.parametrize("language_id", ["elixir", "python"])
def test_comment_spans_are_unique(language_id: str) -> None:
    source = ELIXIR if language_id == "elixir" else '"""Doc."""\ndef f():\n    """Doc."""\n# one\n'
    comments = parse_source(language_id, source.encode()).comments
    assert len(comments) == 3
    assert len(set(comments)) == len(comments)


@pytest.mark.parametrize(
    ("language_id", "source", "doc"),
    [
        ("javascript", "/**\n * Sets.\n */\n\nres.status = function status() {};\n", "Sets."),
        ("typescript", "/** Sets. */\n\nexport function status() {}\n", "Sets."),
        ("javascript", "/**\n * Sets.\n */\n\n\nres.status = function status() {};\n", ""),
        ("javascript", "/* Sets. */\n\nres.status = function status() {};\n", ""),
        ("javascript", "// Sets.\n\nres.status = function status() {};\n", ""),
        ("javascript", "/** Sets. */ a();\n\nres.status = function status() {};\n", ""),
        ("javascript", "/** @license MIT */\n\nfunction status() {}\n", ""),
        ("java", "/** Sets. */\n\nclass status {}\n", ""),
    ],
)
def test_a_jsdoc_may_stand_one_blank_line_above(language_id: str, source: str, doc: str) -> None:
    assert _named(language_id, source, "status").doc == doc


@pytest.mark.parametrize(
    ("language_id", "source", "name", "signature"),
    [
        ("c", "typedef struct {\n  int a;\n} point_t;\n", "point_t", "typedef struct … point_t;"),
        ("c", "ssize_t\ncopy(int a)\n{\n}\n", "copy", "ssize_t copy(int a)"),
        ("c", "struct a {\n  struct {\n    int b;\n  } inner;\n};\n", "inner", "struct { int b; } inner;"),
        ("cpp", "template <typename T>\nusing list = int;\n", "list", "template <typename T> using list = int;"),
        ("csharp", f'class A {{\n  [Why("{"x" * 200}")]\n  public int F() {{ }}\n}}\n', "F", "public int F()"),
        ("kotlin", f'@Why(\n  "{"x" * 200}"\n)\nfun f(a: Int) = 1\n', "f", "fun f(a: Int)"),
        ("java", f"@A({{ {', '.join(['1'] * 90)} }})\nclass K {{\n}}\n", "K", "class K"),
        ("ruby", "class A\n  attr_reader :a,\n    :b\nend\n", "b", "attr_reader :a, :b"),
    ],
)
def test_a_signature_holds_the_name(language_id: str, source: str, name: str, signature: str) -> None:
    assert _named(language_id, source, name).signature == signature


@pytest.mark.parametrize(
    ("language_id", "comment", "doc"),
    [
        ("javascript", "// Adds.\n// eslint-disable-next-line no-undef", "Adds."),
        ("javascript", "/* istanbul ignore next */", ""),
        ("typescript", "/** Adds. */\n// @ts-ignore because", "Adds."),
        ("python", "# Adds.\n# pylint: disable=all", "Adds."),
        ("python", "# noqa: F401", ""),
        ("python", "#!/usr/bin/env python", ""),
        ("go", "// f adds.\n//\n//go:noinline", "f adds."),
        ("ruby", "# frozen_string_literal: true", ""),
        ("haskell", "{-# INLINE f #-}", ""),
        ("c", "/* NOLINT(x) */", ""),
        ("c", "/* ======================= */", ""),
        ("c", "/*****************\n * Adds.\n *****************/", "Adds."),
        ("rust", "// ------------------\n// Adds a -- b.\n// ------------------", "Adds a -- b."),
        ("python", "# Types of pragmas, a flow of eslint", "Types of pragmas, a flow of eslint"),
    ],
)
def test_pragmas_and_rules_are_no_documentation(language_id: str, comment: str, doc: str) -> None:
    code = {
        "python": "def f(): pass", "go": "func f() {}", "ruby": "def f; end", "haskell": "f = 1", "rust": "fn f() {}",
        "c": "int f(void) {}",
    }.get(language_id, "function f() {}")  # fmt: skip
    package = "package a\n\n" if language_id == "go" else ""
    assert _named(language_id, f"{package}{comment}\n{code}\n", "f").doc == doc
