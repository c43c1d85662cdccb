"""Text from files, servers and other people, made safe for a terminal.

A terminal obeys control characters, and bidirectional or invisible characters show code other than it is. Every stream
that people read is a `TerminalStream`, so no caller can forget the escaping.
"""

import io
import os
import re
from typing import TextIO

# Control characters but tab and newline, line separators, format characters (Unicode's category Cf), fillers that are
# drawn as nothing, and variation selectors but the sixteen that emoji need.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029"
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]"
)
_LAST_BYTE = 0xFF
_LAST_OF_PLANE = 0xFFFF


def visible(text: str) -> str:
    r"""Return the text with hidden characters as escapes, such as `\x1b` and `\u202e`."""
    return _HIDDEN.sub(_escape, text)


def visible_json(text: str) -> str:
    """Return a JSON document with hidden characters as JSON's own escapes; the values stay the same."""
    return _HIDDEN.sub(_escape_json, text)


class TerminalStream(io.TextIOWrapper):
    """Text stream that escapes hidden characters in all that is written to it."""

    def write(self, text: str, /) -> int:
        """Write the text, with hidden characters as escapes."""
        super().write(visible(text))
        return len(text)

    def write_unchanged(self, text: str) -> int:
        """Write text for a program, or text that is escaped already and has styles around it."""
        return super().write(text)

    @property
    def rich_proxied_file(self) -> "_Unchanged":
        """Where Rich writes; its styles are control characters. Consoles of ours escape what they render."""
        return _Unchanged(self)


def escaping(stream: TextIO) -> TextIO:
    """Return a standard stream as one that escapes hidden characters; a stand-in without bytes stays as it is."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    plain = os.name == "posix"  # a console of Windows is more than a file
    buffer = io.BufferedWriter(io.FileIO(stream.fileno(), "w", closefd=False)) if plain else stream.buffer
    return TerminalStream(buffer, stream.encoding, "backslashreplace", line_buffering=stream.line_buffering)


class _Unchanged:
    """A `TerminalStream` whose writer has escaped the text."""

    def __init__(self, stream: TerminalStream) -> None:
        self._stream = stream
        self.write = stream.write_unchanged

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number <= _LAST_BYTE:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= _LAST_OF_PLANE else f"\\U{number:08x}"


def _escape_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
