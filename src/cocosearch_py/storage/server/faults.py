"""PostgreSQL's faults in our words, with a remedy and without secrets."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict

from cocosearch_py.errors import (
    CocosearchError,
    ConfigurationError,
    DatabaseError,
    DatabaseFullError,
    DatabaseTimeoutError,
    DatabaseUnreachableError,
    PermissionDeniedError,
    SchemaOutdatedError,
    ValidationError,
)
from cocosearch_py.model.redaction import redact
from cocosearch_py.storage.connection import CONNECT_TIMEOUT_S, not_answering

_FULL = ("No space left on device", "Disk quota exceeded")  # in the C locale, which the embedded server has
_URL_HINT = "form: postgresql://user:password@host:5432/name, with @ : / ? # % of a password written as %40 %3A %2F ..."


def require_readable(dsn: str) -> None:
    """Check the form of a DSN before libpq does, whose messages quote pieces of a password it cut wrongly.

    Raises:
        ConfigurationError: not a DSN, or a URL whose user or password holds a bare @ or /.
    """
    detail = ""
    try:
        conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        detail = f": {' '.join(str(error).split())}" if redact(dsn) == dsn and "@" not in dsn else ""
    else:
        before_host, found, after = dsn.partition("://")[2].partition("@")
        if not found or not ("/" in before_host or "@" in after.partition("?")[0]):
            return
    raise ConfigurationError(f"the database URL cannot be read{detail}", hint=_URL_HINT)


def is_passing(error: psycopg.Error) -> bool:
    """Whether the same read may succeed if it is done again.

    The connection is gone: the server ended it, ended itself, or does not take new ones yet. Or a migration and the
    read waited for each other. Or the leaf of an index was dropped after its row was read.
    """
    if isinstance(error, psycopg.errors.DeadlockDetected | psycopg.errors.UndefinedTable):
        return True
    state = error.sqlstate
    return isinstance(error, psycopg.OperationalError) and (state is None or state.startswith(("08", "57P")))


def is_full(told: psycopg.Error | str) -> bool:
    """Whether a disk has no room, or its user none; where libpq gets no session it tells that in words alone."""
    text = str(told)
    return isinstance(told, psycopg.errors.DiskFull) or any(words in text for words in _FULL)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn psycopg's errors into ours, with a remedy and without secrets."""
    try:
        yield
    except CocosearchError:
        raise
    except psycopg.Error as error:
        raise _explain(error, where) from None if "password" in str(error) else error


def _explain(error: Exception, where: str) -> CocosearchError:
    text = redact(" ".join(str(error).split()))[:500]
    match error:
        case psycopg.Error() if is_full(error) or isinstance(error, psycopg.errors.OutOfMemory):
            return DatabaseFullError(
                f"PostgreSQL ({where}) has no room left: {text}", hint="free disk space, then retry"
            )
        case psycopg.errors.InsufficientPrivilege():
            return PermissionDeniedError(
                f"the database user lacks a privilege: {text}",
                hint="grant CREATE on the database to this user, or let an owner run `cocosearch-py db upgrade`",
            )
        case psycopg.errors.QueryCanceled():
            return _cancelled(text)
        case psycopg.errors.UndefinedTable() | psycopg.errors.UndefinedColumn():
            return SchemaOutdatedError(
                f"the schema does not match this program: {text}", hint="run `cocosearch-py db upgrade`"
            )
        case psycopg.errors.InvalidRegularExpression():
            return ValidationError(
                "the pattern is too complex",
                hint="use fewer alternatives, and fewer or smaller repetitions",
            )
        case psycopg.errors.LockNotAvailable():
            return DatabaseTimeoutError(
                f"timed out waiting for a lock: {text}", hint="retry when the other program has finished"
            )
        case psycopg.ProgrammingError() if "conninfo" in text or "missing" in text or "invalid" in text:
            return ConfigurationError(f"the database URL cannot be read: {text}", hint=_URL_HINT)
        case psycopg.OperationalError():
            return _unreachable(error, text, where)
    return DatabaseError(f"PostgreSQL ({where}) refused: {text}", hint="run `cocosearch-py doctor`")


def _cancelled(text: str) -> DatabaseTimeoutError:
    if "user request" in text:
        return DatabaseTimeoutError(f"someone cancelled a statement in the database: {text}", hint="try again")
    if "timeout" not in text:  # the server may give the reason in another language
        return DatabaseTimeoutError(
            f"the server cancelled a statement: {text}",
            hint="if it exceeded the time limit, narrow the search or raise database.statementTimeoutMs; "
            "otherwise try again",
        )
    return DatabaseTimeoutError(
        f"a statement exceeded the time limit: {text}",
        hint="narrow the search or raise database.statementTimeoutMs",
    )


def _unreachable(error: psycopg.Error, text: str, where: str) -> DatabaseUnreachableError:
    if isinstance(error, psycopg.errors.ConnectionTimeout) and where.startswith("embedded"):
        return not_answering(CONNECT_TIMEOUT_S)  # others may be behind a firewall
    hint = "check that the server runs and the URL is right, or unset COCOSEARCH_DATABASE_URL for the embedded server"
    if where.startswith("embedded"):
        hint = "run the command again to start the server; if it does not start, `cocosearch-py doctor` shows why"
    elif "authentication" in text or "password" in text:
        hint = "check user and password in COCOSEARCH_DATABASE_URL"
    elif "does not exist" in text:
        hint = "create the database first: createdb NAME"
    return DatabaseUnreachableError(
        f"no connection to PostgreSQL ({where}): {text}", hint=hint, details={"service": "PostgreSQL", "address": where}
    )
