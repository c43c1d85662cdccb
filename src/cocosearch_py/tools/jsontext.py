"""JSON text as it is sent."""

import json
from typing import Any

import msgspec


def to_json(payload: Any) -> str:
    """Return compact JSON; lone surrogates, which no transport can carry, become question marks."""
    try:
        return msgspec.json.encode(payload, enc_hook=str).decode()
    except UnicodeEncodeError:
        text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "replace").decode("utf-8")
