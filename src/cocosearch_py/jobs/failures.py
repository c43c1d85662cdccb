"""Errors as rows keep them."""

from collections.abc import Iterator
from typing import Any

from cocosearch_py.errors import CocosearchError


def described(error: CocosearchError) -> dict[str, Any]:
    """The error as JSON."""
    told = {"type": type(error).__name__, "message": error.message, "hint": error.hint}
    return {**told, "details": error.details} if error.details else told


def rebuilt(told: dict[str, Any]) -> CocosearchError:
    """The error that JSON was made of."""
    kinds = {kind.__name__: kind for kind in _all(CocosearchError)}
    kind = kinds.get(str(told.get("type")), CocosearchError)
    return kind(str(told.get("message", "")), hint=str(told.get("hint", "")), details=told.get("details"))


def _all(kind: type[CocosearchError]) -> Iterator[type[CocosearchError]]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _all(inner)
