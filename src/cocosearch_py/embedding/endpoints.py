"""Models behind HTTP: Ollama, and services with OpenAI's embeddings interface."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.embedding.vectors import checked_dimension, fit_rows
from cocosearch_py.errors import EmbeddingError

OLLAMA_URL = "http://localhost:11434"
OPENAI_URLS = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}
ERROR_TEXT_CHARS = 200  # of an endpoint's own message, enough to name the cause
STATUS_HINTS = {
    401: "set the right API key",
    403: "set the right API key",
    404: "check embedding.model and embedding.base_url",
    429: "wait, or raise the service's rate limit",
}
PROBE_TEXT = "dimension"  # embedded once to learn the model's dimension


class _Endpoint:
    """What both kinds of endpoint share: batching, the dimension, blank texts, normalised rows."""

    def __init__(self, model: str, url: str, options: EmbeddingOptions) -> None:
        self._model = model
        self._url = url
        self._options = options
        self._dimension = checked_dimension(options.output_dimension, len(self._request([PROBE_TEXT])[0]))
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

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one L2-normalised row per text; a blank text gives zeros and is not sent."""
        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        filled = [index for index, text in enumerate(texts) if text.strip()]
        step = max(1, self._options.batch_size)
        for start in range(0, len(filled), step):
            places = filled[start : start + step]
            rows = np.array(self._request([texts[index] for index in places]), dtype=np.float32)
            if rows.ndim != 2 or rows.shape[1] < self._dimension:
                raise EmbeddingError(
                    f"the embedding model {self._name} changed the length of its vectors",
                    hint="run the indexing again with the model as it is now",
                )
            result[places] = fit_rows(rows, self._dimension)
        return result

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the query's L2-normalised vector; a blank text gives zeros."""
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def _request(self, texts: list[str]) -> list[list[float]]:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._options.output_dimension is not None:
            body["dimensions"] = self._options.output_dimension
        answer = _post(self._url, body, api_key=self._options.api_key, timeout_s=self._options.timeout_s)
        return _vectors(self._rows(answer), len(texts), self._url)

    def _rows(self, answer: dict[str, Any]) -> Any:
        """Return what the answer holds where the vectors should be, in the order of the texts."""
        raise NotImplementedError


class OllamaEmbedder(_Endpoint):
    """A model served by Ollama (`/api/embed`)."""

    def __init__(self, model: str, options: EmbeddingOptions) -> None:
        base = (options.base_url or OLLAMA_URL).rstrip("/")
        super().__init__(model, f"{base}/api/embed", options)

    def _rows(self, answer: dict[str, Any]) -> Any:
        return answer.get("embeddings")


class OpenAiEmbedder(_Endpoint):
    """A model behind OpenAI's `/embeddings` interface, at OpenAI, OpenRouter or any `base_url`."""

    def __init__(self, model: str, options: EmbeddingOptions) -> None:
        base = (options.base_url or OPENAI_URLS[options.provider]).rstrip("/")
        super().__init__(model, f"{base}/embeddings", options)

    def _rows(self, answer: dict[str, Any]) -> Any:
        try:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            return [item["embedding"] for item in items]
        except (KeyError, TypeError, ValueError):
            return None


def _post(url: str, body: dict[str, Any], *, api_key: str | None, timeout_s: float) -> dict[str, Any]:
    """Send JSON and return the JSON object answered; no error shows the key."""
    if not url.lower().startswith(("http://", "https://")):
        raise EmbeddingError(
            "embedding.base_url is no HTTP address", hint="write it as http://host:port or https://host/path"
        )
    headers = {"Content-Type": "application/json"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    shown = _without_credentials(url)
    try:
        request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers, method="POST")
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            answer = json.loads(response.read())
    except urllib.error.HTTPError as error:
        raise _refused(shown, error, api_key) from None
    except (OSError, ValueError) as error:
        reason = _masked(str(getattr(error, "reason", error)), api_key)
        raise EmbeddingError(
            f"no usable answer from {shown}: {reason}",
            hint="check that the service runs, embedding.base_url and embedding.timeout_s",
        ) from None
    if not isinstance(answer, dict):
        raise _unexpected(shown)
    return answer


def _refused(shown: str, error: urllib.error.HTTPError, api_key: str | None) -> EmbeddingError:
    with error:
        said = error.read(ERROR_TEXT_CHARS).decode("utf-8", "replace").strip()
    return EmbeddingError(
        f"{shown} refused with status {error.code}: {_masked(said, api_key)}",
        hint=STATUS_HINTS.get(error.code, "see the service's own log, or lower embedding.batch_size"),
    )


def _vectors(rows: Any, expected: int, url: str) -> list[list[float]]:
    if (
        not isinstance(rows, list)
        or len(rows) != expected
        or not all(_is_vector(row) and len(row) == len(rows[0]) for row in rows)
    ):
        raise _unexpected(_without_credentials(url))
    return rows


def _is_vector(row: Any) -> bool:
    return isinstance(row, list) and bool(row) and all(isinstance(value, int | float) for value in row)


def _unexpected(shown: str) -> EmbeddingError:
    return EmbeddingError(
        f"{shown} answered with something other than one vector per text",
        hint="check that embedding.model is an embedding model and embedding.base_url the right interface",
    )


def _masked(text: str, api_key: str | None) -> str:
    return text.replace(api_key, "***") if api_key else text


def _without_credentials(url: str) -> str:
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
