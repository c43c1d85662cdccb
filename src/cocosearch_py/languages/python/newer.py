"""Lets the grammar read Python that is newer than it, in files with syntax errors."""

import re

from cocosearch_py.languages.repairing import blank, repair_by

# def f[T = int](…), class G[T: A = B, *Ts = *C, **P = []], type X[T = int] = …
_TYPE_PARAMETERS = (
    rb"\b(?:def|class|type)[ \t]+\w{1,200}[ \t]*\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,200}\]){1,1000})\]"
    rb"(?=[ \t]*[(:=])"
)
_BRACKETS = {ord("["): 1, ord("("): 1, ord("]"): -1, ord(")"): -1}


def _without_defaults(parameters: bytes) -> bytes:
    """`T = int` as `T : int`, which keeps what it refers to; other defaults as spaces."""
    found, start, depth = bytearray(), 0, 0
    for at, byte in enumerate(parameters + b","):
        depth += _BRACKETS.get(byte, 0)
        if byte == ord(",") and depth == 0:
            found += _without_default(parameters[start:at]) + b","
            start = at + 1
    return bytes(found[:-1])


def _without_default(parameter: bytes) -> bytes:
    name, equals, default = parameter.partition(b"=")
    if re.fullmatch(rb"\s*\w+\s*", name) and equals:
        return name + b":" + default
    return name + blank(equals + default)


repair = repair_by(((b"]", _TYPE_PARAMETERS, _without_defaults),))
