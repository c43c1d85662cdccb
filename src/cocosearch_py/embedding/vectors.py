"""Small rules that every embedder shares: cutting vectors and making them unit length."""

import numpy as np
from numpy.typing import NDArray

from cocosearch_py.errors import EmbeddingError


def checked_dimension(wanted: int | None, available: int) -> int:
    """Return the length of vectors to give: `wanted`, or `available` when None.

    Raises:
        EmbeddingError: the model has fewer values than wanted.
    """
    if wanted is None:
        return available
    if not 1 <= wanted <= available:
        raise EmbeddingError(
            f"the embedding model gives vectors of {available} values, not {wanted}",
            hint=f"set embedding.outputDimension to a number from 1 to {available}, or leave it out",
        )
    return wanted


def fit_rows(rows: NDArray[np.float32], dimension: int) -> NDArray[np.float32]:
    """Return the first `dimension` values of each row, L2-normalised; a zero row stays zero."""
    cut = np.array(rows[:, :dimension], dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", cut, cut))[:, None]
    result = np.zeros_like(cut)
    np.divide(cut, norms, out=result, where=norms > 0)
    return result
