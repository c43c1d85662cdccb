"""Arguments of tools, and answers as JSON that fits."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

import msgspec

from cocosearch_py.model.answers import Value
from cocosearch_py.tools.fitting import bounded, fit, room, table

Json = dict[str, Any]
I = TypeVar("I")  # noqa: E741  # an item
R = TypeVar("R")  # an answer


class Arguments(Value):
    """The parameters of a tool; the annotations of each say how agents and people give it."""


class Listed(NamedTuple):
    """The list of an answer that is shortened until the answer fits.

    Attributes:
        field: name of the list.
        advice: what an answer says of items that were left out; `{shown}` and `{available}` are numbers.
        total: name of the field that counts all items, if the list may already be shorter.
        said_in: `warnings`, to which the advice is added, or `hint`, which it becomes.
    """

    field: str
    advice: str
    total: str = ""
    said_in: Literal["warnings", "hint"] = "warnings"


class Shrinkable(NamedTuple, Generic[I, R]):
    """An answer that is more than a list, and is built again from fewer items until it fits.

    Attributes:
        items: all items, best first.
        build: makes the answer from the items that fit; it says how many are missing.
    """

    items: Sequence[I]
    build: Callable[[Sequence[I]], R]

    @property
    def whole(self) -> R:
        """The answer with all items."""
        return self.build(self.items)


class Fitted(ABC):
    """An answer that makes its JSON itself, since it is more than one list or has several forms."""

    @abstractmethod
    def fitted(self, asked: Any) -> Any:
        """Return the JSON for an agent, within the bound of its arguments."""

    @abstractmethod
    def for_command(self, asked: Any) -> Any:
        """Return the JSON of the command, which has no bound."""


def plain(answer: Any) -> Any:
    """The answer as JSON: objects, lists, text, numbers, booleans and null."""
    return _with_lists(msgspec.to_builtins(answer))


def _with_lists(value: Any) -> Any:
    """Replace tuples, which msgspec keeps, by lists: what masks and words answers later knows lists alone."""
    if isinstance(value, dict):
        return {name: _with_lists(item) for name, item in value.items()}
    return [_with_lists(item) for item in value] if isinstance(value, list | tuple) else value


def tabled(items: Sequence[Any]) -> Json:
    """Return the fields `columns` and `rows` of an answer instead of a list of objects."""
    return table(plain(items))


def shortened(answer: Any, listed: Listed | None, max_tokens: int | None, *, compact: bool = False) -> Any:
    """The answer as JSON that fits.

    Args:
        listed: the list that is shortened first; without one, the longest texts and lists are, if there is a bound.
        max_tokens: see `fit`; None is no bound without a list, since a front end bounds what it sends.
        compact: whether the list becomes columns and rows.
    """
    if isinstance(answer, Shrinkable):
        return fit(answer.items, lambda items: plain(answer.build(items)), max_tokens)
    whole = plain(answer)
    if listed is None:
        return whole if max_tokens is None else bounded(whole, room(max_tokens))
    items: Sequence[Json] = whole[listed.field]
    available = whole[listed.total] if listed.total else len(items)

    def build(kept: Sequence[Json]) -> Json:
        built = _with_items(whole, listed.field, kept, compact=compact)
        if len(kept) >= available:
            return built
        advice = listed.advice.format(shown=len(kept), available=available)
        said = advice if listed.said_in == "hint" else [*whole.get("warnings", ()), advice]
        return {**built, "truncated": True, listed.said_in: said}

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
