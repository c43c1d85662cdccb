"""Whether an answer says that it may lack something."""

from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.features.audit.detectors import Audits
from cocosearch_py.features.audit.findings import Scope
from cocosearch_py.graph.testing import RelatedRequest
from cocosearch_py.model.calls import CallRequest
from cocosearch_py.model.completeness import Completeness
from cocosearch_py.model.usages import UsageReport, UsageRequest
from cocosearch_py.navigation.names import read_name

FILES = {
    "cart.py": (
        "class Cart:\n    def add_one(self):\n        return self.count()\n\n"
        "    def count(self):\n        return 1\n\n\n"
        "class Wide(Cart):\n    def run(self, step):\n        return getattr(self, 'add_' + step)()\n\n\n"
        "class Apart:\n    def add_more(self):\n        return 2\n\n\n"
        "def add_all():\n    return Cart\n\n\ndef total():\n    return add_all()\n\n\nRATE = 3\n"
    ),
    "shown.py": (
        "import logging\n\nimport cart\nfrom cart import total\n\n\n"
        "def shown(level):\n    return total(), getattr(logging, level), cart.RATE\n"
    ),
    "shop.go": "package shop\n\nfunc price() int { return 1 }\n\nfunc sum() int { return price() }\n",
    "calls.go": "package shop\n\nfunc call(a reflect.Value, name string) { a.MethodByName(name) }\n",
    "web.ts": "export function page() {}\npage();\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for path, text in FILES.items():
        (root / path).write_text(text)
    return root


def _report(app: App, name: str) -> UsageReport:
    request = UsageRequest(symbol=read_name(name), kinds=("call", "import", "type", "inherit", "read"))
    return app.graphs.find_references(request, app.catalog.find("root"))


def _verdict(app: App, name: str) -> Completeness:
    return _report(app, name).completeness


def test_names_made_at_run_time_are_a_blind_spot_of_what_they_can_mean(app: App, root: Path) -> None:
    app.index(root, name="root")
    spot = "1 place looks a name up at run time, which may be this one: cart.py:11"
    assert _verdict(app, "Cart.add_one") == Completeness("likely", (spot,))  # of a class that Wide inherits from
    for name in ("count", "add_more", "add_all", "total", "shown", "price", "page"):
        assert _verdict(app, name) == Completeness("complete"), name
    (root / "late.py").write_text("def late(a, b):\n    getattr(a, b)\n    return getattr(a, b.lower())\n")
    app.index(root, name="root")
    spot = "2 places look a name up at run time, which may be this one: late.py:2"
    assert _verdict(app, "total") == Completeness("likely", (spot,))
    assert _verdict(app, "page").level == "complete"  # of another language


def test_what_is_read_of_a_module_is_a_use(app: App, root: Path) -> None:
    app.index(root, name="root")
    report = _report(app, "RATE")
    assert [(one.path, one.line, one.kind, one.confidence) for one in report.usages] == [
        ("shown.py", 8, "read", "resolved")
    ]
    assert report.completeness.level == "complete"


def test_an_audit_does_not_contradict_what_references_say(app: App, root: Path) -> None:
    app.index(root, name="root")
    record = app.catalog.find("root")
    found = (
        Audits(app.database, lambda: app.indexing_options().discovery)
        .find(Scope(root=root, record=record), ["dead-code"])
        .findings
    )
    dead = {f"{one.place.path}#{one.key}" for one in found if one.rule == "dead-code"}
    assert "cart.py#Apart" in dead
    assert "cart.py#Cart.add_one" not in dead  # it may be looked up by a name made at run time
    sure = [one for name in dead for one in _report(app, name).usages if one.confidence != "name_only"]
    around = [f"{one.path}#{one.around.qualified_name}" for one in sure if one.around is not None]
    assert around
    assert all(name in dead or name.rpartition(".")[0] in dead for name in around)  # only unused code uses unused code


STEPS = {
    "deep.py": (
        "def leaf():\n    return 1\n\n\nclass Branch:\n    def grow(self):\n        return leaf()\n\n\n"
        "def trunk():\n    return only(leaf())\n\n\n"
        "def only(one):\n    return one\n\n\ndef seed():\n    return only(2)\n"
    ),
    "test_deep.py": "def test_branch(branch):\n    assert branch.grow() == 1\n",
}


def test_the_least_sure_step_decides(app: App, root: Path) -> None:
    for path, text in STEPS.items():
        (root / path).write_text(text)
    app.index(root, name="root")
    record = app.catalog.find("root")
    spot = "further up the call chain, 1 call matches by name only: those callers are not followed"

    def find(name: str, depth: int) -> Completeness:
        request = UsageRequest(symbol=read_name(name), kinds=("call",), depth=depth)
        return app.graphs.find_references(request, record).completeness

    assert find("leaf", 1).level == "likely"
    assert (find("leaf", 2).level, find("leaf", 2).blind_spots[0]) == ("partial", spot)
    assert find("only", 2).level == "likely"
    for name, depth, expected in (("leaf", 1, "likely"), ("leaf", 2, "partial"), ("only", 3, "likely")):
        graph = app.graphs.find_calls(CallRequest(symbol=read_name(name), direction="callers", depth=depth), record)
        assert (graph.completeness.level, spot in graph.completeness.blind_spots) == (expected, expected == "partial")
    tests = app.graphs.find_tests(RelatedRequest(symbol=read_name("leaf")), record)
    assert tests.completeness is not None
    assert (tests.completeness.level, tests.completeness.blind_spots[0]) == ("partial", spot)
    assert app.graphs.find_tests(RelatedRequest(files=("deep.py",)), record).completeness is None
