"""Go."""

from cocosearch_py.languages.go.expressions import hide_new_of_expressions
from cocosearch_py.languages.go.groups import repair
from cocosearch_py.languages.language import Language
from cocosearch_py.languages.visibility import INTERNAL, PUBLIC
from cocosearch_py.model.symbols import Symbol


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del head, kind, outer
    return PUBLIC if name[:1].isupper() else INTERNAL


LANGUAGE = Language(
    "go",
    "Go",
    (".go",),
    has_anonymous_types=True,
    reserved=frozenset({"_"}),
    grammar="tree_sitter_go",
    aliases=("golang",),
    visibility=_visibility,
    rewrite=hide_new_of_expressions,
    reflective="*.MethodByName:0 *.NumMethod:- *.FieldByName:0 *.NumField:-",
    reflects_members_only=True,
    repair=repair,
    imports="go.imports",
    folder_is_scope=True,
    keeps_imports=True,
    cost=1.3,
)
