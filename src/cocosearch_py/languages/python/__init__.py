"""Python."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.python.newer import repair
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
    # Names in a module that `import_module` gives are written or looked up behind it.
    reflective="getattr:1 eval:0 exec:0 globals:- locals:- vars:- *.getmembers:- "
    "*.__subclasses__:- attrgetter:0 operator.attrgetter:0 methodcaller:0 operator.methodcaller:0 "
    "resolve_name:0 pkgutil.resolve_name:0 locate:0 pydoc.locate:0",
    forwarders=frozenset({"__getattr__", "__getattribute__"}),
    repair=repair,
    reads_members=True,
    imports="python.imports",
    liveness="python.liveness",
)
