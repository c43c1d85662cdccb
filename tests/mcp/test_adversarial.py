"""Random and mutated calls: no traceback, no hang, nothing from outside the root. FUZZ_CALLS=10000 is the long run."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import anyio.from_thread
import pytest
from fastmcp import Client, FastMCP
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cocosearch_py.app import App
from cocosearch_py.mcp.server import all_tools

CALLS = int(os.environ.get("FUZZ_CALLS", "300"))
CALL_TIMEOUT_S = 60.0
SECRET = "tell_nobody_of_this"
HOSTILE = st.sampled_from(
    [
        *("shop", "private", "*", "../private", "/etc", "~", "link", "link/secret.py", "../../../../etc/passwd"),
        *("'; DROP SCHEMA cocosearch_py CASCADE; --", "%s%s%s", "{}", "$$", "\0", "a" * 2000, "**/*"),
        *("[", "{a,b", "(?P<", "lang:python", "path:../private", "-path:**", "name:*", "kind:function", "🐍", "\u202e"),
        *(SECRET, "cart", "apply_discount", "", " ", "\n", "1", "true", "null", "NaN", "C:\\Windows", "file:///etc"),
    ]
)
TEXT = HOSTILE | st.text(max_size=40)
NUMBERS = st.integers() | st.sampled_from([-1, 0, 1, 100, 2**31, 2**63, 10**30]) | st.floats(allow_nan=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OF_TYPE = {
    "str": TEXT,
    "int": NUMBERS,
    "float": NUMBERS,
    "bool": st.booleans(),
    "list[str]": st.lists(TEXT, max_size=4),
}


def _of_kind(kind: Any) -> st.SearchStrategy[Any]:
    """Values that a parameter's type allows."""
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind)) | TEXT
    kinds = (kind,) if get_origin(kind) is list else get_args(kind) or (kind,)
    names = ["list[str]" if get_origin(one) is list else one.__name__ for one in kinds]
    return st.one_of(*(OF_TYPE.get(name, st.none()) for name in names))


KNOWN = {
    operation.name: {one.name: _of_kind(one.type) for one in operation.parameters if one.about is not None}
    for operation in all_tools()
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool and arguments: mostly known names with values of the right kind, mutated."""
    name = draw(st.sampled_from(list(KNOWN)) | TEXT)
    parameters = KNOWN.get(name, {"query": TEXT, "index_name": TEXT})
    arguments: dict[str, Any] = {}
    for parameter in draw(st.lists(st.sampled_from([*parameters]), max_size=6, unique=True)) if parameters else []:
        arguments[parameter] = draw(parameters[parameter])
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(TEXT | st.sampled_from(["query", "limit", "path", "unknown"]))] = draw(VALUES)
    if name in ("search_code", "analyze_query"):
        arguments.setdefault("query", draw(TEXT))
        arguments.setdefault("index_name", "shop")
    if name == "index_codebase":
        arguments.setdefault("path", draw(TEXT))
        arguments["wait_s"] = draw(st.sampled_from([0, 20, -1, 1e300]))
    return name, arguments


@pytest.fixture
def hostile_site(make: Callable[..., FastMCP], app: App, shop: Path) -> Path:
    """The sample as the only root, with a link that leads to an index outside it."""
    private = shop.parent / "private"
    private.mkdir()
    (private / "secret.py").write_text(f"def {SECRET}():\n    return 'found'\n")
    (shop / "link").symlink_to(private)
    app.index(private)
    return private


@pytest.fixture
def ask(make: Callable[..., FastMCP], hostile_site: Path, shop: Path) -> Iterator[Callable[[str, dict[str, Any]], str]]:
    """Calls a tool over one session that stays open, and returns the text of the answer."""
    server = make(roots=(shop,))
    with anyio.from_thread.start_blocking_portal() as portal:
        client = portal.call(_opened, server)

        def ask(name: str, arguments: dict[str, Any]) -> str:
            pending: Future[str] = portal.start_task_soon(_text, client, name, arguments)
            return pending.result(CALL_TIMEOUT_S)

        yield ask
        portal.call(client.close)


async def _opened(server: FastMCP) -> Any:
    client = Client(server, mode="legacy")
    await client.__aenter__()
    return client


async def _text(client: Any, name: str, arguments: dict[str, Any]) -> str:
    result = await client.call_tool_mcp(name, arguments)
    assert len(result.content) == 1
    return str(result.content[0].text)


def test_no_call_breaks_out(
    ask: Callable[[str, dict[str, Any]], str], app: App, shop: Path, hostile_site: Path
) -> None:
    @settings(max_examples=CALLS, suppress_health_check=list(HealthCheck))
    @given(calls())
    def attack(one: tuple[str, dict[str, Any]]) -> None:
        name, arguments = one
        text = ask(name, arguments)
        if name == "clear_index":
            app.index(shop, name="shop")  # the next calls need something to find
        payload = json.loads(text)
        assert isinstance(payload, dict | list)
        assert "Traceback" not in text
        assert "internal error" not in text, one
        assert "def " + SECRET not in text, one
        if str(hostile_site) not in json.dumps(arguments):
            assert str(hostile_site) not in text, one

    attack()
    assert "private" in {record.name for record in app.catalog.list_all()}
    app.index(shop, name="shop")
    assert "apply_discount" in ask("search_code", {"query": "apply_discount", "index_name": "shop"})
