"""Comparison of definitions in benchmarks/definitions.py, and its truth for Python."""

from pathlib import Path

from benchmarks import definitions, truths

from cocosearch_py.parsing import parse_source

SOURCE = """\
import a

if a:
    X = 1
y = z = 2


class K:
    p, q = 1, 2

    @a
    def f(self):
        local = 1

        def inner():
            pass


g = lambda: 1
"""


def test_python_says_what_we_say(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    (tmp_path / "bad.py").write_text("def (")
    answer = truths.python([path, tmp_path / "bad.py"])
    assert set(answer.definitions) == {path}
    found = [(one.kind, one.name) for one in answer.definitions[path]]
    assert found == [
        ("value", "X"), ("value", "y"), ("value", "z"), ("type", "K"), ("value", "p"), ("value", "q"),
        ("function", "f"), ("function", "inner"), ("function", "g"),
    ]  # fmt: skip
    compared = definitions.compare("python", [(path, "a.py")], answer)
    figures = compared.figures("python")
    assert [figures[f"python {name}"] for name in ("recall", "precision", "same end")] == [1.0, 1.0, 1.0]


def test_differences_are_listed() -> None:
    ours = parse_source("python", b"def f():\n    pass\n\nclass K:\n    pass\n").symbols
    theirs = [truths.Truth(1, 3, "function", "f"), truths.Truth(9, 9, "function", "g")]
    compared = definitions.Compared()
    compared.add("a.py", "python", theirs, ours, frozenset({"function", "type"}))
    assert compared.missing == ["a.py:9 function g"]
    assert compared.extra == ["a.py:4 type K"]
    assert compared.ends == ["a.py:1 function f: 2 for 3"]
    figures = compared.figures("python")
    assert figures["python recall"] == figures["python precision"] == 0.5


def test_clauses_count_as_one() -> None:
    source = b"defmodule A do\n  def f(1), do: 1\n  def f(2), do: 2\nend\n"
    ours = parse_source("elixir", source).symbols
    theirs = [truths.Truth(2, None, "function", "f"), truths.Truth(3, None, "function", "f")]
    compared = definitions.Compared()
    compared.add("a.ex", "elixir", theirs, ours, frozenset({"function"}))
    assert (compared.found, compared.missing, compared.extra) == (2, [], [])
