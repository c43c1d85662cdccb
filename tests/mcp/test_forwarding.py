"""Commands that a server elsewhere runs: what it answers, its paths as those of this machine, and what goes wrong."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests import forking
from tests.answering import answered, answering

from cocosearch_py.app import App
from cocosearch_py.cli import remote
from cocosearch_py.errors import ServiceError

TIMEOUT_S = 60  # far above what is needed
TOKEN = "correct-horse-battery"
CLOSED = "http://127.0.0.1:1"  # port 1 is never open
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(tmp_path: Path, sample_repo: Path, write_sample: Callable[[Path], Path]) -> Path:
    """The project as this machine has it; `sample_repo` is the same one where the server is."""
    return write_sample(tmp_path / "here/src/shop")


@pytest.fixture
def address(start: Callable[..., "subprocess.Popen[bytes]"], app: App, sample_repo: Path) -> str:
    """Address of a server that asks for a token; the project is indexed as `shop`."""
    app.index(sample_repo, name="shop")
    process = start("-t", "http", "-p", "0", "--root", str(sample_repo.parent), cwd=sample_repo.parent,
                    COCOSEARCH_AUTH_TOKEN=TOKEN)  # fmt: skip
    assert process.stderr is not None
    found = re.search(rb"(http://127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert found is not None
    return found[1].decode()


@pytest.fixture
def run(process_environment: dict[str, str], here: Path, sample_repo: Path, tmp_path: Path) -> Run:
    """Runs a command in the project with a server's address, and no database of its own."""

    def run(*words: str, url: str, code: int = 0, cwd: Path = here, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **process_environment,
            "COCOSEARCH_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
            "COCOSEARCH_DATA_DIR": str(tmp_path / "no-data"),
            "COCOSEARCH_SERVER_URL": url,
            "COCOSEARCH_AUTH_TOKEN": TOKEN,
            "COCOSEARCH_PATH_PREFIX": f"{here.parent}:{sample_repo.parent}",
            **more,
        }
        command = [sys.executable, "-m", "cocosearch_py", *words]
        done = forking.run(command, cwd=cwd, env=environment, text=True, timeout=240)
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stderr
        assert not (tmp_path / "no-data").exists()
        return done

    return run


def error_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(done.stderr.strip().splitlines()[-1])
    assert TOKEN not in done.stderr
    return told


def test_commands_run_there_and_name_paths_as_they_are_here(
    app: App, run: Run, address: str, here: Path, sample_repo: Path
) -> None:
    hits = json.loads(run("search", "apply_discount", "--limit", "2", url=address).stdout)
    found = [hit for hit in hits if "file_path" in hit]
    assert found[0]["file_path"] == str(here / "shop/discounts.py")
    assert 0 < len(found) <= 2
    assert str(sample_repo) not in json.dumps(hits)
    (item,) = json.loads(run("list", url=address).stdout)
    assert (item["name"], item["root_path"]) == ("shop", str(here))
    assert json.loads(run("stats", "shop", url=address).stdout)["root_path"] == str(here)
    read = json.loads(run("read", "shop/cart.py", "-n", "shop", url=f"{address}/mcp").stdout)
    assert "class Cart" in json.dumps(read)
    shown = run("search", "apply_discount", "--pretty", url=address).stdout
    assert re.search(r"^\S*discounts\.py:\d+-\d+  \w+", shown, re.MULTILINE)
    missing = run("read", "no/such.py", "-n", "shop", url=address, code=1)
    assert error_of(missing)["error"].startswith("no/such.py is ")
    figures = run("stats", "shop", "--pretty", url=address).stdout
    assert figures.startswith(f"shop  {here}\n") and "parsed ok" in figures and "root_path" not in figures
    (sample_repo / "new.py").write_text("def only_there(): ...\n")
    done = json.loads(run("index", ".", "--name", "shop", url=address).stdout)
    assert (done["success"], done["path"], done["stats"]["files_added"]) == (True, str(here), 1)
    (job, *_) = json.loads(run("jobs", url=address).stdout)
    assert (job["index_name"], job["state"]) == ("shop", "completed")
    for words in (("log",), ("log", "shop"), ("log", job["job_id"])):
        kinds = [line["kind"] for line in json.loads(run(*words, url=address).stdout)]
        assert kinds == ["queued", "begun", "completed"]
    assert "completed" in run("jobs", "--pretty", url=address).stdout
    several = json.loads(run("index", "docs", "none", url=address, code=1).stdout)["results"]
    assert [one["path"] for one in several] == [str(here / "docs"), str(here / "none")]
    assert [one["success"] for one in several] == [True, False]
    run("clear", several[0]["index_name"], "--force", url=address)
    assert [record.root_path for record in app.catalog.list_all()] == [str(sample_repo)]


def test_what_deletes_asks_and_errors_have_the_codes_they_have_here(app: App, run: Run, address: str) -> None:
    assert error_of(run("clear", "shop", url=address, code=5))["error_type"] == "safety_error"
    assert error_of(run("search", "x", "-n", "gone", url=address, code=3))["error_type"] == "not_indexed"
    assert error_of(run("search", "x", "--lang", "klingon", url=address, code=2))["error_type"] == "validation_error"
    assert json.loads(run("clear", "shop", "--force", url=address).stdout)["deleted"] == ["shop"]
    assert app.catalog.list_all() == []
    assert json.loads(run("restore", "shop", url=address).stdout)["index_name"] == "shop"


def test_what_cannot_be_forwarded_says_so(run: Run, address: str, here: Path, tmp_path: Path) -> None:
    for words, what in (
        (("why", "shop/cart.py"), "`why` cannot be forwarded"),
        (("index", ".", "--watch"), "--watch of `index` cannot be forwarded"),
        (("search", "x", "-i"), "cannot be forwarded"),
    ):
        told = error_of(run(*words, url=address, code=2))
        assert what in told["error"]
        assert "COCOSEARCH_SERVER_URL" in told["hint"]
    (tmp_path / "outside").mkdir()
    told = error_of(run("index", str(tmp_path / "outside"), url=address, code=2))
    assert "the server has no such folder" in told["error"]
    assert "COCOSEARCH_PATH_PREFIX" in told["hint"]


def test_a_server_that_is_down_or_refuses_is_named(run: Run, address: str) -> None:
    down = error_of(run("search", "price", url=CLOSED, code=4))
    assert down["error_type"] == "service_connection_error"
    assert CLOSED in down["error"]
    assert "mcp --transport http" in down["hint"]
    for token, hint in (("", "set COCOSEARCH_AUTH_TOKEN"), ("wrong-horse-battery", "correct COCOSEARCH_AUTH_TOKEN")):
        refused = error_of(run("list", url=address, code=4, COCOSEARCH_AUTH_TOKEN=token))
        assert "refused the request with status 401" in refused["error"]
        assert hint in refused["hint"]
    assert "no such folder" not in error_of(run("list", url=f"{address}/elsewhere", code=4))["error"]
    assert error_of(run("list", url="ftp://host", code=2))["error_type"] == "configuration_error"
    assert error_of(run("list", url=address, code=2, COCOSEARCH_PATH_PREFIX="/only/one"))["error_type"] == (
        "configuration_error"
    )


def discovered(name: str, theirs: str) -> bytes:
    about = {"io.modelcontextprotocol/serverInfo": {"name": name, "version": theirs}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"supportedVersions": [], "_meta": about}}).encode()


WITHOUT_STATE = {"structuredContent": {"state": [], "job_id": 1}}
NESTED = "[" * 500 + "]" * 500


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (discovered("cocosearch-py", "99.1.0"), "runs cocosearch-py 99.1.0, this machine "),
        (discovered("other-program", version("cocosearch-py")), "it identifies itself as other-program"),
        (b"<html>", "not an MCP message"),
        (b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no method"}}', "no method"),
        (b'{"a":' * 100_000, "not an MCP message"),
        (b'{"result": ' + NESTED.encode() + b"}", "not an MCP message"),
        (b'{"result": {"serverInfo": "text"}}', "it identifies itself as ?"),
        (b'{"result": {"_meta": [1]}}', "it identifies itself as ?"),
        (b'{"result": {"serverInfo": {"name": {}, "version": []}}}', "it identifies itself as {}"),
        (answered({"content": [{"text": NESTED}]}), "an unexpected answer"),
        (answered({"content": "text"}), "an unexpected answer"),
        (b"{" + b" " * 20_000_000, "longer than 16 MiB"),
    ],
)
def test_a_server_of_another_kind_or_version_is_told(run: Run, body: bytes, said: str) -> None:
    with answering(body) as (url, _):
        told = error_of(run("list", url=url, code=4))
    assert told["error_type"] == "service_connection_error"
    assert said in told["error"]
    assert url in told["error"]


@pytest.mark.parametrize("answer", [1, "text", [1, {"a": {}}], [{"a": {}}], [{"[/]": 1, "b": "x" * 99}], WITHOUT_STATE])
@pytest.mark.parametrize("form", ["--pretty", "--json"])
def test_an_answer_of_any_type_is_shown(run: Run, answer: object, form: str) -> None:
    with answering(answered(answer)) as (url, _):
        run("list", form, url=url, COLUMNS="40")


def test_an_error_with_details_of_any_type_is_told(run: Run) -> None:
    payload = {"error": ["x"], "error_type": {}, "actionable_guidance": 3, "details": {"would_delete": 7}}
    with answering(answered({"isError": True, "structuredContent": payload})) as (url, _):
        assert error_of(run("list", url=url, code=1))["error"] == "['x']"


@pytest.mark.parametrize("part", ["status", "header", "body"])
def test_an_answer_that_comes_byte_by_byte_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setattr(remote, "TIMEOUT_S", 1.0)
    begun = {"status": b"", "header": b"HTTP/1.1 200 OK\r\n", "body": b"HTTP/1.1 200 OK\r\n\r\n"}[part]
    left = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(begun)
            while not left.wait(0.1):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        dripping = threading.Thread(target=drip, args=[listening])
        dripping.start()
        with pytest.raises(ServiceError, match="timed out"):
            remote.Server(f"http://127.0.0.1:{listening.getsockname()[1]}").check()
        left.set()
        dripping.join(TIMEOUT_S)


def test_the_token_goes_nowhere_else(run: Run) -> None:
    with answering(b"") as (elsewhere, stolen), answering(b"", 307, Location=elsewhere) as (url, tokens):
        assert "status 307" in error_of(run("list", url=url, code=4))["error"]
    assert tokens == [f"Bearer {TOKEN}"]
    assert stolen == []
