"""Completion on Tab, by the protocol of the scripts that `--install-completion` writes."""

import subprocess
import sys

import pytest

VARIABLE = "_COCOSEARCH_PY_COMPLETE"


@pytest.fixture
def complete(cli, shop):
    """What bash is offered for the last of these words."""

    def complete(*words, **environ):
        line = " ".join(["cocosearch-py", *words])
        typed = {VARIABLE: "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words)), **environ}
        return cli(env=typed).out.split()

    return complete


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
    assert complete("search", "--lang", "go,kot") == ["go,kotlin"]
    assert complete("search", "--limit", "") == complete("read", "src/") == []  # the shell completes files


def test_indexes_of_the_running_server_are_completed(complete, tmp_path):
    for words in (["stats"], ["search", "-n"], ["clear", "other"], ["status"], ["status", "--name"]):
        assert "shop" in complete(*words, "sho")
    assert complete("stats", "", COCOSEARCH_DATA_DIR=str(tmp_path)) == []


def test_zsh_and_fish_get_help_beside_the_words(cli):
    typed = {"_TYPER_COMPLETE_ARGS": "cocosearch-py doct"}
    assert cli(env={VARIABLE: "complete_zsh", **typed}).out.startswith('_arguments \'*: :(("doctor":"Check ')
    fish = {VARIABLE: "complete_fish", **typed}
    assert cli(env={**fish, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}).out.startswith("doctor\tCheck ")
    cli(env={**fish, "_TYPER_COMPLETE_FISH_ACTION": "is-args"})
    files = {"_TYPER_COMPLETE_ARGS": "cocosearch-py read src/", "_TYPER_COMPLETE_FISH_ACTION": "is-args"}
    cli(env={**fish, **files}, code=1)


def test_neither_the_parser_nor_the_driver_is_loaded(complete, environment):
    complete("search", "--lang", "")  # which keeps the table of words
    typed = {VARIABLE: "complete_bash", "COMP_WORDS": "cocosearch-py search --lang ko", "COMP_CWORD": "3"}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cocosearch_py"],
        env={**environment, **typed},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout.split() == ["kotlin"]
    assert "cocosearch_py.cli.completion" in loaded
    assert loaded.isdisjoint({"typer", "psycopg", "cocosearch_py.tools.registry"})
