"""Calls written for other programs: their names, parameters and defaults, and the keys that their documents promise."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, tools_of

from cocosearch_py.errors import ValidationError
from cocosearch_py.mcp.server import all_tools
from cocosearch_py.mcp.toolsets import PSEUDO_TOOLSETS, UnknownToolError, canonical_call, choose_tools, meant_by
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.tools.declaration import TOOLSETS
from cocosearch_py.tools.registry import dialect

Make = Callable[..., FastMCP]
FILE = "shop/cart.py"
# As the documents of indxr, Lexa and CocoSearch have them, asked of the sample; then the keys of the answer.
DOCUMENTED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("find", {"query": "total price"}, ""),
    ("find", {"query": "Cart", "mode": "symbol"}, "definitions"),
    ("find", {"query": "Money", "mode": "callers"}, "references"),
    ("find", {"query": "-> Money", "mode": "signature"}, "definitions"),
    ("summarize", {"path": FILE, "scope": "public"}, "path"),
    ("read", {"path": FILE, "start_line": 1, "end_line": 2}, "source hash"),
    ("list_workspace_members", {}, "workspace_type members"),
    ("lookup_symbol", {"name": "Cart", "limit": 10, "compact": True}, "columns rows"),
    ("list_declarations", {"path": FILE, "kind": "function", "shallow": True, "compact": True}, "path"),
    ("search_signatures", {"query": "-> Money", "limit": 5}, "definitions"),
    ("get_tree", {"path": "shop"}, "tree"),
    ("get_imports", {"path": FILE}, "imports"),
    ("get_stats", {}, ""),
    ("get_file_summary", {"path": FILE}, "imports"),
    ("read_source", {"path": FILE, "symbol": "Cart", "expand": 1, "collapse": True}, "source"),
    ("read_source", {"path": FILE, "symbols": ["add_item", "nothing"]}, "symbols not_found"),
    ("get_file_context", {"path": "shop/prices.py"}, "importers"),
    (
        "get_token_estimate",
        {"path": FILE},
        "file full_file_tokens full_file_lines summary_tokens declaration_count recommendation",
    ),
    ("get_token_estimate", {"path": FILE, "symbol": "add_item"}, "file symbol symbol_tokens symbol_lines savings"),
    ("get_token_estimate", {"directory": "shop"}, "files"),
    ("get_token_estimate", {"glob": "**/*.py"}, "files"),
    ("search_relevant", {"query": "token budget", "limit": 10, "kind": "class", "compact": True}, ""),
    ("explain_symbol", {"name": "cart"}, ""),
    ("batch_file_summaries", {"paths": [FILE]}, ""),
    ("batch_file_summaries", {"glob": "shop/*.py"}, ""),
    ("get_public_api", {"path": "shop"}, ""),
    ("get_public_api", {}, ""),
    ("get_callers", {"symbol": "Money", "limit": 5}, "references"),
    ("get_related_tests", {"symbol": "Money"}, "tests"),
    ("get_related_tests", {"symbol": "Cart", "path": FILE}, "tests"),
    ("get_dependency_graph", {"path": "shop", "format": "mermaid", "depth": 2}, "graph"),
    ("get_dependency_graph", {"level": "symbol", "format": "json"}, "nodes edges"),
    ("get_hotspots", {"limit": 10, "min_complexity": 1}, "total hotspots"),
    (
        "get_health",
        {"path": "shop"},
        "total_functions analyzed complexity nesting params body_lines high_complexity_count high_complexity_pct "
        "documented_pct test_count deprecated_count public_api_count hottest_files",
    ),
    ("get_type_flow", {"type_name": "Money", "path": "shop"}, "type_name producers_count consumers_count producers"),
    (
        "files",
        {"path": "shop", "path_glob": "**/*.{py,go}", "max_results": 2},
        "count total limit truncated filters files",
    ),
    ("files", {"language": "python", "min_lines": 1, "max_lines": 500, "max": 2}, "count total limit truncated files"),
    ("list", {"path": "shop"}, "path count entries"),
    ("list", {}, "count entries"),
    ("glob", {"pattern": "**/*.py"}, "pattern count total limit truncated paths"),
    ("path_search", {"query": "shcrt", "max_results": 5}, "query count limit results"),
    (
        "outline",
        {"path": FILE},
        "path language line_count byte_size symbol_count imports unresolved_imports symbols",
    ),
    ("symbol_defs", {"name": "Cart"}, "definitions"),
    ("symbol_search", {"query": "addItem", "max_results": 10}, "definitions"),
    ("word_refs", {"word": "Money"}, "references"),
    (
        "text_search",
        {"query": "Money", "max_results": 20, "regex": False, "scope": True, "compact": False, "paths_only": False},
        "matches",
    ),
    ("callers", {"name": "Money", "max_results": 20}, "references"),
    ("brief", {"task": "add_item", "max_results": 10, "path_prefix": "shop", "path_glob": None}, "suggested_next"),
    ("trace_deps", {"path": "shop/prices.py", "direction": "imported_by", "transitive": True}, "impact_tree"),
    ("trace_deps", {"path": "shop/prices.py"}, "impact_tree"),
    ("trace_deps", {"path": FILE, "direction": "depends_on"}, "dependencies unresolved"),
    ("read", {"path": FILE, "line_start": 1, "line_end": 80, "compact": False, "if_hash": "4f8a3c1e"}, "source hash"),
    ("recent", {"limit": 10}, "files"),
    ("regenerate_index", {}, "status message path files_indexed total_lines"),
    ("reindex", {}, "success path"),
    (
        "status",
        {},
        "files_indexed symbols_indexed unique_words_indexed word_indexed_files seq change_history_persisted graph",
    ),
    ("get_file_dependencies", {"file": FILE}, "file depth dependencies total"),
    ("get_file_impact", {"file": "shop/prices.py"}, "file depth impact_tree total"),
    ("get_batch_dependencies", {"files": [FILE, "shop/prices.py"]}, "files"),
    ("get_batch_impact", {"files": [FILE, "shop/prices.py"]}, "files"),
)


def test_documented_calls_are_answered_with_the_documented_keys(make: Make, shop: Path) -> None:
    server = make()
    listed = {one.name for one in tools_of(server)}
    own = {one.name for one in all_tools()}
    assert not {name for name, _, _ in DOCUMENTED} - own & listed
    for name, arguments, keys in DOCUMENTED:
        answer = call(server, name, arguments)
        assert not answer.is_error, (name, arguments, answer.payload)
        assert all(key in answer.payload for key in keys.split()), (name, arguments, answer.payload)


@pytest.mark.parametrize("toolset", [*PSEUDO_TOOLSETS, *TOOLSETS])
@pytest.mark.parametrize("read_only", [False, True])
def test_aliases_work_wherever_their_tool_is_offered(toolset: str, read_only: bool) -> None:
    options = ServerOptions(toolsets=(toolset,), read_only=read_only)
    offered = {one.name: one for one in choose_tools(all_tools(), options)}
    for tool in all_tools():
        for alias in tool.aliases:
            if alias.name in offered:  # its own tool; or that of another, whose own name wins
                continue
            asked = dict([alias.chosen_by]) if alias.chosen_by else {}
            if tool.name in offered:
                assert meant_by(alias.name, asked, offered, options) == (tool, alias)
            else:
                with pytest.raises(UnknownToolError, match="is off on this server"):
                    meant_by(alias.name, asked, offered, options)


def test_an_alias_without_its_choice_is_not_another_tool() -> None:
    options = ServerOptions(toolsets=("navigate",))
    offered = {one.name: one for one in choose_tools(all_tools(), options)}
    with pytest.raises(UnknownToolError) as raised:
        meant_by("find", {"query": "total"}, offered, options)
    assert raised.value.hint == "start the server with --toolsets navigate,search"


def test_an_alias_that_only_reads_works_on_a_server_that_only_reads(make: Make, shop: Path) -> None:
    told = call(make(read_only=True), "wiki_suggest_contribution", {"synthesis": "carts have totals"})
    assert told.payload["message"] == "this repository has no wiki yet"


@pytest.mark.parametrize(
    ("options", "tool", "hint"),
    [
        ({"toolsets": ("search",)}, "index_codebase", "start the server with --toolsets search,index"),
        ({"toolsets": ("search",)}, "reindex", "start the server with --toolsets search,index"),
        ({"read_only": True}, "index_codebase", "start the server without --read-only"),
        (
            {"read_only": True, "toolsets": ("search",)},
            "index_codebase",
            "start the server without --read-only and with --toolsets search,index",
        ),
        ({"exclude_tools": ("index_codebase",)}, "reindex", "start the server without --exclude-tools index_codebase"),
        ({"tools": ("search_code",)}, "read_code", "start the server with --tools search_code,read_code"),
    ],
)
def test_a_tool_that_is_off_names_what_turned_it_off(make: Make, options: dict[str, Any], tool: str, hint: str) -> None:
    told = call(make(**options), tool, {"path": "."}).payload
    assert told["message"] == f"the tool '{tool}' is off on this server"
    assert told["actionable_guidance"] == [hint]


def meant(tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    operation, given = canonical_call(tool, arguments, {one.name: one for one in all_tools()}, ServerOptions())
    return operation.name, given


def test_a_name_of_several_tools_is_told_apart_by_a_parameter() -> None:
    assert meant("find", query="a") == ("search_code", {"query": "a", "limit": 20})
    assert meant("find", query="a", mode="relevant", kind="class")[1]["symbol_type"] == "class"
    assert meant("find", query="a", mode="callers") == ("find_references", {"symbol": "a", "limit": 20})
    assert meant("trace_deps", path="a.py") == ("get_impact", {"file": "a.py", "depth": 1})
    everything = meant("trace_deps", path="a.py", direction="depends_on", transitive=True)
    assert everything == ("get_dependencies", {"file": "a.py", "depth": 20})
    with pytest.raises(ValidationError, match="find has no mode 'everything'") as raised:
        meant("find", query="a", mode="everything")
    assert "relevant, symbol, signature, callers" in (raised.value.hint or "")


def test_what_a_call_says_wins_over_what_its_name_means() -> None:
    assert meant("lookup_symbol", name="a") == ("find_symbol", {"name": "a", "match": "substring", "limit": 50})
    assert meant("lookup_symbol", name="a", match="exact", max=3)[1] == {"name": "a", "match": "exact", "limit": 3}
    assert meant("get_related_tests", symbol="f", path="a.py") == ("find_tests", {"symbol": "a.py#f"})
    assert meant("get_related_tests", path="a.py") == ("find_tests", {"path": "a.py"})


def test_unknown_parameters_and_names_have_the_nearest_ones_in_their_hint() -> None:
    with pytest.raises(ValidationError, match="word_refs has no parameter 'wrod'") as raised:
        meant("word_refs", wrod="a")
    assert "did you mean word" in (raised.value.hint or "")
    with pytest.raises(UnknownToolError) as unknown:
        meant("lookup_symbols")
    assert "did you mean find_symbol" in (unknown.value.hint or "")


def test_no_alias_is_the_name_of_a_tool_and_those_of_several_say_which() -> None:
    own = {one.name for one in all_tools()}
    aliases = [alias for one in all_tools() for alias in one.aliases]
    bare = {"clear_index"}  # it stands for a call without any arguments
    assert own & {alias.name for alias in aliases} == bare
    for name in {alias.name for alias in aliases}:
        same = [alias for alias in aliases if alias.name == name]
        if len(same) > 1:
            assert sum(alias.chosen_first for alias in same) == (0 if same[0].dialect else 1), name
            assert len({alias.chosen_by for alias in same if alias.chosen_by}) == len(same), name
    for operation in all_tools():
        known = {one.name for one in operation.parameters}
        for alias in operation.aliases:
            own_known = {one.name for one in dialect(alias.dialect).parameters} if alias.dialect else known
            assert {*alias.parameters.values(), *alias.means} <= own_known, alias.name
