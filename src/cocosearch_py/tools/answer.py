"""Arguments of tools, and answers as JSON that fits."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

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
        said_in: `warnings`, to which the advice is added, or `hint`, which it becomes.
    """

    field: str
    advice: str
    said_in: Literal["warnings", "hint"] = "warnings"


class Lines(NamedTuple):
    """The text of an answer that is shortened to whole lines until the answer fits.

    Attributes:
        field: name of the text; it begins at the line that the call asks for.
        start: name of the parameter that gives its first line, from 1.
        following: name of the field with the first line that was left out.
    """

    field: str
    start: str
    following: str


def plain(answer: Any) -> Any:
    """The answer as JSON: objects, lists, text, numbers, booleans and null."""
    return msgspec.to_builtins(answer)


def shortened(answer: Any, listed: Listed | None, max_tokens: int | None, *, compact: bool = False) -> Any:
    """The answer as JSON that fits.

    Args:
        listed: the list that is shortened first; without one, the longest texts and lists are, if there is a bound.
        max_tokens: see `fit`; None is no bound without a list, since a front end bounds what it sends.
        compact: whether the list becomes columns and rows.
    """
    whole = plain(answer)
    if listed is None:
        return whole if max_tokens is None else bounded(whole, room(max_tokens))
    items: Sequence[Json] = whole[listed.field]

    def build(kept: Sequence[Json]) -> Json:
        built = _with_items(whole, listed.field, kept, compact=compact)
        if len(kept) == len(items):
            return built
        advice = listed.advice.format(shown=len(kept), available=len(items))
        said = advice if listed.said_in == "hint" else [*whole.get("warnings", ()), advice]
        return {**built, "truncated": True, listed.said_in: said}

    return cast("Json", fit(items, build, max_tokens))


def with_fitting_lines(answer: Any, text: Lines, first: int, max_tokens: int | None) -> Json:
    """The answer as JSON with as many lines of its text as fit; `first` is the number of the first one."""
    whole: Json = plain(answer)
    lines = whole[text.field].splitlines(keepends=True)

    def build(kept: Sequence[str]) -> Json:
        following = {text.following: max(1, first) + len(kept)} if len(kept) < len(lines) else {}
        return {**whole, text.field: "".join(kept), **following}

    return cast("Json", fit(lines, build, max_tokens))


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
