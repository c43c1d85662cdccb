"""Rust."""

from cocosearch_py.languages.language import Language
from cocosearch_py.languages.rust.newer import repair
from cocosearch_py.languages.visibility import INTERNAL, PRIVATE, PUBLIC
from cocosearch_py.model.symbols import Symbol


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, kind
    if "pub(" in head:
        return INTERNAL
    if "pub " in head or "export " in head:
        return PUBLIC
    if outer is None:
        return PRIVATE
    trait_impl = outer.kind == "impl" and " for " in outer.signature
    return PUBLIC if trait_impl or outer.kind in ("trait", "enum") else PRIVATE


LANGUAGE = Language(
    "rust",
    "Rust",
    (".rs",),
    interpreters=("rust-script",),
    grammar="tree_sitter_rust",
    aliases=("rs",),
    visibility=_visibility,
    repair=repair,
    imports="rust.imports",
)
