"""C."""

from functools import partial

from cocosearch_py.languages.c_family import RESERVED, hide_macros, repair, visibility
from cocosearch_py.languages.conditionals import readings
from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "c",
    "C",
    words(".c .h"),
    interpreters=("tcc",),
    reserved=RESERVED,
    grammar="tree_sitter_c",
    visibility=visibility,
    rewrite=hide_macros,
    repair=repair,
    bare_calls=True,
    readings=partial(readings, never=b"__cplusplus"),
    reflective="dlsym:1 GetProcAddress:1",
    imports="c_family.imports",
    family="c",
    imports_bring_all=True,
    links_by_name=True,
    cost=1.5,
)
