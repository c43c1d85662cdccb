"""PHP: classes by the autoload rules of composer.json, files by their path."""

import json
import re
from collections.abc import Iterator
from typing import Any

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    join,
    nearest,
    to_file,
    upwards,
)
from cocosearch_py.model.references import WILDCARD, Import

_FILES = (".php", ".inc", ".phtml")
_BEFORE_TEXT = re.compile(r".*[\"']")


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the name of a `use`, or the text of an `include`, which has a suffix."""
    name = one.module
    if name.endswith(_FILES):  # `__DIR__ . "/x.php"` as well
        return _file(project, path, _BEFORE_TEXT.sub("", name))
    if one.name and one.name != WILDCARD:
        name = f"{name}\\{one.name}"
    name = name.strip("\\")
    rules = project.once(_rules)
    own = False
    for prefix in _prefixes(name):
        rest = name[len(prefix) :].replace("\\", "/")
        for folder in rules.get(prefix, ()):
            if (place := f"{inside(folder, rest)}.php") in project.paths:
                return to_file(place)
            own = own or (prefix != "" and project.is_folder(folder_of(place)))
    if "\\" in name and (files := project.ending(name.replace("\\", "/") + ".php")):
        return to_file(nearest(path, files)[0])
    return UNRESOLVED if own else EXTERNAL


def _prefixes(name: str) -> Iterator[str]:
    """The namespaces around a name, with their last backslash, the longest first; "" last."""
    while name:
        name = name.rpartition("\\")[0]
        yield f"{name}\\" if name else ""


def _file(project: Project, path: str, name: str) -> Resolution:
    tail = name.strip("()").lstrip("/")
    for folder in upwards(folder_of(path)):
        if (place := join(folder, tail)) in project.paths:
            return to_file(place)
    files = project.ending(tail.replace("../", "").replace("./", ""))
    return to_file(nearest(path, files)[0] if files else None)


def _rules(project: Project) -> dict[str, tuple[str, ...]]:
    """By the prefix of a namespace, with its last backslash: the folders of its classes."""
    found: dict[str, tuple[str, ...]] = {}
    for path in project.named("composer.json"):
        content = _read(project, path)
        for section in ("autoload", "autoload-dev"):
            table = content.get(section)
            rules = table.get("psr-4") if isinstance(table, dict) else None
            for prefix, given in (rules if isinstance(rules, dict) else {}).items():
                for one in given if isinstance(given, list) else [given]:
                    folder = join(folder_of(path), one) if isinstance(one, str) else None
                    if folder is not None:
                        found[prefix] = (*found.get(prefix, ()), folder)
    return found


def _read(project: Project, path: str) -> dict[str, Any]:
    try:
        content = json.loads(project.read(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
