"""Globs of paths and names as PostgreSQL's regular expressions. Pure."""

import re

_GLOB_CHARACTERS = {"*": "[^/]*", "?": "[^/]"}
_LITERAL = re.compile(r"[^*?\x80-\U0010ffff]+")
_BRACKET = re.compile(r"\[(!?)(-?(?:[^]/-](?:-[^]/-])?)+-?)\]")


def glob_pattern(glob: str) -> str:
    """PostgreSQL regular expression of a path glob: `*` and `?` stay in a folder, `**` crosses, `{a,b}` alternates.

    A glob without a slash matches file names anywhere; a trailing slash means everything below that folder.
    Every text is a glob: brackets and braces that are not closed stand for themselves.
    """
    text = glob + "**" if glob.endswith("/") else glob
    parts = []
    index = depth = 0
    while index < len(text):
        character = text[index]
        if text.startswith("**/", index):
            parts.append("(.*/)?")
            index += 3
        elif text.startswith("**", index):
            parts.append(".*")
            index += 2
        elif found := _BRACKET.match(text, index):
            parts.append(_bracket(found[1] == "!", found[2]))
            index = found.end()
        elif (character == "{" and "}" in text[index:]) or (character in "}," and depth):
            depth += {"{": 1, "}": -1, ",": 0}[character]
            parts.append({"{": "(", "}": ")", ",": "|"}[character])
            index += 1
        else:
            parts.append(_GLOB_CHARACTERS.get(character) or _escaped(character))
            index += 1
    prefix = "^" if "/" in text.rstrip("/") or text != glob else "(^|/)"
    return prefix + "".join(parts).removeprefix("/") + ")" * depth + "$"


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
