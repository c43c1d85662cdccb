"""C++."""

import re

from cocosearch_py.languages.c_family import RESERVED, hide_macros, repair, visibility
from cocosearch_py.languages.conditionals import readings
from cocosearch_py.languages.language import Language, words

# What a header in C does not have, at the beginning of a line.
_LINE = (
    rb"(?m)^[ \t]*(?:class[ \t]+\w|(?:inline[ \t]+)?namespace\b|template[ \t]*<|using[ \t]+\w|enum[ \t]+class\b"
    rb"|constexpr\b|(?:public|private|protected)[ \t]*:|#[ \t]*include[ \t]*<[a-z_]+>)|\bstd::"
)
# export module a.b:part; import std; the grammar takes them for variables.
_MODULE = rb"\n[ \t]*(?:export[ \t]+)?(?:module|import)(?:[ \t]+[\w.:<>\"/]{1,200})?(?=[ \t]*;)"


def _rewrite(source: bytes) -> bytes:
    if b"import " in source or b"module" in source:
        source = re.sub(_MODULE, lambda line: b"\n".ljust(len(line.group())), b"\n" + source)[1:]
    return hide_macros(source)


LANGUAGE = Language(
    "cpp",
    "C++",
    words(".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .ipp .inl .tpp .txx .cppm .ixx .cu .cuh .ino"),
    readings=readings,
    reserved=RESERVED,
    grammar="tree_sitter_cpp",
    aliases=words("c++ cc cxx cplusplus"),
    visibility=visibility,
    rewrite=_rewrite,
    repair=repair,
    bare_calls=True,
    constructors_are_named_like_classes=True,
    probes={".h": _LINE},
    reflective="dlsym:1 GetProcAddress:1",
    imports="c_family.imports",
    family="c",
    imports_bring_all=True,
    links_by_name=True,
    cost=1.6,
)
