"""Parameters beyond the reference, limits, errors, toolsets."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, tools_of

from cocosearch_py.errors import ConfigurationError
from cocosearch_py.mcp.server import all_tools, create_server
from cocosearch_py.mcp.toolsets import choose_tools
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.tools.tokens import count_tokens

Make = Callable[..., FastMCP]
SHOP = {"query": "money price cart session retry", "index_name": "shop"}
MAX_LIST_TOKENS = 3_500


def test_limits_are_moved_into_their_range_and_told_of(make: Make, shop: Path) -> None:
    answer = call(make(), "search_code", {**SHOP, "limit": 1000, "context_before": -3, "min_score": -1})
    assert answer.hits
    told = " ".join(note["message"] for note in answer.notes("warning"))
    assert "limit" in told
    assert "context_before" in told
    assert "min_score" in told


def test_pages_follow_each_other_without_gap_or_overlap(make: Make, shop: Path) -> None:
    server = make()
    whole = call(server, "search_code", {**SHOP, "limit": 6}).hits
    pages = [call(server, "search_code", {**SHOP, "limit": 2, "offset": offset}).hits for offset in (0, 2, 4)]
    assert [hit for page in pages for hit in page] == whole
    assert len(whole) == 6


def test_paths_can_be_chosen_and_left_out(make: Make, shop: Path) -> None:
    server = make()
    only = call(server, "search_code", {**SHOP, "path_glob": "shop/*.py"}).hits
    assert {Path(hit["file_path"]).parent.name for hit in only} == {"shop"}
    rest = call(server, "search_code", {**SHOP, "path_glob": ["**/*.py", "**/*.go"], "exclude": ["shop/**"]}).hits
    assert {hit["language_id"] for hit in rest} == {"go"}


def test_min_score_drops_weak_results(make: Make, shop: Path) -> None:
    server = make()
    every = call(server, "search_code", SHOP).hits
    bound = sorted(hit["vector_score"] for hit in every)[-2]
    strong = call(server, "search_code", {**SHOP, "min_score": bound}).hits
    assert 0 < len(strong) < len(every)
    assert all(hit["vector_score"] >= bound for hit in strong)


def test_weights_reorder_and_are_no_part_of_another_answer(make: Make, shop: Path) -> None:
    server = make()
    weights = {"ext": {"md": 0.5}, "path": [{"pattern": "shop/**", "weight": 0}], "language": {"go": 10}}
    first = [call(server, "search_code", {**SHOP, "weights": given}).hits for given in (None, weights, None, weights)]
    assert first[0] == first[2] != first[1] == first[3]
    assert first[0][0]["file_path"].endswith(".py")
    assert first[1][0]["file_path"].endswith("retry.go")
    assert "/shop/shop/" in first[1][-1]["file_path"]
    analysis = call(server, "analyze_query", {**SHOP, "weights": weights}).payload
    assert analysis["weights"] == weights
    assert [hit["file_path"] for hit in analysis["results"]] == [hit["file_path"] for hit in first[1]]
    assert analysis["results"][0]["why"]["factor"] == 10
    plain = call(server, "analyze_query", SHOP).payload
    assert plain["weights"] is None
    assert plain["cache"]["cache_key_prefix"] != analysis["cache"]["cache_key_prefix"]


def test_max_tokens_bounds_all_that_is_sent_and_says_so(make: Make, shop: Path) -> None:
    answer = call(make(), "search_code", {**SHOP, "limit": 20, "max_tokens": 900})
    note = answer.notes("truncated")[0]
    assert 1 < note["returned"] == len(answer.hits) < note["available"]
    assert count_tokens(answer.text) <= 900
    assert "offset" in note["message"]


@pytest.mark.parametrize("more", [{}, {"compact": True}, {"index_name": None, "limit": 300}], ids=str)
def test_the_smallest_bound_holds_for_notes_too(make: Make, shop: Path, more: dict[str, Any]) -> None:
    (shop / "shop" / "money.py").write_text("# all of it is gone\n")
    answer = call(make(), "search_code", {**SHOP, "max_tokens": 200, **more})
    assert count_tokens(answer.text) <= 200
    if "compact" not in more:
        assert answer.hits[0]["symbol_name"], "the first result is there"


def test_an_analysis_is_bounded_too(make: Make, sample_repo: Path) -> None:
    for number in range(100):
        text = f"def retry_cart_{number}(cart, {'another_argument_of_it, ' * 20}):\n    return {number}\n"
        (sample_repo / f"cart_{number}.py").write_text(text)
    server = make()
    call(server, "index_codebase", {"path": ".", "index_name": "shop"})
    asked = {"query": "retry cart", "index_name": "shop"}
    few, many = (call(server, "analyze_query", {**asked, "limit": limit}) for limit in (10, 100))
    assert count_tokens(many.text) <= 20_000
    assert len(few.payload["results"]) == 10
    assert not few.payload["warnings"]
    assert "results fit" in many.payload["warnings"][0]
    assert 20 < len(many.payload["results"]) < 100


def test_a_bound_that_cannot_be_had_is_told(make: Make, shop: Path) -> None:
    answer = call(make(), "search_code", {**SHOP, "limit": 1, "include_content": False, "max_tokens": 10})
    assert count_tokens(answer.text) <= 200
    assert "max_tokens" in call(make(), "search_code", {**SHOP, "max_tokens": 10**6}).notes("warning")[0]["message"]


def test_a_long_answer_is_packed_unless_all_is_wanted(make: Make, sample_repo: Path) -> None:
    for number in range(12):
        body = "".join(f"    step_{line} = prepare_the_cart_of_customer(step_{line})\n" for line in range(25))
        text = f"def retry_{number}(cart):\n{body}    return retry_with_backoff(cart)\n"
        (sample_repo / f"cart_{number}.py").write_text(text)
    server = make()
    call(server, "index_codebase", {"path": ".", "index_name": "shop"})
    asked = {"query": "retry with backoff", "index_name": "shop"}
    packed, full = (call(server, "search_code", {**asked, **more}) for more in ({}, {"full": True}))
    assert not full.notes("truncated")
    assert "full=true" in packed.notes("truncated")[0]["message"]
    assert len(packed.text) < 6_500 < len(full.text)
    texts = ("content", "context_before", "context_after")
    for short, whole in zip(packed.hits, full.hits, strict=True):
        assert {**short, **dict.fromkeys(texts)} == {**whole, **dict.fromkeys(texts)}
        lines = [line for line in short["content"].splitlines() if not line.startswith("...")]
        assert all(line in whole["content"] for line in lines)
    assert packed.hits[0]["content"] == full.hits[0]["content"]
    wanted = [{"context_lines": 0}, {"max_tokens": 20_000}, {"snippet_chars": 9_000}, {"smart_context": False}]
    for more in wanted:
        hits = call(server, "search_code", {**asked, **more}).hits
        assert [hit["content"] for hit in hits] == [hit["content"] for hit in full.hits]


def test_content_can_be_cut_left_out_or_tabled(make: Make, shop: Path) -> None:
    server = make()
    assert all(len(hit["content"]) <= 81 for hit in call(server, "search_code", {**SHOP, "snippet_chars": 80}).hits)
    assert "content" not in call(server, "search_code", {**SHOP, "include_content": False}).hits[0]
    table = call(server, "search_code", {**SHOP, "compact": True}).payload
    plain = call(server, "search_code", SHOP).hits
    assert [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] == plain


def test_context_lines_set_both_sides(make: Make, sample_repo: Path) -> None:
    functions = (f"def work_{number}(value):\n    return value + {number}\n\n" for number in range(100))
    (sample_repo / "long.py").write_text("\n".join(functions))
    server = make()
    call(server, "index_codebase", {"path": ".", "index_name": "shop"})
    asked = {"query": "work_50", "index_name": "shop", "limit": 1}
    both = call(server, "search_code", {**asked, "context_lines": 3}).hits[0]
    each = call(server, "search_code", {**asked, "context_before": 3, "context_after": 3}).hits[0]
    assert both == each
    lines = (sample_repo / "long.py").read_text().split("\n")
    assert both["context_before"] == "\n".join(lines[both["start_line"] - 4 : both["start_line"] - 1])
    assert both["context_after"] == "\n".join(lines[both["end_line"] : both["end_line"] + 3])


def test_other_names_of_tools_and_parameters_are_understood(make: Make, shop: Path) -> None:
    server = make()
    plain = call(server, "search_code", {**SHOP, "limit": 2, "use_hybrid_search": False})
    other = call(server, "search_relevant", {"query": SHOP["query"], "index_id": "shop", "k": 2, "use_hybrid": False})
    assert other.payload == plain.payload
    assert "search_relevant" not in {tool.name for tool in tools_of(server)}


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "said"),
    [
        ("serach_code", {"query": "x"}, "not_found", "search_code"),
        ("search_code", {"query": "x", "langauge": "go"}, "validation_error", "language"),
        ("search_code", {"query": "x", "index_name": "shpo"}, "not_indexed", "shop"),
        ("index_stats", {"index_name": "shpo"}, "not_indexed", "shop"),
        ("search_code", {}, "validation_error", "query"),
        ("search_code", {"query": "x", "limit": "many"}, "validation_error", "limit"),
        ("search_code", {"query": "", "index_name": "shop"}, "validation_error", "empty"),
        ("search_code", {"query": "x" * 20_001, "index_name": "shop"}, "validation_error", "20,001 characters"),
        ("search_code", {"query": "x", "index_name": "shop", "language": "klingon"}, "validation_error", "klingon"),
        ("search_code", {"query": "x", "index_name": "shop", "weights": {"ext": {"md": 11}}}, "validation_error", "md"),
        ("index_status", {"job_id": "nope"}, "not_found", "nope"),
        ("cancel_indexing", {}, "validation_error", "job_id"),
    ],
)
def test_errors_say_what_and_what_next(
    make: Make, shop: Path, tool: str, arguments: dict[str, object], kind: str, said: str
) -> None:
    answer = call(make(), tool, arguments)
    assert answer.is_error
    assert answer.payload["success"] is False
    assert answer.payload["error_type"] == kind
    assert said in answer.text
    assert answer.payload["actionable_guidance"]


def test_more_than_one_index_goes_only_when_confirmed(make: Make, shop: Path) -> None:
    server = make()
    refused = call(server, "clear_index", {"all": True})
    assert (refused.is_error, refused.payload["error_type"]) == (True, "safety_error")
    assert "shop" in refused.payload["error"]
    assert call(server, "clear_index", {"all": True, "dry_run": True}).payload["would_delete"] == ["shop"]
    assert call(server, "clear_index", {"older_than_days": 3, "confirm": True}).payload["total_deleted"] == 0
    assert [item["name"] for item in call(server, "list_indexes").payload] == ["shop"]
    done = call(server, "clear_index", {"index_names": ["shop", "gone"], "confirm": True}).payload
    assert (done["success"], done["deleted"]) == (False, ["shop"])
    assert call(server, "list_indexes").payload == []
    assert call(server, "clear_index", {}).payload == {"cleared": False, "graph_removed": False, "graph": None}


def test_a_query_that_is_to_be_rewritten_is_searched_as_it_is(make: Make, shop: Path) -> None:
    server = make()
    plain = call(server, "search_code", SHOP)
    told = call(server, "search_code", {**SHOP, "rewrite_query": True})
    assert told.hits == plain.hits
    assert [one["message"] for one in told.notes("warning")] == [
        "rewrite_query has no effect: the query was searched as it is"
    ]
    assert call(server, "search_code", {**SHOP, "rewrite_query": False}).payload == plain.payload


def test_read_only_has_no_tool_that_writes(make: Make, shop: Path) -> None:
    server = make(read_only=True)
    listed = tools_of(server)
    assert listed
    assert all(tool.annotations.read_only_hint for tool in listed)
    for tool, arguments in (("clear_index", {"index_name": "shop"}), ("index_codebase", {"path": "."})):
        told = call(server, tool, arguments).payload
        assert told["error_type"] == "not_found"
        assert told["actionable_guidance"] == ["start the server without --read-only"]
    assert call(server, "search_code", SHOP).hits


def names(**options: object) -> list[str]:
    return [spec.name for spec in choose_tools(all_tools(), ServerOptions(**options))]  # type: ignore[arg-type]


def test_a_brief_is_a_context(make: Make, shop: Path) -> None:
    arguments = {"task": "sum up the cart", "max_results": 3, "path": "shop", "path_glob": None, "language": "python"}
    brief = call(make(), "brief", arguments).payload
    assert brief["snippets"]
    assert len([one for one in brief["snippets"] if one["because"] == "found"]) <= 3
    assert {one["file_path"].partition("/")[0] for one in brief["snippets"]} == {"shop"}
    for one in brief["suggested_next"]:
        assert not call(make(), one["tool"], one["arguments"]).is_error
    refused = call(make(), "build_context", {"task": "x", "path_prefix": "../.."})
    assert refused.payload["error_type"] == "safety_error"
    assert call(make(), "build_context", {"task": " "}).payload["error_type"] == "validation_error"


def test_toolsets() -> None:
    unasked = [spec.name for spec in all_tools() if not spec.edits]
    assert names() == names(toolsets=("all",)) == unasked
    assert names(toolsets=("all", "edit")) == [spec.name for spec in all_tools()]
    search = ["search_code", "analyze_query", "ask_codebase", "search_text", "build_context", "run_pipeline"]
    assert names(toolsets=("search",)) == search
    assert names(toolsets=("minimal",)) == ["search_code", "read_code", "summarize", "index_codebase", "index_status"]
    assert names(tools=("index_stats",)) == ["index_stats"]
    assert names(toolsets=("search",), tools=("index_stats",), exclude_tools=("analyze_query",)) == [
        *(name for name in search if name != "analyze_query"),
        "index_stats",
    ]
    with pytest.raises(ConfigurationError, match="search"):
        names(toolsets=("serch",))
    with pytest.raises(ConfigurationError, match="clear_index"):
        names(exclude_tools=("clear_indx",))


def test_the_list_of_tools_is_small_described_and_annotated(make: Make) -> None:
    listed = tools_of(make())
    text = json.dumps([tool.model_dump(exclude_none=True, by_alias=True) for tool in listed], separators=(",", ":"))
    assert len(text) / 4 < MAX_LIST_TOKENS
    for tool in listed:
        assert tool.description
        assert tool.annotations.open_world_hint is False
        for name, parameter in tool.input_schema["properties"].items():
            assert parameter["description"], (tool.name, name)
    destructive = {tool.name for tool in listed if tool.annotations.destructive_hint}
    assert destructive == {"clear_index"}


def test_parameters_that_few_calls_need_are_accepted_and_checked_but_not_listed(make: Make, shop: Path) -> None:
    server = make()
    schema = {tool.name: tool.input_schema for tool in tools_of(server)}["search_text"]
    assert "additionalProperties" not in schema, "a client that checks arguments lets the others pass"
    listed = schema["properties"]
    assert listed["index_name"]["type"] == "string", "what may be left out needs no null"
    assert set(listed) >= {"query", "regex", "path_glob", "limit", "cursor"}
    assert set(listed).isdisjoint({"word", "exclude", "index_names", "scope", "count_only", "timeout_ms"})
    plain = call(server, "search_text", {"query": "cart"}).payload
    assert plain["matches"]
    whole = call(server, "search_text", {"query": "car", "word": True, "timeout_ms": 9_000}).payload
    assert whole["matches"] == []
    outside = call(server, "search_text", {"query": "cart", "exclude": ["**"], "index_names": ["shop"]}).payload
    assert outside["total"] == 0
    refused = call(server, "search_text", {"query": "cart", "word": "perhaps"}).payload
    assert refused["error_type"] == "validation_error"
    assert "word" in refused["message"]


# What CocoSearch's document lists.
ITS: dict[str, set[str]] = {
    "search_code": {
        *("query", "index_name", "limit", "language", "use_hybrid_search", "symbol_type", "symbol_name"),
        *("context_before", "context_after", "smart_context"),
    },
    "analyze_query": {
        *("query", "index_name", "limit", "language", "use_hybrid_search", "symbol_type", "symbol_name"),
    },
    "list_indexes": set(),
    "index_stats": {"index_name", "include_failures"},
    "clear_index": {"index_name"},
    "index_codebase": {"path", "index_name"},
}


def test_nothing_of_cocosearch_is_unlisted() -> None:
    tools = {spec.name: spec for spec in all_tools()}
    for name in ("search_code", "analyze_query", "list_indexes", "index_stats", "clear_index", "index_codebase"):
        assert tools[name].listed
        unlisted = {one.name for one in tools[name].parameters if not one.listed}
        assert not unlisted & ITS[name], name


def test_tools_beside_the_default_ones_are_listed_where_they_are_named_and_can_always_be_called(
    make: Make, shop: Path
) -> None:
    server = make()
    assert "cancel_indexing" not in {tool.name for tool in tools_of(server)}
    assert call(server, "cancel_indexing").payload["message"] == "no job given"
    for options in ({"toolsets": ("all",)}, {"toolsets": ("index",)}, {"tools": ("cancel_indexing",)}):
        assert "cancel_indexing" in {tool.name for tool in tools_of(make(**options))}, options


def test_no_engine_is_opened_before_a_call_needs_it() -> None:
    def refuse(_: Path) -> object:
        raise AssertionError("opened")

    server, _ = create_server(refuse, ServerOptions())  # type: ignore[arg-type]
    assert [tool.name for tool in tools_of(server)] == [spec.name for spec in all_tools() if spec.listed]


def test_a_repeated_query_sees_what_was_indexed_since(make: Make, shop: Path) -> None:
    server = make()
    asked = {"query": "apply_discount", "index_name": "shop", "limit": 1}
    assert call(server, "search_code", asked).hits[0]["symbol_name"] == "apply_discount"
    (shop / "shop" / "discounts.py").unlink()
    call(server, "clear_index", {"index_name": "shop"})
    call(server, "index_codebase", {"path": ".", "index_name": "shop"})
    assert "apply_discount" not in str(call(server, "search_code", asked).hits)
