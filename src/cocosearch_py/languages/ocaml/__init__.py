"""OCaml."""

from cocosearch_py.languages.language import Language

LANGUAGE = Language(
    "ocaml",
    "OCaml",
    (".ml",),
    interpreters=("ocaml",),
    grammar="tree_sitter_ocaml:language_ocaml",
    comments="paren",
    aliases=("ml",),
    imports="ocaml.imports",
)
