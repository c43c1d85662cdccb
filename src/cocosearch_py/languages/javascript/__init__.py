"""JavaScript."""

from cocosearch_py.languages.ecmascript import PARTED_DOC_OPENING, REFLECTIVE, visibility
from cocosearch_py.languages.ecmascript.newer import repair
from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "javascript",
    "JavaScript",
    words(".js .jsx .mjs .cjs .es6"),
    filenames=("jakefile",),
    interpreters=words("node nodejs bun"),
    grammar="tree_sitter_javascript",
    aliases=words("js jsx mjs cjs ecmascript node"),
    visibility=visibility,
    repair=repair,
    parted_doc_opening=PARTED_DOC_OPENING,
    reflective=REFLECTIVE,
    reads_members=True,
    renames_exports=True,
    imports="ecmascript.imports",
    liveness="ecmascript.liveness",
    family="ecmascript",
)
