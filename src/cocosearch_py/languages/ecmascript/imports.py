"""JavaScript and TypeScript: relative files, aliases of a tsconfig, packages of the same repository."""

import re
from collections.abc import Iterator

from cocosearch_py.languages.ecmascript.manifests import (
    Package,
    matches,
    package_named,
    packages_by_folder,
    paths_around,
    split_name,
)
from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    join,
    to_file,
    upwards,
)
from cocosearch_py.model.references import Import

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json", ".vue", ".svelte")
# TypeScript writes the name of what it will make of a file.
_SOURCES = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".ts": (".d.ts",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_BUILT = re.compile(r"(?:^|(?<=/))(?:dist|lib|build|out|es|esm|cjs)(?:/(?:esm|cjs|es|types|src|mjs))?/")
_BUILT_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")
_DECLARATIONS = re.compile(r"\.d\.[cm]?ts$")
_ALIASES = {"@": ("src", "app", ""), "~": ("src", "app", "")}  # of bundlers, whose configuration is a program


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the text of an `import`, `export from`, `require` or `import()`."""
    folder = folder_of(path)
    module = one.module.partition("?")[0].rpartition("!")[2]  # of bundlers: "raw-loader!./x", "./x?url"
    if module.startswith("."):
        return to_file(_relative(project, folder, module))
    if not module or "://" in module or module.startswith(("node:", "data:", "bun:", "npm:", "jsr:", "virtual:")):
        return EXTERNAL
    if module.startswith("/"):
        return to_file(next((found for one in upwards(folder) if (found := _file(project, one + module))), None))
    aliases = paths_around(project, folder)
    for pattern, base, targets in aliases.rules:
        if (star := matches(pattern, module)) is not None:
            for target in targets:
                if (found := _relative(project, base, target.replace("*", star))) is not None:
                    return to_file(found)
    if aliases.base is not None and (found := _file(project, inside(aliases.base, module))) is not None:
        return to_file(found)
    if module.startswith("#"):
        return to_file(_own_import(project, folder, module))
    return _package(project, folder, module) or _by_convention(project, folder, module)


def _relative(project: Project, folder: str, module: str) -> str | None:
    place = join(folder, module)
    return (
        None
        if place is None
        else _file(project, place, folder_only=module == "." or module.endswith(("/", "/.", "..")))
    )


def _file(project: Project, place: str, *, folder_only: bool = False) -> str | None:
    """The file that a path without or with suffix means, or the index file of a folder."""
    paths = project.paths
    if place and not folder_only:
        if place in paths:
            return place
        for suffix in _SUFFIXES:
            if place + suffix in paths:
                return place + suffix
        stem, dot, suffix = place.rpartition(".")
        for source in _SOURCES.get(dot + suffix, ()):
            if stem + source in paths:
                return stem + source
    if not project.is_folder(place):
        return None
    package = project.once(packages_by_folder).get(place)
    if package is not None and (found := _entry(project, package)) is not None:
        return found
    index = inside(place, "index")
    return next((index + suffix for suffix in _SUFFIXES if index + suffix in paths), None)


def _package(project: Project, folder: str, module: str) -> Resolution | None:
    """A package of the project itself; None when it has none of that name."""
    name, rest = split_name(module)
    package = package_named(project, name, folder)
    if package is None:
        return None
    return to_file(_subpath(project, package, rest) if rest else _entry(project, package))


def _entry(project: Project, package: Package) -> str | None:
    for pattern, targets in package.exports:
        if pattern == "." and (found := _targets(project, package, targets)) is not None:
            return found
    if (found := _targets(project, package, package.entries)) is not None:
        return found
    for name in ("src/index", "index", "src/main"):
        place = inside(package.folder, name)
        for suffix in _SUFFIXES:
            if place + suffix in project.paths:
                return place + suffix
    return None


def _subpath(project: Project, package: Package, rest: str) -> str | None:
    for pattern, targets in package.exports:
        star = matches(pattern, f"./{rest}")
        if star is not None:
            filled = tuple(target.replace("*", star) for target in targets)
            if (found := _targets(project, package, filled)) is not None:
                return found
    return _file(project, inside(package.folder, rest)) or _file(project, inside(package.folder, f"src/{rest}"))


def _targets(project: Project, package: Package, targets: tuple[str, ...]) -> str | None:
    """The first target that is in the project; of one that a build makes, what it is made of."""
    targets = tuple(sorted(targets, key=_distance_from_source))
    for target in targets:
        place = join(package.folder, target)
        if place is not None and place in project.paths:
            return place
    for target in targets:
        for source in _sources_of(target.removeprefix("./")):
            for suffix in _SUFFIXES:
                place = inside(package.folder, source) + suffix
                if place in project.paths:
                    return place
            if (place := inside(package.folder, f"{source}/index.ts")) in project.paths:
                return place
    return None


def _distance_from_source(target: str) -> tuple[bool, bool, bool]:
    return bool(_DECLARATIONS.search(target)), bool(_BUILT.match(target.removeprefix("./"))), target.endswith(".cjs")


def _sources_of(target: str) -> Iterator[str]:
    stem = _BUILT_SUFFIX.sub("", target)
    yield stem
    source, count = _BUILT.subn("", stem, count=1)
    if count:
        yield f"src/{source}"
        yield source


def _own_import(project: Project, folder: str, module: str) -> str | None:
    """A name with `#`, which the package.json around the file explains."""
    known = project.once(packages_by_folder)
    package = next((known[one] for one in upwards(folder) if one in known), None)
    if package is None:
        return None
    for pattern, targets in package.imports:
        star = matches(pattern, module)
        if star is not None:
            return _targets(project, package, tuple(target.replace("*", star) for target in targets))
    return None


def _by_convention(project: Project, folder: str, module: str) -> Resolution:
    """`@/x` and `~/x` mean the sources of the package; whatever else has no path is a library."""
    head, _, rest = module.partition("/")
    if head not in _ALIASES or not rest:
        return EXTERNAL
    for root in upwards(folder):
        for source in _ALIASES[head]:
            if (found := _file(project, inside(inside(root, source), rest))) is not None:
                return to_file(found)
    return UNRESOLVED
