"""indxr's `wiki_suggest_contribution`: where new knowledge belongs in the wiki; nothing is written."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cocosearch_py.operations.wiki_compound import Answer, compounded_answer, wiki_compound
from cocosearch_py.operations.wiki_compound import Arguments as Ours
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.sizes import PAGE_TEXT

if TYPE_CHECKING:
    from cocosearch_py.wiki.routing import Compounded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of indxr's wiki_suggest_contribution."""

    synthesis: Annotated[str, About("Text to add"), PAGE_TEXT]
    source_pages: Annotated[list[str] | None, About("IDs of the pages it came from")] = None
    index_name: Annotated[str | None, About("Index of the repository")] = None


def wiki_suggest_contribution(call: Call, asked: Arguments) -> "Compounded":
    """Tell which page of the wiki a text belongs to, or whether it needs a new one."""
    ours = Ours(synthesis=asked.synthesis, source_pages=asked.source_pages, apply=False, index_name=asked.index_name)
    return wiki_compound(call, ours)


OPERATION = Operation(
    name="wiki_suggest_contribution",
    title="Suggest a wiki page",
    arguments=Arguments,
    run=wiki_suggest_contribution,
    shape=lambda found, _: compounded_answer(found),
    answer=Answer,
    about_indexes=True,
)
