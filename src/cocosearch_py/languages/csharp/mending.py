"""Hides from the grammar what it stumbles over and no definition needs: places and lengths stay."""

import re

from cocosearch_py.languages.repairing import blank

# Lines for the compiler or the editor. `#if` and its like are read by `conditionals`.
_PRAGMAS = rb"(?m)^(?:\xef\xbb\xbf)?[ \t]*#[ \t]*(?:pragma|region|endregion|nullable|warning|error|line)\b[^\r\n]*"
_PARTIAL_REF_STRUCT = rb"\bref([ \t]+)partial(?=[ \t]+struct\b)"
_POINTER_CAST = (
    rb"(?:(?<![\w)\] \t])[ \t]*\*[ \t]*)?"
    rb"\([ \t]*[A-Za-z_][\w.]{0,200}(?:<[\w., ]{0,200}>)?[ \t]*\*+[ \t]*\)(?![ \t]*[,;)])"
)
# extension(string text) { … }: a class for the grammar, which the query knows by its name
_EXTENSION = rb"(?m)^[ \t]*(extension)(?=[ \t]*(?:<[^(){};]{1,300}>)?[ \t]*\([^(){};]{1,300}\)[^;{}=]{0,300}\{)"
_AS_CLASS = b"class __e"
_NO_NAME = _AS_CLASS + rb"[^()\n]{0,300}(\([ \t]*[\w.]+(?:<[^()\n]{0,200}>)?[?\[\]]*[ \t]*\))"


def mend(source: bytes) -> bytes:
    """Return the source, of the same length, without pragmas, `partial` of ref structs and stars of pointer casts.

    Extension blocks become classes, whose members the query gives to the class around.
    """
    if b"#" in source:
        source = re.sub(_PRAGMAS, lambda line: b" " * len(line.group()), source)
    if b"partial" in source:
        source = re.sub(_PARTIAL_REF_STRUCT, rb"ref\1       ", source)
    if b"extension" in source:
        source = re.sub(_EXTENSION, lambda block: block.group().replace(b"extension", _AS_CLASS), source)
        source = re.sub(_NO_NAME, lambda block: block.group().replace(block[1], b" " * len(block[1])), source)
    if b"*)" in source:
        source = re.sub(_POINTER_CAST, _without_stars, source)
    return source


def _without_stars(cast: re.Match[bytes]) -> bytes:
    text = cast.group()
    if not text.startswith(b"("):  # *(int*)p is as good as p
        return blank(text)
    return text.replace(b"*", b" ").replace(b"void", b"vOid")  # a cast to nothing is none
