"""The outline of a file: the definitions that Python sees, however the file is named."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.definitions import DefinitionRequest, ExplainedDefinition, OutlineReport
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.navigation.names import read_name

SOURCE = Path(__file__).parents[2] / "src" / "cocosearch_py" / "config" / "load.py"


@pytest.fixture
def record(app: App, tmp_path: Path) -> Iterator[IndexRecord]:
    for name, text in {
        "src/load.py": SOURCE.read_text(),
        "src/one/shop.py": "def one(): ...\n",
        "src/two/shop.py": "def two(): ...\n",
        "broken.py": "def broken(:\n    class\n" * 3,
        "notes.txt": "nothing\n",
        "pkg/__init__.py": "from .shapes import Shape as Form\nimport os.path\nfrom .gone import missing\n",
        "pkg/shapes.py": "class Shape: ...\n\n\nclass Round(Shape, metaclass=type): ...\n",
        "tests/test_shapes.py": "import pkg.shapes\n\n\n"
        "class TestShape(pkg.shapes.Shape):\n    def test_it(self): ...\n",
        "web/view.ts": "import { Base, type Kind as K } from './base';\n"
        "export class View extends Base implements K {}\n",
        "web/base.ts": "export class Base {}\nexport interface Kind {}\n/** @deprecated */\nexport function old() {}\n",
        ".env": "SECRET=1\n",
        "\N{SNOWMAN}.py": "def snow(): ...\n",
    }.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "project", name="project")
    yield app.catalog.find("project")


def outline(app: App, record: IndexRecord, path: str, folder: str | None = None) -> OutlineReport:
    return app.navigation.outline_file(path, folder, record)


def test_definitions_are_those_that_python_sees(app: App, record: IndexRecord) -> None:
    expected = []

    def visit(node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                expected.append((f"{owner}{child.name}", child.end_lineno))
                visit(child, f"{owner}{child.name}.")
            else:
                visit(child, owner)

    visit(ast.parse(SOURCE.read_text()), "")
    found = outline(app, record, "src/load.py").outline
    assert found is not None
    kinds = ("function", "method", "class")
    assert [(one.qualified_name, one.end_line) for one in found.entries if one.kind in kinds] == expected
    assert (found.language_id, found.line_count) == ("python", len(SOURCE.read_text().splitlines()))
    assert (found.size_bytes, found.parse_status, found.parse_error) == (SOURCE.stat().st_size, "ok", None)
    by_number = {one.number: one for one in found.entries}
    for one in found.entries:
        if one.parent is not None:
            assert one.qualified_name == f"{by_number[one.parent].qualified_name}.{one.name}"


@pytest.mark.parametrize("path", ["src/load.py", "load.py", "./src/load.py", "src/../src/load.py", "/src/load.py"])
def test_a_file_by_whatever_means_just_that_one(app: App, record: IndexRecord, path: str) -> None:
    full = record.root_path + path if path.startswith("/") else path
    found = outline(app, record, full).outline
    assert found is not None and found.path == "src/load.py"


def test_a_path_from_the_callers_folder(app: App, record: IndexRecord) -> None:
    found = outline(app, record, "shop.py", f"{record.root_path}/src/two").outline
    assert found is not None and found.path == "src/two/shop.py"


def test_why_there_is_none(app: App, record: IndexRecord) -> None:
    for path, refused, told in (
        ("shop.py", False, "is not a file in this index"),
        ("../elsewhere.py", True, "is outside the index's folder"),
        (".env", True, "is excluded from the index: secret"),
        ("src", False, "is a folder"),
        ("a%_.py", False, "is not a file"),
    ):
        report = outline(app, record, path)
        assert report.outline is None and report.missing is not None, path
        assert report.missing.is_refused == refused and told in report.missing.why, path
    near = outline(app, record, "shop.py").missing
    assert near is not None and near.near == ("src/one/shop.py", "src/two/shop.py")


def test_files_without_definitions_and_broken_ones(app: App, record: IndexRecord) -> None:
    notes = outline(app, record, "notes.txt").outline
    assert notes is not None and (notes.entries, notes.parse_status) == ((), "no_grammar")
    broken = outline(app, record, "broken.py").outline
    assert broken is not None and broken.parse_status in ("partial", "error") and broken.parse_error
    snow = outline(app, record, "\N{SNOWMAN}.py").outline
    assert snow is not None and [one.name for one in snow.entries] == ["snow"]


def test_imports_are_those_of_python_with_the_files_that_they_lead_to(app: App, record: IndexRecord) -> None:
    expected = [
        (node.lineno, alias.name)
        for node in ast.walk(ast.parse(SOURCE.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    found = outline(app, record, "src/load.py").outline
    assert found is not None
    named = [(one.line, name) for one in found.imports for name in one.names or (one.module,)]
    assert {name for _, name in named} == {name for _, name in expected}
    package = outline(app, record, "pkg/__init__.py").outline
    assert package is not None
    assert [(one.module, one.names, one.paths, one.is_missing) for one in package.imports] == [
        (".shapes", ("Shape as Form",), ("pkg/shapes.py",), False),
        ("os.path", (), (), False),
        (".gone", ("missing",), (), True),
    ]
    view = outline(app, record, "web/view.ts").outline
    assert view is not None
    assert [(one.module, one.names, one.paths) for one in view.imports] == [
        ("./base", ("Base", "Kind as K"), ("web/base.ts",))
    ]


def test_what_inherits_from_what(app: App, record: IndexRecord) -> None:
    def explained(name: str) -> ExplainedDefinition:
        report = app.navigation.explain(DefinitionRequest(symbol=read_name(name)), record)
        assert report.total == 1
        return report.explained[0]

    assert explained("Round").inherits == ("Shape",)
    assert explained("Shape").heirs == ("Round", "TestShape"), "code before tests"
    assert explained("TestShape").inherits == ("pkg.shapes.Shape",)
    assert explained("View").inherits == ("Base", "K")
    assert explained("Base").heirs == ("View",)
    assert (explained("Shape").definition.is_test, explained("test_it").definition.is_test) == (False, True)
    assert (explained("Base").definition.is_deprecated, explained("old").definition.is_deprecated) == (False, True)
