"""Languages: names, extensions, grammars and definition queries. Parses nothing."""

from cocosearch_py.languages.detect import detect_language
from cocosearch_py.languages.queries import facts_query, query_text, symbols_query, tells_references
from cocosearch_py.languages.table import LANGUAGES, TEXT_LANGUAGE_ID, Language, family_of, lexer_name, resolve_language

__all__ = [
    "LANGUAGES",
    "TEXT_LANGUAGE_ID",
    "Language",
    "detect_language",
    "facts_query",
    "family_of",
    "lexer_name",
    "query_text",
    "resolve_language",
    "symbols_query",
    "tells_references",
]
