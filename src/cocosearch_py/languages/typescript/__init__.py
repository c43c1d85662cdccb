"""TypeScript: all that JavaScript has, and types."""

from dataclasses import replace

from cocosearch_py.languages import javascript
from cocosearch_py.languages.language import words

LANGUAGE = replace(
    javascript.LANGUAGE,
    id="typescript",
    name="TypeScript",
    extensions=words(".ts .mts .cts"),
    filenames=(),
    interpreters=words("ts-node deno tsx"),
    grammar="tree_sitter_typescript:language_typescript",
    aliases=words("ts mts cts"),
    cost=1.9,
)
