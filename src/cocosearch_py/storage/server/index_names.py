"""Names of the indexes on a running embedded server, read without the driver.

Completion on Tab asks for them, and importing the driver alone takes longer than a person waits for that. The server
accepts every connection to its socket, so the few messages of PostgreSQL's protocol that a query needs are enough.
"""

import re
import socket
import struct
from collections.abc import Iterator
from typing import BinaryIO

from cocosearch_py.storage.server.location import DATABASE_NAME, SOCKET_NAME, SUPERUSER, EmbeddedServer

_PROTOCOL = 3 << 16
_TIMEOUT_S = 0.2  # A busy server must not block the prompt.
_QUERY = b"SELECT name FROM cocosearch_py.indexes WHERE strpos(name, ':') = 0 ORDER BY name\0"
_NAME = re.compile(r"[\w.\- ]+")


def index_names(server: EmbeddedServer) -> list[str]:
    """Return the names; none if the server does not run, has no index or does not answer at once."""
    if not hasattr(socket, "AF_UNIX"):
        return []
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_TIMEOUT_S)
            connection.connect(str(server.socket_dir / SOCKET_NAME))
            start = f"user\0{SUPERUSER}\0database\0{DATABASE_NAME}\0\0".encode()
            connection.sendall(struct.pack("!ii", len(start) + 8, _PROTOCOL) + start)
            connection.sendall(b"Q" + struct.pack("!i", len(_QUERY) + 4) + _QUERY)
            with connection.makefile("rb") as answer:
                names = [name.decode("utf-8") for name in _rows(answer)]
    except (OSError, ValueError, struct.error):
        return []
    return [name for name in names if _NAME.fullmatch(name)]


def _rows(answer: BinaryIO) -> Iterator[bytes]:
    """Yield the one column of each row. Raises ValueError for an error or any other kind of login."""
    ready = 0
    while ready < 2:  # once after the login, once after the query
        kind, size = struct.unpack("!ci", answer.read(5))
        body = answer.read(size - 4)
        if kind == b"E" or (kind == b"R" and body != bytes(4)):
            raise ValueError(body)
        if kind == b"D":
            yield body[6:]  # number of columns, length of the first
        ready += kind == b"Z"
