"""`eval` on a small repository with a history."""

import json
import subprocess

import psycopg
import pytest

from cocosearch_py.features.evaluate.tools import EXIT_BELOW
from cocosearch_py.storage.server.location import DATABASE_NAME


@pytest.fixture(scope="module")
def repository(cli, tmp_path_factory):
    """Indexed as `history`: source files, a commit that changes one of them, and one that fixes an issue in two."""
    folder = tmp_path_factory.mktemp("history") / "history"
    folder.mkdir()

    def git(*arguments):
        identity = ("-c", "user.name=Sample", "-c", "user.email=sample@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    (folder / "session.py").write_text("class SessionKeeper:\n    def expire(self, age): ...\n")
    (folder / "invoice.py").write_text("class InvoicePrinter:\n    def print_total(self, lines): ...\n")
    git("add", ".")
    git("commit", "-q", "-m", "first files of the program")
    (folder / "session.py").write_text("class SessionKeeper:\n    def expire(self, age): return age > 3\n")
    git("commit", "-q", "-a", "-m", "fix: expire sessions of great age (#3)")
    package = folder / "shop" / "front"
    package.mkdir(parents=True)
    (package / "till.py").write_text("def open_till(): ...\n")
    (package / "lock.py").write_text("def turn_key():\n    raise OSError('the till has no key today')\n")
    (package / "gone.py").write_text("def count_coins(): ...\n")
    git("add", ".")
    git("commit", "-q", "-m", "Fix: the till opens without its key", "-m", "Closes #12")
    git("rm", "-q", "shop/front/gone.py")
    git("commit", "-q", "-m", "Nobody counts any more")
    (package / "till.py").write_text("def open_till(key): return key\n")
    (package / "lock.py").write_text("def turn_key(key):\n    raise OSError('the till has no key today')\n")
    (folder / "README.md").write_text("The shop.\n")
    git("add", ".")
    git("commit", "-q", "-m", "Fix GH-15: turn the key before the till opens")
    cli("index", folder)
    return folder


def test_questions_come_from_history_and_names(cli, repository):
    found = cli("eval", "-n", "history").json
    assert found["counts"]["commit"] == 1 or found["counts"]["commit"] == 2
    assert found["counts"]["symbol"] >= 2
    assert found["overall"]["ndcg"] > 0.9
    assert "symbol" in cli("eval", "-n", "history", "--pretty").out


def test_questions_come_from_fixed_issues_and_from_the_files(cli, repository):
    found = cli("eval", "-n", "history").json
    # The other fix changed a file that has gone.
    assert found["counts"]["issue"] == 1
    assert found["counts"]["name"] == 5
    assert (found["counts"]["literal_quoted"], found["counts"]["literal_bare"]) == (1, 1)
    assert (found["counts"]["path"], found["counts"]["tail"], found["counts"]["line"]) == (5, 2, 5)
    for source in ("name", "literal_quoted", "literal_bare", "path", "tail", "line"):
        assert (found["by_source"][source]["first"], found["by_source"][source]["reciprocal_rank"]) == (1.0, 1.0)
    counted = sum(found["counts"][source] for source in ("commit", "test", "symbol"))
    assert f"overall (commit, test, symbol)  {counted:>9}" in cli("eval", "-n", "history", "--pretty").out


def test_classes_are_chosen(cli, repository):
    found = cli("eval", "-n", "history", "--classes", "issues, literals").json
    assert list(found["counts"]) == ["issue", "literal_quoted", "literal_bare"]
    assert found["overall"] is None
    assert "overall" not in cli("eval", "-n", "history", "--classes", "paths", "--pretty").out
    commits = cli("eval", "-n", "history", "--classes", "commits").json
    assert commits["overall"] == cli("eval", "-n", "history").json["overall"]
    assert (
        "unknown class of questions 'path'" in cli("eval", "-n", "history", "--classes", "path", code=2).error["error"]
    )
    for flags in (("--tune",), ("--fail-under", "0.1")):
        refused = cli("eval", "-n", "history", "--classes", "paths", *flags, code=2).error
        assert "--classes" in refused["hint"]


def test_a_baseline_or_a_bound_that_is_missed_fails(cli, repository, tmp_path):
    found = cli("eval", "-n", "history").json
    baseline = tmp_path / "baseline.json"
    baseline.write_text(json.dumps(found))
    cli("eval", "-n", "history", "--baseline", baseline, "--fail-under", "0.5")
    baseline.write_text('{"overall": {"ndcg": 1.5}}')
    cli("eval", "-n", "history", "--baseline", baseline, code=EXIT_BELOW)
    baseline.write_text("[]")
    assert cli("eval", "-n", "history", "--baseline", baseline, code=2).error["error_type"] == "validation_error"
    cli("eval", "-n", "history", "--baseline", tmp_path / "none.json", code=2)


def test_few_questions_tune_nothing(cli, repository):
    tuning = cli("eval", "-n", "history", "--tune").json["tuning"]
    assert tuning["kept"] is False
    assert tuning["weights"] is None


def test_tuned_weights_are_taken_back(cli, repository, server):
    with psycopg.connect(server.dsn(DATABASE_NAME), autocommit=True) as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET weights = '{\"keywords\": 9}' WHERE name = 'history'")
        assert cli("eval", "-n", "history", "--untune").json == {"index": "history", "untuned": True}
        rows = conn.execute("SELECT weights FROM cocosearch_py.indexes WHERE name = 'history'").fetchall()
    assert rows == [(None,)]
    assert cli("eval", "-n", "history", "--untune").json == {"index": "history", "untuned": False}
    cli("eval", "-n", "history", "--tune", "--untune", code=2)


def test_a_folder_without_code_has_no_questions(cli, tmp_path):
    folder = tmp_path / "prose"
    folder.mkdir()
    (folder / "notes.txt").write_text("nothing to define\n")
    cli("index", folder)
    assert "no questions for" in cli("eval", "-n", "prose", code=2).error["error"]
