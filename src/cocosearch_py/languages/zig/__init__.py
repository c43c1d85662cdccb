"""Zig."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PRIVATE, PUBLIC
from cocosearch_py.languages.zig.newer import repair
from cocosearch_py.model.symbols import Symbol


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, outer
    if "pub " in head or "export " in head:
        return PUBLIC
    enum_value = kind == "constant" and not head.strip()  # other constants begin with "const"
    return PUBLIC if kind == "field" or enum_value else PRIVATE


LANGUAGE = Language(
    "zig",
    "Zig",
    words(".zig .zon"),
    grammar="tree_sitter_zig",
    visibility=_visibility,
    repair=repair,
    imports="zig.imports",
)
