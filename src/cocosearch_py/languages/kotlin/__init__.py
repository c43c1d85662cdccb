"""Kotlin."""

from dataclasses import replace

from cocosearch_py.languages.jvm import JVM
from cocosearch_py.languages.kotlin.bodies import end_members
from cocosearch_py.languages.kotlin.newer import mend
from cocosearch_py.languages.kotlin.repairs import repair
from cocosearch_py.languages.language import words
from cocosearch_py.languages.visibility import PUBLIC, modifiers


def _rewrite(source: bytes) -> bytes:
    return mend(end_members(source))


LANGUAGE = replace(
    JVM,
    id="kotlin",
    name="Kotlin",
    extensions=words(".kt .kts"),
    interpreters=("kotlin",),
    grammar="tree_sitter_kotlin",
    aliases=words("kt kts"),
    visibility=modifiers(PUBLIC),
    rewrite=_rewrite,
    package_word="package",
    repair=repair,
    cost=1.6,
)
