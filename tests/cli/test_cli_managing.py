"""`index`, `list`, `stats`, `clear`, `languages`, `config`, `doctor`, `db`, help and version."""

import re

import pytest
from tests.jobs.waiting import until

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.model.process import is_gone
from cocosearch_py.storage.server import embedded


def test_index_flags_decide_what_is_taken(cli, sample_repo, database_url):
    (sample_repo / ".gitignore").write_text("web/\n")
    base = ("index", sample_repo, "--database-url", database_url, "--jobs", "1")

    def added(*flags):
        return cli(*base, "--fresh", *flags).json["stats"]["files_added"]

    assert added() == 6  # .gitignore itself, web/ left out
    assert added("--no-gitignore") == 7
    assert added("-i", "*.py", "-e", "cart.py") == 2
    assert added("--max-depth", "1") == 1


def test_a_name_of_another_folder_is_refused(cli, sample_repo, shop, database_url):
    at = ("--database-url", database_url)
    assert cli("index", sample_repo, "-n", "taken", *at).json["index_name"] == "taken"
    assert cli("index", shop, "-n", "taken", *at, code=1).error["error_type"] == "index_collision"
    assert cli("index", sample_repo, *at).json["index_name"] == "taken"  # the folder keeps its name


def test_clear_protects_several_indexes(cli, sample_repo, database_url, tmp_path):
    at = ("--database-url", database_url)
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "code.py").write_text("def work(): ...\n")
        cli("index", folder, *at)
    assert cli("clear", "one", "two", *at, code=5).error["error_type"] == "safety_error"
    assert cli("clear", "one", *at, code=5).error["error_type"] == "safety_error"
    assert cli("clear", "--all", *at, code=5).error["success"] is False
    assert cli("clear", "one", "three", "--force", *at, code=3).error["success"] is False
    assert len(cli("list", *at).json) == 2  # nothing is deleted when one name is wrong
    assert "one" in cli("list", "--pretty", *at).out
    assert "two" in cli("stats", "--pretty", *at).out
    cleared = cli("clear", "one", "three", "--force", "--ignore-missing", *at).json
    assert cleared.pop("restorable_until")
    assert cleared == {
        "success": True,
        "message": "1 index cleared",
        "cleared": ["one"],
        "missing": ["three"],
    }
    assert cli("clear", "--all", "-y", *at).json["success"] is True
    assert cli("stats", *at).json == []


def test_stats_for_people(cli, shop):
    out = cli("stats", "shop", "--pretty", "--show-failures", "--show-skipped").out
    for told in ("python", "markdown", "parsed ok", "broken.py", "empty.py", "not indexed"):
        assert told in out


def test_languages_lists_the_whole_table(cli):
    items = {item["id"]: item for item in cli("grammars").json}
    assert set(items) == set(LANGUAGES)
    assert items["python"]["grammar"] is True
    assert items["python"]["definitions"] is True
    assert ".py" in items["python"]["extensions"]
    assert items["asciidoc"]["grammar"] is False


def test_settings_come_from_flag_then_environment_then_file_then_default(cli, tmp_path):
    (tmp_path / "cocosearch.yaml").write_text("indexName: by-file\nsearch:\n  resultLimit: 7\n  minScore: 0.2\n")
    shown = cli("config", "show", cwd=tmp_path, env={"COCOSEARCH_SEARCH_RESULT_LIMIT": "5"}).json
    assert shown["indexName"] == {"value": "by-file", "origin": "file cocosearch.yaml:1"}
    assert shown["search.resultLimit"] == {"value": 5, "origin": "environment COCOSEARCH_SEARCH_RESULT_LIMIT"}
    assert shown["search.minScore"]["value"] == 0.2
    assert shown["indexing.strategy"] == {"value": "treesitter", "origin": "default"}
    url = "postgresql://me:secret@host/db"
    shown = cli("config", "show", "--database-url", url, env={"COCOSEARCH_DATABASE_URL": "postgresql://other/"}).json
    assert shown["database.url"] == {"value": "postgresql://me:***@host/db", "origin": "flag"}


def test_settings_reach_the_search(cli, shop, tmp_path):
    chosen = tmp_path / "mine.yaml"
    chosen.write_text("indexName: shop\nsearch:\n  resultLimit: 2\n")
    assert len(cli("--config", chosen, "search", "price").json) == 2
    assert len(cli("search", "price", "-l", "3", "--config", chosen).json) == 3
    by_variable = {"COCOSEARCH_INDEX_NAME": "shop", "COCOSEARCH_SEARCH_RESULT_LIMIT": "1"}
    assert len(cli("search", "price", env=by_variable).json) == 1


def test_config_path_prints_the_files_that_are_read(cli, tmp_path):
    assert cli("config", "path", cwd=tmp_path).out == ""
    for name in ("cocosearch.yaml", "cocosearch-py.yaml"):
        (tmp_path / name).write_text("{}\n")
    expected = [str(tmp_path / "cocosearch-py.yaml"), str(tmp_path / "cocosearch.yaml")]
    assert cli("config", "path", cwd=tmp_path).out.splitlines() == expected
    assert cli("config", "path", "--json", cwd=tmp_path).json == expected


def test_warnings_of_the_settings_are_told_unless_quiet(cli):
    env = {"COCOSEARCH_SEARCH_RESULT_LIMITS": "5"}
    assert "did you mean COCOSEARCH_SEARCH_RESULT_LIMIT" in cli("config", "path", env=env).err
    assert cli("config", "show", "--quiet", env=env).err == ""


def test_doctor_finds_everything_in_order(cli, shop):
    out = cli("doctor", "--pretty").out
    for name in ("configuration", "database", "pgvector", "schema", "embedding model", "grammars", "disk", "git"):
        assert re.search(f"^ok +{name} ", out, re.MULTILINE)


def test_doctor_tells_remedies_and_fails(cli):
    found = cli("config", "check", "--database-url", "postgresql://127.0.0.1:1/none", code=1).json
    failed = {check["name"]: check for check in found["checks"] if not check["ok"]}
    assert set(failed) == {"database"}
    assert failed["database"]["remedy"]


def test_db_url_masks_the_password(cli):
    url = "postgresql://me:secret@host:5432/db"
    at = ("--database-url", url)
    assert cli("db", "url", *at).out == "postgresql://me:***@host:5432/db\n"
    assert cli("db", "url", "--show-password", "--sqlalchemy", *at).out == url.replace("ql:", "ql+psycopg:") + "\n"


def test_db_psql_finds_our_tables(cli, shop):
    query = "SELECT name, current_schema FROM indexes WHERE name = 'shop'"
    assert cli("db", "psql", "--", "-At", "-c", query).out == "shop|cocosearch_py\n"


def test_db_goes_up_and_down(cli, database_url):
    at = ("--database-url", database_url)
    newest = cli("db", "current", *at).json["newest"]
    assert cli("db", "current", *at).json["revision"] == newest
    assert cli("db", "downgrade", "base", *at, code=5).error["error_type"] == "safety_error"
    assert cli("db", "downgrade", "base", "--force", *at).json["revision"] is None
    assert cli("db", "upgrade", *at).json["revision"] == newest


def test_db_start_and_stop(cli, shop):
    assert cli("db", "stop").json["running"] is False
    assert cli("db", "stop", "--pretty").out == "it was not running\n"
    assert cli("db", "start").json["running"] is True
    assert "shop" in [item["name"] for item in cli("list").json]
    assert "host=" in cli("db", "url").out


@pytest.mark.parametrize("is_told", [True, False])
def test_workers_end_with_their_server(cli, write_sample, data_folder, tmp_path, is_told):
    """They neither stay nor start it again, whether they are told to end or find it gone."""
    job = cli("index", write_sample(tmp_path / "stopped"), "--detach").json["job_id"]
    cli("status", job, "--watch")  # from now on its worker waits for others
    query = "SELECT process FROM workers ORDER BY heartbeat_at DESC LIMIT 1"
    mark = cli("db", "psql", "--", "-At", "-c", query).out.strip()
    assert mark and not is_gone(mark)
    try:
        if is_told:
            assert cli("db", "stop", "--pretty").out == "stopped\n"
            assert is_gone(mark)
        else:
            embedded.stop(embedded.locate(data_folder))
            until(lambda: is_gone(mark))
        assert not embedded.is_running(embedded.locate(data_folder))
    finally:
        cli("db", "start")  # for other tests


@pytest.mark.parametrize("arguments", [(), ("--help",), ("search", "-h"), ("db", "--help"), ("config", "show", "-h")])
def test_help_works_without_a_database(cli, arguments, tmp_path):
    assert "--help" in cli(*arguments, env={"COCOSEARCH_DATA_DIR": str(tmp_path / "none")}).out
    assert not (tmp_path / "none").exists()


def test_version(cli):
    assert cli("--version").out.startswith("cocosearch-py ")
