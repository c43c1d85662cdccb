"""Parsers and compiled queries, one of each per language and process, built when first needed.

A grammar that is not installed or does not fit gives None, never an error. tree-sitter holds the GIL while it
parses, so a process needs one parser only; these are not for use by several threads at once, which `parse_source`
sees to.
"""

import importlib
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language as Grammar
from tree_sitter import Parser, Query, QueryError

from cocosearch_py.languages import LANGUAGES, facts_query, symbols_query
from cocosearch_py.parsing.kinds import kinds_of, loose_patterns, loosened

_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT_NODE_TYPES = ("comment", "line_comment", "block_comment", "multiline_comment", "Comment")


@dataclass(frozen=True, slots=True)
class LoadedGrammar:
    """Grammar of one language with its queries.

    `query` captures definitions, comments and, from pattern `first_fact` on, facts; None when there is nothing that it
    could capture. Of matches of the `loose` patterns it is seen by `kinds` whether they are any, see `parsing.kinds`.
    """

    parser: Parser
    query: Query | None
    first_fact: int = 0
    loose: frozenset[int] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_facts(self) -> bool:
        """Whether references, imports and figures of functions are looked for at all."""
        return self.query is not None and self.first_fact < self.query.pattern_count


@cache
def parser_of(language_id: str) -> Parser | None:
    """Return the parser of a language, or None when it has no grammar here."""
    language = LANGUAGES.get(language_id)
    if language is None or language.grammar is None:
        return None
    module_name, _, function_name = language.grammar.partition(":")
    try:
        module = importlib.import_module(module_name)
        with warnings.catch_warnings():  # older wheels hand over an address instead of a capsule; both work
            warnings.simplefilter("ignore", DeprecationWarning)
            return Parser(Grammar(getattr(module, function_name or "language")()))
    except (ImportError, AttributeError, ValueError):  # not installed, other names inside, other ABI version
        return None


@cache
def load_grammar(language_id: str) -> LoadedGrammar | None:
    """Return the parser and query of a language, or None when it has no grammar here.

    Compiling a query takes up to 0.4 s of processor time; what needs none uses `parser_of`.
    """
    parser = parser_of(language_id)
    if parser is None or parser.language is None:
        return None
    for symbols, facts in _texts(parser.language, language_id):
        whole = f"{symbols}\n{facts}"
        try:
            query = Query(parser.language, whole)
        except QueryError as error:  # the installed grammar has other node names than the query was written for
            if error.__cause__ is not None and not isinstance(error.__cause__, re.error):
                raise error.__cause__ from None  # a signal while tree-sitter compiles an expression of the query
            continue
        first_fact = _first_fact(query, len(symbols.encode()))
        return LoadedGrammar(parser, query, first_fact, loose_patterns(query, whole.encode()), kinds_of(query))
    return LoadedGrammar(parser, None)


@cache
def keywords(language_id: str) -> frozenset[bytes]:
    """The words that a grammar writes out, as `if` and `return`; none where there is no grammar here."""
    parser = parser_of(language_id)
    if parser is None or parser.language is None:
        return frozenset()
    grammar = parser.language
    numbers = range(grammar.node_kind_count)
    written = [one for one in numbers if grammar.node_kind_is_visible(one) and not grammar.node_kind_is_named(one)]
    kinds = map(grammar.node_kind_for_id, written)
    return frozenset(kind.encode() for kind in kinds if kind and _WORD.fullmatch(kind))


def has_grammar(language_id: str) -> bool:
    """Say whether files of this language are parsed here."""
    return parser_of(language_id) is not None


def _texts(grammar: Grammar, language_id: str) -> Iterator[tuple[str, str]]:
    """The queries of definitions and of facts, as pairs: the language's own, then what is left if one does not fit."""
    comments = [name for name in _COMMENT_NODE_TYPES if grammar.id_for_node_kind(name, True) is not None]
    fallback = "\n".join(f"({name}) @comment" for name in comments)
    own_facts = loosened(facts_query(language_id) or "")
    for symbols in (loosened(symbols_query(language_id) or fallback), fallback):
        yield from ((symbols, facts) for facts in (own_facts, "") if symbols or facts)


def _first_fact(query: Query, size_bytes: int) -> int:
    """The first pattern that begins behind so many bytes."""
    count = query.pattern_count
    return next((number for number in range(count) if query.start_byte_for_pattern(number) >= size_bytes), count)
