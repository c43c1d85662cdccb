"""Mimir's `ask_index`: evidence for a question, and the steps that led to it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypedDict

from cocosearch_py.compat.mimir import (
    CONTEXT,
    CONTEXT_LINES,
    FIRST_BUILD_S,
    Place,
    failed,
    first_build,
    place,
)
from cocosearch_py.model.answers import Count, Share
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.ask_codebase import MAX_TOKENS, ask_codebase
from cocosearch_py.operations.ask_codebase import OPERATION as OURS
from cocosearch_py.operations.ask_codebase import Arguments as Ours
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting
from cocosearch_py.tools.details import start_of
from cocosearch_py.tools.fitting import fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Mimir's ask_index."""

    index_id: Annotated[str, About("From ensure_repo_index")]
    question: Annotated[str, About("A question about the code")]
    context_lines: Annotated[int, About("Lines around each piece of evidence"), CONTEXT] = CONTEXT_LINES


class Step(TypedDict):
    """What was looked up, and how much that brought."""

    step: Count
    intent: str
    query: str
    results_count: Count


class Evidence(Place):
    """Lines that tell of the answer."""

    relevance: Share


class Answer(TypedDict):
    """The steps in order, and evidence, the most telling first."""

    question: str
    reasoning_steps: list[Step]
    evidence: list[Evidence]
    query_time_ms: float


def ask_index(call: Call, asked: Arguments) -> Json | Waiting[Json]:
    """Answer a question about the code of an index with evidence."""
    if (job := first_build(call, asked.index_id)) is not None:
        return Waiting(job, FIRST_BUILD_S, lambda _: _ask(call, asked))
    return _ask(call, asked)


def _ask(call: Call, asked: Arguments) -> Json:
    started = time.perf_counter()
    ours = Ours(
        question=asked.question,
        index_name=asked.index_id,
        context_lines=asked.context_lines,
        max_tokens=MAX_TOKENS,
    )
    found = ask_codebase(call, ours)
    told = OURS.shape(found, ours)
    return {
        "question": asked.question,
        "reasoning_steps": told["reasoning_steps"],
        "evidence": _evidence(call, found.record, told["evidence"]),
        "confidence": told["confidence"],
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


def _answer(told: Json, _: Arguments) -> Any:
    return fit(told["evidence"], lambda kept: {**told, "evidence": list(kept)})


OPERATION = Operation(
    name="ask_index",
    title="Ask about the code",
    arguments=Arguments,
    run=ask_index,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    names_index="index_id",
    failed=failed,
)
