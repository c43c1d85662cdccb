"""Static embeddings: a text's vector is the weighted mean of its tokens' rows in one table.

Reads folders in the model2vec layout (model.safetensors, tokenizer.json) without fastembed, whose import
alone takes longer than a whole search may; fastembed on the same folder gives the same vectors, which a
test proves.
"""

import hashlib
import json
import mmap
import os
import struct
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from math import prod, sqrt
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from cocosearch_py.embedding.options import checked_dimension
from cocosearch_py.embedding.word_pieces import WordPieces
from cocosearch_py.errors import EmbeddingError

if TYPE_CHECKING:  # numpy is imported for the first batch: a command that searches once embeds one text, without it
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

BUNDLED_FOLDER = Path(__file__).parent / "data"
TABLE_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
TABLE_TENSOR = "embeddings"  # one row per token; a transformer's file has others

MAX_TOKENS = 512  # what fastembed keeps of a text for static models; later tokens are ignored
SLICE_TEXTS = 256  # texts pooled at once: bounds the float rows of their distinct tokens to a few MiB
FINGERPRINT_HEX_DIGITS = 12  # 48 bits tell a user's models apart
CACHED_ROWS = 250  # of the words that questions share; 2 MB
LONG_QUERY_CHARS = 1_000  # from here the import of numpy is sooner paid back than its absence
HASH_BLOCK_BYTES = 1 << 20  # read size while hashing
HEADER_LENGTH_BYTES = 8  # a safetensors file starts with its header's length, little endian
HEADER_MAX_BYTES = 1 << 20  # a table has three tensors, a transformer hundreds; longer is no header

# How struct and numpy spell the types of values; all are little endian.
_FORMS = {"F64": "d", "F32": "f", "F16": "e", "I8": "b", "I64": "q", "I32": "i"}


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor inside a mapped file: pages are read when used, and shared between processes."""

    data: mmap.mmap
    start: int  # in bytes
    form: str
    shape: tuple[int, ...]

    def row(self, number: int, length: int = 1) -> tuple[float, ...]:
        """The first values of a row; of a vector, the value at this place."""
        at = self.start + number * prod(self.shape[1:]) * struct.calcsize(f"<{self.form}")
        return struct.unpack_from(f"<{length}{self.form}", self.data, at)

    def array(self) -> "NDArray[Any]":
        """All of it, in place."""
        import numpy as np

        return np.frombuffer(self.data, f"<{self.form}", prod(self.shape), self.start).reshape(self.shape)


class StaticTable:
    """An embedder over one folder; safe to share between threads and to use after a fork.

    Args:
        folder: holds model.safetensors and tokenizer.json.
        family: start of the name, which ends in the hash of both files; None takes the folder's name.
        dimension: keep only the first values of each vector; None keeps all.
        digits: that hash, where it is known already.
        keeps_words_apart: whether a text of ASCII has the tokens that its runs of letters, digits and underscores have,
            each taken alone, in their order.
    Raises:
        EmbeddingError: a file is missing or is not of this layout.
    """

    def __init__(
        self,
        folder: Path,
        *,
        family: str | None = None,
        dimension: int | None = None,
        digits: str = "",
        keeps_words_apart: bool = False,
    ) -> None:
        self.keeps_words_apart = keeps_words_apart
        # The library's own threads do not survive a fork and would fight with our worker processes; it can be
        # told so only here.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # noqa: TID251
        tensors = _map_tensors(folder / TABLE_FILE)
        rows = tensors.get(TABLE_TENSOR)
        if rows is None or len(rows.shape) != 2:
            raise _bad_folder(folder, "has no table of embeddings")
        self.tokenizer_file = folder / TOKENIZER_FILE
        self._rows = rows
        self._weights = tensors.get("weights")
        self._mapping = tensors.get("mapping")
        self._vocabulary_size = (self._mapping or rows).shape[0]
        self._dimension = checked_dimension(dimension, rows.shape[1])
        self._weighted_row = lru_cache(CACHED_ROWS)(self._read_weighted_row)
        if not digits:
            self.load()  # a folder of somebody else's may not hold what it should
            digits = fingerprint(folder / TABLE_FILE, folder / TOKENIZER_FILE)
        self._name = f"{family or folder.name}-{self._dimension}@{digits}"

    def load(self) -> None:
        """Read the tokenizer now, which is else read when it is first needed; raises EmbeddingError."""
        _ = self._tokenizer

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        tokenizer = _load_tokenizer(self.tokenizer_file)
        if tokenizer.get_vocab_size() > self._vocabulary_size:
            raise _bad_folder(self.tokenizer_file.parent, "has more tokens than rows")
        return tokenizer

    @cached_property
    def _unknown_id(self) -> int | None:
        return _unknown_id(self._tokenizer)

    @property
    def name(self) -> str:
        """Identity of the table and its tokenizer."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one L2-normalised row per text; a text without known words gives zeros."""
        import numpy as np

        result = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), SLICE_TEXTS):
            tokens = self.tokens(texts[start : start + SLICE_TEXTS])
            ids = np.fromiter(chain.from_iterable(tokens), np.int64)
            result[start : start + len(tokens)] = self.pool(ids, list(map(len, tokens)))
        return result

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text's tokens, no more than MAX_TOKENS of one text."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def word_pieces(self) -> WordPieces:
        """Return what gives single words of ASCII the same tokens, of the bundled table alone; takes 30 ms to make."""
        return WordPieces(self._tokenizer.get_vocab(), self._unknown_id or 0, MAX_TOKENS)

    def embed_query(self, text: str) -> "array[float]":
        """Return the text's L2-normalised vector, up to rounding the one that `embed_documents` gives."""
        if len(text) > LONG_QUERY_CHARS:
            return array("f", self.embed_documents([text])[0].tobytes())
        unknown = self._unknown_id
        ids = [token for token in self._tokenizer.encode(text, add_special_tokens=False).ids if token != unknown]
        if "numpy" in sys.modules:
            total = self._sum_of_rows(ids)
        else:
            rows = map(self._weighted_row, ids)
            total = list(map(sum, zip(*rows, strict=True))) if ids else [0.0] * self._dimension
        norm = sqrt(sum(map(mul, total, total))) or 1.0
        return array("f", [value / norm for value in total])

    def _sum_of_rows(self, ids: Sequence[int]) -> list[float]:
        """Sum rows with numpy: equal to the sum without it to the last digit, in a tenth of the time."""
        import numpy as np

        places = ids if self._mapping is None else self._mapping.array()[ids]
        rows: NDArray[np.float64] = self._rows.array()[places, : self._dimension].astype("f8")
        if self._weights is not None:
            rows *= self._weights.array()[ids, None].astype("f8")
        total: list[float] = rows.sum(axis=0).tolist()  # row by row, as one adds them up by hand
        return total

    def _read_weighted_row(self, token: int) -> tuple[float, ...]:
        place = token if self._mapping is None else int(self._mapping.row(token)[0])
        weight = 1.0 if self._weights is None else self._weights.row(token)[0]
        return tuple(map(mul, self._rows.row(place, self._dimension), repeat(weight)))

    def pool(self, ids: "NDArray[np.int64]", counts: Sequence[int]) -> "NDArray[np.float32]":
        """Return the vectors of texts, given all their token ids one after the other and how many each text has.

        Rows are summed text by text, because one text's rows fit the processor's cache: faster than one
        segmented sum, and unlike a matrix product it starts no threads and gives a text the same vector in
        any batch.
        """
        import numpy as np

        from cocosearch_py.embedding.vectors import fit_rows

        out = np.zeros((len(counts), self._dimension), dtype=np.float32)
        seen = np.zeros(self._vocabulary_size, dtype=np.bool_)
        seen[ids] = True
        distinct = np.flatnonzero(seen)
        places = np.empty(self._vocabulary_size, dtype=np.int64)
        places[distinct] = np.arange(len(distinct))
        vectors, places_of_ids = self._vectors(distinct), places[ids]
        end = 0
        for row, count in enumerate(counts):
            start, end = end, end + count
            vectors[places_of_ids[start : min(end, start + MAX_TOKENS)]].sum(axis=0, out=out[row])
        return fit_rows(out, self._dimension)

    def _vectors(self, ids: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """Return the weighted float rows of distinct token ids; the unknown token's row is zero."""
        places = ids if self._mapping is None else self._mapping.array()[ids]
        vectors: NDArray[np.float32] = self._rows.array()[places, : self._dimension].astype("f4")
        if self._weights is not None:
            vectors *= self._weights.array()[ids, None].astype("f4")
        if self._unknown_id is not None:
            vectors[ids == self._unknown_id] = 0.0
        return vectors


def is_static_folder(folder: Path) -> bool:
    """Tell whether a folder holds a static table; the weights of a transformer have the same file name.

    Raises:
        EmbeddingError: the file is damaged.
    """
    if not ((folder / TABLE_FILE).is_file() and (folder / TOKENIZER_FILE).is_file()):
        return False
    return TABLE_TENSOR in _read_header(folder / TABLE_FILE)[0]


def fingerprint(*paths: Path) -> str:
    """Return the first hex digits of the sha256 over the files' bytes, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                while block := file.read(HASH_BLOCK_BYTES):
                    digest.update(block)
        except OSError as error:
            raise _bad_folder(path.parent, f"cannot be read ({path.name}: {error.strerror})") from error
    return digest.hexdigest()[:FINGERPRINT_HEX_DIGITS]


def _load_tokenizer(path: Path) -> "Tokenizer":
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _bad_folder(path.parent, f"has no readable {path.name}") from error
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # the Rust library raises bare Exception for every malformed file
        raise _bad_folder(path.parent, f"has a {path.name} that is not a tokenizer") from error
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _unknown_id(tokenizer: "Tokenizer") -> int | None:
    model: Any = tokenizer.model  # the model classes share no typed base with `unk_token`
    unknown = getattr(model, "unk_token", None)
    if isinstance(unknown, str):
        found: int | None = tokenizer.token_to_id(unknown)
        return found
    index = getattr(model, "unk_id", None)
    return index if isinstance(index, int) else None


def _map_tensors(path: Path) -> dict[str, _Tensor]:
    header, start, data = _read_header(path)
    try:
        return {name: _tensor(data, start, entry) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError) as error:
        raise _bad_folder(path.parent, f"has no readable {path.name}") from error


def _read_header(path: Path) -> tuple[dict[str, Any], int, mmap.mmap]:
    """Return what the file says about its tensors, where they start, and the mapped file."""
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header_bytes = int.from_bytes(data[:HEADER_LENGTH_BYTES], "little")
        if header_bytes > HEADER_MAX_BYTES:
            raise ValueError("header too long")
        start = HEADER_LENGTH_BYTES + header_bytes
        header = json.loads(data[HEADER_LENGTH_BYTES:start])
        if not isinstance(header, dict):
            raise ValueError("header is not an object")
    except (OSError, ValueError, RecursionError) as error:
        raise _bad_folder(path.parent, f"has no readable {path.name}") from error
    return header, start, data


def _tensor(data: mmap.mmap, start: int, entry: dict[str, Any]) -> _Tensor:
    first, last = entry["data_offsets"]
    form, shape = _FORMS[entry["dtype"]], tuple(entry["shape"])
    if not 0 <= first <= last <= len(data) - start or last - first != prod(shape) * struct.calcsize(f"<{form}"):
        raise ValueError("position or length differs from the header")
    return _Tensor(data, start + first, form, shape)


def _bad_folder(folder: Path, why: str) -> EmbeddingError:
    return EmbeddingError(
        f"the embedding model in {folder} {why}",
        hint="point embedding.model at a folder with model.safetensors and tokenizer.json, or leave it out",
    )
