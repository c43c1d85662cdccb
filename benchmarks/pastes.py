"""Texts that people paste into a code search, drawn from a repository's own files, each with the place it came from.

Every candidate gets its place in the draw from a hash of itself, so a file or a definition more or less changes few
cases, and two versions of the product are asked almost the same.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from cocosearch_py.analysis.paths import is_secondary, is_test
from cocosearch_py.languages.table import LANGUAGES

SEED = "pasted 1"
MAX_BYTES = 5_000_000  # of a file that is read
TRIES = 12  # candidates of one file before the next file is asked
CLASSES = (
    "literal_quoted",
    "literal_bare",
    "path",
    "tail",
    "line",
    "elsewhere",
    "frame",
    "name",
    "qualified",
    "phrase",
)

_TEST_PART = re.compile(
    r"(?i:(?:^|[/._-])(?:tests?|testing|testkit|specs?)(?=[/._-]))|Test(?:s|ing|Utils|Kit)?(?=[/._])"
)
_COMMENT_LINE = re.compile(r"\s*(?:///?!?|//|#+(?!!)|\*|--+|;+)\s+(?P<text>.*)")
_PHRASE_WORD = re.compile(r"[A-Za-z]{2,}")
_NAME = re.compile(r"[A-Za-z_]\w{3,}[!?]?")
_REOPENING = frozenset({"impl", "extension", "namespace"})  # kinds that define nothing new
_SEPARATORS = {language: "::" for language in ("rust", "cpp", "php")} | {"ruby": "#"}

# Quotes of strings; a language without an entry has no literals here.
_BOTH = frozenset("python javascript typescript tsx ruby php lua bash perl dart".split())
_DOUBLE = frozenset("c cpp csharp java kotlin scala go rust swift haskell elixir zig objc".split())
_HASH_COMMENT = frozenset("python ruby bash elixir perl".split())
_TRIPLE = ('"""', "'''")
_DOUBLE_QUOTED = r'"(?P<double>(?:[^"\\]|\\.)*)"'
_SINGLE_QUOTED = r"'(?P<single>(?:[^'\\]|\\.)*)'"
_CHARACTER = r"'(?:[^'\\]|\\.[^']{0,8})'"
_TELLING_WORD = re.compile(r"(?<![\w.])[A-Za-z][a-z]+(?![\w(])")
_PLACEHOLDER = re.compile(r"%[-+#0]*\d*(?:\.\d+)?[a-zA-Z]|[$#]?\{[^{}]*\}|\$\w+")

# Frame of a stack trace by language: format of a place, text before the frames, text after them.
_FRAMES = {
    "python": (
        '  File "{root}/{path}", line {line}, in {name}\n    {text}',
        'Traceback (most recent call last):\n  File "/usr/lib/python3.11/threading.py", line 982, in run\n'
        "    self._target(*self._args)",
        "ValueError: unexpected value",
    ),
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"),
        (
            "    at {name} ({root}/{path}:{line}:7)",
            "TypeError: Cannot read properties of undefined (reading 'id')",
            "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
        ),
    ),
    "go": (
        "main.{name}(...)\n\t{root}/{path}:{line} +0x1d",
        "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:",
        "runtime.main()\n\t/usr/local/go/src/runtime/proc.go:271 +0x29d",
    ),
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """A query with its answer.

    Args:
        wanted: files of which one has to be first.
        lines: path and line of places of which the first hit has to cover one; none where any line will do.
    """

    kind: str
    query: str
    wanted: frozenset[str]
    lines: tuple[tuple[str, int], ...] = ()


class Symbol(NamedTuple):
    """Definition in the index."""

    path: str
    name: str
    qualified_name: str
    kind: str
    function_depth: int
    start_line: int
    end_line: int


class Repository:
    """Texts and definitions of a repository.

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
        needle, at = squash(text), -1
        paths: list[str] = []
        while len(paths) < most:
            at = self._folded.find(needle, at + 1)
            if at < 0:
                break
            place = bisect_right(self._starts, at) - 1
            paths.append(self._all[place])
            at = self._starts[place + 1] - 1 if place + 1 < len(self._starts) else len(self._folded)
        return paths

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
        if ".git" in parts or path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            continue
        data = path.read_bytes()
        if b"\0" not in data[:8_000]:
            yield "/".join(parts), data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", " ")


def one_of_each(
    repository: Repository, paths: Iterable[str], kind: str, per: int, draw: Callable[[str], Case | None]
) -> Iterator[Case]:
    """Cases of the first `per` files that give one."""
    number = 0
    for path in repository.ordered(paths, kind):
        if number == per:
            return
        if case := draw(path):
            number += 1
            yield case


def draw(repository: Repository, per: int) -> list[Case]:
    """Cases of a repository, the same in every run."""
    draws = (draw_literals, draw_paths, draw_frames, draw_names, draw_phrases)
    return [case for draw_class in draws for case in draw_class(repository, per)]


def draw_paths(repository: Repository, per: int) -> Iterator[Case]:
    paths = [path for path in repository.paths if " " not in path]
    tails: dict[str, int] = defaultdict(int)
    for path in paths:
        tails[_tail(path)] += 1

    def tail(path: str) -> Case | None:
        is_clear = path.count("/") >= 2 and tails[_tail(path)] == 1
        return Case("tail", _tail(path), frozenset({path})) if is_clear else None

    def line(path: str) -> Case | None:
        filled = [number for number, text in enumerate(repository.texts[path].split("\n"), 1) if text.strip()]
        if not filled:
            return None
        number = repository.chance("line", path).choice(filled)
        return Case("line", f"{path}:{number}", frozenset({path}), ((path, number),))

    draws: dict[str, Callable[[str], Case | None]] = {
        "path": lambda path: Case("path", path, frozenset({path})),
        "tail": tail,
        "line": line,
        "elsewhere": lambda path: Case("elsewhere", f"/home/u/src/{repository.name}/{path}", frozenset({path})),
    }
    for kind, draw_path in draws.items():
        yield from one_of_each(repository, paths, kind, per, draw_path)


def _tail(path: str) -> str:
    return "/".join(path.split("/")[-2:])


def draw_names(repository: Repository, per: int) -> Iterator[Case]:
    """Names that one to five files define, alone and with their owner."""
    sources = set(repository.sources)
    defined: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in repository.symbols:
        if repository.is_code(symbol.path) and symbol.kind not in _REOPENING and _NAME.fullmatch(symbol.name):
            defined[symbol.name].append(symbol)
    names = [
        name
        for name, symbols in defined.items()
        if len({symbol.path for symbol in symbols}) <= 5 and all(symbol.path in sources for symbol in symbols)
    ]
    for name in repository.ordered(names, "name")[:per]:
        symbols = defined[name]
        yield _name_case(repository, "name", name, symbols)
        owner, _, _ = symbols[0].qualified_name.rpartition(".")
        owner = owner.rpartition(".")[2]
        if re.fullmatch(r"\w+", owner):
            separator = _SEPARATORS.get(repository.languages[symbols[0].path], ".")
            owned = [symbol for symbol in symbols if symbol.qualified_name.endswith(f"{owner}.{name}")]
            yield _name_case(repository, "qualified", f"{owner}{separator}{name}", owned)


def _name_case(repository: Repository, kind: str, query: str, symbols: Sequence[Symbol]) -> Case:
    places = tuple((symbol.path, _line_of_name(repository, symbol)) for symbol in symbols)
    return Case(kind, query, frozenset(path for path, _ in places), places)


def _line_of_name(repository: Repository, symbol: Symbol) -> int:
    """Line of a definition that has its name, behind decorators and comments."""
    lines = repository.texts[symbol.path].split("\n")[symbol.start_line - 1 : symbol.end_line]
    return symbol.start_line + next((number for number, line in enumerate(lines) if symbol.name in line), 0)


def draw_frames(repository: Repository, per: int) -> Iterator[Case]:
    """Stack traces of which the deepest frame of the repository is the answer."""
    functions: dict[str, list[Symbol]] = defaultdict(list)
    for symbol in repository.symbols:
        is_function = symbol.kind in ("function", "method") and not symbol.function_depth
        if is_function and symbol.end_line > symbol.start_line and symbol.path in repository.sources:
            functions[symbol.path].append(symbol)

    def draw_frame(path: str) -> Case | None:
        if repository.languages[path] not in _FRAMES:
            return None
        chance = repository.chance("frame", path)
        symbol = chance.choice(functions[path])
        line = chance.randrange(symbol.start_line + 1, symbol.end_line + 1)
        place, head, foot = _FRAMES[repository.languages[path]]
        text = repository.texts[path].split("\n")[line - 1].strip()
        root = f"/home/u/src/{repository.name}"
        frame = place.format(root=root, path=path, line=line, name=symbol.name, text=text)
        return Case("frame", f"{head}\n{frame}\n{foot}", frozenset({path}), ((path, line),))

    yield from one_of_each(repository, list(functions), "frame", per, draw_frame)


def draw_phrases(repository: Repository, per: int) -> Iterator[Case]:
    documents = [
        path
        for path in repository.paths
        if LANGUAGES[repository.languages[path]].kind != "code" and path.endswith((".md", ".rst", ".txt", ".adoc"))
    ]

    def draw_phrase(path: str) -> Case | None:
        triples = set(phrases(repository.texts[path], is_document=path in documents))
        for text in repository.ordered(triples, "phrase")[:TRIES]:
            if repository.holding(text) == [path] and (lines := repository.lines_with(path, text)):
                return Case("phrase", f'"{text}"', frozenset({path}), lines)
        return None

    from_documents = list(one_of_each(repository, documents, "phrase", max(1, per // 3), draw_phrase))
    yield from from_documents
    yield from one_of_each(repository, repository.sources, "phrase", per - len(from_documents), draw_phrase)


def phrases(text: str, *, is_document: bool) -> Iterator[str]:
    """Three adjacent words of comments, or of any line of a document."""
    for line in text.split("\n"):
        match = None if is_document else _COMMENT_LINE.match(line)
        words = (line if is_document else match["text"] if match else "").split()
        for place in range(len(words) - 2):
            if all(_PHRASE_WORD.fullmatch(word) for word in words[place : place + 3]):
                yield " ".join(words[place : place + 3])


def draw_literals(repository: Repository, per: int) -> Iterator[Case]:
    """String literals that one file holds, in quotes and without."""

    def draw_literal(path: str) -> Case | None:
        language = repository.languages[path]
        cleaned = {re.sub(r"(?:\\[nrt])+$", "", text).strip() for text in literals(repository.texts[path], language)}
        for text in repository.ordered(filter(is_telling, cleaned), "literal")[:TRIES]:
            if repository.holding(text) == [path] and (lines := repository.lines_with(path, text)):
                return Case("literal_bare", text, frozenset({path}), lines)
        return None

    for case in one_of_each(repository, repository.sources, "literal", per, draw_literal):
        yield Case("literal_quoted", f'"{case.query}"', case.wanted, case.lines)
        yield case


def literals(text: str, language: str) -> Iterator[str]:
    """Contents of string literals that end on the line they begin on; comments are left out."""
    if language not in _BOTH | _DOUBLE:
        return
    marks = "#" if language in _HASH_COMMENT else "--" if language in ("lua", "haskell") else "//"
    comment = rf"(?P<comment>(?:^|(?<=\s)){re.escape(marks)}|/\*|\{{-)"
    token = re.compile("|".join([comment, _DOUBLE_QUOTED, _SINGLE_QUOTED if language in _BOTH else _CHARACTER]))
    inside = False  # a string or comment of several lines
    for line in text.split("\n"):
        if sum(line.count(mark) for mark in _TRIPLE) % 2 or (not inside and "/*" in line and "*/" not in line):
            inside = not inside
            continue
        if inside:
            inside = "*/" not in line
            continue
        if line.lstrip().startswith((marks, "*", "//", "@moduledoc", "@doc", *_TRIPLE)):
            continue
        for match in token.finditer(line):
            if match["comment"]:
                break
            yield from filter(None, (value for name, value in match.groupdict().items() if name != "comment"))


def is_telling(literal: str) -> bool:
    """Whether people would paste a literal: three to twelve words on one line, more text than format."""
    if not 3 <= len(literal.split()) <= 12 or '"' in literal or len(literal) > 200 or literal[0] in "-|,;.)]}&=>":
        return False
    bare = _PLACEHOLDER.sub("", literal)
    letters = sum(char.isalpha() or char == " " for char in bare)
    return "\\" not in bare and len(_TELLING_WORD.findall(bare)) >= 3 and letters >= 0.7 * len(bare)
