"""The whole error tree. Every error says what happened, why, and (in `hint`) what to do next.

CocosearchError
├── ConfigurationError      a setting, flag or configuration file is wrong
├── ValidationError         an argument is out of its range or form
│   └── AmbiguousError
├── NotFoundError           a named thing does not exist
│   ├── FeatureMissingError
│   └── IndexNotFoundError
│       └── NotIndexedError
├── IndexCollisionError     an index name already belongs to another folder
├── WorkspaceError          the folder to index is missing, unreadable or empty
├── ServiceError            a service that is needed does not answer
│   ├── DatabaseError
│   │   ├── DatabaseUnreachableError
│   │   ├── SchemaOutdatedError
│   │   ├── DatabaseFullError
│   │   ├── DatabaseTimeoutError
│   │   └── PermissionDeniedError
│   └── EmbeddingError
│       ├── EmbeddingTimeoutError
│       └── RefusedTextsError
├── BusyError               another process holds the index
├── ConflictError           what was to be changed is not what the caller knows
├── RunLostError            the process of a run ended without a word
├── SafetyError             refused to protect data
│   ├── UnconfirmedError
│   └── WideFolderError
└── OperationCancelled      stopped by the user; says what is kept
"""

import errno
from collections.abc import Mapping
from typing import Any, ClassVar


class CocosearchError(Exception):
    """Base of all errors a user can meet.

    Args:
        message: what happened and why, one sentence, no trailing full stop.
        hint: what to do next, one imperative sentence; may be empty.
        details: the facts by name, as JSON, for programs.
    """

    error_type: ClassVar[str] = "operation_error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details or {})

    def __reduce__(self) -> tuple[object, ...]:
        """Keep `hint` and `details` when an error crosses a process boundary."""
        return _rebuild, (type(self), self.message, self.hint, self.details)


def _rebuild(kind: type[CocosearchError], message: str, hint: str, details: Mapping[str, Any]) -> CocosearchError:
    return kind(message, hint=hint, details=details)


def exit_codes() -> dict[str, int]:
    """Type of error -> exit code of a command that ends with it, of all errors that there are."""
    found: dict[str, int] = {}
    waiting: list[type[CocosearchError]] = [CocosearchError]
    for kind in waiting:  # it grows meanwhile
        found.setdefault(kind.error_type, kind.exit_code)
        waiting += kind.__subclasses__()
    return found


class ConfigurationError(CocosearchError):
    """A setting, flag or configuration file is wrong."""

    error_type = "configuration_error"
    exit_code = 2


class ValidationError(CocosearchError):
    """An argument is out of its range or form."""

    error_type = "validation_error"
    exit_code = 2


class AmbiguousError(ValidationError):
    """Text that must stand in a file just once stands there more often; `details` have its lines."""


class NotFoundError(CocosearchError):
    """A named thing does not exist."""

    error_type = "not_found"


class FeatureMissingError(NotFoundError):
    """An index was made without what a call needs of it."""


class IndexNotFoundError(NotFoundError):
    """No index of that name, or none for this folder."""

    error_type = "not_indexed"
    exit_code = 3


class NotIndexedError(IndexNotFoundError):
    """The folder that a call is about has no index; `details` say which folder, and what to call its index."""


class IndexCollisionError(CocosearchError):
    """An index name already belongs to another folder."""

    error_type = "index_collision"


class WorkspaceError(CocosearchError):
    """The folder to index is missing, unreadable or empty."""

    error_type = "workspace_error"


class ServiceError(CocosearchError):
    """A service that is needed does not answer."""

    error_type = "service_connection_error"
    exit_code = 4


class DatabaseError(ServiceError):
    """PostgreSQL refused or failed an operation."""


class DatabaseUnreachableError(DatabaseError):
    """No connection to PostgreSQL."""


class SchemaOutdatedError(DatabaseError):
    """The database's schema or pgvector is older than this program needs, or the schema is of a newer one."""

    error_type = "configuration_error"
    exit_code = 2


class DatabaseFullError(DatabaseError):
    """PostgreSQL ran out of disk space or memory."""


class DatabaseTimeoutError(DatabaseError):
    """A statement, or the wait for a lock, took longer than allowed."""

    error_type = "timeout"


class PermissionDeniedError(DatabaseError):
    """The user of the database lacks a right."""

    error_type = "permission_denied"


class EmbeddingError(ServiceError):
    """The embedding model cannot be loaded or does not answer."""


class EmbeddingTimeoutError(EmbeddingError):
    """The model did not answer in time."""


class RefusedTextsError(EmbeddingError):
    """The endpoint may have refused what is in the texts, or that there are so many; it answers others."""


class BusyError(CocosearchError):
    """Another process is writing the same index."""

    error_type = "conflict"


class ConflictError(CocosearchError):
    """A file has changed since the caller read it; `details` say what changed, and what to read."""

    error_type = "conflict"


class RunLostError(CocosearchError):
    """The process of a run ended without a word."""


class SafetyError(CocosearchError):
    """Refused to protect data."""

    error_type = "safety_error"
    exit_code = 5


class UnconfirmedError(SafetyError):
    """A destructive call needs a confirmation; `details` list what it would do."""


class WideFolderError(SafetyError):
    """A folder so wide that indexing it is seldom meant: `/`, a home folder, or very many files."""


class OperationCancelled(CocosearchError):
    """Stopped by the user; the message says what is kept."""

    error_type = "cancelled"
    exit_code = 130


_LIMITS = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM}  # of processes, files, memory
_BEYOND_A_LIMIT = "raise the limit (`ulimit -a` shows it), or end other programs, then try again"
_FULL = {errno.ENOSPC, errno.EDQUOT}
_BEYOND_THE_DISK = "free space on the disk (`df -h` shows it), then try again"


def as_limit(error: BaseException) -> CocosearchError | None:
    """The error to show where the system lacks something, or a name is too long for it; None for others."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return ValidationError("a name in a path is longer than this system allows", hint="pass a shorter path")
    if not isinstance(error, OSError) or error.errno not in _LIMITS | _FULL:
        return None
    hint = _BEYOND_THE_DISK if error.errno in _FULL else _BEYOND_A_LIMIT
    return CocosearchError(f"the operating system refused: {error.strerror}", hint=hint)
