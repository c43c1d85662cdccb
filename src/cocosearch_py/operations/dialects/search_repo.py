"""Mimir's `search_repo`: results with scores by leg, the text around them and where to quote it from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from cocosearch_py.compat.mimir import (
    CONTEXT,
    CONTEXT_LINES,
    FIRST_BUILD_S,
    Features,
    Place,
    failed,
    first_build,
    place,
)
from cocosearch_py.model.answers import Bounds, Count, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.search_code import Arguments as Ours
from cocosearch_py.operations.search_code import Searched, search_code
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting
from cocosearch_py.tools.details import leg_scores
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.sizes import QUERY

if TYPE_CHECKING:
    from cocosearch_py.model.search import Hit

_GRAPH_SHARE = 4  # of so many results at most one is there for its imports alone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Mimir's search_repo."""

    index_id: Annotated[str, About("From ensure_repo_index")]
    query: Annotated[str, About("Text to search for"), QUERY]
    k: Annotated[int, About("Results"), Bounds(1, 100)] = 20
    features: Annotated[Features | None, About("Retrieval features to use")] = None
    context_lines: Annotated[int, About("Lines around each"), CONTEXT] = CONTEXT_LINES


class Scores(TypedDict):
    """How well each way of finding likes a result."""

    vector: Share
    symbol: Share
    graph: Share


class Item(Place):
    """A result."""

    score: Share
    scores: Scores


class Answer(TypedDict):
    """The results, best first; `total` counts the passages that were weighed."""

    results: list[Item]
    total: Count
    query_time_ms: float


def search_repo(call: Call, asked: Arguments) -> Searched | Waiting[Searched]:
    """Search an index by meaning, by names and along imports."""
    features = asked.features or Features()
    ours = Ours(
        query=asked.query,
        index_name=asked.index_id,
        limit=asked.k,
        context_lines=asked.context_lines,
        features={"vector": features.vector, "symbol": features.symbol, "graph": features.graph},
        details=True,
    )
    if (job := first_build(call, asked.index_id)) is not None:
        return Waiting(job, FIRST_BUILD_S, lambda _: search_code(call, ours))
    return search_code(call, ours)


def _answer(searched: Searched, asked: Arguments) -> Any:
    record = searched.reports[0][0]
    joined = [_joined(record, item) for item in searched.joined[: asked.k // _GRAPH_SHARE]]
    items = [_item(one, hit) for one, hit in searched.hits[: asked.k - len(joined)]] + joined
    reports = [report for _, report in searched.reports]
    told = {
        "total": max(len(items), sum(report.fused_count for report in reports)),
        "query_time_ms": round(sum(report.timings_ms["total_ms"] for report in reports), 1),
    }
    return fit(items, lambda kept: {"results": list(kept), **told})


def _item(record: IndexRecord, hit: "Hit") -> Json:
    scores = {name: score or 0.0 for name, score in leg_scores(hit).items()}
    lines, quoted = (hit.start_line, hit.end_line), (hit.start_byte, hit.content)
    found = place(record, hit.file_path, lines, quoted, (hit.context_before, hit.context_after))
    return {**found, "score": hit.score, "scores": scores}


def _joined(record: IndexRecord, item: Json) -> Json:
    scores = {name: score or 0.0 for name, score in item["scores"].items()}
    lines, quoted = (item["start_line"], item["end_line"]), (item["byte_span"][0], item["content"])
    found = place(record, item["citation"]["path"], lines, quoted, ("", ""))
    return {**found, "score": item["score"], "scores": scores}


OPERATION = Operation(
    name="search_repo",
    title="Search an index",
    arguments=Arguments,
    run=search_repo,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    names_index="index_id",
    failed=failed,
)
