"""Hides from the grammar what it stumbles over and no definition needs: places and lengths stay."""

import re

# Lines for the compiler or the editor. `#if` and its like are read by `conditionals`.
_PRAGMAS = rb"(?m)^(?:\xef\xbb\xbf)?[ \t]*#[ \t]*(?:pragma|region|endregion|nullable|warning|error|line)\b[^\r\n]*"
_PARTIAL_REF_STRUCT = rb"\bref([ \t]+)partial(?=[ \t]+struct\b)"
_POINTER_CAST = (
    rb"(?:(?<![\w)\] \t])[ \t]*\*[ \t]*)?"
    rb"\([ \t]*[A-Za-z_][\w.]{0,200}(?:<[\w., ]{0,200}>)?[ \t]*\*+[ \t]*\)(?![ \t]*[,;)])"
)


def mend(source: bytes) -> bytes:
    """Return the source, of the same length, without pragmas, `partial` of ref structs, and stars of pointer casts."""
    if b"#" in source:
        source = re.sub(_PRAGMAS, lambda line: b" " * len(line.group()), source)
    if b"partial" in source:
        source = re.sub(_PARTIAL_REF_STRUCT, rb"ref\1       ", source)
    if b"*)" in source:
        source = re.sub(_POINTER_CAST, _without_stars, source)
    return source


def _without_stars(cast: re.Match[bytes]) -> bytes:
    text = cast.group()
    if not text.startswith(b"("):  # *(int*)p is as good as p
        return re.sub(rb"[^\r\n]", b" ", text)
    return text.replace(b"*", b" ").replace(b"void", b"vOid")  # a cast to nothing is none
