"""Every field of the reference is there, with its type, and nothing is renamed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastmcp import FastMCP
from tests.mcp.calls import ERAS, call, tools_of

from cocosearch_py.app import App

Make = Callable[..., FastMCP]

TEXT, NUMBER, OBJECT, ARRAY = str, (int, float), dict, list
# The reference's example of one result.
RESULT: dict[str, Any] = {
    "file_path": TEXT,
    "start_line": int,
    "end_line": int,
    "score": NUMBER,
    "content": TEXT,
    "block_type": TEXT,
    "hierarchy": TEXT,
    "language_id": TEXT,
    "symbol_type": TEXT,
    "symbol_name": TEXT,
    "symbol_signature": TEXT,
    "match_type": TEXT,
    "vector_score": NUMBER,
    "keyword_score": NUMBER,
    "context_before": TEXT,
    "context_after": TEXT,
}
ANALYSIS: dict[str, dict[str, Any]] = {
    "query_analysis": {"original_query": TEXT, "has_identifier": bool, "normalized_keyword_query": TEXT},
    "search_mode": {
        "mode": TEXT,
        "reason": TEXT,
        "use_hybrid_flag": type(None),
        "has_content_text_column": bool,
        "has_identifier_pattern": bool,
    },
    "cache": {"checked": bool, "hit": bool, "hit_type": TEXT, "cache_key_prefix": TEXT},
    "vector_search": {"result_count": int, "top_score": NUMBER, "bottom_score": NUMBER},
    "keyword_search": {"executed": bool, "normalized_query": TEXT, "result_count": int, "top_ts_rank": NUMBER},
    "fusion": {
        "executed": bool,
        "k_constant": int,
        "vector_only_count": int,
        "keyword_only_count": int,
        "both_count": int,
        "total_fused": int,
    },
    "definition_boost": {"executed": bool, "boost_multiplier": NUMBER, "boosted_count": int, "rank_changes": int},
    "filtering": {
        "language_filter": type(None),
        "symbol_type_filter": type(None),
        "symbol_name_filter": type(None),
        "min_score": NUMBER,
        "pre_filter_count": int,
        "post_filter_count": int,
    },
    "timings": {
        name: NUMBER
        for name in (
            *("query_analysis_ms", "cache_check_ms", "embedding_ms", "vector_search_ms", "keyword_search_ms"),
            *("rrf_fusion_ms", "definition_boost_ms", "total_ms"),
        )
    },
}
STATS: dict[str, Any] = {
    "name": TEXT,
    "file_count": int,
    "chunk_count": int,
    "storage_size": int,
    "storage_size_pretty": TEXT,
    "created_at": TEXT,
    "updated_at": TEXT,
    "is_stale": bool,
    "staleness_days": int,
    "languages": ARRAY,
    "symbols": OBJECT,
    "parse_stats": OBJECT,
    "warnings": ARRAY,
}
# Parameter -> (JSON types, default); required ones have no default.
PARAMETERS: dict[str, dict[str, tuple[set[str], Any]]] = {
    "search_code": {
        "query": ({"string"}, ...),
        "index_name": ({"string", "null"}, None),
        "limit": ({"integer"}, 10),
        "language": ({"string", "null"}, None),
        "use_hybrid_search": ({"boolean", "null"}, None),
        "symbol_type": ({"string", "array", "null"}, None),
        "symbol_name": ({"string", "null"}, None),
        "context_before": ({"integer", "null"}, None),
        "context_after": ({"integer", "null"}, None),
        "smart_context": ({"boolean"}, True),
    },
    "analyze_query": {
        "query": ({"string"}, ...),
        "index_name": ({"string", "null"}, None),
        "limit": ({"integer"}, 10),
        "language": ({"string", "null"}, None),
        "use_hybrid_search": ({"boolean", "null"}, None),
        "symbol_type": ({"string", "array", "null"}, None),
        "symbol_name": ({"string", "null"}, None),
    },
    "list_indexes": {},
    "index_stats": {"index_name": ({"string", "null"}, None), "include_failures": ({"boolean"}, False)},
    "index_codebase": {"path": ({"string"}, ...), "index_name": ({"string", "null"}, None)},
}


def check(shape: dict[str, Any], value: dict[str, Any]) -> None:
    for name, kind in shape.items():
        assert name in value, name
        assert isinstance(value[name], kind), (name, value[name])


def types_of(schema: dict[str, Any]) -> set[str]:
    return {schema["type"]} if "type" in schema else {item["type"] for item in schema["anyOf"]}


def test_parameters_and_defaults_are_the_references(make: Make) -> None:
    listed = {tool.name: tool for tool in tools_of(make())}
    assert {*PARAMETERS, "clear_index"} <= set(listed)
    for name, parameters in PARAMETERS.items():
        schema = listed[name].input_schema
        for parameter, (types, default) in parameters.items():
            found = schema["properties"][parameter]
            assert types_of(found) == types, (name, parameter)
            if default is ...:
                assert parameter in schema["required"]
            else:
                assert found["default"] == default, (name, parameter)


@pytest.mark.parametrize("era", ERAS)
def test_search_answers_an_array_of_results(make: Make, shop: Path, era: str) -> None:
    asked = {
        "query": "apply_discount to a price",
        "index_name": "shop",
        "limit": 5,
        "language": "python",
        "use_hybrid_search": True,
        "symbol_type": "function",
        "context_before": 3,
        "context_after": 3,
        "smart_context": False,
    }
    answer = call(make(), "search_code", asked, mode=era)
    assert not answer.is_error
    assert isinstance(answer.payload, list)
    *results, sureness = answer.payload
    assert results == answer.hits, "an index that was named needs no header"
    assert (sureness["type"], sureness["level"]) == ("confidence", "high")
    best = answer.hits[0]
    check(RESULT, best)
    assert best["file_path"] == str(shop / "shop" / "discounts.py")
    assert best["symbol_name"] == "apply_discount"
    assert best["match_type"] == "both"
    assert 0 <= best["score"] <= 1
    assert best["start_line"] <= 6 <= best["end_line"]


def test_analysis_has_every_stage_and_the_same_results(make: Make, shop: Path) -> None:
    server = make()
    analysis = call(server, "analyze_query", {"query": "apply_discount", "index_name": "shop"}).payload
    for stage, shape in ANALYSIS.items():
        check(shape, analysis[stage])
    assert analysis["query_analysis"]["has_identifier"] is True
    assert analysis["query_analysis"]["normalized_keyword_query"] == "apply_discount apply discount"
    assert analysis["fusion"]["k_constant"] == 60
    assert analysis["cache"]["checked"] is False
    assert len(analysis["cache"]["cache_key_prefix"]) == 16
    found = call(server, "search_code", {"query": "apply_discount", "index_name": "shop"}).hits
    explanations = {"why", "parts", "ranks"}
    assert found == [{name: hit[name] for name in hit if name not in explanations} for hit in analysis["results"]]
    best = analysis["results"][0]
    assert sum(best["parts"].values()) == pytest.approx(best["score"], abs=0.001), "the parts make up the score"
    assert set(best["ranks"]) == {"keyword", "vector", "fused"}
    assert analysis["confidence"]["level"] == "high"


def test_analysis_explains_a_missing_file(make: Make, shop: Path) -> None:
    asked = {"query": "apply_discount", "index_name": "shop", "language": "python"}
    explained = call(make(), "analyze_query", {**asked, "explain_path": "server/retry.go"}).payload["explain_path"]
    assert explained["verdict"] == "filtered"


def test_list_indexes(make: Make, shop: Path) -> None:
    answer = call(make(), "list_indexes")
    assert [(item["name"], item["table_name"]) for item in answer.payload] == [("shop", "cocosearch_shop")]


def test_stats_of_one_and_of_all(make: Make, shop: Path) -> None:
    server = make()
    one = call(server, "index_stats", {"index_name": "shop"}).payload
    check(STATS, one)
    check({"language": TEXT, "file_count": int, "chunk_count": int, "line_count": int}, one["languages"][0])
    check({"parse_health_pct": NUMBER, "total_files": int, "total_ok": int, "by_language": OBJECT}, one["parse_stats"])
    check(
        {name: int for name in ("files", "ok", "partial", "error", "no_grammar")},
        one["parse_stats"]["by_language"]["python"],
    )
    assert datetime.strptime(one["created_at"], "%Y-%m-%dT%H:%M:%SZ")
    assert "parse_failures" not in one
    everything = call(server, "index_stats").payload
    assert [item["name"] for item in everything] == ["shop"]
    assert {**everything[0]} == one


def test_stats_list_failures_when_asked(make: Make, app: App, sample_repo: Path) -> None:
    (sample_repo / "broken.py").write_text("def broken(:\n    pass\n" * 3)
    app.index(sample_repo, name="shop")
    failures = call(make(), "index_stats", {"index_name": "shop", "include_failures": True}).payload["parse_failures"]
    assert [failure["file_path"] for failure in failures] == ["broken.py"]
    check({"language": TEXT, "parse_status": TEXT}, failures[0])
    assert "error_message" in failures[0]


def test_clear_acts_at_once_on_one_index(make: Make, shop: Path) -> None:
    server = make()
    answer = call(server, "clear_index", {"index_name": "shop"})
    assert (answer.payload["success"], answer.payload["message"]) == (True, "Index 'shop' cleared successfully")
    again = call(server, "clear_index", {"index_name": "shop"})
    assert again.is_error
    assert (again.payload["success"], again.payload["error"]) == (False, "Index 'shop' not found")


def test_index_codebase(make: Make, sample_repo: Path) -> None:
    server = make()
    answer = call(server, "index_codebase", {"path": str(sample_repo), "index_name": "shop"}).payload
    assert (answer["success"], answer["index_name"], answer["path"]) == (True, "shop", str(sample_repo))
    assert answer["stats"]["files_added"] == 6
    assert (answer["stats"]["files_removed"], answer["stats"]["files_updated"]) == (0, 0)
    (sample_repo / "new.py").write_text("def newest():\n    return 1\n")
    (sample_repo / "server" / "retry.go").unlink()
    again = call(server, "index_codebase", {"path": str(sample_repo), "index_name": "shop"}).payload
    assert (again["stats"]["files_added"], again["stats"]["files_removed"]) == (1, 1)


def test_index_codebase_derives_the_name(make: Make, sample_repo: Path) -> None:
    assert call(make(), "index_codebase", {"path": "."}).payload["index_name"] == "shop"


def test_index_codebase_of_nothing(make: Make, sample_repo: Path) -> None:
    answer = call(make(), "index_codebase", {"path": str(sample_repo / "nowhere")})
    assert answer.is_error
    assert answer.payload["success"] is False
    assert answer.payload["error"] == f"Failed to index codebase: Path does not exist: {sample_repo / 'nowhere'}"


def test_header_only_when_the_index_was_detected(make: Make, shop: Path) -> None:
    answer = call(make(), "search_code", {"query": "retry with backoff"})
    header = answer.payload[0]
    assert header["type"] == "search_context"
    assert (header["index_name"], header["root_path"]) == ("shop", str(shop))
    assert header["last_indexed_at"].endswith("Z")


def test_staleness_is_told_at_the_end(make: Make, shop: Path, database_url: str) -> None:
    with psycopg.connect(database_url) as conn:
        old = datetime.now(UTC) - timedelta(days=9, hours=1)
        conn.execute("UPDATE cocosearch_py.indexes SET updated_at = %s", [old])
    footer = call(make(), "search_code", {"query": "retry with backoff"}).payload[-1]
    assert footer["type"] == "staleness_warning"
    assert "9 days" in footer["message"]


def test_another_branch_is_told_at_the_end(make: Make, app: App, sample_repo: Path) -> None:
    git(sample_repo, "init", "-q", "-b", "main")
    git(sample_repo, "add", ".")
    git(sample_repo, "commit", "-qm", "one")
    app.index(sample_repo, name="shop")
    server = make()
    assert not call(server, "search_code", {"query": "retry with backoff"}).notes("branch_staleness_warning")
    git(sample_repo, "checkout", "-qb", "feature")
    footer = call(make(), "search_code", {"query": "retry with backoff"}).payload[-1]
    assert footer["type"] == "branch_staleness_warning"
    assert footer["indexed_branch"] == "main"
    assert "feature" in footer["message"]


def git(folder: Path, *arguments: str) -> None:
    import subprocess

    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)
