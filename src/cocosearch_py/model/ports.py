"""Ports: what upper layers ask of exchangeable parts."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from cocosearch_py.model.files import FileVersion

if TYPE_CHECKING:  # numpy costs 60 ms to import, which commands that embed no batch need not pay
    from array import array

    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors of one length; vectors of different names never compare."""

    @property
    def name(self) -> str:
        """Stable identity of model and weights, kept beside the vectors in the database."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    @property
    def tokenizer_file(self) -> Path:
        """The file, in the format of Hugging Face's tokenizers, that texts are cut into tokens by.

        Of a model behind an endpoint, which shows none, it is the bundled model's.
        """

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed texts to find.

        Returns:
            len(texts) x dimension, rows in the order of `texts`, L2-normalised; a text without a known word
            gives a zero row.
        Raises:
            EmbeddingError: the model cannot be loaded or does not answer.
        """

    def embed_query(self, text: str) -> "NDArray[np.float32] | array[float]":
        """Embed one query; the vector has `dimension` values and obeys the same rules."""


@runtime_checkable
class Limitable(Protocol):
    """An embedder that can be asked otherwise for a while."""

    def limited(self, batch_size: int | None, timeout_s: float | None) -> Embedder:
        """Return this model with limits on texts per call and on the wait for an answer; None keeps either."""


class OfFiles(Protocol):
    """A report about files of an index, which can be compared with the disk."""

    @property
    def versions(self) -> Mapping[str, FileVersion]:
        """The files that it is about, by path, as the index holds them."""

    @property
    def stale(self) -> str | None:
        """Return a sentence about files that are not as on disk."""

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """Return the report without files that are gone; `why` says what else is not as on disk."""
