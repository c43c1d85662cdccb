"""Masks secrets in everything that a client receives: answers, errors and resources."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from cocosearch_py.secrets.masking import mask_texts

_PATHS = ("file_path", "path", "file", "filePath")  # keys whose value is the file that the texts beside it come from


def masked(answer: Any) -> Any:
    """Return an answer, as JSON, with the secrets in its texts masked; the same object if it holds none."""
    code, settings = list[str](), list[str]()
    _collect(answer, code, settings, code)
    changed = dict[str, str]()
    for texts, bare in ((code, False), (settings, True)):
        kept = mask_texts(texts, bare=bare)
        if kept is not texts:
            changed |= {old: new for old, new in zip(texts, kept, strict=True) if old != new}
    return _replaced(answer, changed) if changed else answer


def masked_text(text: str, path: str = "") -> str:
    """Return the text of a file, or of anything else, with its secrets masked."""
    return mask_texts([text], bare=bool(path) and _is_settings(path))[0]


def _collect(value: Any, code: list[str], settings: list[str], into: list[str]) -> None:
    """Add texts from settings files to `settings`, and all others to `code`.

    Args:
        into: the list for texts of the object around, unless it names a file of its own.
    """
    if isinstance(value, str):
        into.append(value)
    elif isinstance(value, list | tuple):
        for one in value:
            _collect(one, code, settings, into)
    elif isinstance(value, dict):
        for key in _PATHS:
            if isinstance(path := value.get(key), str):
                into = settings if _is_settings(path) else code
                break
        for one in _rows(value) if "rows" in value else value.values():
            _collect(one, code, settings, into)


def _rows(table: dict[str, Any]) -> list[Any]:
    """Return the parts of an answer with a table, whose rows become objects by column name."""
    columns, rows = table.get("columns"), table["rows"]
    if not (isinstance(columns, list) and isinstance(rows, list)):
        return list(table.values())
    named = [dict(zip(columns, row, strict=False)) if isinstance(row, list | tuple) else row for row in rows]
    return [*(one for name, one in table.items() if name != "rows"), named]


def _replaced(value: Any, changed: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return changed.get(value, value)
    if isinstance(value, dict):
        return {name: _replaced(one, changed) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(one, changed) for one in value]
    return value


@lru_cache(maxsize=4096)
def _is_settings(path: str) -> bool:
    """Report whether values of a file need no quotes, as the audit decides it."""
    from cocosearch_py.secrets.settings import is_settings  # knows all languages, which few answers need

    return is_settings(path, b"")
