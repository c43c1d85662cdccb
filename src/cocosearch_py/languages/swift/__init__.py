"""Swift."""

from cocosearch_py.languages.language import Language
from cocosearch_py.languages.repairing import blank, repair_by
from cocosearch_py.languages.visibility import INTERNAL, modifier_in, modifiers
from cocosearch_py.model.symbols import Symbol

_modifiers = modifiers(INTERNAL)


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    if outer is not None and outer.kind == "extension" and modifier_in(head) is None:
        return outer.visibility
    return _modifiers(name, head, kind, outer)


_repair = repair_by(
    (
        # `f(())`, `return ()`: the grammar knows no value without anything in it.
        (
            b"()",
            rb"(?m)(?:^|[,(:{]|\breturn|\?\?)[ \t]*(\(\))(?=[ \t]*(?:[),};]|//|\r?$))",
            lambda nothing: b"__",
        ),
        (b"nonisolated", rb"[:,]\s*(nonisolated)(?=\s+[A-Z@])", blank),  # struct A: nonisolated P
        (b"sending", rb"(?:[(,]|->|\binout)\s*(sending)(?=\s+[\w\[(@])", blank),  # in a function's type
        (b"lifetime(", rb"@_?lifetime(\([^()\n]{0,100}\))", blank),
    )
)

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
