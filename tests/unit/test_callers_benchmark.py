"""Symbols that benchmarks/callers.py draws, references of its truths, and the counts of their comparison."""

from pathlib import Path
from typing import Any, cast

from benchmarks import callers, language_servers
from benchmarks.language_servers import Reference, Spot

SOURCE = """\
from m import f as g


@g
def f():
    return a.é.f() + f(1)


def k(): ...


k = None
"""


def test_symbols_are_drawn_where_their_names_stand(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text(SOURCE)
    (tmp_path / "a.py").write_text(SOURCE)
    drawn = callers.symbols_of(tmp_path, "python")
    assert [(one.path, one.name, one.spots) for one in drawn] == [
        ("a.py", "f", (("a.py", 5, 5),)),
        ("a.py", "k", (("a.py", 9, 5),)),
    ]


def test_places_of_python_are_calls_imports_or_further_definitions(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    found = language_servers._of_python(path)
    assert (found.calls, found.imports, found.bound) == ({(4, 2), (6, 16), (6, 22)}, {1}, {(12, 1)})
    assert found.named == {"g": {(4, 2)}, "f": {(6, 16), (6, 22)}}


class _Said:
    """A language server that knows what stands in some lines."""

    def __init__(self, hovers: dict[int, str], definitions: dict[int, list[object]]) -> None:
        self.hovers, self.definitions = hovers, definitions

    def tell(self, method: str, params: object) -> None:
        """Is told which files are open."""

    def ask(self, method: str, params: dict[str, dict[str, int]]) -> object:
        line = params["position"]["line"] + 1
        if method == "textDocument/definition":
            return self.definitions.get(line, [])
        return {"contents": {"value": self.hovers[line]}} if line in self.hovers else None


def test_untold_are_calls_that_the_server_itself_does_not_know(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): ...\n\nx.f()\nx.f()\nx.f()\nx.f()\nx.f()\nx.f\n")
    hovers = {3: "(function) f: Unknown", 4: "(method) def f() -> Unknown", 5: "(function) f: Unknown"}
    hovers |= {6: "(function) f: Any", 8: "(function) f: Unknown"}
    server = cast("Any", _Said(hovers, {5: ["another"]}))
    spot = Spot("a.py", 1, 5)
    found = language_servers._untold(server, tmp_path, spot, [], set())
    assert [(one.line, one.column, one.is_untold) for one in found] == [(3, 3, True), (6, 3, True)]
    known = [Reference("a.py", 3, 3, True, False)]
    assert [one.line for one in language_servers._untold(server, tmp_path, spot, known, set())] == [6]


def test_calls_of_other_definitions_are_wrong_and_unbound_ones_count_as_found() -> None:
    symbol = callers.Drawn("a.py", "f", "f", "function", (Spot("a.py", 1, 5),))
    uses = [
        callers.Use(Spot("a.py", 4, 1), "call", "scoped"),
        callers.Use(Spot("b.py", 5, 1), "call", "name_only"),
        callers.Use(Spot("b.py", 6, 1), "call", "resolved"),
        callers.Use(Spot("c.py", 1, 1), "import", "resolved"),
    ]
    truth = [
        Reference("a.py", 4, 1, True, False),
        Reference("b.py", 5, 1, True, False),
        Reference("c.py", 1, 15, False, True),
        Reference("c.py", 9, 1, True, False),
        Reference("c.py", 10, 1, True, False, True),  # nobody knows what it calls
    ]
    compared = callers.Compared()
    compared.add(symbol, truth, uses, "complete")
    figures = compared.figures()
    assert (figures["calls"], figures["calls recall"], figures["calls recall, bound"]) == (3, 0.6667, 0.3333)
    assert (figures["calls precision"], figures["precision resolved"], figures["precision name_only"]) == (0.6667, 0, 1)
    assert (figures["verdicts complete"], figures["complete and wrong"]) == (1, 1)
    assert "incomplete a.py#f: c.py:9" in compared.differences
