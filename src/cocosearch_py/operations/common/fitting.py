"""How much of an answer is sent: cut texts, leave them out, tables, and a bound on the whole. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cocosearch_py.operations.common.jsontext import to_json

Json = dict[str, Any]

CHARS_PER_TOKEN = 4  # rough, and on the safe side for code
DEFAULT_MAX_TOKENS = 20_000  # common clients refuse answers over 25,000
MIN_MAX_TOKENS = 200
_MIN_SNIPPET_CHARS = 80
_TEXTS = ("content", "context_before", "context_after")


@dataclass(frozen=True, slots=True)
class Shape:
    """What the caller wants; `max_tokens` counts a token as CHARS_PER_TOKEN characters of JSON."""

    include_content: bool = True
    compact: bool = False
    snippet_chars: int | None = None
    max_tokens: int | None = None


def shaped(items: Sequence[Json], head: Sequence[Json], foot: Sequence[Json], shape: Shape) -> Any:
    """Head, items and foot as one array; compact: an object with columns, rows and notes.

    Items that do not fit are left out from the end, with a note; the first is cut rather than left out.
    """
    wanted = [_with_texts(item, shape) for item in items]
    asked = shape.max_tokens if shape.max_tokens is not None else DEFAULT_MAX_TOKENS
    tokens = max(MIN_MAX_TOKENS, min(asked, DEFAULT_MAX_TOKENS))
    room = tokens * CHARS_PER_TOKEN - sum(len(to_json(note)) for note in (*head, *foot))
    kept, cut = _fitting(wanted, room)
    notes = list(foot)
    if cut or len(kept) < len(items):
        notes.append(
            {
                "type": "truncated",
                "message": f"{len(kept)} of {len(items)} results fit into {tokens} tokens (4 characters each); "
                "use offset for the next ones, or a higher max_tokens, snippet_chars or include_content=false",
                "returned": len(kept),
                "available": len(items),
            }
        )
    if not shape.compact:
        return [*head, *kept, *notes]
    columns = list(dict.fromkeys(name for item in kept for name in item))
    return {
        "columns": columns,
        "rows": [[item.get(name) for name in columns] for item in kept],
        "notes": [*head, *notes],
    }


def _with_texts(item: Json, shape: Shape) -> Json:
    if not shape.include_content:
        return {name: value for name, value in item.items() if name not in _TEXTS}
    if shape.snippet_chars is None:
        return item
    return {**item, "content": _shortened(item["content"], max(_MIN_SNIPPET_CHARS, shape.snippet_chars))}


def _fitting(items: Sequence[Json], room: int) -> tuple[list[Json], bool]:
    """Items that fit, and whether the first had to be cut."""
    kept: list[Json] = []
    for item in items:
        room -= len(to_json(item)) + 1
        if room < 0:
            if kept:
                return kept, False
            over = -room
            texts = sum(len(item.get(name) or "") for name in _TEXTS)
            share = max(0.0, 1 - over / texts) if texts else 1.0
            return [
                {
                    **item,
                    **{name: _shortened(item[name], int(len(item[name]) * share)) for name in _TEXTS if item.get(name)},
                }
            ], True
        kept.append(item)
    return kept, False


def _shortened(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[:chars] + "…"
