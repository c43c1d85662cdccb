"""Scala."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PUBLIC, modifiers

LANGUAGE = Language(
    "scala",
    "Scala",
    words(".scala .sc .sbt .mill"),
    interpreters=words("scala scala-cli amm"),
    grammar="tree_sitter_scala",
    visibility=modifiers(PUBLIC),
    ends_before_comments=True,
    imports="jvm.imports",
    family="jvm",
    folder_is_scope=True,
    keeps_imports=True,
    imports_by_use=True,
    cost=1.6,
)
