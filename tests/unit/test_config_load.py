import os
from pathlib import Path

import pytest

from cocosearch_py.config.keys import setting_rules
from cocosearch_py.config.load import LoadedSettings, Origin, load_settings
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import ConfigurationError


def load(folder: Path, environ: dict[str, str] | None = None, **overrides: object) -> LoadedSettings:
    flags = {key.replace("__", "."): value for key, value in overrides.items()}
    return load_settings(start=folder, environ=environ or {}, overrides=flags)


def write(folder: Path, text: str, name: str = "cocosearch.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, environ: dict[str, str] | None = None, **overrides: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(folder, environ, **overrides)
    assert caught.value.hint
    return caught.value.message


def test_without_anything_every_value_is_the_default(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert set(loaded.origins) == set(setting_rules())
    assert set(loaded.origins.values()) == {Origin("default")}
    assert loaded.files == ()
    assert loaded.warnings == ()


def test_flag_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    write(tmp_path, "indexName: file\nsearch:\n  resultLimit: 1\n  minScore: 0.5\n")
    environ = {"COCOSEARCH_INDEX_NAME": "environment", "COCOSEARCH_SEARCH_RESULT_LIMIT": "2"}
    loaded = load(tmp_path, environ, indexName="flag")
    assert loaded.settings.index_name == "flag"
    assert loaded.settings.search.result_limit == 2
    assert loaded.settings.search.min_score == 0.5
    assert loaded.settings.search.cache is True
    assert loaded.origins["indexName"] == Origin("flag")
    assert loaded.origins["search.resultLimit"] == Origin("environment", "COCOSEARCH_SEARCH_RESULT_LIMIT")
    assert loaded.origins["search.minScore"] == Origin("file", "cocosearch.yaml:4")
    assert loaded.origins["search.cache"] == Origin("default")


def test_a_flag_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, "indexName: file\n")
    loaded = load(tmp_path, indexName=None)
    assert loaded.settings.index_name == "file"


def test_flags_are_checked_like_files(tmp_path: Path) -> None:
    assert "search.resultLimit: expected an integer, at least 1, at most 100, got 0" in refusal(
        tmp_path, search__resultLimit=0
    )
    assert "did you mean 'search.resultLimit'?" in refusal(tmp_path, search__resultLimits=3)


def test_our_own_file_comes_first_and_the_shared_one_fills_the_gaps(tmp_path: Path) -> None:
    own = write(tmp_path, "indexName: own\nindexing:\n  chunkSize: 500\n", "cocosearch-py.yaml")
    shared = write(tmp_path, "indexName: shared\nindexing:\n  excludePatterns: ['*.md']\n")
    loaded = load(tmp_path)
    assert loaded.files == (own, shared)
    assert loaded.settings.index_name == "own"
    assert loaded.settings.indexing.chunk_size == 500
    assert loaded.settings.indexing.exclude_patterns == ("*.md",)
    assert loaded.origins["indexName"] == Origin("file", "cocosearch-py.yaml:1")
    assert loaded.origins["indexing.excludePatterns"] == Origin("file", "cocosearch.yaml:3")


@pytest.mark.parametrize("git_is_a_file", [False, True])
def test_files_are_found_in_the_git_root_above(tmp_path: Path, git_is_a_file: bool) -> None:
    if git_is_a_file:
        (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    else:
        (tmp_path / ".git").mkdir()
    start = tmp_path / "a" / "b"
    start.mkdir(parents=True)
    write(tmp_path / "a", "indexName: between\n")  # neither the start nor the root
    write(tmp_path, "indexName: root\n")
    assert load(start).settings.index_name == "root"
    write(start, "indexName: here\n")
    assert load(start).settings.index_name == "here"


def test_without_git_only_the_start_folder_counts(tmp_path: Path) -> None:
    start = tmp_path / "a"
    start.mkdir()
    write(tmp_path, "indexName: above\n")
    assert load(start).settings.index_name is None


def test_the_short_suffix_is_read_too_but_the_long_one_wins(tmp_path: Path) -> None:
    write(tmp_path, "indexName: short\n", "cocosearch.yml")
    assert load(tmp_path).settings.index_name == "short"
    write(tmp_path, "indexName: long\n", "cocosearch.yaml")
    assert load(tmp_path).settings.index_name == "long"


def test_a_named_file_is_read_alone(tmp_path: Path) -> None:
    write(tmp_path, "indexName: found\nlinkedIndexes: [a]\n")
    named = write(tmp_path, "indexName: named\n", "other.conf")
    loaded = load_settings(start=tmp_path, environ={}, config_file=named)
    assert loaded.files == (named,)
    assert loaded.settings.index_name == "named"
    assert loaded.settings.linked_indexes == ()


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"absent\.yaml cannot be read: No such file"):
        load_settings(start=tmp_path, environ={}, config_file=tmp_path / "absent.yaml")


def test_a_configuration_name_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cocosearch.yaml").mkdir()
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="no such devices")
def test_a_configuration_name_that_is_a_device_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "cocosearch.yaml").symlink_to("/dev/null")
    assert "it is not a regular file" in refusal(tmp_path)
    assert load_settings(start=None, environ={}, config_file=tmp_path / "cocosearch.yaml").settings == Settings()
    (tmp_path / "cocosearch.yaml").unlink()
    os.mkfifo(tmp_path / "cocosearch.yaml")
    assert "it is not a regular file" in refusal(tmp_path)


def test_overlap_must_be_below_the_chunk_size(tmp_path: Path) -> None:
    write(tmp_path, "indexing:\n  chunkSize: 200\n  chunkOverlap: 300\n")
    message = refusal(tmp_path)
    assert "indexing.chunkOverlap is 300 (cocosearch.yaml:3)" in message
    assert "indexing.chunkSize, which is 200" in message


def test_a_typical_file_of_cocosearch_is_accepted(tmp_path: Path) -> None:
    write(
        tmp_path,
        "indexName: shop\nlinkedIndexes:\n  - lib\nindexing:\n  includePatterns: ['*.py']\n"
        "  excludePatterns: []\n  chunkSize: 1000\n  chunkOverlap: 300\nsearch:\n  resultLimit: 20\n"
        "  minScore: 0.3\nembedding:\n  provider: ollama\n  model: nomic-embed-text\n  baseUrl: null\n"
        "controller:\n  enabled: true\nlogging:\n  file: true\n",
    )
    loaded = load(tmp_path, {"COCOSEARCH_TRUST_FOLDERS": str(tmp_path)})
    assert loaded.settings.linked_indexes == ("lib",)
    assert loaded.settings.indexing.chunk_overlap == 300
    assert loaded.settings.embedding.provider == "ollama"
    assert loaded.settings.logging.file is True
    assert loaded.origins["embedding.baseUrl"] == Origin("file", "cocosearch.yaml:15")
    assert loaded.warnings == ("cocosearch.yaml:16: controller is ignored: not supported here",)
