"""Lua."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PRIVATE, PUBLIC
from cocosearch_py.model.symbols import Symbol


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del kind, outer
    return PRIVATE if head.startswith("local ") or name.startswith("_") else PUBLIC


LANGUAGE = Language(
    "lua",
    "Lua",
    words(".lua .rockspec .luau"),
    filenames=(".luacheckrc",),
    interpreters=words("lua luajit nvim"),
    grammar="tree_sitter_lua",
    comments="dash",
    visibility=_visibility,
    reflective="load:0 loadstring:0 dostring:0 rawget:1 getfenv:-",
    imports="lua.imports",
)
