"""Models that fastembed runs: those of its list, from cache or download, and ONNX models in a folder."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

import numpy as np
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_errors

from cocosearch_py.embedding.onnx_folder import MAX_TOKENS, TOKENIZER_FILES, OnnxFolder, read_onnx_folder
from cocosearch_py.embedding.options import EmbeddingOptions, checked_dimension
from cocosearch_py.embedding.vectors import fit_rows
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.ports import Embedder

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
PROBE_TEXT = "dimension"  # embedded once to learn the length of a folder's vectors, and that it runs
SUGGESTIONS = 3  # nearest model names shown for an unknown one


class FastembedEmbedder:
    """An embedder over one loaded fastembed model.

    Args:
        available: length of the model's vectors.
        tokenizer_file: the model's tokenizer.json.
        prompts: what goes before every document and before every query.
    """

    def __init__(
        self,
        model: TextEmbedding,
        name: str,
        available: int,
        options: EmbeddingOptions,
        *,
        tokenizer_file: Path,
        prompts: tuple[str, str] = ("", ""),
    ) -> None:
        self.tokenizer_file = tokenizer_file
        self._model = model
        self._dimension = checked_dimension(options.output_dimension, available)
        self._name = name if self._dimension == available else f"{name}#{self._dimension}"
        self._batch_size = options.batch_size
        self._document_prompt, self._query_prompt = prompts

    def limited(self, batch_size: int | None, _: float | None) -> Self:
        """Return this model with another batch size; a local model has no timeout."""
        other = copy(self)
        other._batch_size = batch_size or self._batch_size
        return other

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
        return self._embed(
            lambda batch: self._model.passage_embed(batch, batch_size=self._batch_size), texts, self._document_prompt
        )

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the query's L2-normalised vector; a blank text gives zeros."""
        row: NDArray[np.float32] = self._embed(self._model.query_embed, [text], self._query_prompt)[0]
        return row

    def _embed(
        self, run: Callable[[list[str]], Iterable[Any]], texts: Sequence[str], prompt: str
    ) -> NDArray[np.float32]:
        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        # Texts of like length run together: a batch costs as much as its longest text.
        filled = sorted(
            (index for index, text in enumerate(texts) if text.strip()), key=lambda index: len(texts[index])
        )
        if not filled:
            return result
        try:
            rows = np.array(list(run([prompt + texts[index] for index in filled])), dtype=np.float32)
        except MODEL_ERRORS as error:
            raise EmbeddingError(
                f"the embedding model {self._name} failed: {error}",
                hint="lower embedding.batchSize, or choose another embedding.model",
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
            cache_dir=str(Path(options.cache_dir).expanduser()) if options.cache_dir else None,
            threads=None if static else options.threads,  # static models take no threads and warn about them
            local_files_only=options.offline,
        )
    except MODEL_ERRORS as error:
        raise _not_loaded(description["model"], error, offline=options.offline) from error
    _limit_tokens(model, MAX_TOKENS)
    inner: Any = model.model  # its declared base class does not say where its files are
    tokenizer_file = Path(inner._model_dir) / TOKENIZER_FILES[0]
    return FastembedEmbedder(model, description["model"], description["dim"], options, tokenizer_file=tokenizer_file)


def open_fastembed_folder(folder: Path, options: EmbeddingOptions) -> Embedder:
    """Load an ONNX model from a folder with model.onnx, its tokenizer files and what sentence-transformers adds.

    Raises:
        EmbeddingError: a file is missing or not usable.
    """
    known = read_onnx_folder(folder)
    try:
        model = _load_folder(folder, known.name, known, options)
        if _pools_itself(model):
            model = _load_folder(folder, f"{known.name}+pooled", replace(known, pooling="DISABLED"), options)
        _limit_tokens(model, known.max_tokens)
        available = len(next(iter(model.embed([PROBE_TEXT]))))
    except Exception as error:  # the tokenizer's library raises bare Exception for every malformed file
        raise EmbeddingError(
            f"the ONNX embedding model in {folder} cannot be loaded: {error}",
            hint="export it again, with all tokenizer files that sentence-transformers writes",
        ) from error
    return FastembedEmbedder(
        *(model, known.name, available, options),
        tokenizer_file=folder / TOKENIZER_FILES[0],
        prompts=(known.document_prompt, known.query_prompt),
    )


def _load_folder(folder: Path, name: str, known: OnnxFolder, options: EmbeddingOptions) -> TextEmbedding:
    registered = {entry["model"].lower() for entry in TextEmbedding.list_supported_models()}
    if name.lower() not in registered:  # the registry is process-wide and refuses a name twice
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType[known.pooling],
            normalization=True,
            sources=ModelSource(hf="local/none"),  # required, never used: the folder is given
            dim=0,  # required, not used: the model itself is asked
            model_file=known.model_file,
        )
    return TextEmbedding(name, specific_model_path=str(folder), threads=options.threads)


def _pools_itself(model: TextEmbedding) -> bool:
    """Whether the ONNX file gives one vector per text instead of one per token."""
    inner: Any = model.model  # its declared base class has no session
    return len(inner.model.get_outputs()[0].shape) == 2


def _limit_tokens(model: TextEmbedding, limit: int) -> None:
    """Cut texts at `limit` tokens where the model would take more: a few long ones would exhaust memory."""
    tokenizer = getattr(model.model, "tokenizer", None)
    present = tokenizer.truncation if tokenizer is not None else None
    if tokenizer is not None and (present is None or present["max_length"] > limit):
        direction = present["direction"] if present else "right"
        tokenizer.enable_truncation(max_length=limit, direction=direction)


def _describe(name: str) -> dict[str, Any]:
    models = {entry["model"].lower(): entry for entry in TextEmbedding.list_supported_models()}
    found = models.get(name.lower())
    if found is None:
        near = get_close_matches(name.lower(), models, n=SUGGESTIONS)
        nearest = f"; nearest: {', '.join(models[key]['model'] for key in near)}" if near else ""
        raise EmbeddingError(
            f"{name!r} is neither a folder nor a model known to fastembed{nearest}",
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
        hint="check the network and embedding.cacheDir, or leave embedding.model out for the bundled table",
    )
