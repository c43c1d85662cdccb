"""The tree-sitter query texts that ship with the package. This module compiles nothing."""

import re
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_KEPT_ANSWERS = 1_000
_INCLUDE = re.compile(r"^[ \t]*; include: ([\w/]+)$", re.MULTILINE)


def query_text(language_id: str, name: str) -> str | None:
    """Return the query `name` ("symbols", …) of a language, or None when it has none.

    A line `; include: folder/name` anywhere in a query stands for the text of `folder/name.scm`, in which such lines
    hold as well. The place counts: of several patterns that find one name, the first gives the kind.
    """
    file = _FOLDER / language_id / f"{name}.scm"
    return _read(file) if file.is_file() else None


def _read(file: Path) -> str:
    return _INCLUDE.sub(lambda line: _read(_FOLDER / f"{line.group(1)}.scm"), file.read_text(encoding="utf-8"))


def symbols_query(language_id: str) -> str | None:
    """Return the definition query of a language, or None when it has none."""
    return query_text(language_id, "symbols")


@lru_cache(maxsize=_KEPT_ANSWERS)
def tells_references(language_id: str) -> bool:
    """Whether references are read in a language."""
    return (_FOLDER / language_id / "facts.scm").is_file()


def facts_query(language_id: str) -> str | None:
    """Return the query of a language for references, imports and metrics, or None when it has none."""
    return query_text(language_id, "facts")
