"""Masks secrets in all that a client is sent: the texts of answers, errors and resources."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from cocosearch_py.audit.secrets.masking import mask_texts

_PATHS = ("file_path", "path", "file", "filePath")  # keys whose value is the file that the texts beside it come from


def masked(answer: Any) -> Any:
    """Return an answer with the secrets in its texts masked; the same object if it holds none."""
    code, settings = list[str](), list[str]()
    for text, is_setting in _texts(answer, False):
        (settings if is_setting else code).append(text)
    changed = dict[str, str]()
    for texts, bare in ((code, False), (settings, True)):
        kept = mask_texts(texts, bare=bare)
        if kept is not texts:
            changed |= {old: new for old, new in zip(texts, kept, strict=True) if old != new}
    return _replaced(answer, changed) if changed else answer


def masked_text(text: str, path: str = "") -> str:
    """Return the text of a file, or of anything else, with its secrets masked."""
    return mask_texts([text], bare=bool(path) and _is_settings(path))[0]


def _texts(value: Any, is_setting: bool) -> Iterator[tuple[str, bool]]:
    """All texts, each with whether it comes from a file of settings."""
    if isinstance(value, str):
        yield value, is_setting
    elif isinstance(value, Mapping):
        path = next((value[key] for key in _PATHS if isinstance(value.get(key), str)), None)
        inside = is_setting if path is None else _is_settings(path)
        columns, rows = value.get("columns"), value.get("rows")
        for name, one in value.items():
            if name == "rows" and isinstance(columns, list) and isinstance(rows, list):
                for row in rows:
                    yield from _texts(dict(zip(columns, row, strict=False)), inside)
            else:
                yield from _texts(one, inside)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one, is_setting)


def _replaced(value: Any, changed: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return changed.get(value, value)
    if isinstance(value, Mapping):
        return {name: _replaced(one, changed) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(one, changed) for one in value]
    return value


@lru_cache(maxsize=4096)
def _is_settings(path: str) -> bool:
    """Report whether values of a file need no quotes, as the audit decides it."""
    from cocosearch_py.audit.secrets.settings import is_settings  # knows all languages, which few answers need

    return is_settings(path, b"")
