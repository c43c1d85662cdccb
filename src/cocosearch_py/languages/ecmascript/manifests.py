"""Rules for imports in the `package.json`, `tsconfig.json` and `jsconfig.json` of a project."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cocosearch_py.languages.imports import Project, folder_of, inside, join, upwards

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_MAX_EXTENDS = 8  # a chain that is longer goes in a circle
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_ENTRIES = ("source", "module", "main", "types", "typings")


@dataclass(frozen=True, slots=True)
class Paths:
    """Aliases of one tsconfig: `rules` are (pattern, folder, targets), those without `*` and the longest first."""

    rules: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    base: str | None = None  # where names that are not relative are looked for


@dataclass(frozen=True, slots=True)
class Package:
    """One package.json. `exports` are (pattern, targets), `imports` the same for names with `#`."""

    name: str
    folder: str
    is_workspace: bool  # other packages belong to it
    entries: tuple[str, ...]
    exports: tuple[tuple[str, tuple[str, ...]], ...]
    imports: tuple[tuple[str, tuple[str, ...]], ...]


def read_json(project: Project, path: str) -> dict[str, Any]:
    """A JSON object that may have comments and trailing commas; empty when it cannot be read."""
    text = project.read(path) if path in project.paths else None
    if text is None:
        return {}
    text = text.removeprefix("\ufeff")
    try:
        found = json.loads(text)
    except ValueError:
        try:
            text = _STRING_OR_COMMENT.sub(lambda one: one.group() if one.group()[0] == '"' else " ", text)
            found = json.loads(_STRING_OR_COMMA.sub(lambda one: one.group() if one.group()[0] == '"' else "", text))
        except (ValueError, RecursionError):
            return {}
    except RecursionError:
        return {}
    return found if isinstance(found, dict) else {}


def split_name(module: str) -> tuple[str, str]:
    """The name of the package in the name of a module, and what follows it."""
    parts = module.split("/")
    scope = 2 if module.startswith("@") else 1
    return "/".join(parts[:scope]), "/".join(parts[scope:])


def split_pattern(pattern: str) -> tuple[str, str | None]:
    """Return the parts before and after the `*` of a pattern; None after one without `*`."""
    before, star, after = pattern.partition("*")
    return before, after if star else None


def matches(pattern: str, name: str) -> str | None:
    """Return the text that the `*` of a pattern stands for in a name ("" without one); None when it does not fit."""
    before, after = split_pattern(pattern)
    if after is None:
        return "" if name == pattern else None
    if name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
        return name[len(before) : len(name) - len(after)]
    return None


def by_precision(patterns: Iterator[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Patterns in the order in which they are tried."""
    return tuple(sorted(patterns, key=lambda one: ("*" in one[0], -len(one[0].partition("*")[0]))))


def packages_by_folder(project: Project) -> dict[str, Package]:
    """All packages of the project by their folder, the one nearest to the root first."""
    return {
        folder: _package(folder, content)
        for path in project.named("package.json")
        if (content := read_json(project, path))
        for folder in [folder_of(path)]
    }


def packages_by_name(project: Project) -> dict[str, tuple[Package, ...]]:
    """All packages that have a name by it, the one nearest to the root first."""
    found: dict[str, tuple[Package, ...]] = {}
    for one in project.once(packages_by_folder).values():
        if one.name:
            found[one.name] = (*found.get(one.name, ()), one)
    return found


def package_named(project: Project, name: str, folder: str) -> Package | None:
    """The package that files in a folder mean by a name: one of the same workspace before all others."""
    known = project.once(packages_by_name).get(name, ())
    if len(known) > 1:
        workspaces = project.once(_workspaces)
        for root in upwards(folder):
            if root in workspaces and (inner := [one for one in known if one.folder.startswith(root)]):
                return inner[0]
    return known[0] if known else None


def _workspaces(project: Project) -> frozenset[str]:
    folders = {one.folder for one in project.once(packages_by_folder).values() if one.is_workspace}
    return frozenset(folders.union(folder_of(path) for path in project.named("pnpm-workspace.yaml", "lerna.json")))


def _package(folder: str, content: dict[str, Any]) -> Package:
    exports = content.get("exports")
    if not (isinstance(exports, dict) and any(str(key).startswith(".") for key in exports)):
        exports = {".": exports}
    imports, name = content.get("imports"), content.get("name")
    return Package(
        name if isinstance(name, str) else "",
        folder,
        "workspaces" in content,
        tuple(entry for key in _ENTRIES if isinstance(entry := content.get(key), str)),
        _subpaths(exports),
        _subpaths(imports if isinstance(imports, dict) else {}),
    )


def _subpaths(table: dict[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = ((str(key), tuple(dict.fromkeys(_strings(value)))) for key, value in table.items())
    return by_precision((key, targets) for key, targets in found if targets)


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    """All targets below a condition, in order."""
    if isinstance(value, str):
        yield value
    elif depth < _MAX_EXTENDS and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner, depth + 1)


def paths_by_folder(project: Project) -> dict[str, Paths]:
    """The aliases that hold in each folder with a tsconfig or jsconfig of its own."""
    found: dict[str, Paths] = {}
    for path in project.named(*_CONFIGS):
        found.setdefault(folder_of(path), _paths(project, path))
    return found


def paths_around(project: Project, folder: str) -> Paths:
    """The aliases that hold for files in a folder."""
    known = project.once(paths_by_folder)
    return next((known[one] for one in upwards(folder) if one in known), Paths())


def _paths(project: Project, path: str) -> Paths:
    found = _own_paths(project, path, 0)
    if found.rules or found.base is not None:
        return found
    references = read_json(project, path).get("references")  # a config that only names others
    for one in references if isinstance(references, list) else ():
        place = one.get("path") if isinstance(one, dict) else None
        target = join(folder_of(path), place) if isinstance(place, str) else None
        if target is not None and (found := _own_paths(project, _config_at(project, target), 0)).rules:
            return found
    return Paths()


def _own_paths(project: Project, path: str, depth: int) -> Paths:
    content = read_json(project, path)
    folder = folder_of(path)
    inherited = Paths()
    extends = content.get("extends")
    for one in extends if isinstance(extends, list) else [extends]:
        if isinstance(one, str) and depth < _MAX_EXTENDS and (target := _extended(project, folder, one)) is not None:
            wider = _own_paths(project, target, depth + 1)
            inherited = Paths(wider.rules or inherited.rules, inherited.base if wider.base is None else wider.base)
    options = content.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    given = options.get("baseUrl")
    base = join(folder, given) if isinstance(given, str) else inherited.base
    table = options.get("paths")
    if not isinstance(table, dict):
        return Paths(inherited.rules, base)
    place = folder if base is None else base
    rules = by_precision(
        (str(key), tuple(one for one in value if isinstance(one, str)))
        for key, value in table.items()
        if isinstance(value, list)
    )
    return Paths(tuple((pattern, place, targets) for pattern, targets in rules), base)


def _extended(project: Project, folder: str, name: str) -> str | None:
    if name.startswith("."):
        target = join(folder, name)
        return None if target is None else _config_at(project, target)
    own_name, rest = split_name(name)
    package = package_named(project, own_name, folder)
    return None if package is None else _config_at(project, inside(package.folder, rest))


def _config_at(project: Project, target: str) -> str:
    """The config that a name means, which may be without ".json" or be a folder's."""
    if target not in project.paths and f"{target}.json" in project.paths:
        return f"{target}.json"
    return target if target in project.paths else inside(target, "tsconfig.json")
