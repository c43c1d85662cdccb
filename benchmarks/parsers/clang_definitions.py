"""Prints the definitions of C and C++ files as libclang sees them: paths in, one JSON row each out.

    python clang_definitions.py c|cpp < paths

Rows are [path, line, end line, kind, name], {"bad": path} for a file that clang has errors for (a missing header is
one), and {"skipped": path, "lines": [[first, last], ...]} for the branches of `#if` that it did not read. Headers are
looked for in all folders of the files given. Definitions that a macro writes have no place of their own: left out.
"""

import json
import os
import sys
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_uint
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind, Index, SourceRange, TranslationUnit

KEEP_GOING = 0x200
FUNCTIONS = {
    CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION, CursorKind.FUNCTION_TEMPLATE,
}  # fmt: skip
BODIED = {
    CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL, CursorKind.UNION_DECL, CursorKind.ENUM_DECL,
    CursorKind.CLASS_TEMPLATE, CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}  # fmt: skip
TYPES = {
    CursorKind.TYPEDEF_DECL, CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPE_ALIAS_TEMPLATE_DECL, CursorKind.NAMESPACE,
    CursorKind.CONCEPT_DECL,
}  # fmt: skip
VALUES = {CursorKind.FIELD_DECL, CursorKind.ENUM_CONSTANT_DECL, CursorKind.VAR_DECL}


class Ranges(Structure):
    """What clang_getSkippedRanges returns; Python's bindings leave it out."""

    _fields_ = (("count", c_uint), ("ranges", POINTER(SourceRange)))


def main() -> None:
    paths = [Path(line) for line in sys.stdin.read().split("\n") if line]
    folders = sorted({folder for path in paths for folder in _folders(path)})
    index = Index.create()
    skipped = cindex.conf.lib.clang_getSkippedRanges
    skipped.restype = POINTER(Ranges)
    for path in paths:
        unit = index.parse(
            str(path), args=_arguments(path, folders),
            options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | KEEP_GOING,
        )  # fmt: skip
        if any(one.severity >= cindex.Diagnostic.Error for one in unit.diagnostics):
            print(json.dumps({"bad": str(path)}), flush=True)
            continue
        found = skipped(unit, unit.get_file(str(path))).contents
        lines = [[found.ranges[at].start.line, found.ranges[at].end.line] for at in range(found.count)]
        print(json.dumps({"skipped": str(path), "lines": lines}))
        source = path.read_bytes()
        for row in sorted(set(_definitions(unit.cursor, path, source, in_function=False))):
            print(json.dumps(row))
        sys.stdout.flush()


def _folders(path: Path) -> Iterator[Path]:
    folder = path.parent
    while len(folder.parts) > 3:
        yield folder
        folder = folder.parent


def _arguments(path: Path, folders: list[Path]) -> list[str]:
    near = sorted(folders, key=lambda folder: -len(os.path.commonpath([folder, path])))
    tops = [folder for folder in near if len(os.path.commonpath([folder, path]).split("/")) > 3]
    language = ["-xc++", "-std=gnu++20"] if sys.argv[1] == "cpp" else ["-xc", "-std=gnu11", "-D_GNU_SOURCE"]
    system = [f"-isystem{one}" for one in os.environ.get("CLANG_HEADERS", "").split(":") if one]
    return [*language, "-w", *system, *(f"-idirafter{folder}" for folder in tops)]


def _definitions(cursor: Cursor, path: Path, source: bytes, *, in_function: bool) -> Iterator[tuple]:
    for one in cursor.get_children():
        place = one.location
        if place.file is None or place.file.name != str(path):
            continue
        kind = _kind(one, in_function=in_function)
        name = _name(one)
        if kind and name and _is_written(one, source, name):
            yield str(path), place.line, one.extent.end.line, kind, name
        yield from _definitions(one, path, source, in_function=in_function or one.kind in FUNCTIONS)


def _kind(one: Cursor, *, in_function: bool) -> str:
    if one.kind in FUNCTIONS:
        return "" if in_function and not one.is_definition() else "function"
    if one.kind == CursorKind.MACRO_DEFINITION:
        return "function" if len(list(one.get_tokens())) > 1 else ""  # an empty one says nothing
    if one.kind in TYPES or (one.kind in BODIED and one.is_definition()):
        return "type"
    if one.kind in VALUES and not (one.kind == CursorKind.VAR_DECL and in_function):
        return "value"
    return ""


def _name(one: Cursor) -> str:
    name = one.spelling
    if one.kind in (CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.FUNCTION_TEMPLATE):
        name = name.partition("<")[0] if not name.startswith("operator") else name
    return "" if "(unnamed" in name or "(anonymous" in name else name


def _is_written(one: Cursor, source: bytes, name: str) -> bool:
    """Say whether the name stands in the file where the definition is; macros write others."""
    begin = one.location.offset
    if name.startswith("operator"):
        return source[begin : begin + 8] == b"operator"
    return source[begin : begin + len(name.encode())] == name.encode()


if __name__ == "__main__":
    main()
