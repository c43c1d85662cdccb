"""The student's vocabulary and its tokenizer.json, and the folder that fastembed and the product read."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

UNKNOWN = "[UNK]"
CAMEL_BOUNDARY = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"  # getHTTPUrl -> get HTTP Url
WORD = r"[a-z]+|[0-9]+"  # after lowercasing; punctuation and underscores only separate
INT8_STEPS = 127  # symmetric int8: a row's largest value becomes 127
MAX_WORD_LETTERS = 40  # longer runs are hashes and encoded data; they become one unknown token, which has no weight

_WORD_PATTERN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def make_tokenizer(tokens: list[str]) -> Tokenizer:
    """Return the tokenizer: split camel case, lowercase, keep words and numbers, split them by WordPiece."""
    vocabulary = {token: index for index, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=MAX_WORD_LETTERS))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(CAMEL_BOUNDARY), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), "removed", invert=True)
    return tokenizer


def base_vocabulary(teacher_vocabulary: Iterable[str]) -> list[str]:
    """Return the teacher's tokens that the student can meet, unknown token first."""
    kept = [token for token in teacher_vocabulary if re.fullmatch(r"(##)?([a-z]+|[0-9]+)", token)]
    singles = {prefix + letter for prefix in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz0123456789"}
    return [UNKNOWN, *kept, *sorted(singles.difference(kept))]


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count the lowercased parts of identifiers and prose in a package."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word.lower() for word in _WORD_PATTERN.findall(text))
    return counts


def write_folder(folder: Path, tokenizer: Tokenizer, table: NDArray[np.float32]) -> str:
    """Write tokenizer.json, model.safetensors (int8 rows, one float scale per token) and config.json.

    Returns:
        The sha256 of model.safetensors in hex.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scale = np.abs(table).max(axis=1) / INT8_STEPS
    scale[scale == 0] = 1.0
    rows = np.rint(table / scale[:, None]).astype(np.int8)
    save_file({"embeddings": rows, "weights": scale.astype(np.float32)}, folder / "model.safetensors")
    (folder / "model.safetensors").chmod(0o644)  # the library makes it private to its owner
    layout = json.loads(tokenizer.to_str())
    (folder / "tokenizer.json").write_text(json.dumps(layout, separators=(",", ":")), encoding="utf-8")
    config = {"model_type": "model2vec", "hidden_dim": table.shape[1], "normalize": True, "seq_length": 512}
    (folder / "config.json").write_text(json.dumps(config) + "\n", encoding="utf-8")
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
