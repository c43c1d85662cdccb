"""C#."""

from cocosearch_py.languages.conditionals import readings
from cocosearch_py.languages.csharp.mending import mend
from cocosearch_py.languages.csharp.repairs import repair
from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import INTERNAL, PRIVATE, modifiers

_ATTRIBUTE = "Attribute"


def _offers(name: str, signature: str, is_outer: bool) -> tuple[str, ...]:
    """Types, attributes also by their short names; methods that extend other types, wherever they stand."""
    if is_outer:
        return (name, name.removesuffix(_ATTRIBUTE)) if name.endswith(_ATTRIBUTE) else (name,)
    return (name,) if "(this " in signature else ()


LANGUAGE = Language(
    "csharp",
    "C#",
    words(".cs .csx .cake"),
    rewrite=mend,
    repair=repair,
    readings=readings,
    reserved=frozenset("if for foreach while switch catch using lock fixed return".split()),
    grammar="tree_sitter_c_sharp",
    aliases=words("c# cs c_sharp c-sharp"),
    visibility=modifiers(PRIVATE, top_level=INTERNAL),
    reflective="*.GetType:0 *.GetTypes:- *.GetExportedTypes:- *.GetMethod:0 *.GetMethods:- *.GetRuntimeMethod:0 "
    "*.GetRuntimeMethods:- *.GetDeclaredMethod:0 *.GetProperty:0 *.GetProperties:- *.GetRuntimeProperties:- "
    "*.GetField:0 *.GetFields:- *.GetMember:0 *.GetMembers:- *.InvokeMember:0 *.GetConstructors:- *.GetNestedTypes:-",
    package_word="namespace",
    imports="csharp.imports",
    folder_is_scope=True,
    keeps_imports=True,
    imports_by_use=True,
    offers=_offers,
    imports_bring_all=True,
)
