import json
from pathlib import Path

import pytest

from cocosearch_py.config.keys import setting_rules
from cocosearch_py.config.load import Origin, load_settings
from cocosearch_py.config.origin import describe
from cocosearch_py.model.redaction import redact

URL = "postgresql://me:hunter2@host:5432/db?sslmode=require"


def test_every_setting_is_described_once_in_order_with_its_origin(tmp_path: Path) -> None:
    (tmp_path / "cocosearch.yaml").write_text("linkedIndexes: [a, b]\n")
    described = describe(load_settings(start=tmp_path, environ={"COCOSEARCH_SEARCH_CACHE": "no"}))
    assert [item.key for item in described] == list(setting_rules())
    by_key = {key: (value, origin) for key, value, origin in described}
    assert by_key["linkedIndexes"] == (["a", "b"], Origin("file", "cocosearch.yaml:1"))
    assert by_key["search.cache"] == (False, Origin("environment", "COCOSEARCH_SEARCH_CACHE"))
    assert by_key["search.resultLimit"] == (10, Origin("default"))
    json.dumps([item.value for item in described])


def test_secrets_are_masked_and_in_no_repr(tmp_path: Path) -> None:
    environ = {
        "COCOSEARCH_DATABASE_URL": URL,
        "COCOSEARCH_EMBEDDING_API_KEY": "hunter2",
        "COCOSEARCH_EMBEDDING_BASE_URL": "https://me:hunter2@api.example",
    }
    loaded = load_settings(start=tmp_path, environ=environ)
    assert loaded.settings.database.url == URL
    values = {item.key: item.value for item in describe(loaded)}
    assert values["database.url"] == "postgresql://me:***@host:5432/db?sslmode=require"
    assert values["embedding.apiKey"] == "***"
    assert values["embedding.baseUrl"] == "https://me:***@api.example"
    assert "hunter2" not in repr(values)
    assert "hunter2" not in repr(loaded)


def test_what_variables_of_a_file_give_to_an_address_is_masked(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "indexName: ${NAME}-x\n"
        "embedding:\n  baseUrl: https://api.example/${TOKEN}/${VERSION:-v1}\n"
        "database:\n  url: postgresql://me:${TOKEN}@${HOST:-local}/db\n"
    )
    environ = {"NAME": "shop", "TOKEN": "hunter2", "HOST": "private"}
    loaded = load_settings(start=tmp_path, environ=environ, config_file=file)
    assert loaded.settings.embedding.base_url == "https://api.example/hunter2/v1"
    values = {item.key: item.value for item in describe(loaded)}
    assert values["embedding.baseUrl"] == "https://api.example/***/v1"
    assert values["database.url"] == "postgresql://me:***@***/db"
    assert values["indexName"] == "shop-x"


def test_secrets_that_are_not_set_show_as_such(tmp_path: Path) -> None:
    values = {item.key: item.value for item in describe(load_settings(start=tmp_path, environ={}))}
    assert values["embedding.apiKey"] is None
    assert values["database.url"] is None


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgresql://me:p%40ss@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:a@b:c@host/db", "postgresql://me:***@host/db"),
        (
            "postgresql:///db?host=/run&user=me&password=s3cret",
            "postgresql:///db?host=/run&user=me&password=***",
        ),
        ("postgresql:///db?password=s3cret&host=/run", "postgresql:///db?password=***&host=/run"),
        ("postgresql://me:p/a?s#s@host/db", "postgresql://me:***@host/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://:secret@[::1", "postgresql://:***@[::1"),
    ],
)
def test_passwords_in_urls_are_masked(url: str, masked: str) -> None:
    assert redact(url) == masked
