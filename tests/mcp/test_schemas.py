"""Structured content: what each tool answers fits the schema it was listed with, and the schema names all of it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest
from fastmcp import Client, FastMCP
from tests.mcp.calls import ERAS, call
from tests.mcp.test_contract import git

from cocosearch_py.mcp.server import all_tools
from cocosearch_py.tools.registry import all_operations
from cocosearch_py.tools.schema import answer_schema

Make = Callable[..., FastMCP]
Call = tuple[str, dict[str, Any]]
QUERY = {"query": "money price cart session retry"}
WEIGHTS = {"ext": {"md": 0}, "path": [{"pattern": "shop/**", "weight": 2}], "language": {"go": 0.5}}
FILTERS = {"language": "python,go", "symbol_type": ["class", "function"], "path_glob": "**/*.*", "exclude": ["x/**"]}
SUMS_HASH = blake2b(b"a = 1\n", digest_size=16).hexdigest()
FAILURE = {"symptom": "items vanish", "attempted_fix": "a lock", "diagnosis": "two carts"}
CALLS: Sequence[Call] = (
    ("search_code", QUERY),
    ("search_code", {**QUERY, "index_names": ["shop", "other", "gone"], "limit": 200, "weights": WEIGHTS}),
    ("search_code", {**QUERY, "compact": True, "max_tokens": 300}),
    ("search_code", {**QUERY, "include_content": False, "use_hybrid_search": False}),
    ("search_code", {**QUERY, "index_name": "shop", "path_glob": "no/such/**"}),
    ("search_code", {"query": "zzz", "compact": True, "path_glob": "no/such/**"}),
    ("search_text", {"query": "retry"}),
    ("search_text", {"query": "^def ", "regex": True, "context": 1, "limit": 2, "index_names": ["shop", "other"]}),
    ("search_text", {"query": "retry", "paths_only": True, "limit": 1}),
    ("search_text", {"query": "retry", "count_only": True, "scope": False}),
    ("list_changes", {}),
    ("list_jobs", {"limit": 1}),
    ("get_job_log", {}),
    ("list_changes", {"since_seq": 0, "limit": 1}),
    ("create_file", {"path": "shop/sums.py", "content": "a = 1\n"}),
    ("patch_file", {"path": "shop/sums.py", "range_start": 1, "content": "a = (", "if_hash": SUMS_HASH}),
    ("estimate_tokens", {"path": "shop/cart.py"}),
    ("estimate_tokens", {"path": "shop/cart.py", "symbol": "add_item"}),
    ("estimate_tokens", {"directory": "shop"}),
    ("summarize", {}),
    ("summarize", {"path": "shop/cart.py", "include": ["context"]}),
    ("summarize", {"path": "shop/cart.py", "compact": True}),
    ("summarize", {"path": "**/*.py", "scope": "public", "max_tokens": 300}),
    ("summarize", {"paths": ["shop/cart.py", "no/such/file"]}),
    ("summarize", {"path": "Money"}),
    ("list_files", {}),
    ("list_files", {"view": "children", "limit": 2}),
    ("list_files", {"view": "tree", "depth": 1}),
    ("list_files", {"view": "paths", "path_glob": "**/*.py", "limit": 1}),
    ("list_files", {"query": "crt", "status": "all"}),
    ("list_files", {"status": "all", "sort": "size", "min_lines": 0, "language": "python"}),
    ("read_code", {"path": "shop/cart.py", "collapse": True}),
    ("read_code", {"path": "Cart.add_item", "expand": 1, "compact": True}),
    ("read_code", {"path": "shop/cart.py", "max_tokens": 200}),
    ("read_code", {"targets": ["shop/cart.py:1-3", "no/such/file"], "symbols": ["Money", "Mony"]}),
    ("find_symbol", {"name": "Cart"}),
    ("find_symbol", {"name": "add_item", "compact": True}),
    ("find_symbol", {"name": "c*", "limit": 1, "index_names": ["shop", "other"], "language": "python"}),
    ("find_symbol", {"name": "money", "field": "doc", "compact": True}),
    ("find_symbol", {"name": "Crat", "kind": "class"}),
    ("outline_file", {"path": "shop/cart.py", "include": ["docs"]}),
    ("outline_file", {"path": "shop/cart.py", "compact": True}),
    ("outline_file", {"path": "broken.py"}),
    ("explain_symbol", {"name": "Cart"}),
    ("explain_symbol", {"name": "Crat"}),
    ("get_dependencies", {"file": "shop/cart.py", "include_external": True}),
    ("get_dependencies", {"files": ["shop/cart.py", "no/such"], "depth": 3, "limit": 5_000}),
    ("get_impact", {"file": "shop/prices.py", "dep_type": "reference"}),
    ("get_impact", {"files": ["shop/cart.py", "shop/prices.py"], "include_tests": False}),
    ("get_dependency_graph", {}),
    ("get_dependency_graph", {"path": "shop", "format": "json", "level": "package", "depth": 1, "max_nodes": 1}),
    ("get_repo_map", {}),
    (
        "get_repo_map",
        {"focus": ["shop/cart.py", "Money", "Zzzz", "price of a cart"], "max_tokens": 256, "path": "shop"},
    ),
    ("find_references", {"symbol": "Cart"}),
    ("find_references", {"symbol": "Money", "limit": 1, "index_names": ["shop", "other"], "kinds": "all"}),
    ("find_references", {"symbol": "total_price", "direction": "callees", "compact": True}),
    ("find_references", {"symbol": "no_such_name", "depth": 2, "include_tests": False, "path_prefix": "shop"}),
    ("get_call_graph", {"symbol": "Money"}),
    ("get_call_graph", {"symbol": "no_such_name", "direction": "callers", "depth": 9, "format": "mermaid"}),
    ("get_call_graph", {"symbol": "total_price", "to": "Money", "max_nodes": 1}),
    ("trace_type", {"type_name": "Money", "include_fields": True}),
    ("trace_type", {"type_name": "Money", "path": "shop", "limit": 1, "compact": True}),
    ("find_tests", {"symbol": "Money", "limit": 500}),
    ("find_tests", {"path": "shop/cart.py"}),
    ("get_hotspots", {}),
    ("get_hotspots", {"path": "shop", "sort_by": "churn", "limit": 500, "compact": True, "min_complexity": 2}),
    ("get_health", {}),
    ("get_health", {"path": "shop/cart.py"}),
    ("get_diff_summary", {"since_ref": "HEAD", "index_name": "other", "include_impact": True}),
    ("get_diff_summary", {"since_ref": "HEAD~0", "to_ref": "HEAD", "index_name": "other", "path": "shop"}),
    ("audit_code", {}),
    ("audit_code", {"path": "shop", "include": ["dead-code"], "no_config": True, "limit": 1}),
    ("audit_code", {"since": "HEAD", "index_name": "other", "limit": 5_000}),
    ("analyze_query", QUERY),
    ("analyze_query", {**QUERY, **FILTERS, "weights": WEIGHTS, "use_hybrid_search": True, "explain_path": "cart.py"}),
    ("analyze_query", {"query": "RetryWithBackoff", "path_glob": "no/such/**", "explain_path": "no/such/file"}),
    ("analyze_query", {**QUERY, "use_hybrid_search": False, "limit": 1000, "explain_path": ".env"}),
    ("ask_codebase", {"question": "who calls total_price?"}),
    ("ask_codebase", {"question": "How is the price of a cart computed?", "context_lines": 99, "max_tokens": 300}),
    ("ask_codebase", {"question": "where is NoSuchError thrown?", "index_name": "shop", "limit": 0}),
    ("build_context", {"task": "price of a cart", "paths": ["shop/cart.py", "no/such"], "symbols": ["Money", "Mony"]}),
    ("build_context", {"diff": "HEAD", "index_name": "other", "max_tokens": 300}),
    ("build_context", {"stack_trace": 'File "shop/prices.py", line 14, in __add__\nTypeError', "path_prefix": "shop"}),
    ("wiki_generate", {}),
    ("wiki_update", {}),
    ("wiki_generate", {"force": True, "index_name": "other"}),
    ("wiki_update", {"since": "HEAD", "index_name": "other"}),
    (
        "wiki_contribute",
        {
            "page": "cart",
            "title": "The cart",
            "content": "# The cart\n\nIt holds items. See [[lost]] and [[cart#nowhere]].\n",
            "page_type": "entity",
            "source_files": ["shop/cart.py#Cart", "gone.py"],
            "contradictions": [{"description": "it holds none", "source": "README.md"}],
            "failures": [FAILURE],
        },
    ),
    ("wiki_read", {"page": "The c"}),
    ("wiki_read", {"page": "cart", "start_line": 3}),
    ("wiki_status", {}),
    ("wiki_search", {"query": "what holds items?", "include_failures": True}),
    ("wiki_search", {"query": "items", "page_type": "entity", "limit": 1}),
    ("wiki_record_failure", {**FAILURE, "source_files": ["shop/cart.py"]}),
    ("wiki_compound", {"synthesis": "The cart holds items until they are paid.", "apply": False}),
    ("wiki_compound", {"synthesis": "Zebras eat grass.", "title": "Zebras", "source_pages": ["cart"]}),
    ("run_pipeline", {"pipeline": "symbols Cart | callers | limit 2"}),
    ("run_pipeline", {"steps": ["text price", "count"], "max_tokens": 300}),
    ("list_indexes", {}),
    ("list_workspace_members", {}),
    ("export_index", {"index_name": "shop"}),
    ("index_stats", {}),
    ("index_stats", {"index_name": "shop", "include_failures": True, "include_skipped": True}),
    ("index_codebase", {"path": "."}),
    ("index_codebase", {"path": ".", "fresh": True, "wait_s": 0}),
    ("index_status", {}),
    ("index_status", {"index_name": "shop", "wait_s": 30}),
    ("index_status", {"index_name": "other"}),
    ("index_codebase", {"path": ".", "index_name": "other", "wait_s": 0}),  # it is another folder's
    ("index_status", {"index_name": "other", "wait_s": 30}),
    ("cancel_indexing", {"index_name": "shop"}),
    ("clear_index", {"index_name": "other", "dry_run": True}),
    ("clear_index", {"index_names": ["other", "gone"], "confirm": True}),
    ("clear_index", {"index_name": "shop"}),
    ("restore_index", {}),
    ("restore_index", {"index_name": "shop"}),
    ("clear_index", {"index_name": "shop", "purge": True}),
)


def every(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all within it."""
    if isinstance(schema, list):
        for item in schema:
            yield from every(item)
    elif isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from every(value)


def closed(schema: Any) -> Any:
    """The same schema, with no fields but the named ones."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    return {**found, "additionalProperties": False} if "required" in found else found


@pytest.fixture
def two(make: Make, shop: Path, tmp_path: Path, write_sample: Callable[[Path], Path], database_url: str) -> FastMCP:
    """A server over `shop`, which has odd files, and `other`, which is old."""
    (shop / "broken.py").write_text("def broken(:\n    class\n" * 5)
    (shop / ".env").write_text("SECRET=1\n")
    server = make(toolsets=("all", "edit"), structured_content=True, working_folder=tmp_path, roots=(tmp_path,))
    plain = make(roots=(tmp_path,))
    call(plain, "index_codebase", {"path": ".", "index_name": "shop"})
    other = write_sample(tmp_path / "other")
    git(other, "init", "-q")
    git(other, "commit", "-qm", "one", "--allow-empty")
    call(plain, "index_codebase", {"path": str(other)})
    git(other, "commit", "-qm", "two", "--allow-empty")
    with psycopg.connect(database_url) as conn:
        conn.execute(
            "UPDATE cocosearch_py.indexes SET updated_at = updated_at - interval '9 days' WHERE name = 'other'"
        )
    (shop / "web/session.js").unlink()
    return server


@pytest.mark.parametrize("era", ERAS)
def test_answers_fit_their_schemas(two: FastMCP, era: str) -> None:
    async def go() -> tuple[dict[str, Any], list[tuple[Call, Any]]]:
        async with Client(two, mode=era) as client:
            listed = {tool.name: tool.output_schema for tool in await client.list_tools()}
            return listed, [(made, await client.call_tool_mcp(*made)) for made in CALLS]

    listed, answers = asyncio.run(go())
    assert {name for name, _ in CALLS} == set(listed) == {spec.name for spec in all_tools()}
    checks = {
        name: [jsonschema.Draft202012Validator(one) for one in (schema, closed(schema))]
        for name, schema in listed.items()
    }
    for name, schema in listed.items():
        assert schema["type"] == "object"
        for check in checks[name]:
            check.check_schema(check.schema)
        for part in every(schema):  # what MCP's Inspector warns of: clients translate schemas to one type each
            assert part != {} and not isinstance(part.get("type"), list), schema
    for (name, arguments), result in answers:
        assert not result.is_error, (name, arguments, result.content)
        assert len(result.content[0].text) < 100, "never the same payload twice"
        for check in checks[name]:
            check.validate(result.structured_content)
    kinds = {item.get("type") for (name, _), result in answers if name == "search_code" for item in items(result)}
    assert kinds >= {
        None,
        "search_context",
        "warning",
        "staleness_warning",
        "branch_staleness_warning",
        "truncated",
        "stale_results",
    }
    assert any(result.structured_content.get("state") == "failed" for (name, _), result in answers)


def items(result: Any) -> list[dict[str, Any]]:
    content = result.structured_content
    return content["result"] if "result" in content else content["notes"]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("search_code", {}),
        ("search_code", {"result": [{"type": "nonsense"}]}),
        ("search_code", {"result": [{"file_path": "a.py"}]}),
        ("list_indexes", {"result": [{"name": "shop"}]}),
        ("index_stats", {"name": "shop"}),
        ("clear_index", {"message": "done"}),
        ("index_status", {"success": True, "jobs": [{"job_id": "x"}]}),
        ("cancel_indexing", {"ok": True}),
    ],
)
def test_schemas_say_something(name: str, wrong: dict[str, Any]) -> None:
    (tool,) = [tool for tool in all_operations() if tool.name == name]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, answer_schema(tool.answer))


def test_errors_have_no_structured_content(two: FastMCP) -> None:
    async def go() -> Any:
        async with Client(two, mode="legacy") as client:
            return await client.call_tool_mcp("search_code", {**QUERY, "index_name": "gone"})

    result = asyncio.run(go())
    assert (result.is_error, result.structured_content) == (True, None)
    assert '"error_type":"not_indexed"' in result.content[0].text
