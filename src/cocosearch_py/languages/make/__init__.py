"""Makefile."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "make",
    "Makefile",
    words(".mk .mak .make"),
    filenames=words("makefile gnumakefile kbuild bsdmakefile"),
    interpreters=("make",),
    grammar="tree_sitter_make",
    comments="hash",
    aliases=words("makefile gnumake"),
    kind="config",
    has_recipes=True,
)
