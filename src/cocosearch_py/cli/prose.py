"""Sentences for people, broken at blanks to the width of the terminal."""

import os
import re
import textwrap
from collections.abc import Mapping
from typing import TextIO

from cocosearch_py.cli.streams import put

_QUOTED = re.compile(r"`[^`\n]+`")
_INDENT = "  "  # of all lines but the first
_USUAL_COLUMNS = 80
_NO_BLANK = "\0"  # stands for a blank at which no line may end


def say(text: str, stream: TextIO, environ: Mapping[str, str]) -> None:
    """Write sentences, wrapped where the stream is a terminal."""
    put(wrapped(text, _columns(stream, environ)) if stream.isatty() else text, stream)


def wrapped(text: str, columns: int) -> str:
    """Break a text into lines of at most so many columns; what is in backquotes stays on one line where it fits."""
    room = columns - len(_INDENT)
    whole = _QUOTED.sub(lambda one: one[0].replace(" ", _NO_BLANK) if len(one[0]) <= room else one[0], text)
    lines = (
        textwrap.fill(
            line,
            columns,
            subsequent_indent=_INDENT,
            expand_tabs=False,
            replace_whitespace=False,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in whole.split("\n")
    )
    return "\n".join(lines).replace(_NO_BLANK, " ")


def _columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    """COLUMNS where it is a number, else the width of the terminal."""
    given = environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
