"""The wiki that a call is about, and the author of what it writes."""

from pathlib import Path
from typing import NamedTuple

from cocosearch_py.app import App
from cocosearch_py.catalog.selection import index_of_folder, project_root
from cocosearch_py.discovery.git import repository_state
from cocosearch_py.errors import SafetyError, ValidationError
from cocosearch_py.features.wiki.model import WikiPlace
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.model.paths import storable_path
from cocosearch_py.tools.call import Call


class Target(NamedTuple):
    """The services, and the place whose wiki a call is about."""

    app: App
    place: WikiPlace

    @property
    def wikis(self) -> Wikis:
        """The wikis of the database."""
        return Wikis(self.app.database)


def target_of(call: Call, *, writes: bool = False) -> Target:
    """Return the wiki of the index that a call names, or of its project.

    Raises:
        IndexNotFoundError: there is no such index.
        SafetyError: the call writes, but the caller must not.
    """
    where = call.selection.place
    if where is None:
        found = call.find()
        app, record = found.app, found.records[0]
        if record.is_detached:
            raise ValidationError(f"index '{record.name}' has no folder here", hint="name the index of a repository")
        folder = root = Path(record.root_path)
    else:
        folder = where.folders[0]
        app = call.app(folder)
        own = index_of_folder(call.visible(app), folder) if app.database.is_there else None
        root = Path(own.root_path) if own is not None else project_root(folder)
    place = find_place(folder, root)
    if writes and not call.may_write(str(place.root)):
        raise SafetyError(
            "this server does not allow writing to this folder's wiki",
            hint="ask the server's administrator, or write from a client on that machine",
        )
    return Target(app, place)


def find_place(folder: Path, root: Path | None = None) -> WikiPlace:
    """Return the place of a folder's wiki.

    Args:
        folder: the caller's folder.
        root: the whole project where there is no repository, such as the folder of an index.
    """
    resolved = folder.resolve()
    if (state := repository_state(resolved)) is not None:
        return WikiPlace(storable_path(str(state.common_dir.resolve())), state.root)
    whole = (root or resolved).resolve()
    return WikiPlace(storable_path(str(whole)), whole)


def author_of(call: Call, asked: str | None) -> str:
    """Return the author that a call names, or its client."""
    return (asked or "").strip()[:100] or call.author
