"""Opening the embedding model that the options name."""

from functools import cache
from pathlib import Path

from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.embedding.static_table import BUNDLED_FOLDER, StaticTable, is_static_folder
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.ports import Embedder

__all__ = ["EmbeddingOptions", "open_bundled", "open_embedder"]

PROVIDERS = ("fastembed", "ollama", "openai", "openrouter")
DEFAULT_MODEL = "default"  # what `model` may say for the bundled table
BUNDLED_FAMILY = "cocosearch-static"
# Of its table and tokenizer, as `fingerprint` finds it: reading ten megabytes takes longer than embedding a query.
BUNDLED_FINGERPRINT = "02713d8d709a"


def open_embedder(options: EmbeddingOptions) -> Embedder:
    """Load the model that `options` name, or connect to its endpoint.

    Raises:
        EmbeddingError: unknown provider or model, model not at hand, endpoint not answering.
    """
    if options.provider not in PROVIDERS:
        raise EmbeddingError(
            f"unknown embedding provider {options.provider!r}",
            hint=f"set embedding.provider to one of: {', '.join(PROVIDERS)}",
        )
    if options.provider == "fastembed":
        return _open_local(options)
    if not options.model:
        raise EmbeddingError(f"the provider {options.provider} needs a model name", hint="set embedding.model")
    # Imported here: Python's HTTP client costs as much time as loading the bundled table.
    from cocosearch_py.embedding.endpoints import OllamaEmbedder, OpenAiEmbedder

    if options.provider == "ollama":
        return OllamaEmbedder(options.model, options)
    return OpenAiEmbedder(options.model, options)


@cache
def open_bundled(dimension: int | None = None) -> StaticTable:
    """Load the static table inside the package, once per process; no network, no fastembed.

    Its name is "cocosearch-static-<dimension>@<first hex digits of the sha256 of its table and tokenizer>".
    """
    return StaticTable(
        BUNDLED_FOLDER,
        family=BUNDLED_FAMILY,
        dimension=dimension,
        digits=BUNDLED_FINGERPRINT,
        keeps_words_apart=True,
    )


def _open_local(options: EmbeddingOptions) -> Embedder:
    if options.model is None or options.model == DEFAULT_MODEL:
        return open_bundled(options.output_dimension)
    folder = Path(options.model).expanduser()
    if folder.is_dir() and is_static_folder(folder):
        return StaticTable(folder, dimension=options.output_dimension)
    # Imported here: fastembed takes longer to import than a whole search with the bundled table.
    try:
        from cocosearch_py.embedding.fastembed_models import open_fastembed_folder, open_fastembed_model
    except ImportError as error:
        raise EmbeddingError(
            f"the model {options.model} needs fastembed, which is not installed: {error}",
            hint="use the bundled model; or, on an Intel Mac, Python 3.13: fastembed has no wheel for 3.14 there",
        ) from error

    if folder.is_dir():
        return open_fastembed_folder(folder, options)
    return open_fastembed_model(options.model, options)
