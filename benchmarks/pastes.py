"""What people paste into a code search, drawn from a repository's own files, each with the answer it has to have.

Every candidate gets its place in the draw from a hash of itself, so a file or a definition more or less changes few
cases, and two versions of the product are asked almost the same.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from random import Random
from typing import NamedTuple, TypeVar

from cocosearch_py.analysis.paths import is_secondary, is_test
from cocosearch_py.languages.table import LANGUAGES

SEED = "pasted 1"
MOST_BYTES = 5_000_000  # of a file that is read
TRIES = 12  # candidates of one file before the next file is asked
CLASSES = (
    *("literal_quoted", "literal_bare", "filled", "path", "tail", "line", "elsewhere", "frame"),
    *("name1", "name1_lower", "name1_qualified", "name25", "name25_lower", "name25_qualified", "phrase"),
)

_TEST_PART = re.compile(
    r"(?i:(?:^|[/._-])(?:tests?|testing|testkit|specs?)(?=[/._-]))|Test(?:s|ing|Utils|Kit)?(?=[/._])"
)
_COMMENT_LINE = re.compile(r"\s*(?:///?!?|//|#+(?!!)|\*|--+|;+)\s+(?P<text>.*)")
_PHRASE_WORD = re.compile(r"[A-Za-z]{2,}")
_NAME = re.compile(r"[A-Za-z_]\w{3,}[!?]?")

_SEPARATORS = {language: "::" for language in ("rust", "cpp", "php")} | {"ruby": "#"}
_HASH_METHOD = frozenset("java javascript typescript ruby".split())
_STEM_IS_MODULE = frozenset("python rust lua haskell".split())
_NO_MODULES = frozenset("__init__ mod lib main index init".split())
_REOPENING = frozenset({"impl", "extension", "namespace"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """A query and what has to answer it.

    Args:
        wanted: the files of which one has to be first.
        lines: path and line of each place that the first hit has to cover one of; none where any line will do.
        plain: what one would give to grep, where it would know the answer.
    """

    kind: str
    query: str
    wanted: frozenset[str]
    lines: tuple[tuple[str, int], ...] = ()
    plain: str | None = None


class Symbol(NamedTuple):
    """A definition of the index."""

    path: str
    name: str
    name_key: str
    qualified_name: str
    kind: str
    function_depth: int
    start_line: int
    end_line: int


class Repository:
    """Texts and definitions of a repository, and the search for what stands in one file only.

    Args:
        root: the folder; all its text files count for "in one file only", indexed or not.
        languages: path -> language id of the indexed files.
    """

    def __init__(self, root: Path, languages: Mapping[str, str], symbols: Sequence[Symbol]) -> None:
        self.name = root.name
        self.texts = dict(read_texts(root))
        self.languages = {path: language for path, language in languages.items() if path in self.texts}
        self.symbols = [symbol for symbol in symbols if symbol.path in self.languages]
        self.paths = sorted(self.languages)
        self.sources = [
            path
            for path in self.paths
            if self.is_code(path) and not (is_test(path) or _TEST_PART.search(path) or is_secondary(path))
        ]
        self._all = list(self.texts)
        self._starts: list[int] = []
        folded = [squash(text) for text in self.texts.values()]
        end = 0
        for text in folded:
            self._starts.append(end)
            end += len(text) + 1
        self._folded = "\0".join(folded)

    def is_code(self, path: str) -> bool:
        return LANGUAGES[self.languages[path]].kind == "code"

    def ordered(self, items: Iterable[T], kind: str) -> list[T]:
        """The items as drawn for a class, the first drawn first."""
        return sorted(items, key=lambda item: digest(self.name, kind, repr(item)))

    def chance(self, *about: str) -> Random:
        return Random(digest(self.name, *about))

    def holding(self, text: str, most: int = 2) -> list[str]:
        """The first files that hold a text, in any case and with any white space."""
        needle, found, at = squash(text), [], -1
        while len(found) < most:
            at = self._folded.find(needle, at + 1)
            if at < 0:
                break
            place = bisect_right(self._starts, at) - 1
            found.append(self._all[place])
            at = self._starts[place + 1] - 1 if place + 1 < len(self._starts) else len(self._folded)
        return found

    def folded(self, path: str) -> str:
        return squash(self.texts[path])

    def lines_with(self, path: str, text: str) -> tuple[tuple[str, int], ...]:
        lines = self.texts[path].casefold().split("\n")
        return tuple((path, number) for number, line in enumerate(lines, 1) if text.casefold() in line)


def digest(*parts: str) -> int:
    return int.from_bytes(blake2b("\0".join([SEED, *parts]).encode("utf-8", "replace"), digest_size=8).digest(), "big")


def squash(text: str) -> str:
    return " ".join(text.casefold().split())


def read_texts(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if ".git" in parts or path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            continue
        data = path.read_bytes()
        if b"\0" not in data[:8_000]:
            yield "/".join(parts), data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", " ")


def one_of_each(
    repository: Repository, paths: Iterable[str], kind: str, per: int, draw: Callable[[str], Case | None]
) -> Iterator[Case]:
    """Cases of the first `per` files that give one."""
    found = 0
    for path in repository.ordered(paths, kind):
        if found == per:
            return
        if case := draw(path):
            found += 1
            yield case


# Paths


def draw_paths(repository: Repository, per: int) -> Iterator[Case]:
    paths = [path for path in repository.paths if " " not in path]
    tails: dict[str, int] = defaultdict(int)
    for path in paths:
        tails[_tail(path)] += 1

    def whole(path: str) -> Case:
        return Case("path", path, frozenset({path}), plain=path)

    def tail(path: str) -> Case | None:
        if path.count("/") < 2 or tails[_tail(path)] > 1:
            return None
        return Case("tail", _tail(path), frozenset({path}), plain=_tail(path))

    def line(path: str) -> Case | None:
        filled = [number for number, text in enumerate(repository.texts[path].split("\n"), 1) if text.strip()]
        if not filled:
            return None
        number = repository.chance("line", path).choice(filled)
        return Case("line", f"{path}:{number}", frozenset({path}), ((path, number),), plain=path)

    def elsewhere(path: str) -> Case:
        return Case("elsewhere", f"/home/u/src/{repository.name}/{path}", frozenset({path}))

    for kind, draw in (("path", whole), ("tail", tail), ("line", line), ("elsewhere", elsewhere)):
        yield from one_of_each(repository, paths, kind, per, draw)


def _tail(path: str) -> str:
    return "/".join(path.split("/")[-2:])


# Names


def draw_names(repository: Repository, per: int) -> Iterator[Case]:
    sources = set(repository.sources)
    spelled: dict[str, list[Symbol]] = defaultdict(list)
    alike: dict[str, list[Symbol]] = defaultdict(list)  # by the name in lower case without underscores
    for symbol in repository.symbols:
        if repository.is_code(symbol.path) and symbol.kind not in _REOPENING and _NAME.fullmatch(symbol.name):
            spelled[symbol.name].append(symbol)
            alike[symbol.name_key].append(symbol)
    for kind, least, most in (("name1", 1, 1), ("name25", 2, 5)):
        names = [
            name
            for name, found in spelled.items()
            if least <= len({one.path for one in found}) <= most and all(one.path in sources for one in found)
        ]
        for name in repository.ordered(names, kind)[:per]:
            found = spelled[name]
            yield _name_case(repository, kind, name, found)
            # In lower case it may be the name of something in another file, too; then it is not asked.
            others = alike[found[0].name_key]
            if name.lower() != name and {one.path for one in others} == {one.path for one in found}:
                yield _name_case(repository, f"{kind}_lower", name.lower(), others)
            yield from _qualified_case(repository, f"{kind}_qualified", found)


def _qualified_case(repository: Repository, kind: str, found: Sequence[Symbol]) -> Iterator[Case]:
    chosen = repository.ordered(found, kind)[0]
    if query := qualified(chosen, repository.languages[chosen.path]):
        owner = re.split(r"\W+", query.lower())[0]
        same = [
            one
            for one in found
            if not owner  # `#name` is anybody's
            or qualified(one, repository.languages[one.path]).lower() == query.lower()
            or owner in re.split(r"[/.]", one.path.lower())
        ]
        yield _name_case(repository, kind, query, same)


def _name_case(repository: Repository, kind: str, query: str, found: Sequence[Symbol]) -> Case:
    places = tuple((one.path, _line_of_name(repository, one)) for one in found)
    return Case(kind, query, frozenset(path for path, _ in places), places, plain=query)


def _line_of_name(repository: Repository, symbol: Symbol) -> int:
    """The line of a definition that has its name, behind decorators and comments."""
    lines = repository.texts[symbol.path].split("\n")[symbol.start_line - 1 : symbol.end_line]
    return symbol.start_line + next((number for number, line in enumerate(lines) if symbol.name in line), 0)


def qualified(symbol: Symbol, language: str) -> str:
    """The name with its owner as the language's people write it; empty where it has none.

    The owner is the enclosing definition, else the module, where the path names it.
    """
    *owners, _ = symbol.qualified_name.split(".")
    separator = _SEPARATORS.get(language, ".")
    if owners and re.fullmatch(r"\w+", owners[-1]):
        if language in _HASH_METHOD and digest(symbol.name) % 2:
            return f"#{symbol.name}" if digest(symbol.name) % 3 == 0 else f"{owners[-1]}#{symbol.name}"
        return f"{owners[-1]}{separator}{symbol.name}"
    path = PurePosixPath(symbol.path)
    module = path.stem if language in _STEM_IS_MODULE else path.parent.name if language == "go" else ""
    return f"{module}{separator}{symbol.name}" if module and module not in _NO_MODULES else ""


# Phrases


def draw_phrases(repository: Repository, per: int) -> Iterator[Case]:
    documents = [
        path
        for path in repository.paths
        if LANGUAGES[repository.languages[path]].kind != "code" and path.endswith((".md", ".rst", ".txt", ".adoc"))
    ]

    def draw(path: str) -> Case | None:
        triples = set(phrases(repository.texts[path], is_document=path in documents))
        for text in repository.ordered(triples, "phrase")[:TRIES]:
            if repository.holding(text) == [path] and (lines := repository.lines_with(path, text)):
                return Case("phrase", f'"{text}"', frozenset({path}), lines, text)
        return None

    from_documents = list(one_of_each(repository, documents, "phrase", max(1, per // 3), draw))
    yield from from_documents
    yield from one_of_each(repository, repository.sources, "phrase", per - len(from_documents), draw)


def phrases(text: str, *, is_document: bool) -> Iterator[str]:
    """Three adjacent words of the lines of comments, or of all lines of a document."""
    for line in text.split("\n"):
        match = None if is_document else _COMMENT_LINE.match(line)
        words = (line if is_document else match["text"] if match else "").split()
        for place in range(len(words) - 2):
            if all(_PHRASE_WORD.fullmatch(word) for word in words[place : place + 3]):
                yield " ".join(words[place : place + 3])
