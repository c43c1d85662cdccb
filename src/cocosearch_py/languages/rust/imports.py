"""Rust: `mod x`, and paths from the crate, this module, the one around it, or another crate of the workspace."""

import re

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    inside,
    join,
    nearest,
    to_file,
    upwards,
)
from cocosearch_py.model.references import WILDCARD, Import

_SECTION = re.compile(r"^[ \t]*\[+([^\]\n]+)\]+[^\n]*$", re.MULTILINE)
_NAME = re.compile(r"^[ \t]*name[ \t]*=[ \t]*[\"']([^\"'\n]+)", re.MULTILINE)
_PATH = re.compile(r"^[ \t]*path[ \t]*=[ \t]*[\"']([^\"'\n]+)", re.MULTILINE)
_ROOTS = ("lib.rs", "main.rs")  # their modules lie beside them
_OWN_CRATES = ("bin", "tests", "benches", "examples")  # each file of these folders is a crate
_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})


def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve `use` and `mod`: the file of the last part that is a module; parts after it are names in it."""
    parts = one.module.removeprefix("::").replace("r#", "").split("::")
    if one.name and one.name not in (WILDCARD, "self"):
        parts.append(one.name)
    folder, file = _module_folder(project, path), path
    if parts[0] in _STANDARD:
        return EXTERNAL
    if parts[0] == "crate":
        file, folder = _crate_of(project, path)
    elif parts[0] == "super":
        while parts and parts[0] == "super":
            file, folder = _around(project, path if file == path else file)
            parts.pop(0)
        parts.insert(0, "")
    elif parts[0] != "self" and _child(project, folder, parts[0]) is None:
        found = _other_crate(project, path, parts[0])
        if found is None:
            return EXTERNAL if "::" in one.module or one.name else UNRESOLVED
        file, folder = found, folder_of(found)
    else:
        parts.insert(0, "")
    return _walk(project, file, folder, [part for part in parts[1:] if part != "self"])


def is_near(changed: str, path: str) -> bool:
    """Whether a file may be the module around another one, which `super` means."""
    return path.startswith(changed.removesuffix(".rs") + "/")


def _walk(project: Project, file: str, folder: str, parts: list[str]) -> Resolution:
    for part in parts:
        child = _child(project, folder, part)
        if child is None:
            break
        file, folder = child, inside(folder, part)
    return to_file(file if file in project.paths else None)


def _child(project: Project, folder: str, name: str) -> str | None:
    place = inside(folder, name)
    return project.first((f"{place}.rs", f"{place}/mod.rs"))


def _is_root(project: Project, path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if name in _ROOTS or path in project.once(_named_roots):
        return True
    around, _, kind = folder.rpartition("/")
    return (
        kind in _OWN_CRATES and (inside(around, "Cargo.toml") in project.paths or kind == "bin")
    ) or name == "build.rs"


def _module_folder(project: Project, path: str) -> str:
    """Where the modules inside of this one lie."""
    if path.endswith("/mod.rs") or _is_root(project, path):
        return folder_of(path)
    return path.removesuffix(".rs")


def _around(project: Project, path: str) -> tuple[str, str]:
    """The file of the module around that of a file, and where its modules lie."""
    folder = folder_of(path)
    if path.endswith("/mod.rs"):
        folder = folder_of(folder)
    for name in ("mod.rs", *_ROOTS):
        if (file := inside(folder, name)) in project.paths and file != path:
            return file, folder
    if (file := f"{folder}.rs") in project.paths:
        return file, folder
    return next((one for one in project.files_in(folder) if one in project.once(_named_roots)), path), folder


def _crate_of(project: Project, path: str) -> tuple[str, str]:
    """The root of the crate that a file is in, and its folder."""
    if _is_root(project, path):
        return path, folder_of(path)
    for folder in upwards(folder_of(path)):
        for name in _ROOTS:
            if (file := inside(folder, name)) in project.paths:
                return file, folder
        if (
            folder.endswith(tuple(f"/{kind}" for kind in _OWN_CRATES))
            and (file := f"{folder}/main.rs") in project.paths
        ):
            return file, folder
        if inside(folder, "Cargo.toml") in project.paths:
            root = project.once(_roots_by_folder).get(folder)
            return (root, folder_of(root)) if root else (path, folder)
    return path, folder_of(path)


def _other_crate(project: Project, path: str, name: str) -> str | None:
    known = project.once(_crates).get(name)
    return None if known is None else nearest(path, known)[0]


def _crates(project: Project) -> dict[str, list[str]]:
    """By name, as it is written in paths: the roots of libraries."""
    found: dict[str, list[str]] = {}
    for path in project.named("Cargo.toml"):
        text = project.read(path) or ""
        root = project.once(_roots_by_folder).get(folder_of(path))
        for section in ("lib", "package"):
            if root is not None and (name := _NAME.search(_section(text, section))) is not None:
                found.setdefault(name[1].replace("-", "_"), []).append(root)
                break
    return found


def _roots_by_folder(project: Project) -> dict[str, str]:
    """By the folder of a Cargo.toml: the root of its library."""
    found: dict[str, str] = {}
    for path in project.named("Cargo.toml"):
        folder = folder_of(path)
        given = _PATH.search(_section(project.read(path) or "", "lib"))
        root = (join(folder, given[1]) or "") if given is not None else inside(folder, "src/lib.rs")
        if root in project.paths:
            found[folder] = root
    return found


def _named_roots(project: Project) -> frozenset[str]:
    return frozenset(project.once(_roots_by_folder).values())


def _section(text: str, name: str) -> str:
    """The lines of one section of a TOML file."""
    headings = list(_SECTION.finditer(text))
    for heading, following in zip(headings, [*headings[1:], None], strict=False):
        if heading[1].strip() == name:
            return text[heading.end() : following.start() if following is not None else len(text)]
    return ""
