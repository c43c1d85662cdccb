"""Solidity."""

from cocosearch_py.languages.language import Language

LANGUAGE = Language(
    "solidity",
    "Solidity",
    (".sol",),
    grammar="tree_sitter_solidity",
    aliases=("sol",),
    imports="solidity.imports",
)
