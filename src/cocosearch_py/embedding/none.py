"""Placeholder for a model that is not available.

Where an index has no vectors, everything is like nothing, so words alone answer.
"""

from array import array
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.embedding.static_table import BUNDLED_FOLDER, TOKENIZER_FILE
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.indexes import NO_MODEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class NoEmbedder:
    """An embedder that gives zeros."""

    name = NO_MODEL
    dimension = 1
    tokenizer_file: Path = BUNDLED_FOLDER / TOKENIZER_FILE

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One zero for each text."""
        import numpy as np

        return np.zeros((len(texts), self.dimension), np.float32)

    def embed_query(self, _: str) -> "array[float]":
        """A zero."""
        return array("f", [0.0])


class Unanswering(NoEmbedder):
    """Stands for a model that could not be opened, or did not answer a moment ago."""

    def __init__(self, error: EmbeddingError) -> None:
        self._error = error

    def embed_query(self, _: str) -> "array[float]":
        """Raise what the model said."""
        raise copy(self._error)  # each one collects a traceback
