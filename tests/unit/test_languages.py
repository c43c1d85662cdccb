"""What a language is, and which one a file is in."""

import pytest

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


def test_inherited_query() -> None:
    typescript, tsx = symbols_query("typescript"), symbols_query("tsx")
    assert typescript and tsx and typescript in tsx
    assert symbols_query("csv") is None
