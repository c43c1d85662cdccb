"""Java, Kotlin, Scala: a class has a file of its name in a folder like its package, or any file of that folder."""

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    nearest,
    to_file,
    to_package,
    upwards,
    with_declaring,
)
from cocosearch_py.model.references import WILDCARD, Import

_SUFFIXES = (".java", ".kt", ".scala", ".groovy", ".kts")
_STANDARD = frozenset({"java", "javax", "kotlin", "scala", "android", "androidx", "jdk", "sun"})
_OWN_PARTS = 3  # of a package, by which those of the project are known: com.example.app
_MAX_INNER = 3  # how many names may follow that of the class with a file


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve an import of a class, of what is in one, of a function, or of a whole package."""
    parts = one.module.replace("_root_.", "").replace(" ", "").replace("`", "").split(".")
    if one.name and one.name != WILDCARD:
        parts.append(one.name)
    if parts[0] in _STANDARD:
        return EXTERNAL
    package = "/".join(parts if one.name == WILDCARD else parts[:-1])
    if one.name != WILDCARD and (found := _class(project, path, parts)) is not None:
        return to_file(found)
    if (resolution := _package(project, package)) is not None:
        return resolution
    if one.name != WILDCARD and (resolution := _declared(project, parts)) is not None:
        return resolution
    if (found := _class(project, path, parts)) is not None or (found := _relative(project, path, parts)) is not None:
        return to_file(found)
    if len(parts) > 2 and project.folders_ending("/".join(parts[: min(_OWN_PARTS, len(parts) - 1)])):
        return UNRESOLVED
    return EXTERNAL


def package_words(project: Project, path: str) -> set[str]:
    del project
    return {folder_of(path).rpartition("/")[2]} - {""} if path.endswith(_SUFFIXES) else set()


def _class(project: Project, path: str, parts: list[str]) -> str | None:
    """The file of the class that a name begins with; what is inside of a class follows it."""
    for length in range(len(parts), max(len(parts) - _MAX_INNER, 1), -1):
        if length < len(parts) and not parts[length - 1][:1].isupper():
            return None
        tail = "/".join(parts[:length])
        if files := [file for suffix in _SUFFIXES for file in project.ending(tail + suffix)]:
            return nearest(path, files)[0]
    return None


def _declared(project: Project, parts: list[str]) -> Resolution | None:
    """The files of a package of which only they themselves tell, with a member of a class of it."""
    for length in range(len(parts) - 2, 0, -1):
        if parts[length][:1].isupper() and (files := project.declaring(".".join(parts[:length]))):
            return Resolution(tuple(files), package=True)
    return None


def _package(project: Project, package: str) -> Resolution | None:
    key = (to_package, package)
    found = project.remembered(key, lambda: _files_of(project, package) or UNRESOLVED)
    return found if found.targets else None


def _files_of(project: Project, package: str) -> Resolution | None:
    """The files in the folders of a package, and those that say they are in it."""
    folders = project.folders_ending(package) if "/" in package else ()
    return with_declaring(project, to_package(project, folders, _SUFFIXES), package.replace("/", "."))


def _relative(project: Project, path: str, parts: list[str]) -> str | None:
    """Scala: a name in one of the packages around."""
    if not path.endswith((".scala", ".sc")):
        return None
    tail = "/".join(parts)
    for folder in upwards(folder_of(path)):
        place = inside(folder, tail)
        if (found := project.first((f"{place}.scala", f"{folder_of(place)}.scala"))) is not None:
            return found
    return None
