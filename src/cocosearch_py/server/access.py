"""Which folders a client may have indexed, and which indexes it may see.

With `--root`, these folders alone, for both. Without it every index may be seen, and indexed may be: the project the
server was started for and, over stdio, the projects of the client's roots and of the working folder. Links are
resolved before any comparison, so a link that leads out of a root is outside.
"""

import stat
from collections.abc import Sequence
from pathlib import Path

from cocosearch_py.catalog.selection import project_root
from cocosearch_py.errors import SafetyError, ValidationError, WorkspaceError
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.paths import local_path
from cocosearch_py.tools.call import Place

MAX_PATH_CHARS = 4096  # Linux's own limit
_NAME_A_PROJECT = (
    "start the server for a project, as `cocosearch-py mcp PATH` or in its folder with --project-from-cwd, "
    "or name each folder that clients may index and search with --root FOLDER"
)


class Access:
    """The rules of one server."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options

    def may_see(self, root_path: str) -> bool:
        """Whether the index of this folder exists for clients."""
        return not self._options.roots or _inside(Path(root_path), self._options.roots)

    def may_index(self, root_path: str, client_roots: Sequence[Path]) -> bool:
        """Whether a client may have the index of this folder brought up to date."""
        return _inside(Path(root_path), self._allowed(client_roots))

    def folder_to_index(self, text: str, base: Path, client_roots: Sequence[Path]) -> Path:
        """The real folder that a client's path means, relative ones from `base`.

        Raises:
            ValidationError: not a path at all.
            SafetyError: outside every allowed folder; the same answer whether or not it exists.
            WorkspaceError: inside, but not a folder.
        """
        folder = real_path(local_path(text.strip(), self._options.drives), base)
        allowed = self._allowed(client_roots)
        if not _inside(folder, allowed):
            known = ", ".join(str(root) for root in allowed) or "none"
            raise SafetyError(
                f"the path is outside the folders that this server may index (allowed: {known})",
                hint="index a folder inside them, or start the server with --root FOLDER"
                if allowed
                else _NAME_A_PROJECT,
                details={"allowed": [str(root) for root in allowed]},
            )
        try:
            mode = folder.stat().st_mode
        except OSError:  # missing, forbidden, or a name that no file system takes
            raise WorkspaceError(
                f"Path does not exist: {text}", hint="name a folder that contains source files", details={"path": text}
            ) from None
        if not stat.S_ISDIR(mode):
            raise WorkspaceError(
                f"Path is not a folder: {text}", hint="name a folder that contains source files", details={"path": text}
            )
        return folder

    def place_below(self, place: Place, text: str) -> Place:
        """The place that a folder in the arguments means, a relative one from the caller's own; "." is that itself.

        Raises:
            ValidationError: not a path at all.
            WorkspaceError: not a folder.
        """
        if text.strip() in ("", "."):
            return place
        folder = real_path(local_path(text.strip(), self._options.drives), project_root(place.folders[0]))
        if self.may_see(str(folder)) and not folder.is_dir():  # elsewhere the answer is the same whether it is there
            raise WorkspaceError(
                f"Path does not exist: {text}",
                hint="call list_indexes to see the indexed folders",
                details={"path": text},
            )
        return Place((folder,), "argument", place.client_roots)

    def _allowed(self, client_roots: Sequence[Path]) -> list[Path]:
        options = self._options
        if options.roots:
            return list(options.roots)
        allowed = [options.project.resolve()] if options.project else []
        if options.local:
            here = options.working_folder.resolve()
            # Desktop clients start servers at the top of the disk, which names no project.
            places = [*client_roots, *([here] if here != Path(here.anchor) else [])]
            allowed += [project_root(place) for place in places]
        return list(dict.fromkeys(allowed))


def real_path(text: str, base: Path) -> Path:
    """Absolute path with `~` and links resolved; it need not exist. Raises ValidationError for what is not a path."""
    if not text.strip() or "\0" in text or len(text) > MAX_PATH_CHARS:
        raise ValidationError("the path is empty, too long or has a null byte", hint="give the path of a folder")
    try:
        return (base / Path(text.strip()).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a home that is not known
        raise ValidationError("the path cannot be resolved", hint="give the path of a folder") from error


def _inside(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)
