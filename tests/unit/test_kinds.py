"""Queries whose inner nodes are wildcards find what they find without."""

import re
from itertools import pairwise

import pytest
from tree_sitter import Node, Query, QueryCursor

from cocosearch_py.languages import LANGUAGES, facts_query, symbols_query
from cocosearch_py.parsing.captures import Match
from cocosearch_py.parsing.kinds import are_right, kinds_of, loose_patterns, loosened
from cocosearch_py.parsing.parsers import load_grammar, parser_of

TEXTS = {
    language_id: text
    for language_id in LANGUAGES
    if re.search(r"\([~=]", text := f"{symbols_query(language_id) or ''}\n{facts_query(language_id) or ''}")
}
_LEAVES = re.compile(r"\[(?: \( \w+ \))+")  # alternatives without children
C = """
int a, *b, c[2], d = 1, *e = 0, f(void), (*g)(int), (*h)(int) = 0, *(*i)(int), *j[2] = {0}, (*k[2])(void);
#ifdef X
static char *l = "", m[] = "";
#else
char *l;
#endif
typedef struct { int x, *y, **z, v[2], *w[3], (*cb)(int), *(*cc)(int); } S, *SP;
typedef int (*Fn)(int), Arr[3];
typedef enum { ONE } E;
typedef union { int x; } U;
int n(int o) { int p = 1, *q = &p; return n(*q); }
"""
CPP = """
namespace s { int a = 1, *b; template <class T> struct V { V(); ~V(); bool operator==(V) const; T& at(int); int& r; }; }
template <> struct s::V<int> : base<int>, t::Other { V(int); explicit V(char) {} };
class s::W { };
s::W::W() {}
int s::W::f() { return 0; }
template <class T> T& s::V<T>::at(int i) { return x; }
int& (g)(int);
char *s::V<int>::h() { return new s::W(); }
bool s::a::operator<(int) { return new X<int>(); }
TEST(Suite, Name) { s::f<int>(1); a.b(); (*c)(); }
"""
ECMASCRIPT = """
const a = require("a"), b = require("b").c, d = require("e")(f), g = i("h");
const j = k = function () {}; l = m.n = () => 1; o.p = q = function* () {};
exports.Router = require("r"); module.exports.S = T; u.exports = v;
A.prototype.w = function () {}; x.y = () => 1; z.aa = class { b = () => 1; c = function () {}; e = 1 };
const ab = { ac: () => 1, ad: 2, ae() {} }; af = { ag: function () {} }; export default { ah: () => 1 };
"""
SOURCES = {
    "c": C,
    "cpp": C + CPP,
    "csharp": """
class A : B.C, D<E> { void F() { G(); H<I>(); this.J(); k.L<M>(); n?.O(); p?.Q<R>(); new S(); new T<U>(); new V.W(); } }
""",
    "elixir": """
defmodule A do
  @moduledoc "about"
  @behaviour B
  @type t :: x
  @typedoc "u"
  @type u(a) :: a
  @doc "cb"
  @callback v(a) :: b
  @callback w(a) :: b when a: c
  @limit 3
  defstruct [:x]
  @doc "f"
  def f(x) when x > 1, do: &g/1
  defp g, do: h(1)
  defmacro i(x, y), do: x
  def j when k, do: 1
  def a + b, do: a
end
""",
    "haskell": """
module M where
data A = B Int | (:+) C | D { e :: F } | G :*: H deriving (Show, Eq)
pattern P :: Q
pattern P x = R x
class (S a, T a) => U a where
  v, w :: a
  (+++) :: a -> a
  v = w
instance U A where
  v = x
x, y :: Int
x `op` y = z
(<+>) = q
a +++ b = a
""",
    "javascript": ECMASCRIPT,
    "typescript": ECMASCRIPT
    + "class B extends c.D implements E<F>, G.H { i = () => 1; j = function () {} }\ninterface K extends L<M> {}\n",
    "tsx": ECMASCRIPT + "class B extends c.D implements E<F>, G.H { i = () => 1; j = function () {} }\n",
    "kotlin": """
val a = 1
var b = 2
val (c, d) = e
fun F.g() {}
fun H<I>.j() {}
fun K?.l() {}
val M<N>?.o: Int get() = 1
class P : Q(), R<S>(), T, U<V> by w { val x = y.z(); var aa = 1 }
enum class AB {
    AC;
    val ad = 1
}
""",
    "php": """<?php
define('A', 1);
$f = function () {};
$g = fn() => $this->h()->{$i}();
$j = 1;
class K { function l($m) { $this->n = fn() => 1; return $m instanceof O ? new P() : Q::r(); } }
""",
    "python": """
import a
class B(C, d.E, F[g], H[i.j], metaclass=k.L):
    m = n = 1
    if o:
        p = 2
    else:
        q: "r" = 3
    def s(self, t: u.V | w, x: Y[z]) -> None:
        with aa() as ab, ac.ad() as ae:
            [*af(1)]
        try:
            ag = ah.ai()
        except (aj, ak.al) as am:
            an += 1
        except ao.ap:
            pass
@aq.ar
@at
def au(): ...
if av:
    aw = 1
    if ax:
        ay += 1
""",
    "rust": """
use a;
use b::c;
use d::*;
use e::f as g;
use h::{self, i, j as k};
use l::{m::n, o::*, p::q as r, s::{t, u as v}};
mod w { use super::x; }
impl y::Z for A<B> { fn c() { d::<E>(); f.g::<H>(); i::j::<K>(); l!(); m::n!(); } }
impl O<P> for Q {}
impl R for S {}
""",
    "zig": """
const a = @import("b").c;
fn f(self: D) void {
    self.g();
    h();
}
""",
    "ruby": """
require "i"
require_relative "j"
A = Struct.new(:b) do
  def c; end
end
D = e.new
K, L = 1, 2
class F < G::H
  include M, N::O
  attr_reader :p, :q
  scope :r, -> { s :t }
  private def u; end
  private_class_method def self.v; end
  load w
end
test "x" do
end
""",
    "scala": """
object A { val a, b = 1; val (c, d) = e; var f, g = 2; val h: Int; var i: Int }
val aa = 1
var bb = 2
enum J:
  case K
  val l = 1
class S:
  val t = 1
  var u = 2
extension (m: N[O]) def p = 1
extension (q: R) def s = 1
""",
    "swift": """
let a = 1
var b: Int { 1 }
class C { var d = 1; let e: Int { 2 } }
enum F { case g; var h: Int { 3 } }
protocol I { var j: Int { get } }
func k() { l(); m.n(); o.p.q() }
""",
}


def test_a_kind_becomes_a_wildcard_with_a_capture() -> None:
    query = '; (~no\n(a (~b (c) @d) @e "(~f)" [(~g h: (_)) (=i j: (k))] (#match? @d "\\\\(~(=l"))'
    expected = '; (~no\n(a (_ (c) @d) @is.b @e "(~f)" [(_ h: (_)) @is.g (_ j: (k))] (#match? @d "\\\\(~(=l"))'
    assert loosened(query) == expected
    assert loosened("(a) @b") == "(a) @b"


@pytest.mark.parametrize("language_id", sorted(TEXTS))
def test_matches_are_the_same(language_id: str) -> None:
    parser = parser_of(language_id)
    assert parser is not None and parser.language is not None
    root = parser.parse(SOURCES[language_id].encode()).root_node
    assert not root.has_error, root
    strict = Query(parser.language, re.sub(r"\([~=]", "(", TEXTS[language_id]))
    text = loosened(TEXTS[language_id])
    loose = Query(parser.language, text)
    patterns, kinds = loose_patterns(loose, text.encode()), kinds_of(loose)
    found = QueryCursor(loose).matches(root)
    kept = [match for match in found if match[0] not in patterns or are_right(match[1], kinds)]
    expected = QueryCursor(strict).matches(root)
    assert [_shown(match) for match in kept] == [_shown(match) for match in expected]
    used = {number for number, _ in kept} & patterns
    assert len(used) >= len(patterns) / 2, sorted(patterns - used)


def _shown(match: Match) -> tuple[int, dict[str, list[tuple[str, int, int]]]]:
    def places(nodes: list[Node]) -> list[tuple[str, int, int]]:
        return [(node.type, node.start_byte, node.end_byte) for node in nodes]

    return match[0], {name: places(nodes) for name, nodes in match[1].items() if not name.startswith("is.")}


@pytest.mark.parametrize("language_id", sorted(TEXTS))
def test_the_kinds_are_those_of_the_grammar(language_id: str) -> None:
    """tree-sitter says so of the kinds that it reads; a wildcard is a wildcard."""
    grammar = load_grammar(language_id)
    assert grammar is not None and grammar.parser.language is not None
    kinds = set(re.findall(r"\(~(\w+)", TEXTS[language_id]))
    assert set(grammar.kinds.values()) == kinds
    kinds |= set(re.findall(r"\(=(\w+)", TEXTS[language_id]))
    assert [kind for kind in sorted(kinds) if grammar.parser.language.id_for_node_kind(kind, True) is None] == []


@pytest.mark.parametrize("language_id", sorted(TEXTS))
def test_no_wildcard_stands_where_it_would_hide_a_match(language_id: str) -> None:
    """All alternatives with children are wildcards, or none; nothing that may be missing or repeated is one."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[()\[\]]|[^\s()\[\]";]+', re.sub(r";[^\n]*", "", TEXTS[language_id]))
    around: list[int] = []  # where the brackets that are open stand
    alternatives: list[set[str]] = []  # in each of them, what kinds of
    for at, (token, following) in enumerate(pairwise([*tokens, ""])):
        if token in "([":
            around.append(at)
            alternatives.append(set())
        elif token in ")]":
            body, kinds = tokens[around.pop() : at], alternatives.pop()
            is_loose = any(part.startswith("~") for part in body)
            assert not (is_loose and following[:1] in ("?", "*", "+")), body
            assert body[0] == "(" or "loose" not in kinds or kinds <= {"loose", "captured"}, body
            if around and tokens[around[-1]] == "[":
                has_children = len(body) > 2 and not _LEAVES.fullmatch(" ".join(body))
                is_loose = body[1].startswith("~") or (body[1] == "_" and is_loose)
                own = "loose" if is_loose else "strict" if has_children or following[:1] != "@" else "captured"
                alternatives[-1].add(own)
