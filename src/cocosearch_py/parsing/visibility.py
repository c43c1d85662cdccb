"""Visibility of definitions: the rule of the language, and the rules of every language."""

import re

from cocosearch_py.languages import Language
from cocosearch_py.languages.visibility import PRIVATE, PROTECTED, PUBLIC, modifier_in, visibility_word
from cocosearch_py.model.symbols import Symbol

_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_ALWAYS_PUBLIC = frozenset({"namespace", "impl", "test"})
_OF_SECTIONS = frozenset({PUBLIC, PRIVATE, PROTECTED})


def visibility_of(
    language: Language, kind: str, name: str, head: str, outer: Symbol | None, section: str | None
) -> str:
    """Return public, private, protected or internal.

    `head` is the text from the definition's start to its name, on one line, with a space at its end; `outer` the
    enclosing definition; `section` the last "private" or the like that stands before it in the same class, which a
    modifier of its own overrides.
    """
    if kind in _ALWAYS_PUBLIC:
        return PUBLIC
    if '"' in head or "'" in head:
        head = _STRING.sub("", head)  # an annotation's text: @Deprecated("use the public one")
    if section is not None and modifier_in(head) is None:
        word = visibility_word(section.split()[0]) if section else ""
        return word if word in _OF_SECTIONS else PUBLIC
    return language.visibility(name, head, kind, outer)
