"""The tools search_code, analyze_query and search_text."""

from typing import TYPE_CHECKING

from cocosearch_py.features.search.answers import Analysis, Matches, ResultTable
from cocosearch_py.features.search.arguments import (
    EXIT_NO_RESULTS,
    AnalyzeQueryArguments,
    SearchCodeArguments,
    SearchTextArguments,
)
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.answers import HitItem, Note
from cocosearch_py.tools.declaration import Alias, Command, tool
from cocosearch_py.tools.parameters import kinds_of_indxr

if TYPE_CHECKING:
    from cocosearch_py.features.search.service import Searched

EXIT_NO_MATCH = 1  # as grep's
_SEARCH_CODE = """\
Find code by meaning and by name in an indexed codebase, best results first.

Use it for "where/how is X done" and half-remembered names. Definitions rank first, and passages come with their
function: no need to open files. For every occurrence of a literal, use search_text or grep."""
_ANALYZE_QUERY = """\
Explain a search stage by stage: query analysis, keyword and vector search, fusion, boosts, filters, timings,
results.

Runs the search_code pipeline, uncached. Use it when results surprise."""
_SEARCH_TEXT = """\
Find every line that contains a text or matches a regex, with the enclosing function: grep, but indexed.

Use it for exact strings and complete lists of uses; search_code is for questions and half-remembered names."""


def _exit_of_search(searched: "Searched", asked: SearchCodeArguments) -> int:
    is_empty = not searched.hits or searched.lacking is not None
    return EXIT_NO_RESULTS if asked.exit_no_results and is_empty else 0


def _exit_of_grep(matches: Shrinkable[object, Matches], _: SearchTextArguments) -> int:
    return 0 if matches.whole.files_matched else EXIT_NO_MATCH


TOOLS = (
    tool(
        __package__,
        "search_code",
        title="Search code",
        about=_SEARCH_CODE,
        arguments=SearchCodeArguments,
        answer=list[HitItem | Note] | ResultTable,
        error_is_text=True,
        toolset="search",
        order=1,
        verbatim=True,
        about_indexes=True,
        minimal=True,
        command=Command(
            name="search",
            help="""Find code by meaning and by name.

            The query may contain filters: `lang:go`, `path:src/`, `-path:tests/`, `kind:class`, `name:get*`,
            `-content:vendored`. A leading minus excludes.
            """,
            exit_code=_exit_of_search,
        ),
        aliases=(
            Alias(
                name="find",
                program="indxr",
                chosen_by=("mode", "relevant"),
                chosen_first=True,
                parameters={"kind": "symbol_type"},
                means={"limit": 20},
                adapt=kinds_of_indxr,
            ),
            Alias(
                name="search_relevant",
                program="indxr",
                parameters={"kind": "symbol_type"},
                means={"limit": 20},
                adapt=kinds_of_indxr,
            ),
            Alias(name="search", program="Code Index", dialect="code_index.SEARCH"),
            Alias(name="search_repo", program="Mimir", dialect="mimir.SEARCH_REPO"),
        ),
    ),
    tool(
        __package__,
        "analyze_query",
        title="Explain a search",
        about=_ANALYZE_QUERY,
        arguments=AnalyzeQueryArguments,
        answer=Analysis,
        module="analysis",
        view="show_analysis",
        error_is_text=True,
        toolset="search",
        verbatim=True,
        order=2,
        about_indexes=True,
        command=Command(
            name="analyze",
            help="Explain a search stage by stage: how the query is understood, and how results are found and ranked.",
        ),
    ),
    tool(
        __package__,
        "search_text",
        title="Search text",
        about=_SEARCH_TEXT,
        arguments=SearchTextArguments,
        answer=Matches,
        module="text",
        view="show_matches",
        lines="path_lines",
        lines_are_data=True,
        toolset="search",
        order=4,
        about_indexes=True,
        command=Command(
            name="grep",
            help="""Find every line that contains a text or matches a regular expression.

            Case matters only if the text has a capital letter. Files that the index leaves out are not searched.
            """,
            exit_code=_exit_of_grep,
            hidden_names=("text-search",),
        ),
        aliases=(Alias(name="text_search", program="Lexa"),),
    ),
)
