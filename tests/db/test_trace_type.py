"""Who returns a type and who accepts it, as Python's own parser sees it."""

import ast
import re
import shutil
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.features.references.type_flow import Flow, FlowRequest, find_flow

STORAGE = Path(__file__).parents[2] / "src" / "cocosearch_py" / "storage"


def truth(root: Path, name: str) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """(path, line) of functions whose annotations name a type: of the result, of parameters."""
    word = re.compile(rf"\b{name}\b")
    producers, consumers = set(), set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                place = str(path.relative_to(root)), first
                given = [
                    *node.args.posonlyargs,
                    *node.args.args,
                    *node.args.kwonlyargs,
                    node.args.vararg,
                    node.args.kwarg,
                ]
                if node.returns is not None and word.search(ast.unparse(node.returns)):
                    producers.add(place)
                if any(one and one.annotation and word.search(ast.unparse(one.annotation)) for one in given):
                    consumers.add(place)
    return producers, consumers


def trace(app: App, request: FlowRequest) -> Flow:
    record = app.catalog.find("root")
    return app.database.read(lambda conn: find_flow(request, record, conn))


def places(flow: Flow) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    producers, consumers = flow.of_role("producer"), flow.of_role("consumer")
    return {(one.file, one.line) for one in producers}, {(one.file, one.line) for one in consumers}


@pytest.mark.parametrize("name", ["Connection", "Target", "SearchFilters", "Path", "FileVersion"])
def test_functions_are_those_that_pythons_parser_finds(app: App, tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(STORAGE, root, ignore=shutil.ignore_patterns("__pycache__"))
    app.index(root, name="root")
    assert places(trace(app, FlowRequest(name=name, limit=1_000))) == truth(root, name)


def test_fields_paths_and_limits(app: App, tmp_path: Path) -> None:
    root = tmp_path / "root"
    long = ", ".join(f"parameter_number_{number}: int" for number in range(20))
    for path, text in {
        "a/Order.java": "class Order {\n    Money total;\n    Money pay(int n) { return total; }\n}\n",
        "b/long.py": f"def long({long}) -> Money:\n    return Money(1)\n\n\ndef short() -> Monet:\n    pass\n",
        "tests/test_money.py": (
            "def test_money(money: Money):\n    pass\n\n\ndef make(money: Money) -> Money:\n    pass\n"
        ),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    app.index(root, name="root")
    flow = trace(app, FlowRequest(name="Money", with_fields=True))
    assert [one.name for one in flow.of_role("producer")] == ["Order.pay", "long", "make"]
    assert [one.name for one in flow.of_role("consumer")] == ["Order.total", "test_money", "make"]
    assert trace(app, FlowRequest(name="Money")).count("consumer") == 2
    narrow = trace(app, FlowRequest(name="Money", paths=("tests", "b/long.py"), limit=1))
    assert (narrow.count("producer"), narrow.count("consumer"), narrow.total) == (2, 2, 4)
    assert [one.name for one in narrow.items] == ["long", "test_money"]
