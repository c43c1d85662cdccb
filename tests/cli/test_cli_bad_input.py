"""Bad input gets a clear error on standard error, an exit code, and no traceback (`cli` fails on one)."""

import errno
import json
import os
import subprocess
import sys

import pytest


def test_folders_that_cannot_be_indexed(cli, tmp_path):
    (tmp_path / "file.txt").write_text("text")
    (tmp_path / "empty").mkdir()
    assert "does not exist" in cli("index", tmp_path / "none", code=1).error["error"]
    assert "not a folder" in cli("index", tmp_path / "file.txt", code=1).error["error"]
    error = cli("index", tmp_path / "empty", code=1).error
    assert error["error_type"] == "workspace_error"
    assert error["hint"]


@pytest.mark.parametrize("arguments", [["search", "x"], ["index", "."], ["watch"], ["db", "url"], ["mcp"]])
def test_a_working_folder_that_is_gone(environment, tmp_path, arguments):
    folder = tmp_path / "gone"
    folder.mkdir()
    command = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", sys.executable, "-m", "cocosearch_py", *arguments]
    done = subprocess.run(
        command, check=False, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "the current folder no longer exists" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("place", ["file", "file/below", "loop/below", "n" * 300])
def test_a_data_folder_that_cannot_be_is_named_by_every_command(cli, tmp_path, place):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    there = {"COCOSEARCH_DATA_DIR": str(tmp_path / place)}
    for words in (["list"], ["index", "."], ["db", "start"], ["db", "stop"], ["wiki", "status"], ["worker"], ["jobs"]):
        error = cli(*words, cwd=tmp_path, env=there, code=2).error
        assert (error["error_type"], place in error["error"]) == ("configuration_error", True)
        assert "COCOSEARCH_DATA_DIR" in error["hint"]
    checks = {one["name"]: one for one in cli("doctor", cwd=tmp_path, env=there, code=1).json["checks"]}
    assert not checks["disk"]["ok"] and place in checks["disk"]["detail"]
    assert checks["grammars"]["ok"]


@pytest.mark.parametrize("name", ["it's", 'double"quote', "n" * 300, " "])
def test_index_names_that_cannot_be(cli, sample_repo, name):
    result = cli("index", sample_repo, "-n", name, code=2)
    assert result.error["hint"]
    assert len(result.error["error"]) < 400


def test_an_unknown_index_is_told_with_the_nearest_names(cli, shop):
    for command in (("search", "price", "-n", "shoop"), ("stats", "shoop")):
        error = cli(*command, code=3).error
        assert error["error_type"] == "not_indexed"
        assert "shop" in error["hint"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("search", ""), "empty"),
        (("search", "lang:go"), "empty"),
        (("search", "x" * 30_000), "query has 30,000 characters, at most 20,000 are allowed"),
        (("search", "x", "--path", "a*" * 50_000), "--path has a text of 100,000 characters, at most 500"),
        (("search",), "empty"),
        (("search", "x", "--limit", "0"), "--limit"),
        (("search", "x", "--limit", "10000"), "--limit"),
        (("search", "x", "--limit", "many"), "--limit"),
        (("search", "x", "-C", "-1"), "--context"),
        (("search", "x", "--lang", "pyhton"), "unknown language"),
        (("search", "x", "--index", ""), "empty"),
        (("search", "x", "--no-such-option"), "--no-such-option"),
        (("search", "x", "--json", "--pretty"), "cannot be combined"),
        (("serch",), "unknown command 'serch'"),
        (("serach", "price"), "unknown command 'serach'"),
        (("dashboard",), "unknown command 'dashboard'"),
        (("dashboard", "-n", "shop"), "unknown command 'dashboard'"),
        (("ask", "-"), "empty"),
        (("outline", "shop/cart.py", "-n", "shop,other"), "one index at a time"),
        (("stats", "shop", "--all"), "cannot be combined"),
        (("clear",), "no index given"),
        (("index", ".", "--max-file-size", "0"), "indexing.maxFileSizeKb"),
        (("db", "upgrade", "9999"), "9999"),
    ],
)
def test_wrong_arguments_are_usage_errors(cli, shop, arguments, told):
    error = cli(*arguments, code=2, cwd=shop).error
    assert told in error["error"]
    assert error["success"] is False
    assert error["hint"]


def test_a_word_that_is_no_command_names_the_search_for_it_and_the_command_close_to_it(cli):
    hint = cli("serach", "price", "list", code=2).error["hint"]
    assert "did you mean `cocosearch-py search`?" in hint
    assert "`cocosearch-py search serach price list`" in hint
    assert cli("dashboard", code=2).error["hint"] == "`cocosearch-py search dashboard` searches for the text"


@pytest.mark.parametrize("group", ["wiki", "config", "db"])
def test_a_group_alone_shows_its_help_and_no_error(cli, group):
    result = cli(group, code=2)
    assert f"cocosearch-py {group} [OPTIONS] COMMAND" in result.out
    assert result.err == ""


def test_errors_for_people_are_plain_lines(cli, shop):
    result = cli("search", "x", "-n", "shop", "-l", "0", "--pretty", code=2)
    assert result.err.startswith("error: -l/--limit: 0 is not between 1 and 100")
    assert result.err.count("\n") == 2
    assert result.out == ""


def test_a_query_that_is_not_text(cli, shop):
    result = cli("search", "price \udcff\udcfe", "-n", "shop")
    assert result.json


def test_broken_yaml_is_located(cli, tmp_path):
    (tmp_path / "cocosearch.yaml").write_text("search:\n  resultLimit: [1\n")
    error = cli("search", "x", cwd=tmp_path, code=2).error
    assert error["error_type"] == "configuration_error"
    assert "cocosearch.yaml:3:1" in error["error"]


def test_an_unknown_key_is_told_with_the_nearest_one(cli, tmp_path):
    (tmp_path / "cocosearch-py.yaml").write_text("search:\n  resultLimt: 5\n")
    error = cli("search", "x", cwd=tmp_path, code=2).error
    assert "did you mean 'search.resultLimit'" in error["error"]
    assert "cocosearch-py.yaml:2:3" in error["error"]


def test_a_database_that_does_not_answer(cli):
    url = "postgresql://me:secret@127.0.0.1:1/none"
    result = cli("list", "--database-url", url, code=4)
    assert result.error["error_type"] == "service_connection_error"
    assert "secret" not in result.err
    assert "secret" not in cli("list", "-v", "--pretty", env={"COCOSEARCH_DATABASE_URL": url}, code=4).err


def test_a_database_that_does_not_exist(cli, database_url):
    error = cli("list", "--database-url", database_url.replace("/test_", "/none_"), code=4).error
    assert "createdb" in error["hint"]


def test_a_library_logs_nothing_beside_our_error_unless_asked(cli, tmp_path):
    closed = ("list", "--database-url", "postgresql://me@127.0.0.1:1/none")
    result = cli(*closed, code=4)
    assert len(result.err.splitlines()) == 1
    assert result.out == ""
    plain = cli(*closed, "--pretty", code=4).err
    assert [line.split(":")[0] for line in plain.splitlines()] == ["error", "hint"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("index", "/no/such/folder"), 1), (("index", "."), 1), (("clear", "nonexistent", "--force"), 3)],
)
def test_a_failed_command_prints_one_object(cli, arguments, code, tmp_path):
    result = cli(*arguments, code=code, cwd=tmp_path)
    assert result.out == ""
    *progress, told = result.err.splitlines()
    assert told == json.dumps(result.error)
    assert set(progress) <= {"acquire"}  # a busy machine has time to tell of it
    assert result.error["success"] is False


_REFUSED = """
import os, sys
from cocosearch_py.cli import main

def refused(_):
    raise OSError(int(sys.argv[1]), os.strerror(int(sys.argv[1])))

main.run(["stats", "--json"], refused)
"""


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EAGAIN])
def test_a_limit_of_the_system_is_no_bug(environment, number):
    done = subprocess.run(
        [sys.executable, "-c", _REFUSED, str(number)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    told = json.loads(done.stderr)
    assert told["error"] == f"the operating system refused: {os.strerror(number)}"
    assert "ulimit" in told["hint"]
