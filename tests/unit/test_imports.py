"""What imports lead to, by the paths and manifests of a project."""

import ast
import asyncio
import importlib.util
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from tests.import_cases import check, project, resolve

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.imports import Project, join, nearest, resolver_of
from cocosearch_py.model.references import Import


def test_every_language_that_names_a_resolver_has_it() -> None:
    for language in LANGUAGES.values():
        if language.imports:
            assert callable(import_module(f"cocosearch_py.languages.{language.imports}").resolve_import)
            assert resolver_of(language.id) is not None
    assert resolver_of("csv") is None
    assert resolver_of("no such language") is None


@pytest.mark.parametrize(
    ("folder", "relative", "expected"),
    [
        ("a/b", "./c", "a/b/c"),
        ("a/b", "../c/", "a/c"),
        ("a/b", "c", "a/b/c"),
        ("a/b", ".", "a/b"),
        ("a/b", "../..", ""),
        ("a/b", "../../..", None),
        ("", "x//y", "x/y"),
        ("", "../x", None),
    ],
)
def test_a_relative_path_is_followed(folder: str, relative: str, expected: str | None) -> None:
    assert join(folder, relative) == expected


def test_of_several_files_the_nearest_is_chosen() -> None:
    assert nearest("a/b/x.c", ["c/y.h", "a/b/c/y.h", "a/b/y.h", "a/y.h"]) == ["a/b/y.h", "a/b/c/y.h"]


PYTHON = project(
    "src/pkg/__init__.py",
    "src/pkg/core.py",
    "src/pkg/logging.py",
    "src/pkg/sub/__init__.py",
    "src/pkg/sub/deep.py",
    "src/pkg/data/table.py",
    "src/pkg/stub.pyi",
    "tests/conftest.py",
    "tests/helpers.py",
    "tests/unit/test_core.py",
    "libs/other/pyproject.toml",
    "libs/other/src/other/__init__.py",
    "scripts/run.py",
    "scripts/types.py",
    "docker/build.py",
    pyproject_toml="",
)


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        ("src/pkg/core.py", "pkg", "src/pkg/__init__.py"),
        ("src/pkg/core.py", "pkg core", "src/pkg/core.py"),
        ("src/pkg/core.py", "pkg.sub.deep", "src/pkg/sub/deep.py"),
        ("src/pkg/core.py", "pkg.sub.deep Name", "src/pkg/sub/deep.py"),
        ("src/pkg/core.py", "pkg.sub *", "src/pkg/sub/__init__.py"),
        ("src/pkg/core.py", "pkg.stub f", "src/pkg/stub.pyi"),
        ("src/pkg/core.py", ". sub", "src/pkg/sub/__init__.py"),
        ("src/pkg/core.py", ". VERSION", "src/pkg/__init__.py"),
        ("src/pkg/sub/deep.py", "..core f", "src/pkg/core.py"),
        ("src/pkg/sub/deep.py", ".. core", "src/pkg/core.py"),
        ("src/pkg/core.py", "pkg.data.table", "src/pkg/data/table.py"),  # a namespace package
        ("src/pkg/core.py", "pkg.version x", ""),  # made by a build
        ("src/pkg/core.py", "....x", ""),
        ("src/pkg/core.py", "logging", None),  # lies beside it, but in a package
        ("src/pkg/core.py", "os.path join", None),
        ("src/pkg/core.py", "numpy", None),
        ("src/pkg/core.py", "docker", None),  # a folder of that name with scripts is no package
        ("src/pkg/core.py", "docker.errors", None),
        ("tests/unit/test_core.py", "helpers make", "tests/helpers.py"),
        ("tests/unit/test_core.py", "pkg.core", "src/pkg/core.py"),
        ("src/pkg/core.py", "other", "libs/other/src/other/__init__.py"),
        ("scripts/run.py", "types", "scripts/types.py"),  # the folder of a script comes before the standard library
        ("tests/conftest.py", "types", None),
        ("src/pkg/core.py", "helpers", None),
    ],
)
def test_python(path: str, written: str, expected: str | None) -> None:
    check("python", PYTHON, path, written, expected)


def _imports(file: Path) -> Iterator[Import]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (Import(one.name, None, one.asname, node.lineno) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (Import(module, one.name, one.asname, node.lineno) for one in node.names)


def _origin(module: str, name: str | None) -> str | None:
    """Where the interpreter finds an imported submodule, or else its module."""
    try:
        spec = importlib.util.find_spec(f"{module}.{name}") if name is not None else None
        spec = spec or importlib.util.find_spec(module)
    except ImportError:  # a module for another system
        return None if name is None else _origin(module, None)
    return None if spec is None else spec.origin


def test_python_finds_what_the_interpreter_finds() -> None:
    root = Path(asyncio.__file__).parent.parent
    packages = ("asyncio", "concurrent", "email", "html", "json", "logging", "unittest", "xml")
    files = [file for package in packages for file in (root / package).rglob("*.py")]
    paths = {str(file): file.relative_to(root).as_posix() for file in files}
    library = Project(frozenset(paths.values()), {}.get)
    compared = 0
    for file in files:
        path = paths[str(file)]
        package = path.rpartition("/")[0].replace("/", ".")
        for one in _imports(file):
            module = importlib.util.resolve_name(one.module, package)
            expected = paths.get(_origin(module, one.name) or "")
            found = resolve("python", library, path, one.module, one.name)
            assert found.targets == (() if expected is None else (expected,)), (path, one)
            compared += expected is not None
    assert compared > 200


TSCONFIG = """{
  // comments and trailing commas are allowed
  "extends": "../../tsconfig.base.json",
  "compilerOptions": {"strict": true, /* "paths": {} */},
}"""
ECMASCRIPT = project(
    "packages/app/src/main.ts",
    "packages/app/src/util.ts",
    "packages/app/src/util/index.ts",
    "packages/app/src/view.tsx",
    "packages/app/src/styles.css",
    "packages/app/src/native.mts",
    "packages/app/src/components/Button/index.jsx",
    "packages/app/src/generated.d.ts",
    "packages/core/src/index.ts",
    "packages/core/src/http/client.ts",
    "packages/core/src/text.ts",
    "packages/plain/index.js",
    "packages/plain/lib/a.js",
    "test/fixtures/fake/index.js",
    "shared/dates.ts",
    "shared/special/one.ts",
    "index.js",
    package_json='{"name": "root", "workspaces": ["packages/*"]}',
    packages__app__package_json='{"name": "app", "imports": {"#view": "./src/view.tsx", "#src/*": "./dist/*.js"}}',
    packages__core__package_json="""{"name": "@acme/core", "exports": {
        ".": {"import": {"types": "./dist/index.d.ts", "default": "./dist/index.js"}, "require": "./dist/index.cjs"},
        "./http/*": {"import": "./dist/http/*.js"}, "./package.json": "./package.json"}}""",
    packages__plain__package_json='{"name": "plain", "main": "index"}',
    test__fixtures__fake__package_json='{"name": "plain", "main": "./index.js"}',
    packages__app__tsconfig_json=TSCONFIG,
    tsconfig_base_json="""{"compilerOptions": {"baseUrl": ".", "paths": {
        "@shared/*": ["shared/*"],
        "@shared/special": ["shared/special/one.ts"],
        "$app": ["packages/app/src/main"]}}}""",
)


@pytest.mark.parametrize(
    ("path", "module", "expected"),
    [
        ("packages/app/src/main.ts", "./util", "packages/app/src/util.ts"),
        ("packages/app/src/main.ts", "./util/", "packages/app/src/util/index.ts"),
        ("packages/app/src/main.ts", "./util.js", "packages/app/src/util.ts"),
        ("packages/app/src/main.ts", "./view.js", "packages/app/src/view.tsx"),
        ("packages/app/src/main.ts", "./native.mjs", "packages/app/src/native.mts"),
        ("packages/app/src/main.ts", "./components/Button", "packages/app/src/components/Button/index.jsx"),
        ("packages/app/src/main.ts", "./generated", "packages/app/src/generated.d.ts"),
        ("packages/app/src/main.ts", "./styles.css?inline", "packages/app/src/styles.css"),
        ("packages/app/src/main.ts", "./nothing", ""),
        ("packages/app/src/util/index.ts", "..", ""),
        ("packages/app/src/util/index.ts", ".", "packages/app/src/util/index.ts"),
        ("packages/app/src/main.ts", "../../plain", "packages/plain/index.js"),
        ("packages/app/src/main.ts", "@shared/dates", "shared/dates.ts"),
        ("packages/app/src/main.ts", "@shared/special", "shared/special/one.ts"),
        ("packages/app/src/main.ts", "$app", "packages/app/src/main.ts"),
        ("packages/app/src/main.ts", "shared/dates", "shared/dates.ts"),  # baseUrl
        ("packages/app/src/main.ts", "#view", "packages/app/src/view.tsx"),
        ("packages/app/src/main.ts", "#src/util", "packages/app/src/util.ts"),
        ("packages/app/src/main.ts", "@/view", "packages/app/src/view.tsx"),
        ("packages/app/src/main.ts", "@/nothing", ""),
        ("packages/app/src/main.ts", "@acme/core", "packages/core/src/index.ts"),
        ("packages/app/src/main.ts", "@acme/core/http/client", "packages/core/src/http/client.ts"),
        ("packages/app/src/main.ts", "@acme/core/text", "packages/core/src/text.ts"),
        ("packages/app/src/main.ts", "@acme/core/package.json", "packages/core/package.json"),
        ("packages/app/src/main.ts", "@acme/core/nothing", ""),
        ("packages/app/src/main.ts", "plain", "packages/plain/index.js"),  # not the one of a test
        ("packages/app/src/main.ts", "plain/lib/a", "packages/plain/lib/a.js"),
        ("packages/app/src/main.ts", "react", None),
        ("packages/app/src/main.ts", "@acme/other", None),
        ("packages/app/src/main.ts", "node:fs", None),
        ("packages/app/src/main.ts", "https://example.org/x.js", None),
    ],
)
def test_ecmascript(path: str, module: str, expected: str | None) -> None:
    for language_id in ("javascript", "typescript", "tsx"):
        check(language_id, ECMASCRIPT, path, module, expected)


def test_configurations_that_make_no_sense_are_passed_over() -> None:
    tree = project(
        "a.ts",
        "b.ts",
        tsconfig_json='{"extends": ["./tsconfig.json", 7, "no"], "compilerOptions": {"paths": {"x": 1, "b": ["b"]}}}',
        package_json='{"name": 3, "exports": [[["./a.ts"]]], "imports": "#"}',
        sub__package_json="[" * 5_000,
        sub__tsconfig_json="no json",
    )
    check("typescript", tree, "a.ts", "b", "b.ts")
    check("typescript", tree, "a.ts", "#x", "")
    check("typescript", tree, "sub/a.ts", "c", None)


def test_a_config_that_only_refers_to_others_has_their_aliases() -> None:
    tree = project(
        "src/a.ts",
        tsconfig_json='{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
        tsconfig_app_json='{"compilerOptions": {"paths": {"~~/*": ["./src/*"]}}}',
    )
    check("typescript", tree, "src/b.ts", "~~/a", "src/a.ts")
