"""Tools of indxr."""

from typing import Annotated

from msgspec import structs

from cocosearch_py.compat.adapter import adapter
from cocosearch_py.features.wiki.answers import Placement
from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools.answer import Arguments, Json
from cocosearch_py.tools.call import Call
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


class RegenerateArguments(Arguments):
    """indxr's regenerate_index has no parameters."""


class Regenerated(Part):
    """Content of the index; `status` is "running" when the run takes longer than 20 s."""

    status: str
    message: str
    path: str
    files_indexed: Count
    total_lines: Count


def _regenerated(call: Call, answer: Json, _: RegenerateArguments) -> Regenerated:
    if "stats" not in answer:
        message = f"call index_status with job_id {answer['job_id']}"
        return Regenerated(status="running", message=message, path=answer["path"], files_indexed=0, total_lines=0)
    app = call.app()
    stats = app.catalog.stats(call.named(app, answer["index_name"]))
    files, lines = stats.record.file_count, sum(language.lines for language in stats.languages)
    message = f"index brought up to date ({files} files, {lines} lines); export_index writes INDEX.md"
    return Regenerated(status="ok", message=message, path=answer["path"], files_indexed=files, total_lines=lines)


# Writes no file into the project.
REGENERATE_INDEX = adapter(
    "regenerate_index",
    "Bring the index up to date",
    "index_codebase",
    arguments=RegenerateArguments,
    answer=Regenerated,
    ask=lambda _: {"path": "."},
    reply=_regenerated,
    about_project=True,
)
