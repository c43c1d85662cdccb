"""Tasks of workers. A run that finds nothing to do plans with them, and loads no parsers for that."""

import os
from dataclasses import dataclass
from typing import NamedTuple

from cocosearch_py.discovery.options import DEFAULT_MAX_FILE_SIZE_BYTES
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.model.files import Naming

KILLED = "the system killed its worker process, possibly because memory ran out"


class FileTask(NamedTuple):
    """A file to read. `path` is what the ledger shows.

    `source` is what its reader knows it by: its path on disk, which may hold surrogate escapes, or its content's name
    in git.
    """

    source: str
    path: str
    file_id: int
    size_bytes: int
    mtime_ns: int
    known_hash: bytes | None = None  # of the stored version, if any
    known_error: str | None = None  # why the same file could not be read the last time
    naming: Naming | None = None  # the class that its path tells

    @property
    def killed_worker(self) -> bool:
        """Whether the system killed the process that prepared it the last time: there may be more memory now."""
        return self.known_error == KILLED


@dataclass(frozen=True, slots=True)
class BatchTask:
    """Work for one call of a worker; see `parsing.source` for `watched`, `Embedder` for `tokenizer_file`."""

    root: str
    index_id: int
    files: tuple[FileTask, ...]
    content: ContentOptions
    max_file_bytes: int = DEFAULT_MAX_FILE_SIZE_BYTES
    watched: bool = True
    tokenizer_file: str | None = None
    of_commit: bool = False  # the files are read from git's objects
    renews: bool = False  # a forked worker that is to forget its words ends instead, for a new one


def stored_path(disk_path: str) -> str:
    """A path PostgreSQL can hold: undecodable bytes as hexadecimal escapes, the same for the same file always."""
    encodable = disk_path if disk_path.isascii() else os.fsencode(disk_path).decode("utf-8", "backslashreplace")
    return encodable.replace("\0", "")
