"""Every JSON answer has the keys of the tool contract, at every level."""

import io
import json

import pytest

from cocosearch_py.cli.session import as_lines

SEARCH_KEYS = {
    *("file_path", "start_line", "end_line", "score", "content", "block_type", "hierarchy", "language_id"),
    *("symbol_type", "symbol_name", "symbol_signature", "match_type", "vector_score", "keyword_score"),
    *("context_before", "context_after"),
}
ANALYSIS_KEYS = {
    "query_analysis": {"original_query", "has_identifier", "normalized_keyword_query"},
    "search_mode": {"mode", "reason", "use_hybrid_flag", "has_content_text_column", "has_identifier_pattern"},
    "cache": {"checked", "hit", "hit_type", "cache_key_prefix"},
    "vector_search": {"result_count", "top_score", "bottom_score"},
    "keyword_search": {"executed", "normalized_query", "result_count", "top_ts_rank"},
    "fusion": {"executed", "k_constant", "vector_only_count", "keyword_only_count", "both_count", "total_fused"},
    "definition_boost": {"executed", "boost_multiplier", "boosted_count", "rank_changes"},
    "filtering": {
        *("language_filter", "symbol_type_filter", "symbol_name_filter", "min_score"),
        *("pre_filter_count", "post_filter_count"),
    },
    "timings": {
        *("query_analysis_ms", "cache_check_ms", "embedding_ms", "vector_search_ms", "keyword_search_ms"),
        *("rrf_fusion_ms", "definition_boost_ms", "total_ms"),
    },
}
STATS_KEYS = {
    *("name", "file_count", "chunk_count", "storage_size", "storage_size_pretty", "created_at", "updated_at"),
    *("is_stale", "staleness_days", "languages", "symbols", "parse_stats", "warnings"),
}


def test_search_prints_the_array_of_search_code(cli, shop):
    items = cli("search", "--json", "reduce a price by a percentage", "-n", "shop").json
    assert items[0]["file_path"] == str(shop / "shop/discounts.py")
    assert all(set(item) == SEARCH_KEYS for item in items)
    found = items[0]
    assert found["symbol_name"] == "apply_discount"
    assert found["symbol_type"] == "function"
    assert found["language_id"] == "python"
    assert "def apply_discount(price: Money, percent: int) -> Money:" in found["content"]
    assert found["content"].count("\n") == found["end_line"] - found["start_line"] + 1
    assert found["match_type"] in {"both", "keyword", "semantic", "symbol"}
    assert 0 <= found["score"] <= 1


def test_a_pipe_gets_one_result_a_line(cli, shop):
    result = cli("search", "RetryWithBackoff", "-n", "shop", "-l", "3")
    first, *lines, last = result.out.splitlines()
    assert (first, last) == ("[", "]")
    assert [json.loads(line.removesuffix(",")) for line in lines] == result.json
    assert result.json[0]["symbol_name"] == "RetryWithBackoff"
    assert result.err == ""


def test_a_pipe_gets_one_key_and_one_item_of_a_list_a_line(cli, shop):
    result = cli("stats", "shop")
    lines = [line.strip().removesuffix(",") for line in result.out.splitlines()]
    assert f'"file_count": {result.json["file_count"]}' in lines
    assert all(json.dumps(item) in lines for item in result.json["languages"])


@pytest.mark.parametrize(
    "payload", ["text", 1, None, [], {}, [1, [2]], {"a": []}, {"a": [{"b": [1, 2]}, "\n"], "c": {"d": 1}, "e": [[]]}]
)
def test_the_lines_are_one_document(payload):
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    assert json.loads(as_lines(payload, stream)) == payload


def test_a_setting_chooses_the_form_of_the_output_and_flags_override_it(cli, shop, tmp_path):
    text, as_json = ({"COCOSEARCH_CLI_OUTPUT": form} for form in ("text", "json"))
    asked = ("search", "RetryWithBackoff", "-n", "shop", "-l", "1")
    assert "retry.go:" in cli(*asked, env=text).out.splitlines()[3]
    assert cli(*asked, "--json", env=text).json[0]["symbol_name"] == "RetryWithBackoff"
    assert "retry.go:" in cli(*asked, "--pretty", env=as_json).out.splitlines()[3]
    assert cli("search", "x", "-n", "nowhere", env=text, code=3).err.startswith("error: ")
    assert cli("config", "show", "--json", env=text).json["cli.output"] == {
        "value": "text",
        "origin": "environment COCOSEARCH_CLI_OUTPUT",
    }
    (tmp_path / "cocosearch-py.yaml").write_text("cli:\n  output: text\n")
    refused = cli("config", "show", cwd=tmp_path).json["cli.output"]
    assert refused["value"] == "auto"
    assert refused["ignored"][0]["why"] == "it decides what your own commands print"


def test_explain_adds_reasons(cli, shop):
    items = cli("search", "validateToken", "-n", "shop", "--explain").json
    assert set(items[0]) == SEARCH_KEYS | {"why", "parts", "ranks", "matched_lines"}
    lines = items[0]["content"].split("\n")
    held = [number for number, line in enumerate(lines, start=items[0]["start_line"]) if "validate" in line.lower()]
    assert held
    assert set(held) <= set(items[0]["matched_lines"])
    assert items[0]["why"]
    assert items[0]["parts"]["fused"] > 0


def test_analyze_prints_the_object_of_analyze_query(cli, shop):
    analysis = cli("analyze", "--json", "validateToken", "-n", "shop", "--lang", "js").json
    assert set(ANALYSIS_KEYS) | {"results"} <= set(analysis)
    for part, keys in ANALYSIS_KEYS.items():
        assert keys <= set(analysis[part]), part
    assert analysis["query_analysis"]["has_identifier"] is True
    assert analysis["query_analysis"]["normalized_keyword_query"] == "validateToken validate Token"
    assert analysis["fusion"]["k_constant"] == 60
    assert analysis["filtering"]["language_filter"] == "javascript"
    assert analysis["search_mode"]["use_hybrid_flag"] is None
    assert set(analysis["results"][0]) >= SEARCH_KEYS


def test_list_prints_the_array_of_list_indexes(cli, shop):
    items = cli("list", "--json").json
    entry = next(item for item in items if item["name"] == "shop")
    assert entry["table_name"] == "cocosearch_shop"
    assert entry["root_path"] == str(shop)


def test_stats_prints_the_object_of_index_stats(cli, shop):
    stats = cli("stats", "shop", "--json").json
    assert set(stats) >= STATS_KEYS
    assert "parse_failures" not in stats
    assert "skipped_files" not in stats
    assert {item["language"] for item in stats["languages"]} >= {"python", "javascript", "go", "markdown"}
    assert all(set(item) == {"language", "file_count", "chunk_count", "line_count"} for item in stats["languages"])
    parsed = stats["parse_stats"]
    assert set(parsed) >= {"parse_health_pct", "total_files", "total_ok", "by_language"}
    assert set(parsed["by_language"]["python"]) >= {"files", "ok", "partial", "error", "no_grammar"}
    assert stats["symbols"]["class"] >= 3
    assert stats["is_stale"] is False
    assert stats["storage_size"] > 0


def test_stats_lists_failures_and_left_out_files_when_asked(cli, shop):
    stats = cli("stats", "shop", "--show-failures", "--show-skipped").json
    failure = next(item for item in stats["parse_failures"] if item["file_path"] == "broken.py")
    assert set(failure) == {"file_path", "language", "parse_status", "error_message"}
    assert failure["parse_status"] in {"partial", "error"}
    left_out = {item["file_path"]: item for item in stats["skipped_files"]}
    assert left_out["empty.py"]["reason"] == "empty"
    assert any(path.startswith("build") for path in left_out)


def test_stats_of_all_is_an_array(cli, shop):
    items = cli("stats", "--all").json
    assert "shop" in [item["name"] for item in items]
    assert all(set(item) >= STATS_KEYS for item in items)


def test_index_and_clear_print_their_objects(cli, sample_repo, database_url):
    at = ("--database-url", database_url)
    done = cli("index", sample_repo, "-n", "one", *at).json
    assert done["success"] is True
    assert done["index_name"] == "one"
    assert done["path"] == str(sample_repo)
    assert {"files_added", "files_removed", "files_updated"} <= set(done["stats"])
    assert done["stats"]["files_added"] == 6
    (sample_repo / "docs/guide.md").unlink()
    (sample_repo / "shop/cart.py").write_text("class Cart: ...\n")
    again = cli("index", sample_repo, "-n", "one", *at).json["stats"]
    assert (again["files_added"], again["files_updated"], again["files_removed"]) == (0, 1, 1)
    cleared = cli("clear", "one", "--force", *at).json
    assert cleared.pop("restorable_until")
    assert cleared == {"success": True, "message": "Index 'one' cleared successfully"}
    assert cli("list", *at).json == []
