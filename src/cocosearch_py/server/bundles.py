"""Bundles of indexes over HTTP, however large: GET /indexes/NAME/bundle.tar.zst, behind the guards of the port."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from cocosearch_py.errors import CocosearchError, NotFoundError, ServiceError
from cocosearch_py.indexing import scratch
from cocosearch_py.resources.addresses import ABOUT, Kind
from cocosearch_py.resources.reading import export
from cocosearch_py.server.calls import ServerCall
from cocosearch_py.server.context import ServerContext
from cocosearch_py.tools.call import Selection

BUNDLE_PATH = f"/indexes/{{index}}/{Kind.BUNDLE.value}"
_AT_ONCE = 2  # each is a file on disk until its client has it


def bundle_routes(context: ServerContext, is_offered: Callable[[Request], bool]) -> list[Route]:
    """The route of bundles; `is_offered` tells whether the client of a request may have them."""
    bundles = _Bundles(context, is_offered)
    return [Route(BUNDLE_PATH, bundles.get, methods=["GET"])]


class _Bundles:
    """Writes the bundle of an index to a temporary file, sends it and removes it."""

    def __init__(self, context: ServerContext, is_offered: Callable[[Request], bool]) -> None:
        self._context = context
        self._is_offered = is_offered
        self._open = 0

    async def get(self, request: Request) -> Response:
        if not self._is_offered(request):
            return JSONResponse({"error": "this server offers no bundles"}, 404)
        if self._open >= _AT_ONCE:
            return JSONResponse({"error": "other bundles are being sent, try again later"}, 503)
        name = request.path_params["index"]
        call = ServerCall(self._context, Selection((name,)), {"index": name})
        self._begin()  # before anything is awaited, so that requests of the same moment count
        folder = path = None
        try:
            folder = made = await anyio.to_thread.run_sync(_make_folder)
            path = await self._context.run(lambda: export(call, name, Path(made)))
        except CocosearchError as error:
            told = self._context.explainer.described(error, {"index": name})
            return JSONResponse({"success": False, **told}, _status(error))
        finally:
            if path is None:
                self._end(folder)
        return _Sent(path, lambda: self._end(folder))

    def _begin(self) -> None:
        self._open += 1
        self._context.open_calls += 1

    def _end(self, folder: str | None) -> None:
        self._open -= 1
        self._context.open_calls -= 1
        self._context.last_call_s = time.monotonic()
        if folder is not None:
            rmtree(folder, ignore_errors=True)


def _make_folder() -> str:
    """A temporary folder which, where the system can tell, is removed later if this process is killed."""
    return mkdtemp(prefix="cocosearch-bundle-", dir=scratch.claim() if os.name == "posix" else None)


class _Sent(FileResponse):
    """A file that is let go of when it was sent, and when its client went away."""

    def __init__(self, path: Path, end: Callable[[], None]) -> None:
        super().__init__(path, 200, {"content-disposition": "attachment"}, ABOUT[Kind.BUNDLE].mime_type)
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._end()


def _status(error: CocosearchError) -> int:
    if isinstance(error, NotFoundError):
        return 404
    return 503 if isinstance(error, ServiceError) else 500
