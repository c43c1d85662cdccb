"""Julia."""

from cocosearch_py.languages.language import Language

LANGUAGE = Language(
    "julia",
    "Julia",
    (".jl",),
    interpreters=("julia",),
    grammar="tree_sitter_julia",
    comments="hash",
    aliases=("jl",),
    imports="julia.imports",
)
