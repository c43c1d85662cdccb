"""Lets the grammar read groups of one line, `const (A = iota; B)`: it wants a semicolon behind the last."""

import re

from cocosearch_py.languages.repairing import repair_by

_GROUP = rb"(?m)^[ \t]*%s[ \t]*(\([^()\n\"'`{};]{1,500}(?:;[^()\n\"'`{};]{1,500}){1,100}\))"
_NAMES = re.compile(rb"[ \t]*\w+(?:[ \t]*,[ \t]*\w+)*")


def _as_one(group: bytes) -> bytes:
    """`A = iota; B` as `A       , B`: all names with the value of the last."""
    *entries, last = group[1:-1].split(b";")
    names = [_NAMES.match(entry) for entry in entries]
    heads = [(name.group() if name else b"").ljust(len(entry)) for name, entry in zip(names, entries, strict=True)]
    return b" " + b",".join([*heads, last]) + b" "


repair = repair_by(tuple((word + b" (", _GROUP % word, _as_one) for word in (b"const", b"var")))
