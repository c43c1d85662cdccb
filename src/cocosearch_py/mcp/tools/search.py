"""Toolset `search`: find code, and see why a search answers as it does."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastmcp import Context
from pydantic import Field

from cocosearch_py.mcp.site import Site
from cocosearch_py.mcp.tools import arguments as given
from cocosearch_py.mcp.tools import schemas
from cocosearch_py.mcp.toolsets import ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchArguments:
    """Parameters of search_code."""

    query: Annotated[str, Field(description="What to look for, in words or by name; may hold lang: path: kind: name:")]
    index_name: given.IndexName = None
    limit: given.Limit = 10
    language: given.Language = None
    use_hybrid_search: given.UseHybrid = None
    symbol_type: given.SymbolType = None
    symbol_name: given.SymbolName = None
    context_before: Annotated[int | None, Field(description="Lines before, 0-50; overrides smart_context")] = None
    context_after: Annotated[int | None, Field(description="Lines after, 0-50; overrides smart_context")] = None
    smart_context: Annotated[bool, Field(description="Add the rest of the enclosing function or class")] = True
    index_names: Annotated[list[str] | None, Field(description='Search several, at most 20; "*" is all')] = None
    path_glob: given.PathGlob = None
    exclude: given.Exclude = None
    min_score: given.MinScore = 0.0
    offset: Annotated[int, Field(description="Skip this many results (paging)")] = 0
    max_tokens: Annotated[int | None, Field(description="Cut the answer here (a token counted as 4 characters)")] = None
    include_content: Annotated[bool, Field(description="false: places only, no text")] = True
    compact: Annotated[bool, Field(description="Columns and rows instead of objects")] = False
    context_lines: Annotated[int | None, Field(description="Sets both contexts")] = None
    snippet_chars: Annotated[int | None, Field(description="Cut each content here")] = None
    weights: given.Weights = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeArguments:
    """Parameters of analyze_query."""

    query: Annotated[str, Field(description="The query to explain")]
    index_name: given.IndexName = None
    limit: given.Limit = 10
    language: given.Language = None
    use_hybrid_search: given.UseHybrid = None
    symbol_type: given.SymbolType = None
    symbol_name: given.SymbolName = None
    path_glob: given.PathGlob = None
    exclude: given.Exclude = None
    min_score: given.MinScore = 0.0
    explain_path: Annotated[str | None, Field(description="Why is this file (not) in the results?")] = None
    weights: Annotated[dict[str, Any] | None, Field(description="As in search_code")] = None


async def search_code(site: Site, ctx: Context, asked: SearchArguments) -> Any:
    """Find code by meaning and by identifier in an indexed codebase, best first.

    Use it for "where/how is X done" and for names you half remember: it ranks definitions first and returns the
    passage with its function, so no file needs opening. For every occurrence of a literal, grep is the better tool.
    """
    from cocosearch_py.mcp.tools.searching import answer_search, search_all

    selection = await site.select(ctx, asked.index_name, asked.index_names or ())
    return answer_search(asked, await site.run(partial(search_all, site, selection, asked)))


async def analyze_query(site: Site, ctx: Context, asked: AnalyzeArguments) -> Any:
    """Explain a search stage by stage: query analysis, both legs, fusion, boosts, filters, timings, results.

    Runs the pipeline of search_code, without its cache. Use it when results surprise.
    """
    from cocosearch_py.mcp.tools.searching import analyze

    selection = await site.select(ctx, asked.index_name)
    return await site.run(partial(analyze, site, selection, asked))


SPECS = (
    ToolSpec(
        name="search_code",
        title="Search code",
        toolset="search",
        arguments=SearchArguments,
        body=search_code,
        output=schemas.SEARCH,
        minimal=True,
    ),
    ToolSpec(
        name="analyze_query",
        title="Explain a search",
        toolset="search",
        arguments=AnalyzeArguments,
        body=analyze_query,
        output=schemas.ANALYSIS,
    ),
)
