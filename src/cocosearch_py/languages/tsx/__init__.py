"""TSX: TypeScript with a grammar of its own, which takes `<a>` for an element."""

from dataclasses import replace

from cocosearch_py.languages import typescript

LANGUAGE = replace(
    typescript.LANGUAGE,
    id="tsx",
    name="TSX",
    extensions=(".tsx",),
    interpreters=(),
    grammar="tree_sitter_typescript:language_tsx",
    aliases=("typescriptreact",),
)
