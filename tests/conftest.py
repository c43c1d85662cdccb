"""Fixtures for all tests: one embedded server per session, one database per test, a small repository."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg.conninfo import make_conninfo
from tests import forking
from tests.signals import default_signals_for_children

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.jobs import spawn
from cocosearch_py.model.process import is_gone
from cocosearch_py.storage import migrate
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.database import Database, DatabaseOptions
from cocosearch_py.storage.server.embedded import EmbeddedServer

TEMPLATE = "template_cocosearch"
MEMORY_BYTES = 4 * 2**30  # several processes have a server each
_START = """
import pathlib, sys
from cocosearch_py.storage.server import embedded
embedded.ensure_running(embedded.locate(pathlib.Path(sys.argv[1])))
"""
_numbers = count(1)

pytest_plugins = ["pytester", "tests.quarantine"]

# A busy machine is no failure: neither an example nor its making has a time limit.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.register_profile("repeatable", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the rankings of tests/golden as they are now")
    parser.addoption("--server", metavar="URL", help="test with this PostgreSQL, as a superuser")
    parser.addoption("--fuzz-examples", type=int, default=50, help="inputs of each target in tests/fuzz")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the person who runs the tests decides anything."""
    for name in list(os.environ):
        if name.startswith(("COCOSEARCH_", "PG", "FASTEMBED_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _default_signals() -> Iterator[None]:
    """Give the programs that tests start the default signals, also under `nohup` and in the background."""
    with default_signals_for_children():
        yield


@pytest.fixture(autouse=True)
def _forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that tests start begin in a tenth of the time."""
    monkeypatch.setattr(spawn, "subprocess", forking)


@pytest.fixture(scope="session")
def memory() -> Path | None:
    """A folder in memory for data of servers, where there is room; there a copy of a database costs far less."""
    folder = Path("/dev/shm")
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < MEMORY_BYTES:
        return None
    return folder


@pytest.fixture(scope="session")
def data_folder(memory: Path | None) -> Iterator[Path]:
    """The data folder of this test session; its server is stopped and everything removed at the end."""
    # A short name: a socket's path has at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="cs-tests-", dir=memory))
    folder.chmod(0o755)  # as root the server runs under another account, which has to get in
    yield folder
    embedded.stop(embedded.locate(folder))
    shutil.rmtree(folder, ignore_errors=True)
    home = embedded.locate(folder).home
    if home.exists():
        shutil.rmtree(home, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class ServerElsewhere:
    """The server of `--server`, as far as tests use the embedded one through `dsn`."""

    url: str

    def dsn(self, database: str = embedded.DATABASE_NAME) -> str:
        return make_conninfo(self.url, dbname=database)


@pytest.fixture(scope="session")
def server(data_folder: Path, request: pytest.FixtureRequest) -> Iterator[EmbeddedServer | ServerElsewhere]:
    """The running server of this session."""
    if given := request.config.getoption("--server"):
        yield ServerElsewhere(given)
        return
    # Started by another process, as for users: its watcher stops the server even when the tests are killed.
    subprocess.run([sys.executable, "-c", _START, str(data_folder)], check=True)
    found = embedded.locate(data_folder, idle_stop_s=0)
    with psycopg.connect(found.dsn("postgres"), autocommit=True) as conn:
        conn.execute("ALTER SYSTEM SET fsync = off")  # nothing here has to outlive a power failure
        conn.execute("SELECT pg_reload_conf()")
        yield found  # connected: its watcher would stop it during a long row of tests without a database


@pytest.fixture(scope="session")
def template(server: EmbeddedServer) -> str:
    """A migrated database without indexes, to be cloned."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE IF EXISTS "{TEMPLATE}"')  # of another session, on a server elsewhere
        conn.execute(f'CREATE DATABASE "{TEMPLATE}"')
    migrate.upgrade(server.dsn(TEMPLATE))
    return TEMPLATE


@pytest.fixture
def database_url(server: EmbeddedServer, template: str) -> Iterator[str]:
    """URL of a fresh, migrated database of this test alone."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        # Without fsync a copy of the files takes two thirds of the time that a copy through the log does.
        conn.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    yield url_of(server, name)
    end_workers(server.dsn(name))
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def database(database_url: str, data_folder: Path) -> Iterator[Database]:
    """A `Database` on a fresh, migrated database of this test alone."""
    with Database(DatabaseOptions(data_folder, url=database_url)) as opened:
        yield opened


@pytest.fixture
def app(database_url: str, data_folder: Path) -> Iterator[App]:
    """An `App` on a fresh database, with one worker process at most."""
    settings = Settings(database=DatabaseSettings(url=database_url), indexing=IndexingSettings(workers=1))
    with App(settings, data_folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def write_sample() -> Callable[[Path], Path]:
    """Writes the small project into a folder and returns that folder."""

    def write(folder: Path) -> Path:
        for name, text in SAMPLE.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def sample_repo(tmp_path: Path, write_sample: Callable[[Path], Path]) -> Path:
    """A small project in four languages."""
    return write_sample(tmp_path / "shop")


@pytest.fixture
def git_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Puts a git before the real one that counts; returns the commands that ran since it was last asked."""
    real, log, folder = shutil.which("git"), tmp_path / "git-runs", tmp_path / "counting"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\necho \"$*\" >> '{log}'\nexec '{real}' \"$@\"\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def read() -> list[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    return read


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Fails a test that waits for what never comes, such as the other end of a named pipe."""

    def fail(*_: object) -> None:
        pytest.fail("the test hangs")

    earlier = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, earlier)


def end_workers(dsn: str) -> None:
    """End the workers that have begun on a database; one that begins later finds it gone, and ends."""
    with psycopg.connect(dsn) as conn:
        if conn.execute("SELECT to_regclass('cocosearch_py.workers')").fetchone() == (None,):
            return
        found = [row[0] for row in conn.execute("SELECT process FROM cocosearch_py.workers")]
    for process in found:
        if process and not is_gone(process):
            with suppress(ProcessLookupError):
                os.kill(int(process.split("/")[1]), signal.SIGKILL)


def url_of(server: EmbeddedServer | ServerElsewhere, database: str) -> str:
    """postgresql:// URL of a database of the server."""
    if isinstance(server, ServerElsewhere):
        return urlsplit(server.url)._replace(path=f"/{database}").geturl()
    host = quote(str(server.socket_dir), safe="")
    return f"postgresql://{embedded.SUPERUSER}@/{database}?host={host}&port={embedded.PORT}"


SAMPLE = {
    "shop/cart.py": '''"""The shopping cart."""

from shop.prices import Money


class Cart:
    """Holds what a customer wants to buy."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int, Money]] = []

    def add_item(self, sku: str, count: int, price: Money) -> None:
        """Put an article into the cart."""
        self.lines.append((sku, count, price))

    def total_price(self) -> Money:
        """Sum up all lines of the cart."""
        total = Money(0)
        for _, count, price in self.lines:
            total = total + price * count
        return total
''',
    "shop/prices.py": '''"""Money without floating point."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Money:
    """An amount in cents."""

    cents: int

    def __add__(self, other: "Money") -> "Money":
        return Money(self.cents + other.cents)

    def __mul__(self, factor: int) -> "Money":
        return Money(self.cents * factor)
''',
    "shop/discounts.py": '''"""What customers pay less."""

from shop.prices import Money


def apply_discount(price: Money, percent: int) -> Money:
    """Reduce a price by a percentage, rounded down to whole cents."""
    return Money(price.cents * (100 - percent) // 100)
''',
    "web/session.js": """// Keeps people logged in.
export class SessionStore {
  constructor(timeoutMs) {
    this.timeoutMs = timeoutMs;
    this.sessions = new Map();
  }

  validateToken(token) {
    const session = this.sessions.get(token);
    if (!session || Date.now() - session.seen > this.timeoutMs) {
      throw new Error("session expired");
    }
    return session.user;
  }
}
""",
    "server/retry.go": """package server

import "time"

// RetryWithBackoff calls work until it succeeds, waiting longer after every failure.
func RetryWithBackoff(attempts int, work func() error) error {
	delay := 100 * time.Millisecond
	var err error
	for i := 0; i < attempts; i++ {
		if err = work(); err == nil {
			return nil
		}
		time.Sleep(delay)
		delay *= 2
	}
	return err
}
""",
    "docs/guide.md": """# Guide

## Discounts

A discount is a percentage of the price of one article.
""",
}
