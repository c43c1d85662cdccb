"""From the texts of many chunks to their keyword rows and vectors, in numpy.

A word is a run of letters, digits and underscores. The same few thousand make up all texts of a folder, so what a word
stands for, the terms to count and the tokens to embed, is worked out once and kept under the word's number. What a
chunk's rows hold does not depend on the chunks that are worked on with it.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, count, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from cocosearch_py.analysis import bm25f
from cocosearch_py.analysis.words import TOKEN, Stems
from cocosearch_py.embedding.static_table import StaticTable
from cocosearch_py.embedding.word_pieces import WordPieces
from cocosearch_py.indexing.texts import ChunkText
from cocosearch_py.model.ports import Embedder
from cocosearch_py.storage.lexemes import LEXEME_SPACE, position
from cocosearch_py.storage.schema import copy
from cocosearch_py.storage.write import rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

# A tsvector ends at 1 MB and a sparsevec at 16,000 entries; this many terms of 64 characters fit into both. Only a
# comment of many pages or a huge chunk size has more.
_MAX_CHUNK_TERMS = 4_000
_MAX_WORDS = 40_000  # kept, in about 25 MB; a repository has 5,000 to 50,000, and learning them again takes 0.2 s
_MANY_WORDS = 2_000  # from here on the faster way to their tokens pays, which takes some time to begin with
# Worked on at once, which bounds memory and keeps numbers of chunks and terms within their bits. A longer text is cut:
# only its heaviest terms would be kept.
_SLICE_CHUNKS = 512
_SLICE_CHARS = 2_000_000
# One occurrence of a term as a number of 63 bits, from the highest on: chunk within the slice, position, term, field.
# Sorted, they are in the order of the rows. Without the field it is a key: a term in a chunk.
_POSITION_BITS, _TERM_BITS, _FIELD_BITS = LEXEME_SPACE.bit_length() - 1, 22, 3
_CHUNK_SHIFT = _POSITION_BITS + _TERM_BITS
_TERM_MASK = (1 << _TERM_BITS) - 1
_TEXTS = 1 + len(bm25f.FIELDS)  # of a chunk: the words of its path, which only the vector is made of, and the fields
_OTHERS = bytes(byte for byte in range(128) if not (chr(byte).isalnum() or chr(byte) == "_"))
_ONLY_WORDS = bytes.maketrans(_OTHERS, b" " * len(_OTHERS))


class WordTable:
    """Numbers of words in one process. Not for several threads at once.

    Args:
        embedder: makes the vectors; None leaves them to the caller.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        # The vectors of such a table come from the tokens of words, those of other models from whole texts.
        self._static = embedder if isinstance(embedder, StaticTable) and embedder.keeps_words_apart else None
        self._word_pieces: WordPieces | None = None
        self.forget()

    def forget(self) -> None:
        """Begin anew, with no words."""
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._lengths = array("q")  # tokens of BM25F in each word: "12" and "ab" in 12ab
        self._terms = _Lists()  # places of each word's terms
        self._pieces = _Lists()  # each word's tokens of the static table
        self._places = _Places()
        self._stems = Stems()
        if self._word_pieces is not None:
            self._word_pieces.forget()

    @property
    def is_full(self) -> bool:
        """Whether the next rows begin with no words."""
        return len(self._numbers) > _MAX_WORDS

    @property
    def embeds(self) -> bool:
        return self._embedder is not None

    def add_rows(
        self, index_id: int, chunks: Sequence[ChunkText], into: defaultdict[str, list[bytes]], *, embeds: bool = True
    ) -> Counter[str]:
        """Add one row per chunk for the tables `keywords` and, with an embedder, `vectors`, in their order.

        Args:
            embeds: no vectors are made without it.

        Returns:
            In how many of the chunks each term is.
        """
        frequencies: Counter[str] = Counter()
        for part in _slices(chunks):
            if self.is_full:
                self.forget()
            words, sizes = self._words(part)
            terms, sparse, counts = self._keywords(words, sizes)
            into["keywords"] += [
                rows.keyword_row(index_id, chunk.file_id, chunk.chunk_no, own_terms, weights)
                for chunk, own_terms, weights in zip(part, terms, sparse, strict=True)
            ]
            if embeds and self._embedder is not None:
                vectors = copy.halfvecs(self._vectors(self._embedder, part, words, sizes))
                into["vectors"] += [
                    rows.vector_row(index_id, chunk.file_id, chunk.chunk_no, vector)
                    for chunk, vector in zip(part, vectors, strict=True)
                ]
            frequencies.update(counts)
        return frequencies

    def _words(self, chunks: Sequence[ChunkText]) -> "tuple[Integers, Integers]":
        """Numbers of the words of all texts one after the other; how many each text has, a row of _TEXTS per chunk."""
        known = len(self._numbers)
        lists = [_split(text[:_SLICE_CHARS]) for chunk in chunks for text in (chunk.path_words, *chunk.fields)]
        sizes = np.fromiter(map(len, lists), np.int64, len(lists))
        words = np.fromiter(map(self._numbers.__getitem__, chain.from_iterable(lists)), np.int64, int(sizes.sum()))
        new = list(islice(reversed(self._numbers), len(self._numbers) - known))
        self._learn([word.decode() for word in reversed(new)])
        return words, sizes.reshape(-1, _TEXTS)

    def _learn(self, words: list[str]) -> None:
        # One that does not begin with a digit is one token.
        tokens = [TOKEN.findall(word) if word[0].isdecimal() else [word] for word in words]
        terms = [[term for token in own for term in self._stems.terms_of(token)] for own in tokens]
        self._lengths.extend(map(len, tokens))
        self._terms.extend([list(map(self._places.__getitem__, own)) for own in terms])
        if self._static is not None:
            self._pieces.extend(self._tokens(self._static, words))

    def _tokens(self, table: StaticTable, words: list[str]) -> list[list[int]]:
        """The tokens of each word; of those that are not ASCII, of which no vector is made, any."""
        if self._word_pieces is None and len(self._numbers) > _MANY_WORDS:
            self._word_pieces = table.word_pieces()
        return table.tokens(words) if self._word_pieces is None else list(map(self._word_pieces.of, words))

    def _keywords(self, words: "Integers", sizes: "Integers") -> tuple[list[list[str]], list[bytes], dict[str, int]]:
        """The terms of each chunk, their weights as a field of a row, and in how many chunks each term is."""
        keys, weights = _heaviest(*self._weigh(words, sizes), self._places.names)
        bounds = np.searchsorted(keys, np.arange(len(sizes) + 1) << _CHUNK_SHIFT)
        numbers = keys & _TERM_MASK
        counts = np.bincount(numbers)
        seen = np.flatnonzero(counts)
        frequencies = dict(zip(map(self._places.names.__getitem__, seen.tolist()), counts[seen].tolist(), strict=True))
        names = list(map(self._places.names.__getitem__, numbers.tolist()))
        terms = [names[start:end] for start, end in pairwise(bounds.tolist())]
        keys >>= _TERM_BITS  # terms at one position are one entry
        first = _firsts(keys)
        keys, weights = keys[first], np.add.reduceat(weights, first)
        bounds = np.searchsorted(keys, np.arange(len(sizes) + 1) << _POSITION_BITS)
        return terms, copy.sparsevecs(keys & LEXEME_SPACE - 1, weights, bounds.tolist()), frequencies

    def _weigh(self, words: "Integers", sizes: "Integers") -> "tuple[Integers, Floats]":
        """All keys, ascending, with their BM25F weights."""
        counts = np.concatenate(([0], np.cumsum(np.asarray(self._lengths)[words])))
        ends = np.cumsum(sizes)
        lengths = (counts[ends] - counts[ends - sizes.ravel()]).reshape(sizes.shape)[:, 1:]
        scales = np.empty(lengths.shape)
        for number, field in enumerate(bm25f.FIELDS):
            scales[:, number] = bm25f.scale(field, lengths[:, number])
        chunk, text = np.divmod(np.repeat(np.arange(sizes.size), sizes.ravel()), _TEXTS)
        in_field = text > 0
        places, times = self._terms.of(words[in_field])
        heads = (chunk << _CHUNK_SHIFT + _FIELD_BITS) + text - 1
        occurrences = np.sort((places << _FIELD_BITS) + np.repeat(heads[in_field], times))
        first = _firsts(occurrences)
        times = np.diff(first, append=len(occurrences))
        keys, fields = np.divmod(occurrences[first], 1 << _FIELD_BITS)
        frequencies = scales[keys >> _CHUNK_SHIFT, fields] * times
        first = _firsts(keys)
        return keys[first], bm25f.saturated(np.add.reduceat(frequencies, first))

    def _vectors(
        self, embedder: Embedder, chunks: Sequence[ChunkText], words: "Integers", sizes: "Integers"
    ) -> "NDArray[np.float32]":
        by_words = [
            self._static is not None and chunk.is_plain and chunk.path_words.isascii() and chunk.fields[0].isascii()
            for chunk in chunks
        ]
        if self._static is None or not any(by_words):
            return embedder.embed_documents([chunk.embedded for chunk in chunks])
        chunk, text = np.divmod(np.repeat(np.arange(sizes.size), sizes.ravel()), _TEXTS)
        seen = (text < 2) & np.asarray(by_words)[chunk]
        pieces, counts = self._pieces.of(words[seen])
        per_chunk = np.bincount(chunk[seen], counts, minlength=len(chunks)).astype(np.int64)
        vectors = self._static.pool(pieces, per_chunk.tolist())
        others = [number for number, one in enumerate(by_words) if not one]
        if others:
            vectors[others] = embedder.embed_documents([chunks[number].embedded for number in others])
        return vectors


class _Lists:
    """Lists of integers, found by their number; more are added at the end."""

    def __init__(self) -> None:
        self._items, self._starts = array("q"), array("q", [0])

    def extend(self, lists: Sequence[Sequence[int]]) -> None:
        self._items.extend(chain.from_iterable(lists))
        self._starts.extend(islice(accumulate(map(len, lists), initial=self._starts[-1]), 1, None))

    def of(self, numbers: "Integers") -> "tuple[Integers, Integers]":
        """The lists of these numbers one after the other, and the length of each."""
        starts = np.asarray(self._starts)
        lengths = starts[numbers + 1] - starts[numbers]
        ends = np.cumsum(lengths)
        skipped = np.repeat(starts[numbers] - (ends - lengths), lengths)
        return np.asarray(self._items)[np.arange(len(skipped)) + skipped], lengths


class _Places(dict[str, int]):
    """Position and number of each term in one integer, made when first asked for; `names` are by number."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __missing__(self, term: str) -> int:
        self[term] = place = position(term) << _TERM_BITS | len(self.names)
        self.names.append(term)
        return place


def _slices(chunks: Sequence[ChunkText]) -> Iterator[Sequence[ChunkText]]:
    start = chars = 0
    for end, chunk in enumerate(chunks):
        own = sum(map(len, chunk.fields))
        if end - start == _SLICE_CHUNKS or (chars + own > _SLICE_CHARS and end > start):
            yield chunks[start:end]
            start, chars = end, 0
        chars += own
    if start < len(chunks):
        yield chunks[start:]


def _split(text: str) -> list[bytes]:
    if text.isascii():
        return text.encode().translate(_ONLY_WORDS).split()
    return [token.encode() for token in TOKEN.findall(text)]


def _firsts(ascending: "Integers") -> "Integers":
    """Where each distinct value stands first."""
    return np.flatnonzero(np.diff(ascending, prepend=-1))


def _heaviest(keys: "Integers", weights: "Floats", names: Sequence[str]) -> "tuple[Integers, Floats]":
    """All but the lightest terms of chunks that have more than _MAX_CHUNK_TERMS; among equals the alphabet decides."""
    chunk = keys >> _CHUNK_SHIFT
    if np.bincount(chunk, minlength=1).max() <= _MAX_CHUNK_TERMS:
        return keys, weights
    order = sorted(range(len(keys)), key=lambda one: (chunk[one], -weights[one], names[int(keys[one] & _TERM_MASK)]))
    rank = np.arange(len(keys)) - np.searchsorted(chunk, chunk)  # the order keeps the chunks where they are
    kept = np.sort(np.asarray(order)[rank < _MAX_CHUNK_TERMS])
    return keys[kept], weights[kept]
