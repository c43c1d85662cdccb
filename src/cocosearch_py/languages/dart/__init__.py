"""Dart."""

from cocosearch_py.languages.language import Language
from cocosearch_py.languages.visibility import underscore

LANGUAGE = Language(
    "dart",
    "Dart",
    (".dart",),
    interpreters=("dart",),
    grammar="tree_sitter_dart",
    visibility=underscore,
    imports="dart.imports",
)
