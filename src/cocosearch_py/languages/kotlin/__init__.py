"""Kotlin."""

from cocosearch_py.languages.kotlin.bodies import end_members
from cocosearch_py.languages.kotlin.newer import mend
from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PUBLIC, modifiers


def _rewrite(source: bytes) -> bytes:
    return mend(end_members(source))


LANGUAGE = Language(
    "kotlin",
    "Kotlin",
    words(".kt .kts"),
    interpreters=("kotlin",),
    grammar="tree_sitter_kotlin",
    aliases=words("kt kts"),
    visibility=modifiers(PUBLIC),
    rewrite=_rewrite,
    imports="jvm.imports",
    family="jvm",
    folder_is_scope=True,
    keeps_imports=True,
    imports_by_use=True,
    cost=1.6,
)
