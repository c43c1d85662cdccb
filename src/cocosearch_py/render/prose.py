"""Wraps sentences at blanks. Pure."""

import re
import textwrap

_QUOTED = re.compile(r"`[^`\n]+`")
_INDENT = "  "  # of all lines but the first
_NO_BLANK = "\0"  # stands for a blank at which no line may end


def wrapped(text: str, columns: int) -> str:
    """Wrap a text to a number of columns; a command in backquotes stays on one line if it fits."""
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
