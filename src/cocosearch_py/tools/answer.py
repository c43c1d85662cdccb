"""Arguments of tools, and answers as JSON that fits."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from cocosearch_py.model.answers import Value
from cocosearch_py.tools.fitting import bounded, fit, room, table

Json = dict[str, Any]


class Arguments(Value):
    """The parameters of a tool; the annotations of each say how agents and people give it."""


class Listed(NamedTuple):
    """The list of an answer that is shortened until the answer fits.

    Attributes:
        field: name of the list.
        advice: what an answer says of items that were left out; `{shown}` and `{available}` are numbers.
    """

    field: str
    advice: str


def plain(answer: Any) -> Any:
    """The answer as JSON: objects, lists, text, numbers, booleans and null."""
    return msgspec.to_builtins(answer)


def shortened(answer: Any, listed: Listed | None, max_tokens: int | None, *, compact: bool = False) -> Any:
    """The answer as JSON that fits.

    Args:
        listed: the list that is shortened first; without one, the longest texts and lists are.
        max_tokens: see `fit`.
        compact: whether the list becomes columns and rows.
    """
    whole = plain(answer)
    if listed is None:
        return bounded(whole, room(max_tokens))
    items: Sequence[Json] = whole[listed.field]

    def build(kept: Sequence[Json]) -> Json:
        built = _with_items(whole, listed.field, kept, compact=compact)
        if len(kept) == len(items):
            return built
        advice = listed.advice.format(shown=len(kept), available=len(items))
        return {**built, "truncated": True, "warnings": [*whole.get("warnings", ()), advice]}

    return cast("Json", fit(items, build, max_tokens))


def _with_items(whole: Mapping[str, Any], field: str, items: Sequence[Json], *, compact: bool) -> Json:
    built: Json = {}
    for name, value in whole.items():
        if name != field:
            built[name] = value
        elif compact:
            built |= table(items)
        else:
            built[name] = list(items)
    return built
