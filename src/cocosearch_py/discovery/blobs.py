"""Read contents from the objects of a git repository, and of its submodules.

One git answers for many, and nothing is fetched or filtered.
"""

import errno
import subprocess  # noqa: TID251
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from cocosearch_py.discovery.git import begins_answer, open_git
from cocosearch_py.discovery.rules import too_large_rule
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.discovery.submodules import stores_of
from cocosearch_py.model.files import SkipReason

_PIECE_BYTES = 2**20


class BlobReader:
    """Reads contents by their full names in the repository that `folder` is in; see `reading.Reader`."""

    def __init__(self, folder: str, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._git: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._git is not None:
            self._git.kill()
            for pipe in (self._git.stdin, self._git.stdout):
                with suppress(OSError):  # what it was not told any more
                    if pipe is not None:
                        pipe.close()
            self._git.wait()
            self._git = None

    def read(self, path: str) -> bytes | Skip:
        """Content of the object `path`, or that it is too large.

        Raises:
            OSError: the repository does not have it, or git does not answer.
        """
        asked, answers = self._pipes()
        asked.write(path.encode("ascii") + b"\n")
        asked.flush()
        if self._git is not None and not begins_answer(self._git, Path(self._folder)):
            self._git.kill()  # every further read fails at once
            raise OSError(errno.EIO, "git does not respond: a file in the repository may be a pipe")
        head = answers.readline().split()
        if len(head) != 3:  # "<name> missing", or nothing from a git that has ended
            raise OSError(errno.EIO, "git does not have the content")
        size = int(head[2])
        if size <= self._max_bytes:
            return _exactly(answers, size)
        left = size + 1
        while left and (piece := answers.read(min(left, _PIECE_BYTES))):
            left -= len(piece)
        return Skip(SkipReason.TOO_LARGE, too_large_rule(self._max_bytes))

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._git is None:
            try:
                self._git = open_git(Path(self._folder), ["cat-file", "--batch"], stores_of(Path(self._folder)))
            except OSError as error:  # not as "no such file", which would be said of what is read
                raise OSError(errno.EIO, f"git cannot be started: {error.strerror}") from error
        if self._git.stdin is None or self._git.stdout is None:
            raise OSError(errno.EIO, "git could not be connected to")
        return self._git.stdin, self._git.stdout


def _exactly(answers: IO[bytes], size: int) -> bytes:
    """A content of `size` bytes and the end of line behind it."""
    data = answers.read(size + 1)
    if len(data) != size + 1:
        raise OSError(errno.EIO, "git stopped before the end of the content")
    return data[:-1]
