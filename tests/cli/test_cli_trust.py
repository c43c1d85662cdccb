"""`config trust` and `untrust`, and what `config show` says of values that do not count."""

import pytest

FILE = "indexName: ${TEAM:-x}\nembedding:\n  model: mine\n"
PLACES = {"indexName": "cocosearch.yaml:1", "embedding.model": "cocosearch.yaml:3"}


@pytest.fixture
def own(tmp_path):
    """Environment with a place of its own for the user's file."""
    return {"XDG_CONFIG_HOME": str(tmp_path / "user")}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "a project"
    (folder / ".git").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "cocosearch.yaml").write_text(FILE)
    return folder


def model(cli, project, own):
    return cli("config", "show", "-q", cwd=project, env=own).json["embedding.model"]["value"]


def test_ignored_values_are_told_with_the_remedy(cli, project, own):
    done = cli("config", "show", cwd=project, env=own)
    command = f"cocosearch-py config trust '{project}'"
    assert command in done.err
    told = {key: item["ignored"] for key, item in done.json.items() if "ignored" in item}
    assert {key: items[0]["place"] for key, items in told.items()} == PLACES
    assert told["embedding.model"][0]["why"] == "it decides which files are loaded as a model"
    assert command in told["indexName"][0]["allow"]
    assert "COCOSEARCH_EMBEDDING_MODEL" in told["embedding.model"][0]["allow"]
    out = cli("config", "show", "--pretty", "-q", cwd=project, env=own).out
    for key, place in PLACES.items():
        assert f"{place}: {key} is ignored: " in out
    assert out.count("to allow it: run `cocosearch-py config trust") == 2


def test_trusting_and_no_more(cli, project, own, tmp_path):
    assert model(cli, project, own) is None
    done = cli("config", "trust", cwd=project / "src", env=own)
    assert done.out == f"trusted: {project}\n"
    assert model(cli, project, own) == "mine"
    shown = cli("config", "show", cwd=project, env=own)
    assert shown.err == ""
    file = tmp_path / "user" / "cocosearch-py" / "config.yaml"
    assert shown.json["trust.folders"] == {"value": [str(project)], "origin": f"file {file}:2"}
    assert cli("config", "trust", project, env=own).out == "nothing to do: already trusted\n"
    assert cli("config", "path", cwd=project, env=own).out.splitlines() == [str(project / "cocosearch.yaml"), str(file)]
    untrusted = cli("config", "untrust", project, "--json", env=own).json
    assert untrusted == {"file": str(file), "changed": [str(project)], "folders": []}
    assert model(cli, project, own) is None


def test_a_pattern_and_a_link(cli, project, own, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(project)
    cli("config", "trust", f"{tmp_path}/*", env=own)
    assert model(cli, project, own) == "mine"
    cli("config", "untrust", f"{tmp_path}/*", env=own)
    cli("config", "trust", link, env=own)
    assert model(cli, project, own) == "mine"
    cli("config", "untrust", link, env=own)
    assert model(cli, project, own) is None


def test_what_cannot_be_trusted(cli, project, own, tmp_path):
    error = cli("config", "trust", tmp_path / "nowhere", env=own, code=2).error
    assert "nowhere is not a folder" in error["error"]
    error = cli("config", "untrust", project, env=own, code=2).error
    assert "is not on the list of trusted folders" in error["error"]
    warned = cli("config", "trust", project, env={**own, "COCOSEARCH_TRUST_FOLDERS": "/x"}).err
    assert "COCOSEARCH_TRUST_FOLDERS is set and overrides" in warned
