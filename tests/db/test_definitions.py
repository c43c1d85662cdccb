"""Definitions by name: all that Python itself sees, in a sensible order, by every form of a name."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.definitions import Definition, DefinitionReport, DefinitionRequest, NamedSymbol
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.navigation.names import read_name

SOURCE = Path(__file__).parents[2] / "src" / "cocosearch_py" / "catalog"
FILES = {
    "src/shop/cart.py": "class Cart:\n    def add_item(self):\n        '''Put it in.'''\n\n    def get(self): ...\n\n\n"
    "def get():\n    return 1\n\n\ndef _get():\n    return 2\n",
    "src/shop/session.py": "class Session:\n    def get(self) -> int:\n        return 1\n",
    "src/shop/add_item.js": "function addItem(a) {\n  return a;\n}\n",
    "src/net/client.go": "package net\n\n// Client talks.\ntype Client struct{}\n\n"
    "func (c *Client) Get() error { return nil }\n",
    "tests/test_cart.py": "def get():\n    return 3\n\n\ndef test_add_item():\n    pass\n",
    "vendor/lib/get.py": "def get():\n    return 4\n",
    "lib/plug.ex": "defmodule Plug.Conn do\n  def halt(conn), do: conn\nend\n",
    "src/ops.hs": "module Ops where\n\n(=:) :: Int -> Int -> Int\na =: b = a\n",
    "src/thing.rs": "impl Thing {\n    fn make() {}\n}\n\npub struct Thing;\n",
    "a%b_c.py": "def odd_name():\n    pass\n",
}
Find = Callable[..., DefinitionReport]


@pytest.fixture
def find(app: App, tmp_path: Path) -> Iterator[Find]:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    app.index(tmp_path / "project", name="project")
    record = app.catalog.find("project")

    def run(name: str, **options: object) -> DefinitionReport:
        symbol = NamedSymbol(name, whole=name) if "part" in options else read_name(name)
        request = DefinitionRequest(symbol=symbol, **options)  # type: ignore[arg-type]
        return app.navigation.find_definitions(request, record)

    yield run


def told(report: DefinitionReport) -> list[str]:
    return [f"{one.path}:{one.start_line}" for one in report.definitions]


def test_every_definition_that_python_sees_is_found_under_its_name(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    expected: dict[str, set[tuple[str, int | None]]] = {}
    for source in sorted(SOURCE.glob("*.py")):
        (folder / source.name).parent.mkdir(exist_ok=True)
        (folder / source.name).write_text(source.read_text())
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                expected.setdefault(node.name, set()).add((source.name, node.end_lineno))
    assert len(expected) > 20
    app.index(folder, name="code")
    record = app.catalog.find("code")
    for name, places in expected.items():
        report = app.navigation.find_definitions(DefinitionRequest(symbol=read_name(name), limit=200), record)
        found = [one for one in report.definitions if one.name == name and one.kind in ("function", "method", "class")]
        assert {(one.path, one.end_line) for one in found} == places, name
        assert report.total == len(report.definitions)


def test_order_is_spelling_then_code_then_what_others_may_use(find: Find) -> None:
    assert told(find("get")) == [
        *(
            "src/shop/cart.py:5",
            "src/shop/cart.py:8",
            "src/shop/session.py:2",
            "tests/test_cart.py:1",
            "vendor/lib/get.py:1",
        ),
        *("src/net/client.go:6", "src/shop/cart.py:12"),
    ]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("add_item", ["src/shop/cart.py:2", "src/shop/add_item.js:1"]),
        ("addItem", ["src/shop/add_item.js:1", "src/shop/cart.py:2"]),
        ("addItem()", ["src/shop/add_item.js:1", "src/shop/cart.py:2"]),
        ("Cart.get", ["src/shop/cart.py:5"]),
        ("Cart#get", ["src/shop/cart.py:5"]),
        ("cart.Cart.get", ["src/shop/cart.py:5"]),
        ("shop.Cart.get", ["src/shop/cart.py:5"]),
        ("Session::get", ["src/shop/session.py:2"]),
        ("net/Client.Get", ["src/net/client.go:6"]),
        ("src/shop/cart.py#get", ["src/shop/cart.py:8", "src/shop/cart.py:12"]),
        ("test_cart.py::get", ["tests/test_cart.py:1"]),
        ("=:", ["src/ops.hs:3"]),
        ("src/ops.hs#=:", ["src/ops.hs:3"]),
        ("Thing", ["src/thing.rs:5", "src/thing.rs:1"]),
        ("Thing::make", ["src/thing.rs:2"]),
        ("Plug.Conn", ["lib/plug.ex:1"]),
        ("Plug.Conn.halt", ["lib/plug.ex:2"]),
        ("#Get", ["src/net/client.go:6", "src/shop/cart.py:5", "src/shop/session.py:2"]),
        ("Nothing.get", []),
        ("%", []),
        ("ge", []),
    ],
)
def test_names_as_people_write_them(find: Find, name: str, places: list[str]) -> None:
    assert told(find(name)) == places


@pytest.mark.parametrize(
    ("name", "match", "names"),
    [
        ("item", "substring", {"add_item", "addItem", "test_add_item"}),
        ("item add", "substring", {"add_item", "addItem", "test_add_item"}),
        ("odd%", "substring", set()),
        ("*_item", "glob", {"add_item", "test_add_item"}),
        ("c????t", "glob", {"Client"}),
        ("adItem", "fuzzy", {"add_item", "addItem", "test_add_item"}),
        ("aItem", "fuzzy", {"add_item", "addItem", "test_add_item"}),
        ("Clinet", "fuzzy", {"Client"}),
        ("zzzzzz", "fuzzy", set()),
    ],
)
def test_parts_wildcards_and_slips(find: Find, name: str, match: str, names: set[str]) -> None:
    assert {one.name for one in find(name, match=match).definitions} == names


def test_signatures_and_comments(find: Find) -> None:
    assert told(find("self) -> int", part="signature", match="substring")) == ["src/shop/session.py:2"]
    assert told(find("self) -> INT", part="signature", match="substring")) == ["src/shop/session.py:2"]
    assert told(find("-> INT", part="signature", match="exact")) == []
    assert told(find("int -> self", part="signature", match="substring")) == [], (
        "its words in any order are not the text"
    )
    assert told(find("(self) -> ..int", part="signature", match="glob")) == ["src/shop/session.py:2"]
    assert told(find("int -> self", part="signature", match="glob")) == []
    assert told(find("(sel) -> int", part="signature", match="glob")) == [], "half a word"
    assert told(find("put it", part="doc", match="substring")) == ["src/shop/cart.py:2"]
    assert told(find("*talks*", part="doc", match="glob")) == ["src/net/client.go:4"]


def test_filters(find: Find) -> None:
    no_tests = SearchFilters(excluded_content=("tests",))
    assert not any(path.startswith("tests/") for path in told(find("get", filters=no_tests)))
    assert told(find("get", filters=SearchFilters(languages=("go",)))) == ["src/net/client.go:6"]
    assert told(find("get", filters=SearchFilters(path_globs=("vendor/**",)))) == ["vendor/lib/get.py:1"]
    assert {one.kind for one in find("get", filters=SearchFilters(symbol_types=("method",))).definitions} == {"method"}
    assert "_get" not in {one.name for one in find("get", public_only=True).definitions}


def test_pages_make_up_the_whole(find: Find) -> None:
    whole = find("get", limit=200)
    pages = [find("get", limit=2, offset=offset) for offset in range(0, whole.total + 2, 2)]
    assert [one for page in pages for one in page.definitions] == list(whole.definitions)
    assert {page.total for page in pages} == {whole.total == 7 and 7}
    assert find("get", limit=0).total == 7


def test_what_to_ask_instead(app: App, find: Find) -> None:
    record = app.catalog.find("project")

    def suggest(name: str, **options: object) -> tuple[int, tuple[str, ...]]:
        found = app.navigation.suggest(DefinitionRequest(symbol=read_name(name), **options), record)  # type: ignore[arg-type]
        return found.left_out, found.nearest

    assert suggest("Sesion.get")[1][0] == "Session.get"
    assert suggest("Clinet") == (0, ("Client",))
    assert suggest("get", filters=SearchFilters(languages=("rust",))) == (7, ())
    assert suggest("get", public_only=True, filters=SearchFilters(symbol_types=("class",)))[0] == 7
    assert suggest("qqqqqqqq") == (0, ())


def test_what_encloses_a_definition() -> None:
    def parent(name: str, qualified: str) -> str | None:
        return Definition("a", 0, "method", name, qualified, "", "", "public", 1, 1, "python", "code").parent

    assert parent("get", "Cart.get") == "Cart"
    assert parent("get", "Cart.Inner.get") == "Cart.Inner"
    assert parent("get", "get") is None
    assert parent("Plug.Conn", "Plug.Conn") is None


def test_an_index_that_another_folder_has_taken_is_gone(app: App, find: Find, tmp_path: Path) -> None:
    app.catalog.clear("project")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("def get(): ...\n")
    app.index(tmp_path / "other", name="project")
    with pytest.raises(IndexNotFoundError):
        find("get")
