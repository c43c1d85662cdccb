"""The first day of a new user: commands typed in a shell, and all that the terminal shows.

Each file of `first_day/` is one session. Its first line gives the width of the terminal; lines that begin with `$ ` are
typed by people, the rest is output. Times, sizes, identifiers and the name of the temporary folder are masked. After a
change that is meant, read the whole of what

    python -m pytest tests/golden --update-goldens

writes, as a person would who sees the program for the first time.
"""

import difflib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.golden.test_ranking import HERE, lay_out
from tests.terminals import run_on_terminal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="temporary folders have longer names elsewhere")

REPOSITORIES = ("bakery", "foundry", "harbour")
SESSIONS = sorted((HERE / "first_day").glob("*.txt"))
ROWS = 40
_PROGRESS = re.compile(r"^[\u2800-\u28ff] .*\n", re.MULTILINE)  # of a spinner, erased when the work is done
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07)|[^\n]*\r(?!\n)")
_MASKED = (
    (r"\b\d+(\.\d+)? ms\b", "N ms"),
    (r"\b\d+\.\d s\b", "N s"),
    (r"\b\d+(\.\d)? [KM]B\b", "N MB"),
    (r"\b\d{4}-\d\d-\d\d(T[\d:]+Z| [\d:]+)?", "DATE"),
    (r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b", "ID"),
    (r"\b[0-9a-f]{12}\b", "JOB"),
    (r"(_ms +)[\d.]+", r"\1N"),
    (r"(completed +\d+ +)[\d.]+", r"\1N"),
)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home folder with three repositories. Its path always has the same length, which decides where lines break."""
    with tempfile.TemporaryDirectory(prefix="home", dir="/tmp") as folder:
        for name in REPOSITORIES:
            lay_out((HERE / "repositories" / f"{name}.txt").read_text(encoding="utf-8"), Path(folder) / "you" / name)
        yield Path(folder) / "you"


@pytest.fixture
def environment(home: Path, data_folder: Path, database_url: str) -> dict[str, str]:
    """A new user's environment, with `cocosearch-py` on the path and an empty database."""
    programs = home.parent / "bin"
    programs.mkdir()
    (programs / "cocosearch-py").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cocosearch_py "$@"\n')
    (programs / "cocosearch-py").chmod(0o755)
    return {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PAGER": "cat",
        "COCOSEARCH_DATA_DIR": str(data_folder),
        "COCOSEARCH_DATABASE_URL": database_url,
    }


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_what_a_new_user_sees(
    session: Path, home: Path, environment: dict[str, str], request: pytest.FixtureRequest
) -> None:
    before = session.read_text(encoding="utf-8")
    first, _, rest = before.partition("\n")
    columns = int(re.findall(r"\d+", first)[0])
    folder, shown = home, [first]
    for typed in re.findall(r"^\$ (.*)$", rest, re.MULTILINE):
        shown.append(f"\n$ {typed}")
        if typed.startswith("cd "):
            folder = (folder / typed.removeprefix("cd ")).resolve()
            continue
        code, output = run_on_terminal(
            subprocess.Popen, ["bash", "-c", typed], environment, rows=ROWS, columns=columns, cwd=folder
        )
        shown += [masked(output, home).rstrip(), *([f"[exit code {code}]"] if code else [])]
    after = "\n".join(shown) + "\n"
    if request.config.getoption("--update-goldens"):
        session.write_text(after, encoding="utf-8")
        return
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), "golden", "now", lineterm="", n=4)
    difference = "\n".join(changes)
    assert not difference, f"a new user sees something else (`--update-goldens` writes it down):\n{difference}"


def masked(output: str, home: Path) -> str:
    """The text that stays on the screen, without what differs from run to run."""
    text = _PROGRESS.sub("", _ESCAPES.sub("", output)).replace(str(home), "/home/you")
    for pattern, mask in _MASKED:
        text = re.sub(pattern, mask, text)
    return "\n".join(line.rstrip() for line in text.splitlines())
