"""Rows of the coverage ledger: the status of a file, and the reason."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class FileStatus(StrEnum):
    """Every file on disk is in exactly one of these states."""

    INDEXED = "indexed"
    SKIPPED = "skipped"
    FAILED = "failed"


EMBEDDING_TIMED_OUT = "its embedding timed out: only keyword search finds it"  # as error of an indexed file


class SkipReason(StrEnum):
    """Why a file was left out on purpose."""

    IGNORED = "ignored"  # a gitignore rule
    EXCLUDED = "excluded"  # a configured exclude pattern, or no include pattern matched
    TOO_LARGE = "too_large"
    BINARY = "binary"
    MINIFIED = "minified"
    GENERATED = "generated"
    SECRET = "secret"
    SYMLINK = "symlink"  # links are never followed; the target is indexed where it really is
    SPECIAL = "special"  # socket, fifo, device
    EMPTY = "empty"
    TOO_DEEP = "too_deep"


# By rules about their paths, which a run may have had of its command.
BY_RULE = (SkipReason.IGNORED, SkipReason.EXCLUDED, SkipReason.SECRET, SkipReason.TOO_DEEP)


class ParseStatus(StrEnum):
    """Result of parsing a file with tree-sitter."""

    OK = "ok"
    PARTIAL = "partial"  # parsed with error nodes; still indexed and chunked by syntax
    ERROR = "error"  # no usable tree; chunked by lines
    NO_GRAMMAR = "no_grammar"  # no grammar for this language; chunked by lines


class ContentClass(StrEnum):
    """Class of a file's content; every file has exactly one."""

    CODE = "code"
    TESTS = "tests"
    DOCS = "docs"
    CONFIG = "config"
    DATA = "data"
    VENDORED = "vendored"  # somebody else's code, copied into the tree
    GENERATED = "generated"  # by a program: minified code, bundles, source maps and API documentation as HTML too
    LOCK = "lock"  # what a package manager has resolved
    SNAPSHOT = "snapshot"  # what a test expects, as a test runner wrote it
    ISSUE_TEMPLATE = "issue_template"  # forms of issues and pull requests


@dataclass(frozen=True, slots=True)
class Naming:
    """The class of a file's content as its path tells it, before anything is read.

    `content_class` is None where the rule only says what the file is not. A `wanted` file is indexed even if its
    content is generated or minified: the user's settings name its class, or its repository says it is not generated.
    """

    content_class: ContentClass | None
    rule: str
    wanted: bool = False


class FileVersion(NamedTuple):
    """Facts that tell whether a file is still as a run read it, the cheapest first."""

    size_bytes: int
    mtime_ns: int
    content_hash: bytes  # BLAKE2b-128 of the bytes on disk


class DiscoveredFile(NamedTuple):
    """A file that should be indexed, as the walk saw it; its content has not been read.

    A tuple, because each run makes one for every file.
    `path` is relative to the root, POSIX, with undecodable bytes as surrogate escapes. A file of a commit has the name
    of its content in git, `blob`, and the time of the commit. `ctime_ns` is when the system last changed the file or
    what it says of it, which no program can choose.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    blob: str | None = None
    ctime_ns: int = 0


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file, or a whole ignored folder (path ends with '/'), that was left out on purpose.

    `rule` is what decided it, readable by a person: ".gitignore:3: build/", "indexing.maxFileSizeKb=2048".
    `file_count` is the number of files it stands for: 1, or all those below an ignored folder.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    reason: SkipReason
    rule: str
    file_count: int = 1


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file or folder that the walk could not look at."""

    path: str
    error: str
