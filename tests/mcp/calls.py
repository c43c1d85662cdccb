"""Short ways to call a server, and what it answered."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastmcp import Client

# All there are; a client may tell them apart.
ERROR_TYPES = frozenset(
    "configuration_error service_connection_error workspace_error operation_error validation_error safety_error "
    "not_found not_indexed index_collision conflict timeout permission_denied cancelled".split()
)
ERAS = ("legacy", "auto")  # sessions of 2025-11-25, and stateless 2026-07-28


def check_error(payload: Any) -> None:
    """An error answer has everything that one is promised to have."""
    assert set(payload) == {"success", "error", "error_type", "message", "details", "actionable_guidance"}
    assert payload["success"] is False
    assert payload["error_type"] in ERROR_TYPES
    assert payload["message"]
    assert payload["error"] is True or payload["error"].endswith(payload["message"])
    assert isinstance(payload["details"], dict)
    assert payload["actionable_guidance"]
    assert all(isinstance(hint, str) and hint for hint in payload["actionable_guidance"])


def lay_out(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, with their texts; returns the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Answer:
    """One tool call: its text parsed, and whether it was an error."""

    def __init__(self, result: Any) -> None:
        assert len(result.content) == 1
        self.text: str = result.content[0].text
        self.payload: Any = json.loads(self.text)
        self.is_error: bool = result.is_error
        self.structured = result.structured_content
        if self.is_error:
            check_error(self.payload)

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
