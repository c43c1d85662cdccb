"""Progress within a call, for clients that asked for it, in both eras and over every transport."""

import asyncio
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from tests.mcp.calls import ERAS, Answer
from tests.mcp.test_http import TOKEN

FILES = 300


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder that takes a moment to index."""
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES):
        lines = "".join(f"def f{number}_{line}(x):\n    return x + {line}\n\n" for line in range(40))
        (folder / f"m{number}.py").write_text(lines)
    return folder


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("how", ["memory", "stdio", "http"])
def test_a_call_that_takes_long_tells_how_far_it_is(
    make: Callable[..., FastMCP],
    start: Callable[..., Any],
    process_environment: dict[str, str],
    many: Path,
    how: str,
    era: str,
) -> None:
    server: Any = make(project=many, working_folder=many)
    more: dict[str, Any] = {}
    if how == "stdio":
        server = StdioTransport(sys.executable, ["-m", "cocosearch_py", "mcp"], cwd=str(many), env=process_environment)
    elif how == "http":
        process = start(str(many), "-t", "http", "-p", "0", cwd=many, COCOSEARCH_AUTH_TOKEN=TOKEN)
        found = re.search(rb"(http://127\.0\.0\.1:\d+/mcp)", process.stderr.readline())
        assert found is not None
        server, more = found[1].decode(), {"auth": TOKEN}
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def go() -> Answer:
        async with Client(server, mode=era, progress_handler=heard, **more) as client:
            return Answer(await client.call_tool("index_codebase", {"path": str(many)}))

    assert asyncio.run(go()).payload["state"] == "completed"
    assert told
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert all(total is None or done <= total for done, total, _ in told)
    assert all(message for _, _, message in told)
