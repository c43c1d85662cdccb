"""What is said of imports, calls, tests, types and figures is what is on disk, as far as files are named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, lay_out

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
FILES = {
    "lib/__init__.py": "",
    "lib/money.py": "class Money:\n    pass\n\n\ndef add(left: Money) -> Money:\n    return left\n",
    "lib/cart.py": "from lib.money import add\n\n\ndef total(price):\n    return add(price)\n",
    "lib/page.py": "def show():\n    return None\n",
    "lib/page.rs": "fn show() {}\n",
    "tests/test_cart.py": "from lib.cart import total\n\n\ndef test_total():\n    assert total(1)\n",
    "tests/test_money.py": "from lib.money import add\n\n\ndef test_add():\n    assert add(1)\n",
}
CART_AND_PAGE = FILES["lib/cart.py"].replace("\n", "\nfrom lib.page import show\n", 1).replace("add(price)", "show()")


@pytest.fixture(autouse=True)
def _patient(app: App) -> None:
    """A busy machine decides nothing here."""
    app.repair_wait_s = 60.0


@pytest.fixture
def project(app: App, tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "project", FILES)
    app.index(folder, name="project")
    return folder


def ask(server: FastMCP, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = call(server, tool, {"index_name": "project", **arguments})
    assert not answer.is_error, answer.text
    return dict(answer.payload)


def targets(answer: dict[str, Any]) -> list[str]:
    return [one["target_file"] for one in answer["dependencies"]]


def names(answer: dict[str, Any]) -> list[str]:
    return [one["name"] for one in answer["tests"]]


def test_dependencies_have_an_import_that_was_added(make: Make, project: Path) -> None:
    server = make(project=project)
    assert targets(ask(server, "get_dependencies", file="lib/cart.py")) == ["lib/money.py"]
    (project / "lib" / "cart.py").write_text(CART_AND_PAGE)
    assert targets(ask(server, "get_dependencies", file="lib/cart.py")) == ["lib/money.py", "lib/page.py"]


def test_an_impact_has_no_file_that_no_longer_imports(make: Make, project: Path) -> None:
    server = make(project=project)
    affected = {one["file"] for one in ask(server, "get_impact", file="lib/money.py")["affected_files"]}
    assert affected == {"lib/cart.py", "tests/test_cart.py", "tests/test_money.py"}
    (project / "lib" / "cart.py").write_text("def total(price):\n    return price\n")
    (project / "tests" / "test_money.py").unlink()
    assert ask(server, "get_impact", file="lib/money.py")["affected_files"] == []


def test_a_graph_has_the_edges_of_its_files(make: Make, project: Path) -> None:
    server = make(project=project)
    (project / "lib" / "cart.py").write_text(CART_AND_PAGE)
    for level, edge in (("file", ("lib/cart.py", "lib/page.py")), ("package", ("tests", "lib"))):
        drawn = ask(server, "get_dependency_graph", level=level, format="json")
        assert edge in {(one["source"], one["target"]) for one in drawn["edges"]}
    for name in ("test_cart.py", "test_money.py"):
        (project / "tests" / name).unlink()
    assert ask(server, "get_dependency_graph", level="package", format="json")["edges"] == []


def test_a_map_has_the_signatures_of_its_files(make: Make, project: Path) -> None:
    server = make(project=project)
    assert "def add(left: Money)" in ask(server, "get_repo_map")["map"]
    (project / "lib" / "money.py").write_text("# new\n" + FILES["lib/money.py"].replace("left", "first"))
    (project / "lib" / "page.py").unlink()
    found = ask(server, "get_repo_map")["map"]
    assert "  6: def add(first: Money)" in found
    assert "lib/page.py" not in found


def test_figures_count_what_the_files_have(make: Make, project: Path) -> None:
    server = make(project=project)
    assert ask(server, "get_health")["complexity"]["max"] == 2  # an assertion is a branch
    (project / "lib" / "page.py").write_text("def show(a):\n    if a and a > 1:\n        return 1\n    return None\n")
    assert ask(server, "get_health")["complexity"]["max"] == 3
    assert ask(server, "get_health", path="lib/page.py")["params"]["avg"] == 1


def test_calls_are_those_of_the_files(make: Make, project: Path) -> None:
    server = make(project=project)
    nowhere = ask(server, "get_call_graph", symbol="test_total", to="show")
    assert nowhere["paths"] == []
    (project / "lib" / "cart.py").write_text(CART_AND_PAGE)
    drawn = ask(server, "get_call_graph", symbol="total", direction="callees")
    assert "lib/page.py#show" in {one["id"] for one in drawn["nodes"]}
    (project / "lib" / "page.py").write_text("from lib.money import add\n\n\ndef show():\n    return add(1)\n")
    assert ask(server, "get_call_graph", symbol="show", to="add")["paths"]


def test_tests_that_were_deleted_are_not_found(make: Make, project: Path) -> None:
    server = make(project=project)
    assert names(ask(server, "find_tests", path="lib/cart.py")) == ["test_cart.py"]
    assert names(ask(server, "find_tests", symbol="total")) == ["test_total"]
    (project / "tests" / "test_cart.py").unlink()
    gone = ask(server, "find_tests", path="lib/cart.py")
    assert (gone["tests"], gone["total"], gone["run"]) == ([], 0, [])
    assert ask(server, "find_tests", path="lib/page.rs")["tests"] == []
    (project / "lib" / "page.rs").write_text("mod tests {\n    #[test]\n    fn shows() {}\n}\n")
    assert names(ask(server, "find_tests", path="lib/page.rs")) == ["tests.shows"]


def test_a_server_that_may_not_write_says_so(make: Make, project: Path) -> None:
    server = make(project=project, read_only=True)
    (project / "lib" / "cart.py").write_text(CART_AND_PAGE)
    (project / "tests" / "test_cart.py").unlink()
    asked = {
        "get_dependencies": {"file": "lib/cart.py"},
        "get_impact": {"file": "lib/money.py"},
        "get_dependency_graph": {},
        "get_repo_map": {},
        "get_health": {},
        "get_call_graph": {"symbol": "total"},
        "find_tests": {"path": "lib/cart.py"},
        "explain_symbol": {"name": "add"},
        "list_files": {"view": "tree"},
        "build_context": {"paths": ["lib/money.py"]},
    }
    for tool, arguments in asked.items():
        answer = ask(server, tool, **arguments)
        told = [text for text in answer["warnings"] if "lib/cart.py" in text and "does not allow indexing" in text]
        assert len(told) == 1, (tool, answer["warnings"])
    assert ask(server, "find_tests", path="lib/cart.py")["total"] == 0
    assert "test_cart" not in str(ask(server, "get_impact", file="lib/money.py")["affected_files"])
    assert "test_cart" not in ask(server, "list_files", view="tree")["tree"]
    (project / "lib" / "money.py").write_text("# moved\n" + FILES["lib/money.py"])
    flows = ask(server, "trace_type", type_name="Money")
    assert "lib/money.py" in flows["warnings"][0]


def test_an_explanation_counts_the_callers_on_disk(make: Make, project: Path) -> None:
    server = make(project=project)
    (before,) = ask(server, "explain_symbol", name="add")["symbols"]
    assert (before["callers_count"], before["tests_count"]) == (2, 1)
    (project / "lib" / "cart.py").write_text("def total(price):\n    return price\n")
    (after,) = ask(server, "explain_symbol", name="add")["symbols"]
    assert (after["callers_count"], after["tests_count"]) == (1, 1)


def test_callees_are_those_of_a_definition_that_had_none(make: Make, project: Path) -> None:
    server = make(project=project)
    assert ask(server, "find_references", symbol="show", direction="callees", kinds=["call"])["references"] == []
    (project / "lib" / "page.py").write_text("from lib.money import add\n\n\ndef show():\n    return add(1)\n")
    found = ask(server, "find_references", symbol="show", direction="callees", kinds=["call"])["references"]
    assert [one["name"] for one in found] == ["add"]


def test_a_task_names_files_that_import_now(make: Make, project: Path) -> None:
    server = make(project=project)
    (project / "lib" / "cart.py").write_text(CART_AND_PAGE)
    bundle = ask(server, "build_context", paths=["lib/cart.py"])
    assert {"file_path": "lib/page.py", "imported_by": ["lib/cart.py"]} in bundle["imports"] or "lib/page.py" in {
        one["file_path"] for one in bundle["symbols"]
    }


@pytest.mark.parametrize("options", [{"view": "tree"}, {"view": "children"}, {"query": "page"}])
def test_deleted_files_are_not_listed(make: Make, project: Path, options: dict[str, Any]) -> None:
    server = make(project=project)
    assert "page.py" in str(ask(server, "list_files", path="lib", **options))
    (project / "lib" / "page.py").unlink()
    answer = ask(server, "list_files", path="lib", **options)
    assert "page.py" not in str(answer)
