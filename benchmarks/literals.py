"""String literals of a repository that stand in one file only: as they are written, and as a program prints them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random

from pastes import Case, Repository, one_of_each, squash

TRIES = 12  # literals of one file before the next file is asked

# Quotes of strings; a language without an entry has no literals here.
_BOTH = frozenset("python javascript typescript tsx ruby php lua bash perl dart".split())
_DOUBLE = frozenset("c cpp csharp java kotlin scala go rust swift haskell elixir zig objc".split())
_BACKTICK = frozenset("javascript typescript tsx".split())
_HASH_COMMENT = frozenset("python ruby bash elixir perl".split())
_DASH_COMMENT = frozenset("lua haskell".split())
_TRIPLE = ('"""', "'''")

_DOUBLE_QUOTED = r'"(?P<double>(?:[^"\\]|\\.)*)"'
_SINGLE_QUOTED = r"'(?P<single>(?:[^'\\]|\\.)*)'"
_BACKTICK_QUOTED = r"`(?P<back>(?:[^`\\]|\\.)*)`"
_CHARACTER = r"'(?:[^'\\]|\\.[^']{0,8})'"
_TELLING_WORD = re.compile(r"(?<![\w.])[A-Za-z][a-z]+(?![\w(])")
_STYLES = re.compile(r"\bclass(?:Name)?\s*=\s*[\"'{]")  # lists of style classes are not text

_PRINTF = r"%(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:ll|[lzh])?[sdiuvqwxXrpfgc@](?![A-Za-z])"
_BRACES = r"\{[\w.!:?#\[\]()]*\}"
_EXPRESSION = r"\{[^{}]*\}"
_DOLLAR_BRACES = r"\$\{[^{}]*\}"
_DOLLAR_NAME = r"\$\w+(?:->\w+)*"
_PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("python", "csharp"), (_PRINTF, _EXPRESSION)),
    **dict.fromkeys(("rust", "cpp", "zig", "java"), (_PRINTF, _BRACES)),
    **dict.fromkeys(("javascript", "typescript", "tsx"), (_DOLLAR_BRACES, _PRINTF)),
    "php": (r"\{\$[^{}]*\}", _DOLLAR_BRACES, _DOLLAR_NAME, _PRINTF),
    **dict.fromkeys(("kotlin", "scala", "bash", "perl"), (_DOLLAR_BRACES, _DOLLAR_NAME, _BRACES, _PRINTF)),
    **dict.fromkeys(("ruby", "elixir"), (r"#\{[^{}]*\}", _PRINTF)),
    "swift": (r"\\\((?:[^()]|\([^()]*\))*\)", _PRINTF),
}
_NOT_FILLED = re.compile(r"[$#]\{|\$\(|\\|\{\{|%[sdv]")
_NUMERIC = re.compile(r"(?i)(?:size|count|len|length|dim\w*|number|num|port|index|id|line|pid|status|code)\W*$")
_NUMBERS = ("42", "3", "8080", "127", "1024")
_NAMES = ("customer_id", "main", "orders", "default-cache", "Invoice")
_THINGS = ("42", "/var/lib/app/data.json", "'customer_id'", "config/settings.yml", "10.0.0.7:5432", "orders")
_PREFIXES = (
    *("myprog: error: ", "rpc error: code = Unknown desc = ", "2026-03-02T10:15:22Z ERROR ", "[warn] "),
    *("Error: ", "failed to start worker: "),
)


def literals(text: str, language: str) -> Iterator[str]:
    """Contents of the string literals of a source that end on the line they begin on; comments are left out."""
    if language not in _BOTH | _DOUBLE:
        return
    marks = "#" if language in _HASH_COMMENT else "--" if language in _DASH_COMMENT else "//"
    comment = rf"(?P<comment>(?:^|(?<=\s)){re.escape(marks)}|/\*|\{{-)"
    quoted = [comment, _DOUBLE_QUOTED, _SINGLE_QUOTED if language in _BOTH else _CHARACTER]
    token = re.compile("|".join([*quoted, _BACKTICK_QUOTED] if language in _BACKTICK else quoted))
    starts = (marks, "*", "//", "@moduledoc", "@doc", *_TRIPLE)
    inside = False  # a string or comment of several lines
    for line in text.split("\n"):
        if sum(line.count(mark) for mark in _TRIPLE) % 2 or (not inside and "/*" in line and "*/" not in line):
            inside = not inside
            continue
        if inside and "*/" in line:
            inside = False
            continue
        if inside or line.lstrip().startswith(starts) or _STYLES.search(line):
            continue
        for match in token.finditer(line):
            if match["comment"]:
                break
            yield from filter(None, (value for name, value in match.groupdict().items() if name != "comment"))


def is_telling(literal: str, placeholder: re.Pattern[str]) -> bool:
    """Whether a literal is one that people paste: three to twelve words on one line, more text than format."""
    if not 3 <= len(literal.split()) <= 12 or '"' in literal or len(literal) > 200 or literal[0] in "-|,;.)]}&=>":
        return False
    bare = placeholder.sub("", literal)
    letters = sum(char.isalpha() or char == " " for char in bare)
    return "\\" not in bare and len(_TELLING_WORD.findall(bare)) >= 3 and letters >= 0.7 * len(bare)


def placeholder_of(language: str) -> re.Pattern[str]:
    return re.compile("|".join(_PLACEHOLDERS.get(language, (_PRINTF,))))


def telling_literals(repository: Repository, path: str, kind: str) -> list[str]:
    language = repository.languages[path]
    placeholder = placeholder_of(language)
    cleaned = {re.sub(r"(?:\\[nrt])+$", "", one).strip() for one in literals(repository.texts[path], language)}
    return repository.ordered([one for one in cleaned if is_telling(one, placeholder)], kind)[:TRIES]


def draw_literals(repository: Repository, per: int) -> Iterator[Case]:
    def draw(path: str) -> Case | None:
        for text in telling_literals(repository, path, "literal"):
            if repository.holding(text) == [path] and (lines := repository.lines_with(path, text)):
                return Case("literal_bare", text, frozenset({path}), lines, text)
        return None

    for case in one_of_each(repository, repository.sources, "literal", per, draw):
        yield Case("literal_quoted", f'"{case.query}"', case.wanted, case.lines, case.plain)
        yield case


def draw_filled(repository: Repository, per: int) -> Iterator[Case]:
    def draw(path: str) -> Case | None:
        placeholder = placeholder_of(repository.languages[path])
        for text in telling_literals(repository, path, "filled"):
            places = list(placeholder.finditer(text))
            if not places or any(text[one.end() : one.end() + 1].isalpha() for one in places):
                continue  # a value right before a letter is a colour or an ending
            if not _only_makes(repository, path, placeholder.split(text)):
                continue
            chance = repository.chance("fill", path, text)
            query = placeholder.sub(partial(value_for, chance=chance), text).replace("%%", "%")
            lines = repository.lines_with(path, text)
            if lines and not _NOT_FILLED.search(query):
                prefix = chance.choice(_PREFIXES) if chance.random() < 0.35 else ""
                return Case("filled", prefix + query, frozenset({path}), lines, prefix + query)
        return None

    yield from one_of_each(repository, repository.sources, "filled", per, draw)


def value_for(match: re.Match[str], chance: Random) -> str:
    """What a program would print in the place of a placeholder."""
    placeholder = match[0]
    before = match.string[: match.start()]
    if before[-1:].isalpha() or _NUMERIC.search(placeholder) or (placeholder[0] == "%" and placeholder[-1] in "diuxX"):
        return chance.choice(_NUMBERS)
    if placeholder.startswith("%") and placeholder[-1] in "fg":
        return "0.75"
    if placeholder.endswith("q"):
        return f'"{chance.choice(_NAMES)}"'
    return chance.choice(_NAMES if before.endswith(("'", "`", "<", "(", ".", "_", ":", "/")) else _THINGS)


def _only_makes(repository: Repository, path: str, fixed: Sequence[str]) -> bool:
    """Whether this file alone holds the fixed parts of a literal close together and in order."""
    parts = [squash(part) for part in fixed if part and squash(part)]
    longest = max(parts, key=len, default="")
    if len(longest) < 8:
        return False
    together = re.compile(".{0,80}?".join(map(re.escape, parts)))
    files = repository.holding(longest, most=40)
    return len(files) < 40 and [one for one in files if together.search(repository.folded(one))] == [path]
