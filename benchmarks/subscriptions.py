"""How long after a change its subscribers hear of it.

    python benchmarks/subscriptions.py [--changes N] [--json OUT]

A server of its own, over stdio and over HTTP, follows a small index in both eras. This process changes the index by one
statement, new weights of its ranking, which make it another generation as a run does. The time is from the commit to
the `updated` at the client: the database's word, the server's look and the way to the client. Changes are further apart
than the half second in which nothing is told twice.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # behind all else: mcp.py beside this file is not the package

import mcp_types
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.client.subscriptions import listen

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.storage.queries.facts import store_weights
from cocosearch_py.storage.server import embedded

URI = "cocosearch://indexes/folder/manifest.json"
PAUSE_S = 0.7
TOKEN = "not-a-secret-of-anybody"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cs-subscriptions-") as place:
        data, folder = Path(place, "data"), Path(place, "folder")
        folder.mkdir()
        for number in range(20):
            (folder / f"m{number}.py").write_text(f"def f{number}(x):\n    return x + {number}\n")
        try:
            with App(Settings(), data) as app:
                app.index(folder, name="folder")
                figures = asyncio.run(measure(app, folder, data, given.changes))
        finally:
            embedded.stop(embedded.locate(data))
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


async def measure(app: App, folder: Path, data: Path, changes: int) -> dict[str, Any]:
    environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(data), "COCOSEARCH_AUTH_TOKEN": TOKEN}
    command = [sys.executable, "-m", "cocosearch_py", "mcp"]
    figures = {}
    for era in ("legacy", "auto"):
        transport = StdioTransport(command[0], command[1:], cwd=str(folder), env=environment)
        figures[f"stdio, {era}"] = await follow(app, transport, era, changes)
    with subprocess.Popen(
        [*command, str(folder), "-t", "http", "-p", "0"], env=environment, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        found = re.search(rb"(http://\S+/mcp)", process.stderr.readline())
        assert found is not None
        for era in ("legacy", "auto"):
            figures[f"http, {era}"] = await follow(app, found[1].decode(), era, changes, auth=TOKEN)
        process.terminate()
    return figures


async def follow(app: App, server: Any, era: str, changes: int, **more: Any) -> dict[str, Any]:
    heard: asyncio.Queue[float] = asyncio.Queue()
    took = []
    async with subscribed(server, era, heard, **more):
        for number in range(changes):
            await asyncio.sleep(PAUSE_S)
            while not heard.empty():
                heard.get_nowait()
            committed = await asyncio.to_thread(change, app, number)
            took.append(max(0.0, await asyncio.wait_for(heard.get(), 30) - committed))
    took.sort()
    middle, high = took[len(took) // 2], took[min(len(took) - 1, round(0.95 * len(took)))]
    return {"changes": changes, "median_ms": round(1000 * middle), "p95_ms": round(1000 * high)}


def change(app: App, number: int) -> float:
    """Change the index; returns when that was committed."""
    with app.database.writing() as conn:
        store_weights(conn, "folder", {"tests": -1.0 - number / 1000})
        conn.commit()
        return time.monotonic()


@asynccontextmanager
async def subscribed(server: Any, era: str, heard: "asyncio.Queue[float]", **more: Any) -> AsyncIterator[None]:
    async def handle(message: Any) -> None:
        if isinstance(message, mcp_types.ResourceUpdatedNotification):
            heard.put_nowait(time.monotonic())

    async with Client(server, mode=era, message_handler=handle, **more) as client:
        if era == "legacy":
            asked = mcp_types.SubscribeRequest(params=mcp_types.SubscribeRequestParams(uri=URI))
            await client.session.send_request(asked, mcp_types.EmptyResult)
            yield
            return
        async with listen(client.session, resource_subscriptions=[URI]) as stream:

            async def hear() -> None:
                async for _ in stream:
                    heard.put_nowait(time.monotonic())

            task = asyncio.create_task(hear())
            yield
            task.cancel()


if __name__ == "__main__":
    main()
