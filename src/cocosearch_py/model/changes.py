"""Changes of files as the log has them: what is meant to happen, and what has happened."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

UNKNOWN = "unknown"
ANOTHER_PROGRAM = "another program"  # who made a change that the log does not know
UNDO = "undo"  # `op` of a change that takes another one back
_TEMPORARY = re.compile(r"\.cocosearch-[0-9a-f]{16}\.tmp(\.old)?")


def hash_of_bytes(content: bytes) -> str:
    """The hash by which files are known: the whole BLAKE2b-128 of the bytes on disk, in hexadecimal digits."""
    return blake2b(content, digest_size=16).hexdigest()


def is_temporary(name: str) -> bool:
    """Whether a file is called as those that changes need for a moment; see `Pending`."""
    return name.startswith(".cocosearch-") and _TEMPORARY.fullmatch(name) is not None


class Source(StrEnum):
    """Origin of a change: who made or found it."""

    AGENT = "agent"  # it was made through this program
    WATCHER = "watcher"  # it was seen on disk: by a run, of whatever process, or by the check before an answer


@dataclass(frozen=True, slots=True)
class Intent:
    """A change of one file that is about to be made.

    Attributes:
        root: real path of the project's folder, to which the log belongs.
        path: the file, relative to it, with slashes.
        op: what is done: create, replace, insert, delete, overwrite or undo.
        author: who does it, for people: name of the client or of the command.
        before, after: the whole content; None: no such file.
        mode: permission bits of the file, before or else after.
        undoes: `seq` of the change that this one takes back.
        hash_before: of `before`, where that is known already.
    """

    root: str
    path: str
    op: str
    author: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    undoes: int | None = None
    hash_before: str | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """An intent that is committed to the log. The change may use two more files, in the folder of the file itself."""

    change_id: int
    token: str
    intent: Intent

    @property
    def temporary(self) -> str:
        """Name of the file with the new content, and after an exchange with the old one."""
        return f".cocosearch-{self.token}.tmp"

    @property
    def backup(self) -> str:
        """Name of a second link to the old file, where files cannot be exchanged."""
        return f"{self.temporary}.old"


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Which changes of a folder are asked for: of these sources, or of all, and not more than `most`.

    With `since_seq` or `since_time` those after that number and not before that time, from the oldest on; else the
    newest.
    """

    since_seq: int | None = None
    since_time: datetime | None = None
    sources: tuple[Source, ...] = ()
    most: int = 100


class Seen(NamedTuple):
    """A change that was seen on disk; hashes as in `Change`."""

    path: str
    op: str
    hash_before: str | None
    hash_after: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file that has happened.

    Attributes:
        seq: number in the log of its project, from 1; grows in the order in which changes become visible.
        path: relative to the project's folder, with slashes.
        op: of an `Intent`; added, modified or deleted if it was only seen.
        hash_before, hash_after: see `hash_of_bytes`; None: no such file, or it was not read.
        at: when it was written to the log.
        sure: False if its process died, and the file was changed again before it could be looked at.
        restorable: whether the content before it is still kept.
    """

    seq: int
    path: str
    op: str
    source: str
    author: str
    hash_before: str | None
    hash_after: str | None
    at: datetime
    undoes: int | None
    sure: bool
    restorable: bool


@dataclass(frozen=True, slots=True)
class Image:
    """Replacement of bytes `start` to `end` of `before` by `inserted`; None: there was, or is, no file."""

    before: bytes | None
    start: int
    end: int
    inserted: bytes | None
    mode: int | None

    @property
    def after(self) -> bytes | None:
        """The content after the change."""
        if self.inserted is None:
            return None
        before = self.before or b""
        return before[: self.start] + self.inserted + before[self.end :]


@dataclass(frozen=True, slots=True)
class Undone:
    """A change that was taken back, or would be.

    Attributes:
        seq: of the change.
        merged: the file had changed since, in other lines.
        before, after: what the file holds before that and after it; None: no such file.
        new_seq: of the change that did it; None if nothing was written.
    """

    seq: int
    path: str
    merged: bool
    before: bytes | None
    after: bytes | None
    new_seq: int | None
