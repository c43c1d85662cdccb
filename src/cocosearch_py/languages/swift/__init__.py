"""Swift."""

import re
from collections.abc import Iterator, Sequence

from cocosearch_py.languages.language import Language
from cocosearch_py.languages.visibility import INTERNAL, modifier_in, modifiers
from cocosearch_py.model.symbols import Symbol

_modifiers = modifiers(INTERNAL)


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    if outer is not None and outer.kind == "extension" and modifier_in(head) is None:
        return outer.visibility
    return _modifiers(name, head, kind, outer)


# `f(())`, `return ()`: the grammar knows no value without anything in it.
_NOTHING = re.compile(rb"(?m)(?:^|[(,{:]|\breturn|\?\?)[ \t]*(\(\))(?=[ \t]*(?:[),};]|//|\r?$))")


def _repair(source: bytes, _errors: Sequence[tuple[int, int]], _turn: int) -> Iterator[tuple[int, bytes]]:
    for match in _NOTHING.finditer(source):
        yield match.start(1), b"__"


LANGUAGE = Language(
    "swift",
    "Swift",
    (".swift",),
    interpreters=("swift",),
    grammar="tree_sitter_swift",
    visibility=_visibility,
    repair=_repair,
    reflective="NSSelectorFromString:0 NSClassFromString:0",
    imports="swift.imports",
    folder_is_scope=True,
    imports_by_use=True,
    passes_imports_on=True,
    cost=2.2,
)
