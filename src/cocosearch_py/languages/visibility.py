"""Rules that several languages share: who may use a definition, read from its name, its modifiers or its place."""

import re
from collections.abc import Callable
from functools import cache

from cocosearch_py.model.symbols import Symbol

PUBLIC, PRIVATE, PROTECTED, INTERNAL = "public", "private", "protected", "internal"

# name, text before the name (ends with a space), kind, enclosing definition -> visibility
Rule = Callable[[str, str, str, Symbol | None], str]

_WORDS = {"fileprivate": PRIVATE, "open": PUBLIC, "private_class_method": PRIVATE, "module_function": PUBLIC}
_ALL_PUBLIC_INSIDE = frozenset({"interface", "protocol", "trait"})


@cache
def _modifier_pattern() -> re.Pattern[str]:
    # Swift's `private(set)` restricts writing only.
    return re.compile(r"(?<![\w.@])(public|private|protected|internal|fileprivate|open)(?!\w|\(set\))")


def modifier_in(head: str) -> str | None:
    """The visibility that a modifier word in `head` gives, or None."""
    found = _modifier_pattern().search(head)
    return None if found is None else visibility_word(found.group(1))


def visibility_word(word: str) -> str:
    """The visibility that a word of a language stands for; the word itself when it is one of the four."""
    return _WORDS.get(word, word)


def public(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    """Everything may be used everywhere."""
    del name, head, kind, outer
    return PUBLIC


def underscore(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    """A leading underscore makes a name private; `__name__` is a part of the language."""
    del head, kind, outer
    return PRIVATE if name.startswith("_") and not (name.startswith("__") and name.endswith("__")) else PUBLIC


def modifiers(default: str, top_level: str | None = None) -> Rule:
    """Build the rule of a language with modifier words; `default` holds for members without one."""

    def rule(name: str, head: str, kind: str, outer: Symbol | None) -> str:
        if name.startswith("#"):  # JavaScript's private members
            return PRIVATE
        if (found := modifier_in(head)) is not None:
            return found
        if outer is not None and (outer.kind in _ALL_PUBLIC_INSIDE or (outer.kind == "enum" and kind == "constant")):
            return PUBLIC
        if top_level is not None and (outer is None or outer.kind == "namespace"):
            return top_level
        return default

    return rule
