"""What is found of names that code makes when it runs."""

import pytest

from cocosearch_py.parsing import has_grammar, parse_source
from cocosearch_py.parsing.computed import argument_of, is_passed_on, pattern_of


@pytest.mark.parametrize(
    ("expression", "pattern"),
    [
        ("name", ""),
        ("'whole'", None),
        (":symbol?", None),
        ("0", None),
        ("parts.length - 1", None),
        ("Symbol.iterator", None),
        ("typeof(Cart)", None),
        ('"visit_" + name', "visit_…"),
        ("'a' + 'b'", "a…b"),
        ('f"visit_{name}"', "visit_…"),
        ('f"{name}_at"', "…_at"),
        ('"on_%s" % name', "on_…"),
        ('"%s_x" % a + b', ""),
        ('"{}_at".format(name)', "…_at"),
        ("`on${name}`", "on…"),
        ("'get' . ucfirst($name)", "get…"),
        (':"on_#{name}"', "on_…"),
        ('"Visit".lower() + name', ""),
        ('f"Visit_{name}".lower()', ""),
        ('"visit_" + name if name else other', ""),
        ('other or "visit_" + name', ""),
        ('"visit" "_all"', ""),
    ],
)
def test_what_is_written_of_a_name(expression: str, pattern: str | None) -> None:
    assert pattern_of(expression.encode()) == pattern


@pytest.mark.parametrize(
    ("call", "position", "argument"),
    [
        ("f(x, 'a, b', c)", 1, "'a, b'"),
        ("f(g(1, 2), [3, 4])", 1, "[3, 4]"),
        ("f(x)", 1, None),
        ("f()", 0, None),
        ("f :a, 1\n", 0, ":a"),
        ("f name\nother", 0, "name"),
        ("f(" + "x" * 1_000, 0, ""),
    ],
)
def test_an_argument_of_a_call(call: str, position: int, argument: str | None) -> None:
    found = argument_of(call.encode(), 1, position)
    assert (None if found is None else found.decode()) == argument


def test_a_name_is_passed_on_where_it_never_has_another_value() -> None:
    assert is_passed_on(b"name", b"def __getattr__(self, name): return getattr(self.x, name) if name == 'a' else 1")
    assert not is_passed_on(
        b"name", b"def __getattr__(self, name):\n    name += '_x'\n    return getattr(self.x, name)"
    )
    assert not is_passed_on(b"name.lower()", b"def __getattr__(self, name): return getattr(self.x, name.lower())")


@pytest.mark.parametrize(
    ("language_id", "source", "found"),
    [
        (
            "python",
            "getattr(a, 'x' + n)()\ngetattr(a, 'whole')\nglobals()['whole']()\nglobals()[n]()\nmodel.eval(n)\neval(n)\n"
            "def __getattr__(name): return getattr(a, name)\n",
            ["1 a x…", "4 globals", "6 eval"],
        ),
        (
            "typescript",
            "a[n]();\na['x']();\na[0]();\na[`on${n}`].call(b);\nconst b = a[n];\nnew a[n]();\na[n]!();\n"
            "class A { f() { return this[n]; } }\n",
            ["1 a", "4 a on…", "6 a", "7 a", "8 this"],
        ),
        ("javascript", "Reflect.get(a, n);\nReflect.get(a, 'x');\nmap.get(a, n);\n", ["1 a"]),
        ("ruby", 'send(n)\nsend :x\na.public_send("on_#{n}")\n', ["1 send", "3 a on_…"]),
        ("php", "<?php\n$n();\n$a->$n();\nA::$n();\nnew $n();\ncall_user_func('f');\n", ["2", "3 $a", "4 A", "5"]),
        ("java", 'class A { void f() {\na.getMethod(n);\na.getMethod("x");\na.getMethods();\n} }', ["2 a", "4 a"]),
        ("kotlin", 'fun f() {\nClass.forName("a." + n)\nClass.forName("a.B")\n}\n', ["2 forName a…"]),
        ("csharp", "class A { void f() {\na.GetMethod(n);\na.GetMethod(nameof(f));\na.GetType();\n} }", ["2 a"]),
        ("go", 'package a\nfunc f() {\na.MethodByName(n)\na.MethodByName("X")\n}\n', ["3 a"]),
        ("lua", "a[n]()\na['x']()\n", ["1 a"]),
        ("elixir", "defmodule A do\napply(m, n, [])\napply(m, :x, [])\nend\n", ["2 m"]),
        ("bash", '"$n" 1\nls "$n"\neval "$n"\n', ["1", "3 eval"]),
        ("c", 'void f() {\ndlsym(a, n);\ndlsym(a, "x");\n}\n', ["2 a"]),
    ],
)
def test_names_made_at_run_time_are_references_of_their_own(language_id: str, source: str, found: list[str]) -> None:
    if not has_grammar(language_id):
        pytest.skip("its grammar is not installed here")
    references = parse_source(language_id, source.encode()).facts.references
    assert [f"{one.line} {one.qualifier} {one.receiver}".strip() for one in references if one.kind == "computed"] == [
        one for one in found
    ]
    assert list(references) == sorted(references, key=lambda one: (one.line, one.column))
