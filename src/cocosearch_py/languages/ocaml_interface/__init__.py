"""OCaml interface."""

from cocosearch_py.languages.language import Language

LANGUAGE = Language(
    "ocaml_interface",
    "OCaml interface",
    (".mli",),
    grammar="tree_sitter_ocaml:language_ocaml_interface",
    comments="paren",
    aliases=("mli",),
)
