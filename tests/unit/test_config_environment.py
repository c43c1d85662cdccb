from pathlib import Path

import pytest

from cocosearch_py.config.environment import read_environment, variable_name
from cocosearch_py.config.keys import setting_rules, setting_values
from cocosearch_py.config.load import LoadedSettings, Origin, load_settings
from cocosearch_py.config.process import process_environment
from cocosearch_py.errors import ConfigurationError


def load(folder: Path, **environ: str) -> LoadedSettings:
    return load_settings(start=folder, environ=environ)


@pytest.mark.parametrize(
    ("key", "variable"),
    [
        ("indexName", "COCOSEARCH_INDEX_NAME"),
        ("indexing.chunkSize", "COCOSEARCH_INDEXING_CHUNK_SIZE"),
        ("indexing.maxFileSizeKb", "COCOSEARCH_INDEXING_MAX_FILE_SIZE_KB"),
        ("database.url", "COCOSEARCH_DATABASE_URL"),
        ("embedding.apiKey", "COCOSEARCH_EMBEDDING_API_KEY"),
    ],
)
def test_every_key_has_a_variable(key: str, variable: str) -> None:
    assert variable_name(key) == variable
    assert key in setting_rules()


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("COCOSEARCH_DATABASE_URL", "postgresql://h/d", "database.url", "postgresql://h/d"),
        ("COCOSEARCH_INDEX_NAME", "two words", "indexName", "two words"),
        ("COCOSEARCH_EMBEDDING_PROVIDER", "OpenAI", "embedding.provider", "openai"),
        ("COCOSEARCH_EMBEDDING_MODEL", "m", "embedding.model", "m"),
        ("COCOSEARCH_EMBEDDING_BASE_URL", "http://h", "embedding.baseUrl", "http://h"),
        ("COCOSEARCH_EMBEDDING_OUTPUT_DIMENSION", "256", "embedding.outputDimension", 256),
        ("COCOSEARCH_EMBEDDING_TIMEOUT", "2.5", "embedding.timeout", 2.5),
        ("COCOSEARCH_LOG_FILE", "1", "logging.file", True),
        ("COCOSEARCH_LOGGING_FILE", "yes", "logging.file", True),
        ("COCOSEARCH_LOG_LEVEL", "DEBUG", "logging.level", "debug"),
        ("COCOSEARCH_OFFLINE", "false", "embedding.offline", False),
        ("FASTEMBED_CACHE_PATH", "/models", "embedding.cacheDir", "/models"),
        (
            "COCOSEARCH_INDEXING_EXCLUDE_PATTERNS",
            "*.md, docs/ ,",
            "indexing.excludePatterns",
            ("*.md", "docs/"),
        ),
        ("COCOSEARCH_INDEXING_EXCLUDE_PATTERNS", '["a,b"]', "indexing.excludePatterns", ("a,b",)),
        ("COCOSEARCH_SEARCH_WEIGHTS", '{"name": 2}', "search.weights", {"name": 2.0}),
        (
            "COCOSEARCH_INDEXING_LANGUAGE_OVERRIDES",
            '{".x": "go"}',
            "indexing.languageOverrides",
            {".x": "go"},
        ),
    ],
)
def test_variables_are_read_by_the_type_of_their_setting(
    tmp_path: Path, variable: str, text: str, key: str, value: object
) -> None:
    loaded = load(tmp_path, **{variable: text})
    assert setting_values(loaded.settings)[key] == value
    assert loaded.origins[key] == Origin("environment", variable)
    assert loaded.warnings == ()


def test_the_generic_name_beats_the_other_one(tmp_path: Path) -> None:
    loaded = load(tmp_path, COCOSEARCH_LOG_LEVEL="debug", COCOSEARCH_LOGGING_LEVEL="error")
    assert loaded.settings.logging.level == "error"
    assert loaded.origins["logging.level"] == Origin("environment", "COCOSEARCH_LOGGING_LEVEL")


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    loaded = load(tmp_path, COCOSEARCH_DATABASE_URL="", COCOSEARCH_SEARCH_RESULT_LIMIT=" ")
    assert loaded.settings.database.url is None
    assert loaded.settings.search.result_limit == 10
    assert loaded.origins["database.url"] == Origin("default")


@pytest.mark.parametrize(
    ("variable", "text", "what"),
    [
        ("COCOSEARCH_SEARCH_RESULT_LIMIT", "ten", 'expected an integer, at least 1, at most 100, got "ten"'),
        ("COCOSEARCH_SEARCH_RESULT_LIMIT", "0", "expected an integer, at least 1"),
        ("COCOSEARCH_SEARCH_RESULT_LIMIT", "200", "expected an integer, at least 1, at most 100"),
        ("COCOSEARCH_INDEXING_LANGUAGES", "go,pyton", "unknown language 'pyton'; did you mean python"),
        ("COCOSEARCH_INDEX_NAME", "a/b", "cannot be an index name"),
        ("COCOSEARCH_SEARCH_MIN_SCORE", "nan", "expected a number"),
        ("COCOSEARCH_OFFLINE", "maybe", 'expected true or false, got "maybe"'),
        ("COCOSEARCH_SEARCH_WEIGHTS", "path=2", "expected a mapping of names to numbers"),
        ("COCOSEARCH_INDEXING_LANGUAGES", "[1]", "expected a list of strings"),
        ("COCOSEARCH_INDEXING_LANGUAGES", "[" * 100_000, "expected a list of strings"),
    ],
)
def test_a_wrong_value_names_the_variable(tmp_path: Path, variable: str, text: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, **{variable: text})
    assert caught.value.message.startswith(f"{variable} (")
    assert what in caught.value.message


def test_a_wrong_database_url_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, COCOSEARCH_DATABASE_URL="mysql://me:hunter2@host/db")
    assert "hunter2" not in caught.value.message
    assert "postgresql://" in caught.value.message


def test_the_address_of_ollama_counts_only_for_ollama(tmp_path: Path) -> None:
    address = "http://gpu:11434"
    assert load(tmp_path, COCOSEARCH_OLLAMA_URL=address).settings.embedding.base_url is None
    loaded = load(tmp_path, COCOSEARCH_OLLAMA_URL=address, COCOSEARCH_EMBEDDING_PROVIDER="ollama")
    assert loaded.settings.embedding.base_url == address
    assert loaded.origins["embedding.baseUrl"] == Origin("environment", "COCOSEARCH_OLLAMA_URL")


def test_the_address_of_ollama_beats_the_file_and_no_nearer_source(tmp_path: Path) -> None:
    (tmp_path / "cocosearch.yaml").write_text("embedding:\n  provider: ollama\n  baseUrl: http://file\n")
    trusted = {"COCOSEARCH_TRUST_FOLDERS": str(tmp_path)}
    assert load(tmp_path, **trusted, COCOSEARCH_OLLAMA_URL="http://gpu").settings.embedding.base_url == "http://gpu"
    both = {**trusted, "COCOSEARCH_OLLAMA_URL": "http://gpu", "COCOSEARCH_EMBEDDING_BASE_URL": "http://generic"}
    assert load(tmp_path, **both).settings.embedding.base_url == "http://generic"
    with pytest.raises(ConfigurationError, match="COCOSEARCH_OLLAMA_URL"):
        load(tmp_path, **trusted, COCOSEARCH_OLLAMA_URL="gpu:11434")


def test_an_unknown_variable_is_a_warning_with_the_nearest_name(tmp_path: Path) -> None:
    loaded = load(tmp_path, COCOSEARCH_INDEXING_CHUNKSIZE="5", COCOSEARCH_ZZZZZZ="1")
    assert loaded.warnings == (
        "unknown environment variable COCOSEARCH_INDEXING_CHUNKSIZE; did you mean COCOSEARCH_INDEXING_CHUNK_SIZE?",
        "unknown environment variable COCOSEARCH_ZZZZZZ",
    )


def test_variables_that_are_no_settings_are_no_warnings() -> None:
    environ = {
        "COCOSEARCH_PROJECT_PATH": "/p",
        "COCOSEARCH_DATA_DIR": "/d",
        "COCOSEARCH_MCP_PORT": "1",
        "COCOSEARCH_SERVER_URL": "http://host",
        "PATH": "/bin",
    }
    found = read_environment(environ)
    assert (dict(found.values), found.warnings) == ({}, ())


def test_the_controller_is_ignored_with_a_warning() -> None:
    (warning,) = read_environment({"COCOSEARCH_CONTROLLER_ENABLED": "true"}).warnings
    assert warning.startswith("COCOSEARCH_CONTROLLER_ENABLED is ignored")


def test_the_process_environment_is_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COCOSEARCH_INDEX_NAME", "first")
    environ = process_environment()
    monkeypatch.setenv("COCOSEARCH_INDEX_NAME", "second")
    assert environ["COCOSEARCH_INDEX_NAME"] == "first"


def test_variables_of_other_programs_come_last(tmp_path: Path) -> None:
    others = {
        "OLLAMA_BASE_URL": "http://gpu:11434",
        "OLLAMA_MODEL": "nomic-embed-text:latest",
        "CODE_INDEX_EMBED_TIMEOUT": "90",
    }
    loaded = load(tmp_path, **others)
    embedding = loaded.settings.embedding
    assert (embedding.base_url, embedding.model, embedding.timeout) == (None, None, 90)
    assert loaded.origins["embedding.timeout"] == Origin("environment", "CODE_INDEX_EMBED_TIMEOUT")
    of_ollama = {**others, "COCOSEARCH_EMBEDDING_PROVIDER": "ollama"}
    embedding = load(tmp_path, **of_ollama).settings.embedding
    assert (embedding.base_url, embedding.model) == ("http://gpu:11434", "nomic-embed-text:latest")
    ours = {
        "COCOSEARCH_OLLAMA_URL": "http://ours",
        "COCOSEARCH_EMBEDDING_MODEL": "ours",
        "COCOSEARCH_EMBEDDING_TIMEOUT": "5",
    }
    embedding = load(tmp_path, **of_ollama, **ours).settings.embedding
    assert (embedding.base_url, embedding.model, embedding.timeout) == ("http://ours", "ours", 5)
    assert load(tmp_path, **others, WORKSPACE_PATH="/", MIMIR_HOME="/").warnings == ()
    with pytest.raises(ConfigurationError, match="CODE_INDEX_EMBED_TIMEOUT"):
        load(tmp_path, CODE_INDEX_EMBED_TIMEOUT="soon")
