"""Source that the grammars stumble over, as the languages' folders mend it: whole trees, nothing lost, places right."""

import pytest

from cocosearch_py.languages import LANGUAGES
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
