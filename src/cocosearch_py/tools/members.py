"""The member of a workspace that an answer is narrowed to."""

import posixpath
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.tools.call import Found

if TYPE_CHECKING:
    from cocosearch_py.model.search import SearchFilters

_MOST_NAMED = 5
_WILDCARDS = frozenset("*?[{")
_LIKENESS = 0.4


class Inside(NamedTuple):
    """A member; `folder` is relative to `root`, the folder of the index, and "" where none is asked for."""

    root: str
    name: str = ""
    folder: str = ""

    def path(self, text: str) -> str:
        """A path as the member has it, or as answers do, relative to the root or absolute.

        Raises:
            ValidationError: it is outside of the member.
        """
        if not self.folder:
            return text
        top = posixpath.join(self.root, self.folder)
        if "/" not in text and _WILDCARDS & set(text):
            text = f"**/{text}"  # as a glob without folders means files in any
        whole = posixpath.normpath(posixpath.join(top, text))
        if not posixpath.isabs(text) and self._holds(posixpath.normpath(text), self.folder):
            whole = posixpath.normpath(posixpath.join(self.root, text))
        if not self._holds(whole, top):
            raise ValidationError(
                f"{text[:200]} is outside the member '{self.name[:100]}', {self.folder}",
                hint="leave out member, or pass a path in its folder",
            )
        return whole[len(self.root.rstrip("/")) + 1 :]

    def filters(self, filters: "SearchFilters") -> "SearchFilters":
        """Narrow filters to the member's files."""
        return replace(filters, folder=self.folder) if self.folder else filters

    @staticmethod
    def _holds(path: str, folder: str) -> bool:
        return path == folder or path.startswith(folder + "/")


def inside(found: Found, member: str | None) -> Inside:
    """Return the member that a parameter names, by its name in list_workspace_members or by its folder.

    Raises:
        ValidationError: several indexes are asked.
        NotFoundError: there is no such member, with the nearest names.
    """
    record = found.records[0]
    if member is None:
        return Inside(record.root_path)
    if len(found.records) > 1:
        raise ValidationError("member needs exactly one index", hint="name the index with index_name")
    members = found.app.catalog.members(record).members
    wanted = member.strip().removeprefix("./").rstrip("/")
    for one in members:
        if wanted in (one.name, one.path or "."):
            return Inside(record.root_path, one.name, one.path)
    # Labels of Bazel, `//app`, would be hidden as paths of this machine; their folders name them as well.
    named = (name for one in members for name in (one.name, one.path) if name and not name.startswith("/"))
    names = list(dict.fromkeys(named))
    near = get_close_matches(wanted, names, _MOST_NAMED, _LIKENESS) or names[:_MOST_NAMED]
    raise NotFoundError(
        f"the workspace has no member '{member[:100]}'",
        hint=f"did you mean {', '.join(near)}? list_workspace_members lists all",
    )
