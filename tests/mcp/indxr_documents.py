"""Takes calls, parameters and answers out of the reference document of indxr; `documents.py` says where they go."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.mcp import documents

INDXR = "indxr-mcp.md"
_TOOL = re.compile(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| (yes|no) \| (.+) \|$", re.MULTILINE)
_BLOCK = re.compile(r"```json\n(.*?)```", re.DOTALL)


def read() -> dict[str, Any]:
    """Calls with arguments, parameters by tool, and shapes of answers; a text that is no JSON is a `str`."""
    sections = list(_sections())
    calls = [[tool, one] for tool, text in sections for one in _calls(text)]
    answers: dict[str, list[Any]] = {}
    for tool, text in sections:
        for one in _answers(text):
            answers.setdefault(tool, []).append(one)
    return {
        "calls": calls,
        "parameters": {tool: rows for tool, text in sections if (rows := _parameters(text))},
        "answers": answers,
    }


def program(language: str) -> str:
    """The text of the last block of a language: the client in Python, the requests with curl."""
    return [block.text for block in documents.blocks(INDXR) if block.language == language][-1]


def _sections() -> Iterator[tuple[str, str]]:
    assert documents.FOLDER
    text = (Path(documents.FOLDER) / INDXR).read_text(encoding="utf-8")
    for found in _TOOL.finditer(text):
        yield found[1], found[2]


def _calls(text: str) -> Iterator[dict[str, Any]]:
    for block in _BLOCK.findall(text):
        if '"params"' in block:
            yield json.loads(block)["params"]["arguments"]


def _answers(text: str) -> Iterator[Any]:
    """Of what a call returns: the text of its content, or an object that is printed as it is."""
    for block in _BLOCK.findall(text):
        if '"params"' in block:
            continue
        value = json.loads(block.replace("[...]", "[]"))
        if "content" in value:
            told = value["content"][0]["text"]
            value = json.loads(told) if told.startswith("{") else told
        yield documents.shape_of(value)


def _parameters(text: str) -> dict[str, dict[str, Any]]:
    """By name the type, whether it must be given, and what its text says of default, maximum and choices."""
    found: dict[str, dict[str, Any]] = {}
    for name, kind, required, about in _ROW.findall(text):
        row: dict[str, Any] = {"type": kind, "required": required == "yes"}
        if default := re.search(r"\(default: `?([\w-]+)`?[,)]|`(\w+)` \(default\)", about):
            row["default"] = default[1] or default[2]
        if most := re.search(r"max: (\d+)", about):
            row["max"] = int(most[1])
        words = list(dict.fromkeys(re.findall(r"`(\w+)`", about)))
        if row.get("default") in words:
            row["choices"] = words
        found[name] = row
    return found
