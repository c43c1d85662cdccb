"""Which project a call is about: client roots, then the request's own, then the server's project, then its folder.

Only the first of these that says anything counts: a client that names its roots is never answered from elsewhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.paths import local_path, path_of_uri

_PROJECT_FILES = (".git", "cocosearch-py.yaml", "cocosearch-py.yml", "cocosearch.yaml", "cocosearch.yml")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call is to look. `client_roots` are kept apart: over stdio they may also be indexed."""

    folders: tuple[Path, ...]
    source: str  # roots, project parameter, server project or working folder
    client_roots: tuple[Path, ...] = ()


def place_of(options: ServerOptions, client_roots: tuple[Path, ...], named: Path | None) -> Place:
    """The place of a call without an index name; `named` is the folder that its request names."""
    if client_roots:
        return Place(client_roots, "roots", client_roots)
    if named is not None:
        return Place((named,), "project parameter")
    if options.project is not None:
        return Place((options.project,), "server project")
    return Place((options.working_folder,), "working folder")


def project_root(folder: Path) -> Path:
    """The nearest folder at or above that is a repository, a worktree or has our configuration; else the folder."""
    resolved = folder.resolve()
    for candidate in (resolved, *resolved.parents):
        if any(_exists(candidate / name) for name in _PROJECT_FILES):
            return candidate
    return resolved


def named_folder(text: str, drives: str | None) -> Path | None:
    """The folder that a request names, if that is an absolute path; `drives` as in `local_path`."""
    text = local_path(text, drives)
    if "\0" in text:  # not a path of any system
        return None
    return Path(text) if text.startswith(("/", "~")) or Path(text).is_absolute() else None


def root_folders(uris: Iterable[str], drives: str | None) -> tuple[Path, ...]:
    """Roots that are folders of this machine; a client elsewhere names folders that are not here."""
    found = []
    for uri in uris:
        path = path_of_uri(uri, drives)
        if path is None or "\0" in path:
            continue
        folder = Path(path)
        if folder.is_absolute() and _exists(folder):
            found.append(folder.resolve())
    return tuple(dict.fromkeys(found))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
