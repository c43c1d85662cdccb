"""`wiki_record_failure`, `cocosearch-py wiki record-failure`: an attempt that failed, so that nobody repeats it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.model.answers import Count, Share
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.sizes import NOTES
from cocosearch_py.tools.wikis import (
    TOLD,
    Author,
    FailureItem,
    IndexName,
    Sources,
    author_of,
    failure_item,
    meant,
)

if TYPE_CHECKING:
    from cocosearch_py.wiki.routing import RecordedFailure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_record_failure."""

    symptom: Annotated[
        str, About("Observed problem"), NOTES, Flag(names=("--symptom",), metavar="TEXT", help="Observed problem.")
    ]
    attempted_fix: Annotated[
        str,
        About("Attempted fix"),
        NOTES,
        Flag(names=("--attempted-fix",), metavar="TEXT", help="Attempted fix."),
    ]
    diagnosis: Annotated[
        str,
        About("Reason it failed"),
        NOTES,
        Flag(names=("--diagnosis",), metavar="TEXT", help="Reason why the fix failed."),
    ]
    actual_fix: Annotated[
        str | None,
        About("Fix that worked, if known"),
        NOTES,
        Flag(names=("--actual-fix",), metavar="TEXT", help="Fix that worked, if known."),
    ] = None
    source_files: Sources = None
    page: Annotated[
        str | None,
        About("Page to record it on; null: the best match"),
        Flag(names=("--page",), metavar="PAGE", help="Page to record it on (default: the best match)."),
    ] = None
    author: Author = None
    index_name: IndexName = None


class SimilarFailure(FailureItem):
    """A failure recorded before; `score` says how much it is like this one."""

    score: Share


class Answer(TypedDict):
    """The page that keeps it, its number there, and failures like it that were recorded before."""

    page: str
    failure_id: Count
    created: bool
    similar_failures: list[SimilarFailure]
    note: str


def wiki_record_failure(call: Call, asked: Arguments) -> "RecordedFailure":
    """Record a failed fix in the project's wiki, and show similar failures."""
    from cocosearch_py.model.wiki import NewFailure

    app, place = meant(call, writes=True)
    failure = NewFailure(
        asked.symptom, asked.attempted_fix, asked.diagnosis, asked.actual_fix, tuple(asked.source_files or ())
    )
    return app.wiki_routing.record_failure(place, failure, asked.page, author=author_of(call, asked.author))


def _answer(found: "RecordedFailure", _: Arguments) -> Json:
    return {
        "page": found.written.page.page_id,
        "failure_id": found.written.failure_nos[0],
        "created": found.written.created,
        "similar_failures": [{**failure_item(hit.failure), "score": round(hit.score, 4)} for hit in found.similar],
        "note": TOLD,
    }


OPERATION = Operation(
    name="wiki_record_failure",
    title="Record a failure",
    arguments=Arguments,
    run=wiki_record_failure,
    shape=_answer,
    answer=Answer,
    toolset="wiki",
    order=8,
    listed=False,
    about_indexes=True,
    writes=True,
    command=Command(name="wiki record-failure", help="Record a failed fix, and show similar recorded failures."),
)
