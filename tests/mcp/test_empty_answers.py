"""Answers without anything in them say why, and what to try."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP

from cocosearch_py.app import App

NO_PATH = "no indexed file has the path 'no/such/**'"
# Tool, arguments, the list that is empty, what is said of it.
CALLS = [
    ("search_code", {"query": "zebra", "path_glob": "no/such/**"}, "", NO_PATH),
    ("search_code", {"query": "price of a cart", "offset": 50}, "", "offset 50 is beyond the last of 6 results"),
    ("search_text", {"query": "zebra_quantum"}, "matches", "no indexed line contains it: ask search_code for"),
    ("search_text", {"query": "zebra", "path_glob": "no/such/**"}, "matches", NO_PATH),
    ("search_text", {"query": "class Cart", "language": "markdown"}, "matches", "no line that passes the filters"),
    ("search_text", {"query": "price", "language": "haskell", "paths_only": True}, "paths", "language 'haskell'"),
    ("search_text", {"query": "def .*zebra("}, "matches", "regex=true"),
    (
        "search_text",
        {"query": "ZEBRA", "word": True},
        "matches",
        "case_sensitive=false if case does not matter, leave",
    ),
    ("search_text", {"query": "zebra+", "regex": True, "compact": True}, "rows", "no indexed line matches it"),
    ("search_text", {"query": "price", "language": "go", "path_glob": "**/*.py"}, "matches", "drop one"),
    ("find_symbol", {"name": "zqxjv"}, "definitions", "nothing in the index is called 'zqxjv' or similar"),
    ("find_symbol", {"name": "zqxjv", "path_glob": "no/such/**"}, "definitions", NO_PATH),
    ("find_symbol", {"name": "Cart", "path_glob": "no/such/**"}, "definitions", "the filters exclude it"),
    ("find_symbol", {"name": "zqxjv", "field": "doc"}, "definitions", "no comment of a definition contains 'zqxjv'"),
    ("explain_symbol", {"name": "zqxjv"}, "symbols", "nothing in the index is called 'zqxjv'"),
    ("list_files", {"path_glob": "no/such/**"}, "files", NO_PATH),
    ("list_files", {"path_glob": "no/such/**", "view": "tree"}, "tree", NO_PATH),
    ("list_files", {"path_glob": "no/such/**", "view": "children"}, "entries", NO_PATH),
    ("list_files", {"path_glob": "no/such/**", "view": "paths"}, "paths", NO_PATH),
    ("list_files", {"query": "zqxjv"}, "results", "no path matches the query"),
    ("list_files", {"status": "failed"}, "files", "the index could read every file"),
    ("list_files", {"status": "skipped", "language": "go"}, "files", "no file passes all filters"),
    ("list_files", {"min_lines": 100_000}, "files", "no file passes all filters"),
    ("list_files", {"path": "nosuch"}, "files", "nosuch is not in the index: list_files without a path"),
    ("outline_file", {"path": "shop/cart.py", "kind": "enum"}, "symbols", "the file has 3 method, 1 class"),
    ("outline_file", {"path": "docs/guide.md"}, "symbols", "no definition was found in the file"),
    ("find_references", {"symbol": "zqxjv"}, "references", "no definition and no use of 'zqxjv'"),
    ("find_tests", {"symbol": "zqxjv"}, "tests", "nothing in the index defines 'zqxjv'"),
    ("find_tests", {"path": "shop/prices.py"}, "tests", "no test was found"),
    ("trace_type", {"type_name": "zqxjv"}, "producers", "no signature names 'zqxjv'"),
    ("get_dependencies", {"file": "shop/prices.py"}, "dependencies", "none of its imports resolves to"),
    ("get_dependencies", {"file": "docs/guide.md"}, "dependencies", "no imports were found in it"),
    ("get_dependencies", {"file": "shop/cart.py", "dep_type": "inherit"}, "dependencies", "dep_type=import shows"),
    ("get_impact", {"file": "shop/cart.py", "include_tests": False}, "affected_files", "other than tests imports it"),
    ("get_dependency_graph", {"path": "nosuch", "format": "json"}, "nodes", "were found there"),
    ("get_call_graph", {"symbol": "zqxjv"}, "nodes", "nothing in the index defines 'zqxjv'"),
    ("get_call_graph", {"symbol": "add_item", "direction": "callers"}, "edges", "nothing was found that calls it"),
    ("get_repo_map", {"path": "nosuch"}, "map", "no definitions were found there"),
    ("get_hotspots", {"min_complexity": 99}, "hotspots", "no functions found there"),
    ("get_diff_summary", {"since_ref": "HEAD", "index_name": "other"}, "changes", "no file differs between HEAD and"),
    ("audit_code", {}, "findings", "found nothing; not checked: dead-code"),
    ("ask_codebase", {"question": "where is zqxjv defined?", "path_glob": "no/such/**"}, "evidence", NO_PATH),
    ("build_context", {"task": "zqxjv", "path_glob": "no/such/**"}, "snippets", NO_PATH),
    ("run_pipeline", {"pipeline": "text zqxjv | outline"}, "items", "step 1 found nothing (text zqxjv): search_text"),
    ("run_pipeline", {"pipeline": "text price | filter zqxjv | limit 2"}, "items", "step 2 found nothing (filter zqx"),
    ("list_changes", {"source": "agent"}, "changes", "no changes yet"),
    ("index_status", {}, "jobs", "no index run found"),
]


@pytest.fixture
def two(make: Callable[..., FastMCP], app: App, shop: Path, tmp_path: Path) -> FastMCP:
    """A server with two indexes: the sample, and a repository whose only commit is what is on disk."""
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "a.py").write_text("a = 1\n")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    app.index(folder, name="other")
    return make()


def test_every_empty_answer_says_why(two: FastMCP) -> None:
    async def go() -> list[Any]:
        async with Client(two) as client:
            return [(await client.call_tool_mcp(name, arguments)) for name, arguments, *_ in CALLS]

    unsaid = []
    for (name, arguments, key, reason), result in zip(CALLS, asyncio.run(go()), strict=True):
        answer = json.loads(result.content[0].text)
        assert not result.is_error, (name, arguments, answer)
        if isinstance(answer, list):
            assert not any("file_path" in item for item in answer), (name, arguments)
            told = [item.get("message", "") for item in answer]
        else:
            assert not answer[key], (name, arguments, answer)
            told = [*answer.get("warnings", ()), *answer.get("hints", ()), answer.get("hint", "")]
        if sum(reason in text for text in told) != 1:
            unsaid.append((name, arguments, reason, answer))
    assert not unsaid


def test_an_answer_with_something_in_it_says_nothing_of_the_kind(two: FastMCP) -> None:
    calls = (
        ("search_text", {"query": "price"}),
        ("find_symbol", {"name": "Cart"}),
        ("list_files", {}),
        ("outline_file", {"path": "shop/cart.py"}),
        ("get_dependencies", {"file": "shop/cart.py"}),
        ("run_pipeline", {"pipeline": "text price | count"}),
    )

    async def go() -> list[Any]:
        async with Client(two) as client:
            return [json.loads((await client.call_tool_mcp(*call)).content[0].text) for call in calls]

    for answer in asyncio.run(go()):
        assert not {"warnings", "hint", "hints"} & set(answer), answer
