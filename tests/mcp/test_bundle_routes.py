"""Bundles over HTTP: how many at once, and what is left of them."""

import asyncio
from pathlib import Path

import httpx
from starlette.applications import Starlette

from cocosearch_py.app import App
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.bundles import bundle_routes
from cocosearch_py.server.options import ServerOptions


def test_two_bundles_are_sent_at_once_and_no_more(app: App, shop: Path) -> None:
    options = ServerOptions(transport="http", project=shop, working_folder=shop, roots=(shop,))
    _, context = create_server(lambda _: app, options)
    routes = Starlette(routes=bundle_routes(context, lambda _: True))

    async def go(count: int) -> list[int]:
        transport = httpx.ASGITransport(routes)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:3000") as client:
            answers = await asyncio.gather(*(client.get("/indexes/shop/bundle.tar.zst") for _ in range(count)))
        return sorted(answer.status_code for answer in answers)

    assert asyncio.run(go(5)) == [200, 200, 503, 503, 503]
    assert asyncio.run(go(2)) == [200, 200], "those before have ended"
    assert context.open_calls == 0
    assert context.jobs.close(30)
