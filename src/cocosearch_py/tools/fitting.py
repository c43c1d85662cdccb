"""How much of an answer is sent: a bound on the tokens of all of it, and lists as tables. Pure.

An answer with a list in it is made by `fit`, which leaves out items and lets the answer say how to get them. Whatever a
tool answers goes through `bounded` at last, so that none exceeds its bound, whoever made it and however.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec import Struct, structs

from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.tokens import count_tokens, most_tokens

Json = dict[str, Any]
Item = TypeVar("Item")

DEFAULT_MAX_TOKENS = 20_000  # common clients refuse answers over 25,000
MIN_MAX_TOKENS = 200
_HINT = "cut to fit into {} tokens: ask for less, or raise max_tokens"
# The same where texts are cut: short enough to be spared, for all but the largest bounds, where there is room enough.
_SHORT_HINT = "cut: max_tokens is {}"
_WRAPPING = 16  # tokens around structured content
_KEPT_CHARS = 200  # of each text, before items of lists are left out
_FEWEST_CHARS = 4
_MOST_MOVES = 2  # of one end in a row, before the middle is tried
_SPARED_CHARS = 24  # what says of which kind something is has no more
_NAMES = 40  # more than any object of ours has, other than those whose names are data


def room(max_tokens: int | None) -> int:
    """Tokens that an answer may have if so many are asked for."""
    return DEFAULT_MAX_TOKENS if max_tokens is None else max(MIN_MAX_TOKENS, min(max_tokens, DEFAULT_MAX_TOKENS))


def fits(answer: Any, tokens: int) -> bool:
    """Whether an answer, as it is sent, has no more than so many tokens."""
    return _cost(answer, tokens) <= tokens


def fit(items: Sequence[Item], build: Callable[[Sequence[Item]], Any], max_tokens: int | None = None) -> Any:
    """The answer with as many of its items, from the first on, as its bound has room for.

    Args:
        build: makes the whole answer out of the items that are kept. If these are fewer, or the first is not the one
            that was given, it has to say so, and how to get the rest: `next_cursor`, `offset`, or which parameters
            make the answer shorter.
        max_tokens: bounds the answer as it is sent, notes included; from MIN_MAX_TOKENS to DEFAULT_MAX_TOKENS.

    At least one item is kept, so that pages advance; its texts are cut, with "…", if it does not fit.
    """
    tokens = room(max_tokens)
    whole = build(items)
    if (cost := _cost(whole, tokens)) <= tokens:
        return whole
    if not items:
        return bounded(whole, tokens)
    if kept := _most_items(lambda count: _cost(build(items[:count]), 0), len(items), cost, tokens):
        return build(items[:kept])
    first = items[0]
    chars = _largest(
        _FEWEST_CHARS, _longest(first), lambda most: fits(build([cut(first, most, _SPARED_CHARS)]), tokens)
    )
    return bounded(build([cut(first, chars, _SPARED_CHARS) if chars else first]), tokens)


def bounded(answer: Any, tokens: int) -> Any:
    """The answer if it fits, else with its longest texts cut, then its lists, then all its texts.

    What is cut off a text is marked with "…"; an object whose lists are cut has `truncated` and a `hint`.
    """
    if fits(answer, tokens):
        return answer
    answer = _shortened(answer, _KEPT_CHARS, _longest(answer), tokens)
    if fits(answer, tokens):
        return answer
    most = _largest(1, _most(answer), lambda most: fits(_thinned(answer, most, tokens), tokens))
    for least in (max(1, most), 0) if isinstance(answer, dict) else (max(1, most),):
        thinned = _thinned(answer, least, tokens)
        if not fits(thinned, tokens) and isinstance(thinned, dict):
            thinned["hint"] = _SHORT_HINT.format(tokens)
        cut_down = _shortened(thinned, _FEWEST_CHARS, _KEPT_CHARS, tokens)
        if fits(cut_down, tokens):
            return cut_down
    return _beginning(answer, tokens)


def _beginning(answer: Any, tokens: int) -> Json:
    """Return the plain fields of an answer, as far as they fit: where nothing else can be sent."""
    left: Json = {"hint": _SHORT_HINT.format(tokens), "truncated": True}
    for name, value in answer.items() if isinstance(answer, dict) else ():
        more = {**left, name: left.get(name, value)}
        left = more if not isinstance(value, list | tuple | dict) and fits(more, tokens) else left
    return left


def table(items: Sequence[Json]) -> Json:
    """Return items as columns and rows: each name once; null where an item lacks it."""
    columns = list(dict.fromkeys(name for item in items for name in item))
    return {"columns": columns, "rows": [[item.get(name) for name in columns] for item in items]}


def marked(names: Sequence[str], tokens: int) -> Json:
    """Return texts in place of those of an item: the first names the bound that cut them."""
    return {name: "…" if index else "…" + _SHORT_HINT.format(tokens) for index, name in enumerate(names)}


def cut(value: Any, chars: int, spared: int = 0) -> Any:
    """Return the value with no text longer than so many characters, or than `spared`; "…" stands where one was cut."""
    if isinstance(value, str):
        return value if len(value) <= max(chars, spared) else value[:chars] + "…"
    if isinstance(value, dict):
        return {name: cut(one, chars, spared) for name, one in value.items()}
    if isinstance(value, Struct):
        return structs.replace(value, **{name: cut(one, chars, spared) for name, one in structs.asdict(value).items()})
    if hasattr(value, "_make"):  # a NamedTuple, whose fields a shape reads by name
        return value._make(cut(one, chars, spared) for one in value)
    return [cut(one, chars, spared) for one in value] if isinstance(value, list | tuple) else value


def _shortened(answer: Any, least: int, most: int, tokens: int) -> Any:
    """The answer with its texts cut to as many characters as fit, `least` in any case."""
    chars = _largest(least, most, lambda chars: fits(cut(answer, chars, _SPARED_CHARS), tokens))
    return cut(answer, max(chars, least), _SPARED_CHARS)


def _thinned(answer: Any, most: int, tokens: int) -> Any:
    """Return the value with no list longer than `most`, nor objects whose names are data."""

    def thin(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: thin(one) for name, one in list(value.items())[: max(most, _NAMES)]}
        return [thin(one) for one in value[:most]] if isinstance(value, list | tuple) else value

    thinned = thin(answer)
    return {"hint": _HINT.format(tokens), **thinned, "truncated": True} if isinstance(thinned, dict) else thinned


def _cost(answer: Any, tokens: int) -> int:
    """Tokens of an answer, as it is sent; where it has no more than `tokens` for sure, an estimate will do."""
    text = to_json(answer)
    most = most_tokens(text) + _WRAPPING
    return most if most <= tokens else count_tokens(text) + _WRAPPING


def _most_items(cost: Callable[[int], int], high: int, high_cost: int, tokens: int) -> int:
    """How many items fewer than `high`, with which the answer costs more than `tokens`, cost no more; may be 0.

    Costs grow about evenly, so that a few answers tell.
    """
    low = low_cost = moved = 0  # how often in a row the one end was moved (positive), or the other
    while high - low > 1:
        share = (tokens - low_cost) / (high_cost - low_cost) if abs(moved) < _MOST_MOVES else 0.5
        middle = min(max(low + round((high - low) * share), low + 1), high - 1)
        found = cost(middle)
        if found <= tokens:
            low, low_cost, moved = middle, found, max(moved, 0) + 1
        else:
            high, high_cost, moved = middle, found, min(moved, 0) - 1
    return low


def _largest(low: int, high: int, works: Callable[[int], bool]) -> int:
    """The largest of these numbers that works, if all below it do; 0 if none does."""
    found = 0
    while low <= high:
        middle = (low + high) // 2
        if works(middle):
            found, low = middle, middle + 1
        else:
            high = middle - 1
    return found


def _longest(value: Any) -> int:
    """Characters of the longest text in a value."""
    return len(value) if isinstance(value, str) else max(map(_longest, _parts(value)), default=0)


def _most(value: Any) -> int:
    """Items of the longest list or object in a value."""
    parts = _parts(value)
    return max([len(parts), *map(_most, parts)])


def _parts(value: Any) -> Sequence[Any]:
    if isinstance(value, Struct):
        value = structs.asdict(value)
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list | tuple) else ()
