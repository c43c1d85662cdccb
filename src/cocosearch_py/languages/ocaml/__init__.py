"""OCaml."""

from cocosearch_py.languages.language import Language

LANGUAGE = Language(
    "ocaml",
    "OCaml",
    (".ml",),
    interpreters=("ocaml",),
    grammar="tree_sitter_ocaml:language_ocaml",
    aliases=("ml",),
    imports="ocaml.imports",
)
