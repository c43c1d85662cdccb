"""Which project a call is about: client roots, then `?project=`, then the server's own project, then its folder.

Only the first of these that says anything counts: a client that names its roots is never answered from elsewhere.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import mcp_types
from fastmcp import Context
from fastmcp.server.dependencies import get_http_request

from cocosearch_py.mcp.options import ServerOptions
from cocosearch_py.mcp.paths import local_path, path_of_uri
from mcp import MCPError

if TYPE_CHECKING:  # brings psycopg, which `initialize` does without
    from cocosearch_py.storage.indexes import IndexRecord

ROOTS_KEY = "roots"  # our name of the question in a reply that asks for input
ROOTS_TIMEOUT_S = 3.0  # a client that does not answer by then has no roots
_ROOTS_KEPT_S = 10.0  # one question for a burst of calls; a new root counts after that
_SESSIONS_KEPT = 1_000
_MODERN = "2026-07-28"  # the first era without questions from the server
_PROJECT_FILES = (".git", "cocosearch-py.yaml", "cocosearch-py.yml", "cocosearch.yaml", "cocosearch.yml")


class RootsNeededError(Exception):
    """The call must be answered with a question for the client's roots; it then comes again with them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call is to look. `client_roots` are kept apart: over stdio they may also be indexed."""

    folders: tuple[Path, ...]
    source: str  # roots, project parameter, server project or working folder
    client_roots: tuple[Path, ...] = ()


class Projects:
    """Finds the place of each call; remembers the roots of a session for a moment."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._kept: OrderedDict[str, tuple[float, tuple[Path, ...]]] = OrderedDict()

    async def place_of(self, ctx: Context) -> Place:
        """The place of a call without an index name. Raises RootsNeededError."""
        roots = await self._client_roots(ctx)
        if roots:
            return Place(roots, "roots", roots)
        if (named := _named_by_request(self._options.drives)) is not None:
            return Place((named,), "project parameter")
        if self._options.project is not None:
            return Place((self._options.project,), "server project")
        return Place((self._options.working_folder,), "working folder")

    async def _client_roots(self, ctx: Context) -> tuple[Path, ...]:
        if ctx.request_context is None or not _has_roots(ctx):
            return ()
        if _is_modern(ctx):
            answers = ctx.input_responses
            if answers is None:
                raise RootsNeededError
            answer = answers.get(ROOTS_KEY)
            return _folders(answer.roots, self._options.drives) if isinstance(answer, mcp_types.ListRootsResult) else ()
        session = ctx.session_id
        expires, roots = self._kept.get(session, (0.0, ()))
        if expires < time.monotonic():
            roots = await _ask(ctx, self._options.drives)
            self._kept[session] = (time.monotonic() + _ROOTS_KEPT_S, roots)
            while len(self._kept) > _SESSIONS_KEPT:
                self._kept.popitem(last=False)
        return roots


def roots_question() -> mcp_types.InputRequiredResult:
    """The reply that asks a client of the stateless era for its roots."""
    return mcp_types.InputRequiredResult(input_requests={ROOTS_KEY: mcp_types.ListRootsRequest()})


def project_root(folder: Path) -> Path:
    """The nearest folder at or above that is a repository, a worktree or has our configuration; else the folder."""
    resolved = folder.resolve()
    for candidate in (resolved, *resolved.parents):
        if any(_exists(candidate / name) for name in _PROJECT_FILES):
            return candidate
    return resolved


def index_of_folder(records: "Iterable[IndexRecord]", folder: Path) -> "IndexRecord | None":
    """The index of a folder or of the nearest folder above it that has one.

    A linked worktree is a project of its own: the index of the checkout around it holds another branch's files.
    """
    by_root: dict[str, IndexRecord] = {}
    for record in records:
        by_root.setdefault(record.root_path, record)
    resolved = folder.resolve()
    for candidate in (resolved, *resolved.parents):
        if (found := by_root.get(str(candidate))) is not None:
            return found
        if _is_linked_worktree(candidate):
            return None
    return None


def _is_linked_worktree(folder: Path) -> bool:
    try:
        text = (folder / ".git").read_text(encoding="utf-8", errors="replace")[:4096]
    except OSError:
        return False
    return text.startswith("gitdir:") and "/worktrees/" in text.replace("\\", "/")


def _named_by_request(drives: str | None) -> Path | None:
    """The folder of `?project=` or `X-Cocosearch-Project`, when the call came over HTTP with one."""
    try:
        request = get_http_request()
    except RuntimeError:
        return None
    text = request.query_params.get("project") or request.headers.get("x-cocosearch-project") or ""
    text = local_path(text, drives)
    if "\0" in text:  # no path of any system
        return None
    return Path(text) if text.startswith(("/", "~")) or Path(text).is_absolute() else None


def _has_roots(ctx: Context) -> bool:
    wanted = mcp_types.ClientCapabilities(roots=mcp_types.RootsCapability())
    return bool(ctx.session.check_client_capability(wanted))


def _is_modern(ctx: Context) -> bool:
    context = ctx.request_context
    return context is not None and str(context.protocol_version) >= _MODERN


async def _ask(ctx: Context, drives: str | None) -> tuple[Path, ...]:
    with anyio.move_on_after(ROOTS_TIMEOUT_S):
        try:
            found = await ctx.session.send_request(mcp_types.ListRootsRequest(), mcp_types.ListRootsResult)
        except MCPError:  # it said that it can, and cannot
            return ()
        return _folders(found.roots, drives)
    return ()


def _folders(roots: Iterable[mcp_types.Root], drives: str | None) -> tuple[Path, ...]:
    """Roots that are folders of this machine; a client elsewhere names folders that are not here."""
    found = []
    for root in roots:
        path = path_of_uri(str(root.uri), drives)
        if path is None or "\0" in path:
            continue
        folder = Path(path)
        if folder.is_absolute() and _exists(folder):
            found.append(folder.resolve())
    return tuple(dict.fromkeys(found))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
