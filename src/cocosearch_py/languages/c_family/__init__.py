"""Common parts of C and C++."""

from cocosearch_py.languages.c_family.macros import hide_macros
from cocosearch_py.languages.c_family.repairs import repair
from cocosearch_py.languages.language import words
from cocosearch_py.languages.visibility import PRIVATE, PUBLIC
from cocosearch_py.model.symbols import Symbol

__all__ = ["RESERVED", "hide_macros", "repair", "visibility"]

RESERVED = frozenset(
    words(
        "if else for while do switch case default return goto sizeof catch try throw"
        " void int char long short bool float double"
    )
)


def visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    """`static` makes a name private to its file, `class` its members until the first "public:"."""
    del name, kind
    if outer is not None and outer.kind == "class":
        return PRIVATE
    in_class = outer is not None and outer.kind == "struct"
    return PRIVATE if "static" in head.split() and not in_class else PUBLIC
