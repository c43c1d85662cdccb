"""Haskell."""

from cocosearch_py.languages.conditionals import readings
from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "haskell",
    "Haskell",
    words(".hs .hsc .hs-boot"),
    interpreters=words("runhaskell runghc"),
    readings=readings,
    skips_branches=True,
    grammar="tree_sitter_haskell",
    comments="dash",
    aliases=("hs",),
    has_clauses=True,
    imports="haskell.imports",
    cost=1.4,
)
