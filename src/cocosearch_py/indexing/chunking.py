"""A file's text to the passages of an index, by the strategy of its options. Pure."""

from typing import NamedTuple

from cocosearch_py.chunking.lines import split_lines
from cocosearch_py.chunking.syntax import split_syntax
from cocosearch_py.chunking.tokens import byte_leads, split_tokens, token_leads
from cocosearch_py.embedding.tokens import token_starts
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.model.chunks import ChunkSpan
from cocosearch_py.model.syntax import SyntaxNode


class Cut(NamedTuple):
    """The passages of a file.

    `leads`: first byte of the text that a passage overlaps with, its own first byte where there is none.
    `is_whole`: a vector is made of all of a passage, however long.
    """

    spans: list[ChunkSpan]
    leads: list[int]
    is_whole: bool = False


def cut_source(source: bytes, root: SyntaxNode | None, content: ContentOptions, tokenizer_file: str | None) -> Cut:
    """Cut a file; without a tree by lines, unless it is by tokens, which `tokenizer_file` tells."""
    if content.strategy == "tokens":
        starts = _token_starts(source, tokenizer_file)
        passages = split_tokens(source, starts, size=content.token_size, overlap=content.token_overlap)
        return Cut(passages, token_leads(passages, starts, content.token_overlap), is_whole=True)
    spans: list[ChunkSpan] | None = None
    if (
        root is not None
        and content.strategy == "treesitter"
        and len(source) <= (content.syntax_max_bytes or len(source))
    ):
        spans = split_syntax(root, source, target_bytes=content.chunk_bytes)
    if spans is None or len(spans) > (content.syntax_max_chunks or len(spans)):
        spans = split_lines(source, target_bytes=content.chunk_bytes)
    return Cut(spans, byte_leads(source, spans, content.chunk_overlap))


def leads_of(source: bytes, spans: list[ChunkSpan], content: ContentOptions, tokenizer_file: str | None) -> list[int]:
    """The `leads` of passages that were cut before."""
    if content.strategy == "tokens":
        return token_leads(spans, _token_starts(source, tokenizer_file), content.token_overlap)
    return byte_leads(source, spans, content.chunk_overlap)


def _token_starts(source: bytes, tokenizer_file: str | None) -> list[int]:
    if tokenizer_file is None:
        raise ValueError("cutting by tokens needs a tokenizer")
    return token_starts(tokenizer_file, source)
