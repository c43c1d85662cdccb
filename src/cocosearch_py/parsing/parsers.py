"""Parsers and compiled queries, one of each per language and process, built when first needed.

A grammar that is not installed or does not fit gives None, never an error. tree-sitter holds the GIL while it
parses, so a process needs one parser only; these are not for use by several threads at once.
"""

import importlib
import warnings
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language as Grammar
from tree_sitter import Parser, Query, QueryError

from cocosearch_py.languages import LANGUAGES, symbols_query

_COMMENT_NODE_TYPES = ("comment", "line_comment", "block_comment", "multiline_comment", "Comment")


@dataclass(frozen=True, slots=True)
class LoadedGrammar:
    """What one language needs. `query` captures definitions and comments; None when neither can be captured."""

    parser: Parser
    query: Query | None


@cache
def load_grammar(language_id: str) -> LoadedGrammar | None:
    """Return the parser and query of a language, or None when it has no grammar here."""
    language = LANGUAGES.get(language_id)
    if language is None or language.grammar is None:
        return None
    module_name, _, function_name = language.grammar.partition(":")
    try:
        module = importlib.import_module(module_name)
        with warnings.catch_warnings():  # older wheels hand over an address instead of a capsule; both work
            warnings.simplefilter("ignore", DeprecationWarning)
            grammar = Grammar(getattr(module, function_name or "language")())
    except (ImportError, AttributeError, ValueError):  # not installed, other names inside, other ABI version
        return None
    return LoadedGrammar(Parser(grammar), _compile_query(grammar, language_id))


def has_grammar(language_id: str) -> bool:
    """Say whether files of this language are parsed here; loads the grammar."""
    return load_grammar(language_id) is not None


def _compile_query(grammar: Grammar, language_id: str) -> Query | None:
    """Compile the language's own query; where it has none or it does not fit the grammar, one for comments."""
    text = symbols_query(language_id)
    if text is not None:
        try:
            return Query(grammar, text)
        except QueryError:  # the installed grammar has other node names than the one the query was written for
            pass
    comments = [name for name in _COMMENT_NODE_TYPES if grammar.id_for_node_kind(name, True) is not None]
    return Query(grammar, "\n".join(f"({name}) @comment" for name in comments)) if comments else None
