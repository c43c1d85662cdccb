"""YAML: files and folders that Compose, GitHub Actions, GitLab CI, Helm and Kustomize name."""

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
)
from cocosearch_py.model.references import Import

_WORKFLOWS = ".github"
_MAIN_FILES = (  # of a folder that is named instead
    "Dockerfile action.yml action.yaml kustomization.yaml kustomization.yml Chart.yaml compose.yaml compose.yml "
    "docker-compose.yml docker-compose.yaml Containerfile"
).split()


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve a path to its file, or to the main file of its folder. Any value may look like a path: only one of a
    workflow that begins with a dot has to be there.
    """
    name = one.module.removeprefix("file://")
    folder = folder_of(path)
    in_workflow = folder.split("/", 1)[0] == _WORKFLOWS and name.startswith("./")  # meant from the root
    if "://" in name or "$" in name or "*" in name or name.startswith("~"):
        return EXTERNAL
    starts = ("",) if in_workflow or name.startswith("/") else (folder, "")
    for start in starts:
        place = join(start, name.lstrip("/"))
        if place in project.paths:
            return to_file(place)
        if place and project.is_folder(place) and (found := project.first(inside(place, one) for one in _MAIN_FILES)):
            return to_file(found)
    return UNRESOLVED if in_workflow else EXTERNAL
