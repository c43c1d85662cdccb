"""What a project's file may set, whom the user trusts, and how the list of trusted folders is written."""

import os
from pathlib import Path

import pytest

from cocosearch_py.config.declaring import WEIGHT_NAMES
from cocosearch_py.config.keys import setting_rules
from cocosearch_py.config.load import LoadedSettings, Origin, load_settings
from cocosearch_py.config.paths import user_config_file
from cocosearch_py.config.settings import Settings
from cocosearch_py.config.trust import is_trusted, resolved, write_trusted
from cocosearch_py.errors import ConfigurationError
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS

USER_ONLY = {
    "database.url": "postgresql://evil.example/x",
    "embedding.provider": "openai",
    "embedding.model": "./model",
    "embedding.baseUrl": "http://evil.example/v1",
    "embedding.apiKey": "k",
    "embedding.cacheDir": "./cache",
    "embedding.offline": "false",
    "edit.allowIgnored": "true",
    "edit.allowProtected": "['*']",
    "edit.allowUnhashed": "true",
    "edit.parseErrors": "refuse",
    "edit.confirm": "never",
    "edit.keepDays": "1",
    "edit.keepMegabytes": "1",
    "server.transport": "http",
    "server.host": "0.0.0.0",
    "server.port": "80",
    "server.allowedHosts": "['*']",
    "server.toolsets": "[all]",
    "server.readOnly": "true",
    "server.auth": "known",
    "server.roots": "[/]",
    "server.idleTimeout": "0",
    "server.sessions": "9",
    "server.showSecrets": "true",
    "logging.file": "true",
    "logging.level": "debug",
    "cli.output": "text",
    "trust.folders": "['*']",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def own_file(home: Path, text: str) -> Path:
    return write(home / ".config" / "cocosearch-py" / "config.yaml", text)


def load(project: Path, home: Path, **environ: str) -> LoadedSettings:
    return load_settings(start=project, environ={"HOME": str(home), **environ})


def setting(key: str, value: str) -> str:
    section, _, name = key.partition(".")
    return f"{section}:\n  {name}: {value}\n"


def test_these_settings_are_the_users() -> None:
    assert {key for key, rule in setting_rules().items() if rule.user_only} == set(USER_ONLY)


@pytest.mark.parametrize(("key", "value"), USER_ONLY.items())
def test_a_projects_file_does_not_set_them(project: Path, home: Path, key: str, value: str) -> None:
    write(project / "cocosearch.yaml", setting(key, value))
    loaded = load(project, home)
    assert loaded.settings == Settings()
    assert loaded.origins[key] == Origin("default")
    (ignored,) = loaded.ignored
    assert ignored[:3] == (key, "cocosearch.yaml:2", setting_rules()[key].user_only)
    assert "cocosearch-py config trust" in ignored.remedy
    if key != "trust.folders":
        (warning,) = loaded.warnings
        assert f"cocosearch.yaml: ignored {key} (line 2)" in warning
        assert f"run `cocosearch-py config trust {project}`" in warning


@pytest.mark.parametrize(("key", "value"), USER_ONLY.items())
def test_the_user_sets_them_anywhere_else(project: Path, home: Path, key: str, value: str) -> None:
    own = own_file(home, setting(key, value))
    loaded = load(project, home)
    assert loaded.origins[key] == Origin("file", f"{own}:2")
    assert loaded.files == (own,)
    named = write(project / "mine.yaml", setting(key, value))
    by_flag = load_settings(start=project, environ={"HOME": str(home)}, config_file=named)
    assert by_flag.origins[key] == Origin("file", "mine.yaml:2")
    assert by_flag.files == (named,)
    assert by_flag.ignored == loaded.ignored == ()


def test_the_key_of_the_environment_does_not_meet_the_host_of_a_folder(project: Path, home: Path) -> None:
    write(
        project / "cocosearch-py.yaml",
        "indexName: ${COCOSEARCH_EMBEDDING_API_KEY}\nembedding:\n  baseUrl: http://evil.example/${SECRET}\n"
        "  provider: ${PROVIDER:-openai}\ndatabase:\n  url: postgresql://evil.example/${SECRET:-x}\n",
    )
    loaded = load(project, home, COCOSEARCH_EMBEDDING_API_KEY="sk-1", SECRET="sk-2", PROVIDER="openai")
    assert loaded.settings.embedding.provider == "fastembed"
    assert loaded.settings.embedding.base_url is loaded.settings.database.url is loaded.settings.index_name is None
    assert [item.key for item in loaded.ignored] == [
        "indexName", "embedding.baseUrl", "embedding.provider", "database.url",
    ]  # fmt: skip
    assert "sk-" not in repr(loaded)


def test_the_provider_of_the_user_keeps_its_own_address(project: Path, home: Path) -> None:
    write(project / "cocosearch.yaml", "embedding:\n  baseUrl: http://evil.example\n  model: m\n")
    loaded = load(project, home, COCOSEARCH_EMBEDDING_PROVIDER="openai", COCOSEARCH_EMBEDDING_API_KEY="sk-1")
    assert loaded.settings.embedding.provider == "openai"
    assert loaded.settings.embedding.base_url is loaded.settings.embedding.model is None


@pytest.mark.parametrize("value", ["${NAME}", "${NAME:-other}", "[a, '${NAME}']", "{.x: '${NAME}'}"])
def test_no_variable_is_looked_at_in_an_unknown_file(project: Path, home: Path, value: str) -> None:
    keys = {"[": "linkedIndexes", "{": "indexing:\n  languageOverrides"}
    write(project / "cocosearch.yaml", f"{keys.get(value[0], 'indexName')}: {value}\n")
    for environ in ({}, {"NAME": "php"}):
        loaded = load(project, home, **environ)
        assert loaded.settings == Settings()
        assert "environment" in loaded.ignored[0].why
        assert len(loaded.warnings) == 1


def test_what_changes_nothing_is_no_warning(project: Path, home: Path) -> None:
    write(project / "cocosearch.yaml", "embedding:\n  provider: fastembed\n  baseUrl: null\n  model: m\n")
    loaded = load(project, home, COCOSEARCH_EMBEDDING_MODEL="mine")
    assert loaded.warnings == ()
    assert len(loaded.ignored) == 3


def test_the_project_beats_the_users_file_where_it_may(project: Path, home: Path) -> None:
    own_file(home, "search:\n  resultLimit: 5\n  minScore: 0.5\nembedding:\n  provider: ollama\n  model: mine\n")
    write(project / "cocosearch.yaml", "search:\n  resultLimit: 7\nembedding:\n  provider: openai\n")
    loaded = load(project, home)
    assert (loaded.settings.search.result_limit, loaded.settings.search.min_score) == (7, 0.5)
    assert (loaded.settings.embedding.provider, loaded.settings.embedding.model) == ("ollama", "mine")
    assert "ignored embedding.provider" in loaded.warnings[0]
    own_file(home, f"trust:\n  folders: [{project}]\nembedding:\n  provider: ollama\n")
    loaded = load(project, home)
    assert loaded.settings.embedding.provider == "openai"
    assert loaded.warnings == loaded.ignored == ()


def test_a_trusted_file_may_use_variables_but_trusts_nobody(project: Path, home: Path) -> None:
    own_file(home, f"trust:\n  folders: ['{project}']\n")
    write(project / "cocosearch.yaml", "embedding:\n  apiKey: ${KEY}\ntrust:\n  folders: ['*']\n")
    loaded = load(project, home, KEY="sk-1")
    assert loaded.settings.embedding.api_key == "sk-1"
    assert loaded.settings.trust.folders == (str(project),)
    assert [item.key for item in loaded.ignored] == ["trust.folders"]


def test_an_entry_stands_for_its_folder_alone(project: Path, home: Path) -> None:
    inner = write(project / "inner" / "cocosearch.yaml", "")
    outer = write(project / "cocosearch.yaml", "")
    environ = {"HOME": str(home)}

    def trusted(*entries: str) -> list[bool]:
        return [is_trusted(file, entries, environ) for file in (outer, inner)]

    assert trusted(str(project)) == trusted(f"{project}/") == [True, False]
    assert trusted(f"{project}/*") == [False, True]
    assert trusted(f"{project.parent}/*") == trusted("*") == trusted("/*") == [True, True]
    assert trusted(str(project)[:-1], f"{project}x", f"{str(project)[:-1]}/*") == [False, False]
    assert trusted("~/../project") == [True, False]
    assert trusted() == [False, False]


def test_links_are_resolved_on_both_sides(project: Path, home: Path, tmp_path: Path) -> None:
    file = write(project / "cocosearch.yaml", "indexName: a\n")
    link = tmp_path / "link"
    link.symlink_to(project)
    assert is_trusted(link / "cocosearch.yaml", [str(project)], {})
    assert is_trusted(file, [str(link)], {})
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "cocosearch.yaml").symlink_to(file)
    assert not is_trusted(stranger / "cocosearch.yaml", [str(project)], {})
    assert resolved(f"{link}/*", {}) == f"{project.resolve()}/*"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_another_users_file_is_trusted_only_by_name(project: Path, home: Path) -> None:
    file = write(project / "cocosearch.yaml", "embedding:\n  model: m\n")
    os.chown(file, 12345, 12345)
    assert not is_trusted(file, [f"{project.parent}/*", "*"], {})
    assert is_trusted(file, [str(project)], {})
    own = own_file(home, "embedding:\n  model: m\n")
    os.chown(own, 12345, 12345)
    loaded = load(project, home)
    assert loaded.settings.embedding.model is None
    assert loaded.warnings[0].startswith(f"{own} is ignored: it belongs to another user")


def test_a_file_that_everybody_writes_is_not_the_users(project: Path, home: Path) -> None:
    own = own_file(home, "embedding:\n  model: m\n")
    own.chmod(0o666)
    assert load(project, home).settings.embedding.model is None
    file = write(project / "cocosearch.yaml", "")
    file.chmod(0o666)
    assert not is_trusted(file, ["*"], {})


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {"HOME": "/home/me"}, "/home/me/.config/cocosearch-py/config.yaml"),
        ("linux", {"HOME": "/home/me", "XDG_CONFIG_HOME": "/etc/me"}, "/etc/me/cocosearch-py/config.yaml"),
        ("linux", {"HOME": "/home/me", "XDG_CONFIG_HOME": "me"}, "/home/me/.config/cocosearch-py/config.yaml"),
        ("darwin", {"HOME": "/Users/me"}, "/Users/me/Library/Application Support/cocosearch-py/config.yaml"),
        ("win32", {"USERPROFILE": "/u", "APPDATA": "/u/Roaming"}, "/u/Roaming/cocosearch-py/config.yaml"),
        ("win32", {"USERPROFILE": "/u"}, "/u/AppData/Roaming/cocosearch-py/config.yaml"),
        ("linux", {}, None),
    ],
)
def test_where_the_users_file_is(platform: str, environ: dict[str, str], expected: str | None) -> None:
    assert user_config_file(environ, platform=platform) == (Path(expected) if expected else None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'trust:\n  folders:\n    - "/a b"\n'),
        ("# mine\nindexName: x", '# mine\nindexName: x\ntrust:\n  folders:\n    - "/a b"\n'),
        (
            "trust:\n  folders:\n    - /old # why\n\n# next\nindexName: x\n",
            'trust:\n  folders:\n    - "/a b"\n\n# next\nindexName: x\n',
        ),
        ("trust: {folders: [/x,\n  /y]}\nindexName: x\n", 'trust:\n  folders:\n    - "/a b"\nindexName: x\n'),
        ("trust:\n  folders:\n# end\n", 'trust:\n  folders:\n    - "/a b"\n# end\n'),
        ("trust:\nindexName: x\r\n", 'trust:\n  folders:\n    - "/a b"\nindexName: x\r\n'),
    ],
)
def test_the_list_is_written_and_the_rest_stays(home: Path, before: str, after: str) -> None:
    own = own_file(home, "")
    own.write_bytes(before.encode())
    write_trusted(own, ["/a b"])
    assert own.read_bytes().decode() == after
    assert load(home, home).settings.trust.folders == ("/a b",)
    write_trusted(own, [])
    assert load(home, home).settings.trust.folders == ()


def test_a_new_file_is_made_and_a_link_stays(home: Path, tmp_path: Path) -> None:
    own = user_config_file({"HOME": str(home)})
    assert own is not None
    write_trusted(own, ["/a"])
    assert os.name == "nt" or own.stat().st_mode & 0o777 == 0o600  # it may come to hold keys
    elsewhere = own.rename(tmp_path / "dotfile.yaml")
    own.symlink_to(elsewhere)
    write_trusted(own, ["/b"])
    assert own.is_symlink()
    assert '"/b"' in elsewhere.read_text()


def test_a_file_of_another_form_is_left_alone(home: Path) -> None:
    own = own_file(home, "{indexName: x}\n")
    with pytest.raises(ConfigurationError, match="cannot be edited") as caught:
        write_trusted(own, ["/a"])
    assert 'trust: {folders: ["/a"]}' in caught.value.hint
    assert own.read_text() == "{indexName: x}\n"


def test_weights_have_the_names_of_the_ranking() -> None:
    assert set(WEIGHT_NAMES) == set(DEFAULT_WEIGHTS)
