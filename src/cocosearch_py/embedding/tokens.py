"""Where the tokens of a text begin, by the tokenizer of an embedding model; the model itself is not loaded."""

from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from tokenizers import Tokenizer

from cocosearch_py.errors import EmbeddingError


def token_starts(tokenizer_file: str, text: bytes) -> list[int]:
    """First byte of each token of a text in UTF-8, none below the one before it; special tokens do not count.

    Raises:
        EmbeddingError: the file is not a tokenizer.
    """
    decoded = text.decode("utf-8", "replace")
    encoding = _open(tokenizer_file).encode(decoded, add_special_tokens=False)
    starts = list(accumulate((start for start, _ in encoding.offsets), max))
    if text.isascii():
        return starts
    bytes_before = [0, *accumulate(len(char.encode()) for char in decoded)]
    return [bytes_before[start] for start in starts]


@lru_cache(4)
def _open(tokenizer_file: str) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_str(Path(tokenizer_file).read_text(encoding="utf-8"))
    except Exception as error:  # the Rust library raises bare Exception for every malformed file
        raise EmbeddingError(
            f"the tokenizer of the embedding model, {tokenizer_file}, cannot be read",
            hint="set indexing.strategy to treesitter or lines, or repair the model's folder",
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
