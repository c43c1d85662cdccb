"""Markdown."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "markdown",
    "Markdown",
    words(".md .markdown .mdx .mdown .mkd .qmd .rmd"),
    grammar="tree_sitter_markdown",
    comments="markup",
    aliases=words("md mdx"),
    kind="docs",
    imports="markdown.imports",
)
