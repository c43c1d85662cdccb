"""Calls as a client of another program makes them: what comes back, before anything of ours looks at it."""

import asyncio
import json
from typing import Any, NamedTuple

from fastmcp import Client


class Reply(NamedTuple):
    """The text of one call, and what it says; a text that is no JSON stands for itself."""

    text: str
    payload: Any
    is_error: bool


def ask(server: Any, name: str, /, **arguments: Any) -> Reply:
    """Call one tool with a client of its own."""

    async def go() -> Reply:
        async with Client(server, mode="legacy") as opened:
            result = await opened.call_tool(name, arguments, raise_on_error=False)
        (content,) = result.content
        return Reply(content.text, _read(content.text), result.is_error)

    return asyncio.run(go())


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
