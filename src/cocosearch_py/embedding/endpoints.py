"""Models behind HTTP: Ollama, and services with OpenAI's embeddings interface."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cocosearch_py.embedding.options import EmbeddingOptions, checked_dimension
from cocosearch_py.embedding.posting import make_address, post
from cocosearch_py.embedding.static_table import BUNDLED_FOLDER, TOKENIZER_FILE
from cocosearch_py.embedding.vectors import fit_rows
from cocosearch_py.errors import EmbeddingError, RefusedTextsError
from cocosearch_py.model.redaction import redact

OLLAMA_URL = "http://localhost:11434"
OPENAI_URLS = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
DOCUMENT_ATTEMPTS = 6  # of a batch in a run of minutes
QUERY_ATTEMPTS = 2  # of a query, for whose answer somebody waits
MAX_ANSWER_BYTES = 256 * 1024**2
ANSWER_BYTES_PER_TEXT = 1024**2  # 16,000 numbers in JSON, the longest vector that is stored, take less than half
QUOTED_CHARS = 40  # of a text that was refused, enough to find it
PROBE_TEXT = "dimension"  # embedded once to learn the model's dimension


class _Endpoint:
    """Base of both kinds of endpoint: batching, the dimension, blank texts, normalised rows."""

    def __init__(self, model: str, base_url: str, path: str, options: EmbeddingOptions) -> None:
        self._model = model
        self._path = path
        self._address = make_address(base_url, path, options.api_key, options.timeout_s)
        self._options = options
        available = self._request([PROBE_TEXT], QUERY_ATTEMPTS).shape[1]
        self._dimension = checked_dimension(options.output_dimension, available)
        cut = f"#{self._dimension}" if options.output_dimension else ""
        self._name = f"{options.provider}/{model}{cut}"

    @property
    def name(self) -> str:
        """Provider and model, with the dimension when it was asked for."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    def limited(self, batch_size: int | None, timeout_s: float | None) -> Self:
        """Return this model with other limits of texts per request and of waiting; None keeps a limit."""
        other = copy(self)
        other._options = replace(self._options, batch_size=batch_size or self._options.batch_size)
        other._address = replace(self._address, timeout_s=timeout_s or self._address.timeout_s)
        return other

    @property
    def tokenizer_file(self) -> Path:
        """Tokenizer of the bundled model: an endpoint does not show its own."""
        return BUNDLED_FOLDER / TOKENIZER_FILE

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row per text; a blank text gives zeros and is not sent."""
        return self._embed(texts, DOCUMENT_ATTEMPTS)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the query's L2-normalised vector; a blank text gives zeros."""
        row: NDArray[np.float32] = self._embed([text], QUERY_ATTEMPTS)[0]
        return row

    def _embed(self, texts: Sequence[str], attempts: int) -> NDArray[np.float32]:
        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        filled = [index for index, text in enumerate(texts) if text.strip()]
        step = max(1, self._options.batch_size)
        for start in range(0, len(filled), step):
            places = filled[start : start + step]
            for at, rows in self._batches([texts[index] for index in places], attempts):
                if rows.shape[1] < self._dimension:
                    raise EmbeddingError(
                        f"the embedding model {self._name} changed the length of its vectors",
                        hint="index again with the current model",
                    )
                result[places[at : at + len(rows)]] = fit_rows(rows, self._dimension)
        return result

    def _batches(self, texts: list[str], attempts: int) -> list[tuple[int, NDArray[np.float32]]]:
        """Return rows with the place of their first text; what is refused together is sent in halves.

        Raises:
            RefusedTextsError: the endpoint refuses a text that is sent alone.
            EmbeddingError: it fails.
        """
        try:
            return [(0, self._request(texts, attempts))]
        except RefusedTextsError as error:
            if len(texts) == 1:
                raise RefusedTextsError(
                    f"{error.message}; the text has {len(texts[0])} characters and begins {_quoted(texts[0])!r}",
                    hint="check embedding.model, lower indexing.chunkSize, or exclude the file",
                    details=error.details,
                ) from None
        half = len(texts) // 2
        first = self._batches(texts[:half], attempts)
        return first + [(half + at, rows) for at, rows in self._batches(texts[half:], attempts)]

    def _request(self, texts: list[str], attempts: int) -> NDArray[np.float32]:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._options.output_dimension is not None:
            body["dimensions"] = self._options.output_dimension
        most = min(MAX_ANSWER_BYTES, (1 + len(texts)) * ANSWER_BYTES_PER_TEXT)
        try:
            answer = post(self._address, body, max_bytes=most, attempts=attempts)
        except EmbeddingError as error:
            error.details = {
                "service": self._options.provider,
                "base_url": self._address.shown.removesuffix(self._path),
                "model": self._model,
            }
            error.hint += self._how_to_start(error)
            raise
        rows = self._rows(answer) if isinstance(answer, dict) else None
        return _vectors(rows, len(texts), self._address.shown)

    def _how_to_start(self, error: EmbeddingError) -> str:
        """Return what a person can run to bring the service up; appended to the hint."""
        return ""

    def _rows(self, answer: dict[str, Any]) -> Any:
        """Return what the answer holds where the vectors should be, in the order of the texts."""
        raise NotImplementedError


class OllamaEmbedder(_Endpoint):
    """A model served by Ollama (`/api/embed`)."""

    def __init__(self, model: str, options: EmbeddingOptions) -> None:
        super().__init__(model, options.base_url or OLLAMA_URL, "/api/embed", options)

    def _how_to_start(self, error: EmbeddingError) -> str:
        if isinstance(error, RefusedTextsError):
            return ""
        return f"; `ollama serve` starts Ollama, `ollama pull {self._model}` gets the model"

    def _rows(self, answer: dict[str, Any]) -> Any:
        return answer.get("embeddings")


class OpenAiEmbedder(_Endpoint):
    """A model behind OpenAI's `/embeddings` interface, at OpenAI, OpenRouter or any `base_url`."""

    def __init__(self, model: str, options: EmbeddingOptions) -> None:
        super().__init__(model, options.base_url or OPENAI_URLS[options.provider], "/embeddings", options)

    def _rows(self, answer: dict[str, Any]) -> Any:
        try:
            by_index = {int(item["index"]): item["embedding"] for item in answer["data"]}
            return [by_index[index] for index in range(len(answer["data"]))]
        except (KeyError, TypeError, ValueError):
            return None


def _quoted(text: str) -> str:
    return redact(text[: 2 * QUOTED_CHARS])[:QUOTED_CHARS]


def _vectors(rows: Any, expected: int, shown: str) -> NDArray[np.float32]:
    length = len(rows[0]) if isinstance(rows, list) and rows and isinstance(rows[0], list) else 0
    if length and len(rows) == expected and all(_is_vector(row, length) for row in rows):
        try:
            with np.errstate(over="ignore"):
                vectors = np.array(rows, dtype=np.float32)
        except OverflowError:  # an integer beyond the largest float
            vectors = np.array([[np.inf]], dtype=np.float32)
        if np.isfinite(vectors).all():
            return vectors
    raise EmbeddingError(
        f"{shown} did not answer with one vector per text",
        hint="check that embedding.model is an embedding model and embedding.baseUrl the right address",
    )


def _is_vector(row: Any, length: int) -> bool:
    return isinstance(row, list) and len(row) == length and all(type(value) in (int, float) for value in row)
