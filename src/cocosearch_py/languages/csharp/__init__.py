"""C#."""

from cocosearch_py.languages.conditionals import readings
from cocosearch_py.languages.csharp.mending import mend
from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import INTERNAL, PRIVATE, modifiers

LANGUAGE = Language(
    "csharp",
    "C#",
    words(".cs .csx .cake"),
    rewrite=mend,
    readings=readings,
    reserved=frozenset("if for foreach while switch catch using lock fixed return".split()),
    grammar="tree_sitter_c_sharp",
    aliases=words("c# cs c_sharp c-sharp"),
    visibility=modifiers(PRIVATE, top_level=INTERNAL),
    imports="csharp.imports",
    folder_is_scope=True,
    imports_bring_all=True,
)
