"""`languages`: what is known, what is parsed."""

from typing import Any

from cocosearch_py.cli.session import Session


def languages(session: Session) -> None:
    """List languages: names, extensions, whether files are parsed and definitions found."""
    items = language_items()
    if session.json:
        session.emit(items)
        return
    from cocosearch_py.cli.views.tables import show_languages

    show_languages(session.console, items)


def language_items() -> list[dict[str, Any]]:
    """One object per language, by id. `grammar` tells whether its grammar loads here."""
    from cocosearch_py.languages import LANGUAGES, symbols_query
    from cocosearch_py.parsing.parsers import has_grammar

    return [
        {
            "id": language.id,
            "name": language.name,
            "aliases": list(language.aliases),
            "extensions": list(language.extensions),
            "filenames": list(language.filenames),
            "kind": language.kind,
            "grammar": has_grammar(language.id),
            "definitions": has_grammar(language.id) and symbols_query(language.id) is not None,
        }
        for language in sorted(LANGUAGES.values(), key=lambda language: language.id)
    ]
