"""The tools find_symbol, read_code, summarize, explain_symbol and outline_file: definitions and files."""

from cocosearch_py.features.navigate.answers import (
    Definitions,
    Explanations,
    FileOutline,
    OneFile,
    OneFolder,
    OnePart,
    OneSymbol,
    SeveralFiles,
    SeveralParts,
)
from cocosearch_py.features.navigate.arguments import (
    ExplainSymbolArguments,
    FindSymbolArguments,
    OutlineFileArguments,
    ReadCodeArguments,
    SummarizeArguments,
)
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.declaration import Alias, Command, tool
from cocosearch_py.tools.parameters import kinds_of_indxr

EXIT_NOT_FOUND = 1
_FIND_SYMBOL = """\
Find where a function, class or other symbol is defined, by name: one lookup instead of grep and reading.

Any style matches (get_user, getUser). Code comes before tests, public before private."""
_READ_CODE = """\
Read only the lines or definitions you need, by path, lines or name, instead of whole files.

Line numbers match the disk, even right after an edit."""
_EXPLAIN_SYMBOL = (
    "Explain how to use a function or class without reading its body: signature, doc comment, members, location."
)


def _exit_code(answer: Shrinkable[object, OnePart | SeveralParts], _: ReadCodeArguments) -> int:
    """Return the exit code of `read`: whether a target was not found."""
    whole = answer.whole
    return EXIT_NOT_FOUND if isinstance(whole, SeveralParts) and whole.not_found else 0


_LOOKUP = {"match": "substring", "limit": 50}
_SIGNATURES = {"field": "signature", "limit": 20}
TOOLS = (
    tool(
        __package__,
        "find_symbol",
        title="Find a symbol",
        about=_FIND_SYMBOL,
        arguments=FindSymbolArguments,
        answer=Definitions,
        module="definitions",
        view="show_definitions",
        toolset="navigate",
        order=1,
        about_indexes=True,
        needs="symbol",
        command=Command(
            name="symbols",
            help="""Find where a function, class or other symbol is defined, by its name.

            Names match in any style (get_user, getUser); wildcards and parts of names work too.
            """,
            hidden_names=("symbol", "symbol-defs"),
        ),
        aliases=(
            Alias(
                name="find", program="indxr", chosen_by=("mode", "symbol"), parameters={"query": "name"}, means=_LOOKUP
            ),
            Alias(
                name="find",
                program="indxr",
                chosen_by=("mode", "signature"),
                parameters={"query": "name"},
                means=_SIGNATURES,
            ),
            Alias(name="lookup_symbol", program="indxr", means=_LOOKUP),
            Alias(name="search_signatures", program="indxr", parameters={"query": "name"}, means=_SIGNATURES),
            Alias(name="symbol_defs", program="Lexa", means={"match": "exact"}),
            Alias(name="symbol_search", program="Lexa", parameters={"query": "name"}, means={"match": "fuzzy"}),
        ),
    ),
    tool(
        __package__,
        "read_code",
        title="Read code",
        about=_READ_CODE,
        arguments=ReadCodeArguments,
        answer=OnePart | SeveralParts,
        module="reading",
        view="show_code",
        toolset="navigate",
        order=3,
        about_indexes=True,
        minimal=True,
        command=Command(
            name="read",
            help="""Print files, lines of files, or definitions by name.

            Only indexed files are read: from disk, or as indexed if they are not on disk.
            """,
            exit_code=_exit_code,
        ),
        aliases=(
            Alias(name="read_source", program="indxr"),
            Alias(name="read", program="indxr, Lexa", parameters={"line_start": "start_line", "line_end": "end_line"}),
        ),
    ),
    tool(
        __package__,
        "summarize",
        title="Summarize",
        about="Summarize a file, folder, glob or symbol before reading it: definitions, imports, users and tests.",
        arguments=SummarizeArguments,
        answer=OneFile | SeveralFiles | OneFolder | OneSymbol,
        module="summaries",
        view="show_summary",
        toolset="navigate",
        order=4,
        about_indexes=True,
        minimal=True,
        command=Command(
            name="summarize",
            help="""Summarize a file, a folder, several files or a definition, without reading them.

            A glob summarizes its first 30 files. A word that is neither a file nor a folder names a definition.
            """,
        ),
        aliases=(
            Alias(name="get_file_summary", program="indxr"),
            Alias(name="batch_file_summaries", program="indxr", parameters={"glob": "path"}),
            Alias(name="get_file_context", program="indxr", means={"include": ["context"]}),
            Alias(name="get_public_api", program="indxr", means={"scope": "public"}),
        ),
    ),
    tool(
        __package__,
        "explain_symbol",
        title="Explain a symbol",
        about=_EXPLAIN_SYMBOL,
        arguments=ExplainSymbolArguments,
        answer=Explanations,
        module="explanations",
        view="show_explanations",
        toolset="navigate",
        order=5,
        listed=False,
        about_indexes=True,
        needs="symbol",
        command=Command(
            name="explain",
            help="Show how to use a function or class without reading its body: signature, comment, members.",
        ),
    ),
    tool(
        __package__,
        "outline_file",
        title="Outline a file",
        about="Outline a file without reading it: a tree of its definitions with lines and signatures.",
        arguments=OutlineFileArguments,
        answer=FileOutline,
        module="outlines",
        view="show_outline",
        toolset="navigate",
        order=7,
        listed=False,
        about_indexes=True,
        needs="symbol",
        command=Command(name="outline", help="Show the definitions of a file as a tree, with lines and signatures."),
        aliases=(
            Alias(name="list_declarations", program="indxr", adapt=kinds_of_indxr),
            Alias(name="get_imports", program="indxr", means={"include": ["imports"]}),
            Alias(name="outline", program="Lexa", dialect="lexa.OUTLINE"),
        ),
    ),
)
