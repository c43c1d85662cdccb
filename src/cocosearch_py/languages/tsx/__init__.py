"""TSX."""

from cocosearch_py.languages.ecmascript import PARTED_DOC_OPENING, visibility
from cocosearch_py.languages.language import Language

LANGUAGE = Language(
    "tsx",
    "TSX",
    (".tsx",),
    grammar="tree_sitter_typescript:language_tsx",
    aliases=("typescriptreact",),
    visibility=visibility,
    parted_doc_opening=PARTED_DOC_OPENING,
    imports="ecmascript.imports",
    liveness="ecmascript.liveness",
    family="ecmascript",
    cost=1.9,
)
