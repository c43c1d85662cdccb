"""Recovery of a change whose process died: judged by the file, the files beside it, and the intent.

A change writes the new content beside the file and exchanges the two, or makes a second link to the old one first; see
`writing`. Whoever looks later finds one of few states. Only files that the intent itself names are ever removed, and
none whose content is not known.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum

from cocosearch_py.discovery.reading import open_folder
from cocosearch_py.editing.descriptors import READ
from cocosearch_py.editing.renaming import UnsupportedError, exchange, move_to_free
from cocosearch_py.model.changes import Pending

_NO_FILES = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR)


class Outcome(Enum):
    """Known outcome of a change."""

    MADE = "made"
    NOT_MADE = "not made"
    UNSURE = "unsure"  # somebody else has changed the file since, and nothing lies beside it


class _Other:
    """A file that is none of the contents that are known."""


_OTHER = _Other()
_Content = bytes | None | _Other


def settle(pending: Pending) -> Outcome:
    """Find out whether a change was made, and take away what it has left beside the file.

    What it displaced, and is not what it expected, is somebody else's and gets its name back.

    Raises:
        OSError: the folder or a file cannot be read, or not be changed.
    """
    intent = pending.intent
    folder, _, name = intent.path.rpartition("/")
    try:
        descriptor = open_folder(os.path.realpath(intent.root), folder)
    except FileNotFoundError:  # with all that was in it
        return Outcome.MADE if intent.after is None else Outcome.NOT_MADE if intent.before is None else Outcome.UNSURE
    try:
        return _settle(descriptor, name, pending)
    finally:
        os.fsync(descriptor)
        os.close(descriptor)


def _settle(folder: int, name: str, pending: Pending) -> Outcome:
    before, after = pending.intent.before, pending.intent.after
    most = max(len(before or b""), len(after or b""))
    now = _content(folder, name, most)
    found = {beside: _content(folder, beside, most) for beside in (pending.temporary, pending.backup)}
    beside = {name: content for name, content in found.items() if content is not None}
    foreign = [name for name, content in beside.items() if not _is_known(content, before, after)]
    if now == after and foreign:
        _put_back(folder, foreign[0], name, after)
        for left in beside.keys() - {foreign[0]}:
            _drop(folder, left)
        return Outcome.NOT_MADE
    for left in beside.keys() - {*foreign}:
        _drop(folder, left)
    if now == after:
        return Outcome.MADE
    if now == before:
        return Outcome.NOT_MADE
    return Outcome.UNSURE if foreign else _outcome_beside(pending, beside)


def _outcome_beside(pending: Pending, beside: Mapping[str, _Content]) -> Outcome:
    """Return the outcome of a change whose file was changed again, judged by the files left beside it."""
    before, after = pending.intent.before, pending.intent.after
    if pending.backup in beside:  # the new content, which is named like the file after that, is no longer beside
        return Outcome.NOT_MADE if pending.temporary in beside else Outcome.MADE
    if pending.temporary not in beside:
        return Outcome.UNSURE
    if beside[pending.temporary] != before:
        return Outcome.NOT_MADE
    return Outcome.UNSURE if _begins(after, before) else Outcome.MADE  # it may be half of the new content


def _is_known(content: _Content, before: bytes | None, after: bytes | None) -> bool:
    """Whether a content is the one before, or as much of the one after as was written."""
    return isinstance(content, bytes) and (content == before or _begins(after, content))


def _begins(whole: bytes | None, part: bytes | None) -> bool:
    return whole is not None and part is not None and whole.startswith(part)


def _put_back(folder: int, displaced: str, name: str, after: bytes | None) -> None:
    """Give what was displaced its name again, if nobody has changed the file meanwhile."""
    if after is None:
        with suppress(FileExistsError):
            move_to_free(folder, displaced, name)
        return
    try:
        exchange(folder, displaced, name)
    except UnsupportedError:
        os.rename(displaced, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    if _content(folder, displaced, len(after)) == after:
        _drop(folder, displaced)


def _content(folder: int, name: str, most: int) -> _Content:
    """Return the content of a file; None if there is none, `_OTHER` for one that no change of ours can have written."""
    try:
        with _opened(folder, name) as descriptor:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                return _OTHER
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _NO_FILES:
            return _OTHER
        raise


@contextmanager
def _opened(folder: int, name: str) -> Iterator[int]:
    descriptor = os.open(name, READ, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _drop(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
