"""The types of what stands before names, as far as a file says them: of locals, parameters and attributes."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing.scopes import innermost

_MAX_BYTES = 100
_NAMES = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\.[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)*")
_SELF = re.compile(rb"(?:self|this|cls)\.")
_CALLED = re.compile(rb"\(?\s*(new\s+)?([\w$.\x80-\xff]+)\s*\([^()]*\)\s*\)?")
_CAST = re.compile(rb"\(.*[^\w$]as\s+([\w$.\x80-\xff]+)(?:<[^()]*>)?\s*\)", re.DOTALL)
_OPTIONAL = re.compile(rb"(?:typing\.)?Optional\[(.*)\]")
_NOTHING = frozenset({b"None", b"null", b"undefined"})
_GENERIC = re.compile(rb"[\[<].*", re.DOTALL)
# What files define no members of.
_PLAIN = frozenset(
    b"str bytes int float bool object dict list tuple set frozenset type Any Callable string number boolean any "
    b"unknown void never Record Array Map Set Promise Function Type Literal Union Iterable Sequence Mapping".split()
)
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "object", "record"})
_SCOPES = _TYPES | {"function", "method", "constructor", "test"}


class Typed(NamedTuple):
    """A name that is given a value; `how` says what `value` is: `of` its type, `made` by its call, the `same` as it."""

    name: Node
    is_field: bool
    value: Node
    how: str


class _Known(NamedTuple):
    start: int
    receiver: str


class Receivers:
    """The types of names in the scopes of one file: definitions, and the file itself as None."""

    def __init__(self, typed: Sequence[Typed], symbols: Sequence[Symbol], source: bytes) -> None:
        self._symbols = symbols
        self._known: dict[tuple[int | None, bytes], list[_Known]] = defaultdict(list)
        self._names: set[bytes] = set()
        if typed:
            ordered = sorted(typed, key=lambda one: one.name.start_byte)
            for one, symbol in zip(ordered, innermost([one.name.start_byte for one in ordered], symbols), strict=True):
                scope = symbol
                while scope is not None and symbols[scope].kind not in _SCOPES:
                    scope = symbols[scope].parent
                self._add(one, scope, source)

    def of(self, written: bytes, symbol: int | None, place: int) -> str:
        """What is known of the type of a qualifier at a place in a definition; "" if nothing is."""
        if written in self._names:
            return self._of_name(written, symbol, place)
        if not written.endswith(b")") or len(written) > _MAX_BYTES:
            return ""
        if called := _CALLED.fullmatch(written):
            return _receiver(called[2], "of" if called[1] else "made")
        cast = _CAST.fullmatch(written)
        return _receiver(cast[1], "of") if cast else ""

    def _of_name(self, written: bytes, symbol: int | None, place: int) -> str:
        if _SELF.match(written):
            known = self._known.get((self._type_around(symbol), b"." + written.partition(b".")[2]), ())
            receivers = {one.receiver for one in known}
            return receivers.pop() if len(receivers) == 1 else ""
        while True:
            if known := self._known.get((symbol, written), ()):
                at = bisect_right(known, place, key=lambda one: one.start)
                return known[max(at - 1, 0)].receiver
            if symbol is None:
                return ""
            symbol = self._symbols[symbol].parent

    def _add(self, one: Typed, symbol: int | None, source: bytes) -> None:
        value = source[one.value.start_byte : one.value.end_byte]
        receiver = self.of(value, symbol, one.name.start_byte) if one.how == "same" else _receiver(value, one.how)
        if not receiver:
            return
        name = source[one.name.start_byte : one.name.end_byte]
        if len(name) > _MAX_BYTES or _NAMES.fullmatch(name) is None:
            return
        if one.is_field or (symbol is not None and self._symbols[symbol].kind in _TYPES):
            self._names |= {before + name for before in (b"self.", b"this.", b"cls.")}
            symbol, name = self._type_around(symbol), b"." + name
        elif own := _SELF.match(name):
            self._names |= {before + name[own.end() :] for before in (b"self.", b"this.", b"cls.")}
            symbol, name = self._type_around(symbol), b"." + name[own.end() :]
        elif b"." in name:
            return
        else:
            self._names.add(name)
        self._known[symbol, name].append(_Known(one.name.start_byte, receiver))

    def _type_around(self, symbol: int | None) -> int | None:
        while symbol is not None and self._symbols[symbol].kind not in _TYPES:
            symbol = self._symbols[symbol].parent
        return symbol


@lru_cache(maxsize=10_000)
def _receiver(written: bytes, how: str) -> str:
    """A type without what it may be instead of, as text; "" if it is none that a file could define."""
    if len(written) > _MAX_BYTES:
        return ""
    if how == "made":  # a class, if it is written like one
        is_class = written.rpartition(b".")[2].lstrip(b"_")[:1].isupper() and _NAMES.fullmatch(written)
        return written.decode("utf-8", "replace") if is_class else ""
    text = written.strip(b"\"' \n:")
    if optional := _OPTIONAL.fullmatch(text):
        text = optional[1]
    parts = [part for one in text.split(b"|") if (part := one.strip()) not in _NOTHING]
    name = _GENERIC.sub(b"", parts[0]).strip() if len(parts) == 1 else b""
    return name.decode("utf-8", "replace") if name not in _PLAIN and _NAMES.fullmatch(name) else ""
