"""`watch`, `index --watch`: a process that follows a folder until it is told to end."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer

import pytest

TIMEOUT_S = 120  # far above what any command needs; ends a hanging one
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts a command with pipes; whatever still runs at the end is killed."""
    started: list[tuple[subprocess.Popen[str], Timer]] = []

    def start(*arguments: str | Path, cwd: Path | None = None) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "cocosearch_py", *map(str, arguments)],
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        hanging = Timer(TIMEOUT_S, process.kill)
        hanging.start()
        started.append((process, hanging))
        return process

    yield start
    for process, hanging in started:
        hanging.cancel()
        hanging.join()
        process.kill()
        process.communicate()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / f"watched-{tmp_path.name}"
    folder.mkdir()
    (folder / "a.py").write_text("def count_sheep(): ...\n")
    return folder


def follows(process: "subprocess.Popen[str]") -> None:
    """Wait until the first run is over and the folder is followed."""
    assert process.stderr is not None
    while "watching" not in (line := process.stderr.readline()):
        assert line, "it ended"


@pytest.mark.parametrize(("command", "number"), [(["watch"], signal.SIGINT), (["index", "--watch"], signal.SIGTERM)])
def test_each_run_is_a_line_until_a_signal(start, cli, folder, command, number):
    process = start("--json", *command, folder, "--debounce-ms", "100")
    assert json.loads(process.stdout.readline())["stats"]["files_added"] == 1
    follows(process)
    (folder / "b.py").write_text("def count_goats(): ...\n")
    assert json.loads(process.stdout.readline())["stats"]["files_added"] == 1
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err
    assert cli("search", "count goats", cwd=folder).json[0]["file_path"] == str(folder / "b.py")


def test_settings_that_change_are_followed(start, cli, folder):
    """Settings that cannot be read change nothing; others hold for all files at once, and for what is followed."""

    def counts() -> tuple[int, int]:
        stats = json.loads(process.stdout.readline())["stats"]
        return stats["files_added"], stats["files_updated"]

    (folder / "docs").mkdir()
    (folder / "docs/b.py").write_text("def count_goats(): ...\n")
    settings = folder / "cocosearch-py.yaml"
    settings.write_text("indexing: {excludePatterns: [docs/]}\n")
    process = start("--json", "watch", folder, "--debounce-ms", "100")
    assert counts() == (2, 0)
    follows(process)
    (folder / "c.py").write_text("def count_cows(): ...\n")
    assert counts() == (1, 0)
    settings.write_text("indexing: {excludePatterns: 7}\n")
    assert counts() == (0, 1)
    settings.write_text("indexing: {excludePatterns: []}\n")
    assert counts() == (1, 1)
    (folder / "docs/d.py").write_text("def count_hens(): ...\n")
    assert counts() == (1, 0)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert err.count("continuing with the previous settings") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("go", [shutil.rmtree, lambda folder: folder.rename(folder.with_name("moved"))])
def test_a_working_folder_that_goes_ends_it(start, folder, go):
    process = start("--json", "watch", ".", cwd=folder)
    follows(process)
    go(folder)
    out, err = process.communicate(timeout=60)
    assert len(out.splitlines()) == 1
    assert json.loads(err)["error_type"] == "workspace_error"


def test_people_read_a_sentence(start, folder):
    process = start("--pretty", "watch", folder)
    line = process.stdout.readline()
    assert f"{folder.name}: 1 added in" in line
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def test_a_folder_that_is_not_there_is_an_error(cli, tmp_path):
    assert cli("watch", tmp_path / "none", code=1).error["error_type"] == "workspace_error"


def test_a_dry_run_is_not_followed(cli, folder):
    error = cli("index", folder, "--watch", "--dry-run", code=2).error
    assert "--dry-run" in error["error"]
