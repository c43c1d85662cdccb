"""indxr's `wiki_suggest_contribution`: the page that new knowledge belongs to; nothing is written."""

from dataclasses import dataclass
from typing import Annotated

from cocosearch_py.features.wiki.answers import Placement
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.sizes import PAGE_TEXT


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of indxr's wiki_suggest_contribution."""

    synthesis: Annotated[str, About("Text to add"), PAGE_TEXT]
    source_pages: Annotated[list[str] | None, About("IDs of the pages it came from")] = None
    index_name: Annotated[str | None, About("Index of the repository")] = None


def wiki_suggest_contribution(call: Call, asked: Arguments) -> Json:
    """Tell which page of the wiki a text belongs to, or whether it needs a new one."""
    ours = {"synthesis": asked.synthesis, "source_pages": asked.source_pages, "index_name": asked.index_name}
    placement: Json = answer_of(call, "wiki_compound", {**ours, "apply": False})
    return placement


OPERATION = Operation(
    name="wiki_suggest_contribution",
    title="Suggest a wiki page",
    arguments=Arguments,
    run=wiki_suggest_contribution,
    shape=lambda placement, _: placement,
    answer=Placement,
    about_indexes=True,
)
