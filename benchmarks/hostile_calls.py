"""Hostile calls of every tool: long, odd and wrong values for each parameter; the same ones for the same seed.

No call may change anything. Calls of tools that write are dry runs, or hold a value that is refused in any case.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING
from random import Random
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from cocosearch_py.mcp.server import all_tools
from cocosearch_py.server.guards import MAX_BODY_BYTES
from cocosearch_py.tools.declaration import Parameter

MAX_CHARS = MAX_BODY_BYTES
_SIZES = (0, 1, 3, 20, 200, 499, 500, 501, 1_000, 1_999, 2_000, 2_001, 10_000, 20_000, 20_001, 100_000, MAX_CHARS)
# Texts are repetitions of these, as far as their size goes.
_PIECES = (
    *("a", "aB", "a.b.", "a b ", "é", "🐍", "\u202e", "\u200b", "\0", "\x1b[2J", "\x7f", "\r", "\n", "\t", " "),
    *("*", "*a", "a*", "**/", "**", "?", "?*", "[a-z]", "[!a]*", "[", "{a,b}", "{*,}", "{", "{a,", "*{?,*}", "\\"),
    *("(", "(a{200}){200}", "(a|b)*", "(a*)*", "a{255}", ".*.*=", "\\b", "\\w+", "[[:alpha:]]", "(?i)", "(?=a)", "^$"),
    *("lang:go ", "lang:go,", "path:a* x ", "-path:a ", "name:a* x ", "kind:function,", "content:code ", '"a b" '),
    *("'", '"', "`", "|", " | read", "text a | ", "--kind ", ";", "%", "%00", "%s", "$$", "../", "/", "C:\\", "~"),
    *("a=1 ", "<b>", "&amp;", "getUserById ", "why is it so ", 'File "a.py", line 3, in f\n', "at f (a.js:3:4)\n"),
    *(
        "shop/cart.py",
        "Cart",
        "add_item",
        "def add_item(",
        "HEAD",
        "HEAD~",
        "@{1}",
        "-x",
        "1",
        "NaN",
        "null",
        "#",
        ":1-9",
    ),
)
_NUMBERS = (0, 1, -1, 7, 100, 255, 2**31 - 1, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.5, 1e-300, 1e308)
_LENGTHS = (0, 1, 2, 20, 99, 100, 101, 1_000, 20_000)
_FITTING_SHARE = 0.6  # of the calls have values at or within the bounds alone, which are not refused for their size
_WRONG_SHARE = 0.1  # of the other values have another type than the parameter
_PLAIN = {"path": "shop/cart.py", "file": "shop/cart.py", "pipeline": "search cart", "since_ref": "HEAD"}


def hostile_calls(seed: int, *, surrogates: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tools with their arguments.

    Args:
        surrogates: whether texts may hold half of a surrogate pair, which not every client can send.
    """
    chance = Random(seed)  # repeatable, not secret
    pieces = (*_PIECES, "\ud800") if surrogates else _PIECES
    tools = all_tools()
    while True:
        tool = chance.choice(tools)
        known = [parameter for parameter in tool.parameters if parameter.about is not None]
        # One value takes most of the call's size; the others are small, so that its cost shows.
        largest = _largest(chance, known)
        fitting = chance.random() < _FITTING_SHARE
        arguments = {}
        for parameter in known:
            if parameter is largest:
                arguments[parameter.name] = _value(chance, parameter, pieces, fitting=fitting)
            elif fitting and parameter.default is MISSING:
                arguments[parameter.name] = _PLAIN.get(parameter.name, "Cart")
            elif not fitting and chance.random() < 0.2:
                arguments[parameter.name] = _value(chance, parameter, pieces, most=20)
        if tool.about_indexes and tool.names_index in arguments and chance.random() < 0.8:
            del arguments[tool.names_index]
        if "regex" in {parameter.name for parameter in known} and fitting:
            arguments["regex"] = True
        if tool.writes:
            _make_harmless(arguments, known)
        yield tool.name, arguments


def _largest(chance: Random, known: Sequence[Parameter]) -> Parameter | None:
    """Parameter with the large value: mostly a text, and often the first one, with which a tool does most."""
    texts = [parameter for parameter in known if _holds_text(parameter.type)]
    if texts and chance.random() < 0.3:
        return texts[0]
    among = texts if texts and chance.random() < 0.8 else known
    return chance.choice(among) if among else None


def _holds_text(kind: Any) -> bool:
    return kind is str or any(_holds_text(inner) for inner in get_args(kind) if get_origin(kind) is not Literal)


def _make_harmless(arguments: dict[str, Any], known: Sequence[Parameter]) -> None:
    names = {parameter.name for parameter in known}
    if "dry_run" in names:
        arguments["dry_run"] = True
    else:
        arguments.update(
            {parameter.name: "\0" for parameter in known if parameter.name in ("index_name", "job_id", "page")}
        )


def _value(
    chance: Random, parameter: Parameter, pieces: Sequence[str], *, fitting: bool = False, most: int = MAX_CHARS
) -> Any:
    kinds = (
        get_args(parameter.type) if get_origin(parameter.type) not in (list, dict, Literal, None) else (parameter.type,)
    )
    kind = chance.choice([kind for kind in kinds if kind is not NoneType])
    if not fitting and chance.random() < _WRONG_SHARE:
        kind = chance.choice((str, int, float, bool, NoneType, list[str], dict[str, Any]))
    if fitting:
        most = parameter.size.chars
        pieces = [piece for piece in pieces if piece not in ("\0", "\ud800")]
    size = chance.choice([size for size in (*_SIZES, most) if size <= most])

    def text(size: int = size) -> str:
        piece = chance.choice(pieces)
        return (chance.choice(("", "Cart ")) + piece * (size // len(piece) + 1))[: max(1, size)]

    def texts() -> list[str]:
        items = chance.choice([length for length in _LENGTHS if not fitting or length <= parameter.size.items])
        each = min(size, (parameter.size.total if fitting else most) // max(1, items))
        return [text(each) for _ in range(items)]

    make: dict[Any, Callable[[], Any]] = {
        str: text,
        int: lambda: chance.choice(_NUMBERS),
        float: lambda: chance.choice(_NUMBERS),
        bool: lambda: chance.random() < 0.5,
        NoneType: lambda: None,
        Literal: lambda: chance.choice(get_args(kind) if fitting else (*get_args(kind), text())),
        list: texts,
    }
    draw = make.get(get_origin(kind) or kind)
    return draw() if draw is not None else _mapping(chance, text, size)


def _mapping(chance: Random, text: Callable[[int], str], size: int) -> Any:
    """Mapping: deep, wide, or in the form of weights or notes with an odd value."""

    def key(size: int) -> str:  # no client sends half of a surrogate pair there
        return text(size).encode("utf-8", "replace").decode()

    shape = chance.randrange(4)
    if shape == 0:
        nested: Any = text(20)
        for _ in range(chance.choice((1, 8, 9, 90))):
            nested = {"a": [nested]}
        return nested
    if shape == 1:
        return {f"{key(3)}{at}": chance.choice(_NUMBERS) for at in range(chance.choice(_LENGTHS))}
    if shape == 2:
        return {"ext": {key(size): 1}, "path": [{"pattern": text(200), "weight": chance.choice(_NUMBERS)}]}
    return {
        chance.choice(("vector", "symbol", "graph", "indexing", "search", key(20))): chance.choice((True, text(size)))
    }
