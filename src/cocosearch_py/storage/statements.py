"""The statements of a search, run with less around them than psycopg's cursors have.

A search has eight, each of which takes the server a fraction of a millisecond; a cursor takes the program a tenth.
Waiting, and with it Ctrl-C, errors and the types of columns are psycopg's own. Results come in binary form.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg
from psycopg import generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult

Row = tuple[Any, ...]
Rows = list[Row]

_PLACE = re.compile(rb"%(?:\((\w+)\)s|%)")
_PREPARED_FROM = 5  # uses: a command asks once, and to prepare is a message more
_MOST_PREPARED = 100  # of one connection; the server keeps a plan for each
_MOST_COUNTED = 1_000  # a server that lives long may search in thousands of indexes
_DONE = frozenset({ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK})


class _Session:
    """What is kept for a connection, by itself: both refer to each other."""

    def __init__(self, conn: psycopg.Connection) -> None:
        self.encoding = conn.info.encoding
        self.transformer = Transformer(conn)
        self.uses: OrderedDict[bytes, int] = OrderedDict()  # statement -> how often it was run; the latest last
        self.names: dict[bytes, bytes] = {}  # of what is prepared
        self.made = 0
        self.settings: dict[str, str] = {}  # that are as they were set here
        self.is_ending = False  # a COMMIT was sent, and its answer not taken yet


class _Numbered(NamedTuple):
    """A statement as PostgreSQL reads it, and the name of each of its parameters."""

    text: bytes
    names: tuple[str, ...]


def run(
    conn: psycopg.Connection, query: bytes, values: Mapping[str, object] | None = None, *, prepare: bool = True
) -> Rows:
    """The rows of a statement with `%(name)s` in place of values, and %% for %.

    Args:
        values: numbers, texts and None, of which the server tells the type from its place; bytes are values in the
            binary form of their type.
        prepare: the statement is planned once when it is run again and again.
    """
    session = _session_of(conn)
    _send(conn, session, query, values, prepare=prepare)
    return _rows(conn, session)


def run_each(conn: psycopg.Connection, query: bytes, values: Mapping[str, object] | None = None) -> list[Row | str]:
    """The rows of a statement as `run` gives them; for a row with a value that Python cannot hold, the reason."""
    session = _session_of(conn)
    _send(conn, session, query, values, prepare=True)
    result = _result(conn, session.encoding)
    session.transformer.set_pgresult(result)
    return [_row_or_reason(session, number) for number in range(result.ntuples)]


@contextmanager
def running(
    conn: psycopg.Connection, query: bytes, values: Mapping[str, object] | None = None, *, prepare: bool = True
) -> Iterator[Callable[[], Rows]]:
    """Let the server begin `run`; the callable waits for the rows. The connection is busy until then."""
    session = _session_of(conn)
    _send(conn, session, query, values, prepare=prepare)
    waiting = True

    def rows() -> Rows:
        nonlocal waiting
        waiting = False
        return _rows(conn, session)

    try:
        yield rows
    finally:
        if waiting:
            conn.wait(generators.execute(conn.pgconn))


def set_setting(conn: psycopg.Connection, name: str, value: str) -> None:
    """Set something for the session, unless it was set to that by the last call."""
    session = _session_of(conn)
    if session.settings.get(name) != value:
        run(conn, b"SELECT set_config(%(name)s, %(value)s, false)", {"name": name, "value": value})
        session.settings.pop(name, None)
        if conn.pgconn.transaction_status == TransactionStatus.IDLE:  # else the end of the transaction may undo it
            session.settings[name] = value


@contextmanager
def transaction(conn: psycopg.Connection) -> Iterator[None]:
    """A transaction that only reads, of a connection that has none; an error ends it without another.

    Without an error nobody waits for its end: whoever uses the connection next calls `settle` first.
    """
    _command(conn, b"BEGIN")
    try:
        yield
    except BaseException:
        try:
            _command(conn, b"ROLLBACK")
        except psycopg.Error:
            conn.close()
        raise
    conn.pgconn.send_query(b"COMMIT")
    _session_of(conn).is_ending = True


def is_ending(conn: psycopg.Connection) -> bool:
    """Whether the end of a `transaction` is still to be waited for."""
    return _session_of(conn).is_ending


def settle(conn: psycopg.Connection) -> None:
    """Wait for the end of a `transaction`, which is there as a rule; raises what the server says is wrong."""
    session = _session_of(conn)
    if session.is_ending:
        session.is_ending = False
        _result(conn, session.encoding)


@contextmanager
def savepoint(conn: psycopg.Connection) -> Iterator[None]:
    """A part of a transaction that can fail alone. Psycopg's own drops all prepared statements when it does."""
    _command(conn, b"SAVEPOINT part")
    try:
        yield
    except BaseException:
        with suppress(psycopg.Error):  # as when the connection is gone; the transaction sees to that
            _command(conn, b"ROLLBACK TO SAVEPOINT part")
        raise
    _command(conn, b"RELEASE SAVEPOINT part")


def _session_of(conn: psycopg.Connection) -> _Session:
    kept = vars(conn)
    if "cocosearch_session" not in kept:
        kept["cocosearch_session"] = _Session(conn)
    session: _Session = kept["cocosearch_session"]
    return session


def _send(
    conn: psycopg.Connection, session: _Session, query: bytes, values: Mapping[str, object] | None, *, prepare: bool
) -> None:
    numbered = _numbered(query)
    given = [_dumped(values[name], session.encoding) for name in numbered.names] if values else None
    forms = (
        [Format.BINARY if isinstance(values[name], bytes) else Format.TEXT for name in numbered.names]
        if values
        else None
    )
    name = _prepared(conn, session, query, numbered.text) if prepare else None
    if name is None:
        conn.pgconn.send_query_params(numbered.text, given, param_formats=forms, result_format=Format.BINARY)
    else:
        conn.pgconn.send_query_prepared(name, given, forms, result_format=Format.BINARY)


def _rows(conn: psycopg.Connection, session: _Session) -> Rows:
    result = _result(conn, session.encoding)
    session.transformer.set_pgresult(result)
    return session.transformer.load_rows(0, result.ntuples, tuple)


def _row_or_reason(session: _Session, number: int) -> Row | str:
    try:
        row: Row = session.transformer.load_row(number, tuple) or ()
    except (psycopg.DataError, ValueError, ArithmeticError, RecursionError) as error:
        return " ".join(str(error).split())
    return row


def _command(conn: psycopg.Connection, command: bytes) -> None:
    conn.pgconn.send_query(command)
    _result(conn, "utf-8")


def _result(conn: psycopg.Connection, encoding: str) -> PGresult:
    """The result of what was sent; raises what the server says is wrong with it."""
    results: list[PGresult] = conn.wait(generators.execute(conn.pgconn))
    if not results:
        raise psycopg.InternalError("the server sent no result")
    if results[-1].status not in _DONE:
        raise error_from_result(results[-1], encoding=encoding)
    return results[-1]


def _prepared(conn: psycopg.Connection, session: _Session, query: bytes, text: bytes) -> bytes | None:
    """The name of a prepared statement; None as long as it was not often used."""
    uses = session.uses
    uses[query] = times = uses.pop(query, 0) + 1
    if len(uses) > _MOST_COUNTED:
        del uses[next(one for one in uses if one not in session.names)]
    if times <= _PREPARED_FROM:
        return None
    if (name := session.names.get(query)) is None:
        if len(session.names) >= _MOST_PREPARED:
            oldest = next(one for one in uses if one in session.names)
            del uses[oldest]
            _command(conn, b"DEALLOCATE " + session.names.pop(oldest))
        session.made += 1
        name = b"_cocosearch_%d" % session.made
        conn.pgconn.send_prepare(name, text)
        _result(conn, session.encoding)
        session.names[query] = name
    return name


@lru_cache(maxsize=1_000)
def _numbered(query: bytes) -> _Numbered:
    numbers: dict[bytes, int] = {}

    def number(found: re.Match[bytes]) -> bytes:
        return b"$%d" % numbers.setdefault(found[1], len(numbers) + 1) if found[1] else b"%"

    text = _PLACE.sub(number, query)
    return _Numbered(text, tuple(name.decode() for name in numbers))


def _dumped(value: object, encoding: str) -> bytes | None:
    """A value as PostgreSQL reads it."""
    if value is None or isinstance(value, bytes):
        return value
    dumped = str(value).encode(encoding)
    if b"\0" in dumped:
        raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return dumped
