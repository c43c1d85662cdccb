"""Python."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import underscore

LANGUAGE = Language(
    "python",
    "Python",
    words(".py .pyi .pyw .pyx .pxd"),
    filenames=words("sconstruct sconscript wscript"),
    interpreters=words("python pypy uv"),
    grammar="tree_sitter_python",
    comments="hash",
    aliases=words("py python3"),
    visibility=underscore,
    imports="python.imports",
    liveness="python.liveness",
)
