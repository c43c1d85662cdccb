"""PHP."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.php.newer import repair
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
    reflective="call_user_func:0 call_user_func_array:0 forward_static_call:0 forward_static_call_array:0 eval:0 "
    "ReflectionClass:0 ReflectionMethod:1 ReflectionFunction:0 *.getMethod:0 *.getMethods:- *.getProperties:- "
    "get_class_methods:-",
    forwarders=frozenset({"__call", "__callStatic", "__get"}),
    repair=repair,
    imports="php.imports",
)
