"""Connections that fail: a clear error with the remedy, and never the password."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from cocosearch_py.errors import (
    CocosearchError,
    ConfigurationError,
    DatabaseError,
    DatabaseTimeoutError,
    DatabaseUnreachableError,
    SchemaOutdatedError,
)
from cocosearch_py.model.redaction import redact
from cocosearch_py.storage.migrate import HEAD_REVISION
from cocosearch_py.storage.queries.indexes import list_all
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.administration import database_facts
from cocosearch_py.storage.server.database import Database, DatabaseOptions, psql_environment
from cocosearch_py.storage.server.embedded import EmbeddedServer
from cocosearch_py.storage.server.faults import translated
from cocosearch_py.storage.server.readiness import unready_reason

SECRET = "hunter2"
TRICKY = ["p@ss", "pa/ss", "a:b", "a?b=c", "x#y", "50%zz", "two words", "it's", 'quo"te', "back\\slash", "@", "a@b:c/d"]


@pytest.mark.parametrize("secret", [SECRET, *TRICKY, quote("p@s/s", safe="")])
def test_password_leaves_every_url(secret: str) -> None:
    if " " not in secret:
        for url in (f"postgresql://me:{secret}@host:5432/db", f"postgres://me:{secret}@/db?host=/run"):
            shown = redact(f"cannot use {url}, sorry")
            assert shown.endswith(", sorry")
            assert "me:***@" in shown
            assert secret not in shown.replace("me:***@", "")
    quoted = secret.replace("\\", "\\\\").replace("'", "\\'")
    shown = redact(f"host=h password='{quoted}' dbname=d")
    assert shown == "host=h password=*** dbname=d"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password=abc user=me", "password=*** user=me"),
        ("PASSWORD = abc user=me", "PASSWORD = *** user=me"),
        ("password=a\\ b user=me", "password=*** user=me"),
        ("password='open end", "password=***"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgresql://host/db?password=abc", "postgresql://host/db?password=***"),
        ("nothing secret: a@b", "nothing secret: a@b"),
    ],
)
def test_password_forms(text: str, shown: str) -> None:
    assert redact(text) == shown


def opened(url: str, folder: Path) -> None:
    with Database(DatabaseOptions(folder, url=url)) as database, database.reading() as conn:
        conn.execute("SELECT 1")


def told(error: BaseException | None) -> str:
    """Everything a person or a log could see of an error and its causes."""
    text = ""
    while error is not None:
        text += f"{error!r} {error} {getattr(error, 'hint', '')} {getattr(error, 'message', '')}\n"
        error = error.__cause__
    return text


@pytest.mark.parametrize("secret", TRICKY)
def test_unusable_urls_tell_no_piece_of_the_password(secret: str, tmp_path: Path) -> None:
    """libpq cuts such a URL at the wrong place and quotes the pieces."""
    with pytest.raises(CocosearchError) as caught:
        opened(f"postgresql://me:{secret}SECRETPIECE@127.0.0.1:1/db", tmp_path)
    assert "SECRETPIECE" not in told(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    "url", ["postgresql://[half", "postgresql://h:port/d", "nonsense", "host=h foo=1", "postgresql://h/d?foo=1"]
)
def test_what_is_no_url(url: str, tmp_path: Path) -> None:
    with pytest.raises((ConfigurationError, DatabaseUnreachableError)) as caught:
        opened(url, tmp_path)
    assert "postgresql://user:password@host:5432/name" in caught.value.hint or "URL is right" in caught.value.hint


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachableError) as caught:
        opened(f"postgresql://me:{SECRET}@127.0.0.1:1/db", tmp_path)
    assert SECRET not in told(caught.value)
    assert "server runs" in caught.value.hint


def test_missing_database(server: EmbeddedServer, tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachableError, match="does not exist") as caught:
        opened(server.dsn("no_such_database"), tmp_path)
    assert "createdb" in caught.value.hint


def test_missing_user(server: EmbeddedServer, tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachableError):
        opened(server.dsn().replace(f"user={embedded.SUPERUSER}", "user=nobody_known"), tmp_path)


@pytest.fixture
def plain_role(server: EmbeddedServer) -> Iterator[str]:
    """A role that may log in and nothing else."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute("CREATE ROLE plain LOGIN")
    yield "plain"
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute('DROP DATABASE IF EXISTS "bare" WITH (FORCE)')
        conn.execute("DROP ROLE plain")


def as_role(server: EmbeddedServer, role: str, database: str) -> str:
    return server.dsn(database).replace(f"user={embedded.SUPERUSER}", f"user={role}")


def test_user_who_may_not_install_pgvector(server: EmbeddedServer, plain_role: str, tmp_path: Path) -> None:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute('CREATE DATABASE "bare"')
    with pytest.raises(SchemaOutdatedError, match="pgvector") as caught:
        opened(as_role(server, plain_role, "bare"), tmp_path)
    assert "CREATE EXTENSION vector" in caught.value.hint


def test_user_who_may_not_create_the_schema(server: EmbeddedServer, plain_role: str, tmp_path: Path) -> None:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute('CREATE DATABASE "bare"')
    with psycopg.connect(server.dsn("bare"), autocommit=True) as conn:
        conn.execute("CREATE EXTENSION vector")
    with pytest.raises(DatabaseError, match="lacks a privilege") as caught:
        opened(as_role(server, plain_role, "bare"), tmp_path)
    assert "grant" in caught.value.hint


def test_user_who_may_only_read(
    server: EmbeddedServer, plain_role: str, database_url: str, database: Database, tmp_path: Path
) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]
    with psycopg.connect(database_url) as conn:
        conn.execute("GRANT USAGE ON SCHEMA cocosearch_py TO plain")
        conn.execute("GRANT SELECT ON ALL TABLES IN SCHEMA cocosearch_py TO plain")
    try:
        with Database(DatabaseOptions(tmp_path, url=as_role(server, plain_role, name))) as reader:
            with reader.reading() as conn:
                assert conn.execute("SELECT count(*) FROM cocosearch_py.indexes").fetchone() == (0,)
            with pytest.raises(DatabaseError, match="lacks a privilege"), reader.writing() as conn:
                conn.execute("DELETE FROM cocosearch_py.indexes")
    finally:
        with psycopg.connect(database_url) as conn:
            conn.execute("DROP OWNED BY plain")


def test_reading_connections_cannot_write(database: Database) -> None:
    with pytest.raises(DatabaseError, match="read-only"), database.reading() as conn:
        conn.execute("DELETE FROM cocosearch_py.indexes")
    with database.reading() as conn:  # the connection is good for the next
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_statement_timeout(database_url: str, tmp_path: Path) -> None:
    options = DatabaseOptions(tmp_path, url=database_url, statement_timeout_ms=50)
    caught_error = pytest.raises(DatabaseError, match="exceeded the time limit")
    with Database(options) as database, caught_error as caught, database.reading() as conn:
        conn.execute("SELECT pg_sleep(30)")
    assert "statementTimeoutMs" in caught.value.hint


@pytest.mark.parametrize("why", ["wegen Zeitüberschreitung der Anfrage", "wegen Benutzeraufforderung"])
def test_why_a_statement_ended_is_not_guessed_from_words_of_another_language(why: str) -> None:
    with pytest.raises(DatabaseTimeoutError) as caught, translated("a server"):
        raise psycopg.errors.QueryCanceled(f"storniere Anfrage {why}")
    assert caught.value.message == f"the server cancelled a statement: storniere Anfrage {why}"
    assert "try again" in caught.value.hint and "statementTimeoutMs" in caught.value.hint


def test_server_closes_the_pooled_connections(database: Database, database_url: str) -> None:
    with database.reading() as conn:
        conn.execute("SELECT 1")
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with database.reading() as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)


def test_psql_gets_the_password_by_environment() -> None:
    found = psql_environment("postgresql://me:p%40ss@host:5433/db")
    assert found == {"PGHOST": "host", "PGPORT": "5433", "PGUSER": "me", "PGPASSWORD": "p@ss", "PGDATABASE": "db"}


def test_readiness_tells_the_state_of_the_schema(database_url: str) -> None:
    assert unready_reason(database_url) is None
    for revision, why in (("0000", "older"), ("9999", "newer")):
        with psycopg.connect(database_url) as conn:
            conn.execute("UPDATE cocosearch_py.alembic_version SET version_num = %s", [revision])
        assert why in (unready_reason(database_url) or "")
    with psycopg.connect(database_url) as conn:
        conn.execute("DROP SCHEMA cocosearch_py CASCADE")
    assert unready_reason(database_url) is None, "the first call makes it"
    with psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT to_regnamespace('cocosearch_py')").fetchone() == (None,), "asking does not"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (f"postgresql://me:{SECRET}@127.0.0.1:1/db", "the database does not respond"),
        ("postgresql://me:a/b@127.0.0.1/db", "the database URL cannot be read"),
        ("no url", "the database URL cannot be read"),
        (None, None),
    ],
)
def test_readiness_names_no_detail(url: str | None, why: str | None) -> None:
    assert unready_reason(url) == why


LIMITS = [
    "statement_timeout",
    "lock_timeout",
    "idle_session_timeout",
    "idle_in_transaction_session_timeout",
    "transaction_timeout",
]


def limit(database_url: str, milliseconds: int) -> None:
    """Time limits of all sessions, as an administrator sets them."""
    name = conninfo_to_dict(database_url)["dbname"]
    with psycopg.connect(database_url, autocommit=True) as conn:
        for limit in LIMITS:
            conn.execute(f'ALTER DATABASE "{name}" SET {limit} = {milliseconds}')


def test_time_limits_of_the_database_are_not_those_of_a_run(database_url: str, tmp_path: Path) -> None:
    """Some hosts end sessions whose transaction waits, as one does while files are prepared."""
    limit(database_url, 100)
    limited = "SELECT name, setting FROM pg_settings WHERE name = ANY(%s) AND setting = '100'"
    with Database(DatabaseOptions(tmp_path, url=database_url)) as database, ExitStack() as lent:
        beside = lent.enter_context(database.writing_beside())
        assert beside is not None
        for conn in (
            lent.enter_context(database.writing()),
            beside,
            lent.enter_context(database.reading()),
            lent.enter_context(database.listening()),
        ):
            assert conn.execute(limited, [LIMITS]).fetchall() == []


def test_time_limits_of_the_database_are_not_those_of_migrations(database_url: str, tmp_path: Path) -> None:
    with psycopg.connect(database_url) as conn:
        conn.execute("DROP SCHEMA IF EXISTS cocosearch_py, cocosearch_jobs CASCADE")
    limit(database_url, 100)
    with Database(DatabaseOptions(tmp_path, url=database_url)) as database:
        assert database.read(list_all) == []


def test_time_limits_of_the_database_are_not_those_of_its_administration(database_url: str, tmp_path: Path) -> None:
    with Database(DatabaseOptions(tmp_path, url=database_url)) as database, psycopg.connect(database_url) as other:
        limit(database_url, 100)
        other.execute("LOCK TABLE cocosearch_py.alembic_version")
        release = Timer(0.5, other.rollback)
        release.start()
        assert database_facts(database).revision == HEAD_REVISION
        release.join()
