"""The embedding layer: the bundled table, local folders, fastembed's list, and endpoints."""

import json
import multiprocessing
import re
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cocosearch_py.embedding.models import (
    BUNDLED_FINGERPRINT,
    BUNDLED_FOLDER,
    EmbeddingOptions,
    open_bundled,
    open_embedder,
)
from cocosearch_py.embedding.static_table import TABLE_FILE, TOKENIZER_FILE, fingerprint
from cocosearch_py.errors import EmbeddingError

TEXTS = [
    "def parse_header(line: str) -> Header:\n    return Header(*line.split(':', 1))",
    "func (s *Server) HandleRequest(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }",
    "SELECT name, count(*) FROM files GROUP BY name -- größe, 大きさ",
    "",
    "!!! ??? {{{",
    "getHTTPUrl2 " * 700,
    "one",
]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every outgoing connection a failure of the test."""

    def refuse(*_: object) -> None:
        pytest.fail("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    scale = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    result: NDArray[np.float32] = (left * right).sum(axis=1) / np.where(scale == 0, 1, scale)
    return result


def write_table(folder: Path, tensors: dict[str, NDArray[Any]]) -> Path:
    """Write a static model with the bundled tokenizer and the given tensors."""
    codes = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64"}
    header: dict[str, Any] = {}
    body = b""
    for name, tensor in tensors.items():
        raw = tensor.tobytes()
        header[name] = {
            "dtype": codes[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    shutil.copy(BUNDLED_FOLDER / "tokenizer.json", folder)
    (folder / "config.json").write_text("{}")
    return folder


def fastembed_rows(folder: Path, texts: list[str]) -> NDArray[np.float32]:
    """Embed with fastembed's own static backend, whose list has a model of this layout."""
    from fastembed import TextEmbedding

    model = TextEmbedding("minishlab/potion-base-8M", specific_model_path=str(folder))
    return np.array(list(model.embed(texts)), dtype=np.float32)


def vocabulary_size() -> int:
    return len(json.loads((BUNDLED_FOLDER / "tokenizer.json").read_text())["model"]["vocab"])


class TestBundledTable:
    def test_needs_neither_network_nor_fastembed(self) -> None:
        code = (
            "import socket, sys\n"
            "def refuse(*_): raise SystemExit('a connection was tried')\n"
            "socket.socket.connect = refuse\n"
            "from cocosearch_py.embedding.models import EmbeddingOptions, open_embedder\n"
            "open_embedder(EmbeddingOptions()).embed_query('read a file')\n"
            "print([name for name in ('fastembed', 'onnxruntime') if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

    def test_fastembed_gives_the_same_vectors(self, no_network: None) -> None:
        rows = open_bundled().embed_documents(TEXTS)
        theirs = fastembed_rows(BUNDLED_FOLDER, TEXTS)
        known = np.linalg.norm(rows, axis=1) > 0
        assert known.tolist() == [True, True, True, False, False, True, True]
        assert cosines(rows, theirs)[known].min() > 0.9999
        assert not theirs[~known].any()

    def test_rows_are_unit_length_or_zero(self) -> None:
        rows = open_bundled().embed_documents(TEXTS)
        assert rows.dtype == np.float32
        assert rows.shape == (len(TEXTS), open_bundled().dimension)
        norms = np.linalg.norm(rows, axis=1)
        assert np.all(np.isclose(norms, 1.0, atol=1e-5) | (norms == 0.0))

    def test_a_text_has_one_vector_whatever_its_batch(self) -> None:
        table = open_bundled()
        many = [f"{text} {number}" for number in range(90) for text in TEXTS]
        rows = table.embed_documents(many)
        for place in (0, 5, 255, 256, 257, len(many) - 1):
            assert np.array_equal(rows[place], table.embed_documents([many[place]])[0])
            assert np.allclose(rows[place], table.embed_query(many[place]), rtol=0, atol=1e-6)  # up to rounding

    def test_a_query_needs_no_numpy(self) -> None:
        code = (
            "import sys\n"
            "from cocosearch_py.embedding.models import open_bundled\n"
            "vector = open_bundled().embed_query('read a file')\n"
            "print(len(vector), 'numpy' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [str(open_bundled().dimension), "False"]

    def test_its_name_holds_the_hash_of_its_files(self) -> None:
        assert fingerprint(BUNDLED_FOLDER / TABLE_FILE, BUNDLED_FOLDER / TOKENIZER_FILE) == BUNDLED_FINGERPRINT
        assert open_bundled().name.endswith(BUNDLED_FINGERPRINT)

    def test_no_texts_give_no_rows(self) -> None:
        table = open_bundled()
        assert table.embed_documents([]).shape == (0, table.dimension)

    @pytest.mark.parametrize(
        ("identifier", "words"),
        [
            ("getUserName", "get user name"),
            ("HTTPServer", "http server"),
            ("parse_json_value", "parse json value"),
            ("MAX-RETRY.count", "max retry count"),
        ],
    )
    def test_identifiers_are_their_words(self, identifier: str, words: str) -> None:
        table = open_bundled()
        assert np.allclose(table.embed_query(identifier), table.embed_query(words), atol=1e-6)

    @pytest.mark.parametrize(
        ("query", "place"),
        [
            ("how are HTTP requests routed by the server", 1),
            ("split a header line into its name and value", 0),
            ("count rows of a database table", 2),
        ],
    )
    def test_a_question_is_nearest_to_the_code_that_answers_it(self, query: str, place: int) -> None:
        table = open_bundled()
        assert int(np.argmax(table.embed_documents(TEXTS[:3]) @ table.embed_query(query))) == place

    def test_name_tells_family_dimension_and_content(self) -> None:
        table = open_bundled()
        assert table.dimension == 256
        assert re.fullmatch(r"cocosearch-static-256@[0-9a-f]{12}", table.name)
        assert open_embedder(EmbeddingOptions(model="default")).name == table.name

    def test_fewer_dimensions_are_the_first_ones_and_another_name(self) -> None:
        whole, cut = open_bundled(), open_embedder(EmbeddingOptions(output_dimension=64))
        head = whole.embed_documents(TEXTS)[:, :64]
        assert cut.dimension == 64
        assert cut.name != whole.name
        known = np.linalg.norm(head, axis=1) > 0
        assert cosines(cut.embed_documents(TEXTS), head)[known].min() > 0.9999

    def test_more_dimensions_than_the_model_has_are_refused(self) -> None:
        with pytest.raises(EmbeddingError, match="256 values, not 300"):
            open_embedder(EmbeddingOptions(output_dimension=300))

    @pytest.mark.parametrize("method", ["fork", "forkserver"])
    def test_worker_processes_give_the_same_vectors(self, method: str) -> None:
        if method not in multiprocessing.get_all_start_methods():
            pytest.skip(f"no {method} here")
        expected = open_bundled().embed_documents(TEXTS)
        with multiprocessing.get_context(method).Pool(2) as pool:
            for rows in pool.map(embed_in_worker, [TEXTS, TEXTS, TEXTS]):
                assert np.array_equal(rows, expected)


def embed_in_worker(texts: list[str]) -> NDArray[np.float32]:
    return open_bundled().embed_documents(texts)


class TestStaticFolder:
    @pytest.mark.parametrize("kind", ["float32", "float16", "int8 and weights", "shared rows"])
    def test_every_layout_reads_as_fastembed_reads_it(
        self, tmp_path: Path, kind: str, no_network: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chance = np.random.default_rng(7)
        size = vocabulary_size()
        rows = chance.normal(size=(size, 32))
        layouts: dict[str, dict[str, NDArray[Any]]] = {
            "float32": {"embeddings": rows.astype(np.float32)},
            "float16": {"embeddings": rows.astype(np.float16)},
            "int8 and weights": {
                "embeddings": (rows * 30).clip(-127, 127).astype(np.int8),
                "weights": chance.random(size).astype(np.float32),
            },
            "shared rows": {
                "embeddings": rows[:500].astype(np.float32),
                "mapping": chance.integers(0, 500, size),
                "weights": chance.random(size).astype(np.float32),
            },
        }
        folder = write_table(tmp_path / "table", layouts[kind])
        embedder = open_embedder(EmbeddingOptions(model=str(folder)))
        ours, theirs = embedder.embed_documents(TEXTS), fastembed_rows(folder, TEXTS)
        known = np.linalg.norm(theirs, axis=1) > 0
        assert known.sum() >= 4
        assert cosines(ours, theirs)[known].min() > 0.9999
        assert embedder.dimension == 32
        short = [text for text in TEXTS if len(text) < 100]
        asked = [embedder.embed_query(text) for text in short]
        monkeypatch.delitem(sys.modules, "numpy")  # the first question of a command has none
        assert [embedder.embed_query(text) for text in short] == asked

    def test_other_weights_are_another_name(self, tmp_path: Path) -> None:
        size = vocabulary_size()
        first = write_table(tmp_path / "a" / "table", {"embeddings": np.ones((size, 4), dtype=np.float32)})
        second = write_table(tmp_path / "b" / "table", {"embeddings": np.full((size, 4), 2, dtype=np.float32)})
        names = {open_embedder(EmbeddingOptions(model=str(folder))).name for folder in (first, second)}
        assert len(names) == 2

    @pytest.mark.parametrize(
        ("damage", "message"),
        [
            (lambda folder: (folder / "model.safetensors").write_bytes(b""), "model.safetensors"),
            (lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 64), "model.safetensors"),
            (lambda folder: (folder / "tokenizer.json").write_text("{}"), "not a tokenizer"),
            (lambda folder: (folder / "tokenizer.json").write_bytes(b"\xff\xfe\x00"), "tokenizer.json"),
        ],
    )
    def test_a_damaged_folder_is_named(self, tmp_path: Path, damage: Callable[[Path], Any], message: str) -> None:
        folder = write_table(tmp_path / "t", {"embeddings": np.ones((vocabulary_size(), 4), dtype=np.float32)})
        damage(folder)
        with pytest.raises(EmbeddingError, match=message) as caught:
            open_embedder(EmbeddingOptions(model=str(folder)))
        assert str(folder) in caught.value.message
        assert caught.value.hint

    def test_a_table_smaller_than_its_vocabulary_is_refused(self, tmp_path: Path) -> None:
        folder = write_table(tmp_path / "t", {"embeddings": np.ones((5, 4), dtype=np.float32)})
        with pytest.raises(EmbeddingError, match="more tokens than rows"):
            open_embedder(EmbeddingOptions(model=str(folder)))

    def test_a_folder_without_a_model_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(EmbeddingError, match="has no embedding model"):
            open_embedder(EmbeddingOptions(model=str(tmp_path)))


class TestFastembed:
    def test_a_model_that_is_not_cached_is_not_fetched(self, tmp_path: Path, no_network: None) -> None:
        options = EmbeddingOptions(model="BAAI/bge-small-en-v1.5", cache_dir=str(tmp_path))
        with pytest.raises(EmbeddingError, match="not in the cache") as caught:
            open_embedder(options)
        assert "embedding.offline" in caught.value.hint

    def test_an_unknown_model_gets_the_nearest_names(self) -> None:
        with pytest.raises(EmbeddingError, match=r"BAAI/bge-small-en-v1\.5"):
            open_embedder(EmbeddingOptions(model="bge-small-en-v1.5"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (EmbeddingOptions(provider="word2vec"), "unknown embedding provider 'word2vec'"),
        (EmbeddingOptions(provider="ollama"), "the provider ollama needs a model name"),
        (EmbeddingOptions(provider="openai", model="m", base_url="localhost:1"), "is not an HTTP address"),
    ],
)
def test_options_that_cannot_work_are_refused(options: EmbeddingOptions, message: str) -> None:
    with pytest.raises(EmbeddingError, match=message) as caught:
        open_embedder(options)
    assert caught.value.hint
