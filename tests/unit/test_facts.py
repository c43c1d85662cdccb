"""References, imports and figures of functions, as the parser finds them."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import cocosearch_py
from cocosearch_py.languages import LANGUAGES, facts_query
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.references import Import, Metrics, Reference
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing import has_grammar, parse_source
from cocosearch_py.parsing.parsers import load_grammar
from cocosearch_py.parsing.scopes import innermost
from cocosearch_py.parsing.source import MAX_DEPTH_OF_MATCHES, MAX_OPEN_MATCHES

WITH_FACTS = sorted(id for id in LANGUAGES if facts_query(id) is not None and has_grammar(id))
OWN_SOURCES = sorted(Path(cocosearch_py.__file__).parent.rglob("*.py"))
PYTHON = b"""\
from .shop import Cart as Basket, price
import os.path, json as codec
from lib import *
LIMIT = 3
class Order(Base, lib.Mixin, Generic[T]):
    @cached
    def total(self, basket: "Basket", rate: int | None | Rate = 3, *, net, **more) -> List[Money]:
        try:
            return basket.lines(price).sum(LIMIT, e=rate)
        except (Broken, Gone) as e: pass
        except Late: pass
        with open(rate) as f: Order.x; y = lambda z: z
        return Basket
"""
SCRIPT = b"""\
import Shop, { price as cost } from "./shop";
import * as ui from '../ui';
import "./style.css";
export { total } from "./total";
export * from "./all";
const { a, b: c } = require("./lib");
const LIMIT = 3;
class Order extends ui.Base {
  total(rate, { net }, ...more) {
    if (rate && net) { for (const x of more) { x.go(cost); } } else if (rate) {} else { new Shop.Cart(LIMIT, other); }
    return a ? { LIMIT } : Shop;
  }
}
const view = (x) => import("./lazy");
"""


def short(references: tuple[Reference, ...]) -> list[str]:
    return [
        f"{one.line}:{one.column} {one.kind} {one.qualifier and one.qualifier + '.'}{one.name}"
        for one in references
        if one.kind not in ("gives", "holds")
    ]


def test_references_of_python() -> None:
    facts = parse_source("python", PYTHON).facts
    assert short(facts.references) == [
        "5:13 inherit Base",
        "5:23 inherit lib.Mixin",
        "5:30 inherit Generic",
        "6:6 call cached",
        "7:30 type Basket",
        "7:45 type int",
        "7:58 type Rate",
        "7:87 type List",
        "7:92 type Money",
        "9:27 call basket.lines",
        "9:33 read price",
        "9:40 call ….sum",
        "9:44 read LIMIT",
        "11:16 type Late",
        "12:14 call open",
        "12:31 read Order",
        "13:16 read Basket",
    ]
    assert {one.symbol for one in facts.references} == {1, 2}


def test_types_before_names_of_python() -> None:
    source = b"""\
import lib
from a import Foo, make
top = Foo()
class C:
    z: Foo
    def __init__(self, crawler: "Foo", other: lib.Other[int], n: int = 3):
        self.crawler = crawler
        self.y = lib.Bar(1)
        self.w = Foo() if n else None
    def run(self, db: Foo | None, o: Optional[Foo] = None, both: Foo | Bar = x):
        self.crawler.a(); self.y.b(); self.z.c(); self.w.d(); db.e(); o.f(); both.g(); top.h(); Foo(1).i()
        x.j()
        x = Foo(); x.k()
        x = Bar(); x.l()
        with lib.Open(1) as f: f.m()
        v = make(); v.n()
        def inner(): db.o(); self.y.p()
    def other(self, db): db.q(); self.run().r()
"""
    found = {one.name: one.receiver for one in parse_source("python", source).facts.references if one.qualifier}
    expected = (
        "a Foo,b lib.Bar,c Foo,d ,e Foo,f Foo,g ,h Foo,i Foo,j Foo,k Foo,l Bar,m lib.Open,n make(),o Foo,p lib.Bar,"
        "q ,r C().run()"
    )
    told = dict(part.split(" ") for part in expected.split(","))
    assert {name: found[name] for name in "abcdefghijklmnopqr"} == told


def test_how_what_stands_before_names_is_got() -> None:
    source = b"""\
from a import Foo, make, rule
class C(Base):
    z: list[Foo]
    def __init__(self, d: dict[str, Foo], items: "Sequence[Foo]"):
        self.d = d
        self.items = items
    def build(self, n) -> "Optional[Foo]": ...
    def run(self, given):
        for x in self.items: x.a()
        for y in self.z: y.b()
        for v in self.d.values(): v.c()
        self.d["a"].d(); self.build(1).e(); self.inherited.f()
        w = self.build(2); w.g(); u = w.other; u.h(); make(3).of(1)[0].i()
        [q.j() for q in make()]
        open().k(); given.l(); given.made().m(); super().n()
        @rule("a")
        def handler(): pass
        handler.o()
        x = x.parent; x.p()
"""
    found = {one.name: one.receiver for one in parse_source("python", source).facts.references if one.qualifier}
    expected = {
        **dict.fromkeys("abcd", "Foo"), "e": "C().build()", "f": "C().inherited", "g": "C().build()",
        "h": "C().build().other", "i": "make().of()[0]", "j": "make()[]", **dict.fromkeys("klmn", ""),
        "o": "rule()()", "p": "Foo().parent",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


def test_what_functions_give_and_attributes_hold() -> None:
    source = b"""\
from a import Foo, make
top = make()
Alias = Callable[[int], Foo]
class C:
    z: list[Foo]
    def __init__(self): self.y = Foo(); self.y = make(); self.b = Foo(); self.b = Bar()
    def build(self) -> Foo | None: ...
    def plain(self) -> int: ...
    @classmethod
    def new(cls): return cls(1)
    @property
    def prop(self) -> lib.Bar: ...
    def both(self, n): return Foo() if n else Bar()
@contextmanager
def opened():
    yield Foo(1)
def every():
    yield Foo(1)
def passed_on(n):
    if n: return None
    return make(n).x
"""
    told = [one for one in parse_source("python", source).facts.references if one.name.startswith("\u2192")]
    assert [f"{one.line} {one.kind} {one.qualifier}.{one.name[1:]} {one.receiver}" for one in told] == [
        "2 holds .top make()",
        "3 holds .Alias Callable[[int], Foo]",
        "5 holds C.z list[Foo]",
        "6 holds C.y Foo",
        "7 gives C.build Foo",
        "9 gives C.new Self",
        "11 holds C.prop lib.Bar",
        "14 gives .opened Foo",
        "17 gives .every Iterator[Foo]",
        "19 gives .passed_on make().x",
    ]


def test_types_before_names_of_typescript() -> None:
    source = b"""\
class C {
  z: Foo<T> = null; q = new m.Foo();
  constructor(private a: Foo, b?: Foo) { this.k = new Foo(); b.f(); }
  run(ctx: Foo | undefined, p: Promise<Foo>) {
    this.z.a(); this.q.b(); this.a.c(); this.k.d(); ctx.e(); p.g();
    const x: Foo = y; x.h(); const w = new Foo(1); w.i(); new Foo().j();
    const f = (h: Foo) => h.k();
    (y as Foo<Bar<T>>).m(); (y as unknown as Foo).o(); (y as any).n(); (alias).r();
  }
}
ctx.l();
"""
    found = {one.name: one.receiver for one in parse_source("typescript", source).facts.references if one.qualifier}
    assert {found[name] for name in "acdefhijkmo"} == {"Foo"}
    assert [found[name] for name in "bglnr"] == ["m.Foo", "", "", "", ""]


def test_imports_of_python() -> None:
    assert parse_source("python", PYTHON).facts.imports == (
        Import(".shop", "Cart", "Basket", 1),
        Import(".shop", "price", None, 1),
        Import("os.path", None, None, 2),
        Import("json", None, "codec", 2),
        Import("lib", "*", None, 3),
    )


def test_metrics_are_of_the_innermost_function() -> None:
    assert parse_source("python", PYTHON).facts.metrics == ((2, Metrics(3, 1, 4)),)
    inner = "        def b(y, z):\n            while y and z: pass\n"
    nested = f"def a(x):\n    if x:\n{inner}    for i in x:\n        if i: pass\n".encode()
    assert parse_source("python", nested).facts.metrics == ((0, Metrics(4, 2, 1)), (1, Metrics(3, 1, 2)))


def test_references_of_javascript() -> None:
    facts = parse_source("javascript", SCRIPT).facts
    assert short(facts.references) == [
        "4:10 read total",
        "6:21 call require",
        "8:24 inherit ui.Base",
        "10:50 call x.go",
        "10:53 read cost",
        "10:93 read Shop",
        "10:98 call Shop.Cart",
        "10:103 read LIMIT",
        "11:12 read a",
        "11:18 read LIMIT",
        "11:28 read Shop",
    ]
    assert facts.imports == (
        Import("./shop", "default", "Shop", 1),
        Import("./shop", "price", "cost", 1),
        Import("../ui", None, "ui", 2),
        Import("./style.css", None, None, 3),
        Import("./total", "total", None, 4),
        Import("./all", "*", None, 5),
        Import("./lib", "a", None, 6),
        Import("./lib", "b", "c", 6),
        Import("./lazy", None, None, 14, 3),
    )
    symbols = parse_source("javascript", SCRIPT).symbols
    figures = {symbols[number].name: metrics for number, metrics in facts.metrics}
    assert figures == {"total": Metrics(6, 2, 3), "view": Metrics(1, 0, 1)}


def test_calls_with_types_that_are_awaited() -> None:
    source = b"async function g(a) {\n  await f<T>(1);\n  return await a.b<T>(2);\n}\n"
    for language in ("typescript", "tsx"):
        calls = [one for one in parse_source(language, source).facts.references if one.kind == "call"]
        assert [(one.name, one.qualifier, one.line) for one in calls] == [("f", "", 2), ("b", "a", 3)]


def test_types_of_typescript() -> None:
    source = b"""\
import type { Money } from "./money";
export class Order<T> extends Base<Money> implements Sum, ui.Shown {
  constructor(private rate: Rate, public more?: Array<T>) { super(rate as Money); }
}
interface Part extends Whole<Money> {}
"""
    assert short(parse_source("typescript", source).facts.references) == [
        "2:31 inherit Base",
        "2:36 type Money",
        "2:54 inherit Sum",
        "2:62 inherit ui.Shown",
        "3:29 type Rate",
        "3:49 type Array",
        "3:55 type T",
        "3:75 type Money",
        "5:24 inherit Whole",
        "5:30 type Money",
    ]


def test_elements_of_tsx_are_calls() -> None:
    source = b"const View = () => <Page.Head title={x}><Line/></Page.Head>;\n"
    assert short(parse_source("tsx", source).facts.references) == ["1:26 call Page.Head", "1:42 call Line"]


def test_columns_count_characters() -> None:
    facts = parse_source("python", "s = 'äöü€😀'; f()\n".encode()).facts
    assert short(facts.references) == ["1:14 call f"]


@pytest.mark.parametrize(
    ("language", "source", "tests", "deprecated"),
    [
        ("java", b"class A {\n  @Test\n  void a() {}\n  @Deprecated void b() {}\n}\n", {"a"}, {"b"}),
        ("rust", b'#[test]\n#[ignore]\nfn a() {}\n\n#[deprecated(note = "x")]\nfn b() {}\nfn c() {}\n', {"a"}, {"b"}),
        ("csharp", b'class A {\n  [Fact]\n  void a() {}\n  [Obsolete("x")]\n  void b() {}\n}\n', {"a"}, {"b"}),
        ("javascript", b"/** @deprecated use c */\nfunction b() {}\nit('a', () => {});\n", {"a"}, {"b"}),
        ("go", b"package p\n\n// b was useful.\n//\n// Deprecated: use c.\nfunc b() {}\n", set(), {"b"}),
        ("python", b"@deprecated('x')\ndef b(): ...\n", set(), {"b"}),
    ],
)
def test_tests_and_deprecated_definitions(language: str, source: bytes, tests: set[str], deprecated: set[str]) -> None:
    parsed = parse_source(language, source)
    assert {parsed.symbols[number].name for number in parsed.facts.tests} == tests
    assert {parsed.symbols[number].name for number in parsed.facts.deprecated} == deprecated


@pytest.mark.parametrize("path", OWN_SOURCES, ids=lambda path: path.name)
def test_every_call_and_import_that_python_sees_is_there(path: Path) -> None:
    source = path.read_bytes()
    facts = parse_source("python", source).facts
    tree = ast.parse(source)
    calls: Counter[tuple[str, int]] = Counter()
    imported: Counter[tuple[str, str | None, str | None]] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            calls[name, node.func.end_lineno or 0] += 1
        for decorator in getattr(node, "decorator_list", ()):
            if isinstance(decorator, ast.Name | ast.Attribute):
                name = decorator.id if isinstance(decorator, ast.Name) else decorator.attr
                calls[name, decorator.end_lineno or 0] += 1
        if isinstance(node, ast.Import):
            imported.update((alias.name, None, alias.asname) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            imported.update((module, alias.name, alias.asname) for alias in node.names)
    assert Counter((one.name, one.line) for one in facts.references if one.kind == "call") == calls
    assert Counter((one.module, one.name, one.alias) for one in facts.imports) == imported


@pytest.mark.parametrize("language_id", ["python", "javascript"])
def test_a_chain_of_calls_that_nobody_writes_is_not_followed_to_its_end(language_id: str) -> None:
    """Its time would grow with the square of its length."""
    parsed = parse_source(language_id, b"(" + b"a()." * 5_000 + b"b())")
    assert 0 < len(parsed.facts.references) <= MAX_OPEN_MATCHES
    assert parsed.status is ParseStatus.PARTIAL


def test_what_is_nested_deeper_than_anybody_writes_is_not_looked_at() -> None:
    """The time of each match grows with how deep it begins."""
    parsed = parse_source("python", b"x = first() + " + b"1 + " * MAX_DEPTH_OF_MATCHES + b"last()\n")
    assert [one.name for one in parsed.facts.references] == ["last"]


@pytest.mark.parametrize(
    ("language_id", "before", "after"),
    [
        ("c", b"int x = ", b"1;"),
        ("cpp", b"int x = ", b"1;"),
        ("go", b"package a\nvar x = ", b"1"),
        ("java", b"class A { int x = ", b"1; }"),
        ("rust", b"fn f() { ", b"1; }"),
    ],
)
def test_operations_that_wait_for_their_operator_are_given_up(language_id: str, before: bytes, after: bytes) -> None:
    """What has captured nothing is not counted by tree-sitter, and looked at again for each node."""
    parsed = parse_source(language_id, before + b"1 + " * (MAX_OPEN_MATCHES + 500) + after)
    assert "too many tokens in one place" in parsed.error


@pytest.mark.parametrize(
    ("language_id", "before", "after"),
    [("php", b"<?php $x = ", b"1;"), ("javascript", b"x = ", b"1;"), ("kotlin", b"val x = ", b"1")],
)
def test_operators_that_are_captured_alone_wait_for_nothing(language_id: str, before: bytes, after: bytes) -> None:
    parsed = parse_source(language_id, before + b"1 + " * (MAX_OPEN_MATCHES + 500) + after)
    assert parsed.status is ParseStatus.OK


@pytest.mark.parametrize("language_id", WITH_FACTS)
def test_the_query_of_facts_fits_the_grammar(language_id: str) -> None:
    grammar = load_grammar(language_id)
    assert grammar is not None
    assert grammar.query is not None
    assert grammar.first_fact < grammar.query.pattern_count


@pytest.mark.parametrize(
    ("language_id", "source", "found"),
    [
        (
            "python",
            "import m\nimport a.b\nimport x.y as z\nfrom p import q\nm.N, m.call(), a.b.C, a.c, z.D.e, q.F, u.v\n",
            ["m.N 3", "a.b.C 20", "z.D 30", "q.F 37"],
        ),
        (
            "typescript",
            "import * as n from './x';\nimport D, { E } from './y';\nconst c = require('./z');\n\n"
            "[n.v, n.call(), E.One, D.x.y, c.k, o.p]\nlet t: n.T;\n",
            ["n.v 4", "E.One 19", "D.x 26", "c.k 33"],
        ),
    ],
)
def test_what_is_read_of_imports(language_id: str, source: str, found: list[str]) -> None:
    references = parse_source(language_id, source.encode()).facts.references
    assert [
        f"{one.qualifier}.{one.name} {one.column}" for one in references if one.kind == "read" and one.qualifier
    ] == found


def test_the_innermost_definition_around_each_place() -> None:
    spans = [(2, 30), (5, 20), (5, 10), (20, 25), (25, 28), (40, 50), (50, 55)]
    symbols = [Symbol("function", "f", "f", "f", "", "public", 1, 1, start, end) for start, end in spans]
    for step in (1, 7):
        places = range(0, 60, step)
        around = [[number for number, (start, end) in enumerate(spans) if start <= place < end] for place in places]
        assert innermost(places, symbols) == [numbers[-1] if numbers else None for numbers in around]
    assert innermost([], symbols) == [] and innermost([3], []) == [None]


@pytest.mark.parametrize("language_id", ["javascript", "typescript", "tsx"])
def test_exports_under_another_name(language_id: str) -> None:
    source = (
        b"export default function a() {}\nexport { b as c, d as default, e };\nexport { f as g } from './f';\n"
        b"module.exports = h;\nother.exports = i;\nexport default j;\nexport default class K {}\n"
    )
    references = parse_source(language_id, source).facts.references
    assert [(one.qualifier, one.receiver) for one in references if one.kind == "exports"] == [
        ("default", "a"),
        ("c", "b"),
        ("default", "d"),
        ("=", "h"),
        ("default", "j"),
        ("default", "K"),
    ]


@pytest.mark.parametrize("language_id", ["javascript", "typescript", "tsx"])
def test_every_form_of_import_of_a_default(language_id: str) -> None:
    source = (
        b"import { default as a } from './a';\nexport { default as b } from './b';\nexport { default } from './c';\n"
        b"export * as d from './d';\nconst e = await import('./e');\nconst { f, default: g } = await import('./f');\n"
    )
    assert [(one.name, one.alias) for one in parse_source(language_id, source).facts.imports] == [
        ("default", "a"),
        ("default", "b"),
        ("default", None),
        (None, "d"),
        (None, "e"),
        ("f", None),
        ("default", "g"),
    ]
