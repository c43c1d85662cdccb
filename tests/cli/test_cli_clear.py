"""`clear`, `prune` and `restore`: what goes, what comes back, and what is asked."""

import psycopg
import pytest
from tests.cli.test_cli_terminal import on_terminal


@pytest.fixture
def at(cli, database_url, tmp_path):
    """Three indexes, one of them configured to be searched with another; where their database is."""
    at = ("--database-url", database_url)
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(f"def work_{name}(): ...\n")
        cli("index", tmp_path / name, *at)
    (tmp_path / "two/cocosearch.yaml").write_text("linkedIndexes: [one]\n")
    return at


def names(cli, at):
    return [item["name"] for item in cli("list", *at).json]


def age(database_url, name, days):
    with psycopg.connect(database_url) as conn:
        conn.execute(
            "UPDATE cocosearch_py.indexes SET updated_at = now() - make_interval(days => %s) WHERE name = %s",
            [days, name],
        )


def test_linked_indexes_are_searched_together_as_long_as_they_are_there(cli, at, tmp_path):
    def answering():
        found = cli("search", "work", *at, cwd=tmp_path / "two").json
        return {item["index_name"] for item in found if "file_path" in item}

    assert answering() == {"one", "two"}
    cli("clear", "one", "--purge", "--force", *at)
    (tmp_path / "two/cocosearch.yaml").write_text("linkedIndexes: [one, three]\n")
    assert answering() == {"two", "three"}


def test_cleared_indexes_come_back(cli, at):
    ulid = next(item["index_id"] for item in cli("list", *at).json if item["name"] == "one")
    cleared = cli("clear", "one", "--force", *at)
    assert "'two' is configured to be searched together with 'one'" in cleared.json["linked_index_warnings"][0]
    assert names(cli, at) == ["three", "two"]
    assert cli("search", "work_one", "-n", "one", *at, code=3).error["error_type"] == "not_indexed"
    (item,) = cli("restore", *at).json["restorable"]
    assert (item["name"], item["index_id"]) == ("one", ulid)
    assert cli("restore", "one", *at).json["index_id"] == ulid
    assert names(cli, at) == ["one", "three", "two"]
    assert cli("search", "work_one", "-n", ulid, *at).json[0]["symbol_name"] == "work_one"
    assert cli("restore", "one", *at, code=3).error["error_type"] == "not_indexed"


def test_a_name_in_use_is_not_overwritten(cli, at, tmp_path):
    cli("clear", "one", "--force", *at)
    cli("index", tmp_path / "one", *at)
    assert cli("restore", "one", *at, code=1).error["error_type"] == "index_collision"


def test_prune_goes_by_age(cli, at, database_url):
    age(database_url, "two", 31)
    age(database_url, "three", 5)
    assert cli("prune", "--dry-run", *at).json["would_delete"] == ["two"]
    assert cli("clear", "--older-than", "5", "--dry-run", *at).json["would_delete"] == ["three", "two"]
    told = cli("prune", "--dry-run", "--pretty", *at)
    assert "would delete 'two'" in told.out
    assert "1 index with 1 chunk" in told.err
    assert cli("prune", *at, code=5).error["error_type"] == "safety_error"
    assert names(cli, at) == ["one", "three", "two"]
    assert cli("prune", "--yes", *at).json["message"] == "Index 'two' cleared successfully"
    assert cli("prune", "--older-than", "5", "--yes", *at).json["success"] is True
    assert names(cli, at) == ["one"]
    assert cli("prune", "--yes", *at).json["cleared"] == []
    assert {item["name"] for item in cli("restore", *at).json["restorable"]} == {"two", "three"}


def test_purged_is_gone(cli, at):
    assert "restorable_until" not in cli("clear", "one", "--purge", "--force", *at).json
    cli("clear", "two", "--force", *at)
    assert cli("clear", "two", "--force", *at, code=3).error["error_type"] == "not_indexed"
    assert cli("clear", "--all", "--purge", "--yes", *at).json["cleared"] == ["three", "two"]
    assert cli("restore", *at).json["restorable"] == []


def test_a_dry_run_asks_nobody_and_deletes_nothing(cli, at):
    told = cli("clear", "--all", "--dry-run", *at).json
    assert (told["would_delete"], told["chunks"]) == (["one", "three", "two"], 3)
    assert names(cli, at) == ["one", "three", "two"]


def test_people_are_asked_and_told_how_to_get_it_back(environment, cli, at):
    code, shown = on_terminal(environment, "clear", "one", "two", *at, typed="n\n")
    assert code == 1
    assert "Delete 'one' (1 file), 'two' (1 file)?" in shown
    code, shown = on_terminal(environment, "clear", "one", *at, typed="y\n")
    assert code == 0
    assert "`cocosearch-py restore` can bring it back" in shown
    code, shown = on_terminal(environment, "restore", *at, typed="")
    assert (code, "one" in shown) == (0, True)


def test_an_index_that_cannot_be_read_is_named_by_doctor_and_cleared(cli, at, tmp_path, database_url):
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET updated_at = '12000-01-01' WHERE name = 'two'")
    assert names(cli, at) == ["one", "three"]
    (check,) = [one for one in cli("doctor", *at, code=1).json["checks"] if one["name"] == "indexes"]
    assert check["detail"].startswith("index 'two' cannot be read: ")
    assert "cocosearch-py clear 'two'" in check["remedy"]
    assert "index 'two' cannot be read" in cli("index", tmp_path / "two", *at, code=4).error["error"]
    cli("clear", "two", "--force", *at)
    assert all(one["ok"] for one in cli("doctor", *at).json["checks"])
    assert cli("index", tmp_path / "two", *at).json["success"]
