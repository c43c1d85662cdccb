"""Swift: a module is a folder of sources of its name."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, below, for_folder, inside
from cocosearch_py.model.references import Import

_PLACES = ("Sources", "Tests", "Source", "Plugins")


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve a module to its sources; `import struct Module.Name` as well."""
    del path
    module = one.module.partition(".")[0]
    if module in project.once(_manifest_folders):
        return project.once(_manifest_folders)[module]
    return EXTERNAL


def package_words(project: Project, path: str) -> set[str]:
    del project
    return set(path.split("/")[:-1]) if path.endswith(".swift") else set()


def _manifest_folders(project: Project) -> dict[str, Resolution]:
    """The modules below a Package.swift, or below a folder named like one."""
    found: dict[str, Resolution] = {}
    for place in _PLACES:
        for folder in project.folders_ending(place):
            for name in sorted({path[len(folder) + 1 :].split("/")[0] for path in below(project, folder)}):
                files = tuple(path for path in below(project, inside(folder, name)) if path.endswith(".swift"))
                if files and name not in found:
                    found[name] = Resolution(files, package=True)
    return found
