"""Folders with an ONNX model: what they say about themselves is read and kept to."""

import json
import re
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.onnx_models import write_json, write_onnx_model

from cocosearch_py.embedding.models import EmbeddingOptions, open_embedder
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.ports import Embedder

# [PAD] must never count; [UNK], left and right are the three axes, of different lengths.
ROWS = np.array([[9, 9, 9], [0, 0, 5], [3, 0, 0], [0, 4, 0]], dtype=np.float32)
LEFT, RIGHT, BOTH = [1, 0, 0], [0, 1, 0], [0.6, 0.8, 0]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_onnx_model(tmp_path / "tiny", ROWS)


def opened(folder: Path, **options: Any) -> Embedder:
    return open_embedder(EmbeddingOptions(model=str(folder), **options))


def gives(embedder: Embedder, texts: list[str], expected: list[list[float]]) -> bool:
    return bool(np.allclose(embedder.embed_documents(texts), expected, atol=1e-5))


def write_safetensors(path: Path, name: str, tensor: NDArray[np.float32]) -> None:
    header = {name: {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [0, tensor.nbytes]}}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + tensor.tobytes())


def test_vectors_are_the_mean_of_the_tokens_normalised_in_the_order_of_the_texts(folder: Path) -> None:
    texts = ["right right right right", "left", " ", "left right", "right"]
    for _ in range(2):  # opening twice registers the model twice
        embedder = opened(folder, batch_size=2)
    assert embedder.dimension == 3
    assert re.fullmatch(r"tiny@[0-9a-f]{12}", embedder.name)
    assert gives(embedder, texts, [RIGHT, LEFT, [0, 0, 0], BOTH, RIGHT])
    assert np.allclose(embedder.embed_query("left right"), BOTH, atol=1e-5)


def test_fewer_dimensions_are_the_first_ones_and_another_name(folder: Path) -> None:
    cut = opened(folder, output_dimension=2)
    assert cut.name == f"{opened(folder).name}#2"
    assert gives(cut, ["left right"], [BOTH[:2]])


@pytest.mark.parametrize("said", [{"pooling_mode_cls_token": True, "include_prompt": True}, {"pooling_mode": "cls"}])
def test_the_first_token_stands_for_the_text_where_the_model_says_so(folder: Path, said: dict[str, Any]) -> None:
    mean = opened(folder).name
    write_json(folder / "1_Pooling" / "config.json", said)
    embedder = opened(folder)
    assert embedder.name != mean
    assert gives(embedder, ["left right right", "right left"], [LEFT, RIGHT])


@pytest.mark.parametrize(
    "said", [{"pooling_mode_max_tokens": True}, {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}]
)
def test_another_pooling_is_refused(folder: Path, said: dict[str, bool]) -> None:
    write_json(folder / "1_Pooling" / "config.json", said)
    with pytest.raises(EmbeddingError, match="not supported") as caught:
        opened(folder)
    assert all(key.removeprefix("pooling_mode_") in caught.value.message for key in said)


def test_a_model_that_pools_itself_is_taken_as_it_is(tmp_path: Path) -> None:
    embedder = opened(write_onnx_model(tmp_path / "pooled", ROWS, pooled=True), batch_size=2)
    assert gives(embedder, ["left right", "right right", "left left"], [BOTH, RIGHT, LEFT])


def test_prompts_go_before_queries_and_documents(folder: Path) -> None:
    plain = opened(folder)
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "left ", "passage": "right "}})
    embedder = opened(folder)
    assert embedder.name != plain.name
    assert np.allclose(embedder.embed_query("right"), plain.embed_query("left right"))
    assert np.allclose(embedder.embed_documents(["left"]), plain.embed_documents(["right left"]))
    assert not embedder.embed_query(" ").any()


def test_texts_are_cut_where_the_model_was_tuned(folder: Path) -> None:
    assert gives(opened(folder), ["left right"], [BOTH])
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 1})
    assert gives(opened(folder), ["left right"], [LEFT])
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": True})
    assert gives(opened(folder), ["left right"], [BOTH])


def test_texts_are_cut_before_they_exhaust_memory(folder: Path) -> None:
    write_json(folder / "tokenizer_config.json", {"model_max_length": 100_000, "pad_token": "[PAD]"})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 8192})
    assert gives(opened(folder), ["left " * 512 + "right " * 5_000], [LEFT])


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes() + b"\x00"),
        lambda folder: (folder / "model.onnx_data").write_bytes(b"weights"),
        lambda folder: (folder / "model.onnx.data").write_bytes(b"weights"),
        lambda folder: (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + " "),
    ],
)
def test_other_files_are_another_name(folder: Path, change: Callable[[Path], Any]) -> None:
    from cocosearch_py.embedding.onnx_folder import read_onnx_folder

    before = read_onnx_folder(folder).name
    change(folder)
    assert read_onnx_folder(folder).name != before


def test_the_weights_of_a_transformer_are_no_table(folder: Path) -> None:
    before = opened(folder).name
    write_safetensors(folder / "model.safetensors", "embeddings.word_embeddings.weight", ROWS)
    assert opened(folder).name == before
    (folder / "model.onnx").unlink()
    with pytest.raises(EmbeddingError, match="has no embedding model") as caught:
        opened(folder)
    assert "model.onnx" in caught.value.hint


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(EmbeddingError, match=re.escape(name)) as caught:
        opened(folder)
    assert str(folder) in caught.value.message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.onnx", "no model"),
        ("tokenizer.json", "{}"),
        ("tokenizer_config.json", "{}"),
        ("sentence_bert_config.json", "{"),
        ("config_sentence_transformers.json", "[]"),
        ("config_sentence_transformers.json", "[" * 100_000),
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_folder(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(EmbeddingError, match=re.escape(str(folder))) as caught:
        opened(folder)
    assert caught.value.hint
