"""Imports of packages lead to the files that define what is used, and stay right when single files change."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.graph import WalkRequest
from cocosearch_py.model.usages import UsageRequest
from cocosearch_py.navigation.names import read_name

Content = dict[str, list[tuple[Any, ...]]]
KOTLIN = "lib/src/org/acme/text"
SHARP = "Acme.Text"
FILES = {
    f"{KOTLIN}/Writers.kt": "package org.acme.text\n\nfun openWriter(): Writer = Writer()\n",
    f"{KOTLIN}/Writer.kt": "package org.acme.text\n\nclass Writer {\n    fun put(text: String) {}\n}\n",
    f"{KOTLIN}/Paper.kt": "package org.acme.text\n\nclass Paper\n",
    "app/Named.kt": "import org.acme.text.openWriter\n\nfun named() = openWriter()\n",
    "app/Gone.kt": "import org.acme.text.closeWriter\n\nfun gone() = closeWriter()\n",
    "app/All.kt": "import org.acme.text.*\n\nfun all(paper: Paper) = paper\n",
    "app/Idle.kt": "import org.acme.text.*\n\nfun idle() = 1\n",
    f"{SHARP}/Pen.cs": "namespace Acme.Text\n{\n    class Pen { void Draw() { } }\n}\n",
    f"{SHARP}/Inks.cs": (
        "namespace Acme.Text\n{\n    static class Inks { public static Ink Mix(this Ink one) { return one; } }\n}\n"
    ),
    f"{SHARP}/Stamp.cs": "namespace Acme.Text\n{\n    class StampAttribute : System.Attribute { }\n}\n",
    f"{SHARP}/Rubber.cs": "namespace Acme.Text\n{\n    class Rubber { void Draw() { } }\n}\n",
    "App/Types.cs": "using Acme.Text;\nclass Types { Pen one; }\n",
    "App/Extended.cs": "using Acme.Text;\nclass Extended { void Go(object o) { o.Mix(); Draw(); } }\n",
    "App/Marked.cs": "using Acme.Text;\n[Stamp]\nclass Marked { }\n",
    "Package.swift": "",
    "Sources/Core/Core.swift": "public struct Core {}\n",
    "Sources/Core/Rest.swift": "public struct Rest {}\n",
    "Sources/Kit/Exports.swift": "@_exported import Core\n",
    "Sources/Kit/Kit.swift": "public struct Tool {}\n",
    "Sources/App/Main.swift": "import Kit\n\nlet core = Core()\n",
}


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def root(app: App, tmp_path: Path) -> Iterator[Path]:
    for path, text in FILES.items():
        write(tmp_path / "root", path, text)
    app.index(tmp_path / "root", name="root")
    yield tmp_path / "root"


@pytest.fixture
def leads_to(app: App, root: Path) -> Callable[[str], list[str]]:
    """The files that a file imports."""

    def walk(path: str) -> list[str]:
        request = WalkRequest(files=(path,), direction="dependencies", depth=1)
        return [edge.target for edge in app.graphs.walk(request, app.catalog.find("root")).edges]

    return walk


def test_a_name_leads_to_the_file_that_defines_it(leads_to: Callable[[str], list[str]]) -> None:
    assert leads_to("app/Named.kt") == [f"{KOTLIN}/Writers.kt"]


def test_a_name_that_the_package_lacks_leads_nowhere(app: App, root: Path) -> None:
    report = app.graphs.walk(
        WalkRequest(files=("app/Gone.kt",), direction="dependencies", depth=1), app.catalog.find("root")
    )
    assert not report.edges
    assert [(one.module, one.line) for one in report.unresolved] == [("org.acme.text", 1)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("app/All.kt", [f"{KOTLIN}/Paper.kt"]),
        ("app/Idle.kt", []),
        ("App/Types.cs", [f"{SHARP}/Pen.cs"]),
        ("App/Extended.cs", [f"{SHARP}/Inks.cs"]),
        ("App/Marked.cs", [f"{SHARP}/Stamp.cs"]),
        ("Sources/App/Main.swift", ["Sources/Kit/Exports.swift"]),
        ("Sources/Kit/Exports.swift", ["Sources/Core/Core.swift", "Sources/Core/Rest.swift"]),
    ],
)
def test_a_package_leads_to_the_files_that_define_what_is_used(
    leads_to: Callable[[str], list[str]], path: str, expected: list[str]
) -> None:
    assert leads_to(path) == expected


def test_impact_is_on_users_alone(app: App, root: Path) -> None:
    request = WalkRequest(files=(f"{KOTLIN}/Paper.kt",), direction="dependents", depth=3)
    assert [edge.source for edge in app.graphs.walk(request, app.catalog.find("root")).edges] == ["app/All.kt"]


def test_uses_are_bound_through_narrowed_imports(app: App, root: Path) -> None:
    request = UsageRequest(symbol=read_name("openWriter"), kinds=("call", "import"), limit=10)
    report = app.graphs.find_references(request, app.catalog.find("root"))
    assert [(one.path, one.confidence) for one in report.usages] == [("app/Named.kt", "resolved")] * 2


@pytest.mark.parametrize(
    "edits",
    [
        {f"{KOTLIN}/Writers.kt": "package org.acme.text\n\nfun closeWriter() {}\n"},  # named imports change places
        {f"{KOTLIN}/Writer.kt": "package org.acme.text\n\nclass Writer {\n    fun closeWriter() {}\n}\n"},  # a member
        {f"{KOTLIN}/Paper.kt": "package org.acme.text\n\nclass Card\n"},  # what a wildcard brought is gone
        {f"{KOTLIN}/Writer.kt": "package org.acme.text\n\nclass Writer\nclass Paper\n"},  # it comes from two files
        {"app/Idle.kt": "import org.acme.text.*\n\nfun idle() = Writer()\n"},  # the importing file uses more
        {f"{SHARP}/Rubber.cs": "namespace Acme.Text\n{\n    class Pen { }\n}\n"},
        {f"{SHARP}/Inks.cs": "namespace Acme.Text\n{\n    class Inks { }\n}\n"},  # no extension any more
        {"Sources/Kit/Exports.swift": "@_exported import Core\npublic struct Exports {}\n"},  # passes nothing on now
        {"Sources/Kit/Kit.swift": "import Core\n"},  # passes on now
        {"Sources/Core/Rest.swift": ""},  # empty now
        {f"{KOTLIN}/Writers.kt": "package org.acme.text\n", f"{KOTLIN}/Paper.kt": "fun openWriter() = Paper()\n"},
    ],
)
def test_an_update_leads_where_a_new_index_does(
    app: App, root: Path, content_of: Callable[[str], Content], edits: dict[str, str]
) -> None:
    for path, text in edits.items():
        write(root, path, text)
    app.index(root, name="root")
    app.index(root, name="anew", options=app.indexing_options(fresh=True))
    assert content_of("root")["dependencies"] == content_of("anew")["dependencies"]


def test_what_a_go_file_imports_is_not_passed_on(app: App, tmp_path: Path) -> None:
    root = tmp_path / "go"
    write(root, "go.mod", "module acme.org/x\n")
    write(root, "a/a.go", "package a\n\nfunc Pick() {}\n")
    write(root, "b/b.go", 'package b\n\nimport . "acme.org/x/a"\n\nfunc Use() { Pick() }\n')
    write(root, "c/c.go", 'package c\n\nimport "acme.org/x/b"\n\nfunc Far() { b.Pick() }\n')
    app.index(root, name="go")
    request = UsageRequest(symbol=read_name("Pick"), kinds=("call",), limit=10)
    report = app.graphs.find_references(request, app.catalog.find("go"))
    assert [(one.path, one.confidence) for one in report.usages] == [("b/b.go", "resolved"), ("c/c.go", "name_only")]


DECLARED = {
    "src/Make.kt": "// Made by hand.\npackage demo\n\nfun makeThing() = Thing()\n",
    "src/Thing.kt": "package demo\n\nclass Thing { companion object { fun empty() = Thing() } }\n",
    "src/more/Other.kt": "package demo.more\n\nfun makeThing() = 2\n",
    "app/Use.kt": "import demo.makeThing\n\nfun use() = makeThing()\n",
    "app/Inner.kt": "import demo.Thing.empty\n\nfun inner() = empty()\n",
    "app/All.kt": "import demo.*\n\nfun all(): Thing = makeThing()\n",
    "app/Library.kt": "import other.makeThing\n\nfun library() = makeThing()\n",
    "code/Pen.cs": "namespace Acme.Ink\n{\n    class Pen { }\n}\n",
    "code/Cap.cs": "namespace Acme.Ink;\n\nclass Cap { }\n",
    "tool/Draw.cs": "using Acme.Ink;\nclass Draw { Pen one; }\n",
}


def test_packages_that_are_no_folders_are_those_that_files_say_they_are_in(app: App, tmp_path: Path) -> None:
    for path, text in DECLARED.items():
        write(tmp_path / "declared", path, text)
    app.index(tmp_path / "declared", name="declared")
    record = app.catalog.find("declared")

    def leads_to(path: str) -> list[str]:
        return sorted(edge.target for edge in app.graphs.walk(WalkRequest(files=(path,)), record).edges)

    assert leads_to("app/Use.kt") == ["src/Make.kt"]
    assert leads_to("app/Inner.kt") == ["src/Thing.kt"]
    assert leads_to("app/All.kt") == ["src/Make.kt", "src/Thing.kt"]
    assert leads_to("app/Library.kt") == []
    assert leads_to("tool/Draw.cs") == ["code/Pen.cs"]
    request = UsageRequest(symbol=read_name("src/Make.kt#makeThing"), kinds=("call",))
    uses = app.graphs.find_references(request, record).usages
    assert [(one.path, one.confidence) for one in uses] == [("app/All.kt", "resolved"), ("app/Use.kt", "resolved")]


def test_a_file_that_says_it_is_in_another_package_changes_what_imports_of_others_mean(
    app: App, tmp_path: Path
) -> None:
    root = tmp_path / "moved"
    for path in ("src/Thing.kt", "app/All.kt", "app/Inner.kt", "code/Pen.cs", "tool/Draw.cs"):
        write(root, path, DECLARED[path])
    app.index(root, name="moved")
    record = app.catalog.find("moved")

    def leads_to(path: str) -> list[str]:
        return [edge.target for edge in app.graphs.walk(WalkRequest(files=(path,)), record).edges]

    assert (leads_to("app/All.kt"), leads_to("tool/Draw.cs")) == (["src/Thing.kt"], ["code/Pen.cs"])
    write(root, "src/Thing.kt", DECLARED["src/Thing.kt"].replace("package demo", "package other"))
    app.index(root, name="moved")
    assert (leads_to("app/All.kt"), leads_to("app/Inner.kt")) == ([], [])
    write(root, "src/Thing.kt", DECLARED["src/Thing.kt"])
    write(root, "code/Pen.cs", DECLARED["code/Pen.cs"].replace("Acme.Ink", "Acme.Wood"))
    app.index(root, name="moved")
    assert (leads_to("app/All.kt"), leads_to("tool/Draw.cs")) == (["src/Thing.kt"], [])


EVERYWHERE = {
    "go.mod": "module acme.org/x\n",
    "root.go": "package x\n\nfunc Top() {}\n",
    "pen/pen.go": "package pen\n\nfunc Draw() {}\n",
    "pen/ink.go": "package pen\n\nfunc Mix() {}\n",
    "cmd/run.go": 'package main\n\nimport (\n\t"acme.org/x"\n\t"acme.org/x/pen"\n)\n\nfunc main() { x.Top() }\n',
    "web/package.json": '{"name": "web", "main": "./lib/start.js", "exports": {"./part/*": "./lib/part-*.ts"}}\n',
    "web/lib/start.js": "export const start = 1;\n",
    "web/lib/shape.ts": "export const shape = 1;\n",
    "web/use.ts": "import { shape } from './lib/shape';\nimport { start } from 'web';\nimport 'web/part/a';\n",
    "web/lib/part-a.ts": "export const a = 1;\n",
    "crate/Cargo.toml": '[package]\nname = "crate"\n',
    "crate/src/lib.rs": "mod net;\n",
    "crate/src/net.rs": "pub mod tcp;\npub struct Net;\n",
    "crate/src/net/tcp.rs": "use super::Net;\n",
    "crate/src/net/udp.rs": "pub struct Udp;\n",
    "tool/__init__.py": "",
    "tool/names.py": "ONE = 1\n",
    "tool/use.py": "from tool import names\nfrom . import names as others\n",
    "c/main.c": '#include "part.h"\n#include <other.h>\n',
    "c/part.h": "int part(void);\n",
    "include/other.h": "int other(void);\n",
    **{f"kotlin/{path}": text for path, text in FILES.items()},
}


@pytest.mark.parametrize("path", sorted(EVERYWHERE))
def test_a_file_that_goes_and_comes_leaves_what_a_new_index_has(
    app: App, tmp_path: Path, content_of: Callable[[str], Content], path: str
) -> None:
    root = tmp_path / "everywhere"
    for one, text in EVERYWHERE.items():
        write(root, one, text)
    (root / path).unlink()
    app.index(root, name="everywhere")
    write(root, path, EVERYWHERE[path])
    app.index(root, name="everywhere")
    app.index(root, name="anew", options=app.indexing_options(fresh=True))
    assert content_of("everywhere")["dependencies"] == content_of("anew")["dependencies"]
    (root / path).unlink()
    app.index(root, name="everywhere")
    app.index(root, name="anew", options=app.indexing_options(fresh=True))
    assert content_of("everywhere")["dependencies"] == content_of("anew")["dependencies"]
