"""Syntax trees: definitions, comments and parse health of source files. tree-sitter is known only here."""

from cocosearch_py.parsing.parsers import has_grammar
from cocosearch_py.parsing.source import parse_source

__all__ = ["has_grammar", "parse_source"]
