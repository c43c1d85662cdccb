"""Options of an index that came from another database: whether a run of this version could have stored them."""

from collections.abc import Mapping
from typing import Any

from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.model.indexes import STRATEGIES
from cocosearch_py.model.plain import from_plain

_MAX_NUMBER = 2**31 - 1


def check_stored(stored: Mapping[str, Any]) -> None:
    """Raise ValueError unless `ContentOptions.stored` could have given these options."""
    options = from_plain(ContentOptions, stored)
    numbers = (options.chunk_bytes, options.token_size, options.syntax_max_bytes, options.syntax_max_chunks)
    if any(number is not None and not 1 <= number <= _MAX_NUMBER for number in (*numbers, options.max_files_to_embed)):
        raise ValueError("an option is out of range")
    if not (0 <= options.chunk_overlap <= _MAX_NUMBER and 0 <= options.token_overlap <= options.token_size // 2):
        raise ValueError("an overlap is out of range")
    if options.strategy not in STRATEGIES:
        raise ValueError("an unknown strategy")
    if unknown := {*options.languages, *options.language_overrides.values()} - LANGUAGES.keys():
        raise ValueError(f"unknown language {min(unknown):.60}")
    if options.stored() != stored:
        raise ValueError("options that no run stores")
