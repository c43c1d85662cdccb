"""Which uses of a name are of which definition, and how sure that is."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.model.completeness import Completeness
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.usages import UsageKind, UsageReport, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.target import Target

KINDS: tuple[UsageKind, ...] = ("call", "import", "type", "inherit", "read")
FILES = {
    "shop/__init__.py": "from .cart import Cart, checkout\n",
    "shop/cart.py": (
        "class Cart:\n"
        "    def add(self, item):\n        return self.count(item)\n\n"
        "    def count(self, item):\n        return 1\n\n\n"
        "def checkout(cart):\n    return cart.count(None)\n"
    ),
    "shop/orders.py": (
        "from shop import Cart, checkout as pay\nimport shop.cart\n\n\n"
        "def order(cart: Cart):\n    pay(cart)\n    return shop.cart.checkout(cart)\n\n\n"
        "def reorder():\n    return order(Cart())\n"
    ),
    "shop/other.py": "from library import checkout\n\n\ndef other():\n    return checkout(1)\n",
    "shop/local.py": "def checkout():\n    return 2\n\n\ndef local():\n    return checkout()\n",
    "tests/test_cart.py": "from shop.cart import *\n\n\ndef test_cart():\n    assert checkout(Cart())\n",
    "web/cart.ts": "export class Basket {}\nexport function total(b: Basket) { return 1; }\n",
    "web/index.ts": 'export * from "./cart";\nexport { total as sum } from "./cart";\n',
    "web/page.tsx": (
        'import { Basket, total } from ".";\nimport * as cart from "./cart";\n'
        "class Wide extends Basket {}\nexport const Page = () => { total(new Basket()); return cart.total(null); };\n"
    ),
}
Find = Callable[..., UsageReport]


def _asking(app: App, tmp_path: Path, files: Mapping[str, str]) -> Find:
    root = tmp_path / "root"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    app.index(root, name="root")

    def ask(name: str, *, kinds: tuple[UsageKind, ...] = KINDS, **more: object) -> UsageReport:
        request = UsageRequest(symbol=read_name(name), kinds=kinds, **{"limit": 100, **more})  # type: ignore[arg-type]
        return app.graphs.find_references(request, app.catalog.find("root"))

    return ask


@pytest.fixture
def find(app: App, tmp_path: Path) -> Find:
    return _asking(app, tmp_path, FILES)


def short(report: UsageReport) -> list[str]:
    return [f"{one.path}:{one.line} {one.kind} {one.confidence}" for one in report.usages]


def test_imports_are_followed_to_the_definition(find: Find) -> None:
    report = find("shop/cart.py#checkout")
    assert short(report) == [
        "shop/__init__.py:1 import resolved",
        "shop/orders.py:1 import resolved",
        "shop/orders.py:6 call resolved",
        "shop/orders.py:7 call resolved",
        "tests/test_cart.py:5 call resolved",
    ]
    assert [one.around.qualified_name if one.around else None for one in report.usages[2:]] == [
        "order",
        "order",
        "test_cart",
    ]
    assert report.usages[2].text == "pay(cart)"
    assert report.kinds == {"call": 3, "import": 2}
    assert report.confidences == {"resolved": 5}


def test_a_name_of_another_place_is_no_use(find: Find) -> None:
    assert short(find("shop/local.py#checkout")) == ["shop/local.py:6 call scoped"]
    both = find("checkout")
    assert both.total == 6
    assert {one.target.path for one in both.usages if one.target} == {"shop/cart.py", "shop/local.py"}
    assert not any(one.path == "shop/other.py" for one in both.usages)


def test_what_library_names_are_used_for(find: Find) -> None:
    report = find("library.nothing")
    assert (report.total, report.definitions, report.completeness.level) == (0, (), "partial")
    assert "nothing in the index defines this name" in " ".join(report.completeness.blind_spots)


def test_members_are_told_apart_by_what_they_are_called_on(find: Find) -> None:
    report = find("Cart.count")
    assert short(report) == ["shop/cart.py:3 call scoped", "shop/cart.py:10 call name_only"]
    assert report.completeness.level == "partial"
    assert report.completeness.blind_spots[0].startswith("1 use matches by name only")


def test_types_bases_and_modules_that_pass_names_on(find: Find) -> None:
    assert short(find("Basket")) == [
        "web/page.tsx:1 import resolved",
        "web/page.tsx:3 inherit resolved",
        "web/page.tsx:4 call resolved",
        "web/cart.ts:2 type scoped",
    ]
    assert short(find("total", kinds=("call",))) == ["web/page.tsx:4 call resolved"] * 2
    assert short(find("Cart", kinds=("type", "call"))) == [
        "shop/orders.py:5 type resolved",
        "shop/orders.py:11 call resolved",
        "tests/test_cart.py:5 call resolved",
    ]


def test_callers_of_callers(find: Find) -> None:
    report = find("shop/cart.py#checkout", kinds=("call",), depth=2)
    assert [(one.path, one.line, one.distance) for one in report.usages if one.distance > 1] == [
        ("shop/orders.py", 11, 2)
    ]
    assert report.usages[-1].target is not None
    assert report.usages[-1].target.qualified_name == "order"


def test_callees(find: Find) -> None:
    report = find("order", callees=True, kinds=("call", "type"))
    assert [(one.name, one.confidence, one.target.path if one.target else None) for one in report.usages] == [
        ("Cart", "resolved", "shop/cart.py"),
        ("pay", "resolved", "shop/cart.py"),
        ("checkout", "resolved", "shop/cart.py"),
    ]


def test_filters_kinds_and_pages(find: Find) -> None:
    whole = find("checkout", kinds=(*KINDS, "definition"))
    assert [one.path for one in whole.usages if one.kind == "definition"] == ["shop/cart.py", "shop/local.py"]
    pages = [one for offset in range(0, 10, 3) for one in find("checkout", limit=3, offset=offset).usages]
    assert pages == list(find("checkout").usages)
    filters = SearchFilters(excluded_content=("tests",))
    assert not any(one.path.startswith("tests/") for one in find("checkout", filters=filters).usages)


def test_verdicts(find: Find, app: App, tmp_path: Path) -> None:
    assert find("reorder").completeness.level == "complete"
    (tmp_path / "root/shop/dynamic.py").write_text("def call(module):\n    return getattr(module, 'reorder')()\n")
    app.index(tmp_path / "root", name="root")
    assert find("reorder").completeness.level == "likely"
    (tmp_path / "root/shop/broken.py").write_text("def broken(:\n    reorder(\n")
    app.index(tmp_path / "root", name="root")
    verdict = find("reorder").completeness
    assert verdict.level == "partial"
    assert "1 of " in verdict.blind_spots[0]


def test_a_name_that_nothing_has_is_not_missed_in_languages_without_references(
    find: Find, app: App, tmp_path: Path
) -> None:
    (tmp_path / "root/shop.css").write_text(".cart { color: red }\n")
    (tmp_path / "root/broken.css").write_text(".cart { color\n.x {{{\n")
    app.index(tmp_path / "root", name="root")
    spots = find("zzz_nowhere").completeness.blind_spots
    assert "nothing in the index defines this name" in spots[0]
    assert "CSS" not in " ".join(spots)


def test_an_import_that_leads_nowhere_is_told(find: Find, app: App, tmp_path: Path) -> None:
    (tmp_path / "root/shop/late.py").write_text("from .missing import reorder\n\nreorder()\n")
    app.index(tmp_path / "root", name="root")
    report = find("reorder")
    assert [one.confidence for one in report.usages] == ["name_only", "name_only"]
    assert any("do not resolve to" in spot for spot in report.completeness.blind_spots)


def test_what_is_kept_of_an_index_does_not_outlive_a_run(find: Find, app: App, tmp_path: Path) -> None:
    assert not any("do not resolve to" in spot for spot in find("order").completeness.blind_spots)
    (tmp_path / "root/shop/late.py").write_text("from .missing import *\n")
    app.index(tmp_path / "root", name="root")
    assert any("do not resolve to" in spot for spot in find("order").completeness.blind_spots)


def test_what_stands_in_a_namespace_is_seen_in_its_folder_and_where_it_is_used(app: App, tmp_path: Path) -> None:
    root = tmp_path / "sharp"
    files = {
        "Acme.Text/Writer.cs": "namespace Acme.Text\n{\n    class Writer { }\n}\n",
        "Acme.Text/Other.cs": "namespace Acme.Text\n{\n    class Other { Writer one = new Writer(); }\n}\n",
        "App/Main.cs": "using Acme.Text;\nclass Main { Writer one; }\n",
        "App/Far.cs": "class Far { Writer one; }\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    app.index(root, name="sharp")
    request = UsageRequest(symbol=read_name("Writer"), kinds=KINDS, limit=100)
    assert short(app.graphs.find_references(request, app.catalog.find("sharp"))) == [
        "App/Main.cs:2 type resolved",
        "Acme.Text/Other.cs:3 type scoped",
        "Acme.Text/Other.cs:3 call scoped",
        "App/Far.cs:1 type name_only",
    ]


MORE = {
    "pack/__init__.py": "from .inner import make as build, Tool as Gadget\nfrom .inner import deep\n",
    "pack/inner.py": (
        "def make():\n    return 1\n\n\ndef deep():\n    return 2\n\n\n"
        "class Tool:\n    @classmethod\n    def start(cls):\n        return cls()\n"
    ),
    "pack/side.py": (
        "import os\n\nif os.name:\n    from .inner import make\nelse:\n"
        "\n    def make():\n        return 3\n\n\nmake()\n"
    ),
    "use.py": (
        "import pack.side\nfrom pack import Gadget, build\nimport pack as p\n\n\n"
        "def use():\n    build()\n    p.build()\n    pack.deep()\n    return Gadget.start()\n"
    ),
    "web/one.ts": "export function send() {}\n",
    "web/two.ts": 'export { send as post } from "./one";\n',
    "web/one.test.ts": (
        'import { send } from "./one";\nimport { post } from "./two";\n'
        'describe("send", () => {\n  test("post", () => { send(); post(); });\n});\n'
    ),
}


@pytest.fixture
def find_more(app: App, tmp_path: Path) -> Find:
    return _asking(app, tmp_path, MORE)


def test_names_that_modules_pass_on_under_another_one(find_more: Find) -> None:
    calls = short(find_more("pack/inner.py#make", kinds=("call",)))
    assert calls == ["use.py:7 call resolved", "use.py:8 call resolved", "pack/side.py:11 call name_only"]
    assert short(find_more("Tool.start", kinds=("call",))) == ["use.py:10 call resolved"]
    assert short(find_more("web/one.ts#send", kinds=("call",))) == ["web/one.test.ts:4 call resolved"] * 2


def test_a_package_is_imported_with_its_modules(find_more: Find) -> None:
    assert short(find_more("deep", kinds=("call",))) == ["use.py:9 call resolved"]


LINKED = {
    "lib/api.h": '#include "deep.h"\nint api_open(int how);\n',
    "lib/deep.h": "int deep_close(int what);\n",
    "lib/api.c": (
        '#include "api.h"\nint api_open(int how) { return how; }\nint deep_close(int what) { return what; }\n'
        "int api_hidden(void) { return 1; }\nstatic int twice(int n) { return n + n; }\n"
        "int api_twice(void) { return twice(2); }\n"
    ),
    "app/main.c": (
        '#include "api.h"\nint api_hidden(void);\nstatic int twice(int n) { return n; }\n'
        "int main(void) { return api_open(1) + deep_close(2) + twice(3); }\n"
    ),
    "app/bare.c": "int run(void) { return api_hidden(); }\n",
}


def test_a_module_under_another_name_is_not_its_package(app: App, tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "def run():\n    return 1\n",
        "pkg/deep.py": "def run():\n    return 2\n",
        "use.py": "import pkg.deep as short\n\n\ndef go():\n    return short.run()\n",
    }
    find = _asking(app, tmp_path, files)
    assert short(find("pkg/deep.py#run")) == ["use.py:5 call resolved"]
    assert short(find("pkg/__init__.py#run")) == []


def test_a_module_behind_its_imported_package_is_meant(app: App, tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/deep.py": "def run():\n    return 2\n\n\ndef walk():\n    return 3\n",
        "far/deep.py": "def run():\n    return 4\n",
        "use.py": "import pkg\n\n\ndef go():\n    return pkg.deep.run()\n",
    }
    find = _asking(app, tmp_path, files)
    assert short(find("pkg/deep.py#run")) == ["use.py:5 call resolved"]
    assert short(find("far/deep.py#run")) == []


def test_members_of_types_beside_a_file_need_no_import_in_java(app: App, tmp_path: Path) -> None:
    files = {
        "shop/Cart.java": "package shop;\n\nclass Cart {\n    static int count() { return 1; }\n}\n",
        "shop/Till.java": "package shop;\n\nclass Till {\n    static int count() { return 2; }\n}\n",
        "shop/Use.java": "package shop;\n\nclass Use {\n    int go() { return Cart.count(); }\n}\n",
    }
    find = _asking(app, tmp_path, files)
    assert short(find("Cart.count")) == ["shop/Use.java:4 call scoped"]
    assert short(find("Till.count")) == []


def test_what_is_declared_in_headers_and_linked(app: App, tmp_path: Path) -> None:
    ask = _asking(app, tmp_path, LINKED)
    assert short(ask("lib/api.c#api_open", kinds=("call",))) == ["app/main.c:4 call resolved"]
    assert short(ask("lib/api.h#api_open", kinds=("call",))) == ["app/main.c:4 call resolved"]
    assert short(ask("lib/api.c#deep_close", kinds=("call",))) == ["app/main.c:4 call resolved"]
    assert short(ask("lib/api.c#api_hidden", kinds=("call",))) == ["app/bare.c:1 call scoped"]
    assert short(ask("lib/api.c#twice", kinds=("call",))) == ["lib/api.c:6 call scoped"]


RENAMED = {
    "one.ts": "export default function plain() {}\n",
    "two.ts": 'import other from "./one";\nother();\n',
    "three.ts": "function local() {}\nexport { local as shown };\n",
    "four.ts": 'import { shown } from "./three";\nshown();\n',
    "five.js": "function whole() {}\nmodule.exports = whole;\n",
    "six.js": 'const it = require("./five");\nit();\n',
    "seven.ts": "export function sure() {}\n",
    "eight.ts": 'import { sure as certain } from "./seven";\ncertain();\n',
    "nine.ts": "export class Base {}\n",
    "ten.ts": 'export { Base as Middle } from "./nine";\n',
    "eleven.ts": 'export { Middle as Outer } from "./ten";\n',
    "twelve.ts": 'import { Outer } from "./eleven";\nnew Outer();\n',
}


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("plain", ["two.ts:1 import", "two.ts:2 call"]),
        ("local", ["four.ts:1 import", "four.ts:2 call"]),
        ("whole", ["six.js:1 import", "six.js:2 call"]),
        ("sure", ["eight.ts:1 import", "eight.ts:2 call"]),
        ("Base", ["eleven.ts:1 import", "ten.ts:1 import", "twelve.ts:1 import", "twelve.ts:2 call"]),
    ],
)
def test_uses_under_another_name_are_found(app: App, tmp_path: Path, name: str, places: list[str]) -> None:
    report = _asking(app, tmp_path, RENAMED)(name)
    assert [f"{one.path}:{one.line} {one.kind}" for one in report.usages if one.confidence == "resolved"] == places
    assert report.completeness == Completeness("complete")


def test_uses_of_an_exported_expression_are_never_complete(app: App, tmp_path: Path) -> None:
    files = {"view.js": "function View() {}\nexport default memo(View);\n", "a.js": "import V from './view';\nV();\n"}
    verdict = _asking(app, tmp_path, files)("View").completeness
    assert verdict.level == "likely"
    assert "another name" in verdict.blind_spots[0]


HEIRS = {
    "base.py": "class Base:\n    def run(self):\n        return self.step()\n\n    def step(self):\n        return 0\n",
    "heir.py": (
        "from base import Base\n\n\nclass Middle(Base):\n    pass\n\n\nclass Heir(Middle):\n"
        "    def go(self):\n        return self.step()\n\n\nclass Other(Middle):\n    def step(self):\n"
        "        return super().step()\n\n    def go(self):\n        return self.step()\n"
    ),
    "strange.py": "class Strange:\n    def go(self):\n        return self.step()\n",
    "base.ts": "export class Base { step() {} }\n",
    "heir.ts": 'import { Base } from "./base";\nclass Heir extends Base { go() { this.step(); super.step(); } }\n',
}


def test_members_that_are_inherited(app: App, tmp_path: Path) -> None:
    ask = _asking(app, tmp_path, HEIRS)
    assert short(ask("base.py#Base.step", kinds=("call",))) == [
        "base.py:3 call scoped",
        "heir.py:10 call scoped",
        "heir.py:15 call scoped",
        "strange.py:3 call name_only",
    ]
    assert short(ask("Other.step", kinds=("call",))) == ["heir.py:18 call scoped", "strange.py:3 call name_only"]
    assert short(ask("base.ts#Base.step", kinds=("call",))) == ["heir.ts:2 call scoped"] * 2
    callees = ask("Heir.go", callees=True, kinds=("call",)).usages
    places = {(one.path, one.target.path) for one in callees if one.target}
    assert places == {("heir.py", "base.py"), ("heir.ts", "base.ts")}


def test_members_of_what_files_say_the_type_of(app: App, tmp_path: Path) -> None:
    ask = _asking(app, tmp_path, {
        "base.py": "class Base:\n    def go(self):\n        pass\n",
        "cart.py": "from base import Base\n\n\nclass Cart(Base):\n    def total(self):\n        return 1\n",
        "other.py": "class Basket:\n    def total(self):\n        return 2\n",
        "use.py": (
            "import library\nfrom cart import Cart\nfrom library import Box\n\n\n"
            "def use(cart: Cart, box: Box, what, more: library.Cart):\n"
            "    cart.total()\n    Cart().total()\n    cart.go()\n    box.total()\n    what.total()\n    more.total()\n"
        ),
        "web/cart.ts": "export class Cart { count() { return 1; } }\n",
        "web/use.ts": (
            'import { Cart } from "./cart";\nclass Shop {\n  constructor(private cart: Cart) {}\n'
            "  run(x: any) { x.count(); return this.cart.count(); }\n}\n"
        ),
    })  # fmt: skip
    assert short(ask("Cart.total", kinds=("call",))) == [
        "use.py:7 call resolved",
        "use.py:8 call resolved",
        "use.py:10 call name_only",
        "use.py:11 call name_only",
        "use.py:12 call name_only",
    ]
    assert short(ask("Base.go", kinds=("call",))) == ["use.py:9 call scoped"]
    assert [one.line for one in ask("Basket.total", kinds=("call",)).usages if one.confidence != "name_only"] == []
    assert short(ask("Cart.count", kinds=("call",))) == ["web/use.ts:4 call resolved", "web/use.ts:4 call name_only"]


def test_members_of_what_functions_give(app: App, tmp_path: Path) -> None:
    ask = _asking(app, tmp_path, {
        "cart.py": (
            "from typing import Callable\n\n\nclass Line:\n    def cost(self): return 1\n\n\n"
            "class Cart:\n    lines: list[Line]\n\n    @classmethod\n    def new(cls): return cls()\n\n"
            "    @property\n    def first(self) -> Line: ...\n\n    def twin(self) -> 'Cart': ...\n\n"
            "    def total(self): return 1\n\n\nMaker = Callable[[int], Cart]\n"
        ),
        "shop.py": (
            "from cart import Cart, Maker\n\n\ndef open_cart(n) -> Cart | None: ...\n\n\n"
            "def plain(n):\n    return open_cart(n)\n\n\ndef maker(n) -> Maker: ...\n\n\ndef other() -> int: ...\n\n\n"
            "class Base:\n    def __init__(self): self.cart = plain(1)\n"
        ),
        "other.py": "class Line:\n    def cost(self): return 2\n",
        "use.py": (
            "import shop\nfrom cart import Cart\nfrom shop import open_cart as opened\n\n\n"
            "class Use(shop.Base):\n    def run(self, given):\n"
            "        self.cart.total()\n        shop.open_cart(1).total()\n        one = opened(2)\n"
            "        one.total()\n        Cart.new().twin().total()\n        shop.plain(3).total()\n"
            "        for line in one.lines:\n            line.cost()\n"
            "        one.first.cost()\n        one.lines[0].cost()\n"
            "        shop.other().cost()\n        one.twin.total()\n        given(1).total()\n\n"
            "        @shop.maker(1)\n        def made(): ...\n\n        made.total()\n"
        ),
    })  # fmt: skip
    bound = [one.line for one in ask("Cart.total", kinds=("call",)).usages if one.confidence != "name_only"]
    assert sorted(bound) == [8, 9, 11, 12, 13, 25]
    bound = [one.line for one in ask("cart.py#Line.cost", kinds=("call",)).usages if one.confidence != "name_only"]
    assert sorted(bound) == [15, 16, 17]
    callees = ask("Use.run", callees=True, kinds=("call",)).usages
    assert {one.line for one in callees if one.target and one.target.qualified_name == "Cart.total"} >= {8, 9, 11, 25}


def test_a_class_has_its_own_members_before_those_it_inherits(app: App, tmp_path: Path) -> None:
    ask = _asking(app, tmp_path, {
        "base.py": "class Base:\n    def go(self): ...\n\n    @classmethod\n    def new(cls): ...\n",
        "heir.py": "from base import Base\n\n\nclass Heir(Base):\n    def go(self): ...\n",
        "use.py": "import heir\n\none = heir.Heir()\none.go()\nheir.Heir.new()\n",
    })  # fmt: skip
    assert short(ask("Base.go", kinds=("call",))) == ["use.py:4 call name_only"]
    assert short(ask("Base.new", kinds=("call",))) == ["use.py:5 call scoped"]


def test_what_imports_say_is_read_only_where_it_may_matter(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Imports of all names, or of whole modules, are most of all imports of these languages."""
    files = {
        "org/a/Cart.kt": "package org.a\nfun total(): Int = 1\n",
        "org/b/Other.kt": "package org.b\nfun other(): Int = 2\n",
        "org/c/Bare.kt": "package org.c\nimport org.a.*\nimport org.b.*\nfun one() = total() + other()\n",
        "org/c/Behind.kt": "package org.c\nimport org.a.*\nimport org.b.*\nfun two(x: Any) = x.total()\n",
    }
    find = _asking(app, tmp_path, files)
    seen: list[str] = []
    real = store.imports_of_uses

    def noting(*given: Any) -> list[store.Imported]:
        found = real(*given)
        seen.extend(f"{one.line}:{one.module}" for one in found)
        return found

    monkeypatch.setattr(store, "imports_of_uses", noting)
    report = find("total", kinds=("call",))
    assert short(report) == ["org/c/Bare.kt:4 call resolved", "org/c/Behind.kt:4 call name_only"]
    assert seen == ["2:org.a"]


def test_every_page_has_its_part_of_uses_that_are_bound_together(app: App, tmp_path: Path) -> None:
    """Those of a file that are spelled alike are one row until a page shows them."""
    calls = "".join(f"    {'cart.' * (number % 3 == 0)}total({number})\n" for number in range(9))
    find = _asking(app, tmp_path, {
        "cart.py": "def total(one):\n    return total(one - 1)\n",
        "by_name.py": "def run(cart):\n    cart.total(1); cart.total(2)\n\n\ndef more(cart):\n    cart.total(3)\n",
        "many.py": f"import cart\nfrom cart import total\n\n\ndef a():\n{calls}\n\ndef b():\n{calls}",
        "tests/test_many.py": f"import cart\nfrom cart import total\n\n\ndef test_a():\n{calls}",
    })  # fmt: skip
    for kinds in (KINDS, ("call",), (*KINDS, "definition")):
        for depth in (1, 2):
            whole = find("total", kinds=kinds, depth=depth)
            assert len(whole.usages) == whole.total == sum(whole.kinds.values())
            for limit in (1, 4, 7):
                pages = [
                    one
                    for offset in range(0, whole.total + 1, limit)
                    for one in find("total", kinds=kinds, depth=depth, limit=limit, offset=offset).usages
                ]
                assert pages == list(whole.usages)
    direct = find("total", kinds=("call",))
    assert [one.line for one in direct.usages if one.path == "many.py"] == [*range(6, 15), *range(18, 27)]
    assert [one.around.qualified_name for one in direct.usages if one.path == "many.py" and one.around] == [
        *["a"] * 9, *["b"] * 9,
    ]  # fmt: skip
    assert short(direct)[-3:] == [
        "by_name.py:2 call name_only",
        "by_name.py:2 call name_only",
        "by_name.py:6 call name_only",
    ]
    assert [one.column for one in direct.usages[-3:]] == [10, 25, 10]
    assert direct.kinds == {"call": 31}
    assert direct.confidences == {"resolved": 27, "scoped": 1, "name_only": 3}


def test_members_are_bound_by_the_class_around_each_use(app: App, tmp_path: Path) -> None:
    """Uses that are spelled alike mean different members in different classes."""
    classes = "\n\n".join(
        f"class {name}:\n    def go(self):\n        return self.stop(), self.stop()\n\n"
        "    def stop(self):\n        pass\n"
        for name in ("One", "Two")
    )
    find = _asking(app, tmp_path, {"both.py": classes + "\n\nself = None\nself.stop()\n"})
    assert short(find("One.stop", kinds=("call",))) == ["both.py:3 call scoped", "both.py:3 call scoped",
                                                        "both.py:18 call name_only"]  # fmt: skip
    assert short(find("Two.stop", kinds=("call",)))[:2] == ["both.py:11 call scoped"] * 2


def test_files_and_heirs_are_read_once_for_a_generation(app: App, tmp_path: Path) -> None:
    find = _asking(app, tmp_path, {"a.py": "class A:\n    pass\n\n\nclass B(A):\n    pass\n"})
    record = app.catalog.find("root")
    facts = IndexFacts(Target(record.index_id, record.chunk_count, SearchFilters()))
    number = file_id_of("a.py")
    with app.database.reading() as conn:
        first = facts.files(conn, [number]), facts.heirs(conn, ["A", "B"], 10)
        assert facts.heirs(conn, ["A", "B"], 1) is None
        heirs = IndexFacts(facts.target).heirs(conn, ["A"], 1)
    assert first[0][number].path == "a.py"
    assert first[1] == [("A", "B")]
    assert heirs is None
    closed = conn  # whoever asks again needs no connection
    assert (facts.files(closed, [number]), facts.heirs(closed, ["A", "B"], 10)) == first
    (tmp_path / "root/a.py").write_text("class A:\n    pass\n\n\nclass C(A):\n    def run(self):\n        A()\n")
    app.index(tmp_path / "root", name="root")
    assert short(find("A")) == ["a.py:5 inherit scoped", "a.py:7 call scoped"]


DEFAULTS = {
    "lib/cart.js": "export default class Cart {\n  static empty() { return new Cart(); }\n  add() { return 1; }\n}\n",
    "lib/total.js": "const total = (cart) => 1;\nconst tax = () => 2;\nexport { total as default, tax as vat };\n",
    "lib/view.js": "function View() { return 1; }\nexport default memo(View);\n",
    "lib/old.cjs": "class Old {}\nmodule.exports = Old;\n",
    "lib/tools.js": "function clean(x) { return x; }\nexport default { clean };\n",
    "index.js": (
        "export { default as Basket } from './lib/cart';\nexport { default } from './lib/total';\n"
        "export * as tools from './lib/tools';\n"
    ),
    "app.js": (
        "import Shop, { nothing } from './lib/cart';\nimport sum, { vat } from './lib/total';\n"
        "import View from './lib/view';\nconst Ancient = require('./lib/old.cjs');\nimport kit from './lib/tools';\n"
        "import * as all from './index';\n\n"
        "export function run() {\n  const shop = new Shop();\n  shop.add();\n  Shop.empty();\n  sum(shop);\n  vat();\n"
        "  View();\n  new Ancient();\n  kit.clean(1);\n}\n"
    ),
    "page.ts": "import pay, { Basket } from './index';\nexport const page = () => { new Basket(); return pay(0); };\n",
    "late.mjs": "const { default: Bag } = await import('./lib/cart.js');\nexport const late = () => new Bag();\n",
}


def test_default_exports_are_used_under_any_name(app: App, tmp_path: Path) -> None:
    find = _asking(app, tmp_path, DEFAULTS)

    def uses(name: str) -> list[str]:
        return [f"{one.path}:{one.line} {one.kind}" for one in find(name).usages if one.confidence == "resolved"]

    assert uses("Cart") == [
        "app.js:1 import",
        "app.js:9 call",
        "app.js:11 read",
        "index.js:1 import",
        "late.mjs:1 import",
        "late.mjs:2 call",
        "page.ts:1 import",
        "page.ts:2 call",
    ]
    assert uses("total") == [
        "app.js:2 import",
        "app.js:12 call",
        "index.js:2 import",
        "page.ts:1 import",
        "page.ts:2 call",
    ]
    assert uses("tax") == ["app.js:2 import", "app.js:13 call"]
    assert uses("View") == ["app.js:3 import", "app.js:14 call"]
    assert uses("Old") == ["app.js:4 import", "app.js:15 call"]
    assert uses("clean") == ["app.js:16 call"]
    assert uses("Cart.empty") == ["app.js:11 call"]
    assert short(find("Cart.add")) == ["app.js:10 call resolved"]
    called = {one.target.qualified_name for one in find("run", callees=True).usages if one.target}
    assert called == {"Cart", "Cart.add", "Cart.empty", "total", "tax", "View", "Old", "clean"}


SCOPES = {
    "cart.py": "class App:\n    def add(self):\n        pass\n\n\ndef total():\n    return 1\n",
    "other.py": "def total():\n    return 2\n",
    "use.py": (
        "from cart import total\n\n\ndef first(app):\n    app.add()\n    app.add()\n    return total()\n\n\n"
        "def second():\n    from lib import app\n\n    def inner():\n        app.add()\n\n    return app.add()\n\n\n"
        "def third():\n    from other import total\n\n    return total()\n\n\n"
        "def fourth():\n    from other import total as count\n\n    return count()\n\n\n"
        "def fifth(count, app):\n    app.add()\n    return count()\n\n\n"
        "def sixth():\n    from cart import total as count\n\n    return count() + total()\n"
    ),
    "again.py": "from use import count\n\ncount()\n",
}


def test_only_its_own_function_sees_an_import(app: App, tmp_path: Path) -> None:
    find = _asking(app, tmp_path, SCOPES)
    assert short(find("App.add")) == [
        "use.py:5 call name_only",
        "use.py:6 call name_only",
        "use.py:32 call name_only",
    ]
    assert short(find("cart.py#total", kinds=("call",))) == [
        "use.py:7 call resolved",
        "use.py:39 call resolved",
        "use.py:39 call resolved",
    ]
    assert short(find("other.py#total", kinds=("call",))) == ["use.py:22 call resolved", "use.py:28 call resolved"]
    assert [one.line for one in find("sixth", callees=True).usages if one.target] == [39, 39]


@pytest.mark.parametrize(
    ("files", "name", "uses"),
    [
        (
            {"a.py": "class Cart:\n    @staticmethod\n    def make(): ...\n\n\ndef build():\n    return Cart.make()\n"},
            "Cart.make",
            ["a.py:7 call scoped"],
        ),
        (
            {
                "shop/cart.go": "package shop\n\ntype Cart struct{}\n\nfunc (c Cart) Add() {}\n",
                "shop/use.go": "package shop\n\nfunc use(c Cart) {\n\tCart.Add(c)\n}\n",
            },
            "Cart.Add",
            ["shop/use.go:4 call scoped"],
        ),
        (
            {
                "shop/errors.go": "package shop\n\nvar ErrEmpty = new()\n",
                "shop/use.go": "package shop\n\nfunc use() error {\n\treturn ErrEmpty\n}\n",
            },
            "ErrEmpty",
            ["shop/use.go:4 read scoped"],
        ),
        (
            {
                "shop/Prices.java": "package shop;\n\nclass Prices {\n  static int net() { return 1; }\n}\n",
                "shop/Use.java": "package shop;\n\nclass Use {\n  int all = Prices.net();\n}\n",
            },
            "Prices",
            ["shop/Use.java:4 read scoped"],
        ),
    ],
)
def test_members_of_the_same_file_or_package_are_scoped(
    app: App, tmp_path: Path, files: dict[str, str], name: str, uses: list[str]
) -> None:
    assert short(_asking(app, tmp_path, files)(name)) == uses
