"""C#: a namespace is a folder of its name; folders may have several of its parts in their own name."""

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
    with_declaring,
)
from cocosearch_py.model.references import Import

_SUFFIXES = (".cs",)


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve a namespace to all files of its folders, or a class to its file."""
    name = one.module.replace(" ", "").removeprefix("global::").partition("<")[0]
    by_folder = to_package(project, _folders(project, name), _SUFFIXES)
    if (found := with_declaring(project, by_folder, name)) is not None:
        return found
    namespace, _, last = name.rpartition(".")
    files = [inside(folder, f"{last}.cs") for folder in _folders(project, namespace)] if namespace else []
    if known := [file for file in files if file in project.paths]:
        return to_file(nearest(path, known)[0])
    top = name.partition(".")[0]
    return UNRESOLVED if top != "System" and top in project.once(_tops) else EXTERNAL


def package_words(project: Project, path: str) -> set[str]:
    if not path.endswith(_SUFFIXES):
        return set()
    folder = folder_of(path)
    names = [folder, *(name for name, places in project.once(_project_folders).items() if folder in places)]
    return {name.replace("/", ".").rpartition(".")[2] for name in names} - {""}


def _folders(project: Project, name: str) -> list[str]:
    """The folders of a namespace: those with its name, then those below the project file whose name it begins with."""
    last = name.rpartition(".")[2]
    ending = f".{name}"
    found = [
        folder
        for folder in project.once(_folders_by_last).get(last, ())
        if f".{folder.replace('/', '.')}".endswith(ending)
    ]
    projects = project.once(_project_folders)
    prefix = name
    while prefix and prefix not in projects:
        prefix = prefix.rpartition(".")[0]
    rest = name[len(prefix) + 1 :].replace(".", "/")
    found += [inside(folder, rest) for folder in projects.get(prefix, ())] if prefix else []
    return list(dict.fromkeys(found))


def _folders_by_last(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in sorted({folder_of(path) for path in project.paths if path.endswith(_SUFFIXES)}):
        found.setdefault(folder.replace("/", ".").rpartition(".")[2], []).append(folder)
    return found


def _project_folders(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(project.paths):
        if path.endswith(".csproj"):
            found.setdefault(path.rpartition("/")[2].removesuffix(".csproj"), []).append(folder_of(path))
    return found


def _tops(project: Project) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in project.once(_project_folders))
