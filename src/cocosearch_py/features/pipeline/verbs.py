"""Verbs of pipelines: the streams that each takes and gives, and its arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from cocosearch_py.errors import ValidationError

MAX_ITEMS = 10_000  # Maximum items of a stream.
MAX_DEPTH = 20  # Maximum imports in a row.
MAX_LEVELS = 5  # Maximum levels of an outline.
MAX_CONTEXT = 50  # Maximum lines around a part that is read.
DEFAULT_LIMIT = 10


class Kind(StrEnum):
    """Kind of the items of a stream; the value is the plural for people."""

    FILES = "files"
    PASSAGES = "passages"  # results of `search`
    LINES = "lines"  # lines that contain a text
    SYMBOLS = "symbols"  # definitions
    USES = "uses"  # uses of definitions
    TEXTS = "texts"  # results of `read`
    NUMBER = "a number"


LOCATED = (Kind.FILES, Kind.PASSAGES, Kind.LINES, Kind.SYMBOLS, Kind.USES)  # Items inside files.
_ANY = (*LOCATED, Kind.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Option:
    """Option `--name VALUE`, or a switch if it has no metavar. A number has inclusive bounds."""

    metavar: str = ""
    bounds: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verb:
    """Kind of step.

    Attributes:
        takes: kinds of stream that it can follow; without any it can only begin a chain.
        gives: kind of its own stream; None for the kind that it takes.
        subject: name of its first argument; empty if it has none.
        begins: whether it can begin a chain. It needs its subject then; elsewhere the stream replaces the subject.
        needs: feature that the index must have; empty if none.
    """

    name: str
    takes: tuple[Kind, ...] = ()
    gives: Kind | None = None
    subject: str = ""
    begins: bool = False
    other_names: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    needs: str = ""

    def usage(self, *, begins: bool) -> str:
        """Return its syntax at the beginning of a chain, or after another step."""
        if self.begins and not begins:
            return self.name
        optional = self.subject.startswith("[") or not self.subject
        return f"{self.name} {self.subject}".rstrip() if begins or optional else self.name


_LANGUAGE = {"language": Option(metavar="LANG")}
_GLOB = {"path-glob": Option(metavar="GLOB")}
_KIND = {"kind": Option(metavar="KIND")}
_DEPTH = {"depth": Option(metavar="N", bounds=(1, MAX_DEPTH))}
_KEYS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        Kind.FILES: ("path", "score", "lines", "size", "symbols", "modified", "distance"),
        Kind.PASSAGES: ("path", "score", "lines", "kind", "name"),
        Kind.LINES: ("path",),
        Kind.SYMBOLS: ("path", "name", "kind", "lines"),
        Kind.USES: ("path", "name", "kind"),
    }
)
_VERBS = (
    Verb(name="find", gives=Kind.FILES, subject="GLOB", begins=True, other_names=("glob",), options=_LANGUAGE),
    Verb(
        name="fuzzy",
        gives=Kind.FILES,
        subject="TEXT",
        begins=True,
        other_names=("path_search",),
        options={**_LANGUAGE, **_GLOB},
    ),
    Verb(name="search", gives=Kind.PASSAGES, subject="QUERY", begins=True, options={**_LANGUAGE, **_GLOB, **_KIND}),
    Verb(
        name="text",
        gives=Kind.LINES,
        subject="TEXT",
        begins=True,
        other_names=("text_search",),
        options={"regex": Option(), "word": Option(), "case-sensitive": Option(), **_LANGUAGE, **_GLOB},
    ),
    Verb(
        name="symbols",
        gives=Kind.SYMBOLS,
        subject="NAME",
        begins=True,
        options={
            "match": Option(metavar="HOW", choices=("auto", "exact", "glob", "substring", "fuzzy")),
            **_KIND,
            **_LANGUAGE,
            **_GLOB,
        },
        needs="symbol",
    ),
    Verb(
        name="callers",
        takes=(Kind.SYMBOLS,),
        gives=Kind.USES,
        subject="NAME",
        begins=True,
        options={**_KIND, **_LANGUAGE, **_GLOB},
        needs="graph",
    ),
    Verb(name="filter", takes=LOCATED, subject="[TEXT]", options={**_LANGUAGE, **_GLOB, **_KIND}),
    Verb(
        name="outline",
        takes=LOCATED,
        gives=Kind.SYMBOLS,
        subject="FILE",
        begins=True,
        options={**_KIND, "depth": Option(metavar="N", bounds=(1, MAX_LEVELS))},
        needs="symbol",
    ),
    Verb(name="deps", takes=LOCATED, gives=Kind.FILES, subject="FILE", begins=True, options=_DEPTH, needs="graph"),
    Verb(name="impact", takes=LOCATED, gives=Kind.FILES, subject="FILE", begins=True, options=_DEPTH, needs="graph"),
    Verb(
        name="read",
        takes=LOCATED,
        gives=Kind.TEXTS,
        subject="TARGET",
        begins=True,
        options={"context": Option(metavar="N", bounds=(0, MAX_CONTEXT))},
    ),
    Verb(name="sort", takes=LOCATED, subject="[KEY]", options={"reverse": Option()}),
    Verb(name="limit", takes=_ANY, subject=f"[N={DEFAULT_LIMIT}]"),
    Verb(name="count", takes=_ANY, gives=Kind.NUMBER),
)
VERBS: Mapping[str, Verb] = MappingProxyType({verb.name: verb for verb in _VERBS})
NAMES: Mapping[str, str] = MappingProxyType(
    {name: verb.name for verb in _VERBS for name in (verb.name, *verb.other_names)}
)


def sort_keys(kind: Kind) -> tuple[str, ...]:
    """Return the sort keys of streams of a kind; the first is the default."""
    return _KEYS[kind]


def number(text: str, bounds: tuple[int, int], what: str) -> int:
    """Return a whole number within bounds. Raises ValidationError."""
    low, high = bounds
    if text.isascii() and text.isdecimal() and len(text) <= len(str(high)) and low <= int(text) <= high:
        return int(text)
    raise ValidationError(f"{what} is '{text[:60]}'", hint=f"give a number from {low} to {high:,}")
