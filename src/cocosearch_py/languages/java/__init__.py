"""Java."""

from cocosearch_py.languages.language import Language
from cocosearch_py.languages.visibility import INTERNAL, modifiers

LANGUAGE = Language(
    "java",
    "Java",
    (".java",),
    grammar="tree_sitter_java",
    visibility=modifiers(INTERNAL),
    imports="jvm.imports",
    family="jvm",
    folder_is_scope=True,
    keeps_imports=True,
    imports_by_use=True,
)
