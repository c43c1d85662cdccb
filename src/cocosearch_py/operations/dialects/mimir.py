"""What Mimir's tools share: its ids, the parts of its answers, its errors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypedDict

from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import Citation, Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.details import Quoted, citation
from cocosearch_py.tools.runs import find_job

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus

FIRST_BUILD_S = 20.0  # that a question waits for the first build of its index; its clients ask at once
CONTEXT_LINES = 5
CONTEXT = Bounds(0, 20)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """What finds results: meaning, words and names, imports."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    vector: bool = True
    symbol: bool = True
    graph: bool = True


class Content(TypedDict):
    """A text and the lines around it; the three together are a part of the file."""

    pre: str
    text: str
    post: str


class Place(TypedDict):
    """A text of a file. `span` are its bytes, the end excluded, `lines` its first and last line, from 1."""

    path: str
    span: list[Count]
    lines: list[Count]
    content: Content
    citation: Citation


def place(
    record: IndexRecord, path: str, lines: tuple[int, int], quoted: tuple[int, str], around: tuple[str, str]
) -> Json:
    """A text of a file.

    Args:
        quoted: the byte at which the text begins, and the text.
        around: lines before and after it.
    """
    start, text = quoted[0], quoted[1].removesuffix("\n")
    before, after = around
    told = citation(record, Quoted(path, start, text))
    return {
        "path": path,
        "span": told["span"],
        "lines": list(lines),
        "content": {"pre": f"{before}\n" if before else "", "text": text, "post": f"\n{after}" if after else ""},
        "citation": {**told, "rev": told["rev"] or ""},
    }


def failed(described: Json) -> str:
    """A failed call in its words: one text, what happened and what to do."""
    guidance = described.get("actionable_guidance") or []
    return f"Error: {'; '.join([described.get('message', ''), *guidance])}"


def first_build(call: Call, index_id: str) -> "JobStatus | None":
    """The job that makes an index which is not there yet; raises the error of one that failed."""
    app = call.app()
    name = call.name_of(app, index_id)
    if any(record.name == name for record in call.visible(app)):
        return None
    job = find_job(call.jobs, None, name)
    if job is not None and job.error is not None:
        raise job.error
    return None if job is None or job.ended else job


def uri(index_id: str, what: str) -> str:
    """Address of something of an index."""
    return f"mimir://indexes/{index_id}/{what}"
