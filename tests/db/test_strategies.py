"""How files are cut, with and without overlap: text is stored once, words count once, vectors know what came before."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.embedding_service import Service
from tokenizers import Tokenizer

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings, IndexingSettings
from cocosearch_py.embedding.models import open_bundled
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.model.texts import TextPattern, TextRequest

Content = Callable[[str], dict[str, list[Any]]]
SHAPES = {
    "treesitter": (IndexingSettings(chunk_size=100), IndexingSettings(chunk_size=100, chunk_overlap=60)),
    "lines": (
        IndexingSettings(chunk_size=100, strategy="lines"),
        IndexingSettings(chunk_size=100, chunk_overlap=60, strategy="lines"),
    ),
    "tokens": (
        IndexingSettings(strategy="tokens", token_chunk_size=100, token_chunk_overlap=0),
        IndexingSettings(strategy="tokens", token_chunk_size=100, token_chunk_overlap=50),
    ),
}
words = st.sampled_from(["alpha", "beta_gamma", "Δelta", "omega()", "x = 1", "def f():", "    return", "😀"])
programs = st.lists(st.lists(words, max_size=6).map(" ".join), min_size=1, max_size=60).map("\n".join)


def under(app: App, chosen: IndexingSettings) -> App:
    return app.under(replace(app.settings, indexing=chosen))


@pytest.mark.parametrize("strategy", SHAPES)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=programs)
def test_with_overlap_every_byte_and_every_word_is_there_once(
    app: App, content_of: Content, tmp_path_factory: pytest.TempPathFactory, strategy: str, text: str
) -> None:
    folder = tmp_path_factory.mktemp("project")
    (folder / "a.py").write_text(text + "\nlast = 1\n", newline="")
    (folder / "b.py").write_text("only = 1\n")
    for chosen in SHAPES[strategy]:
        report = under(app, chosen).index(folder)
        content = content_of(report.index_name)
        by_file: dict[int, str] = {}
        for file_id, *_, piece in sorted((row[0], row[1], row[6]) for row in content["chunks"]):
            by_file[file_id] = by_file.get(file_id, "") + piece
        assert sorted(by_file.values()) == sorted([text + "\nlast = 1\n", "only = 1\n"])
        frequencies = {lexeme: df for lexeme, _, df in content["lexemes"]}
        assert frequencies == Counter(term.strip("'") for row in content["keywords"] for term in row[2].split())
        assert frequencies.get("alpha", 0) == sum("alpha" in row[6] for row in content["chunks"])
        found = app.catalog.find(report.index_name)
        lines = app.searches.search_text(TextRequest(pattern=TextPattern("alpha")), found)
        assert lines.total == sum("alpha" in line for line in text.split("\n"))
        assert report.chunks == len(content["chunks"]) == len(content["vectors"])


def test_the_vector_of_a_passage_knows_what_it_overlaps_with_and_its_words_do_not(
    app: App, content_of: Content, tmp_path: Path
) -> None:
    lines = [f"value_{number} = {number}" for number in range(60)]
    (tmp_path / "a.py").write_text("\n".join(lines) + "\n")
    for without, with_overlap in SHAPES.values():
        under(app, without).index(tmp_path, name="one")
        before = content_of("one")
        under(app, with_overlap).index(tmp_path, name="one")
        after = content_of("one")
        if without.strategy != "tokens":  # there the size counts what is overlapped with
            assert before["chunks"] == after["chunks"]
            assert before["keywords"] == after["keywords"]
            assert before["lexemes"] == after["lexemes"]
            assert before["vectors"][0] == after["vectors"][0]
            assert all(a != b for a, b in zip(before["vectors"][1:], after["vectors"][1:], strict=True))
        else:
            assert len(after["chunks"]) > len(before["chunks"]) > 1


def test_tokens_are_those_of_the_models_own_tokenizer(app: App, content_of: Content, tmp_path: Path) -> None:
    own = Tokenizer.from_file(str(open_bundled().tokenizer_file))
    (tmp_path / "a.py").write_text("".join(f"supercalifragilistic_{number} = {number}\n" for number in range(300)))
    (tmp_path / "one_line.txt").write_text("word " * 900)
    tokens = IndexingSettings(strategy="tokens", token_chunk_size=120, token_chunk_overlap=20)
    under(app, tokens).index(tmp_path, name="one")
    sizes = [len(own.encode(row[6], add_special_tokens=False).ids) for row in content_of("one")["chunks"]]
    assert max(sizes) <= 120
    assert sorted(sizes)[len(sizes) // 2] > 70  # they are filled as far as whole lines allow


def test_an_index_is_built_anew_when_what_cuts_it_changes_and_only_then(app: App, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    tokens = IndexingSettings(strategy="tokens", token_chunk_size=120)
    assert under(app, tokens).index(tmp_path, name="one").files_added == 1
    assert under(app, replace(tokens, chunk_overlap=50)).index(tmp_path, name="one").files_unchanged == 1
    assert under(app, replace(tokens, token_chunk_size=130)).index(tmp_path, name="one").rebuilt
    assert under(app, IndexingSettings(token_chunk_size=999)).index(tmp_path, name="one").rebuilt
    assert under(app, IndexingSettings(token_chunk_size=200)).index(tmp_path, name="one").files_unchanged == 1


def test_a_changed_file_is_repaired_with_the_same_cuts(app: App, content_of: Content, tmp_path: Path) -> None:
    app.repair_wait_s = 60
    (tmp_path / "a.py").write_text("".join(f"value_{number} = {number}\n" for number in range(100)))
    tokens = IndexingSettings(strategy="tokens", token_chunk_size=100, token_chunk_overlap=50)
    own = under(app, tokens)
    own.index(tmp_path, name="one")
    (tmp_path / "a.py").write_text("".join(f"value_{number} = {number + 1}\n" for number in range(100)))
    app.answer(lambda: app.searches.search(SearchRequest("value_3"), "one"))
    repaired = content_of("one")
    own.index(tmp_path, name="one", options=own.indexing_options(fresh=True))
    clean = content_of("one")
    assert repaired["vectors"] == clean["vectors"]
    assert repaired["chunks"] == clean["chunks"]


def test_a_model_behind_an_endpoint_counts_tokens_as_the_bundled_one(
    app: App, data_folder: Path, content_of: Content, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("".join(f"value_{number} = {number}\n" for number in range(100)))
    tokens = IndexingSettings(strategy="tokens", token_chunk_size=100, token_chunk_overlap=50)
    under(app, tokens).index(tmp_path, name="bundled")
    with Service() as service:
        embedding = EmbeddingSettings(provider="ollama", model="m", base_url=service.url)
        with App(replace(app.settings, embedding=embedding, indexing=tokens), data_folder) as other:
            other.index(tmp_path, name="endpoint")
        assert all("value_" in text for batch in service.inputs for text in batch)
    assert content_of("endpoint")["chunks"] == content_of("bundled")["chunks"]
