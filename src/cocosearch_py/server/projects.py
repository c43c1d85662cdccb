"""Which project a call is about: client roots, then the request's own, then the server's project, then its folder.

Only the first of these that says anything counts: a client that names its roots is never answered from elsewhere.
"""

from collections.abc import Iterable
from pathlib import Path

from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.paths import local_path, path_of_uri
from cocosearch_py.tools.call import Place


def place_of(options: ServerOptions, client_roots: tuple[Path, ...], named: Path | None) -> Place:
    """The place of a call without an index name; `named` is the folder that its request names."""
    if client_roots:
        return Place(client_roots, "roots", client_roots)
    if named is not None:
        return Place((named,), "project parameter")
    if options.project is not None:
        return Place((options.project,), "server project")
    return Place((options.working_folder,), "working folder")


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
