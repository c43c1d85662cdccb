"""Whether an answer says that it may lack something."""

from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.usages import Completeness, UsageRequest
from cocosearch_py.navigation.names import read_name

FILES = {
    "cart.py": (
        "class Cart:\n    def add_one(self):\n        return self.count()\n\n"
        "    def count(self):\n        return 1\n\n\n"
        "class Wide(Cart):\n    def run(self, step):\n        return getattr(self, 'add_' + step)()\n\n\n"
        "class Apart:\n    def add_more(self):\n        return 2\n\n\n"
        "def add_all():\n    return Cart\n\n\ndef total():\n    return add_all()\n"
    ),
    "shown.py": (
        "import logging\n\nfrom cart import total\n\n\ndef shown(level):\n    return total(), getattr(logging, level)\n"
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


def _verdict(app: App, name: str) -> Completeness:
    request = UsageRequest(symbol=read_name(name), kinds=("call", "import", "type", "inherit", "read"))
    return app.graphs.find_references(request, app.catalog.find("root")).completeness


def test_names_made_at_run_time_are_a_blind_spot_of_what_they_can_mean(app: App, root: Path) -> None:
    app.index(root, name="root")
    spot = "1 place looks something up by a name made at run time, which may be this one: cart.py:11"
    assert _verdict(app, "Cart.add_one") == Completeness("likely", (spot,))  # of a class that Wide inherits from
    for name in ("count", "add_more", "add_all", "total", "shown", "price", "page"):
        assert _verdict(app, name) == Completeness("complete"), name
    (root / "late.py").write_text("def late(a, b):\n    getattr(a, b)\n    return getattr(a, b.lower())\n")
    app.index(root, name="root")
    spot = "2 places look something up by a name made at run time, which may be this one: late.py:2"
    assert _verdict(app, "total") == Completeness("likely", (spot,))
    assert _verdict(app, "page").level == "complete"  # of another language
