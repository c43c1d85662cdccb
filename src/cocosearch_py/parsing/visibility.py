"""Who may use a definition, read from its name, its signature or its place, by the customs of its language."""

import re
from collections.abc import Callable

from cocosearch_py.model.symbols import Symbol

PUBLIC, PRIVATE, PROTECTED, INTERNAL = "public", "private", "protected", "internal"

# name, text before the name (ends with a space), kind, enclosing definition -> visibility
Rule = Callable[[str, str, str, Symbol | None], str]

# Swift's `private(set)` restricts writing only.
_MODIFIER = re.compile(r"(?<![\w.@])(public|private|protected|internal|fileprivate|open)(?!\w|\(set\))")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_WORDS = {"fileprivate": PRIVATE, "open": PUBLIC, "private_class_method": PRIVATE, "module_function": PUBLIC}
_ALWAYS_PUBLIC = frozenset({"namespace", "impl", "test"})
_ALL_PUBLIC_INSIDE = frozenset({"interface", "protocol", "trait"})


def _underscore(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del head, kind, outer
    return PRIVATE if name.startswith("_") and not (name.startswith("__") and name.endswith("__")) else PUBLIC


def _capital(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del head, kind, outer
    return PUBLIC if name[:1].isupper() else INTERNAL


def _modifiers(default: str, top_level: str | None = None) -> Rule:
    """Build the rule of a language with modifier words; `default` holds for members without one."""

    def rule(name: str, head: str, kind: str, outer: Symbol | None) -> str:
        if name.startswith("#"):  # JavaScript's private members
            return PRIVATE
        found = _MODIFIER.search(head)
        if found is not None:
            return _WORDS.get(found.group(1), found.group(1))
        if outer is not None and (outer.kind in _ALL_PUBLIC_INSIDE or (outer.kind == "enum" and kind == "constant")):
            return PUBLIC
        if top_level is not None and (outer is None or outer.kind == "namespace"):
            return top_level
        return default

    return rule


def _pub(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, kind
    if "pub(" in head:
        return INTERNAL
    if "pub " in head or "export " in head:
        return PUBLIC
    if outer is None:
        return PRIVATE
    trait_impl = outer.kind == "impl" and " for " in outer.signature
    return PUBLIC if trait_impl or outer.kind in ("trait", "enum") else PRIVATE


def _zig(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, outer
    if "pub " in head or "export " in head:
        return PUBLIC
    enum_value = kind == "constant" and not head.strip()  # other constants begin with "const"
    return PUBLIC if kind == "field" or enum_value else PRIVATE


def _swift(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    if outer is not None and outer.kind == "extension" and _MODIFIER.search(head) is None:
        return outer.visibility
    return _swift_modifiers(name, head, kind, outer)


_swift_modifiers = _modifiers(INTERNAL)


def _c(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, kind
    if outer is not None and outer.kind == "class":
        return PRIVATE  # until the first "public:", see `visibility_of`
    in_class = outer is not None and outer.kind == "struct"
    return PRIVATE if "static" in head.split() and not in_class else PUBLIC


def _elixir(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, kind, outer
    return PRIVATE if head.startswith(("defp ", "defmacrop ", "defguardp ", "@typep ")) else PUBLIC


def _local(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del kind, outer
    return PRIVATE if head.startswith("local ") or name.startswith("_") else PUBLIC


def _public(name: str, head: str, kind: str, outer: Symbol | None) -> str:
    del name, head, kind, outer
    return PUBLIC


_RULES: dict[str, Rule] = {
    "python": _underscore,
    "dart": _underscore,
    "go": _capital,
    "javascript": _modifiers(PUBLIC),
    "typescript": _modifiers(PUBLIC),
    "tsx": _modifiers(PUBLIC),
    "java": _modifiers(INTERNAL),  # package-private
    "csharp": _modifiers(PRIVATE, top_level=INTERNAL),
    "kotlin": _modifiers(PUBLIC),
    "php": _modifiers(PUBLIC),
    "scala": _modifiers(PUBLIC),
    "ruby": _modifiers(PUBLIC),
    "swift": _swift,
    "rust": _pub,
    "zig": _zig,
    "c": _c,
    "cpp": _c,
    "elixir": _elixir,
    "lua": _local,
}


def visibility_of(language_id: str, kind: str, name: str, head: str, outer: Symbol | None, section: str | None) -> str:
    """Return public, private, protected or internal.

    `head` is the text from the definition's start to its name, on one line, with a space at its end; `outer` the
    enclosing definition; `section` the last "private" or the like that stands before it in the same class, which a
    modifier of its own overrides.
    """
    if kind in _ALWAYS_PUBLIC:
        return PUBLIC
    if '"' in head or "'" in head:
        head = _STRING.sub("", head)  # an annotation's text: @Deprecated("use the public one")
    if section is not None and _MODIFIER.search(head) is None:
        word = section.split()[0] if section else ""
        return word if word in (PUBLIC, PRIVATE, PROTECTED) else _WORDS.get(word, PUBLIC)
    return _RULES.get(language_id, _public)(name, head, kind, outer)
