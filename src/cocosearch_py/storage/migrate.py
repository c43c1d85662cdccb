"""Bring a database's schema to the version this program needs, with Alembic.

Alembic and SQLAlchemy are imported where they are used: together they cost a second that a search must not pay.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from cocosearch_py.errors import BusyError, DatabaseError, SchemaOutdatedError
from cocosearch_py.storage.connection import connect

if TYPE_CHECKING:
    from alembic.config import Config

OLDEST_PGVECTOR = (0, 7)  # first with halfvec and sparsevec
_MIGRATION_LOCK = 0x0C0C05EA  # advisory lock: two programs that start at once migrate one after the other
_REPLACED = "cocosearch_py_old"  # schema to which migrations move tables that nobody needs any more
_ATTEMPTS = 10  # of a migration that readers get in the way of
_PATIENCE_S = 60  # with a run, or with somebody who has forgotten a transaction
_UPGRADE_HINT = "run `cocosearch-py db upgrade`"


def migrations_folder() -> Path:
    """Where the migration scripts are: inside the installed package, or at the top of a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "migrations", package.parents[1] / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise DatabaseError("the migration scripts are missing from the installation", hint="reinstall cocosearch-py")


HEAD_REVISION = max(path.name[:4] for path in (migrations_folder() / "versions").glob("[0-9]*.py"))  # the newest


def current_revision(conn: psycopg.Connection) -> str | None:
    """Revision of the connected database; None when our schema is not there."""
    known = conn.execute("SELECT to_regclass('cocosearch_py.alembic_version')").fetchone()
    if not known or known[0] is None:
        return None
    row = conn.execute("SELECT version_num FROM cocosearch_py.alembic_version").fetchone()
    return row[0] if row else None


def ensure_schema(conn: psycopg.Connection, dsn: str, *, may_upgrade: bool) -> None:
    """Check the schema; create it in a database that has none, upgrade an older one if `may_upgrade`.

    Raises:
        SchemaOutdatedError: older and not `may_upgrade`, newer than this program, or pgvector missing or too old.
    """
    found = current_revision(conn)
    conn.rollback()
    if found == HEAD_REVISION:
        return
    if found is not None and found > HEAD_REVISION:
        raise SchemaOutdatedError(
            f"the database has schema revision {found}, which is newer than this program's {HEAD_REVISION}",
            hint="upgrade cocosearch-py",
        )
    if found is not None and not may_upgrade:
        raise SchemaOutdatedError(
            f"the database has schema revision {found}, but this program needs {HEAD_REVISION}", hint=_UPGRADE_HINT
        )
    upgrade(dsn)


def hold_schema(conn: psycopg.Connection) -> bool:
    """Let no migration run until the connection ends; False if one is at it."""
    row = conn.execute("SELECT pg_try_advisory_lock_shared(%s)", [_MIGRATION_LOCK]).fetchone()
    return bool(row and row[0])


def upgrade(dsn: str, revision: str = "head") -> None:
    """Run migrations forwards, in one transaction."""
    _migrate(dsn, revision, forwards=True)


def downgrade(dsn: str, revision: str) -> None:
    """Run migrations backwards; `base` removes everything of ours, all indexes included."""
    _migrate(dsn, revision, forwards=False)


def _migrate(dsn: str, revision: str, *, forwards: bool) -> None:
    try:
        _migrate_alone(dsn, revision, forwards=forwards)
    except psycopg.errors.LockNotAvailable:
        raise BusyError(
            f"the database schema cannot be changed: another program has been using it for {_PATIENCE_S} s",
            hint="wait until that program has finished, or stop it, then retry",
        ) from None
    _drop_replaced(dsn)


def _migrate_alone(dsn: str, revision: str, *, forwards: bool) -> None:
    from sqlalchemy.exc import DBAPIError

    with connect(dsn, autocommit=True) as conn:
        conn.execute(f"SET lock_timeout = '{_PATIENCE_S}s'".encode())
        # Until the connection ends: two programs that create the extension at once would disturb each other.
        conn.execute("SELECT pg_advisory_lock(%s)", [_MIGRATION_LOCK])
        _require_pgvector(conn)
    for attempt in range(_ATTEMPTS):
        try:
            _run_migrations(dsn, revision, forwards=forwards)
            break
        except DBAPIError as error:  # callers know psycopg's errors only
            deadlock = isinstance(error.orig, psycopg.errors.DeadlockDetected)  # with a reader, which has gone on now
            if not deadlock or attempt == _ATTEMPTS - 1:
                raise error.orig or error from error


def _run_migrations(dsn: str, revision: str, *, forwards: bool) -> None:
    from alembic import command
    from sqlalchemy import NullPool, create_engine, text

    engine = create_engine("postgresql+psycopg://", creator=lambda: connect(dsn), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"SET LOCAL lock_timeout = '{_PATIENCE_S}s'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        if connection.execute(text("SELECT to_regclass('cocosearch_py.symbols')")).scalar() is not None:
            # Readers begin with the one or the other. Whoever waits for it later has nothing that we need; whoever has
            # waited before finds out about the deadlock before we do, and reads again.
            connection.execute(text("LOCK TABLE ONLY cocosearch_py.indexes, ONLY cocosearch_py.symbols"))
        config = _alembic_config()
        config.attributes["connection"] = connection
        if forwards:
            command.upgrade(config, revision)
        else:
            command.downgrade(config, revision)


def _drop_replaced(dsn: str) -> None:
    """Drop what a migration has replaced, leaf by leaf: thousands at once take more locks than a server has."""
    with connect(dsn, autocommit=True) as conn:
        leaves = conn.execute(
            "SELECT c.oid::regclass::text FROM pg_class c "
            "WHERE c.relnamespace = to_regnamespace(%s) AND c.relispartition AND c.relkind = 'r'",
            [_REPLACED],
        ).fetchall()
        for (leaf,) in leaves:  # quoted by the server
            conn.execute(f"DROP TABLE IF EXISTS {leaf}".encode())
        conn.execute(f"DROP SCHEMA IF EXISTS {_REPLACED} CASCADE".encode())


def _alembic_config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    return config


def _require_pgvector(conn: psycopg.Connection) -> None:
    """Install pgvector into the database if it can be, and check that it is new enough."""
    available = conn.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    if available is None:
        raise SchemaOutdatedError(
            "this PostgreSQL server has no pgvector extension",
            hint="install pgvector on the server (package postgresql-<version>-pgvector), or use the embedded server",
        )
    try:
        conn.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.InsufficientPrivilege as error:
        raise SchemaOutdatedError(
            "this database has no pgvector extension and the user may not create it",
            hint="let an administrator run CREATE EXTENSION vector in this database",
        ) from error
    row = conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    version = row[0] if row else "0"
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST_PGVECTOR:
        raise SchemaOutdatedError(
            f"pgvector {version} is older than {'.'.join(map(str, OLDEST_PGVECTOR))}",
            hint="install a newer pgvector and run ALTER EXTENSION vector UPDATE",
        )
