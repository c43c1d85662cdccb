"""The command line as a user meets it: a process of its own, with an environment of its own."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests import forking
from tests.forking import SOURCE

from cocosearch_py.storage.server.embedded import EmbeddedServer

TIMEOUT_S = 120  # far above what any command needs; ends a hanging one


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The last line of standard error, which is the error object when the output is JSON."""
        return json.loads(self.err.strip().splitlines()[-1])


Cli = Callable[..., Result]


@pytest.fixture(scope="session")
def environment(data_folder: Path, server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of every command of this session, whose server runs already."""
    names = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name in names or name.startswith("COVERAGE_")}
    home = tmp_path_factory.mktemp("home")
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": str(SOURCE),
        "COCOSEARCH_DATA_DIR": str(data_folder),
        "COLUMNS": "120",
        "PAGER": "cat",
        "VISUAL": "true",
    }


@pytest.fixture(scope="session")
def cli(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """Run a command; fails when the exit code is not the expected one or a traceback shows."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(
        *arguments: str | Path,
        code: int = 0,
        cwd: Path = elsewhere,
        env: dict[str, str] | None = None,
        stdin: str = "",
    ) -> Result:
        done = forking.run(
            [sys.executable, "-m", "cocosearch_py", *map(str, arguments)],
            cwd=cwd,
            env={**environment, **(env or {})},
            input=stdin,
            timeout=TIMEOUT_S,
            text=True,
            encoding="utf-8",
        )
        result = Result(done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in result.err, result.err
        assert result.code == code, result
        return result

    return run


@pytest.fixture(scope="session")
def shop(cli: Cli, tmp_path_factory: pytest.TempPathFactory, write_sample: Callable[[Path], Path]) -> Path:
    """The sample project, indexed as `shop` in the embedded database."""
    folder = write_sample(tmp_path_factory.mktemp("projects") / "shop")
    (folder / ".gitignore").write_text("build/\n")
    (folder / "build").mkdir()
    (folder / "build" / "made.py").write_text("made = True\n")
    (folder / "broken.py").write_text("def broken(:\n    return (\n")
    (folder / "empty.py").write_text("")
    cli("index", folder)
    return folder
