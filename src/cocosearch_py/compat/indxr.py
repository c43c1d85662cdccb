"""Tools of indxr."""

from typing import Annotated

from msgspec import structs

from cocosearch_py.compat.adapter import adapter
from cocosearch_py.features.wiki.answers import Placement
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About
from cocosearch_py.tools.sizes import PAGE_TEXT


class SuggestContributionArguments(Arguments):
    """Parameters of indxr's wiki_suggest_contribution."""

    synthesis: Annotated[str, About("Text to add"), PAGE_TEXT]
    source_pages: Annotated[list[str] | None, About("IDs of the pages it came from")] = None
    index_name: Annotated[str | None, About("Index of the repository")] = None


WIKI_SUGGEST_CONTRIBUTION = adapter(
    "wiki_suggest_contribution",
    "Suggest a wiki page",
    "wiki_compound",
    arguments=SuggestContributionArguments,
    answer=Placement,
    ask=lambda asked: {**structs.asdict(asked), "apply": False},
    reply=lambda _, answer, __: answer,
    about_indexes=True,
)
