"""Short ways to call a server, and what it answered."""

import asyncio
import json
from typing import Any

from fastmcp import Client

ERAS = ("legacy", "auto")  # sessions of 2025-11-25, and stateless 2026-07-28


class Answer:
    """One tool call: its text parsed, and whether it was an error."""

    def __init__(self, result: Any) -> None:
        assert len(result.content) == 1
        self.text: str = result.content[0].text
        self.payload: Any = json.loads(self.text)
        self.is_error: bool = result.is_error
        self.structured = result.structured_content

    @property
    def hits(self) -> list[dict[str, Any]]:
        return [item for item in self.payload if "file_path" in item]

    def notes(self, kind: str) -> list[dict[str, Any]]:
        return [item for item in self.payload if item.get("type") == kind]


def call(server: Any, name: str, arguments: dict[str, Any] | None = None, **client: Any) -> Answer:
    """Call one tool with a client of its own."""

    async def go() -> Answer:
        async with Client(server, **{"mode": "legacy", **client}) as opened:
            return Answer(await opened.call_tool(name, arguments or {}, raise_on_error=False))

    return asyncio.run(go())


def tools_of(server: Any, **client: Any) -> list[Any]:
    """What tools/list gives."""

    async def go() -> list[Any]:
        async with Client(server, **{"mode": "legacy", **client}) as opened:
            return await opened.list_tools()

    return asyncio.run(go())
