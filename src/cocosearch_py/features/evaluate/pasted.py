"""Cases of what people paste: a name, a message, a path. Pure.

The answers are read off the files themselves, with patterns that hold for most languages; neither the parsers nor the
search have a part in them. Every candidate gets its place in the draw from a hash of itself, so that one more file
changes few questions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from operator import itemgetter

from cocosearch_py.analysis.words import name_key
from cocosearch_py.features.evaluate.cases import Case, is_side_file

SEED = "1"
MOST_OF_FILE = 12  # messages of a file that are looked at
_MESSAGE_WORDS = range(3, 13)
_MESSAGE_CHARS = 200
_LETTERS = 0.7  # least share of letters and spaces in a message: more text than format

# At the start of a line, behind its modifiers: a word that defines, a receiver, a name that is no word of prose, and
# what follows a definition. `struct name *p` and `class Name;` only mention one.
_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:abstract|async|const|data|declare|default|export|final|inline|internal|local|open|override|partial"
    r"|private|protected|pub(?:\([a-z]+\))?|public|sealed|static|suspend|unsafe|virtual)[ \t]+){0,5}?"
    r"(?:class|struct|interface|trait|enum|protocol|object|record|module|defmodule|data|newtype|type"
    r"|def|defp|func|fun|fn|function|sub)[ \t]+(?:\([^()\n]*\)[ \t]*)?"
    r"(?P<name>(?=\w{5})[a-zA-Z_]\w*+)"
    r"(?=[ \t]*(?:[({:<\[=]|$|(?:extends|implements|where|struct|interface|func|do)\b))",
    re.MULTILINE,
)
_TELLING_NAME = re.compile(r"\w*?(?:[A-Z]|[a-zA-Z]_)\w*")
# What stands between quotes on one line; an apostrophe inside a word is none. Backquotes mark code in many comments.
_QUOTED = re.compile(r"\"(?P<double>[^\"\\\n]+)\"|(?<!\w)'(?P<single>[^'\\\n]+)'(?!\w)")
_COMMENT = re.compile(r"[ \t]*(?://|/?\*|#|--|;|\"\"\"|''')")
_PLACEHOLDER = re.compile(r"[{}$<>|\"`]|%[\w(]")
_WORD = re.compile(r"(?<![\w.])[A-Za-z][a-z]+(?![\w(])")


def pasted_cases(texts: Mapping[str, str], indexed: Mapping[str, str], most: int) -> list[Case]:
    """At most so many cases of each source.

    Args:
        texts: path -> content of the indexed files; empty where they could not all be read.
        indexed: path -> language id.
    """
    drawn = (name_cases(texts, indexed), path_cases(indexed), tail_cases(indexed), line_cases(texts))
    literals = list(islice(literal_cases(texts, indexed), most))
    return [
        *(case for cases in drawn for case in islice(cases, most)),
        *(Case("literal_quoted", f'"{case.query}"', case.paths) for case in literals),
        *literals,
    ]


def name_cases(texts: Mapping[str, str], indexed: Mapping[str, str]) -> Iterator[Case]:
    """Cases of names that one file alone defines, whatever their case and underscores, and that file is source."""
    holders: defaultdict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    for path, text in texts.items():
        for match in _DEFINITION.finditer(text):
            key = name_key(match["name"])
            holders[key].add(path)
            names.setdefault(key, match["name"])
    for key in _ordered(holders, "name"):
        paths = holders[key]
        if len(paths) == 1 and _TELLING_NAME.fullmatch(names[key]) and not is_side_file(next(iter(paths)), indexed):
            yield Case("name", names[key], frozenset(paths))


def literal_cases(texts: Mapping[str, str], indexed: Mapping[str, str]) -> Iterator[Case]:
    """Cases of messages that one file alone, a source file, holds in any case and with any white space.

    First come those of as many files as possible, then further ones of the same files.
    """
    folded = {path: _squash(text) for path, text in texts.items()}
    candidates = [
        (place, path, message)
        for path in _ordered((path for path in texts if not is_side_file(path, indexed)), "literal")
        for place, message in enumerate(_ordered(messages(texts[path]), "literal")[:MOST_OF_FILE])
    ]
    for _, path, message in sorted(candidates, key=itemgetter(0)):
        needle = _squash(message)
        if not any(needle in text for other, text in folded.items() if other != path):
            yield Case("literal_bare", message, frozenset({path}))


def messages(text: str) -> set[str]:
    """Quoted texts of a source that people would paste: three to twelve words on one line without placeholders."""
    lines = (line for line in text.split("\n") if not _COMMENT.match(line))
    quoted = (match[match.lastgroup or 0] for line in lines for match in _QUOTED.finditer(line))
    return {text.strip() for text in quoted if _is_message(text.strip())}


def _is_message(text: str) -> bool:
    letters = sum(char.isalpha() or char == " " for char in text)
    return (
        len(text) <= _MESSAGE_CHARS
        and len(text.split()) in _MESSAGE_WORDS
        and not _PLACEHOLDER.search(text)
        and len(_WORD.findall(text)) >= _MESSAGE_WORDS.start
        and letters >= _LETTERS * len(text)
        and text[0].isalnum()
        and text[-1] != "'"
    )


def path_cases(indexed: Iterable[str]) -> Iterator[Case]:
    """Cases of whole paths."""
    for path in _ordered(indexed, "path"):
        yield Case("path", path, frozenset({path}))


def tail_cases(indexed: Iterable[str]) -> Iterator[Case]:
    """Cases of the last two parts of longer paths, where only one file has them."""
    tails = {path: "/".join(path.split("/")[-2:]) for path in indexed}
    found = Counter(tails.values())
    for path in _ordered(tails, "tail"):
        if found[tails[path]] == 1 and path != tails[path]:
            yield Case("tail", tails[path], frozenset({path}))


def line_cases(texts: Mapping[str, str]) -> Iterator[Case]:
    """Cases of a path with the number of one of its lines."""
    for path in _ordered(texts, "line"):
        filled = [number for number, line in enumerate(texts[path].split("\n"), start=1) if line.strip()]
        if filled:
            yield Case("line", f"{path}:{filled[_digest('line', path) % len(filled)]}", frozenset({path}))


def _ordered(items: Iterable[str], source: str) -> list[str]:
    return sorted(items, key=lambda item: _digest(source, item))


def _digest(*parts: str) -> int:
    text = "\0".join((SEED, *parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def _squash(text: str) -> str:
    return " ".join(text.casefold().split())
