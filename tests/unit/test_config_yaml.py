"""What a configuration file may hold, and how each mistake in it is reported."""

from pathlib import Path

import pytest

from cocosearch_py.config.load import load_settings
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import ConfigurationError


def settings(folder: Path, text: str, environ: dict[str, str] | None = None) -> Settings:
    """The settings of a file that the user named, and so may use variables."""
    file = folder / "cocosearch.yaml"
    file.write_text(text, encoding="utf-8")
    return load_settings(start=folder, environ=environ or {}, config_file=file).settings


def refusal(folder: Path, text: str, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        settings(folder, text, environ)
    return caught.value.message


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "null\n", "indexing:\nsearch:\n  # resultLimit: 5\n", "\ufeff"])
def test_empty_files_and_sections_change_nothing(tmp_path: Path, text: str) -> None:
    assert settings(tmp_path, text) == Settings()


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    loaded = settings(
        tmp_path,
        "indexing:\n  languages: [python, go]\n  languageOverrides: {.inc: php}\n  maxDepth: 3\n"
        "  strategy: Lines\n"
        "search:\n  minScore: 1\n  weights: {keywords: 0.5, test: -2}\n  smartContext: false\n"
        "embedding:\n  timeout: 2.5\n  outputDimension: null\n",
    )
    assert loaded.indexing.languages == ("python", "go")
    assert loaded.indexing.language_overrides == {".inc": "php"}
    assert loaded.indexing.max_depth == 3
    assert loaded.indexing.strategy == "lines"
    assert (loaded.search.min_score, type(loaded.search.min_score)) == (1.0, float)
    assert loaded.search.weights == {"keywords": 0.5, "test": -2.0}
    assert loaded.search.smart_context is False
    assert loaded.embedding.timeout == 2.5
    assert loaded.embedding.output_dimension is None


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        (
            "indexing:\n  chunkSzie: 5\n",
            "2:3",
            "unknown key 'indexing.chunkSzie'; did you mean 'indexing.chunkSize'?",
        ),
        ("indexing:\n  chunk_size: 5\n", "2:3", "did you mean 'indexing.chunkSize'?"),
        ("\nchunkSize: 5\n", "2:1", "unknown key 'chunkSize'; did you mean 'indexing.chunkSize'?"),
        ("indexname: a\n", "1:1", "did you mean 'indexName'?"),
        ("serach:\n  resultLimit: 5\n", "1:1", "unknown key 'serach'; did you mean 'search'?"),
        (
            "search:\n  resultLimit: '10'\n",
            "2:16",
            'search.resultLimit: expected an integer, at least 1, at most 100, got "10"',
        ),
        ("search:\n  resultLimit: true\n", "2:16", "expected an integer, at least 1, at most 100, got true"),
        ("search:\n  resultLimit: 10.0\n", "2:16", "expected an integer, at least 1, at most 100, got 10.0"),
        ("search:\n  resultLimit: null\n", "2:16", "expected an integer, at least 1, at most 100, got null"),
        ("search:\n  resultLimit: [1]\n", "2:16", "expected an integer, at least 1, at most 100, got a list of 1"),
        ("search:\n  minScore: 1.5\n", "2:13", "expected a number, at least 0, at most 1, got 1.5"),
        ("search:\n  minScore: .nan\n", "2:13", "expected a number, at least 0, at most 1"),
        ("search:\n  cache: 1\n", "2:10", "expected true or false, got 1"),
        (
            "search:\n  weights: [1]\n",
            "2:12",
            "expected a mapping of names to numbers, at least -1000, at most 1000, got a list of 1",
        ),
        ("search:\n  weights: {a: b}\n", "2:12", "expected a mapping of names to numbers"),
        ("indexName: 12\n", "1:12", "indexName: expected a string, or null, got 12"),
        ("indexName: 2024-01-01\n", "1:12", "expected a string, or null, got date 2024-01-01"),
        ("linkedIndexes: one\n", "1:16", 'expected a list of strings, got "one"'),
        ("linkedIndexes: [one, 2]\n", "1:16", "expected a list of strings"),
        ("linkedIndexes: [[one]]\n", "1:16", "expected a list of strings"),
        ("search:\n  resultLimit: 200\n", "2:16", "an integer, at least 1, at most 100, got 200"),
        ("search:\n  weights: {keywords: 1.0e+300}\n", "2:12", "at most 1000, got a mapping"),
        ("search:\n  weights: {keyword: 1}\n", "2:12", "unknown weight 'keyword'; did you mean 'keywords'?"),
        (
            "search:\n  weights: {zzz: 1}\n",
            "2:12",
            "unknown weight 'zzz'; known weights: keywords, vectors, fused, name, ",
        ),
        ("indexing:\n  chunkSize: 1\n", "2:14", "an integer, at least 50, got 1"),
        ("indexing:\n  maxFileSizeKb: 99999999\n", "2:18", "at most 2097151, got 99999999"),
        ("indexing:\n  languages: [python, pyton]\n", "2:14", "unknown language 'pyton'; did you mean python"),
        ("indexing:\n  languageOverrides: {.x: pyton}\n", "2:22", "unknown language 'pyton'; did you mean python"),
        ("indexName: a/b\n", "1:12", "'a/b' cannot be an index name; use 1 to 100 letters"),
        ("embedding:\n  batchSize: 5000\n", "2:14", "an integer, at least 1, at most 2048, got 5000"),
        ("embedding:\n  timeout: 2147483\n", "2:12", "a number, above 0, at most 3600, got 2147483"),
        ("trust:\n  folders: [here]\n", "2:12", "trust.folders: 'here' is not an absolute path"),
        ("indexing:\n  languageOverrides: {inc: php}\n", "2:22", "starting with ."),
        (
            "embedding:\n  provider: fastembd\n",
            "2:13",
            "expected one of fastembed, ollama, openai, openrouter",
        ),
        ("embedding:\n  baseUrl: localhost:1\n", "2:12", "starting with http:// or https://"),
        ("embedding:\n  timeout: 0\n", "2:12", "expected a number, above 0"),
        ("database:\n  schema: public\n", "2:11", 'expected one of cocosearch_py, got "public"'),
        ("indexing: 5\n", "1:11", "indexing: expected keys and values below it"),
        ("- a\n", "1:1", "expected keys and values at the top level"),
        ("indexName: a\nindexName: b\n", "2:1", "the key 'indexName' appears twice"),
        ("? [a, b]\n: c\n", "1:3", "expected a name as the key"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, text: str, place: str, what: str) -> None:
    message = refusal(tmp_path, text)
    assert message.startswith(f"{tmp_path / 'cocosearch.yaml'}:{place}: ")
    assert what in message


def test_all_mistakes_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, "indexNam: a\nsearch:\n  resultLimit: x\n  cach: true\n")
    assert [line.split(":")[-4:-2] and line.count("cocosearch.yaml:") for line in message.split("\n")] == [
        1,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("indexName: [a\nsearch: 1\n", "2:7"),
        ("indexing:\n  chunkSize: 1\n bad: 2\n", "3:2"),
        ("a: 'open\n", "2:1"),
        ("indexName: a\n\tb: c\n", "2:1"),
        ("indexName: *nobody\n", "1:12"),
        ("a: 1\n---\nb: 2\n", "2:1"),
        ("indexName: a\nb: \x07\n", "2:4"),
    ],
)
def test_broken_yaml_is_located(tmp_path: Path, text: str, place: str) -> None:
    assert f"cocosearch.yaml:{place}: not valid YAML: " in refusal(tmp_path, text)


def test_text_that_is_not_utf8_is_located(tmp_path: Path) -> None:
    path = tmp_path / "cocosearch.yaml"
    path.write_bytes(b"indexName: a\nlinkedIndexes: [\xff]\n")
    with pytest.raises(ConfigurationError, match=r"cocosearch\.yaml:2: not UTF-8"):
        load_settings(start=tmp_path, environ={})


def test_hostile_files_are_refused_without_a_traceback(tmp_path: Path) -> None:
    assert "larger than" in refusal(tmp_path, "# " + "x" * 2_000_000)
    for nested in ("[", "{", "- ", "? "):
        assert "nested too deeply" in refusal(tmp_path, "a: " * (nested in "[{") + nested * 10_000)
    bomb = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" if i else "a0: &a0 [x]\n" for i in range(10))
    assert "linkedIndexes: expected a list of strings" in refusal(tmp_path, bomb + "linkedIndexes: *a9\n")
    many = "linkedIndexes: [&a x" + ", *a" * 10_000 + "]"
    assert "too many aliases" in refusal(tmp_path, many)
    sexagesimal = "indexing: {chunkSize: 1" + ":1" * 30_000 + "}"  # an integer of 50,000 digits
    assert "got an integer with thousands of digits" in refusal(tmp_path, sexagesimal)


def test_a_message_lists_twenty_problems_and_counts_the_others(tmp_path: Path) -> None:
    lines = refusal(tmp_path, "".join(f"u{n}: 1\n" for n in range(5_000))).splitlines()
    assert lines[0].endswith(":1:1: unknown key 'u0'")
    assert lines[20:] == ["... and 4,980 more"]


@pytest.mark.parametrize(
    "text", ["? {long}\n: 1\n", "a: *{long}", "indexing: {{chunkSize: {long}}}", "? {long}\n: {{\n"]
)
def test_a_message_quotes_little_of_the_file(tmp_path: Path, text: str) -> None:
    assert len(refusal(tmp_path, text.format(long="k" * 50_000))) < 500 + len(str(tmp_path))


def test_sections_of_later_releases_are_not_looked_at(tmp_path: Path) -> None:
    text = "watch: 1\nwiki:\n  any: [thing]\nindexName: kept\n"
    assert settings(tmp_path, text).index_name == "kept"


def test_variables_are_replaced_in_values(tmp_path: Path) -> None:
    loaded = settings(
        tmp_path,
        "indexName: ${TEAM}-${REPO:-code}\nlinkedIndexes: ['${TEAM}-lib', plain]\n"
        "search:\n  resultLimit: ${LIMIT:-25}\n  cache: ${CACHE}\nembedding:\n  model: ${MODEL:-}\n",
        {"TEAM": "shop", "CACHE": "off"},
    )
    assert loaded.index_name == "shop-code"
    assert loaded.linked_indexes == ("shop-lib", "plain")
    assert loaded.search.result_limit == 25
    assert loaded.search.cache is False
    assert loaded.embedding.model is None


def test_an_empty_variable_takes_its_default(tmp_path: Path) -> None:
    assert settings(tmp_path, "indexName: ${NAME:-other}\n", {"NAME": ""}).index_name == "other"


def test_what_looks_like_a_number_stays_text_for_a_text_setting(tmp_path: Path) -> None:
    assert settings(tmp_path, "indexName: ${NAME}\n", {"NAME": "123"}).index_name == "123"


def test_a_missing_variable_is_named_with_its_place(tmp_path: Path) -> None:
    message = refusal(tmp_path, "indexName: a\nembedding:\n  apiKey: ${OPENAI_KEY}\n")
    assert "cocosearch.yaml:3:11: embedding.apiKey: the environment variable OPENAI_KEY is not set" in message


def test_a_wrong_value_from_a_variable_is_refused(tmp_path: Path) -> None:
    assert 'got "many"' in refusal(tmp_path, "search:\n  resultLimit: ${LIMIT}\n", {"LIMIT": "many"})


def test_messages_do_not_show_secrets(tmp_path: Path) -> None:
    message = refusal(tmp_path, "database:\n  url: mysql://me:hunter2@host/db\nembedding:\n  apiKey: [hunter2]\n")
    assert "hunter2" not in message
    assert "got a hidden value" in message
