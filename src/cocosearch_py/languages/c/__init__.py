"""C."""

from cocosearch_py.languages.c_family import hide_macros, visibility
from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "c",
    "C",
    words(".c .h"),
    interpreters=("tcc",),
    grammar="tree_sitter_c",
    visibility=visibility,
    rewrite=hide_macros,
    imports="c_family.imports",
)
