"""All languages, gathered from their folders and from `rows`, and look-ups by what people call them.

It does not look at files (see `detect`) and loads no grammar (see `parsing.parsers`).
"""

import difflib
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from cocosearch_py.errors import ValidationError
from cocosearch_py.languages.language import TEXT_LANGUAGE_ID, Language
from cocosearch_py.languages.rows import ROWS

__all__ = ["LANGUAGES", "TEXT_LANGUAGE_ID", "Language", "family_of", "lexer_name", "resolve_language"]

NEAREST_NAMES_SHOWN = 3  # enough to spot a typing error, short enough for one line
NEAREST_NAME_CUTOFF = 0.5  # below this ratio difflib's guesses look random to a reader
_KEPT_FAMILIES = 1_000


def _from_folders() -> Iterator[Language]:
    """Each folder beside this module is a package with a LANGUAGE, or, without one, what several languages share."""
    with os.scandir(Path(__file__).parent) as entries:
        names = [
            entry.name for entry in entries if entry.is_dir() and entry.name.isidentifier() and entry.name[0] != "_"
        ]
    for name in names:
        language = getattr(import_module(f"{__package__}.{name}"), "LANGUAGE", None)
        if language is not None:
            yield language


def _gather() -> Mapping[str, Language]:
    found = sorted((*_from_folders(), *ROWS), key=lambda language: language.id)
    return MappingProxyType({language.id: language for language in found})


LANGUAGES = _gather()  # by id, in order of ids


def _names_by_lower_case() -> dict[str, str]:
    names: dict[str, str] = {}
    for language in LANGUAGES.values():
        for name in (language.id, language.name.lower(), *language.aliases):
            names.setdefault(name, language.id)
    return names


_ID_BY_NAME = _names_by_lower_case()


def lexer_name(language_id: str) -> str:
    """The name by which a terminal's lexers know a language."""
    language = LANGUAGES.get(language_id)
    return (language and language.lexer) or language_id


def resolve_language(name_or_alias: str) -> str:
    """Return the id of the language that a person calls `name_or_alias` (id, name, alias or ".ext", any case).

    Raises:
        ValidationError: no language has that name; the hint names the nearest ones.
    """
    wanted = name_or_alias.strip().lower()
    found = _ID_BY_NAME.get(wanted)
    if found is None and wanted.startswith("."):
        found = next((language.id for language in LANGUAGES.values() if wanted in language.extensions), None)
    if found is not None:
        return found
    nearest = difflib.get_close_matches(wanted, _ID_BY_NAME, n=NEAREST_NAMES_SHOWN, cutoff=NEAREST_NAME_CUTOFF)
    guess = f"did you mean {', '.join(nearest)}? " if nearest else ""
    raise ValidationError(
        f"unknown language {name_or_alias!r}", hint=f"{guess}run `cocosearch-py languages` to see all names"
    )


@lru_cache(maxsize=_KEPT_FAMILIES)
def family_of(language_id: str) -> str:
    """Return the name of the family of languages whose files use each other's definitions."""
    language = LANGUAGES.get(language_id)
    return (language and language.family) or language_id
