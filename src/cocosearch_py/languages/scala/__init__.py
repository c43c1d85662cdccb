"""Scala."""

from dataclasses import replace

from cocosearch_py.languages.jvm import JVM
from cocosearch_py.languages.language import words
from cocosearch_py.languages.visibility import PUBLIC, modifiers

LANGUAGE = replace(
    JVM,
    id="scala",
    name="Scala",
    extensions=words(".scala .sc .sbt .mill"),
    interpreters=words("scala scala-cli amm"),
    grammar="tree_sitter_scala",
    visibility=modifiers(PUBLIC),
    ends_before_comments=True,
    cost=1.6,
)
