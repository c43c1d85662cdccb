"""Says, without parsing, whether a file is nested deeper than its grammar can bear. Ordinary files stay far below."""

import re
from itertools import accumulate

# A few grammars need quadratic time for deep nesting (100,000 times "[": Scala 15 s, Lua minutes).
MAX_BRACKET_DEPTH = 5_000
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_STEPS = [0] * 256
for _opening, _closing in ("()", "[]", "{}"):
    _STEPS[ord(_opening)], _STEPS[ord(_closing)] = 1, -1
# What stands before the text of a line and moves it to the right; "- - x" opens two levels.
_INDENTATION = re.compile(rb"[ \t]*(?:[-?:][ \t]+)*")
_BLANKS = b" \t"


def nested_too_deep(source: bytes, max_indentation_levels: int | None) -> str | None:
    """Say in a few words what is nested too deep, or None. Counts only: brackets in strings count too."""
    if _has_deep_brackets(source):
        return f"brackets nested more than {MAX_BRACKET_DEPTH:,} deep"
    if max_indentation_levels is not None and _has_deep_indentation(source, max_indentation_levels):
        return f"lines indented more than {max_indentation_levels:,} levels deep"
    return None


def _has_deep_brackets(source: bytes) -> bool:
    if source.count(b"(") + source.count(b"[") + source.count(b"{") <= MAX_BRACKET_DEPTH:
        return False
    brackets = source.translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets))) > MAX_BRACKET_DEPTH


def _has_deep_indentation(source: bytes, most: int) -> bool:
    """Say whether more than `most` columns at once begin a level; each level lies further to the right."""
    wide = rb"[ \t?:-]{%d}" % most
    if not re.match(wide, source) and not re.search(rb"\n" + wide, source):
        return False
    columns: list[int] = []  # where the levels around the present line begin
    for line in source.split(b"\n"):
        markers = line[: _end_of_indentation(line)]
        if len(markers.translate(None, _BLANKS)) >= most:
            return True
        starts = [at for at, byte in enumerate(markers) if byte not in _BLANKS]
        if len(markers) < len(line):
            starts.append(len(markers))
        if not starts:
            continue
        while columns and columns[-1] >= starts[0]:
            columns.pop()
        columns += starts
        if len(columns) > most:
            return True
    return False


def _end_of_indentation(line: bytes) -> int:
    found = _INDENTATION.match(line)
    return found.end() if found is not None else 0
