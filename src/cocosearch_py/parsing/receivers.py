"""The types of what stands before names, as far as a file says them: of locals, parameters, attributes and results."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from tree_sitter import Node

from cocosearch_py.languages.typetexts import AT_KEY, CALLED, ITEM, MAX_CHARS, SELF, name_of, read_type, step
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing.scopes import innermost

_MAX_BYTES = 200
_NAMES = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\.[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)*")
_DOT, _CLOSED = ord("."), (b")", b"]")
_SELF = re.compile(rb"(?:self|this|cls)\.")
_SELVES = frozenset({b"self", b"this", b"cls"})
_CAST = re.compile(rb"\(.*[^\w$]as\s+([\w$.\x80-\xff]+)(?:<[^()]*>)?\s*\)", re.DOTALL)
_MADE_ANEW = re.compile(rb"\(?\s*new\s+([\w$.\x80-\xff]+)\s*\([^()]*\)\s*\)?")
# What an expression consists of behind its first name.
_PART = re.compile(
    rb"\s*(?:\??\.\s*(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"
    rb"|(?P<call>\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))|(?P<key>\[(?:[^\[\]]|\[[^\[\]]*\])*\]))"
)
_FIRST = re.compile(rb"\s*(?:await\s+)?([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)")
_TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "object", "record"})
_SCOPES = _TYPES | {"function", "method", "constructor", "test"}
_FUNCTIONS = _SCOPES - _TYPES


class Typed(NamedTuple):
    """A name that is given a value; `how` says what `value` is: `of` its type, `made` by its call, the `same` as it,
    `each` what its items are taken from, or what it is `decorated` with.
    """

    name: Node
    is_field: bool
    value: Node
    how: str


class Given(NamedTuple):
    """Result of a function: its type, or, if that is not written, an expression; `yielded` if one of several."""

    value: Node
    how: str  # `of`, `made`, `same` or `yielded`


class Told(NamedTuple):
    """Statement of a file about the result of a function, or about the type of an attribute or variable."""

    name: str
    is_function: bool
    owner: str
    text: str
    symbol: int | None
    start: int


@dataclass(slots=True)
class _Known:
    """Type of a name at a place in a scope; worked out when it is asked for."""

    start: int
    symbol: int | None
    value: Node
    how: str
    text: str | None = None

    @property
    def rank(self) -> int:
        """0 if the type is declared, 1 if it is the name of one, 2 if it is worked out."""
        return 0 if self.how == "of" else 2 if CALLED in (self.text or "") else 1


class Receivers:
    """The types of names in the scopes of one file: definitions, and the file itself as None.

    `brought` are the names that the file imports. The texts are those of `typetexts`.
    """

    def __init__(
        self, typed: Sequence[Typed], symbols: Sequence[Symbol], source: bytes, brought: Collection[str] = ()
    ) -> None:
        self._symbols = symbols
        self._source = source
        self._known: dict[tuple[int | None, bytes], list[_Known]] = defaultdict(list)
        self._names: set[bytes] = set()
        self._brought = brought
        if typed:
            ordered = sorted(typed, key=lambda one: (one.name.start_byte, one.how == "of"))
            for one, symbol in zip(ordered, innermost([one.name.start_byte for one in ordered], symbols), strict=True):
                scope = symbol
                if one.how == "decorated" and scope is not None:
                    scope = symbols[scope].parent
                while scope is not None and symbols[scope].kind not in _SCOPES:
                    scope = symbols[scope].parent
                self._add(one, scope)

    @cached_property
    def _global(self) -> set[bytes]:
        """The names that the file imports or defines."""
        return {name.encode() for name in (*self._brought, *(one.name for one in self._symbols if one.parent is None))}

    @cached_property
    def _members(self) -> set[tuple[int | None, bytes]]:
        """All definitions, with what they are in."""
        return {(one.parent, one.name.encode()) for one in self._symbols}

    def of(self, written: bytes, symbol: int | None, place: int) -> str:
        """Return the type of a qualifier at a place in a definition; "" if it is unknown."""
        text = self._of_written(written, symbol, place)
        return name_of(text) if text else ""

    def _of_written(self, written: bytes, symbol: int | None, place: int) -> str:
        if written in self._names:
            return self._of_name(written, symbol, place)
        if (_DOT not in written and not written.endswith(_CLOSED)) or len(written) > _MAX_BYTES:
            return ""
        if written.find(b"new") >= 0 and (made := _MADE_ANEW.fullmatch(written)):
            return read_type(made[1].decode("utf-8", "replace"))
        if written.startswith(b"("):
            if cast := _CAST.fullmatch(written):
                return read_type(cast[1].decode("utf-8", "replace"))
            written = written[1:-1]
        return self._evaluated(written, symbol, place)

    def _of_name(self, written: bytes, symbol: int | None, place: int) -> str:
        if _SELF.match(written):
            return self._of_attribute(self._type_around(symbol), written.partition(b".")[2])
        while True:
            if known := self._known.get((symbol, written), ()):
                at = bisect_right(known, place, key=lambda one: one.start)
                for one in (*reversed(known[:at]), *known[at:]):
                    if text := self._text_of(one):
                        return text
            if symbol is None:
                return ""
            symbol = self._symbols[symbol].parent

    def _of_attribute(self, around: int | None, name: bytes) -> str:
        return self._one_of(self._known.get((around, b"." + name), ()))

    def _evaluated(self, written: bytes, symbol: int | None, place: int) -> str:
        """The type of an expression: calls, attributes and items behind a name."""
        first, parts = _parts_of(written)
        if not first:
            return ""
        text, left = self._head(first, parts, symbol, place)
        while left and text:
            part, left = left[0], left[1:]
            if part == b"()":
                taken = CALLED
            elif part == b"[0]":
                taken = AT_KEY
            else:
                taken = "." + part.decode("utf-8", "replace")
                if left[:1] == (b"()",):
                    taken, left = taken + CALLED, left[1:]
            text = step(text, taken)
        return text

    def _head(
        self, first: bytes, parts: Sequence[bytes], symbol: int | None, place: int
    ) -> tuple[str, Sequence[bytes]]:
        """The type of what an expression begins with, and what of it is left."""
        if first in _SELVES:
            around = self._type_around(symbol)
            if around is None:
                return "", ()
            name = self._symbols[around].name
            if parts[:1] == (b"()",):
                return (name if first == b"cls" else ""), parts[1:]
            if parts and parts[1:2] != (b"()",):
                text = self._of_attribute(around, parts[0])
                return (text, parts[1:]) if text else (name if self._may_have(around, parts[0]) else "", parts)
            return name, parts
        if first in self._names and (text := self._of_name(first, symbol, place)):
            return text, parts
        path = [first]
        while parts and parts[0] not in (b"()", b"[0]"):
            path.append(parts[0])
            parts = parts[1:]
        if parts[:1] != (b"()",):
            return "", ()
        text = _made(b".".join(path))
        return (text if first in self._global or CALLED not in text else ""), parts[1:]

    def _may_have(self, around: int, attribute: bytes) -> bool:
        """Whether a class defines or may inherit what nothing is assigned to in its methods."""
        one = self._symbols[around]
        return "(" in one.signature or " extends " in one.signature or (around, attribute) in self._members

    def _add(self, one: Typed, symbol: int | None) -> None:
        start, scope = one.name.start_byte, symbol
        name = self._source[start : one.name.end_byte]
        if len(name) > MAX_CHARS:
            return
        member = b""
        if one.is_field or (symbol is not None and self._symbols[symbol].kind in _TYPES):
            if one.how == "decorated":
                return
            member = name
        elif _DOT not in name:
            self._names.add(name)
        elif (own := _SELF.match(name)) and _NAMES.fullmatch(name):
            member = name[own.end() :]
        else:
            return
        if member:
            self._names.update((b"self." + member, b"this." + member, b"cls." + member))
            scope, name = self._type_around(symbol), b"." + member
        self._known[scope, name].append(_Known(start, symbol, one.value, one.how))

    def _text_of(self, one: _Known) -> str:
        if one.text is None:
            one.text = ""  # of what is got from itself
            one.text = self._text(one.value, one.how, one.symbol, one.start - 1)
        return one.text

    def _one_of(self, known: Sequence[_Known]) -> str:
        """The type of what is given a value several times, if what is surest of that agrees."""
        surest, texts = 2, set[str]()
        for one in known:
            if text := self._text_of(one):
                if one.rank < surest:
                    surest, texts = one.rank, set()
                if one.rank == surest:
                    texts.add(text)
        return texts.pop() if len(texts) == 1 else ""

    def _text(self, value: Node, how: str, symbol: int | None, place: int) -> str:
        start, end = value.start_byte, value.end_byte
        if end - start > _MAX_BYTES:
            return ""
        written = self._source[start:end]
        if how == "of":
            return read_type(written.decode("utf-8", "replace"))
        if how == "made":
            if _NAMES.fullmatch(written) and CALLED not in (text := _made(written)):
                return text
            return self._evaluated(written + b"()", symbol, place)
        if how == "same" and written.endswith(b"]") and "[" in (text := read_type(written.decode("utf-8", "replace"))):
            return text  # another name for a type
        if how == "decorated" and written not in self._names:
            text = self._evaluated(written + (b"" if written.endswith(b")") else b"()"), symbol, place)
            return step(text, CALLED) if written.endswith(b")") and CALLED in text else text
        text = self._of_written(written, symbol, place)
        return step(text, ITEM) if how == "each" else text

    def _type_around(self, symbol: int | None) -> int | None:
        while symbol is not None and self._symbols[symbol].kind not in _TYPES:
            symbol = self._symbols[symbol].parent
        return symbol

    def told(self, given: Sequence[Given]) -> Iterator[Told]:
        """Yield results of functions that others can call, and types of attributes and variables of the file."""
        results: dict[int, set[str]] = defaultdict(set)
        starts = [one.value.start_byte for one in given]
        for one, symbol in zip(given, innermost(starts, self._symbols), strict=True):
            if symbol is not None and self._symbols[symbol].kind in _FUNCTIONS:
                results[symbol].add(self._result(one, symbol))
        for symbol, texts in sorted(results.items()):
            function, known = self._symbols[symbol], texts - {""}
            if len(known) == 1 and not function.function_depth:
                head = self._source[function.start_byte : function.start_byte + _MAX_BYTES].partition(b"def ")[0]
                is_function, text = b"property" not in head, known.pop()
                if b"contextmanager" in head:
                    text = step(text, ITEM)
                if text:
                    yield Told(function.name, is_function, self._owner(symbol), text, symbol, function.start_byte)
        for (scope, name), every in self._known.items():
            is_attribute = name.startswith(b".")
            if (is_attribute if scope is not None else name in self._global) and (text := self._one_of(every)):
                owner = self._symbols[scope].name if scope is not None else ""
                told = name.removeprefix(b".").decode("utf-8", "replace")
                yield Told(told, False, owner, text, scope, every[0].start)

    def _owner(self, symbol: int) -> str:
        around = self._symbols[symbol].parent
        return self._symbols[around].name if around is not None else ""

    def _result(self, one: Given, symbol: int) -> str:
        start, end = one.value.start_byte, one.value.end_byte
        written = self._source[start:end]
        if one.how == "of":
            text = written.decode("utf-8", "replace")
            return SELF if text.strip("\"'").rpartition(".")[2] == SELF else read_type(text)
        if written in (b"self", b"this") or (written == b"cls" and one.how == "made"):
            text = SELF
        else:
            text = self._text(one.value, "made" if one.how == "made" else "same", symbol, start)
        return f"Iterator[{text}]" if one.how == "yielded" and text and CALLED not in text else text


@lru_cache(maxsize=10_000)
def _parts_of(written: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """The name that an expression begins with, and names, calls and keys behind it; nothing for other expressions."""
    first = _FIRST.match(written)
    if first is None:
        return b"", ()
    parts: list[bytes] = []
    at = first.end()
    while at < len(written):
        found = _PART.match(written, at)
        if found is None:
            return b"", ()
        parts.append(found["name"] or (b"()" if found["call"] else b"[0]"))
        at = found.end()
    return first[1], tuple(parts)


@lru_cache(maxsize=10_000)
def _made(path: bytes) -> str:
    """Return the type of a call of a name: the class of that name, if it is written like one."""
    text = path.decode("utf-8", "replace")
    return text if text.rpartition(".")[2].lstrip("_")[:1].isupper() else text + CALLED
