"""Gitignore patterns: parse a file of them, match one path against them.

The matching is git's own, byte by byte (see gitignore(5) and git's wildmatch): a pattern is matched against
the entry itself, never against what lies below it. Whoever walks must therefore not enter an ignored folder,
which is also why a file below one cannot be re-included. This module does not walk and does not run git.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cocosearch_py.discovery.regular_files import read_regular

IGNORE_FILE_MAX_BYTES = 4 * 1024 * 1024  # a real ignore file is a few KB; more than this is not one
_FOLDERS = rb"(?:[^/]*/)*?"  # any number of whole folders, as few as possible
_ABOVE = rb"(?>(?:.*/)?)"  # all folders above an entry
_SPECIAL = re.compile(rb"[*?\[\\]")
_PLAIN = re.compile(rb"[^*?\[\\]*")
_CLASSES: dict[bytes, str] = {
    b"alnum": r"[A-Za-z0-9]", b"alpha": r"[A-Za-z]", b"blank": r"[ \t]", b"cntrl": r"[\x00-\x1f\x7f]",
    b"digit": r"[0-9]", b"graph": r"[\x21-\x7e]", b"lower": r"[a-z]", b"print": r"[\x20-\x7e]",
    b"punct": r"[!-/:-@\[-`{-~]", b"space": r"[ \t\n\v\f\r]", b"upper": r"[A-Z]", b"xdigit": r"[0-9A-Fa-f]",
}  # fmt: skip


class _NeverMatches(Exception):
    """The pattern is malformed; git lets it match nothing."""


@dataclass(slots=True)
class Pattern:
    """One line of an ignore file.

    `expression` matches the whole path relative to the ignore file's folder; `rule` is "file:line: pattern".
    One without wildcards has a `key`: the name that it matches in any folder, or "/" and the path that it matches.
    """

    expression: bytes
    negated: bool
    directory_only: bool
    rule: str
    key: bytes | None = None
    _regex: re.Pattern[bytes] | None = field(default=None, init=False, repr=False, compare=False)

    def fits(self, path: bytes) -> bool:
        """Whether it matches a path; compiled for the first one, since few are needed beside the union of all."""
        if self._regex is None:
            self._regex = re.compile(self.expression, re.DOTALL)
        return self._regex.fullmatch(path) is not None


@dataclass(frozen=True, slots=True)
class PatternList:
    """The patterns of one ignore file, in file order; the last one that matches decides."""

    patterns: tuple[Pattern, ...]
    _plain: Mapping[bytes, Sequence[int]] = field(repr=False)  # places of those with a key
    _others: Sequence[int] = field(repr=False)  # places of those without, the last first
    _any: re.Pattern[bytes] | None = field(repr=False)  # what one of these matches

    def match(self, path: bytes, is_directory: bool) -> Pattern | None:
        """Return the pattern that decides about `path` (relative, no trailing slash), or None."""
        found = -1
        named, placed = self._plain.get(path[path.rfind(b"/") + 1 :]), self._plain.get(b"/" + path)
        if named or placed:
            for place in (*(named or ()), *(placed or ())):
                if place > found and (is_directory or not self.patterns[place].directory_only):
                    found = place
        if self._any is not None and self._any.fullmatch(path) is not None:
            for place in self._others:
                if place < found:
                    break
                pattern = self.patterns[place]
                if (is_directory or not pattern.directory_only) and pattern.fits(path):
                    return pattern
        return self.patterns[found] if found >= 0 else None


def compile_patterns(lines: Iterable[bytes], source: str) -> PatternList:
    """Compile lines of an ignore file; malformed ones match nothing, as in git.

    Args:
        lines: without their newlines.
        source: name shown in rules; with line number unless it ends with ':'.
    """
    patterns = []
    for number, line in enumerate(lines, start=1):
        label = f"{source} " if source.endswith(":") else f"{source}:{number}: "
        pattern = _compile_line(line, label)
        if pattern is not None:
            patterns.append(pattern)
    plain: dict[bytes, list[int]] = {}
    others: list[int] = []
    for place, pattern in enumerate(patterns):
        (others if pattern.key is None else plain.setdefault(pattern.key, [])).append(place)
    return PatternList(tuple(patterns), plain, others[::-1], union_of([patterns[place] for place in others]))


def union_of(patterns: Sequence[Pattern]) -> re.Pattern[bytes] | None:
    """Return a pattern that matches what any of the patterns matches, many times faster; None without patterns."""
    expressions = [pattern.expression for pattern in patterns]
    names = [b"(?:" + one.removeprefix(_ABOVE) + b")" for one in expressions if one.startswith(_ABOVE)]
    choices = [b"(?:" + one + b")" for one in expressions if not one.startswith(_ABOVE)]
    if names:
        choices.append(_ABOVE + b"(?:" + b"|".join(names) + b")")  # the folders are looked at once
    return re.compile(b"|".join(choices), re.DOTALL) if patterns else None


def read_patterns(path: Path, source: str, *, follow_links: bool = False) -> PatternList | None:
    """Read an ignore file; None when it is missing, unreadable, too large or (as in git) a link."""
    lines = read_lines(path, follow_links=follow_links)
    return None if lines is None else compile_patterns(lines, source)


def read_lines(path: Path, *, follow_links: bool = False) -> list[bytes] | None:
    """Lines of a file of patterns without their ends; None when it is missing, unreadable, too large or a link."""
    try:
        return lines_of(read_regular(path, IGNORE_FILE_MAX_BYTES, follow_links=follow_links))
    except OSError:
        return None


def lines_of(data: bytes) -> list[bytes] | None:
    """Lines of the content of such a file; None when it is too large."""
    if len(data) > IGNORE_FILE_MAX_BYTES:
        return None
    return [line.removesuffix(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def _compile_line(line: bytes, label: str) -> Pattern | None:
    text = _trim_spaces(line.split(b"\0", 1)[0])
    if not text or text.startswith(b"#"):
        return None
    body = text.removeprefix(b"!")
    directory_only = body.endswith(b"/")
    body = body.removesuffix(b"/")
    if not body:
        return None
    key = None
    if _SPECIAL.search(body) is None:
        key = b"/" + body.removeprefix(b"/") if b"/" in body else body
        expression = re.escape(key[1:]) if b"/" in body else _ABOVE + re.escape(key)
    else:
        try:
            expression = _translate_path(body)
        except _NeverMatches:
            return None
    return Pattern(expression, text.startswith(b"!"), directory_only, label + os.fsdecode(text), key)


def _trim_spaces(line: bytes) -> bytes:
    """Drop trailing spaces that no backslash protects."""
    stripped = line.rstrip(b" ")
    if stripped == line:
        return line
    slashes = len(stripped) - len(stripped.rstrip(b"\\"))
    return stripped + b" " if slashes % 2 else stripped


def _translate_path(body: bytes) -> bytes:
    """Turn a pattern (no '!', no trailing '/') into a regular expression for the whole relative path.

    The segments between two "**" are fixed where they first fit (an atomic group): the rest can begin at any
    later folder anyway, and it keeps the time linear.
    """
    if b"/" not in body:
        return _ABOVE + _translate_segment(body)
    body = body.removeprefix(b"/")
    plain = _PLAIN.match(body)
    # Git compares the plain start of a pattern by itself: two stars right after it count as a whole segment.
    glued = plain[0].count(b"/") if plain is not None else -1
    segments = _split_segments(body)
    runs = [b""]
    for position, segment in enumerate(segments):
        last = position == len(segments) - 1
        head = segment.rstrip(b"*")
        if len(segment) - len(head) >= 2 and (not head or (position == glued and not _SPECIAL.search(head))):
            runs[-1] += re.escape(head)
            if last:
                runs[-1] += b".*"
            else:
                runs.append(b"")
        else:
            runs[-1] += _translate_segment(segment) + (b"" if last else b"/")
    middle = b"".join(b"(?>" + _FOLDERS + run + b")" for run in runs[1:-1])
    return runs[0] + middle + (_FOLDERS + runs[-1] if len(runs) > 1 else b"")


def _split_segments(body: bytes) -> list[bytes]:
    """Split at '/' outside brackets; an escaped slash is a slash."""
    segments = [b""]
    at = 0
    while at < len(body):
        end = at + 1
        if body[at : at + 1] == b"[":
            _, end = _translate_bracket(body, at + 1)
        elif body[at : at + 1] == b"\\":
            end = at + 2
        piece = body[at:end]
        if piece in (b"/", b"\\/"):
            segments.append(b"")
        else:
            segments[-1] += piece
        at = end
    return segments


def _translate_segment(segment: bytes) -> bytes:
    """Turn a pattern without '/' into an expression that matches within one path segment.

    Text between two stars is fixed where it first fits (an atomic group): that is enough for a right answer,
    and it keeps the time linear, so a hostile pattern like `*a*a*a*b` cannot stall a run.
    """
    pieces = _split_stars(segment)
    if len(pieces) == 1:
        return pieces[0]
    middle = b"".join(b"(?>[^/]*?" + piece + b")" for piece in pieces[1:-1] if piece)
    return pieces[0] + middle + b"[^/]*" + pieces[-1] + b"(?![^/])"


def _split_stars(segment: bytes) -> list[bytes]:
    """Split at '*' and translate what lies between; every piece matches a fixed number of bytes."""
    pieces = [b""]
    at = 0
    while at < len(segment):
        char = segment[at : at + 1]
        at += 1
        if char == b"*":
            pieces.append(b"")
        elif char == b"?":
            pieces[-1] += b"[^/]"
        elif char == b"[":
            expression, at = _translate_bracket(segment, at)
            pieces[-1] += expression
        elif char == b"\\":
            if at == len(segment):
                raise _NeverMatches
            pieces[-1] += re.escape(segment[at : at + 1])
            at += 1
        else:
            pieces[-1] += re.escape(char)
    return pieces


def _translate_bracket(segment: bytes, at: int) -> tuple[bytes, int]:
    """Translate '[...]' whose first inner byte is at `at`; return the expression and where it ends."""
    negated = segment[at : at + 1] in (b"!", b"^")
    at += negated
    accepted: set[int] = set()
    previous: int | None = None  # the byte a range may start from
    first = True
    while first or segment[at : at + 1] != b"]":
        first = False
        named = _bracket_class(segment, at)
        if named is not None:
            members, at = named
            accepted |= members
            previous = None
            continue
        is_dash = segment[at : at + 1] == b"-"
        byte, at = _bracket_byte(segment, at)
        if is_dash and previous is not None and segment[at : at + 1] not in (b"", b"]"):
            end, at = _bracket_byte(segment, at)
            accepted |= set(range(previous, end + 1))
            previous = None
        else:
            accepted.add(byte)
            previous = byte
    if negated:
        accepted = set(range(256)) - accepted
    accepted.discard(ord("/"))
    if not accepted:
        raise _NeverMatches
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(accepted)) + b"]", at + 1


def _bracket_class(segment: bytes, at: int) -> tuple[set[int], int] | None:
    """Read a class like [:digit:] at `at`: its members and where the next item begins; None without one."""
    if segment[at : at + 2] != b"[:":
        return None
    end = segment.find(b"]", at + 2)
    if end < 0:
        raise _NeverMatches
    if end == at + 2 or segment[end - 1 : end] != b":":
        return None
    expression = _CLASSES.get(segment[at + 2 : end - 1])
    if expression is None:
        raise _NeverMatches
    return {byte for byte in range(128) if re.match(expression, chr(byte))}, end + 1


def _bracket_byte(segment: bytes, at: int) -> tuple[int, int]:
    if segment[at : at + 1] == b"\\":
        at += 1
    if at >= len(segment):
        raise _NeverMatches
    return segment[at], at + 1
