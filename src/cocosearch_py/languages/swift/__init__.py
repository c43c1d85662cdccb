"""Swift."""

from cocosearch_py.languages.language import Language
from cocosearch_py.languages.visibility import INTERNAL, modifier_in, modifiers
from cocosearch_py.model.symbols import Symbol

_modifiers = modifiers(INTERNAL)


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    if outer is not None and outer.kind == "extension" and modifier_in(head) is None:
        return outer.visibility
    return _modifiers(name, head, kind, outer)


LANGUAGE = Language(
    "swift",
    "Swift",
    (".swift",),
    interpreters=("swift",),
    grammar="tree_sitter_swift",
    visibility=_visibility,
    imports="swift.imports",
    folder_is_scope=True,
    imports_by_use=True,
    passes_imports_on=True,
    cost=2.2,
)
