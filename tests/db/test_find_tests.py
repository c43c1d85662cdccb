"""Which tests are about a definition or a file, why, and how they are run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.graph.testing import RelatedRequest
from cocosearch_py.model.testing import RelatedReport
from cocosearch_py.navigation.names import read_name

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n[dependency-groups]\ndev = ["pytest"]\n',
    "shop/cart.py": "def checkout(cart):\n    return cart\n\n\ndef refund(cart):\n    return cart\n",
    "shop/orders.py": "from shop.cart import checkout\n\n\ndef order(cart):\n    return checkout(cart)\n",
    "shop/alone.py": "def alone():\n    return 1\n\n\ndef never():\n    return 2\n",
    "tests/test_cart.py": (
        "from shop.cart import checkout\n\n\ndef test_pays():\n    assert checkout(1)\n\n\n"
        "class TestRefund:\n    def test_twice(self):\n        assert True\n"
    ),
    "tests/test_orders.py": "from shop.orders import order\n\n\ndef test_order():\n    assert order(1)\n",
    "tests/test_words.py": "def test_alone_at_night():\n    assert True\n\n\ndef test_alonely():\n    assert True\n",
    "tests/helpers.py": "from shop.cart import refund\n\nHELP = refund\n",
    "go/go.mod": "module example.com/shop\n",
    "go/cart/cart.go": "package cart\n\nfunc Total() int { return 1 }\n",
    "go/cart/cart_test.go": (
        'package cart\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) { if Total() != 1 { t.Fail() } }\n'
    ),
    "web/package.json": '{"devDependencies": {"vitest": "1"}}\n',
    "web/sum.ts": "export function sum(a: number) { return a; }\n",
    "web/sum.spec.ts": 'import { sum } from "./sum";\ntest("sums up", () => { expect(sum(1)).toBe(1); });\n',
    "rust/Cargo.toml": '[package]\nname = "shop"\n',
    "rust/src/lib.rs": (
        "pub fn price() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
        "    #[test]\n    fn costs() { assert_eq!(price(), 1); }\n    #[test]\n    fn other() {}\n}\n"
    ),
    "java/pom.xml": "<project/>\n",
    "java/src/main/java/shop/Stock.java": "package shop;\nclass Stock { int left() { return 1; } }\n",
    "java/src/test/java/shop/StockTest.java": (
        "package shop;\nclass StockTest { @Test void isLeft() { new Stock().left(); } }\n"
    ),
}
Find = Callable[..., RelatedReport]


@pytest.fixture
def find(app: App, tmp_path: Path) -> Find:
    root = tmp_path / "root"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    app.index(root, name="root")

    def ask(name: str = "", *files: str, limit: int = 20) -> RelatedReport:
        request = RelatedRequest(symbol=read_name(name) if name else None, files=files, limit=limit)
        return app.graphs.find_tests(request, app.catalog.find("root"))

    return ask


def short(report: RelatedReport) -> list[str]:
    return [f"{one.path}:{one.line} {one.name} {one.reason} {one.distance}" for one in report.tests]


def run(report: RelatedReport) -> list[tuple[str, str, str]]:
    return [(one.framework, one.folder, one.command) for one in report.commands]


def test_callers_come_first_also_those_through_functions(find: Find) -> None:
    report = find("shop/cart.py#checkout")
    assert short(report) == [
        "tests/test_cart.py:4 test_pays calls 1",
        "tests/test_orders.py:4 test_order calls 2",
    ]
    assert [one.confidence for one in report.tests] == ["resolved", "resolved"]
    assert run(report) == [("pytest", "", "pytest tests/test_cart.py::test_pays tests/test_orders.py::test_order")]


def test_tests_are_named_after_what_they_test(find: Find) -> None:
    assert short(find("alone")) == ["tests/test_words.py:1 test_alone_at_night name_convention 1"]
    report = find("refund")  # a helper that names it is no test
    assert short(report)[0] == "tests/test_cart.py:9 TestRefund.test_twice name_convention 1"
    assert run(report)[0][2].startswith("pytest tests/test_cart.py::TestRefund::test_twice")
    assert "tests/helpers.py" not in {one.path for one in report.tests}


def test_files_are_tested_by_what_is_named_after_them_and_what_imports_them(find: Find) -> None:
    assert short(find("", "shop/cart.py")) == [
        "tests/test_cart.py:1 test_cart.py test_file 1",
        "tests/test_orders.py:1 test_orders.py imports 2",
    ]
    report = find("", "shop/cart.py", limit=1)
    assert (len(report.tests), report.total) == (1, 2)
    assert short(find("", "rust/src/lib.rs"))[0] == "rust/src/lib.rs:7 tests.costs same_file 0"


@pytest.mark.parametrize(
    ("name", "test", "command"),
    [
        ("Total", "go/cart/cart_test.go:5 TestTotal calls 1", ("go test", "go", "go test ./cart -run '^(TestTotal)$'")),
        ("sum", "web/sum.spec.ts:2 sums up calls 1", ("vitest", "web", "npx vitest run sum.spec.ts")),
        ("price", "rust/src/lib.rs:7 tests.costs calls 1", ("cargo test", "rust", "cargo test -- costs other")),
        (
            "Stock",
            "java/src/test/java/shop/StockTest.java:2 StockTest.isLeft name_convention 1",
            ("maven", "java", "mvn test -Dtest=StockTest"),
        ),
    ],
)
def test_commands_are_those_of_the_manifests(find: Find, name: str, test: str, command: tuple[str, str, str]) -> None:
    report = find(name)
    assert short(report)[0] == test
    assert run(report) == [command]


def test_nothing_is_known_and_nothing_tests_it(find: Find) -> None:
    assert not find("no_such_name").known
    assert not find("", "no/such/file").known
    assert (find("never").known, find("never").tests) == (True, ())
