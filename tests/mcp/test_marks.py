"""Answers with texts of the repository say that these are data: comments can carry instructions."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastmcp import Client, FastMCP

from cocosearch_py.operations.common.answers import QUOTED

MARKED = [
    ("search_code", {"query": "price of a cart"}),
    ("search_code", {"query": "price of a cart", "compact": True}),
    ("search_text", {"query": "price"}),
    ("read_code", {"path": "shop/cart.py"}),
    ("find_symbol", {"name": "Cart"}),
    ("find_symbol", {"name": "Cart", "compact": True}),
    ("explain_symbol", {"name": "Cart"}),
    ("outline_file", {"path": "shop/cart.py"}),
    ("find_references", {"symbol": "Money"}),
    ("summarize", {"path": "shop/cart.py"}),
    ("summarize", {"path": "**/*.py"}),
    ("summarize", {"path": "Money"}),
    ("trace_type", {"type_name": "Money"}),
    ("get_repo_map", {}),
    ("ask_codebase", {"question": "where is Money defined?"}),
    ("build_context", {"task": "price of a cart"}),
    ("run_pipeline", {"pipeline": "symbols Cart"}),
]
UNMARKED = [
    ("search_code", {"query": "price of a cart", "include_content": False}),
    ("search_text", {"query": "price", "paths_only": True}),
    ("find_symbol", {"name": "zqxjv"}),
    ("list_files", {}),
    ("run_pipeline", {"pipeline": "find **/*.py"}),
]


def test_texts_of_the_repository_are_marked_once(make: Callable[..., FastMCP], shop: Path) -> None:
    async def go() -> list[Any]:
        async with Client(make()) as client:
            return [(await client.call_tool(*call)).content[0].text for call in (*MARKED, *UNMARKED)]

    counts = [text.count(json.dumps(QUOTED)) for text in asyncio.run(go())]
    assert counts == [1] * len(MARKED) + [0] * len(UNMARKED)
