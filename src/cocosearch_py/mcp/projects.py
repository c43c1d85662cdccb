"""Project of a call over MCP: the client's roots, asked for as its era allows, and `?project=`."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path

import anyio
import mcp_types
from fastmcp import Context
from fastmcp.server.dependencies import get_http_request

from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.projects import named_folder, place_of, root_folders
from cocosearch_py.tools.call import Place
from mcp import MCPError

ROOTS_KEY = "roots"  # our name of the question in a reply that asks for input
ROOTS_TIMEOUT_S = 3.0  # a client that does not answer by then has no roots
_ROOTS_KEPT_S = 10.0  # one question for a burst of calls; a new root counts after that
_SESSIONS_KEPT = 1_000
_MODERN = "2026-07-28"  # the first era without questions from the server


class RootsNeededError(Exception):
    """The call must be answered with a question for the client's roots; it then comes again with them."""


class Projects:
    """Finds the place of each call; remembers the roots of a session for a moment."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._kept: OrderedDict[str, tuple[float, tuple[Path, ...]]] = OrderedDict()

    async def place_of(self, ctx: Context) -> Place:
        """The place of a call without an index name. Raises RootsNeededError."""
        roots = await self._client_roots(ctx)
        return place_of(self._options, roots, _named_by_request(self._options.drives))

    async def _client_roots(self, ctx: Context) -> tuple[Path, ...]:
        if ctx.request_context is None or not _has_roots(ctx):
            return ()
        if is_modern(ctx):
            answers = ctx.input_responses
            if answers is None:
                raise RootsNeededError
            answer = answers.get(ROOTS_KEY)
            return self._folders(answer.roots) if isinstance(answer, mcp_types.ListRootsResult) else ()
        session = ctx.session_id
        expires, roots = self._kept.get(session, (0.0, ()))
        if expires < time.monotonic():
            roots = self._folders(await _ask(ctx))
            self._kept[session] = (time.monotonic() + _ROOTS_KEPT_S, roots)
            while len(self._kept) > _SESSIONS_KEPT:
                self._kept.popitem(last=False)
        return roots

    def _folders(self, roots: Iterable[mcp_types.Root]) -> tuple[Path, ...]:
        return root_folders((str(root.uri) for root in roots), self._options.drives)


def roots_question() -> mcp_types.InputRequiredResult:
    """The reply that asks a client of the stateless era for its roots."""
    return mcp_types.InputRequiredResult(input_requests={ROOTS_KEY: mcp_types.ListRootsRequest()})


def _named_by_request(drives: str | None) -> Path | None:
    """The folder of `?project=` or `X-Cocosearch-Project`, when the call came over HTTP with one."""
    try:
        request = get_http_request()
    except RuntimeError:
        return None
    text = request.query_params.get("project") or request.headers.get("x-cocosearch-project") or ""
    return named_folder(text, drives)


def _has_roots(ctx: Context) -> bool:
    wanted = mcp_types.ClientCapabilities(roots=mcp_types.RootsCapability())
    return bool(ctx.session.check_client_capability(wanted))


def is_modern(ctx: Context) -> bool:
    """Whether the call is of the era in which a server asks by its answer."""
    context = ctx.request_context
    return context is not None and str(context.protocol_version) >= _MODERN


async def _ask(ctx: Context) -> Sequence[mcp_types.Root]:
    with anyio.move_on_after(ROOTS_TIMEOUT_S):
        try:
            found = await ctx.session.send_request(mcp_types.ListRootsRequest(), mcp_types.ListRootsResult)
        except MCPError:  # it said that it can, and cannot
            return ()
        return found.roots
    return ()
