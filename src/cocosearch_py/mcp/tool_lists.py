"""Tools that a server offers to the client of the present request."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from fastmcp.server.dependencies import get_http_headers

from cocosearch_py.mcp.toolsets import ToolOperation, narrowed
from cocosearch_py.server.options import ServerOptions


class Offer:
    """The tools of one server; over HTTP, headers narrow them for a client."""

    def __init__(self, options: ServerOptions, choose: Callable[[], Sequence[ToolOperation]]) -> None:
        """Tools are chosen when they are first asked for: a client is greeted before all of them are imported."""
        self._options = options
        self._choose = choose

    @cached_property
    def all(self) -> dict[str, ToolOperation]:
        """By name; raises what `choose` raises."""
        return {one.name: one for one in self._choose()}

    def now(self) -> dict[str, ToolOperation]:
        """The tools that this client may call, by name."""
        if self._options.local:
            return self.all
        kept = narrowed(self.all.values(), self.headers())
        return {name: one for name, one in self.all.items() if name in kept}

    def headers(self) -> Mapping[str, str]:
        """Headers of the request; none over stdio."""
        return {} if self._options.local else get_http_headers()
