"""`cocosearch-py languages`: the languages that are known, and what is done with each."""

from dataclasses import dataclass
from typing import TypedDict

from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Operation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """list_languages has no parameters."""


class LanguageItem(TypedDict):
    """One language; `grammar` tells whether its grammar loads here."""

    id: str
    name: str
    aliases: list[str]
    extensions: list[str]
    filenames: list[str]
    kind: str
    grammar: bool
    definitions: bool


def list_languages(_call: Call, _asked: Arguments) -> list[Json]:
    """List languages: names, extensions, whether files are parsed and definitions found."""
    return language_items()


def language_items() -> list[Json]:
    """One object per language, by id."""
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


OPERATION = Operation(
    name="list_languages",
    title="List languages",
    arguments=Arguments,
    run=list_languages,
    shape=lambda items, _: items,
    answer=list[LanguageItem],
    command=Command(
        name="languages",
        help="List languages: names, extensions, and whether files are parsed and definitions found.",
        hidden_names=("grammars",),
    ),
)
