"""What a server offers to the client of the present request."""

from collections.abc import Mapping, Sequence

from fastmcp.server.dependencies import get_http_headers

from cocosearch_py.mcp.toolsets import ToolOperation, narrowed
from cocosearch_py.server.options import ServerOptions


class Offer:
    """The tools of one server; over HTTP, headers narrow them for a client."""

    def __init__(self, options: ServerOptions, offered: Sequence[ToolOperation]) -> None:
        self._options = options
        self.all = {one.name: one for one in offered}

    def now(self) -> dict[str, ToolOperation]:
        """The tools that this client may call, by name."""
        if self._options.local:
            return self.all
        kept = narrowed(self.all.values(), self.headers())
        return {name: one for name, one in self.all.items() if name in kept}

    def headers(self) -> Mapping[str, str]:
        """Headers of the request; none over stdio."""
        return {} if self._options.local else get_http_headers()
