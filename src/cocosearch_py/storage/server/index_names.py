"""Names of the indexes on a running embedded server, for completion on Tab."""

import psycopg

from cocosearch_py.storage.server.location import SOCKET_NAME, EmbeddedServer

_TIMEOUTS = "-c statement_timeout=500 -c lock_timeout=500"  # ms; a busy server must not block the prompt
_CONNECT_S = 2  # the least that libpq takes
_QUERY = "SELECT name FROM cocosearch_py.indexes WHERE strpos(name, ':') = 0 ORDER BY name"


def index_names(server: EmbeddedServer) -> list[str]:
    """Return the names; none if the server does not run, has no index or does not answer at once."""
    if not (server.socket_dir / SOCKET_NAME).exists():
        return []
    try:
        with psycopg.connect(server.dsn(), connect_timeout=_CONNECT_S, options=_TIMEOUTS) as conn:
            return [name for (name,) in conn.execute(_QUERY)]
    except psycopg.Error:
        return []
