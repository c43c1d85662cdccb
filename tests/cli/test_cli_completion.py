"""Completion on Tab, by the scripts that `--install-completion` writes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VARIABLE = "_COCOSEARCH_PY_COMPLETE"


@pytest.fixture
def complete(cli, shop):
    """Return what bash is offered for the last of these words."""
    return lambda *words, **environ: cli(*words, env={VARIABLE: "bash", **environ}).out.split()


def test_commands_and_options_are_completed(complete):
    assert complete("se") == ["search"]
    assert complete("-q", "wiki", "re") == ["read", "record-failure", "remove", "rename", "restore"]
    assert complete("changes", "") == ["undo"]
    assert complete("search", "price", "--lim") == ["--limit"]
    assert complete("search", "--quie") == ["--quiet"]
    assert "--language" not in complete("search", "--l")
    assert complete("db", "stop", "--pre") == ["--pretty"]


def test_values_are_completed(complete):
    assert complete("symbols", "--match", "") == ["auto", "exact", "substring", "fuzzy", "glob"]
    assert complete("files", "--view", "p") == ["paths"]
    assert complete("audit", "--include", "dead-code,d") == ["dead-code,duplicates"]
    assert complete("deps", "x.py", "--type", "c") == ["call"]
    assert complete("index", "--strategy", "t") == ["treesitter", "tokens"]
    assert complete("--log-level", "w") == ["warning"]
    assert complete("search", "--lang", "go,kot") == complete("search", "--language", "go,kot") == ["go,kotlin"]
    assert complete("search", "--limit", "") == complete("read", "src/") == []  # the shell completes files


def test_indexes_of_the_running_server_are_completed(complete, tmp_path):
    for words in (["stats"], ["search", "-n"], ["clear", "other"], ["status"], ["status", "--name"]):
        assert "shop" in complete(*words, "sho")
    assert complete("stats", "", COCOSEARCH_DATA_DIR=str(tmp_path)) == []


def test_zsh_and_fish_get_help_beside_the_words(cli):
    def lines(shell, *words):
        return cli(*words, env={VARIABLE: shell}).out.splitlines()

    assert lines("zsh", "doct")[0].startswith("doctor:Check ")
    assert lines("fish", "doct")[0].startswith("doctor\tCheck ")
    assert lines("zsh", "search", "--lim")[0].startswith("--limit:Maximum ")
    assert lines("zsh", "--vers") == ["--version:Print the version and exit."]
    assert lines("fish", "wi")[0].startswith("wiki\tKeep ")
    assert lines("fish", "read", "src/") == []


def test_the_driver_is_loaded_for_indexes_alone(environment):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cocosearch_py", "search", "--lang", "ko"],
        env={**environment, VARIABLE: "bash"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout.split() == ["kotlin"]
    assert "cocosearch_py.cli.parser" in loaded
    assert loaded.isdisjoint({"psycopg", "rich", "cocosearch_py.app", "cocosearch_py.features.navigate.definitions"})


@pytest.fixture
def home(tmp_path, environment):
    """Return an environment with an empty home folder, in which the program is on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "cocosearch-py"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cocosearch_py "$@"\n')
    program.chmod(0o755)
    return {**environment, "HOME": str(tmp_path), "PATH": f"{programs}:{environment['PATH']}"}


_TAB = """
source ~/.bashrc
COMP_WORDS=(cocosearch-py symbols --match "")
COMP_CWORD=3
_cocosearch_py_complete
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_script_that_is_installed(home):
    def bash(script):
        return subprocess.run(["bash", "-c", script], env=home, capture_output=True, text=True, check=True).stdout

    rc = Path(home["HOME"]) / ".bashrc"
    rc.write_text("# mine")
    assert "bash completion is in" in bash("cocosearch-py --install-completion; true")
    bash("cocosearch-py --install-completion; true")
    first, *added = rc.read_text().splitlines()
    assert (first, len(added)) == ("# mine", 1)
    assert bash(_TAB).split() == ["auto", "exact", "substring", "fuzzy", "glob"]
    assert (
        bash("cocosearch-py --show-completion; true").strip()
        == next(Path(home["HOME"]).glob(".bash_completions/*")).read_text().strip()
    )
