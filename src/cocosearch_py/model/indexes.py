"""An index as a thing: what the table of indexes says of it, and what is said when there is none."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from cocosearch_py.errors import IndexNotFoundError, ValidationError
from cocosearch_py.model.files import FileVersion, Naming

MAX_NAME_CHARS = 100
STRATEGIES = ("treesitter", "lines", "tokens")  # how files are cut
NO_MODEL = "none"  # of an index without vectors
DETACHED = "detached:"  # no absolute path begins so
HIDDEN = ":"  # in the name of an index that no list shows; nobody can choose such a name
_NEAREST = 3
_LIKENESS = 0.5
_NAMES_SHOWN = 20
_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}|ws-[0-9a-f]{12}", re.IGNORECASE)

_AT = "@"  # stands between the name of an index and the commit that it is of; nobody can choose a name with it
_COMMIT_CHARS = 12
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

# Systems date changes of files by a clock that goes on in ticks, at the most of 10 ms on Linux and 16 ms on Windows:
# what is changed at one time may seem to be so much older.
CLOCK_TICK = timedelta(milliseconds=20)

# Grows when chunks, terms, weights, symbols or references of the same file come out differently; older indexes are
# rebuilt.
FORMAT_VERSION = 10

_WEIGHT = re.compile(r"[a-z_]{1,40}")
_MAX_WEIGHT = 1e11  # the time of tuning is kept among the weights


class Revision(NamedTuple):
    """A commit of a repository: what somebody called it, and its full name."""

    name: str
    commit: str


class Pending(NamedTuple):
    """New and changed files of a folder, as far as names, sizes and times tell.

    Attributes:
        files: the latest of them, as many as an answer waits for, with what their paths tell of their classes.
        touched: further ones, as the index holds them, whose content alone tells whether they have changed.
        further: how many there are beside `files`.
        is_later: the index has changed since whoever asks looked at it, and may have by now what it lacked then.
    """

    files: Mapping[str, Naming | None]
    touched: Mapping[str, FileVersion]
    further: int
    is_later: bool


Status = Literal["complete", "interrupted"]


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """A row of `indexes`; see the comments there.

    `read_at` is the start of the last run that looked at all files and ended. Where that is not known (None: from an
    older database, from a bundle, of a commit), size and time of no file tell that its content is the stored one.
    """

    index_id: int
    name: str
    table_name: str
    root_path: str
    status: Status
    generation: int
    format_version: int
    options: dict[str, Any]
    embedding_model: str
    embedding_dimension: int
    chunk_count: int
    file_count: int
    git_branch: str | None
    git_commit: str | None
    weights: dict[str, float] | None
    created_at: datetime
    updated_at: datetime
    seconds: float
    pending_file_count: int = 0
    bytes_per_second: float | None = None
    ulid: str = ""
    read_at: datetime | None = None

    @property
    def version(self) -> tuple[tuple[int, str], int]:
        """Return the key that caches use: the index, which no other database has, and its generation."""
        return (self.index_id, self.ulid), self.generation

    @property
    def read_ns(self) -> int:
        """`read_at` as `in_ns` has it."""
        return in_ns(self.read_at)

    @property
    def workspace_id(self) -> str:
        """See `workspace_id`; that of a commit is of the folder and the commit, so the folder's means no commit."""
        return workspace_id(self.root_path + (f"{_AT}{self.commit}" if self.commit else ""))

    @property
    def has_vectors(self) -> bool:
        """Whether a model has embedded what it holds."""
        return self.embedding_model != NO_MODEL

    def has(self, feature: str) -> bool:
        """Whether the index was made with this feature: `vector`, `symbol` or `graph`."""
        return self.options.get(feature) is not False

    @property
    def is_detached(self) -> bool:
        """Whether it came from elsewhere without its folder; `root_path` is DETACHED and its name then."""
        return self.root_path.startswith(DETACHED)

    @property
    def commit(self) -> str | None:
        """Full name of the commit that it is of, of the repository of `root_path`; None for an index of a folder.

        The files on disk say nothing of such an index. `git_branch` is what the commit was called when it was indexed.
        """
        return self.git_commit if _AT in self.name else None


@dataclass(frozen=True, slots=True)
class UnreadableIndex:
    """An index whose row cannot be read, for `reason`: the columns that it can be cleared by."""

    reason: str
    index_id: int
    name: str
    table_name: str
    root_path: str
    ulid: str
    chunk_count: int
    file_count: int

    @property
    def workspace_id(self) -> str:
        """See `workspace_id`."""
        return workspace_id(self.root_path)


def check_mappings(options: object, weights: object) -> None:
    """Raise ValueError for values that cannot be the options and the ranking weights of an index."""
    if not isinstance(options, dict):
        raise ValueError("the options are not a mapping")
    if weights is None:
        return
    if not isinstance(weights, dict):
        raise ValueError("the ranking weights are not a mapping")
    for name, weight in weights.items():
        if not _WEIGHT.fullmatch(name) or type(weight) not in (int, float) or not abs(weight) <= _MAX_WEIGHT:
            raise ValueError(f"the ranking weight {name!r:.60} is out of range")


def in_ns(at: datetime | None) -> int:
    """A time as the disk has it: nanoseconds since 1970. 0, before all files, where it is not known."""
    return int(at.timestamp() * 1e6) * 1000 if at is not None else 0


def name_at(name: str, commit: str) -> str:
    """Return the name of a commit's index, from the name of the folder's index or of another of its commits."""
    return f"{name.partition(_AT)[0]}{_AT}{commit[:_COMMIT_CHARS]}"


def base_name(name: str) -> str:
    """The name of the folder's index that an index of a commit belongs to."""
    return name.partition(_AT)[0]


def is_commit(text: str) -> bool:
    """Whether a text is the full name of a commit."""
    return _COMMIT.fullmatch(text) is not None


def check_stored_name(name: str, commit: str | None) -> str:
    """Check a name like `check_name`, but accept that of an index of this commit."""
    if commit and is_commit(commit) and check_name(base_name(name)) and name == name_at(name, commit):
        return name
    return check_name(name)


def workspace_id(root_path: str) -> str:
    """`ws-` and the first 12 hexadecimal digits of the SHA-256 of a folder's path: the same for all its indexes."""
    return "ws-" + hashlib.sha256(root_path.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def may_be_id(text: str) -> bool:
    """Whether a text has the form of an index's ULID or of its `workspace_id`; a name may have it as well."""
    return _ID.fullmatch(text) is not None


def check_name(name: str) -> str:
    """Return the name if an index can have it.

    Raises:
        ValidationError: empty, over MAX_NAME_CHARS, or with characters that break command lines and SQL names.
    """
    bad = sorted({char for char in name if not (char.isalnum() or char in "._- ")})
    if name.strip() != name or not name or len(name) > MAX_NAME_CHARS or bad:
        detail = f" (not allowed: {' '.join(map(repr, bad))})" if bad else ""
        raise ValidationError(
            f"'{name[:60]}' cannot be an index name{detail}",
            hint=f"use 1 to {MAX_NAME_CHARS} letters, digits, '.', '_', '-' or inner spaces",
        )
    return name


def unknown_index(name: str, records: Iterable[IndexRecord]) -> IndexNotFoundError:
    """The error for a name that none of these indexes has, with the nearest ones."""
    names = [record.name for record in records]
    near = get_close_matches(name, names, n=_NEAREST, cutoff=_LIKENESS)
    known = ", ".join(names[:_NAMES_SHOWN]) or "none yet; `cocosearch-py index PATH` creates one"
    hint = f"did you mean {', '.join(near)}?" if near else f"indexes: {known}"
    return IndexNotFoundError(
        f"Index '{name[:MAX_NAME_CHARS]}' not found",
        hint=f"{hint} `cocosearch-py list` shows all" if near else hint,
        details={"index_name": name[:MAX_NAME_CHARS], "known_indexes": names[:_NAMES_SHOWN]},
    )
