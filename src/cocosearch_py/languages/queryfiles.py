"""The tree-sitter query texts that ship with the package. This module compiles nothing."""

from importlib import resources

_INHERITS = "; inherits:"


def symbols_query(language_id: str) -> str | None:
    """Return the definition query of a language, or None when it has none.

    A first line `; inherits: a, b` puts the queries of those languages in front.
    """
    folder = resources.files("cocosearch_py.languages") / "queries" / language_id / "symbols.scm"
    if not folder.is_file():
        return None
    text = folder.read_text(encoding="utf-8")
    first_line = text.split("\n", 1)[0]
    if not first_line.startswith(_INHERITS):
        return text
    parents = [name.strip() for name in first_line[len(_INHERITS) :].split(",")]
    return "\n".join([*(symbols_query(parent) or "" for parent in parents), text])
