"""TypeScript."""

from cocosearch_py.languages.ecmascript import PARTED_DOC_OPENING, REFLECTIVE, visibility
from cocosearch_py.languages.ecmascript.newer import repair
from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "typescript",
    "TypeScript",
    words(".ts .mts .cts"),
    interpreters=words("ts-node deno tsx"),
    grammar="tree_sitter_typescript:language_typescript",
    aliases=words("ts mts cts"),
    visibility=visibility,
    repair=repair,
    parted_doc_opening=PARTED_DOC_OPENING,
    reflective=REFLECTIVE,
    reads_members=True,
    imports="ecmascript.imports",
    liveness="ecmascript.liveness",
    family="ecmascript",
    cost=1.9,
)
