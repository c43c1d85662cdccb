"""Metadata of a folder with an ONNX embedding model, from the files that sentence-transformers writes.

Reads small JSON files and hashes the large ones; loads no model and imports no model runtime.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cocosearch_py.embedding.static_table import fingerprint
from cocosearch_py.errors import EmbeddingError

ONNX_PLACES = (
    "model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model.onnx",
    "onnx/model_quantized.onnx",
)  # first found wins
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
POOLING_FILE = "1_Pooling/config.json"  # how tokens become one vector
LENGTH_FILE = "sentence_bert_config.json"  # how many tokens the model was tuned on
PROMPTS_FILE = "config_sentence_transformers.json"  # what the model wants before a query or a document
EXTERNAL_DATA = ("_data", ".data")  # endings of the file beside model.onnx that holds the weights of a large model
MAX_TOKENS = 512  # of one text; a chunk has about 270, and memory grows with the square of the longest

_POOLINGS = {
    "mean": "MEAN",
    "mean_tokens": "MEAN",
    "mean_sqrt_len_tokens": "MEAN",  # the same direction
    "cls": "CLS",
    "cls_token": "CLS",
    "lasttoken": "LAST_TOKEN",
}


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """One folder's model; `name` changes with every file that changes its vectors."""

    name: str
    model_file: str  # relative to the folder
    pooling: str  # a member of fastembed's PoolingType
    max_tokens: int
    query_prompt: str
    document_prompt: str


def read_onnx_folder(folder: Path) -> OnnxFolder:
    """Read what is needed to run the model.

    Raises:
        EmbeddingError: a file is missing or not usable.
    """
    model_file = next((place for place in ONNX_PLACES if (folder / place).is_file()), None)
    if model_file is None:
        raise EmbeddingError(
            f"{folder} has no embedding model",
            hint="put model.onnx, or a static table (model.safetensors) with tokenizer.json there, "
            "or change embedding.model; docs/how-to/better-embeddings.md exports a transformer",
        )
    missing = [name for name in TOKENIZER_FILES if not (folder / name).is_file()]
    if missing:
        raise EmbeddingError(
            f"the ONNX embedding model in {folder} lacks {' and '.join(missing)}",
            hint="copy the tokenizer files that belong to the model into its folder",
        )
    prompts = _read_object(folder / PROMPTS_FILE).get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    length = _read_object(folder / LENGTH_FILE).get("max_seq_length")
    return OnnxFolder(
        name=f"{folder.name}@{fingerprint(*_files(folder, model_file))}",
        model_file=model_file,
        pooling=_pooling(folder),
        max_tokens=min(length, MAX_TOKENS) if type(length) is int and length > 0 else MAX_TOKENS,  # true is no length
        query_prompt=str(prompts.get("query") or ""),
        document_prompt=str(prompts.get("document") or prompts.get("passage") or ""),
    )


def _files(folder: Path, model_file: str) -> list[Path]:
    """Every file that the vectors depend on, the same ones in the same order for the same model."""
    weights = [model_file, *(model_file + ending for ending in EXTERNAL_DATA)]
    names = (*weights, *TOKENIZER_FILES, POOLING_FILE, LENGTH_FILE, PROMPTS_FILE)
    return [folder / name for name in names if (folder / name).is_file()]


def _pooling(folder: Path) -> str:
    """Return the name of fastembed's pooling; without the file, the mean, which most models use."""
    said = _read_object(folder / POOLING_FILE)
    prefix = "pooling_mode_"
    modes = [key.removeprefix(prefix) for key, value in said.items() if key.startswith(prefix) and value is True]
    if isinstance(said.get("pooling_mode"), str):
        modes.append(said["pooling_mode"])
    if not modes:
        return "MEAN"
    if len(modes) > 1 or modes[0] not in _POOLINGS:
        raise EmbeddingError(
            f"the embedding model in {folder} pools its tokens by {' and '.join(modes)}, which is not supported",
            hint="use a model that pools by mean, cls or lasttoken, or export it with its pooling inside model.onnx",
        )
    return _POOLINGS[modes[0]]


def _read_object(path: Path) -> dict[str, Any]:
    """Return the file's JSON object, empty when there is no file."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise EmbeddingError(f"{path} cannot be read: {error}", hint="export the model again") from error
    if not isinstance(content, dict):
        raise EmbeddingError(f"{path} is not a JSON object", hint="export the model again")
    return content
