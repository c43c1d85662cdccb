"""Types as they are written, and what is taken from them: an item, what a call gives, a member. Pure.

The text of a type is its name (`Foo`, `m.Foo`), a generic one of those known here (`list[Foo]`), or says how a value is
got, where only a whole index can tell its type: the path of a function or class with `()` behind it, then STEPS.
`make()` is what a call of `make` gives, `Foo().x[]` an item of the attribute x of a `Foo`. "" is a type that no file
defines, or that is not known.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

CALLED = "()"  # also: of a class, one of it
ITEM = "[]"  # of what is iterated over
AT_KEY = "[0]"  # of what is looked up by a key
SELF = "Self"
STEPS = re.compile(r"\.\w+\(\)|\.\w+|\(\)|\[0?\]")
MAX_CHARS = 100

_NAMES = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_GENERIC = re.compile(r"([\w$.]+)\s*(?:\[(.*)\]|<(.*)>)", re.DOTALL)
_MOST_LAYERS = 5
_NOTHING = frozenset({"None", "null", "undefined", ""})
# What files define no members of.
_PLAIN = frozenset(
    "str bytes int float bool complex object dict list tuple set frozenset type Any Callable string number boolean any "
    "unknown void never Record Array Map Set Promise Function Type Literal Union Iterable Sequence Mapping "
    "NoReturn Never bytearray memoryview Iterator Generator List Dict Tuple Optional this".split()
)
# What a type stands for that another one wraps: the place of that.
_WRAPPERS = {
    "Optional": 0, "Annotated": 0, "ClassVar": 0, "Final": 0, "Required": 0, "NotRequired": 0, "InitVar": 0,
    "Awaitable": 0, "Coroutine": -1, "ContextManager": 0, "AsyncContextManager": 0,
    "AbstractContextManager": 0, "AbstractAsyncContextManager": 0,
}  # fmt: skip
_ITERABLES = frozenset(
    "list List set Set frozenset FrozenSet tuple Tuple Sequence MutableSequence Iterable Iterator Collection Generator "
    "deque Deque AsyncIterable AsyncIterator AsyncGenerator KeysView ValuesView AbstractSet MutableSet Array "
    "ReadonlyArray ReadonlySet".split()
)
_MAPPINGS = frozenset(
    "dict Dict Mapping MutableMapping DefaultDict defaultdict OrderedDict WeakValueDictionary Map ReadonlyMap".split()
)
_CLASSES = frozenset({"type", "Type"})
_KEPT = _ITERABLES | _MAPPINGS | _CLASSES | {"Callable"}
_OF_MAPPINGS = {".get()": 1, ".pop()": 1, ".setdefault()": 1, ITEM: 0, AT_KEY: 1}
_OF_LISTS = frozenset({ITEM, AT_KEY, ".pop()", ".popleft()"})


@lru_cache(maxsize=10_000)
def read_type(written: str) -> str:
    """The text of a type that is written down: without what it may be instead, or what only wraps it."""
    text, name, inner = " ".join(written.strip("\"' \n:").split()), "", [""]
    for _ in range(_MOST_LAYERS):
        parts = [part for one in _split(text, "|") if (part := one.strip("\"' ")) not in _NOTHING]
        if len(parts) != 1:
            return ""
        text, name, inner = parts[0], *_generic(parts[0])
        if name == "Union":
            text = "|".join(inner)
        elif name in _WRAPPERS and inner:
            text = inner[_WRAPPERS[name]]
        else:
            break
    if inner and name in _KEPT:
        return text if len(text) <= MAX_CHARS else ""
    if inner:
        text = text.partition("[")[0].partition("<")[0].strip()
    return text if text not in _PLAIN and len(text) <= MAX_CHARS and _NAMES.fullmatch(text) else ""


def step(text: str, taken: str) -> str:
    """The type of what is got from something of a type."""
    if not text:
        return ""
    if CALLED in text:
        return text + taken if len(text) + len(taken) <= MAX_CHARS else ""
    name, inner = _generic(text)
    if not inner:
        return f"{text}{CALLED}{taken}"
    if name in _CLASSES:
        one = read_type(inner[0])
        return one if taken == CALLED else step(one, taken) if one and taken.startswith(".") else ""
    if name == "Callable":
        return read_type(inner[-1]) if taken == CALLED else ""
    if name in _MAPPINGS:
        if taken == ".values()":
            return f"Iterable[{inner[-1]}]"
        at = _OF_MAPPINGS.get(taken)
        return "" if at is None or at >= len(inner) else read_type(inner[at])
    is_same = name in ("tuple", "Tuple") and len(set(inner) - {"...", ""}) > 1
    return read_type(inner[0]) if taken in _OF_LISTS and not is_same else ""


def name_of(text: str) -> str:
    """The text of a type that files may define members of; "" for others."""
    return text if CALLED in text or ("[" not in text and "<" not in text) else ""


def steps_of(text: str) -> tuple[str, list[str]]:
    """The path of the function or class that a text begins with, and the steps from one of it or from its result on."""
    path, _, rest = text.partition(CALLED)
    return path, STEPS.findall(rest)


def _generic(text: str) -> tuple[str, list[str]]:
    """The last name of a generic type, and what is in its brackets; nothing for others."""
    found = _GENERIC.fullmatch(text)
    if found is None:
        return "", []
    return found[1].rpartition(".")[2], [
        part for one in _split(found[2] or found[3] or "", ",") if (part := one.strip())
    ]


def _split(text: str, sign: str) -> Sequence[str]:
    return list(_parts(text, sign)) if sign in text else (text,)


def _parts(text: str, sign: str) -> Iterator[str]:
    """The parts between a sign outside of brackets."""
    depth = start = 0
    for place, one in enumerate(text):
        if one in "[<(":
            depth += 1
        elif one in "]>)":
            depth -= 1
        elif one == sign and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]
