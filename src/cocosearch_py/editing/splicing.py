"""New bytes of a file: text put in place of lines or of other text. Pure.

Bytes outside of what is replaced stay as they are: nothing is decoded but what has to be found, and nothing encoded
but what is new. Lines are counted as everywhere here: they end at a line feed.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Sequence
from io import BytesIO
from itertools import accumulate
from typing import NamedTuple

from cocosearch_py.discovery.sniff import Skip, inspect
from cocosearch_py.errors import AmbiguousError, NotFoundError, SafetyError, ValidationError
from cocosearch_py.model.files import SkipReason

_MARKS = (  # the longer ones first: the mark of UTF-16 begins that of UTF-32
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_MARK = "\ufeff"  # what a mark is as text
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
_C1 = re.compile(rb"[\x80-\x9f]")  # where Windows-1252 has characters and Latin-1 has none
_MOST_TOLD = 1_000  # places of a text; an answer has room for so many
_READ_IT = "read the file with read_code, and give lines as it shows them"


class Lines(NamedTuple):
    """Lines from 1, both ends included."""

    first: int
    last: int


class After(NamedTuple):
    """The place after a line; 0 is the top of the file."""

    line: int


class Exact(NamedTuple):
    """The one place where a text stands."""

    text: str


class Anchor(NamedTuple):
    """The lines before or after the one place where a text stands."""

    text: str
    is_before: bool = False


Address = Lines | After | Exact | Anchor


class Form(NamedTuple):
    """How the text of a file is written: Python's name of its encoding, and the byte order mark it begins with."""

    encoding: str
    mark: bytes = b""

    @property
    def unit(self) -> int:
        """Bytes of which every character has a multiple."""
        return _UNITS.get(self.encoding, 1)

    def encode(self, text: str) -> bytes:
        """Bytes of new text. Raises ValidationError for a character that the encoding lacks."""
        if "\0" in text:
            raise ValidationError("the text contains a null character", hint="remove it: text files have none")
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise ValidationError(
                f"the encoding of the file, {self.encoding}, has no character U+{ord(text[error.start]):04X}",
                hint="write it another way, for example with an escape sequence",
            ) from None


class _Text:
    """Where the lines of a file stand, and their endings."""

    def __init__(self, data: bytes, form: Form) -> None:
        self.data, self.form, self._unit = data, form, form.unit
        self._feed, self._return = form.encode("\n"), form.encode("\r")
        self.has_feeds = self._find(self._feed, len(form.mark)) >= 0
        self._starts = self._split()

    def __len__(self) -> int:
        return len(self._starts)

    def line_at(self, offset: int) -> int:
        """Number of the line, from 1, that an offset is in."""
        return max(1, bisect_right(self._starts, offset))

    def start(self, number: int) -> int:
        """Where a line, from 1, begins."""
        return self._starts[number - 1]

    def next(self, number: int) -> int:
        """Where a line, from 1, has ended, its ending included."""
        return self._starts[number] if number < len(self) else len(self.data)

    def ending(self, number: int) -> bytes:
        """Return the line ending of a line, from 1; nothing for the last line of a file that ends without a newline."""
        start, end = self.start(number), self.next(number)
        if number == len(self) and not self._is_ended:
            return b""
        if not self.has_feeds:
            return self._return
        pair = end - len(self._feed) - len(self._return)
        return self.data[pair:end] if pair >= start and self.data.startswith(self._return, pair) else self._feed

    def ending_near(self, number: int) -> bytes:
        """Return the line ending for a new line: that of the line beside it, else of one before it, else of one after
        it.
        """
        for near in (*range(min(number, len(self)), 0, -1), *range(number + 1, len(self) + 1)):
            if ending := self.ending(near):
                return ending
        return self._return if not self.has_feeds and self._find(self._return, 0) >= 0 else self._feed

    @property
    def _is_ended(self) -> bool:
        """Whether a newline, or in a file without any a return, ends the last line."""
        last = self._feed if self.has_feeds else self._return
        return self.data.endswith(last)

    def _split(self) -> list[int]:
        """Where lines begin. Nothing but numbers: an edit of a large file is not to set off a collection of garbage."""
        start, size = len(self.form.mark), len(self.data)
        if start >= size:
            return []
        starts = [start]
        if self._unit == 1:
            starts = list(accumulate(map(len, BytesIO(self.data[start:]).readlines()), initial=start))
            return starts[:-1]
        if self.has_feeds:
            while (at := self._find(self._feed, starts[-1])) >= 0:
                starts.append(at + len(self._feed))
        return starts if starts[-1] < size else starts[:-1]

    def _find(self, piece: bytes, start: int) -> int:
        """Where a piece of text stands from an offset on, at the beginning of a character; -1 if nowhere."""
        at, unit = self.data.find(piece, start), self._unit
        while unit > 1 and at % unit and at >= 0:
            at = self.data.find(piece, at + 1)
        return at


def form_of(path: str, data: bytes) -> Form:
    """How the text of a file is written.

    Raises:
        SafetyError: it is no text, or a secret.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", ""))
    text = inspect(path, data, wanted=True)
    if isinstance(text, Skip):
        if text.reason is not SkipReason.EMPTY:
            raise SafetyError(f"{path} is not edited: {text.rule}", hint="only text files can be edited")
        form = Form(encoding or "utf-8", mark)
    elif text.encoding == "cp1252" and _C1.search(data) is None:
        form = Form("latin-1")  # it may be either: what only one of them has must not be written
    else:
        form = Form(encoding or text.encoding, mark)
    if len(data) % form.unit:
        raise SafetyError(f"{path} is not edited: it ends in the middle of a character", hint="repair its end first")
    return form


def line_count(data: bytes, form: Form) -> int:
    """Lines of a file, the last one also when no newline ends it."""
    return len(_Text(data, form))


def splice(data: bytes, form: Form, address: Address, content: str) -> bytes:
    """The bytes of a file with text at an address.

    Args:
        content: lines, of which the last may be ended or not, none to take away what is there. For `Exact`, just
            what is to stand there. Its newlines become those of the lines beside it.
    Raises:
        NotFoundError: the text of an address stands nowhere.
        AmbiguousError: it stands in several places; `details` have their `lines`, 1,000 at most.
        ValidationError: lines that are not there, or characters that the encoding lacks.
    """
    text = _Text(data, form)
    content = content.replace("\r\n", "\n")
    if form.mark:  # which is no part of the first line
        content = content.removeprefix(_MARK)
    if isinstance(address, Lines):
        return _replace_lines(text, address, _lines_of(content))
    if isinstance(address, After):
        return _insert(text, address.line, _lines_of(content))
    found = _only(text, address.text)
    first, last = text.line_at(found.start()), text.line_at(max(found.start(), found.end() - 1))
    if isinstance(address, Anchor):
        return _insert(text, first - 1 if address.is_before else last, _lines_of(content))
    return _replace_exact(text, found, content)


def rewrite(data: bytes, form: Form, content: str) -> bytes:
    """A whole new text, written as the old one is: its encoding and mark, and its endings where all are the same."""
    text = _Text(data, form)
    content = content.removeprefix(_MARK) if form.mark else content  # the file keeps the one that it has
    endings = {text.ending(number) for number in range(1, len(text) + 1)} - {b""}
    plain = form.encode(content)
    if endings == {form.encode("\r\n")} and "\r\n" not in content:
        plain = form.encode(content.replace("\n", "\r\n"))
    return form.mark + plain


def places(data: bytes, form: Form, wanted: str) -> list[tuple[int, int]]:
    """First and last line, from 1, of each place where a text stands."""
    text = _Text(data, form)
    return [
        (text.line_at(one.start()), text.line_at(max(one.start(), one.end() - 1))) for one in _matches(text, wanted)
    ]


def _lines_of(content: str) -> list[str]:
    lines = content.split("\n")
    return lines[:-1] if not lines[-1] else lines


def _replace_lines(text: _Text, wanted: Lines, new: Sequence[str]) -> bytes:
    first, last, total = *wanted, len(text)
    if not 1 <= first <= last:
        raise ValidationError(f"lines {first} to {last} do not exist", hint="count from 1, the smaller number first")
    if last > total:
        raise ValidationError(f"the file has {total:,} lines, so line {last:,} does not exist", hint=_READ_IT)
    count = last - first + 1
    beside = [text.ending_near(number) for number in range(first, last + 1)]
    endings = [beside[min(at, count - 1)] for at in range(len(new))]
    if endings and not text.ending(last):
        endings[-1] = b""
    pieces = b"".join(text.form.encode(line) + end for line, end in zip(new, endings, strict=True))
    return _put(text, text.start(first), text.next(last), pieces)


def _insert(text: _Text, line: int, new: Sequence[str]) -> bytes:
    total = len(text)
    if not 0 <= line <= total:
        raise ValidationError(f"the file has {total:,} lines, so line {line:,} does not exist", hint=_READ_IT)
    if not new:
        raise ValidationError("nothing to insert", hint="give content; '\\n' is an empty line")
    ending = text.ending_near(max(1, line))
    encoded = [text.form.encode(one) for one in new]
    at = text.next(line) if line else len(text.form.mark)
    if line and not text.ending(line):
        return _put(text, at, at, ending + ending.join(encoded))
    return _put(text, at, at, b"".join(one + ending for one in encoded))


def _replace_exact(text: _Text, found: re.Match[bytes], content: str) -> bytes:
    first, last = text.line_at(found.start()), text.line_at(max(found.start(), found.end() - 1))
    joined, *pieces = map(text.form.encode, content.split("\n"))
    for at, piece in enumerate(pieces):
        joined += text.ending_near(min(first + at, last)) + piece
    return _put(text, found.start(), found.end(), joined)


def _put(text: _Text, start: int, end: int, piece: bytes) -> bytes:
    return text.data[:start] + piece + text.data[end:]


def _only(text: _Text, wanted: str) -> re.Match[bytes]:
    """The one place where a text stands."""
    if not wanted:
        raise ValidationError("the text to find is empty", hint="give the text exactly as it is in the file")
    found = _matches(text, wanted)
    if not found:
        raise NotFoundError("the text does not occur in the file", hint="read the file and give text that is in it")
    if len(found) > 1:
        lines = [text.line_at(one.start()) for one in found]
        told = ", ".join(map(str, lines[:20])) + (", ..." if len(lines) > 20 else "")
        raise AmbiguousError(
            f"the text occurs {len(found)} times: lines {told}",
            hint="include more of the surrounding text, or give line numbers",
            details={"lines": lines[:_MOST_TOLD]},
        )
    return found[0]


def _matches(text: _Text, wanted: str) -> list[re.Match[bytes]]:
    """All places of a text, overlapping ones too; its newlines stand for whatever ends lines in the file."""
    form, data = text.form, text.data
    feed, back = form.encode("\n"), form.encode("\r")
    ending = b"(?:%b)?%b" % (re.escape(back), re.escape(feed))
    if not text.has_feeds:
        ending = b"(?:%b|%b)" % (ending, re.escape(back))
    try:
        pieces = [re.escape(wanted_piece.encode(form.encoding)) for wanted_piece in _pieces(wanted)]
    except UnicodeEncodeError:
        return []  # what the encoding cannot write is not there
    pattern = re.compile(ending.join(pieces), re.DOTALL)
    found: list[re.Match[bytes]] = []
    at = len(form.mark)
    while (match := pattern.search(data, at)) is not None:
        at = match.start() + 1
        if match.start() % form.unit:
            continue
        if found and match.end() == found[-1].end():
            continue  # the same place once more, without the return before its first newline
        found.append(match)
    return found


def _pieces(wanted: str) -> list[str]:
    return wanted.removeprefix(_MARK).replace("\r\n", "\n").split("\n")
