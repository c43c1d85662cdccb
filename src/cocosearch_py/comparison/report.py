"""Changed definitions of a folder: what is compared, and what differs."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from cocosearch_py.model.answers import Count, Part


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """Two versions of a folder to compare.

    Attributes:
        since, to: full names of commits; `to` is None for the files on disk.
        paths: possible paths of the file or folder that is compared, likeliest first; "" is the root.
        max_file_bytes: larger files are not compared.
    """

    since: str
    to: str | None = None
    paths: tuple[str, ...] = ("",)
    max_file_bytes: int = 2**21


class Change(NamedTuple):
    """A definition that differs. `line` is in the new file, for a removed definition in the old file."""

    status: Literal["added", "removed", "signature_changed", "body_changed"]
    kind: str
    name: str  # qualified
    signature: str
    line: int
    old_signature: str | None = None


class Definition(Part):
    """A changed definition in an answer; see `Change`."""

    kind: str
    name: str
    signature: str
    line: Count
    old_signature: str | None = None


class FileChanges(Part):
    """The changed definitions of a file in an answer."""

    file: str
    added: tuple[Definition, ...] = ()
    removed: tuple[Definition, ...] = ()
    signature_changed: tuple[Definition, ...] = ()
    body_changed: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs, with its changed definitions. A renamed file is removed and added."""

    path: str
    status: Literal["added", "removed", "modified"]
    changes: tuple[Change, ...] = ()

    def by_status(self) -> FileChanges:
        """Return the changed definitions for an answer, grouped by status."""
        groups: dict[str, list[Definition]] = {}
        for change in self.changes:
            definition = Definition(
                kind=change.kind,
                name=change.name,
                signature=change.signature,
                line=change.line,
                old_signature=change.old_signature,
            )
            groups.setdefault(change.status, []).append(definition)
        return FileChanges(file=self.path, **{status: tuple(group) for status, group in groups.items()})


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Files that differ, by path.

    Attributes:
        is_compared: whether definitions were compared; False if the files could not be parsed.
        uncompared: number of files beyond the limit, whose definitions were not compared.
    """

    files: tuple[ChangedFile, ...] = ()
    is_compared: bool = True
    uncompared: int = 0
