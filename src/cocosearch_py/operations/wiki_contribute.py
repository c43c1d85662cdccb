"""`wiki_contribute`, `cocosearch-py wiki write`: write a page of the wiki."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.sizes import NOTES, PAGE_TEXT
from cocosearch_py.tools.wikis import (
    Author,
    BrokenLink,
    IndexName,
    Sources,
    author_of,
    broken_items,
    given_texts,
    meant,
    new_failure,
    text_or_file,
)

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Written


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_contribute."""

    page: Annotated[
        str,
        About("Page ID: lower case, digits, -; a new ID creates a page"),
        Flag(metavar="PAGE", help="Page ID; a new ID creates a page."),
    ]
    content: Annotated[
        str,
        About("Whole page in Markdown; [[page-id]] links to a page"),
        PAGE_TEXT,
        Flag(
            metavar="TEXT",
            read=text_or_file,
            help="Whole page in Markdown; @FILE reads a file, - reads standard input.",
        ),
    ]
    title: Annotated[
        str | None,
        About("Title; required for a new page"),
        Flag(names=("--title",), metavar="TITLE", help="Title; required for a new page."),
    ] = None
    page_type: Annotated[
        str | None,
        About("For a new page: architecture, module, entity or topic (default)"),
        Flag(
            names=("--type",),
            metavar="TYPE",
            help="Type of a new page: architecture, module, entity or topic (default).",
        ),
    ] = None
    source_files: Sources = None
    contradictions: Annotated[
        list[dict[str, Any]] | None, About("To add: {description, source?}; source: where it is stated"), NOTES
    ] = None
    resolve_contradictions: Annotated[
        bool,
        About("Mark the existing ones as resolved"),
        Flag(names=("--resolve-contradictions",), help="Mark the page's existing contradictions as resolved."),
    ] = False
    failures: Annotated[
        list[dict[str, Any]] | None,
        About("To add: {symptom, attempted_fix, diagnosis, actual_fix?, source_files?}"),
        NOTES,
    ] = None
    resolve_failures: Annotated[
        bool,
        About("Mark the existing ones as resolved"),
        Flag(names=("--resolve-failures",), help="Mark the page's existing failures as resolved."),
    ] = False
    if_version: Annotated[
        int | None,
        About("Write only if this is the latest version; 0: only a new page"),
        Flag(
            names=("--if-version",),
            metavar="N",
            minimum=0,
            help="Write only if this is the page's latest version; 0 means only a new page.",
        ),
    ] = None
    author: Author = None
    index_name: IndexName = None


class Answer(TypedDict):
    """What was written; a page to which nothing is new keeps its version. `missing_sources` are not there."""

    page: str
    title: str
    version: Count
    created: bool
    updated: bool
    broken_links: list[BrokenLink]
    missing_sources: list[str]
    failure_ids: list[int]
    resolved_contradictions: Count
    resolved_failures: Count


def wiki_contribute(call: Call, asked: Arguments) -> "Written":
    """Create a page of the project's wiki, or write a new version of it; older versions are kept."""
    from cocosearch_py.model.wiki import Contribution, NewContradiction

    app, place = meant(call, writes=True)
    notes = [given_texts(one, ("description",), ("source",)) for one in asked.contradictions or ()]
    return app.wikis.write(
        place,
        Contribution(
            asked.page,
            asked.content,
            title=asked.title,
            page_type=asked.page_type,
            sources=asked.source_files,
            contradictions=[NewContradiction(**note) for note in notes],
            resolve_contradictions=asked.resolve_contradictions,
            failures=[new_failure(one) for one in asked.failures or ()],
            resolve_failures=asked.resolve_failures,
            if_version=asked.if_version,
            author=author_of(call, asked.author),
        ),
    )


def written_answer(written: "Written") -> Json:
    """What was written, as an `Answer`."""
    return {
        "page": written.page.page_id,
        "title": written.page.title,
        "version": written.page.version,
        "created": written.created,
        "updated": written.changed and not written.created,
        "broken_links": broken_items(written.broken),
        "missing_sources": list(written.missing_sources),
        "failure_ids": list(written.failure_nos),
        "resolved_contradictions": written.contradictions_resolved,
        "resolved_failures": written.failures_resolved,
    }


OPERATION = Operation(
    name="wiki_contribute",
    title="Write a wiki page",
    arguments=Arguments,
    run=wiki_contribute,
    shape=lambda written, _: written_answer(written),
    answer=Answer,
    toolset="wiki",
    order=5,
    listed=False,
    about_indexes=True,
    writes=True,
    command=Command(
        name="wiki write",
        help="""Create a wiki page, or write a new version of it.

        `cocosearch-py wiki write auth @auth.md --title "Signing in" --source src/auth.py` reads the text from a file.
        """,
    ),
)
