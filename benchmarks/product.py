"""A version of the program as its users meet it: commands, servers over stdio, and its database."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

SOURCE = Path(__file__).parents[1] / "src"
GIT = ("git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost", "-c", "commit.gpgsign=false")
LEGACY, STATELESS = "2025-11-25", "2026-07-28"  # protocol eras: sessions, and none
CLIENT = {"name": "benchmark", "version": "1"}


class Product:
    """One version, with a data folder and a database of its own.

    Args:
        source: its `src` folder.
        scratch: temporary folder, for everything that a benchmark needs.
        data: folder that keeps the indexes, instead of the temporary one.
    """

    def __init__(self, source: Path, scratch: Path, data: Path | None = None) -> None:
        self.source = source
        self.scratch = scratch
        self.data = (data.resolve() if data else scratch) / "data"
        self._url = ""
        self.program = [sys.executable, "-P", "-m", "cocosearch_py"]
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(source),
            "COCOSEARCH_DATA_DIR": str(self.data),
            "XDG_CONFIG_HOME": str(scratch / "config"),
            "PYTHONDONTWRITEBYTECODE": "",  # modules are compiled once, as in an installation
            "PYTHONPYCACHEPREFIX": str(scratch / "compiled"),
        }

    def __enter__(self) -> "Product":
        self.data.mkdir(parents=True, exist_ok=True)
        self.run("db", "stop")  # one that starts here counts as below this process
        self.run("db", "start")
        return self

    def __exit__(self, *_: object) -> None:
        self.run("db", "stop")

    def run(self, *arguments: str | Path, folder: Path | None = None) -> Any:
        """Answer of a command as JSON; raise RuntimeError if it fails."""
        process = self.start(*arguments, folder=folder, stderr=subprocess.PIPE)
        output, errors = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{arguments}: {(errors or output)[-500:]}")
        return json.loads(output) if output.strip() else None

    def start(self, *arguments: str | Path, folder: Path | None = None, **more: Any) -> "subprocess.Popen[str]":
        """Start a command that prints JSON."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL} | more
        command = [*self.program, "--json", "--quiet", *map(str, arguments)]
        return subprocess.Popen(command, cwd=folder or self.scratch, env=self.environment, text=True, **streams)

    def index(self, folder: Path, name: str, *flags: str) -> dict[str, Any]:
        """Index a folder, and return what the run did."""
        stats: dict[str, Any] = self.run("index", folder.resolve(), "--name", name, "--yes", *flags)["stats"]
        return stats

    def copy(self, folder: Path, name: str = "folder") -> Path:
        """Copy a folder into the temporary one, without the history."""
        target = self.scratch / name
        shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        return target

    @contextmanager
    def server(self, folder: Path, *options: str) -> "Iterator[Server]":
        """MCP server over stdio that works in a folder."""
        server = Server([*self.program, "mcp", *options], folder, self.environment)
        try:
            server.initialize()
            yield server
        finally:
            server.end()

    def connect(self) -> "psycopg.Connection[Any]":
        """Connection to the database, whose server is started if it is away."""
        if self._url:
            with suppress(psycopg.OperationalError):
                return psycopg.connect(self._url, autocommit=True)
        self._url = self.run("db", "url")["url"]
        return psycopg.connect(self._url, autocommit=True)


class Server:
    """MCP server over stdio, with one client."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self._number = 0

    def initialize(self) -> None:
        self.ask("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        """Answer of a tool; raise RuntimeError if it is an error."""
        text, is_error = self.answer(tool, arguments)
        if is_error:
            raise RuntimeError(f"{tool}: {text[:300]}")
        return json.loads(text)

    def answer(self, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """Text of a tool's answer, and whether the answer is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "content" not in result:  # the call itself was refused
            return json.dumps(result), True
        return str(result["content"][0]["text"]), bool(result.get("isError"))

    def pages(self, tool: str, items: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Items of all pages of an answer."""
        cursor: dict[str, str] = {}
        while True:
            answer = self.call(tool, **arguments, **cursor)
            yield from answer[items]
            if not answer.get("next_cursor"):
                return
            cursor = {"cursor": answer["next_cursor"]}

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Result of a request, or its error; raise ConnectionError if the server ends."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                result: dict[str, Any] = message.get("result") or message["error"]
                return result
        raise ConnectionError("the server ended")

    def end(self) -> None:
        """Close the pipes, which ends the server, and wait."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def commit_all(folder: Path) -> None:
    """Make a folder a git repository whose only commit has all files."""
    for step in (["init", "-q"], ["add", "-Af"], ["commit", "-qm", "all files"]):
        subprocess.run([*GIT, *step], cwd=folder, check=True)


def table_rows(connection: "psycopg.Connection[Any]", name: str, left_out: Iterable[str] = ()) -> dict[str, Any]:
    """Rows of an index by table, as texts with their numbers, without the index's number and times of files."""
    skipped = {"index_id", "mtime_ns", *left_out}
    columns: dict[str, list[str]] = {}
    query = """
        SELECT c.table_name, c.column_name FROM information_schema.columns c
        JOIN pg_partitioned_table p ON p.partrelid = format('cocosearch_py.%I', c.table_name)::regclass
        WHERE c.table_schema = 'cocosearch_py' ORDER BY 1, c.ordinal_position
    """
    for table, column in connection.execute(query):
        columns.setdefault(table, []).append(column)
    index_id = index_number(connection, name)
    result = {}
    for table, names in columns.items():
        shown = ", ".join(f'r."{column}"' for column in names if column not in skipped)
        found = connection.execute(
            f'SELECT ROW({shown})::text FROM cocosearch_py."{table}" r WHERE index_id = %s'.encode(), [index_id]
        )
        result[table] = Counter(row[0] for row in found)
    return result


def index_number(connection: "psycopg.Connection[Any]", name: str) -> int | None:
    """Number of an index in the database; None if there is no such index."""
    row = connection.execute("SELECT index_id FROM cocosearch_py.indexes WHERE name = %s", [name]).fetchone()
    return row and int(row[0])


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    """Tables whose rows differ, with an example."""
    for table in sorted(ours.keys() | theirs.keys()):
        missing, added = theirs[table] - ours[table], ours[table] - theirs[table]
        if missing or added:
            example = next(iter(missing or added))[:300]
            yield f"{table}: {missing.total()} rows missing, {added.total()} added, such as {example}"
