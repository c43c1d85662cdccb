"""What a language is, and which one a file is in."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cocosearch_py
from cocosearch_py.errors import ValidationError
from cocosearch_py.languages import LANGUAGES, detect_language, resolve_language, symbols_query


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        ("a/b.py", b"", "python"),
        ("types.d.ts", b"export type A = 1", "typescript"),
        ("a.TSX", b"", "tsx"),
        ("views/home.blade.php", b"", "php"),
        ("Dockerfile", b"", "dockerfile"),
        ("docker/Dockerfile.dev", b"", "dockerfile"),
        ("main.tf", b"", "hcl"),
        ("CMakeLists.txt", b"", "cmake"),
        ("notes.txt", b"", "text"),
        ("go.mod", b"", "gomod"),
        (".bashrc", b"", "bash"),
        ("bin/tool", b"#!/usr/bin/env python3.12\n", "python"),
        ("bin/tool", b"#!/usr/bin/env -S FOO=1 node --x\n", "javascript"),
        ("bin/tool", b"#!/bin/sh -e\n", "bash"),
        ("bin/tool", b"#!/opt/unknown/thing\n", "text"),
        ("build", b"#!/bin/sh\nset -e\n", "bash"),
        ("BUILD", b"cc_library(\n", "starlark"),
        ("Rakefile", b"#!/opt/unknown/rake\n", "ruby"),
        ("bin/tool", b"nothing known", "text"),
        ("weird.name.zzz", b"", "text"),
        ("trailing.", b"", "text"),
        ("x.h", b"#include <stdio.h>\nstruct class_x { int a; };\nint f(void);\n", "c"),
        ("x.h", b"#pragma once\nnamespace a { }\n", "cpp"),
        ("x.h", b"#include <vector>\n", "cpp"),
        ("x.h", b"  template <typename T>\nT f();", "cpp"),
        ("x.h", b"@interface Foo : NSObject\n@end\n", "objc"),
        ("qt.ts", b"<?xml version='1.0'?>\n<!DOCTYPE TS>", "xml"),
        ("feed", b"<?xml version='1.0'?>", "xml"),
        ("name\nwith newline.rb", b"", "ruby"),
        ("bad\udcff.go", b"", "go"),
    ],
)
def test_detect(path: str, head: bytes, expected: str) -> None:
    assert detect_language(path, head) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("terraform", "hcl"),
        ("Shell", "bash"),
        ("sh", "bash"),
        ("C#", "csharp"),
        ("cs", "csharp"),
        ("c++", "cpp"),
        ("golang", "go"),
        ("js", "javascript"),
        ("ts", "typescript"),
        ("py", "python"),
        ("rb", "ruby"),
        ("rs", "rust"),
        ("kt", "kotlin"),
        (" .py ", "python"),
        ("objective-c", "objc"),
    ],
)
def test_resolve(name: str, expected: str) -> None:
    assert resolve_language(name) == expected


def test_unknown_language_names_the_nearest() -> None:
    with pytest.raises(ValidationError) as caught:
        resolve_language("pyhton")
    assert "pyhton" in caught.value.message
    assert "python" in caught.value.hint


def test_the_table_is_consistent() -> None:
    seen: dict[str, str] = {}
    for language in LANGUAGES.values():
        for extension in language.extensions:
            assert extension.startswith(".")
        for name in (*language.extensions, *language.filenames, language.id, *language.aliases):
            assert name == name.lower(), name
        for extension in language.extensions:
            other = seen.setdefault(extension, language.id)
            assert other == language.id, f"{extension} belongs to {other} and {language.id}"
        assert resolve_language(language.id) == language.id
        for alias in language.aliases:
            assert resolve_language(alias) == language.id, alias


PACKAGE = Path(cocosearch_py.__file__).parent
# Ids that are words of other trades too: the mode of `open`, a part of an address, a lexer, a tool that builds,
# a pager, an editor, shells, formats of pages.
EVERYDAY_WORDS = {
    *("text", "json", "markdown", "diff", "ignore", "r", "d", "make", "sql", "html", "css", "scheme", "go"),
    *("less", "vim", "bash", "fish", "rst", "asciidoc"),
}


def _strings(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_no_language_id_stands_outside_of_its_folder() -> None:
    ids = set(LANGUAGES) - EVERYDAY_WORDS
    # The words of other programs' tools are theirs.
    apart = {"languages", "compat"}
    files = [file for file in PACKAGE.rglob("*.py") if not apart & set(file.relative_to(PACKAGE).parts)]
    assert len(files) > 100
    assert [f"{file}:{line} {text}" for file in files for line, text in _strings(file) if text in ids] == []


def test_a_folder_holds_the_language_of_its_name() -> None:
    folders = {file.parent.name for file in (PACKAGE / "languages").glob("*/symbols.scm")}
    assert folders - set(LANGUAGES) == {"c_family", "ecmascript"}


def test_includes_stand_for_the_text_of_the_file() -> None:
    base = (PACKAGE / "languages/ecmascript/symbols.scm").read_text(encoding="utf-8")
    typescript, tsx, javascript = symbols_query("typescript"), symbols_query("tsx"), symbols_query("javascript")
    assert typescript and tsx and javascript
    assert base in typescript and base in javascript and typescript in tsx
    variable = (PACKAGE / "languages/c_family/variable.scm").read_text(encoding="utf-8")
    assert (symbols_query("c") or "").count(variable) == (symbols_query("cpp") or "").count(variable) == 5
    assert "include" not in (symbols_query("cpp") or "")
    assert symbols_query("csv") is None


def test_no_pattern_stands_twice() -> None:
    seen: dict[str, str] = {}
    for file in sorted((PACKAGE / "languages").rglob("*.scm")):
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
        for at in range(len(lines) - 7):
            block = "\n".join(lines[at : at + 8])
            place = f"{file.parent.name}/{file.name}:{at + 1}"
            assert seen.setdefault(block, place) == place, f"{place} repeats {seen[block]}"


EXAMPLES = Path(__file__).parents[2] / "CONTRIBUTING.md"
ASK = """
import json
from cocosearch_py.languages import detect_language, lexer_name, resolve_language
from cocosearch_py.parsing import parse_source

ids = [detect_language("a.adder", b""), detect_language("a", b"#!/usr/bin/addi"), detect_language("a.py", b"# adder"),
       detect_language("a.py", b"# other"), resolve_language("Add"), lexer_name("adder")]
parsed = parse_source("adder", b"# Adds.\\ndef plus(a):!!\\n    own_()\\n\\ndef own_():\\n    pass\\n")
found = [[one.name, one.kind, one.doc, one.visibility] for one in parsed.symbols]
print(json.dumps([ids, parsed.status.value, found, [[one.kind, one.name] for one in parsed.facts.references]]))
"""


def test_a_new_language_is_one_folder(tmp_path: Path) -> None:
    """The one that CONTRIBUTING has as an example, with two more of the things that a language may say."""
    package = tmp_path / "cocosearch_py"
    package.mkdir()
    for entry in PACKAGE.iterdir():
        if entry.name != "languages":
            (package / entry.name).symlink_to(entry)
    shutil.copytree(PACKAGE / "languages", package / "languages")
    (package / "languages" / "adder").mkdir()
    text = EXAMPLES.read_text(encoding="utf-8")
    files = dict(re.findall(r"```\w+ (languages/\S+)\n(.*?)```", text, re.DOTALL))
    more = r'    probes={".py": rb"\A# adder"}, rewrite=lambda source: source.replace(b"!!", b"  "),' + "\n)\n"
    files["languages/adder/__init__.py"] = files["languages/adder/__init__.py"].removesuffix(")\n") + more
    for path, content in files.items():
        (package / path).write_text(content, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        ["adder", "adder", "adder", "python", "adder", "adder"],
        "ok",
        [["plus", "function", "Adds.", "public"], ["own_", "function", "", "private"]],
        [["call", "own_"]],
    ]
