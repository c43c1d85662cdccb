"""Globs of paths and names as PostgreSQL's regular expressions. Pure."""

import re
from collections.abc import Sequence

from cocosearch_py.errors import ValidationError

# Maximum characters of a glob, of all globs of one filter, and groups in braces of a glob. PostgreSQL's time to compile
# a regular expression grows with the square of its length and with its groups: at most a second within these bounds,
# half a minute for 100,000 characters.
MAX_GLOB_CHARS = 500
MAX_GLOBS_CHARS = 3_000
MAX_GLOB_BRACES = 10

_STAR, _CROSSING, _FOLDERS = "[^/]*", ".*", "(.*/)?"
_GLOB_CHARACTERS = {"*": _STAR, "?": "[^/]"}
# Parts of an expression that change nothing after another one. Long runs of them are expensive to compile.
_ABSORBED = {_CROSSING: {_STAR, _CROSSING, _FOLDERS}, _FOLDERS: {_FOLDERS}}
_LITERAL = re.compile(r"[^*?\x80-\U0010ffff]+")
_PIECE = re.compile(r"\w+|->|=>|::|[^\w\s.…]")
_WORD = re.compile(r"\w+")
_BRACKET = re.compile(r"\[(!?)(-?(?:[^]/-](?:-[^]/-])?)+-?)\]")


def glob_pattern(glob: str) -> str:
    """PostgreSQL regular expression of a path glob: `*` and `?` stay in a folder, `**` crosses, `{a,b}` alternates.

    A glob without a slash matches file names anywhere; a trailing slash means everything below that folder.
    Every text is a glob: brackets and braces that are not closed stand for themselves.
    """
    text = glob + "**" if glob.endswith("/") else glob
    parts = [""]
    index = depth = 0
    while index < len(text):
        character = text[index]
        if text.startswith("**/", index):
            part, index = _FOLDERS, index + 3
        elif text.startswith("**", index):
            part, index = _CROSSING, index + 2
        elif found := _BRACKET.match(text, index):
            part, index = _bracket(found[1] == "!", found[2]), found.end()
        elif (character == "{" and "}" in text[index:]) or (character in "}," and depth):
            depth += {"{": 1, "}": -1, ",": 0}[character]
            part, index = {"{": "(", "}": ")", ",": "|"}[character], index + 1
        else:
            part, index = _GLOB_CHARACTERS.get(character) or _escaped(character), index + 1
        if part not in _ABSORBED.get(parts[-1], ()):
            parts.append(part)
    prefix = "^" if "/" in text.rstrip("/") or text != glob else "(^|/)"
    return prefix + "".join(parts).removeprefix("/") + ")" * depth + "$"


def paths_pattern(globs: Sequence[str]) -> str:
    """One regular expression for all paths that one of the globs matches.

    PostgreSQL keeps 32 compiled expressions. With more, it would compile each of them again for every path.

    Raises:
        ValidationError: the globs are too long, or have too many braces.
    """
    _require_cheap("path", globs)
    return "|".join(map(glob_pattern, globs))


def names_pattern(globs: Sequence[str]) -> str:
    """One regular expression for all names of symbols that one of the globs matches; see `paths_pattern`."""
    _require_cheap("name", globs)
    return "|".join(map(name_pattern, globs))


def _require_cheap(what: str, globs: Sequence[str]) -> None:
    for name, found, most in (
        ("characters in a glob", max(map(len, globs), default=0), MAX_GLOB_CHARS),
        ("characters in all globs", sum(map(len, globs)), MAX_GLOBS_CHARS),
        ("braces in a glob", max((glob.count("{") for glob in globs), default=0), MAX_GLOB_BRACES),
    ):
        if found > most:
            raise ValidationError(
                f"the {what} filter has {found:,} {name}, at most {most:,} are allowed",
                hint="use fewer or shorter globs",
            )


def like_pattern(glob: str) -> str:
    """A pattern of ILIKE for all texts that hold the longest text that each match of a path glob holds.

    Characters in brackets and whatever follows a brace may differ, and what is not ASCII has more than one form.
    """
    literals = _LITERAL.findall(_BRACKET.sub("*", glob).partition("{")[0].replace("**/", "*").lstrip("/"))
    return "%" + re.sub(r"([\\%_])", r"\\\1", max(literals, key=len, default="")) + "%"


def _bracket(negated: bool, inside: str) -> str:
    """A bracket expression; ranges that run backwards match nothing, as in a shell."""
    ends = re.findall(r"([^-])-([^-])", inside)
    if any(first > last for first, last in ends):
        return "[^/]" if negated else "(?!)"
    escaped = "".join(char if char.isalnum() or char == "-" else "\\" + char for char in inside)
    return f"[^/{escaped}]" if negated else f"[{escaped}]"


def _escaped(character: str) -> str:
    return character if character.isalnum() or character in "_/- " else "\\" + character


def alternatives(globs: str) -> list[str]:
    """The globs of a comma list; commas inside braces and brackets belong to their glob."""
    parts = [""]
    depth = 0
    for character in globs:
        depth += (character in "{[") - (character in "}]" and depth > 0)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part]


def name_pattern(glob: str) -> str:
    """PostgreSQL regular expression of a symbol name glob."""
    return "^" + "".join({"*": ".*", "?": "."}.get(char) or _escaped(char) for char in glob) + "$"


def signature_pattern(text: str) -> str:
    """PostgreSQL regular expression of a signature glob; without wildcards, of its words and signs in their order.

    `(int) -> str` matches `f(count: int) -> str`; dots and underscores stand for anything.
    """
    if "*" in text or "?" in text:
        return name_pattern(text)
    pieces = [piece for piece in _PIECE.findall(text) if piece.strip("_")]
    signs = {piece: "".join(map(_escaped, piece)) for piece in pieces}
    return ".*".join(rf"\m{signs[piece]}\M" if _WORD.fullmatch(piece) else signs[piece] for piece in pieces)
