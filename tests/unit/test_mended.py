"""Source that the grammars stumble over, as the languages' folders mend it: whole trees, nothing lost, places right."""

import pytest

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.conditionals import readings
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing import parse_source


def found(language_id: str, source: str) -> list[Symbol]:
    parsed = parse_source(language_id, source.encode())
    assert (parsed.status, parsed.error) == (ParseStatus.OK, "")
    return list(parsed.symbols)


def names(language_id: str, source: str) -> list[str]:
    return [one.qualified_name for one in found(language_id, source)]


KOTLIN = {
    "guards": "when (x) {\n  is A if x.b() -> 1\n  is A<C> if (x > 1 &&\n    y(z)) -> 1\n  in 1..2 if a -> 3\n"
    "  B.C if b -> 4\n  else if c -> 5\n  else -> 2\n}",
    "no guards": "when (x) {\n  is A -> if (b) 1\n    else if (c) d { e -> e }\n    else 3\n  else -> 2\n}",
    "suspending function": "run(suspend { 42 })",
    "where as a name": "{\n  val a = x\n  where.g(where = 2)\n  where += a\n}",
    "several dollars": 'g($$"a${b", $$"""c\n$d""")',
    "a quote before the last quotes": 'g("""a="""")',
    "nullable receiver": "g(f, String?::plus)",
    "calls like accessors": '{\n  val a = 1\n  get("/") {\n    val b = 2\n    get { }\n  }\n  set("a", 2)\n}',
}


@pytest.mark.parametrize("name", KOTLIN)
def test_kotlin_expressions(name: str) -> None:
    assert names("kotlin", f"class K {{\n  fun first() = {KOTLIN[name]}\n  fun last() = 2\n}}\n") == [
        "K",
        "K.first",
        "K.last",
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A\n@Inject internal constructor(val x: Int) {\n  fun f() {}\n}\n", "A A.x A.f"),
        ("class A<out T>\n@P(B::class)\nprivate constructor() {\n  fun f() {}\n}\n", "A A.f"),
        ("class A {\n  @P private constructor(x: Int)\n}\n", "A A.constructor"),
        ("class A {\n  var x: Int\n    get() = 1\n    @P internal set(v) { y = v }\n  fun f() {}\n}\n", "A A.x A.f"),
        ("class A {\n  val x: Int\n    @P @Q(\n      1\n    )\n    get() = 1\n  fun f() {}\n}\n", "A A.x A.f"),
        ("class A {\n  override val where: B? = null\n  fun where(a: Int) = 1\n}\n", "A A.where A.where"),
        ("fun <T> f(a: T): T\n  where T : A, T : B = 1\n", "f"),
        ("context(p: P)\ninternal fun f() {}\n", "f"),
        ('@file:A @file:B("c")\npackage a\nfun f() {}\n', "f"),
        ("enum class E {\n  A { override fun f() = 1 },\n  B { override fun f() = 2 };\n  fun f() = 3\n}\n",
         "E E.A E.A.f E.B E.B.f E.f"),
        ('enum class E {\n  @A B,\n  @A("b")\n  C(1) {\n    fun f() = 1\n  };\n  fun g() = 1\n}\n',
         "E E.B E.C E.C.f E.g"),
    ],
)  # fmt: skip
def test_kotlin_declarations(source: str, expected: str) -> None:
    assert names("kotlin", source) == expected.split()


@pytest.mark.parametrize("annotations", ["@A\n", "@A @B\n", '@A\n@B("c")\n'])
def test_a_doc_may_stand_behind_annotations(annotations: str) -> None:
    (symbol,) = found("kotlin", f"{annotations}/** Right. */\nfun f(a: Int /** Wrong. */) {{}}\n")
    assert (symbol.doc, symbol.start_line) == ("Right.", 1)
    (symbol,) = found("kotlin", f"/** Right. */\n{annotations}fun f() {{}}\n")
    assert symbol.doc == "Right."


@pytest.mark.parametrize(
    "unit", [b"is A if ", b"@A(", b"@A\n", b"where ", b'$$"a', b"class A\n@B ", b"{ override a }\n", b"((", b'"']
)
def test_mending_kotlin_takes_time_in_proportion(unit: bytes) -> None:
    rewrite, source = LANGUAGES["kotlin"].rewrite, unit * 50_000
    assert rewrite is not None
    assert len(rewrite(source)) == len(source)
    assert rewrite(source).count(b"\n") == source.count(b"\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("namespace a { class LIB B { int c; }; enum class LIB D { E }; }\nint f();\n", "a a.B a.B.c a.D a.D.E f"),
        ("namespace a { template <class T> class LIB B { void c(); }; struct LIB D : B { }; }\n", "a a.B a.B.c a.D"),
        ("void a() { struct STAT b = {1}; struct STAT c; }\nint d;\n", "a d"),
        ("module;\nexport module a.b:c;\nimport std;\nexport import <d>;\nexport int e;\nimport f = 1;\n", "e f"),
        ("struct A { void b(this A& self); int c; };\nauto d(this auto&& self) { return 1; }\n", "A A.b A.c d"),
    ],
)
def test_cpp_that_the_grammar_does_not_know(source: str, expected: str) -> None:
    assert names("cpp", source) == expected.split()


# What published grammars do not know yet, or never did: the file is whole, and what follows is not lost.
NEWER = {
    "python": (
        ("class G[T: (int, str) = A, *Ts = *B[C, ...], **P = [D]]:\n  x = 1\ndef f[T = int](): pass\n", "G G.x f"),
        ("type A[T = int, U = list[T]] = T\ndef f(): pass\n", "A f"),
    ),
    "typescript": (
        ("interface A<in T, in out U, out V extends B> { m(): void }\ntype B<out T> = T;\n", "A A.m B"),
        ("class A { static accessor b = 1; protected accessor c: string; accessor d = 2 }\n", "A A.b A.c A.d"),
        ('import defer * as ns from "x";\nexport type * from "y";\nfunction f() {}\n', "f"),
        ('function f() { for (await using a of b) {} for (using c of d) {} }\ntype A = import("b").C<D>;\n', "f A"),
    ),
    "javascript": (("function f() { for (using a of b) {} }\nfunction g() {}\n", "f g"),),
    "rust": (
        ('unsafe extern "C" { pub safe fn f(); safe static A: u8; unsafe static B: u8; }\nfn g() {}\n', "f A B g"),
        ("gen fn f() { yield 1; }\nasync gen fn g() {}\nfn h<F>() where F: async Fn() {}\n", "f g h"),
        ("auto trait A {}\nconst trait B { fn f(); }\nimpl const B for C {}\nfn g<T: ~const A>() {}\n", "A B B.f C g"),
    ),
    "java": (
        ("import module java.base;\nstatic final int K = 1;\nString s;\nvoid main() { int x; }\n", "K s main"),
        ("class A {\n  A(int a) {\n    f();\n    // why\n    super(a);\n  }\n  A() { g(); this(1); }\n  int b;\n}\n",
         "A A.A A.A A.b"),
    ),
    "kotlin": (
        ("val f = { a: A, (b, c): P<Q, R> -> b }\nfun g() {}\n", "f g"),
        ("fun f(a: context(A, B) () -> C, d: (context(A) E.() -> F)) {}\nfun g() {}\n", "f g"),
        ("class A(@all:B val c: D)\nannotation class E(val f: Array<G> = [])\nval [h, i] = j\n", "A A.c E E.f h i"),
        ("val f: A = fun(a, b): Int { return a }\nfun g(suspend: B, dynamic: C) = h(suspend = dynamic)\n", "f g"),
        ("fun f() { class A(val b: C) { fun d() {} } }\nfun g() {}\n", "f f.A f.A.b f.A.d g"),
    ),
    "swift": (
        ("extension A: nonisolated B, @retroactive C {}\nfunc f(a: (inout sending T) -> sending U) {}\n", "A f"),
        ("struct A { @_lifetime(borrow x) init(x: borrowing B) {} }\nfunc f() { g(()) }\n", "A A.init f"),
    ),
    "go": (
        ("package a\nconst (A = iota; B)\nconst (C, D = 1, 2; E = 3)\nfunc f() {}\n", "A B C D E f"),
        ("package a\nvar (a int; b []string)\nvar (c int = 1; d = 2)\nfunc f() {}\n", "a b c d f"),
    ),
    "zig": (('fn f() void { asm volatile ("x" : : [a] "r" (b) : .{ .memory = true }); }\nfn g() void {}\n', "f g"),),
    "php": (("<?php\n(void) f();\nfunction g() {}\n__halt_compiler(); a { b", "g"),),
}  # fmt: skip


@pytest.mark.parametrize(("language_id", "source", "expected"), [(key, *one) for key in NEWER for one in NEWER[key]])
def test_what_is_newer_than_its_grammar(language_id: str, source: str, expected: str) -> None:
    assert names(language_id, source) == expected.split()


@pytest.mark.parametrize("language_id", NEWER)
@pytest.mark.parametrize(
    "unit",
    [b"(", b"[", b"<", b"{ (a", b"a[", b"type A[", b"fun(a, ", b"import(", b"context(", b"var [", b"const (", b" }"],
)
def test_mending_what_is_newer_takes_time_in_proportion(language_id: str, unit: bytes) -> None:
    repair, source = LANGUAGES[language_id].repair, unit * 20_000
    assert repair is not None
    for turn in range(2):
        for at, text in repair(source, [], turn):
            assert at + len(text) <= len(source)
            assert text.count(b"\n") == source[at : at + len(text)].count(b"\n")


C = """\
#ifdef __cplusplus
extern "C" {
#endif
#ifdef A
int f(int a) {
#elif defined(B)
int g(void) { return 1; }
int f(char a) {
#else
#if D
int j(void) { return 3; }
#endif
#define LIMIT 3
int i(void) { return 3; }
int f(void) {
#endif
  if (a) {
#ifdef C
  } else if (b) {
#endif
  }
}
int h(void) { return 2; }
#ifdef __cplusplus
}
#endif
"""
CPP = """\
namespace n {
#if A
template <class T> struct S : B<T> {
#else
struct Other { int x; };
template <class T> struct S {
#endif
  int y;
};
}
"""
CSHARP = """\
class A
#if B
  : C {
#else
  {
  int Only() { return 1; }
#endif
  void M() {
    if (x)
#if D
    { y(); }
#else
    { z();
#if E
    }
#else
    }
#endif
#endif
  }
  void N() {}
}
"""
HASKELL = """\
module M where
f :: Int -> Int
f x = case x of
#if A
  1 -> (2
#else
  1 -> (3
#endif
   )

g = 1
"""
BRANCHES = {
    "c": (C, "f 5 22, g 7 7, j 11 11, LIMIT 13 13, i 14 14, h 23 23"),
    "cpp": (CPP, "n 1 10, n.S 3 9, n.Other 5 5, n.Other.x 5 5, n.S.y 8 8"),
    "csharp": (CSHARP, "A 1 22, A.Only 6 6, A.M 8 20, A.N 21 21"),
    "haskell": (HASKELL, "f 2 9, g 11 11"),
}


@pytest.mark.parametrize("language_id", BRANCHES)
def test_every_branch_of_a_condition_is_read(language_id: str) -> None:
    source, expected = BRANCHES[language_id]
    symbols = found(language_id, source)
    assert ", ".join(f"{one.qualified_name} {one.start_line} {one.end_line}" for one in symbols) == expected
    assert {one.function_depth for one in symbols} == {0}


HASKELL_SKIPPED = """\
module M where
#if A
f :: Int
f = 1
#elif B
f = 2
data T = X | Y
#else
g = 3
#endif
class C a where
  m :: a
#ifdef D
  n :: a
#else
  o :: a
  p :: a
#endif
#if 0
dead = 1
#else
alive = 1
#endif
h = 4
"""


def test_branches_that_a_grammar_skips_are_read() -> None:
    symbols = found("haskell", HASKELL_SKIPPED)
    assert ", ".join(f"{one.qualified_name} {one.start_line} {one.end_line}" for one in symbols) == (
        "f 3 6, T 7 7, X 7 7, Y 7 7, g 9 9, C 11 17, C.m 12 12, C.n 14 14, C.o 16 16, C.p 17 17, "
        "dead 20 20, alive 22 22, h 24 24"
    )


UNCLOSED = """\
int f(int a) {
#ifdef A
  if (a) {
#endif
    g("{", '{'); /* { */
  return a;
}
static int h(void) { return 1; }
%s
struct s { int b; };
int i(void)
{
  LOOP (a) {
    g();
  return 1;
}
int j(void) { return 2; }
"""


@pytest.mark.parametrize("lines", [0, 40])
def test_functions_behind_an_unclosed_brace_are_no_locals(lines: int) -> None:
    symbols = found("c", UNCLOSED % ("int k(void);\n" * lines))
    assert [one.qualified_name for one in symbols if one.name != "k"] == ["f", "h", "s", "s.b", "i", "j"]
    assert {one.function_depth for one in symbols} == {0}
    assert (symbols[0].start_line, symbols[0].end_line) == (1, 7)


def test_functions_behind_an_unclosed_brace_and_branches_are_no_locals() -> None:
    branches = "#ifdef B\nint l(int a) {\n  if (a) {\n#else\nint l(long a) {\n  if (a) {\n#endif\n    g();\n  }\n}\n"
    symbols = found("c", UNCLOSED % branches)
    assert [one.qualified_name for one in symbols] == ["f", "h", "l", "s", "s.b", "i", "j"]
    assert {one.function_depth for one in symbols} == {0}


def test_what_no_reading_has_is_kept() -> None:
    cases = "".join(f"#elif defined(A{at})\n#define NAME_{at} {at}\nint f{at}(void);\n" for at in range(12))
    source = (
        f"#if A\nint f(int a) {{\n#else\nint f() {{\n#endif\n  return 1; }}\n#if B\n#define NAME 1\n{cases}#endif\n"
    )
    symbols = [one.name for one in found("c", source)]
    assert {f"NAME_{at}" for at in range(12)} | {f"f{at}" for at in range(12)} | {"f", "NAME"} == set(symbols)
    assert len(symbols) == len(set(symbols))


def test_errors_elsewhere_leave_conditions_alone() -> None:
    source = (
        b"#if A\nint f(void) { return 1; }\n#else\nint g(void) { return 1; }\n#endif\n"
        + b"int i;\n" * 50
        + b"int h( {\n"
    )
    parsed = parse_source("c", source)
    assert parsed.status is ParseStatus.PARTIAL
    assert [one.name for one in parsed.symbols][:2] == ["f", "g"]


@pytest.mark.parametrize(
    "unit", [b"#if A\n", b"#if A\n#else\n#endif\n", b"#else\n", b"#endif\n", b"#if A \\\n", b"#if A\nf(\n#elif B\n"]
)
def test_readings_take_time_in_proportion(unit: bytes) -> None:
    for reading in readings(unit * 20_000):
        assert len(reading.source) == len(unit) * 20_000


def test_readings_tell_where_they_differ() -> None:
    source = b"a\n#if A\nb\n#  if B\nc\n#  else\nd\n#  endif\n#elif C\ne\n#else\nf\n#endif\n#if 0\ng\n#endif\nh\n"
    before, turns = source, 0
    for reading in readings(source):
        differs = [at for at in range(len(source)) if reading.source[at] != before[at]]
        assert differs
        assert all(any(start <= at < end for start, end in reading.changed) for at in differs)
        before, turns = reading.source, turns + 1
    assert turns == 3


@pytest.mark.parametrize("language_id", ["c", "cpp"])
def test_what_goes_through_two_branches_counts_once(language_id: str) -> None:
    source = (
        b"int h(void) {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n    c();\n"
        b"#if A\n    d(); }\n#else\n    e(); }\n#endif\n  return 1;\n}\n"
    )
    parsed = parse_source(language_id, source)
    assert (parsed.status, [one.name for one in parsed.symbols]) == (ParseStatus.OK, ["h"])
    assert [one.name for one in parsed.facts.references] == ["c", "d", "e"]
    assert [figures.cyclomatic for _, figures in parsed.facts.metrics] == [3]  # both conditions


def test_words_of_the_language_are_no_functions() -> None:
    assert [one.name for one in parse_source("csharp", b"class A {\n  void f() {} if (x) { } \n}\n").symbols] == [
        "A",
        "f",
    ]
    assert [one.name for one in parse_source("c", b"}\nif (x) { }\nint main(void) {}\n").symbols] == ["main"]


def test_macros_in_a_class_are_no_constructors() -> None:
    source = "struct A {\n  BIT(x);\n  A(int y);\n  DEFINE_ALL(A, b)\n  int z;\n};\nstruct B {\n  B() {}\n};\n"
    assert names("cpp", source) == ["A", "A.A", "A.z", "B", "B.B"]


CSHARP_PARTS = {
    "ref partial struct S<T> { int x; void F() {} }": "S S.x S.F",
    "class A { unsafe void F() { x = (byte*)p; *(int*)q = (int*)(&z); char* r = (char*)p; } void G() {} }": "A A.F A.G",
    "class A { unsafe void F() { g((B.C**)p, (void*)0, *(long*)a.b()); } void G() {} }": "A A.F A.G",
    "unsafe class A { int F(int* p) { return *(int*)p; } int G(B** p) => *(C*)*p; int H; }": "A A.F A.G A.H",
    "class A { void F() { a?.B = c; a?.B?.C[0] += d; a ??= b; } void G() {} }": "A A.F A.G",
    "class A { B F = (text, out number) => C.D(text, out number); void G() {} }": "A A.F A.G",
    "static class A {\n  extension(string text) {\n    public int B => 1;\n    public bool C() => true;\n  }\n"
    "  extension<T>(D<T>) where T : E {\n    public static F operator +(F g, F h) => g;\n  }\n}": "A A.B A.C A.+",
    "\ufeff#region L\n#endregion\n#pragma warning\nusing B;\n#if X\nusing C;\n#else\n\n#endif\nclass A {}": "A",
}


@pytest.mark.parametrize("source", CSHARP_PARTS)
def test_csharp_that_the_grammar_does_not_know(source: str) -> None:
    assert names("csharp", source) == CSHARP_PARTS[source].split()


MEMBERS = {
    "python under conditions": (
        "python",
        """\
if A:
    X = 1
elif B:
    y: int = 2
else:
    z = 3
try:
    t = 1
except E:
    t = 2
finally:
    u = 3
with a as b:
    w = 1
def f():
    if A:
        N = 1
""",
        "constant X, variable y, variable z, variable t, variable t, variable u, variable w, function f",
    ),
    "python chained and of several names": (
        "python",
        """\
a = B = c = 1
d, e = 1, 2
class K:
    p = q = 3
    if A:
        R = 1
    s, T = 1, 2
    def f(self):
        t = U = 1
""",
        "variable a, constant B, variable c, variable d, variable e, class K, field K.p, field K.q, "
        "field K.R, field K.s, field K.T, method K.f",
    ),
    "javascript chained": (
        "javascript",
        """\
exports.a = exports.b = function () { var c = 1; };
e.f = e.g = () => 1;
var d = exports.d = () => 1;
X.prototype.m = X.prototype.n = function () {};
h = i = 1;
""",
        "function a, function b, method e.f, method e.g, function d, function d, function m, method X.n",
    ),
    "java records": (
        "java",
        """\
record P(int x, @A String... y) {
  P {}
  int z() { return 1; }
}
""",
        "class P, field P.x, field P.y, constructor P.P, method P.z",
    ),
    "typescript parameter properties": (
        "typescript",
        """\
class A { constructor(private readonly x: number, public y = 1, z: string, readonly w?: B) {} v = 1 }
""",
        "class A, constructor A.constructor, field A.x, field A.y, field A.w, field A.v",
    ),
    "typescript local enums": (
        "typescript",
        """\
function f() { enum E { A, B = 2 } const Z = 1; return class { q = 1 } }
""",
        "function f, enum f.E, constant f.E.A, constant f.E.B, field f.q",
    ),
    "php promoted properties": (
        "php",
        """\
<?php class A { function __construct(private int $x, protected readonly ?B $y = null, $z = 1) {} }
""",
        "class A, constructor A.__construct, property A.x, property A.y",
    ),
    "go constants of several names": (
        "go",
        """\
package a

const A, B = 1, 2

const (
	C, D, E = iota, iota, iota
	F, _
)
""",
        "constant A, constant B, constant C, constant D, constant E, constant F",
    ),
    "lua variables of several names": (
        "lua",
        """\
local a, b = f()
local c, d
local e, g = require "x", require "y"
""",
        "variable a, variable b, variable c, variable d",
    ),
    "ruby constants of several names": ("ruby", "A, B = 1, 2\n", "constant A, constant B"),
    "go blanks and anonymous types": (
        "go",
        """\
package a

var _ I = (*T)(nil)

const (
	_ = iota
	X
)

type S struct {
	_ int
	a, b int
}

func f() {
	x := struct{ name string }{}
	type L struct{ q int }
}

var v = []struct{ w int }{}
""",
        "constant X, struct S, field S.a, field S.b, function f, struct f.L, field f.L.q, variable v, field v.w",
    ),
    "elixir arities": (
        "elixir",
        """\
defmodule A do
  @doc "1"
  def f(a), do: 1
  def f(a, b \\\\ 1)
  # c
  @impl true
  def f(a, b) when a > 0 do
    b
  end
  def g, do: 1
  def g(), do: 2
end
""",
        "module A, function A.f, function A.f, function A.g",
    ),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_definitions_and_their_owners(name: str) -> None:
    language_id, source, expected = MEMBERS[name]
    assert ", ".join(f"{one.kind} {one.qualified_name}" for one in found(language_id, source)) == expected


C_MACROS = {
    "type as an argument": "int a(void) { return container_of(h, struct s, m) + va_arg(p, char *) + N(unsigned int); }",
    "attribute before a type": "API extern int a(int b);",
    "attribute before a bracketed name": "LUA_API const char *(a) (lua_State *L);",
    "attribute before a name": "BOOL\nf1(void);\nstatic void NO_INLINE a(int b) {}",
    "attribute behind a parameter": "void a(int b UNUSED_ARG, int c) {}",
    "initialiser behind a name": "void a(void) { x b CC_SILENCE_INIT(NULL); }",
    "call without a semicolon": "void a(void) { LIST_FOREACH(x, &y) { z(); } }",
    "comments in a macro": "#define M(x) \\\n  /* one */ \\\n  struct x { \\\n  /* two */ int y; }\nint a(int b);",
    "fields by a macro": "struct a {\n  int b;\n  MY_FIELDS\n};\nint c(void);",
    "list with a condition": 'static char *b[] = {\n"x",\n#ifdef Y\n"y",\n#endif\nNULL};\nvoid a(void) {}',
    "string from a macro": 'int a(void) { return error(L, LUA_QL("b") " is no " LUA_QL("c")); }',
    "word before a type": "struct a {\n  redisAtomic int b;\n};",
    "around a function": "HEAP_EXPORT(void a(struct heap* b)) { c(b); }",
}


@pytest.mark.parametrize("name", C_MACROS)
def test_c_macros_near_errors(name: str) -> None:
    parsed = parse_source("c", C_MACROS[name].encode())
    assert (parsed.status, parsed.error) == (ParseStatus.OK, "")
    assert "a" in [one.name for one in parsed.symbols]


CPP_MACROS = {
    "a macro for try": "void f() {\n  A_TRY {\n    auto e = g();\n  }\n  A_CATCH(...) {}\n  h();\n}\nvoid a() {}",
    "a macro for catch of a type": "void f() {\n  A_TRY { g(); }\n  A_CATCH(B::C& d) {\n    h();\n  }\n}\nvoid a() {}",
    "a type's constructor on its own line": "template <typename T>\nstruct f<T, V<decltype(g<T>().h(\n"
    "                typename T::value_type(), 0))>> : A {};\nvoid a() {}",
    "a macro above what it holds": "template <typename T,\n          A_ENABLE_IF(\n"
    "              !is<T, typename U::rep>::value)>\nauto f(D<T, U> from) -> U {\n  return g(from);\n}\nvoid a() {}",
    "an empty default": "template <typename T>\nauto f(T b, const S& s = {})\n    -> T {\n  return b;\n}\nvoid a() {}",
    "a call of a template operator": "struct f {\n  void operator()(bool v) {\n    if (t) operator()<bool>(v);\n"
    "  }\n};\nvoid a() {}",
    "a pointer to a member": "struct f {\n  static auto get(const T& v) -> A {\n    return {v.*(&G::c)};\n"
    "  }\n};\nvoid a() {}",
    "using typename": "class f : public A {\n public:\n  using typename A::value_type;\n  B g() { return 1; }\n};\n"
    "void a() {}",
    "a keyword as an argument": "void f() {}\nTEST(a, template) {\n  E(2, g<int>());\n}\nvoid a() {}",
    "test with a name": 'TEST_CASE("b") { SECTION("c") { CHECK_THROWS_AS(d(), json::type_error&); } }\nvoid a() {}',
    "constructor": "struct b { LIB_CONSTEXPR b(int c) : d(c) {} int d; };\nvoid a() {}",
    "section": "class b {\n  LIB_PRIVATE_UNLESS_TESTED:\n    int c;\n};\nvoid a() {}",
    "condition in a template": "template <typename T, LIB_ENABLE_IF(!is<T>::value && x)>\nvoid a(T b) {}",
    "operator by its name": "void a() { b->operator[](1); c.operator+(2); }",
    "constexpr by a macro": "void a() { if LIB_CONSTEXPR (b) { c(); } }",
    "include in a condition": "#if LIB_HAS_INCLUDE(<b>) && C\n#define D 1\n#endif\nvoid a() {}",
}


@pytest.mark.parametrize("name", CPP_MACROS)
def test_cpp_macros_near_errors(name: str) -> None:
    assert "a" in names("cpp", CPP_MACROS[name])


def test_enumerators_that_a_macro_writes_have_one_name() -> None:
    source = "enum A {\n  /* B. */\n  OPT_X(B_ONE, TYPE_B, 1),\n  OPT_X(B_TWO, TYPE_B, 2),\n  B_LAST\n};\n"
    assert names("c", source) == ["A", "A.B_ONE", "A.B_TWO", "A.B_LAST"]


def test_names_behind_macros_are_kept() -> None:
    source = "typedef int UV_NUMBER;\nconst int FOO_BAR = 1;\nAPI_X int (*a)(void) API_Y;\nint b = 1 +;\n"
    found_names = [one.name for one in parse_source("c", source.encode()).symbols]
    assert {"UV_NUMBER", "FOO_BAR", "b"} <= set(found_names)


def test_what_is_no_macro_stays_an_error() -> None:
    parsed = parse_source("c", b"int a(void) { return 1 + ; }\nint b(void { }\n")
    assert parsed.status is not ParseStatus.OK


def test_pointers_to_functions_are_variables_and_fields() -> None:
    source = "int (*a)(void);\nstatic char *(*b)(int) = 0;\nvoid *(*c)(void);\nstruct s {\n  void *(*d)(int);\n};\n"
    assert [(one.kind, one.name) for one in found("c", source)] == [
        ("variable", "a"), ("variable", "b"), ("variable", "c"), ("struct", "s"), ("field", "d"),
    ]  # fmt: skip


def test_ruby_calls_of_what_a_variable_holds_define_nothing() -> None:
    held = "scope.(:x)\nattr_reader.(:a)\ncontext.('text') { 1 }\ntest.('n') do\nend\n"
    assert names("ruby", held) == []
    assert names("ruby", "k.define_method(:m) { }\nRSpec.describe('Foo') do\nend\nattr_reader(:a)\n") == [
        "m",
        "Foo",
        "a",
    ]


def test_ruby_constants_of_other_modules() -> None:
    assert names("ruby", "A::B = 1\nmodule M\n  ::C = 2\n  D = 3\nend\n") == ["A.B", "M", "M.C", "M.D"]
