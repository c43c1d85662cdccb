"""Whether a database could answer now, asked on a connection of its own; starts, makes and upgrades nothing."""

import psycopg

from cocosearch_py.errors import ConfigurationError
from cocosearch_py.storage.migrate import HEAD_REVISION, current_revision
from cocosearch_py.storage.server.faults import require_readable

_TIMEOUT_S = 2  # the least that libpq takes; probes ask every few seconds


def unready_reason(url: str | None) -> str | None:
    """Why calls would fail for want of the database, in fixed words that tell nothing of it; None when they would not.

    The embedded server (None) counts as ready without being asked: the first call starts it, and a question would keep
    it from ending when nobody uses it. So does a database without our schema, if the first call can make one.
    """
    if url is None:
        return None
    try:
        require_readable(url)
        with psycopg.connect(
            url, connect_timeout=_TIMEOUT_S, tcp_user_timeout=_TIMEOUT_S * 1000, autocommit=True
        ) as conn:
            conn.execute(f"SET statement_timeout = {_TIMEOUT_S * 1000}")
            found = current_revision(conn)
            if found is None:
                known = conn.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
                return None if known else "the database server has no pgvector"
    except ConfigurationError:
        return "the database URL cannot be read"
    except psycopg.Error:
        return "the database does not respond"
    if found == HEAD_REVISION:
        return None
    return "the schema is older than this program" if found < HEAD_REVISION else "the schema is newer than this program"
