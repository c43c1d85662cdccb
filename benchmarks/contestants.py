"""Who takes part in `speed.py`: this program, semble and codegraph, each over its own copies of the same folders.

A contestant indexes by command, one for each folder, and most also in one process, driven through its standard input.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Each prints "ready" when it may be given a round, "done" after it; a round is one line.
_OURS = """
import sys
from pathlib import Path
from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
with App(Settings(), Path(sys.argv[1])) as app:
    app.database.start()
    app.embedder
    print("ready", flush=True)
    for _ in sys.stdin:
        for report in app.index_each(map(Path, sys.argv[2:])):
            if isinstance(report, Exception):
                raise report
        print("done", flush=True)
        print("ready", flush=True)
"""
# Saving is not counted, since the program itself keeps an index in memory; what is saved makes later rounds fast.
_SEMBLE = """
import sys
from semble import SembleIndex
from semble.cache import save_index_to_cache
print("ready", flush=True)
for _ in sys.stdin:
    made = [(SembleIndex.from_path(folder, model_path=sys.argv[1]), folder) for folder in sys.argv[2:]]
    print("done", flush=True)
    for index, folder in made:
        save_index_to_cache(index, folder)
    del made
    print("ready", flush=True)
"""
_STOP = """
import sys
from pathlib import Path
from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.storage.server.administration import stop_server
stop_server(App(Settings(), Path(sys.argv[1])).database)
"""


@dataclass(frozen=True, slots=True)
class Contestant:
    """How one program is called. Its state, also the copies of the folders, is below `home`."""

    name: str
    home: Path
    command: Callable[[Path, bool], Sequence[str]]  # of a folder; whether it was indexed before
    driver: Sequence[str] | None = None  # indexes in one process the folders behind it
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Sequence[str] | None = None  # before anything is measured
    finish: Sequence[str] | None = None

    def run(self, command: Sequence[str] | None) -> None:
        if command is not None:
            subprocess.run(command, env=self.variables, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    @property
    def variables(self) -> dict[str, str]:
        return {**os.environ, "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home), **self.environment}


def ours(home: Path) -> Contestant:
    """This program, with a database of its own that runs before the first round."""
    data, empty = home / "data", home / "one-file"
    empty.mkdir(parents=True)
    (empty / "one.py").write_text("one = 1\n", encoding="utf-8")
    program = [sys.executable, "-m", "cocosearch_py", "--json", "--quiet", "index"]
    return Contestant(
        "ours",
        home,
        lambda folder, _: [*program, str(folder)],
        [sys.executable, "-c", _OURS, str(data)],
        {"COCOSEARCH_DATA_DIR": str(data)},
        prepare=[*program, str(empty)],
        finish=[sys.executable, "-c", _STOP, str(data)],
    )


def semble(home: Path, python: Path, model: Path) -> Contestant:
    """semble in the environment of `python`, with the static table of folder `model`. It indexes when it searches."""
    program = str(python.parent / "semble")
    return Contestant(
        "semble",
        home,
        lambda folder, _: [program, "search", "parse the configuration", str(folder), "--max-snippet-lines", "0"],
        [str(python), "-c", _SEMBLE, str(model)],
        {"SEMBLE_MODEL_NAME": str(model), "SEMBLE_CACHE_LOCATION": str(home / "semble")},
    )


def codegraph(home: Path, program: Path) -> Contestant:
    """codegraph, which has commands only."""
    return Contestant(
        "codegraph",
        home,
        lambda folder, known: [str(program), *(["sync", str(folder)] if known else ["init", str(folder), "--yes"])],
        environment={"CODEGRAPH_TELEMETRY": "0", "DO_NOT_TRACK": "1", "CODEGRAPH_NO_DAEMON": "1"},
    )
