"""What the scripts here share: Node's programs, a sample index, server processes that end, a table."""

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
NODE = "node@22"  # the suite and the inspector need 22.19 or newer
INSTALL_TIMEOUT_S = 600
START_TIMEOUT_S = 90
STOP_TIMEOUT_S = 30
INDEX = "sample"
_SAMPLE = {
    "shop/cart.py": "class Cart:\n    def apply_discount(self, percent: int) -> None:\n        self.part = percent\n",
    "shop/retry.py": 'def retry_with_backoff(call):\n    """Call again after a growing pause."""\n    return call()\n',
    "web/money.ts": "export function formatPrice(cents: number): string {\n  return (cents / 100).toFixed(2);\n}\n",
}


@contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """The folder for everything that a run downloads or writes: the given one, which stays, or a temporary one."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o755)  # the account that runs PostgreSQL for root must be able to enter
        yield Path(made)


@dataclass(frozen=True, slots=True)
class Programs:
    """Node packages in a folder of their own."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """With our node before any other, and the inspector's own files in our folder."""
        node = self.folder / "node_modules" / "node" / "bin"
        return {
            **os.environ,
            "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', '')}",
            "MCP_CATALOG_PATH": str(self.folder / "catalog.json"),
        }

    def run(self, program: str, arguments: Sequence[str], timeout_s: float) -> "subprocess.CompletedProcess[str]":
        """Run an installed program to its end; code 124 when it took too long."""
        command = ["node", str(self.folder / "node_modules" / ".bin" / program), *arguments]
        try:
            return subprocess.run(
                command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", f"{program} did not end within {timeout_s:.0f} s")


def install(folder: Path, packages: Sequence[str]) -> Programs:
    """Install node and packages from npm, unless an earlier run did."""
    programs = Programs(folder)
    done = folder / "installed.txt"
    wanted = "\n".join([NODE, *packages])
    if done.exists() and done.read_text() == wanted:
        return programs
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}")
    for part in ([NODE], list(packages)):  # the second with the node of the first
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", *part],
            cwd=folder,
            env=programs.environment,
            stdout=subprocess.DEVNULL,
            timeout=INSTALL_TIMEOUT_S,
            check=True,
        )
    done.write_text(wanted)
    return programs


@dataclass(frozen=True, slots=True)
class Sample:
    """A small indexed project, and the environment of a server that serves it."""

    folder: Path
    environment: Mapping[str, str]

    def command(self, *arguments: str) -> list[str]:
        """Command line of the product."""
        return [sys.executable, "-m", "cocosearch_py", *arguments]


@contextmanager
def sample(work: Path) -> Iterator[Sample]:
    """The sample project, indexed; on a PostgreSQL of its own unless the environment names one."""
    folder = work / "project"
    for name, content in _SAMPLE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH", "")]))
    made = Sample(folder, {**os.environ, "PYTHONPATH": path, "COCOSEARCH_DATA_DIR": str(work / "data")})
    index = made.command("index", str(folder), "--name", INDEX, "--quiet")
    subprocess.run(
        index, env=made.environment, stdout=subprocess.DEVNULL, timeout=START_TIMEOUT_S, check=True, cwd=work
    )
    try:
        yield made
    finally:
        with suppress(subprocess.SubprocessError):
            stop = made.command("db", "stop")
            subprocess.run(stop, env=made.environment, capture_output=True, timeout=STOP_TIMEOUT_S, check=False)


@contextmanager
def serving(command: Sequence[str], environment: Mapping[str, str], cwd: Path) -> Iterator[str]:
    """Run an HTTP server process; yields http://127.0.0.1:PORT, which it says on standard error."""
    process = subprocess.Popen(command, env=environment, cwd=cwd, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    killer = threading.Timer(START_TIMEOUT_S, process.kill)
    killer.start()
    try:
        address, said = "", []
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                address = found[0]
                break
        killer.cancel()
        if not address:
            raise RuntimeError("the server did not start: " + "".join(said[-5:]))
        threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
        yield address
    finally:
        killer.cancel()
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns, the first row as head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([title, lines[0], "-" * max(len(line) for line in lines), *lines[1:]])
