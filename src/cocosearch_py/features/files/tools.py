"""The tool estimate_tokens: the cost of reading files."""

from typing import Annotated

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, tool
from cocosearch_py.tools.sizes import GLOBS


class EstimateTokensArguments(Arguments):
    """Parameters of estimate_tokens."""

    path: Annotated[
        str | None,
        About("File"),
        Flag(metavar="PATH", type=str | None, default=None, help="Indexed file or folder."),
    ] = None
    symbol: Annotated[
        str | None,
        About("Definition in path"),
        Flag(names=("--symbol",), metavar="NAME", help="Count only this definition of the file."),
    ] = None
    directory: Annotated[
        str | None,
        About("Instead of path: all files in a folder"),
        Flag(names=("--directory",), metavar="FOLDER", help="Count all files in this folder."),
    ] = None
    glob: Annotated[
        str | None,
        About("Instead of path: all matching files"),
        GLOBS,
        Flag(names=("--glob",), metavar="GLOB", help="Count all files that match."),
    ] = None
    index_name: given.IndexName = None
    member: given.Member = None


class FileTokens(Part):
    """A file; the path is relative to `root`."""

    file: str
    tokens: Count
    lines: Count


class OneFile(Part):
    """A file, and the cost of its summary instead."""

    root: str
    file: str
    full_file_tokens: Count
    full_file_lines: Count
    summary_tokens: Count
    declaration_count: Count
    recommendation: str
    warnings: tuple[str, ...] = ()


class OneSymbol(Part):
    """A definition, and the tokens saved by reading it alone."""

    root: str
    file: str
    symbol: str
    symbol_tokens: Count
    symbol_lines: Count
    full_file_tokens: Count
    full_file_lines: Count
    savings: str
    warnings: tuple[str, ...] = ()


class SeveralFiles(Part):
    """Files, those with most tokens first; `is_estimate`: not all were counted, the total goes by their sizes."""

    root: str
    files: tuple[FileTokens, ...]
    file_count: Count
    total_tokens: Count
    total_lines: Count
    is_estimate: bool
    truncated: bool = False
    warnings: tuple[str, ...] = ()


TOOLS = (
    tool(
        __package__,
        "estimate_tokens",
        title="Estimate tokens",
        about="Estimate the tokens needed to read a file, a definition or a folder, and suggest cheaper ways.",
        arguments=EstimateTokensArguments,
        answer=OneFile | OneSymbol | SeveralFiles,
        view="show_tokens",
        toolset="navigate",
        order=8,
        listed=False,
        about_indexes=True,
        command=Command(
            name="tokens", help="Estimate the tokens that an agent needs to read a file, a definition or a folder."
        ),
        aliases=(Alias(name="get_token_estimate", program="indxr"),),
    ),
)
