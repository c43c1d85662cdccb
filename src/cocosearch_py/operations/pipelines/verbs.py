"""The steps that a pipeline can have: what each takes, gives and may be told. Pure, and all of them only read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from cocosearch_py.errors import ValidationError

MAX_ITEMS = 10_000  # of a stream
MAX_DEPTH = 20  # imports in a row
MAX_LEVELS = 5  # of an outline
MAX_CONTEXT = 50  # lines around what is read
DEFAULT_LIMIT = 10


class Kind(StrEnum):
    """What a stream consists of; the value is what people call several of them."""

    FILES = "files"
    PASSAGES = "passages"  # what `search` ranks
    LINES = "lines"  # that hold a text
    SYMBOLS = "symbols"  # definitions
    USES = "uses"  # of definitions
    TEXTS = "texts"  # what `read` gives
    NUMBER = "a number"


LOCATED = (Kind.FILES, Kind.PASSAGES, Kind.LINES, Kind.SYMBOLS, Kind.USES)  # all that are in a file
_ANY = (*LOCATED, Kind.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Option:
    """`--name VALUE`; without a metavar it is a switch. A number has bounds, inclusive."""

    metavar: str = ""
    bounds: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verb:
    """One kind of step.

    Attributes:
        about: what it does, after its name.
        takes: the kinds of stream that it can follow; with none it can only begin a chain.
        gives: the kind of its own stream; None if that is the kind that it took.
        subject: what it is told first, in its place; empty if nothing.
        begins: it can begin a chain, and then needs its subject; where it follows, it has the stream instead.
        needs: the feature that the index must have been made with; none if empty.
    """

    name: str
    about: str
    takes: tuple[Kind, ...] = ()
    gives: Kind | None = None
    subject: str = ""
    begins: bool = False
    other_names: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    needs: str = ""

    def usage(self, *, begins: bool) -> str:
        """How it is written where it begins a chain, or follows."""
        if self.begins and not begins:
            return self.name
        optional = self.subject.startswith("[") or not self.subject
        return f"{self.name} {self.subject}".rstrip() if begins or optional else self.name


_LANGUAGE = {"language": Option(metavar="LANG")}
_GLOB = {"path-glob": Option(metavar="GLOB")}
_KIND = {"kind": Option(metavar="KIND")}
_DEPTH = {"depth": Option(metavar="N", bounds=(1, MAX_DEPTH))}


def _along_imports(name: str, about: str) -> Verb:
    return Verb(
        name=name,
        about=about,
        takes=LOCATED,
        gives=Kind.FILES,
        subject="FILE",
        begins=True,
        options=_DEPTH,
        needs="graph",
    )


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
    Verb(
        name="find",
        about="files by a glob",
        gives=Kind.FILES,
        subject="GLOB",
        begins=True,
        other_names=("glob",),
        options=_LANGUAGE,
    ),
    Verb(
        name="fuzzy",
        about="files whose path is like a text, the likest first",
        gives=Kind.FILES,
        subject="TEXT",
        begins=True,
        other_names=("path_search",),
        options={**_LANGUAGE, **_GLOB},
    ),
    Verb(
        name="search",
        about="passages by meaning and name, the best first, 100 at most",
        gives=Kind.PASSAGES,
        subject="QUERY",
        begins=True,
        options={**_LANGUAGE, **_GLOB, **_KIND},
    ),
    Verb(
        name="text",
        about="lines that hold a text",
        gives=Kind.LINES,
        subject="TEXT",
        begins=True,
        other_names=("text_search",),
        options={"regex": Option(), "word": Option(), "case-sensitive": Option(), **_LANGUAGE, **_GLOB},
    ),
    Verb(
        name="symbols",
        about="definitions by name",
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
        about="calls of a definition, or of each one before; --kind has other uses, or all",
        takes=(Kind.SYMBOLS,),
        gives=Kind.USES,
        subject="NAME",
        begins=True,
        options={**_KIND, **_LANGUAGE, **_GLOB},
        needs="graph",
    ),
    Verb(
        name="filter",
        about="only what holds a text, or is in such files, or of such a kind",
        takes=LOCATED,
        subject="[TEXT]",
        options={**_LANGUAGE, **_GLOB, **_KIND},
    ),
    Verb(
        name="outline",
        about="the definitions of a file, or of each file before",
        takes=LOCATED,
        gives=Kind.SYMBOLS,
        subject="FILE",
        begins=True,
        options={**_KIND, "depth": Option(metavar="N", bounds=(1, MAX_LEVELS))},
        needs="symbol",
    ),
    _along_imports("deps", "the files that a file imports, or that those before import"),
    _along_imports("impact", "the files that import a file, or those before"),
    Verb(
        name="read",
        about="the text of a file, of FILE:10-40, of FILE#name, or of all before",
        takes=LOCATED,
        gives=Kind.TEXTS,
        subject="TARGET",
        begins=True,
        options={"context": Option(metavar="N", bounds=(0, MAX_CONTEXT))},
    ),
    Verb(
        name="sort",
        about="by path, or by score, lines, size, symbols, modified, distance, name, kind",
        takes=LOCATED,
        subject="[KEY]",
        options={"reverse": Option()},
    ),
    Verb(name="limit", about="the first so many", takes=_ANY, subject=f"[N={DEFAULT_LIMIT}]"),
    Verb(name="count", about="how many there are", takes=_ANY, gives=Kind.NUMBER),
)
VERBS: Mapping[str, Verb] = MappingProxyType({one.name: one for one in _VERBS})
NAMES: Mapping[str, str] = MappingProxyType({name: one.name for one in _VERBS for name in (one.name, *one.other_names)})


def sort_keys(kind: Kind) -> tuple[str, ...]:
    """What streams of a kind can be sorted by; the first is the default."""
    return _KEYS[kind]


def number(text: str, bounds: tuple[int, int], what: str) -> int:
    """A whole number within bounds; raises ValidationError."""
    low, high = bounds
    if text.isascii() and text.isdecimal() and len(text) <= len(str(high)) and low <= int(text) <= high:
        return int(text)
    raise ValidationError(f"{what} is '{text[:60]}'", hint=f"give a number from {low} to {high:,}")
