"""Options of the embedding model."""

from dataclasses import dataclass, field

from cocosearch_py.errors import EmbeddingError

BATCH_TEXTS = 8  # texts in one model run: larger ONNX batches are what exhausts memory
THREADS = 2  # of one ONNX session: leaves cores to the other workers
TIMEOUT_S = 60.0  # one answer of an endpoint, which may load its model first


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """Which model embeds, and how.

    `model` for the provider fastembed: None or "default" for the bundled table, a fastembed model name, or a
    local folder with a static table (model.safetensors) or an ONNX model. For the other providers: the
    endpoint's own name.
    """

    provider: str = "fastembed"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    output_dimension: int | None = None  # None: as the model has it
    batch_size: int = BATCH_TEXTS
    threads: int = THREADS
    timeout_s: float = TIMEOUT_S
    cache_dir: str | None = None  # None: where fastembed keeps its models
    offline: bool = True  # never download a model; endpoints are not concerned


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
