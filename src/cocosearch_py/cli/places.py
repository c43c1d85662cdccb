"""Typed paths: relative to the current folder, but operations take them relative to the index."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cocosearch_py.tools.declaration import Operation, with_values

if TYPE_CHECKING:
    from cocosearch_py.cli.call import CommandCall  # has the services, which a forwarded command does without

# Parameters by the names that they have in every operation.
PATHS = frozenset({"path", "paths", "targets", "files", "directory", "path_prefix"})
_GLOBS = frozenset({"path_glob", "exclude", "glob"})
_OWN = frozenset({"why", "index_codebase"})  # read paths from the current folder themselves
_FILTERED = frozenset({"search_code", "analyze_query"})  # whose query may hold filters
_AFTER_PATH = re.compile(r"[:#]")  # FILE:10-20, FILE#Class.method
_WILDCARD = re.compile(r"[*?\[{]")
_FILTER = re.compile(r"(?<!\S)(-?(?:path|file):)(\.{1,2}(?:/\S*)?)(?!\S)")


def from_here(operation: Operation[Any, Any], asked: Any, call: "CommandCall", folder: Path) -> Any:
    """Resolve paths among the arguments against the current folder.

    Text that names nothing there stays as it is: a path from the index's root, a definition, or the end of a path.
    """
    if operation.name in _OWN or not (operation.about_indexes or operation.about_project):
        return asked
    changed: dict[str, Any] = {}
    for one in operation.parameters:
        value = getattr(asked, one.name)
        if not value:
            continue
        if one.name in PATHS:
            changed[one.name] = _each(value, lambda text: _path(text, call, folder))
        elif one.name in _GLOBS:
            changed[one.name] = _each(value, lambda text: _glob(text, call, folder))
        elif one.name == "query" and operation.name in _FILTERED:
            changed[one.name] = _FILTER.sub(lambda found: found[1] + _filter(found[2], call, folder), value)
    return with_values(asked, changed) if changed else asked


def absolute(text: str, folder: Path) -> str:
    """Return the absolute path of text such as FILE:10-20 if FILE exists in the folder, else the text itself."""
    path = text if os.path.lexists(folder / text) else _AFTER_PATH.split(text, maxsplit=1)[0]
    if not path or "\0" in path or os.path.isabs(path) or not os.path.lexists(folder / path):
        return text
    return os.path.normpath(folder / path) + text[len(path) :]


def _each(value: Any, change: Callable[[str], str]) -> Any:
    return change(value) if isinstance(value, str) else [change(text) for text in value]


def _path(text: str, call: "CommandCall", folder: Path) -> str:
    if _WILDCARD.search(text) and not os.path.lexists(folder / text):
        return _glob(text, call, folder)
    found = absolute(text, folder)
    # An index that was named may be of another folder, whose files may have the names of those here.
    return found if found == text or call.selection.place is not None or _below(call, folder) is not None else text


def _glob(text: str, call: "CommandCall", folder: Path) -> str:
    """Return a glob from the root. A folder means all files below it, a bare name every file of that name."""
    base = _base(text)
    is_folder = base == text and (folder / text).is_dir()
    if not base or not (is_folder or "/" in text or text.startswith(".")) or not os.path.lexists(folder / base):
        return text
    below = _below(call, folder)
    if below is None or os.path.isabs(text):
        return text
    whole = os.path.normpath(os.path.join("/", below, text))  # a leading slash is the root
    return "**" if whole == "/" else f"{whole}/" if is_folder or text.endswith("/") else whole


def _filter(text: str, call: "CommandCall", folder: Path) -> str:
    found = _glob(text, call, folder).removeprefix("/")
    return f"{found}**" if found.endswith("/") else found


def _base(glob: str) -> str:
    """Return the folders of a glob before its first wildcard."""
    found = _WILDCARD.search(glob)
    return glob if found is None else glob[: found.start()].rpartition("/")[0]


def _below(call: "CommandCall", folder: Path) -> str | None:
    """Return the folder relative to the root of the index; None if it is outside."""
    root = Path(call.find().records[0].root_path).resolve()
    here = folder.resolve()
    return here.relative_to(root).as_posix().removeprefix(".") if here.is_relative_to(root) else None
