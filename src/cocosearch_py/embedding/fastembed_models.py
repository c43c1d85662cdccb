"""Models that fastembed runs: those of its list, from cache or download, and ONNX models in a folder."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_errors

from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.embedding.static_table import fingerprint
from cocosearch_py.embedding.vectors import checked_dimension, fit_rows
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.ports import Embedder

ONNX_PLACES = (
    "model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model.onnx",
)  # first found wins
POOLING_FILE = "1_Pooling/config.json"  # where sentence-transformers exports say how tokens become one vector
# What loading or running a model raises; the runtime's own classes share no base but Exception.
MODEL_ERRORS: tuple[type[Exception], ...] = (
    OSError,
    ValueError,
    KeyError,
    RuntimeError,
    onnx_errors.Fail,
    onnx_errors.InvalidArgument,
    onnx_errors.InvalidGraph,
    onnx_errors.InvalidProtobuf,
    onnx_errors.NoSuchFile,
    onnx_errors.NotImplemented,
    onnx_errors.RuntimeException,
)
SUGGESTIONS = 3  # nearest model names shown for an unknown one


class FastembedEmbedder:
    """An embedder over one loaded fastembed model; queries and documents get the model's own prefixes."""

    def __init__(self, model: TextEmbedding, name: str, available: int, options: EmbeddingOptions) -> None:
        self._model = model
        self._dimension = checked_dimension(options.output_dimension, available)
        self._name = name if self._dimension == available else f"{name}#{self._dimension}"
        self._batch_size = options.batch_size

    @property
    def name(self) -> str:
        """Identity of the model, with the dimension when vectors are cut."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row per text; a blank text gives zeros."""
        return self._embed(lambda batch: self._model.passage_embed(batch, batch_size=self._batch_size), texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the query's L2-normalised vector; a blank text gives zeros."""
        row: NDArray[np.float32] = self._embed(self._model.query_embed, [text])[0]
        return row

    def _embed(self, run: Callable[[list[str]], Iterable[Any]], texts: Sequence[str]) -> NDArray[np.float32]:
        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        filled = [index for index, text in enumerate(texts) if text.strip()]
        if not filled:
            return result
        try:
            rows = np.array(list(run([texts[index] for index in filled])), dtype=np.float32)
        except MODEL_ERRORS as error:
            raise EmbeddingError(
                f"the embedding model {self._name} failed: {error}",
                hint="lower embedding.batch_size, or choose another embedding.model",
            ) from error
        result[filled] = fit_rows(rows, self._dimension)
        return result


def open_fastembed_model(name: str, options: EmbeddingOptions) -> Embedder:
    """Load a model of fastembed's list.

    Raises:
        EmbeddingError: no such model, or it is not in the cache and `options.offline` forbids to fetch it.
    """
    description = _describe(name)
    static = description["model_file"].endswith(".safetensors")
    try:
        model = TextEmbedding(
            description["model"],
            cache_dir=options.cache_dir,
            threads=None if static else options.threads,  # static models take no threads and warn about them
            local_files_only=options.offline,
        )
    except MODEL_ERRORS as error:
        raise _not_loaded(description["model"], error, offline=options.offline) from error
    return FastembedEmbedder(model, description["model"], description["dim"], options)


def open_fastembed_folder(folder: Path, options: EmbeddingOptions) -> Embedder:
    """Load an ONNX model from a folder (ONNX file, tokenizer.json, config.json with `hidden_size`).

    Raises:
        EmbeddingError: a file is missing or not usable.
    """
    layout = _read_layout(folder)
    name = f"{folder.name}@{fingerprint(folder / layout.model_file, folder / 'tokenizer.json')}"
    try:
        _register(name, layout)
        model = TextEmbedding(name, specific_model_path=str(folder), threads=options.threads)
    except MODEL_ERRORS as error:
        raise EmbeddingError(
            f"the ONNX embedding model in {folder} cannot be loaded: {error}",
            hint="export it with config.json and all three tokenizer files that sentence-transformers writes",
        ) from error
    return FastembedEmbedder(model, name, layout.dimension, options)


@dataclass(frozen=True, slots=True)
class _Layout:
    model_file: str
    dimension: int
    pooling: PoolingType


def _read_layout(folder: Path) -> _Layout:
    model_file = next((place for place in ONNX_PLACES if (folder / place).is_file()), None)
    if model_file is None:
        raise EmbeddingError(
            f"{folder} holds no embedding model",
            hint="put model.onnx, or model.safetensors and tokenizer.json there, or change embedding.model",
        )
    try:
        dimension = int(json.loads((folder / "config.json").read_text(encoding="utf-8"))["hidden_size"])
        pooling = PoolingType.MEAN
        if (folder / POOLING_FILE).is_file():
            how = json.loads((folder / POOLING_FILE).read_text(encoding="utf-8"))
            pooling = PoolingType.CLS if how.get("pooling_mode_cls_token") else PoolingType.MEAN
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbeddingError(
            f"{folder} has no config.json with hidden_size, the length of the model's vectors",
            hint="export the model with its config.json",
        ) from error
    return _Layout(model_file, dimension, pooling)


def _register(name: str, layout: _Layout) -> None:
    known = {entry["model"].lower() for entry in TextEmbedding.list_supported_models()}
    if name.lower() not in known:  # the registry is process-wide and refuses a name twice
        TextEmbedding.add_custom_model(
            model=name,
            pooling=layout.pooling,
            normalization=True,
            sources=ModelSource(hf="local/none"),  # required, never used: the folder is given
            dim=layout.dimension,
            model_file=layout.model_file,
        )


def _describe(name: str) -> dict[str, Any]:
    models = {entry["model"].lower(): entry for entry in TextEmbedding.list_supported_models()}
    found = models.get(name.lower())
    if found is None:
        near = get_close_matches(name.lower(), models, n=SUGGESTIONS)
        nearest = f"; nearest: {', '.join(models[key]['model'] for key in near)}" if near else ""
        raise EmbeddingError(
            f"{name!r} is neither a folder nor a model that fastembed knows{nearest}",
            hint="check embedding.model, or leave it out for the bundled table",
        )
    return dict(found)


def _not_loaded(name: str, error: Exception, *, offline: bool) -> EmbeddingError:
    if offline:
        return EmbeddingError(
            f"the embedding model {name} is not in the cache and downloads are off",
            hint="allow downloads once (embedding.offline: false), point embedding.model at a local folder, "
            "or leave it out for the bundled table",
        )
    return EmbeddingError(
        f"the embedding model {name} cannot be loaded: {error}",
        hint="check the network and embedding.cache_dir, or leave embedding.model out for the bundled table",
    )
