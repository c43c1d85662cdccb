"""Who subscribed to a resource hears that it changed, whoever changed it, in both eras and over every transport."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from mcp.client.subscriptions import listen
from tests import forking
from tests.mcp.calls import ERAS, call
from tests.mcp.reading import Heard, following, subscribe
from tests.mcp.test_http import TOKEN

from cocosearch_py.app import App
from cocosearch_py.catalog.service import Catalog
from cocosearch_py.errors import DatabaseUnreachableError
from cocosearch_py.features.wiki.model import Contribution
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.mcp import subscriptions
from cocosearch_py.server import changes
from mcp import MCPError

Make = Callable[..., FastMCP]
LATER = "cocosearch://indexes/later/status.json"  # followed last, so it is told after all that changed before it
STATUS, MAP = "cocosearch://indexes/shop/status.json", "cocosearch://indexes/shop/repomap.md"
CART, README = "cocosearch://file/shop/shop/cart.py", "cocosearch://file/shop/README.md"
HOWS = [*((how, era) for how in ("memory", "stdio", "http") for era in ERAS), ("sse", "legacy")]


@pytest.fixture
def connect(
    make: Make, start: Callable[..., Any], process_environment: dict[str, str], shop: Path
) -> Callable[[str], tuple[Any, dict[str, Any]]]:
    """What a client connects to, and with what, over a transport; the sample is indexed as `shop`."""

    def connect(how: str) -> tuple[Any, dict[str, Any]]:
        if how == "memory":
            return make(), {}
        command = [sys.executable, "-m", "cocosearch_py", "mcp"]
        if how == "stdio":
            return StdioTransport(command[0], command[1:], cwd=str(shop), env=process_environment), {}
        process = start(str(shop), "-t", "http", "-p", "0", cwd=shop.parent, COCOSEARCH_AUTH_TOKEN=TOKEN)
        found = re.search(rb"http://(127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
        assert found is not None
        return f"http://{found[1].decode()}/{'mcp' if how == 'http' else 'sse'}", {"auth": TOKEN}

    return connect


@pytest.fixture
def later(app: App, tmp_path: Path) -> Path:
    """Another project, indexed as `later`; a run of it is told after all changes before it."""
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "a.py").write_text("a = 1\n")
    app.index(tmp_path / "later")
    return tmp_path / "later"


def index_elsewhere(folder: Path, environment: dict[str, str], *arguments: str) -> None:
    """Let another process bring the index up to date."""
    command = [sys.executable, "-m", "cocosearch_py", *(arguments or ("index", str(folder), "--name", "shop"))]
    forking.run(command, env=environment, cwd=folder).check_returncode()


@pytest.mark.parametrize(("how", "era"), HOWS)
def test_changes_by_other_processes_are_told(
    connect: Callable[[str], Any], shop: Path, process_environment: dict[str, str], how: str, era: str
) -> None:
    async def go() -> None:
        server, more = connect(how)
        mimir = "mimir://indexes/shop/manifest.json"
        async with following(server, era, [STATUS, MAP, CART, README, mimir], **more) as heard:
            (shop / "shop/cart.py").write_text("def another(): ...\n")
            await anyio.to_thread.run_sync(index_elsewhere, shop, process_environment)
            await heard.wait(lambda uris: {STATUS, MAP, CART, mimir} <= set(uris))
            assert README not in heard.uris, "of that file nothing changed"

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_a_run_that_changes_nothing_changes_the_state_alone(
    make: Make, shop: Path, process_environment: dict[str, str], app: App, later: Path, era: str
) -> None:
    async def go() -> None:
        async with following(make(), era, [STATUS, MAP, LATER]) as heard:
            await anyio.to_thread.run_sync(index_elsewhere, shop, process_environment)
            await anyio.to_thread.run_sync(app.index, later)
            await heard.wait(lambda uris: {STATUS, LATER} <= set(uris))
            assert MAP not in heard.uris

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_a_job_of_the_server_is_followed_to_its_end(make: Make, shop: Path, era: str) -> None:
    async def go() -> None:
        server = make()
        async with following(server, era, [STATUS, "cocosearch://status", "repo://status"]) as heard:
            (shop / "new.py").write_text("new = 1\n")
            job = await anyio.to_thread.run_sync(
                lambda: call(server, "index_codebase", {"path": str(shop), "wait_s": 0}).payload
            )
            assert job["success"]
            await heard.wait(lambda uris: {STATUS, "cocosearch://status", "repo://status"} <= set(uris))

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_changes_of_wiki_pages_are_told(
    make: Make, app: App, shop: Path, process_environment: dict[str, str], era: str
) -> None:
    def wiki(*arguments: str) -> Awaitable[None]:
        return anyio.to_thread.run_sync(index_elsewhere, shop, process_environment, "wiki", *arguments)

    async def go() -> None:
        Wikis(app.database).start(place := find_place(shop))
        Wikis(app.database).write(place, Contribution("money", "Of [[carts]].", title="Money"))
        Wikis(app.database).write(place, Contribution("carts", "Of carts.", title="Carts"))
        money, carts, listed, new = (f"cocosearch://wiki/{name}" for name in ("money", "carts.md", "index.md", "new"))
        async with following(make(), era, [money, carts, listed, new]) as heard:
            await wiki("write", "carts", "Of baskets.")
            await heard.wait(lambda uris: {carts, listed} <= set(uris))
            assert not {money, new} & set(heard.uris), "nothing changed where they stand"
            await wiki("rename", "money", "new", "--title", "Cash")
            await heard.wait(lambda uris: {money, new} <= set(uris))
            heard.uris.clear()
            await wiki("remove", "new")
            await heard.wait(lambda uris: {money, new} <= set(uris))

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_indexes_that_come_and_go_change_the_list(
    make: Make, shop: Path, tmp_path: Path, process_environment: dict[str, str], era: str
) -> None:
    async def go() -> None:
        (tmp_path / "second").mkdir()
        (tmp_path / "second" / "a.py").write_text("a = 1\n")
        status = "cocosearch://indexes/second/status.json"
        async with following(make(), era, [status]) as heard:
            await anyio.to_thread.run_sync(
                index_elsewhere, tmp_path / "second", process_environment, "index", ".", "--name", "second"
            )
            await heard.wait(lambda uris: {"", status} <= set(uris))
            heard.uris.clear()
            await anyio.to_thread.run_sync(
                index_elsewhere, tmp_path / "second", process_environment, "clear", "second", "--yes"
            )
            await heard.wait(lambda uris: {"", status} <= set(uris))

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_many_changes_are_told_twice_a_second_at_most(make: Make, shop: Path, app: App, later: Path, era: str) -> None:
    async def go() -> None:
        async with following(make(), era, [MAP, LATER]) as heard:
            began = anyio.current_time()
            for number in range(8):
                (shop / "shop/cart.py").write_text(f"x = {number}\n")
                await anyio.to_thread.run_sync(lambda: app.index(shop, name="shop"))
            await anyio.to_thread.run_sync(app.index, later)
            await heard.wait(lambda uris: {MAP, LATER} <= set(uris))
            spent_s = anyio.current_time() - began
            assert heard.uris.count(MAP) <= 1 + spent_s / changes.LEAST_PAUSE_S

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_without_word_from_the_database_changes_are_seen_all_the_same(
    make: Make, shop: Path, app: App, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def deaf() -> Iterator[Callable[[float], bool]]:
        raise DatabaseUnreachableError("too many connections", hint="close some")
        yield lambda _: False

    monkeypatch.setattr(app.database, "hearing", deaf)

    async def go() -> None:
        async with following(make(), era, [MAP]) as heard:
            (shop / "shop/cart.py").write_text("x = 1\n")
            await anyio.to_thread.run_sync(lambda: app.index(shop, name="shop"))
            await heard.wait(lambda uris: MAP in uris)

    asyncio.run(go())


def test_what_happens_while_the_connection_is_away_is_told_when_it_is_back(
    make: Make, shop: Path, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    hearing: Callable[[], AbstractContextManager[Callable[[float], bool]]] = app.database.hearing
    times = []

    @contextmanager
    def cut() -> Iterator[Callable[[float], bool]]:
        with hearing() as wait:
            times.append(1)
            if len(times) == 1:
                raise DatabaseUnreachableError("the server ended the session", hint="")
            yield wait

    monkeypatch.setattr(app.database, "hearing", cut)

    async def go() -> None:
        async with following(make(), "auto", [MAP]) as heard:
            (shop / "shop/cart.py").write_text("x = 1\n")
            await anyio.to_thread.run_sync(lambda: app.index(shop, name="shop"))
            await heard.wait(lambda uris: MAP in uris)
            (shop / "shop/cart.py").write_text("x = 2\n")
            heard.uris.clear()
            await anyio.to_thread.run_sync(lambda: app.index(shop, name="shop"))
            await heard.wait(lambda uris: MAP in uris)

    asyncio.run(go())
    assert len(times) > 1


@pytest.mark.parametrize("era", ERAS)
def test_whoever_subscribes_without_a_database_is_told_when_there_is_one(
    make: Make, shop: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: Catalog) -> Any:
        raise DatabaseUnreachableError("the database is away", hint="start it")

    async def go() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Catalog, "list_all", away)
            following_it = following(make(), era, [MAP])
            heard = await following_it.__aenter__()
        await heard.wait(lambda uris: MAP in uris)
        await following_it.__aexit__(None, None, None)

    asyncio.run(go())


def test_whoever_unsubscribes_or_leaves_is_told_no_more(make: Make, shop: Path, app: App, later: Path) -> None:
    async def go() -> None:
        heard = Heard()

        async def handle(message: Any) -> None:
            heard.add(str(getattr(getattr(message, "params", None), "uri", "")))

        async with Client(make(), mode="legacy", message_handler=handle) as client:
            await subscribe(client, MAP)
            await subscribe(client, MAP)  # twice is once
            await subscribe(client, STATUS)
            await subscribe(client, MAP, end=True)
            await subscribe(client, "cocosearch://never", end=True)
            await subscribe(client, LATER)
            (shop / "shop/cart.py").write_text("x = 1\n")
            await anyio.to_thread.run_sync(lambda: app.index(shop, name="shop"))
            await anyio.to_thread.run_sync(app.index, later)
            await heard.wait(lambda uris: {STATUS, LATER} <= set(uris))
            assert MAP not in heard.uris

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_the_thread_ends_with_its_last_client(make: Make, shop: Path, era: str) -> None:
    from threading import enumerate as threads

    async def go() -> None:
        async with following(make(), era, [MAP]):
            assert [one for one in threads() if one.name == "changes"]
        with anyio.fail_after(30):
            while [one for one in threads() if one.name == "changes"]:
                await anyio.sleep(0.05)

    asyncio.run(go())


def test_subscribing_to_what_is_no_resource_is_refused(make: Make, shop: Path) -> None:
    async def go() -> None:
        async with Client(make(exclude_tools=("get_repo_map",)), mode="legacy") as client:
            for uri in ("cocosearch://nothing", "repo://nothing", "file:///etc/passwd", MAP):
                with pytest.raises(MCPError) as raised:
                    await subscribe(client, uri)
                assert raised.value.error.code == -32002

    asyncio.run(go())


def test_a_stream_says_which_wishes_it_hears(make: Make, shop: Path) -> None:
    async def go() -> None:
        async with (
            Client(make(), mode="auto") as client,
            listen(client.session, resource_subscriptions=["other://x", MAP, "cocosearch://nothing"]) as stream,
        ):
            assert stream.honored.resource_subscriptions == [MAP]

    asyncio.run(go())


def test_nobody_follows_without_bounds(make: Make, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MOST_EACH", 2)

    async def go() -> None:
        async with Client(make(), mode="legacy") as client:
            for uri in (MAP, STATUS):
                await subscribe(client, uri)
            with pytest.raises(MCPError, match="unsubscribe") as raised:
                await subscribe(client, CART)
            assert raised.value.error.data["error_type"] == "conflict"
        async with (
            Client(make(), mode="auto") as client,
            listen(client.session, resource_subscriptions=[MAP, STATUS, CART]) as stream,
        ):
            assert stream.honored.resource_subscriptions == [MAP, STATUS]

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_indexes_outside_of_the_roots_are_not_followed(
    make: Make, shop: Path, app: App, tmp_path: Path, era: str
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "a.py").write_text("a = 1\n")
    app.index(hidden)
    # STATUS is followed last, so it is told after what changed before it.
    uris = ["cocosearch://indexes/hidden/status.json", "cocosearch://file/hidden/a.py", STATUS]

    async def go() -> None:
        async with following(make(roots=(shop,)), era, uris) as heard:
            (hidden / "a.py").write_text("a = 2\n")
            await anyio.to_thread.run_sync(lambda: app.index(hidden))
            await anyio.to_thread.run_sync(lambda: app.index(shop, name="shop"))
            await heard.wait(lambda told: STATUS in told)
            assert set(heard.uris) == {STATUS}

    asyncio.run(go())


@pytest.mark.parametrize("era", ERAS)
def test_both_eras_say_that_they_have_subscriptions(make: Make, shop: Path, era: str) -> None:
    async def go() -> None:
        async with Client(make(), mode=era) as client:
            capabilities = client.server_capabilities
            assert capabilities is not None and capabilities.resources is not None
            assert capabilities.resources.subscribe and capabilities.resources.list_changed

    asyncio.run(go())
