"""What a language is: names, extensions, grammars and definition queries. Parses nothing."""

from cocosearch_py.languages.detect import detect_language
from cocosearch_py.languages.queryfiles import symbols_query
from cocosearch_py.languages.table import LANGUAGES, TEXT_LANGUAGE_ID, Language, resolve_language

__all__ = [
    "LANGUAGES",
    "TEXT_LANGUAGE_ID",
    "Language",
    "detect_language",
    "resolve_language",
    "symbols_query",
]
