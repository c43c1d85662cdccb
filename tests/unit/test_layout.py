"""Definitions of broken files: those away from what is missing stay, and files that are whole are left alone."""

import pytest

from cocosearch_py.languages.layout import layout_repairs
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.parsing import parse_source

CLASSES = """\
class A {
    FUN f() {
        IF {
            y();
        }
    }

    /** Of g. */
    FUN g() {
        return "{";
    }

    FUN h() {
    }
}

class B {
    FUN i() {
    }
}
"""
ALLMAN = """\
class A
{
    FUN f()
    {
        IF
        {
            y();
        }
    }

    FUN g()
    {
        return "{";
    }

    FUN h()
    {
    }
}

class B
{
    FUN i()
    {
    }
}
"""
ZIG = """\
const A = struct {
    fn f() void {
        if (x) {
            y();
        }
    }

    fn g() u8 {
        return 1;
    }
};

const B = struct {
    fn i() void {}
};
"""
SOURCES = {
    "kotlin": CLASSES.replace("FUN", "fun").replace("IF", "if (x)"),
    "typescript": CLASSES.replace("FUN ", "").replace("IF", "if (x)"),
    "swift": CLASSES.replace("FUN", "func").replace("IF", "if x"),
    "scala": CLASSES.replace("FUN", "def").replace("IF", "if (x)").replace("() {", "(): Unit = {"),
    "csharp": ALLMAN.replace("FUN", "void").replace("IF", "if (x)"),
    "php": "<?php\n" + ALLMAN.replace("FUN", "function").replace("IF", "if ($x)"),
    "zig": ZIG,
}


@pytest.mark.parametrize("language_id", SOURCES)
def test_definitions_away_from_a_missing_brace_stay(language_id: str) -> None:
    """The lines with braces of the first function are deleted, each in its turn."""
    lines = SOURCES[language_id].splitlines(keepends=True)
    whole = parse_source(language_id, "".join(lines).encode())
    assert whole.status is ParseStatus.OK
    begin = next(at for at, line in enumerate(lines) if "if " in line)
    braces = [at for at, line in enumerate(lines) if at >= begin and ("{" in line or "}" in line)]
    for at in braces[:3]:
        parsed = parse_source(language_id, "".join(lines[:at] + lines[at + 1 :]).encode())
        assert parsed.status is not ParseStatus.OK, "what is missing is missing"
        lost = {one.qualified_name for one in whole.symbols} - {one.qualified_name for one in parsed.symbols}
        assert not lost, (at, lines[at])


def test_branches_of_conditions_open_what_is_closed_once() -> None:
    source = """\
class A
{
    void f()
    {
        if (x)
        {
            y();
    }

#if D
    int g() {
#else
    long g() {
#endif
        return 1;
    }

    int h() { return 1; }
}
"""
    parsed = parse_source("csharp", source.encode())
    assert parsed.status is not ParseStatus.OK
    assert {one.qualified_name for one in parsed.symbols} == {"A", "A.f", "A.g", "A.h"}


def test_definitions_behind_the_rest_of_a_comment_stay() -> None:
    source = "class A {\n    fun f() = 1\n\n     * Of g,\n     * and more.\n     */\n    fun g() = 2\n}\n"
    parsed = parse_source("kotlin", source.encode())
    assert parsed.status is not ParseStatus.OK
    assert [one.qualified_name for one in parsed.symbols] == ["A", "A.f", "A.g"]


UNUSUAL = """\
class A
    : B {
    fun f(a: Int,
          b: Int) {
        g(a, {
            h()
        })
    }

    fun i()
    {
        switch (a) {
        case 1:
            j("}") // {
        }
    }
}
"""


@pytest.mark.parametrize("source", [UNUSUAL, *SOURCES.values()])
def test_what_is_whole_is_left_alone(source: str) -> None:
    """Also labels as deep as their switch, and arguments and bases in lines of their own."""
    assert [list(edits(source.encode())) for edits in layout_repairs(b"}")] == [[], []]


@pytest.mark.parametrize(
    "unit", [b"{\n", b"}\n", b" {", b"(\n", b'"', b"/* a\n", b"* a\n", b"a {\n", b"#el\n", b" a\n", b'"""']
)
def test_layout_takes_time_in_proportion(unit: bytes) -> None:
    source = unit * 50_000
    for edits in layout_repairs(b"};"):
        assert all(0 <= at <= len(source) - len(text) for at, text in edits(source))
