"""Short ways to read resources and to follow them, in both eras."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types
from fastmcp import Client
from mcp.client.subscriptions import ResourceUpdated, listen

from mcp import MCPError

DEADLINE_S = 60.0


def read(server: Any, uri: str, **client: Any) -> Any:
    """What stands at an address; an error of the protocol is returned."""

    async def go() -> Any:
        async with Client(server, **{"mode": "legacy", **client}) as opened:
            try:
                (content,) = await opened.read_resource(uri)
            except MCPError as error:
                return error.error
            return content

    return asyncio.run(go())


def listed(server: Any, **client: Any) -> tuple[list[Any], list[Any]]:
    """What resources/list and resources/templates/list give."""

    async def go() -> tuple[list[Any], list[Any]]:
        async with Client(server, **{"mode": "legacy", **client}) as opened:
            return await opened.list_resources(), await opened.list_resource_templates()

    return asyncio.run(go())


class Heard:
    """What a client was told, in order; "" stands for the list of resources."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self._more = anyio.Event()

    def add(self, uri: str) -> None:
        self.uris.append(uri)
        self._more.set()
        self._more = anyio.Event()

    async def wait(self, holds: Callable[[list[str]], bool]) -> None:
        with anyio.fail_after(DEADLINE_S):
            while not holds(self.uris):
                await self._more.wait()


async def subscribe(client: Client, uri: str, *, end: bool = False) -> None:
    """`resources/subscribe`, or the end of it."""
    if end:
        last = mcp_types.UnsubscribeRequest(params=mcp_types.UnsubscribeRequestParams(uri=uri))
        await client.session.send_request(last, mcp_types.EmptyResult)
        return
    first = mcp_types.SubscribeRequest(params=mcp_types.SubscribeRequestParams(uri=uri))
    await client.session.send_request(first, mcp_types.EmptyResult)


@asynccontextmanager
async def following(server: Any, era: str, uris: Sequence[str], **more: Any) -> AsyncIterator[Heard]:
    """A client of an era that follows addresses, as its era does that."""
    heard = Heard()
    if era == "legacy":

        async def handle(message: Any) -> None:
            if isinstance(message, mcp_types.ResourceUpdatedNotification):
                heard.add(str(message.params.uri))
            elif isinstance(message, mcp_types.ResourceListChangedNotification):
                heard.add("")

        async with Client(server, mode="legacy", message_handler=handle, **more) as client:
            for uri in uris:
                await subscribe(client, uri)
            yield heard
        return
    async with (
        Client(server, mode=era, **more) as client,
        listen(client.session, resource_subscriptions=uris, resources_list_changed=True) as stream,
        anyio.create_task_group() as tasks,
    ):
        assert list(stream.honored.resource_subscriptions or []) == list(uris)

        async def hear() -> None:
            async for event in stream:
                heard.add(event.uri if isinstance(event, ResourceUpdated) else "")

        tasks.start_soon(hear)
        yield heard
        tasks.cancel_scope.cancel()
