"""Administration of the database: its versions, its schema, a shell, the end of the embedded server."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import psycopg

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.process import ask_to_end, is_gone
from cocosearch_py.storage import migrate
from cocosearch_py.storage.connection import connect
from cocosearch_py.storage.queries import workers
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.database import Database, psql_environment
from cocosearch_py.storage.server.faults import translated

_ASK_S = 5
_WORKERS_END_S = 10.0
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """Facts that `doctor` shows of a database that answers; versions are as the server writes them."""

    place: str
    server_version: str
    pgvector_version: str | None
    pgvector_fits: bool
    pg_trgm_version: str | None
    revision: str | None
    newest_revision: str


def database_facts(database: Database) -> DatabaseFacts:
    """Versions of server, pgvector and schema. Starts the embedded server; makes no schema in an external one."""
    if database.server:
        database.start()
    with translated(database.description), connect(database.dsn) as conn:
        versions: dict[str, str] = dict(conn.execute("SELECT extname, extversion FROM pg_extension").fetchall())
        found = versions.get("vector")
        return DatabaseFacts(
            place=database.description,
            server_version=(conn.info.parameter_status("server_version") or "").split(" ")[0],
            pgvector_version=found,
            pgvector_fits=found is not None and _numbers(found) >= migrate.OLDEST_PGVECTOR,
            pg_trgm_version=versions.get("pg_trgm"),
            revision=migrate.current_revision(conn),
            newest_revision=migrate.HEAD_REVISION,
        )


def upgrade_schema(database: Database, revision: str = "head") -> str | None:
    """Bring the schema forward; returns the revision it then has. Raises ValidationError for an unknown one."""
    return _migrate(database, migrate.upgrade, revision)


def downgrade_schema(database: Database, revision: str) -> str | None:
    """Take the schema back; `base` removes all of it. Raises ValidationError for an unknown revision."""
    return _migrate(database, migrate.downgrade, revision)


def psql(database: Database) -> tuple[str, dict[str, str]]:
    """Program and libpq environment of a shell on the database, which is made to run."""
    database.start()
    program = str(embedded.executable("psql")) if database.server else "psql"
    return program, psql_environment(database.dsn)


def stop_server(database: Database) -> bool:
    """Stop the embedded server and its workers now; False when it does not run or an external one is used.

    Runs at hand go back to the queue: the next client's worker goes on with them.
    """
    database.close()
    if database.server is None:
        return False
    if embedded.is_running(database.server):
        _end_workers(database.server)
    return embedded.stop(database.server)


def _end_workers(server: embedded.EmbeddedServer) -> None:
    """Ask the workers to end, and wait a while; one that takes longer ends by itself without its server."""
    try:
        with psycopg.connect(server.dsn(), connect_timeout=_ASK_S) as conn:
            asked = [mark for mark in workers.processes(conn) if ask_to_end(mark)]
    except psycopg.Error:  # it does not answer, or nothing was ever put into it
        return
    deadline = time.monotonic() + _WORKERS_END_S
    while not all(map(is_gone, asked)) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _migrate(database: Database, run: Callable[[str, str], None], revision: str) -> str | None:
    from alembic.util import CommandError

    with translated(database.description):
        if database.server:
            embedded.ensure_running(database.server)
        try:
            run(database.dsn, revision)
        except CommandError as error:
            raise ValidationError(
                f"the schema cannot be changed to revision '{revision}': {error}",
                hint=f"the newest revision is {migrate.HEAD_REVISION}; `base` means an empty schema",
            ) from error
        with connect(database.dsn) as conn:
            return migrate.current_revision(conn)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
