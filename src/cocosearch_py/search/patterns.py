"""Patterns as ripgrep reads them, as regular expressions of PostgreSQL. Pure.

Matching is by lines, or over all of a file. What PostgreSQL writes in another way is translated, what it cannot do, or
not in a bounded time (lookaround, back references), is refused with its place. User patterns never reach Python's `re`,
where some take hours.
"""

import re
from collections.abc import Sequence

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.texts import TextPattern
from cocosearch_py.search.literals import RequiredTexts

MAX_PATTERN_CHARS = 1_000
_MOST_REPEATS = 255  # PostgreSQL's bound
# Maximum characters of a pattern whose repetitions are written out. PostgreSQL compiles so many in a tenth of a second.
_MAX_WRITTEN_OUT = 5_000
_OPEN_REPEAT = 100  # Characters that a repetition without an upper end counts as.
_SPECIAL = re.compile(r"[^\w\s]|[\s]")
_SPACES = r" \t\r\f\v"  # \s within one line
_CLASS_ESCAPES = {"d": r"\d", "w": r"\w", "s": f"[{_SPACES}]", "D": r"[^\d]", "W": r"[^\w]", "S": r"[^\s]"}
_INSIDE = {"d": r"\d", "w": r"\w", "s": _SPACES}
_OVER_LINES = {"s": r"\s"}  # where a match may span lines
_INSIDE_OVER_LINES = {"s": r"\s", "D": r"\D", "W": r"\W", "S": r"\S"}
_CONSTRAINTS = {"b": r"\y", "B": r"\Y", "<": r"\m", ">": r"\M"}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_REPEAT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_CODE_POINT = re.compile(r"x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})")
_GROUP = re.compile(r"\?(?:P?<[A-Za-z_]\w*>|:)")
_NAMED_CLASS = re.compile(r"\[:\^?[a-z]+:\]")
_FLAGS = re.compile(r"\(\?([is]+)\)")
_WORD = r"(?<!\w)(?:{})(?!\w)"
# As a match may span lines: ^ and $ at all line ends, `.` and classes match those, too.
_BY_LINES = "(?w)"
# The rest of the text as a group, so that all parts of the pattern decide by themselves how far they go: PostgreSQL
# would else go by the first that decides.
_TO_END = r"(.*)\Z"


def text_pattern(
    query: str, *, regex: bool = False, case_sensitive: bool | None = None, word: bool = False, multiline: bool = False
) -> TextPattern:
    """The pattern that a query means.

    Args:
        case_sensitive: whether case counts; None: if the query has a capital letter.
        multiline: a match may span lines.

    Raises:
        ValidationError: empty, too long, over several lines without `multiline`, or a regular expression that cannot be
            searched for.
    """
    if not query:
        raise ValidationError("the query is empty", hint="give the text to find", details={"parameters": ["query"]})
    if len(query) > MAX_PATTERN_CHARS:
        raise ValidationError(f"the query has {len(query):,} characters", hint=f"use at most {MAX_PATTERN_CHARS:,}")
    if "\0" in query or ("\n" in query and not multiline):
        raise ValidationError("the query has more than one line", hint="search for one of its lines")
    if not regex:
        ignore_case = query == query.lower() if case_sensitive is None else not case_sensitive
        if multiline:
            literal = max(query.split("\n"), key=len)
            return _over_lines([_escaped(query)], literal, ignore_case=ignore_case, word=word, is_plain=True)
        return TextPattern(query, _WORD.format(_escaped(query)) if word else None, ignore_case)
    reader = _Reader(query, multiline=multiline)
    branches = reader.read()
    is_lower = reader.letters == reader.letters.lower()
    ignore_case = reader.ignore_case or (is_lower if case_sensitive is None else not case_sensitive)
    literal = reader.required.longest()
    if multiline:
        is_plain = len(branches) == 1 and not reader.is_lazy
        return _over_lines(branches, literal, ignore_case=ignore_case, word=word, is_plain=is_plain)
    translated = "|".join(branches)
    return TextPattern(literal, _WORD.format(translated) if word else translated, ignore_case)


def _over_lines(branches: Sequence[str], literal: str, *, ignore_case: bool, word: bool, is_plain: bool) -> TextPattern:
    """The pattern of these alternatives, whose matches may span lines; a plain one goes as far as it can."""
    if word:
        branches = [f"(?<!\\w){branch}(?!\\w)" for branch in branches]
    flags = "(?wi)" if ignore_case else _BY_LINES
    regex = flags + "|".join(branches)
    to_end = flags + "|".join(branch + _TO_END for branch in branches)
    return TextPattern(literal, regex, ignore_case, to_end, branches=0 if is_plain else len(branches))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


class _Reader:
    """Reads a pattern once, from left to right."""

    def __init__(self, pattern: str, *, multiline: bool = False) -> None:
        self._pattern = pattern
        self._multiline = multiline
        self._dot = "[^\\n]" if multiline else "."
        self._branches: list[str] = []  # alternatives outside of groups, but for the last
        self._at = 0
        self._out: list[str] = []
        self._groups: list[int] = []  # where each open group begins
        self._sizes = [0]  # characters of the pattern and of each open group, repetitions written out
        self._atom_size = 0  # of the atom just before
        self._may_repeat = False  # whether an atom came just before
        self.required = RequiredTexts()
        self.ignore_case = False
        self.letters = ""
        self.is_lazy = False  # in part

    def read(self) -> list[str]:
        """The alternatives outside of groups, translated."""
        while flags := _FLAGS.match(self._pattern, self._at):
            self.ignore_case |= "i" in flags[1]
            if "s" in flags[1]:
                self._dot = "."
            self._at = flags.end()
        while self._at < len(self._pattern):
            self._step(self._pattern[self._at])
        if self._groups:
            raise self._refuse("a group is not closed", self._groups[-1], r"write \( for a parenthesis")
        return [*self._branches, "".join(self._out)]

    def _step(self, character: str) -> None:
        if character == "\\":
            self._escape()
        elif character == "[":
            self._class()
        elif character == "(":
            self._open()
        elif character == ")":
            self._close()
        elif character in "*+?" or (character == "{" and _REPEAT.match(self._pattern, self._at)):
            self._repeat()
        elif character == "|":
            self._alternative()
        elif character == ".":
            self._emit(self._dot, may_repeat=True, length=1)
            self._add(1)
            self.required.interrupt()
        elif character in "^$":
            self._emit(character, may_repeat=False, length=1)
        else:
            self._literal(character, 1)

    def _alternative(self) -> None:
        if self._groups:
            self._emit("|", may_repeat=False, length=1)
        else:
            self._branches.append("".join(self._out))
            self._out = []
            self._emit("", may_repeat=False, length=1)
        self.required.alternative()

    def _emit(self, text: str, *, may_repeat: bool, length: int) -> None:
        self._out.append(text)
        self._may_repeat = may_repeat
        self._at += length

    def _add(self, size: int) -> None:
        """Count an atom."""
        self._atom_size = size
        self._sizes[-1] += size

    def _literal(self, character: str, length: int) -> None:
        self._take(character)
        self._add(1)
        if character == "\n":
            self.required.interrupt()  # lines may be in several passages
        else:
            self.required.add(character)
        self._out.append(_escaped(character))
        self._may_repeat = True
        self._at += length

    def _escape(self) -> None:
        escaped = self._pattern[self._at + 1 : self._at + 2]
        if code := _CODE_POINT.match(self._pattern, self._at + 1):
            self._literal(self._character(code), len(code[0]) + 1)
        elif escaped in _CLASS_ESCAPES:
            translated = _CLASS_ESCAPES | _OVER_LINES if self._multiline else _CLASS_ESCAPES
            self._emit(translated[escaped], may_repeat=True, length=2)
            self._add(1)
            self.required.interrupt()
        elif escaped in _CONSTRAINTS:
            self._emit(_CONSTRAINTS[escaped], may_repeat=False, length=2)
        elif escaped in _CONTROLS:
            self._literal(_CONTROLS[escaped], 2)
        elif escaped and not escaped.isalnum():
            self._literal(escaped, 2)
        else:
            raise self._refuse(f"\\{escaped} is not supported", self._at, "see docs/how-to/exact-text.md")

    def _character(self, code: re.Match[str]) -> str:
        value = int(next(digits for digits in code.groups() if digits), 16)
        if not 0 < value <= 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            raise self._refuse(f"\\{code[0]} is not a character", self._at, "use a Unicode code point")
        return chr(value)

    def _class(self) -> None:
        begin = self._at
        parts = ["["]
        self._at += 1
        if self._pattern.startswith("^", self._at):
            parts.append("^")
            self._at += 1
        first = True
        while first or not self._pattern.startswith("]", self._at):
            if self._at >= len(self._pattern):
                raise self._refuse("a class is not closed", begin, r"write \[ for a bracket")
            parts.append(self._member())
            first = False
        self._emit("".join(parts) + "]", may_repeat=True, length=1)
        self._add(1)
        self.required.interrupt()

    def _member(self) -> str:
        """One member of a class, or the sign of a range."""
        character = self._pattern[self._at]
        if named := _NAMED_CLASS.match(self._pattern, self._at):
            self._at += len(named[0])
            return named[0]
        if character == "[" or self._pattern[self._at : self._at + 2] in {"&&", "--", "~~"}:
            raise self._refuse("classes within classes are not supported", self._at, r"write \[ for a bracket")
        length = 1
        if character == "\\":
            escaped = self._pattern[self._at + 1 : self._at + 2]
            if translated := (_INSIDE | _INSIDE_OVER_LINES if self._multiline else _INSIDE).get(escaped):
                self._at += 2
                return translated
            character, length = self._escaped_member(escaped)
        elif character == "-":
            self._at += 1
            return "-"
        self._take(character)
        self._at += length
        return _escaped(character)

    def _escaped_member(self, escaped: str) -> tuple[str, int]:
        """The character that an escape in a class stands for, and the length of the escape."""
        if code := _CODE_POINT.match(self._pattern, self._at + 1):
            return self._character(code), len(code[0]) + 1
        if escaped in _CONTROLS:
            return _CONTROLS[escaped], 2
        if escaped and not escaped.isalnum():
            return escaped, 2
        raise self._refuse(f"\\{escaped} is not supported in a class", self._at, "write it outside the class")

    def _take(self, character: str) -> None:
        """Note a character that the pattern names."""
        if character == "\n" and not self._multiline:
            raise self._refuse("a match cannot span lines", self._at, "search for one of the lines, or use multiline")
        self.letters += character

    def _open(self) -> None:
        begin = self._at
        group = _GROUP.match(self._pattern, begin + 1)
        if group is None and self._pattern.startswith("?", begin + 1):
            raise self._refuse(
                "lookaround and flags within a pattern are not supported",
                begin,
                "only (?i) and (?s) at the beginning are supported",
            )
        self._groups.append(begin)
        self._sizes.append(0)
        self.required.open()
        self._out.append("(?:")
        self._may_repeat = False
        self._at += 1 + (len(group[0]) if group else 0)

    def _close(self) -> None:
        if not self._groups:
            raise self._refuse("a closing parenthesis has no opening one", self._at, r"write \) for a parenthesis")
        self._groups.pop()
        self._add(self._sizes.pop())
        self.required.close()
        self._emit(")", may_repeat=True, length=1)

    def _repeat(self) -> None:
        if not self._may_repeat:
            raise self._refuse("nothing to repeat", self._at, r"write \* \+ \? or \{ for the character itself")
        sign, length = self._pattern[self._at], 1
        least, most = int(sign == "+"), 1 if sign == "?" else None
        if counted := _REPEAT.match(self._pattern, self._at):
            least, highest = int(counted[1]), int(counted[3] or counted[1])
            most = None if counted[2] and not counted[3] else highest
            if max(least, highest) > _MOST_REPEATS or highest < least:
                raise self._refuse(f"{counted[0]} cannot be", self._at, f"repeat {_MOST_REPEATS} times at most")
            sign, length = counted[0], len(counted[0])
        written_out = self._atom_size * (max(least, most or 1, 1) - 1)
        self._add(written_out + (_OPEN_REPEAT if most is None else 0))
        if self._sizes[-1] > _MAX_WRITTEN_OUT:
            why = f"its repetitions expand to more than {_MAX_WRITTEN_OUT:,} characters"
            raise self._refuse(why, self._at, "use smaller numbers in braces")
        self.required.repeat(least)
        self._emit(sign, may_repeat=False, length=length)
        if self._pattern.startswith("?", self._at):  # lazy: another end, within a line not another line
            self._at += 1
            if self._multiline:
                self._out.append("?")
                self.is_lazy = True

    def _refuse(self, why: str, at: int, hint: str) -> ValidationError:
        return ValidationError(f"unsupported or invalid pattern: {why} (character {at + 1})", hint=hint)
