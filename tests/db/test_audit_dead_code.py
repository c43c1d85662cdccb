"""Dead code among planted definitions: half of them are alive by a trick."""

import shutil
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.audit import Finding, Scope

# Definitions by file; those whose names begin with dead_ or Dead are unused, also behind `export`.
PYTHON = {
    "pyproject.toml": '[project.scripts]\nshop = "shop.cli:by_script"\n[project.entry-points."shop.plugins"]\n'
    'x = "shop.plugins:by_plugin"\n',
    "app.yaml": "handler: shop.hooks.by_settings\n",
    "templates/page.html": "<p>{{ item|by_template }}</p>\n",
    "shop/__init__.py": "from shop.api import by_reexport\n\n__all__ = ['by_reexport']\n",
    "shop/api.py": "__all__ = ['by_all']\n\n\ndef by_all(): ...\n\n\ndef by_reexport(): ...\n",
    "shop/cli.py": "def by_script(): ...\n\n\ndef _dead_command(): ...\n",
    "shop/plugins.py": "def by_plugin(): ...\n\n\ndef _dead_plugin(): ...\n",
    "shop/hooks.py": "def by_settings(): ...\n\n\ndef by_template(value): ...\n\n\ndef _dead_hook(): ...\n",
    "shop/web.py": (
        "from flask import Flask\n\napp = Flask('shop')\n\n\n@app.route('/')\ndef by_decorator():\n"
        "    return _by_call()\n"
        "\n\ndef _by_call():\n    return ''\n\n\n@app.get(\n    '/long',\n)\ndef by_long_decorator(): ...\n"
        "\n\ndef _dead_route(): ...\n"
    ),
    "shop/visitor.py": (
        "class Walker:\n    def go(self, kind):\n        return getattr(self, 'take_' + kind)()\n\n"
        "    def take_name(self): ...\n\n    def _dead_step(self): ...\n\n\nWalker().go('name')\n"
    ),
    "shop/server.py": (
        "from http.server import BaseHTTPRequestHandler\nimport unittest\n\n\nclass Handler(BaseHTTPRequestHandler):\n"
        "    def log_message(self, *parts): ...\n\n    def __repr__(self):\n        return ''\n\n\n"
        "class Case(unittest.TestCase):\n    def runTest(self): ...\n\n\nHANDLERS = [Handler, Case]\nprint(HANDLERS)\n"
    ),
    "shop/registry.py": (
        "class Plugin:\n    known = []\n\n    def __init_subclass__(cls):\n        Plugin.known.append(cls)\n\n\n"
        "class ByRegistry(Plugin): ...\n\n\nprint(Plugin.known)\n"
    ),
    "shop/shapes.py": (
        "class Shape:\n    def area(self):\n        return 0\n\n\nclass Square(Shape):\n"
        "    def area(self):\n        return 1\n\n\n"
        "def total(shapes):\n    return sum(one.area() for one in shapes)\n\n\nprint(total([Square()]))\n\n\n"
        "class _DeadShape(Shape):\n    def area(self):\n        return 2\n"
    ),
    "shop/strings.py": (
        "import importlib\n\n\ndef by_name_in_text(): ...\n\n\n"
        "print(getattr(importlib.import_module('shop.strings'), 'by_name_in_text'))\n\n\n"
        "def _dead_text():\n    return '_dead_text'\n"
    ),
    "shop/same.py": "def _dead_same(): ...\n",
    "shop/other.py": "from shop.third import _dead_same\n\nprint(_dead_same)\n",
    "shop/third.py": "def _dead_same(): ...\n",
    "shop/chain.py": (
        "def _dead_first():\n    return _dead_second()\n\n\ndef _dead_second():\n    return _dead_third()\n\n\n"
        "def _dead_third():\n    return 1\n\n\ndef _dead_left():\n    return _dead_right()\n\n\n"
        "def _dead_right():\n    return _dead_left()\n\n\ndef _dead_recursive(n):\n    return _dead_recursive(n - 1)\n"
    ),
    "shop/docs.py": 'def _spoken_of():\n    """Nothing."""\n\n\ndef _other():\n'
    '    """See _spoken_of."""\n\n\n_other()\n',
    "shop/helpers.py": "def _only_tested():\n    return 1\n\n\ndef _properly():\n    return 2\n\n\n"
    "print(_properly())\n",
    "shop/props.py": (
        "class Box:\n    @property\n    def _width(self):\n        return 1\n\n    @_width.setter\n"
        "    def _width(self, value): ...\n\n"
        "    @property\n    def _dead_height(self):\n        return 1\n\n\nprint(Box()._width)\n"
    ),
    "shop/conditional.py": (
        "try:\n    from fast import _speed\nexcept ImportError:\n    def _speed(): ...\n\nprint(_speed())\n\n\n"
        "def _dead_slow(): ...\n"
    ),
    "tests/test_helpers.py": "from shop.helpers import _only_tested\n\n\ndef test_it():\n    assert _only_tested()\n",
}
TYPESCRIPT = {
    "package.json": '{"name": "web", "main": "dist/index.js", "exports": {".": "./dist/index.js", "./x":'
    ' "./dist/extra.js"}, "scripts": {"tool": "node src/tool.ts"}}\n',
    "src/index.ts": "export { byEntry } from './api';\nexport * from './all';\nimport './effects';\n",
    "src/api.ts": "export function byEntry() {}\nexport function deadExport() {}\n",
    "src/all.ts": "export function byStar() {}\nexport default function DeadDefault() {}\n",
    "src/extra.ts": "export const byManifest = () => 1;\nfunction deadInner() {}\n",
    "src/tool.ts": "export function byScript() {}\n",
    "src/effects.ts": (
        "import * as shapes from './shapes';\nimport lazy from './lazy';\nimport { renamed as here } from './barrel';\n"
        "import { whole } from './spread';\nconsole.log(shapes.byNamespace(), lazy, here, whole);\n"
        "import('./dynamic').then((m) => m.byDynamic());\n"
    ),
    "src/shapes.ts": "export function byNamespace() {}\nexport function deadShape() {}\n",
    "src/lazy.ts": "function byDefault() {}\nexport default byDefault;\nexport function deadBeside() {}\n",
    "src/barrel.ts": "export { original as renamed, deadHandedOn } from './deep';\n",
    "src/deep.ts": "export function original() {}\nexport function deadHandedOn() {}\n",
    "src/spread.ts": ("import * as parts from './parts';\nexport const whole = Object.values(parts);\n"),
    "src/parts.ts": "export function bySpread() {}\n",
    "src/dynamic.ts": "export function byDynamic() {}\n",
    "src/local.ts": (
        "export function usedHere() {}\nusedHere();\nexport interface DeadShape { a: number }\n"
        "export type DeadUnion = 1 | 2;\n"
        "type Kept = 1;\nexport const kept: Kept = 1;\nconsole.log(kept);\n"
    ),
    "src/list.ts": "function deadListed() {}\nfunction byList() {}\nexport { deadListed, byList as taken };\n",
    "src/taker.ts": "import { taken } from './list';\ntaken();\nimport './local';\n",
    "src/service.ts": (
        "class Service {\n  run() { this.#step(); }\n  #step() {}\n  private deadStep() {}\n"
        "  private deadHandle = () => 1;\n}\n"
        "new Service().run();\n"
    ),
    "src/chain.ts": "export function deadTop() { return deadBelow(); }\nfunction deadBelow() { return 1; }\n",
    "src/types.d.ts": "export interface ByDeclaration { a: number }\n",
    "src/page.vue": "<script>\nimport { byVue } from './vue';\n</script>\n",
    "src/vue.ts": "export function byVue() {}\n",
    "vite.config.ts": "export function byTool() {}\n",
    "src/index.test.ts": "import { onlyTested } from './tested';\nonlyTested();\n",
    "src/tested.ts": "export function onlyTested() {}\n",
}


@pytest.fixture
def planted(app: App, tmp_path: Path) -> list[Finding]:
    """Findings about both trees, the second one in a folder of its own."""
    root = tmp_path / "planted"
    for base, files in (("", PYTHON), ("web/", TYPESCRIPT)):
        for path, text in files.items():
            (root / base / path).parent.mkdir(parents=True, exist_ok=True)
            (root / base / path).write_text(text)
    app.index(root, name="planted")
    record = app.catalog.list_all()[0]
    found = app.audits.find(Scope(root=root, record=record), ["dead-code"]).findings
    shutil.rmtree(root)
    return [one for one in found if one.rule in ("dead-code", "test-only")]


UNUSED = """
_DeadShape _dead_command _dead_first _dead_height _dead_hook _dead_left _dead_plugin
_dead_recursive _dead_right _dead_route
_dead_same _dead_second _dead_slow _dead_step _dead_text _dead_third
DeadDefault DeadShape DeadUnion deadBelow deadBeside deadExport deadHandedOn deadHandle deadInner deadListed
deadShape deadStep
deadTop
"""


def name_of(one: Finding) -> str:
    return one.key.rpartition(".")[2]


def test_planted_definitions(planted: list[Finding]) -> None:
    assert sorted(name_of(one) for one in planted if one.actionability == "actionable") == sorted(UNUSED.split())
    assert {one.place.path for one in planted if name_of(one) == "_dead_same"} == {"shop/same.py"}
    others = {name_of(one): one for one in planted if one.actionability != "actionable"}
    assert {name: one.rule for name, one in others.items()} == {
        "_spoken_of": "dead-code",
        "_only_tested": "test-only",
        "onlyTested": "test-only",
    }
    assert any("comments" in text for text in others["_spoken_of"].evidence)
    second = next(one for one in planted if name_of(one) == "_dead_second")
    assert "shop/chain.py:2" in second.evidence[0]
    assert all(step.arguments["index_name"] == "planted" for one in planted for step in one.next_steps)
