"""Files that depend on each other: all edges that Python itself sees, walks, pictures and maps of them."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.features.dependencies.diagrams import Diagram, DiagramRequest, draw
from cocosearch_py.model.graph import MapRequest, WalkReport, WalkRequest

SOURCE = Path(__file__).parents[2] / "src"
PACKAGE = SOURCE / "cocosearch_py"
FILES = {
    "shop/__init__.py": "",
    "shop/money.py": "class Money:\n    def add(self): ...\n",
    "shop/cart.py": "from shop.money import Money\nimport shop.gone\nimport requests\n\n\nclass Cart(Money): ...\n",
    "shop/empty/__init__.py": "",
    "shop/page.py": "from .cart import Cart\nfrom . import money, nothing\n\n\ndef show():\n    return Cart()\n",
    "shop/ring_a.py": "import shop.ring_b\n",
    "shop/ring_b.py": "import shop.ring_a\n",
    "web/app.ts": "import { pay } from './pay';\nexport const go = () => pay();\n",
    "web/pay.ts": "export function pay() {}\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_it():\n    Cart()\n",
    "README.md": "# Shop\n",
}
Walk = Callable[..., WalkReport]


@pytest.fixture
def indexed(app: App, tmp_path: Path) -> Iterator[App]:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "project", name="project")
    yield app


@pytest.fixture
def walk(indexed: App) -> Walk:
    record = indexed.catalog.find("project")
    return lambda *files, **options: indexed.graphs.walk(WalkRequest(files=files, **options), record)


def told(report: WalkReport) -> list[tuple[str, str, int]]:
    return [(edge.source, edge.target, edge.distance) for edge in report.edges]


def imported_by(path: Path) -> set[str]:
    """Files of the package that a module imports, by Python's own parser."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if file_of(name) else node.module for name in below]
        found |= {file for name in names if (file := file_of(name))}
    return found - {str(path.relative_to(SOURCE))}


def file_of(module: str) -> str | None:
    parts = SOURCE.joinpath(*module.split("."))
    files = (parts.with_suffix(".py"), parts / "__init__.py")
    return next((str(file.relative_to(SOURCE)) for file in files if file.is_file()), None)


def test_every_import_that_python_sees_in_this_package_is_an_edge(app: App) -> None:
    app.index(PACKAGE.parent, name="own")
    record = app.catalog.find("own")
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 200
    for path in files:
        name = str(path.relative_to(SOURCE))
        report = app.graphs.walk(WalkRequest(files=(name,)), record)
        assert {edge.target for edge in report.edges} == imported_by(path), name


def test_what_a_file_imports(walk: Walk) -> None:
    report = walk("shop/cart.py")
    assert told(report) == [("shop/cart.py", "shop/money.py", 1)]
    assert report.edges[0].names == ("Money",)
    assert [one.module for one in report.unresolved] == ["shop.gone"]
    assert [(one.module, one.line) for one in report.external] == [("requests", 3)]
    assert report.fan_in == {"shop/cart.py": 2}


def test_what_may_be_affected_nearest_first(walk: Walk) -> None:
    report = walk("shop/money.py", direction="dependents", depth=3)
    assert told(report) == [
        ("shop/cart.py", "shop/money.py", 1),
        ("shop/page.py", "shop/money.py", 1),
        ("tests/test_cart.py", "shop/cart.py", 2),
    ]
    assert report.tests == {"tests/test_cart.py"}
    without = walk("shop/money.py", direction="dependents", depth=3, with_tests=False)
    assert len(without.edges) == 2
    assert told(walk("shop/money.py", direction="dependents")) == told(report)[:2]


def test_a_circle_ends(walk: Walk) -> None:
    report = walk("shop/ring_a.py", depth=20)
    assert told(report) == [("shop/ring_a.py", "shop/ring_b.py", 1)]


@pytest.mark.parametrize(
    ("kind", "targets"),
    [("import", ["shop/cart.py", "shop/money.py"]), ("call", ["shop/cart.py"]), ("inherit", [])],
)
def test_edges_of_one_kind(walk: Walk, kind: str, targets: list[str]) -> None:
    assert [edge.target for edge in walk("shop/page.py", kind=kind).edges] == targets


def test_inheritance_is_an_edge(walk: Walk) -> None:
    assert [edge.target for edge in walk("shop/cart.py", kind="inherit").edges] == ["shop/money.py"]


def test_no_more_edges_than_asked_for(walk: Walk) -> None:
    report = walk("shop/page.py", "shop/cart.py", "no/such.py", limit=1)
    assert (len(report.edges), report.total, report.files) == (1, 3, ("shop/page.py", "shop/cart.py"))


def test_an_edge_follows_its_file(indexed: App, walk: Walk, tmp_path: Path) -> None:
    (tmp_path / "project/shop/gone.py").write_text("x = 1\n")
    indexed.index(tmp_path / "project", name="project")
    assert {edge.target for edge in walk("shop/cart.py").edges} == {"shop/money.py", "shop/gone.py"}
    (tmp_path / "project/shop/money.py").unlink()
    indexed.index(tmp_path / "project", name="project")
    assert [edge.target for edge in walk("shop/cart.py").edges] == ["shop/gone.py"]


def diagram(app: App, name: str, request: DiagramRequest) -> Diagram:
    record = app.catalog.find(name)
    return app.database.read(lambda conn: draw(request, record, conn))


def test_pictures(indexed: App) -> None:
    files = diagram(indexed, "project", DiagramRequest())
    assert ("web/app.ts", "web/pay.ts", 1) in files.edges
    assert files.nodes.index("shop/money.py") < files.nodes.index("shop/page.py"), "what others need is central"
    folders = diagram(indexed, "project", DiagramRequest(level="package"))
    assert folders.edges == (("tests", "shop", 1),)
    web = diagram(indexed, "project", DiagramRequest(prefix="web"))
    assert set(web.nodes) == {"web/app.ts", "web/pay.ts"}
    few = diagram(indexed, "project", DiagramRequest(limit=2))
    assert (len(few.nodes), few.dropped) == (2, len(files.nodes) - 2)
    near = diagram(indexed, "project", DiagramRequest(prefix="tests", depth=1))
    assert set(near.nodes) == {"tests/test_cart.py", "shop/cart.py"}


def test_maps(indexed: App) -> None:
    record = indexed.catalog.find("project")
    whole = indexed.graphs.make_map(MapRequest(), record)
    paths = [file.path for file in whole.files]
    assert paths.index("shop/money.py") < paths.index("shop/cart.py") < paths.index("shop/page.py")
    assert "tests/test_cart.py" not in paths
    assert next(file for file in whole.files if file.path == "shop/cart.py").symbols[0].name == "Cart"
    assert indexed.graphs.make_map(MapRequest(focus=("go", "nowhere"), prefix="web"), record).unknown == ("nowhere",)
    focused = indexed.graphs.make_map(MapRequest(focus=("web/app.ts",)), record)
    assert {file.path for file in focused.files[:2]} == {"web/app.ts", "web/pay.ts"}
    tests = indexed.graphs.make_map(MapRequest(prefix="tests", with_tests=True), record)
    assert [file.path for file in tests.files] == []  # a test is no definition that others use


def test_types_lead_to_what_they_inherit_from(app: App, tmp_path: Path) -> None:
    for name, text in {
        "a/base.py": "class Base: ...\n\n\nclass Own(Base): ...\n",
        "b/base.py": "class Base: ...\n\n\nclass Rare: ...\n",
        "a/heir.py": "from a.base import Base\n\n\nclass Heir(Base): ...\n\n\nclass Other(Rare, Unknown): ...\n",
        "c/lost.py": "class Lost(Base): ...\n",
        "a/__init__.py": "",
    }.items():
        path = tmp_path / "types" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "types", name="types")
    drawn = diagram(app, "types", DiagramRequest(level="symbol"))
    assert set(drawn.edges) == {
        ("a/base.py#Own", "a/base.py#Base", 1),
        ("a/heir.py#Heir", "a/base.py#Base", 1),
        ("a/heir.py#Other", "b/base.py#Rare", 1),  # the only one; of two Bases none is meant by Lost
    }
    assert drawn.nodes[0] == "a/base.py#Base"
    assert drawn.versions.keys() == {"a/base.py", "a/heir.py", "b/base.py"}
    near = diagram(app, "types", DiagramRequest(level="symbol", prefix="b", depth=1))
    assert near.nodes == ("b/base.py#Rare", "a/heir.py#Other")
