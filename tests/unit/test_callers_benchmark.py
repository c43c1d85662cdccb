"""What benchmarks/callers.py draws and counts."""

import importlib
import sys
from pathlib import Path

from cocosearch_py.model.completeness import Completeness
from cocosearch_py.model.usages import Place, Usage, UsageReport

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))
callers = importlib.import_module("callers")
services = importlib.import_module("services")

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
    found = services._of_python(path)
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
    server = _Said(hovers, {5: ["another"]})
    spot = services.Spot("a.py", 1, 5)
    found = services._untold(server, tmp_path, spot, [], set())
    assert [(one.line, one.column, one.is_untold) for one in found] == [(3, 3, True), (6, 3, True)]
    known = [services.Reference("a.py", 3, 3, True, False)]
    assert [one.line for one in services._untold(server, tmp_path, spot, known, set())] == [6]


def test_what_is_counted() -> None:
    spots = (services.Spot("a.py", 1, 5),)
    symbol = callers.Drawn("a.py", "f", "f", "function", spots)
    place, other = Place("a.py", "function", "f", 1, 2), Place("b.py", "function", "f", 1, 2)
    usages = (
        Usage("a.py", 4, 1, "call", "f", "", "scoped", target=place),
        Usage("b.py", 4, 1, "call", "f", "", "resolved", target=other),  # of another definition
        Usage("b.py", 5, 1, "call", "f", "x", "name_only"),
        Usage("b.py", 6, 1, "call", "f", "", "resolved", target=place),
        Usage("c.py", 1, 1, "import", "f", "a", "resolved", target=place),
    )
    truth = [
        services.Reference("a.py", 4, 1, True, False),
        services.Reference("b.py", 5, 1, True, False),
        services.Reference("c.py", 1, 15, False, True),
        services.Reference("c.py", 9, 1, True, False),
        services.Reference("c.py", 10, 1, True, False, True),  # nobody knows what it calls
    ]
    compared = callers.Compared()
    compared.add(symbol, truth, UsageReport(usages=usages, completeness=Completeness("complete")), "root")
    calls = compared.figures()["calls"]
    assert (calls["truth"], calls["recall"], calls["recall_bound"], calls["precision"]) == (3, 0.6667, 0.3333, 0.6667)
    assert calls["resolved"] == {"given": 1, "precision": 0.0}
    assert calls["name_only"] == {"given": 1, "precision": 1.0}
    assert compared.verdicts == {"complete": 1, "complete, and wrong": 1}
    assert compared.verdicts_wrong == ["root/a.py#f: c.py:9"]
