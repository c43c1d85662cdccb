"""Random calls of all tools that read, over the real server: no answer has more tokens than it may have."""

import asyncio
import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks import random_calls
from fastmcp import Client, FastMCP

from cocosearch_py.app import App
from cocosearch_py.features.wiki.model import Contribution
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.mcp.server import all_tools
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.tokens import count_tokens

ROOT = Path(__file__).parents[2]
CALLS = int(os.environ.get("TOKEN_CALLS", "500"))
SEED = int(os.environ.get("TOKEN_SEED", "12"))


@pytest.fixture
def vocabulary(app: App, sample_repo: Path) -> Any:
    """Of the sample with some long files, of which some are not ASCII."""
    for path in ("src/cocosearch_py/search", "docs/adr"):
        for file in (ROOT / path).iterdir():
            if file.is_file():
                (sample_repo / file.name).write_bytes(file.read_bytes())
    wide = "".join(f"def größe_{number}():\n    return '商品数量 {number} 🎉'\n\n\n" for number in range(200))
    (sample_repo / "wide.py").write_text(wide, encoding="utf-8")
    app.index(sample_repo, name="shop")
    files = [file for file in sample_repo.rglob("*") if file.is_file() and file.suffix in (".py", ".md", ".go")]
    texts = [line.strip() for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    names = [line.split("(")[0].split()[-1] for line in texts if line.startswith(("def ", "class "))]
    place = find_place(sample_repo)
    Wikis(app.database).start(place)
    for name in ("short", "long"):
        content = "\n\n".join(texts[: 2_000 if name == "long" else 2])
        Wikis(app.database).write(place, Contribution(name, content, title=name, page_type="topic"))
    paths = [str(file.relative_to(sample_repo)) for file in files]
    return random_calls.Vocabulary(["shop"], texts, paths, names, ["short", "long"])


@pytest.mark.parametrize("structured", [False, True])
def test_no_answer_exceeds_its_bound(make: Callable[..., FastMCP], vocabulary: Any, structured: bool) -> None:
    server = make(toolsets=("all",), structured_content=structured)
    calls = list(itertools.islice(random_calls.random_calls(SEED + structured, vocabulary), CALLS // 2))

    async def sizes() -> list[tuple[int, bool]]:
        found = []
        async with Client(server, mode="legacy") as client:
            for name, arguments in calls:
                result = await client.call_tool(name, arguments, raise_on_error=False)
                text = result.content[0].text
                content = to_json(result.structured_content) if result.structured_content is not None else ""
                found.append((count_tokens(text) + count_tokens(content), result.is_error))
        return found

    measured = asyncio.run(sizes())
    over = [
        (size, name, json.dumps(arguments)[:300])
        for (name, arguments), (size, is_error) in zip(calls, measured, strict=True)
        if size > (2_000 if is_error else random_calls.bound_of(arguments))
    ]
    assert not over
    assert {name for name, _ in calls} == {one.name for one in all_tools() if one.toolset and not one.writes}
    answered = [size for size, is_error in measured if not is_error]
    assert len(answered) > len(calls) * 0.6, "most calls make sense"
    assert max(answered) > 3_000, "and some answers are long"


def test_an_answer_in_the_least_room_says_what_cut_it(make: Callable[..., FastMCP], shop: Path) -> None:
    calls = [
        ("search_code", {"query": "price of a cart"}),
        ("search_code", {"query": "price of a cart", "compact": True}),
        ("search_text", {"query": "price"}),
        ("read_code", {"path": "shop/cart.py"}),
        ("summarize", {"path": "**/*.py"}),
        ("ask_codebase", {"question": "how is the price computed"}),
        ("build_context", {"task": "price of a cart"}),
        ("run_pipeline", {"pipeline": "text price"}),
    ]

    async def answers(max_tokens: int) -> list[str]:
        async with Client(make()) as client:
            return [
                (await client.call_tool(name, {**given, "max_tokens": max_tokens})).content[0].text
                for name, given in calls
            ]

    for text in asyncio.run(answers(50)):
        assert "max_tokens is 200" in text or "fit into 200 tokens" in text or ": 200 was used" in text
        assert count_tokens(text) <= 200
    for text in asyncio.run(answers(200)):
        assert any(way in text for way in ("max_tokens", "next_cursor", "next_targets"))
