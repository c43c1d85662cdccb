"""Elixir."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PRIVATE, PUBLIC
from cocosearch_py.model.symbols import Symbol


def _visibility(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, kind, outer
    return PRIVATE if head.startswith(("defp ", "defmacrop ", "defguardp ", "@typep ")) else PUBLIC


LANGUAGE = Language(
    "elixir",
    "Elixir",
    words(".ex .exs"),
    filenames=("mix.lock",),
    interpreters=("elixir",),
    grammar="tree_sitter_elixir",
    comments="hash",
    aliases=words("ex exs"),
    visibility=_visibility,
    has_clauses=True,
    reflective="apply:1 Kernel.apply:1 String.to_atom:0 String.to_existing_atom:0 Code.eval_string:0",
    imports="elixir.imports",
    cost=1.8,
)
