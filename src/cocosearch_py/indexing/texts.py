"""The texts that a chunk is found by: its content, what the definitions in it are called, the comments and the path."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from cocosearch_py.analysis.paths import keyword_fields
from cocosearch_py.model.syntax import ParsedSource

_MAX_EMBEDDED_CHARS = 2_000  # a chunk is about 1,000; a single huge line is not worth more


class ChunkText(NamedTuple):
    """One chunk's texts; `fields` in the order of `bm25f.FIELDS`, content first.

    `lead` is what the chunk overlaps with: text before it that its vector is also made of, and that no keyword comes
    from. `is_whole`: the vector is made of all of the content, however long.
    """

    file_id: int
    chunk_no: int
    path_words: str
    fields: tuple[str, ...]
    lead: str = ""
    is_whole: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the path and the content, all of it, are what counts for the vector."""
        return not self.lead and (self.is_whole or len(self.fields[0]) <= _MAX_EMBEDDED_CHARS)

    @property
    def embedded(self) -> str:
        """The text of the vector."""
        return _embedded(self.path_words, self.fields[0], self.lead, is_whole=self.is_whole)


def embedded_text(path: str, content: str, lead: str, *, is_whole: bool) -> str:
    """The text of the vector of a chunk, as `ChunkText.embedded` has it."""
    return _embedded(_path_words(path), content, lead, is_whole=is_whole)


def _embedded(path_words: str, content: str, lead: str, *, is_whole: bool) -> str:
    return f"{path_words}\n{lead}{content if is_whole else content[:_MAX_EMBEDDED_CHARS]}"


def _path_words(path: str) -> str:
    return path.replace("/", " ")


class FileTexts:
    """The texts of one file, by chunk.

    Args:
        starts: first byte of each chunk.
        first_chunk: for each definition the chunk in which it starts.
    """

    def __init__(
        self, path: str, source: bytes, parsed: ParsedSource, starts: Sequence[int], first_chunk: Sequence[int]
    ) -> None:
        self._path_words = _path_words(path)
        self._path_fields = keyword_fields(path)
        self._docs: dict[int, list[str]] = {}
        for start, end in parsed.comments:
            chunk = max(bisect_right(starts, start) - 1, 0)
            self._docs.setdefault(chunk, []).append(source[start:end].decode("utf-8", "replace"))
        self._names: dict[int, list[str]] = {}
        self._signatures: dict[int, list[str]] = {}
        for symbol, chunk in zip(parsed.symbols, first_chunk, strict=True):
            self._names.setdefault(chunk, []).append(symbol.name)
            self._signatures.setdefault(chunk, []).append(symbol.signature)

    def of_chunk(
        self, file_id: int, chunk_no: int, content: str, lead: str = "", *, is_whole: bool = False
    ) -> ChunkText:
        """The texts of one chunk."""
        of_chunk = ("\n".join(texts.get(chunk_no, ())) for texts in (self._docs, self._names, self._signatures))
        return ChunkText(file_id, chunk_no, self._path_words, (content, *of_chunk, *self._path_fields), lead, is_whole)
