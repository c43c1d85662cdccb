"""Takes calls and keys of answers out of the reference document of Lexa; `documents.py` says where they go.

It is a page that was saved as text: an example is a JSON object at the beginning of a line, and what is answered stands
in a sentence behind it, `Returns { path, count, entries[] }`.
"""

import json
import re
from pathlib import Path
from typing import Any

from tests.mcp import documents

LEXA = "lexa-mcp-tools.md"
_OBJECT = re.compile(r"^\{", re.MULTILINE)
_INCLUDES = re.compile(r"The response includes ([\w, ]+)\.")
_ROW = re.compile(r"^(\w+)lexa|^(reindex)Rebuild", re.MULTILINE)


def read() -> dict[str, Any]:
    """All tools, calls with their arguments, and keys of answers by tool; of a list those of its items as well."""
    assert documents.FOLDER
    text = (Path(documents.FOLDER) / LEXA).read_text(encoding="utf-8")
    calls, keys = [], {}
    places = [found.start() for found in _OBJECT.finditer(text)]
    for place, following in zip(places, [*places[1:], len(text)], strict=True):
        value, end = json.JSONDecoder().raw_decode(text, place)
        calls.append([value["name"], value.get("arguments", {})])
        if told := _keys(text[end:following]):
            keys[value["name"]] = told
    tools = [found[1] or found[2] for found in _ROW.finditer(text)]
    return {"tools": tools, "calls": calls, "keys": keys}


def _keys(text: str) -> dict[str, Any]:
    """Keys of an answer, each with those of its items."""
    if listed := _INCLUDES.search(text):
        return {name: [] for name in re.findall(r"\w+", listed[1]) if name not in ("and", "a", "array")}
    returned = re.search(r"Returns (\{.+\})", text)
    if returned is None:
        return {}
    inside = re.sub(r"\[\{(.*?)\}\]", lambda found: f"[{found[1].replace(',', '')}]", returned[1])
    told: dict[str, Any] = {}
    for part in inside.strip("{} ").split(","):
        name, _, items = part.strip().partition(":")
        told[name.rstrip("[]")] = re.findall(r"\w+", items)
    return told
