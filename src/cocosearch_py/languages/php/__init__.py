"""PHP."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PUBLIC, modifiers

LANGUAGE = Language(
    "php",
    "PHP",
    words(".php .phtml .php3 .php4 .php5 .php7 .phps .phpt"),
    filenames=("artisan",),
    interpreters=("php",),
    grammar="tree_sitter_php:language_php",
    comments="slash_hash",
    visibility=modifiers(PUBLIC),
    imports="php.imports",
)
