"""Cutting vectors and making them unit length, for every embedder."""

import numpy as np
from numpy.typing import NDArray


def fit_rows(rows: NDArray[np.float32], dimension: int) -> NDArray[np.float32]:
    """Return the first `dimension` values of each row, L2-normalised; a zero row stays zero."""
    cut = np.array(rows[:, :dimension], dtype=np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", cut, cut))[:, None]
    result = np.zeros_like(cut)
    np.divide(cut, norms, out=result, where=norms > 0)
    return result
