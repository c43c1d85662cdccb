"""Mimir's tools: its ids, the parts of its answers, its errors."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from cocosearch_py.compat.adapter import adapter
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.ask.tools import MAX_TOKENS
from cocosearch_py.features.indexing.service import begin_runs
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments as Ours
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.service import Searched, search_code
from cocosearch_py.model.answers import Bounds, Count, Part, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import Hit
from cocosearch_py.tools.answer import Arguments, Json
from cocosearch_py.tools.answers import Citation
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting
from cocosearch_py.tools.details import Quoted, citation, leg_scores, start_of
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.registry import answer_of
from cocosearch_py.tools.runs import find_job, index_of
from cocosearch_py.tools.sizes import PATHS, PATTERNS, QUERY

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus

FIRST_BUILD_S = 20.0  # that a question waits for the first build of its index; its clients ask at once
CONTEXT_LINES = 5
CONTEXT = Bounds(0, 20)
_GRAPH_SHARE = 4  # of so many results at most one is there for its imports alone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """Ways to find results: meaning, words and names, imports."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    vector: bool = True
    symbol: bool = True
    graph: bool = True


class Content(Part):
    """A text and the lines around it; the three together are a part of the file."""

    pre: str
    text: str
    post: str


class Place(Part):
    """A text of a file. `span` are its bytes, the end excluded, `lines` its first and last line, from 1."""

    path: str
    span: tuple[Count, ...]
    lines: tuple[Count, ...]
    content: Content
    citation: Citation


def place(
    record: IndexRecord, path: str, lines: tuple[int, int], quoted: tuple[int, str], around: tuple[str, str]
) -> Json:
    """Describe a passage of a file, with its place and its citation.

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
    """Return the text of a failed call: what happened and what to do."""
    guidance = described.get("actionable_guidance") or []
    return f"Error: {'; '.join([described.get('message', ''), *guidance])}"


def first_build(call: Call, index_id: str) -> "JobStatus | None":
    """Return the job that is building an index not there yet; raise the error of one that failed."""
    app = call.app()
    name = call.name_of(app, index_id)
    if any(record.name == name for record in call.visible(app)):
        return None
    job = find_job(call.jobs, None, name)
    if job is not None and job.error is not None:
        raise job.error
    return None if job is None or job.ended else job


def uri(index_id: str, what: str) -> str:
    """Return the URI of a resource of an index."""
    return f"mimir://indexes/{index_id}/{what}"


class IndexArguments(Arguments):
    """Parameters of Mimir's cancel and get_repo_bundle."""

    index_id: Annotated[str, About("From ensure_repo_index")]


class Cancelled(Part):
    """`ok` is false when the run had ended before."""

    ok: bool
    message: str


def _cancelled(_: Call, answer: Json, __: IndexArguments) -> Cancelled:
    if answer["state"] in ("completed", "failed"):
        return Cancelled(ok=False, message=f"Pipeline {answer['state']} before it was cancelled")
    return Cancelled(ok=True, message="Pipeline cancelled")


CANCEL = adapter(
    "cancel",
    "Stop indexing",
    "cancel_indexing",
    arguments=IndexArguments,
    answer=Cancelled,
    ask=lambda asked: {"index_name": asked.index_id},
    reply=_cancelled,
    failed=failed,
)


class Bundle(Part):
    """Addresses of resources; the bundle is made when it is read."""

    bundle_uri: str
    manifest_uri: str


def _bundle(call: Call, _: IndexArguments) -> Json:
    index_id = call.find().records[0].ulid
    return {"bundle_uri": uri(index_id, "bundle.tar.zst"), "manifest_uri": uri(index_id, "manifest.json")}


GET_REPO_BUNDLE = Operation(
    name="get_repo_bundle",
    title="Bundle of an index",
    arguments=IndexArguments,
    answer=Bundle,
    run=_bundle,
    shape=lambda answer, _: answer,
    about_indexes=True,
    names_index="index_id",
    failed=failed,
)


class SearchRepoArguments(Arguments):
    """Parameters of Mimir's search_repo."""

    index_id: Annotated[str, About("From ensure_repo_index")]
    query: Annotated[str, About("Text to search for"), QUERY]
    k: Annotated[int, About("Results"), Bounds(1, 100)] = 20
    features: Annotated[Features | None, About("Retrieval features to use")] = None
    context_lines: Annotated[int, About("Lines around each"), CONTEXT] = CONTEXT_LINES


class LegScores(Part):
    """How well each way of finding likes a result."""

    vector: Share
    symbol: Share
    graph: Share


class Result(Place, kw_only=True):
    """A result."""

    score: Share
    scores: LegScores


class Results(Part):
    """The results, best first; `total` counts the passages that were weighed."""

    results: tuple[Result, ...]
    total: Count
    query_time_ms: float


def _search_repo(call: Call, asked: SearchRepoArguments) -> Searched | Waiting[Searched]:
    """Search an index by meaning, by names and along imports."""
    features = asked.features or Features()
    ours = SearchCodeArguments(
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


def _results(searched: Searched, asked: SearchRepoArguments) -> Any:
    record = searched.reports[0][0]
    joined = [_joined(record, item) for item in searched.joined[: asked.k // _GRAPH_SHARE]]
    items = [_item(one, hit) for one, hit in searched.hits[: asked.k - len(joined)]] + joined
    reports = [report for _, report in searched.reports]
    told = {
        "total": max(len(items), sum(report.fused_count for report in reports)),
        "query_time_ms": round(sum(report.timings_ms["total_ms"] for report in reports), 1),
    }
    return fit(items, lambda kept: {"results": list(kept), **told})


def _item(record: IndexRecord, hit: Hit) -> Json:
    scores = {name: score or 0.0 for name, score in leg_scores(hit).items()}
    lines, quoted = (hit.start_line, hit.end_line), (hit.start_byte, hit.content)
    found = place(record, hit.file_path, lines, quoted, (hit.context_before, hit.context_after))
    return {**found, "score": hit.score, "scores": scores}


def _joined(record: IndexRecord, item: Json) -> Json:
    scores = {name: score or 0.0 for name, score in item["scores"].items()}
    lines, quoted = (item["start_line"], item["end_line"]), (item["byte_span"][0], item["content"])
    found = place(record, item["citation"]["path"], lines, quoted, ("", ""))
    return {**found, "score": item["score"], "scores": scores}


SEARCH_REPO = Operation(
    name="search_repo",
    title="Search an index",
    arguments=SearchRepoArguments,
    answer=Results,
    run=_search_repo,
    shape=_results,
    about_indexes=True,
    names_index="index_id",
    failed=failed,
)


class AskIndexArguments(Arguments):
    """Parameters of Mimir's ask_index."""

    index_id: Annotated[str, About("From ensure_repo_index")]
    question: Annotated[str, About("A question about the code")]
    context_lines: Annotated[int, About("Lines around each piece of evidence"), CONTEXT] = CONTEXT_LINES


class AskStep(Part):
    """Lookup, and the number of its results."""

    step: Count
    intent: str
    query: str
    results_count: Count


class Evidence(Place, kw_only=True):
    """Lines that tell of the answer."""

    relevance: Share


class AskIndexAnswer(Part):
    """The steps in order, and evidence, the most telling first."""

    question: str
    reasoning_steps: tuple[AskStep, ...]
    evidence: tuple[Evidence, ...]
    query_time_ms: float


def _ask_index(call: Call, asked: AskIndexArguments) -> Json | Waiting[Json]:
    """Answer a question about the code of an index with evidence."""
    if (job := first_build(call, asked.index_id)) is not None:
        return Waiting(job, FIRST_BUILD_S, lambda _: _ask(call, asked))
    return _ask(call, asked)


def _ask(call: Call, asked: AskIndexArguments) -> Json:
    started = time.perf_counter()
    ours = {"question": asked.question, "index_name": asked.index_id, "context_lines": asked.context_lines}
    answer = answer_of(call, "ask_codebase", {**ours, "max_tokens": MAX_TOKENS})
    return {
        "question": asked.question,
        "reasoning_steps": answer["reasoning_steps"],
        "evidence": _evidence(call, call.find().records[0], answer["evidence"]),
        "confidence": answer["confidence"],
        "query_time_ms": round((time.perf_counter() - started) * 1000, 1),
    }


def _evidence(call: Call, record: IndexRecord, pieces: Sequence[Json]) -> list[Json]:
    app = call.app()
    texts: dict[str, str] = {}
    evidence = []
    for one in pieces:
        path, (first, last), content = one["path"], one["lines"], one["content"]
        if path not in texts:
            read = call.look(app, record, partial(app.navigation.text_of_file, path, None, None, record))
            texts[path] = read.files[0].text if read.files else ""
        quoted = (start_of(texts[path], first), content["text"])
        found = place(record, path, (first, last), quoted, (content["pre"], content["post"]))
        evidence.append({**found, "relevance": one["relevance"], "via": one["via"]})
    return evidence


ASK_INDEX = Operation(
    name="ask_index",
    title="Ask about the code",
    arguments=AskIndexArguments,
    answer=AskIndexAnswer,
    run=_ask_index,
    shape=lambda answer, _: fit(answer["evidence"], lambda shown: {**answer, "evidence": list(shown)}),
    about_indexes=True,
    names_index="index_id",
    failed=failed,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options:
    """Mimir's options of indexing. `context_lines` only appears in the manifest: each search has its own."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    context_lines: int = CONTEXT_LINES
    max_files_to_embed: int | None = None
    excludes: list[str] | None = None
    features: Features | None = None


class EnsureRepoIndexArguments(Arguments):
    """Parameters of Mimir's ensure_repo_index."""

    path: Annotated[str, About("Folder of the repository"), PATHS]
    rev: Annotated[str, About("Branch, tag or commit; HEAD means the files on disk")] = "HEAD"
    language: Annotated[
        Literal["ts", "tsx", "js", "jsx", "py", "rs", "go"], About("A hint; files of all languages are indexed")
    ] = "ts"
    index_opts: Annotated[Options | None, About("Indexing options"), PATTERNS] = None


class IndexAddresses(Part):
    """The index, also before its first run ends, and addresses of resources."""

    index_id: str
    status_uri: str
    manifest_uri: str


def _ensure_repo_index(call: Call, asked: EnsureRepoIndexArguments) -> Waiting[str]:
    """Begin to make the index of a repository, or to bring it up to date."""
    options = asked.index_opts or Options()
    _check(options)
    rev = None if asked.rev == "HEAD" else asked.rev  # which a folder without git has, too
    features = options.features or Features()
    ours = Ours(
        path=asked.path,
        exclude=options.excludes,
        rev=rev,
        max_files_to_embed=options.max_files_to_embed,
        context_lines=options.context_lines,
        features={"vector": features.vector, "symbol": features.symbol, "graph": features.graph and features.symbol},
        wait_s=0,
    )
    begun = begin_runs(call, ours)
    if not isinstance(begun, Waiting):
        raise TypeError("only an estimate has no job")
    folder = call.folder_to_index(asked.path)
    index_id = call.app(folder).catalog.identify(index_of(begun.job), folder)
    return Waiting(begun.job, 0, lambda _: index_id)


def _check(options: Options) -> None:
    if not CONTEXT.minimum <= options.context_lines <= (CONTEXT.maximum or 0):
        raise ValidationError(f"context_lines {options.context_lines} is out of range", hint="use 0 to 20")
    if options.max_files_to_embed is not None and options.max_files_to_embed < 1:
        raise ValidationError("max_files_to_embed is less than 1", hint="leave it out to embed all files")


def _addresses(index_id: str, _: EnsureRepoIndexArguments) -> Json:
    return {
        "index_id": index_id,
        "status_uri": uri(index_id, "status.json"),
        "manifest_uri": uri(index_id, "manifest.json"),
    }


ENSURE_REPO_INDEX: "Operation[EnsureRepoIndexArguments, str]" = Operation(
    name="ensure_repo_index",
    title="Index a repository",
    arguments=EnsureRepoIndexArguments,
    run=_ensure_repo_index,
    shape=_addresses,
    answer=IndexAddresses,
    about_project=True,
    failed=failed,
)
