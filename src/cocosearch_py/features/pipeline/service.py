"""Runs pipelines: joins, counts and times the steps, and takes as many items as the answer can hold."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cocosearch_py.features.pipeline.chain import Step, parse
from cocosearch_py.features.pipeline.items import Item
from cocosearch_py.features.pipeline.reader import Reader
from cocosearch_py.features.pipeline.streams import WORK, Stream
from cocosearch_py.features.pipeline.tools import PipelineResult, RunPipelineArguments, StepResult
from cocosearch_py.features.pipeline.verbs import LOCATED, MAX_ITEMS, Kind
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Shrinkable
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.fitting import room
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.warnings import remarks_on

_SHOWN = 3  # Maximum items named of those that were left out.
_SHOWN_CHARS = 100  # Maximum characters shown of a step.
_HOLD_TEXT = {*LOCATED, Kind.TEXTS} - {Kind.FILES}  # Streams with text of the repository.
_TOOLS = {  # Tools that do the work of a first step alone.
    "find": "list_files",
    "fuzzy": "list_files",
    "text": "search_text",
    "symbols": "find_symbol",
    "callers": "find_references",
    "outline": "outline_file",
    "deps": "get_dependencies",
    "impact": "get_impact",
}
_MOST_BYTES = 5  # Bytes of a token of an answer, roughly; the exact count shortens the answer later.


@dataclass(slots=True, eq=False)
class Meter:
    """Number of items of a step, and the seconds spent in it and in all steps before it."""

    step: Step
    items: int = 0
    seconds: float = 0.0


def run_pipeline(call: Call, asked: RunPipelineArguments) -> Shrinkable[Item, PipelineResult]:
    """Parse and run a chain.

    Raises:
        ValidationError, NotFoundError, SafetyError: the chain or the subject of a step is wrong.
        FeatureMissingError: the index lacks what a step needs.
    """
    return run_steps(call, parse(asked.pipeline, asked.steps), asked)


def run_steps(call: Call, steps: Sequence[Step], asked: RunPipelineArguments) -> Shrinkable[Item, PipelineResult]:
    """Run a parsed chain; see `run_pipeline` for the errors."""
    bounded = Bounded()
    max_tokens = bounded.value("max_tokens", asked.max_tokens, given.LEAST_TOKENS, given.MOST_TOKENS)
    for need in {step.verb.needs for step in steps} - {""} or {""}:
        call.needs = need
        index = Index.of(call, asked.member)
    reader = Reader(index)
    meters = [Meter(step) for step in steps]
    items, has_more = _take(_joined(meters, reader), room(max_tokens))
    remarks = [*_dried(meters), *_left_out(reader), *reader.notes, *remarks_on(call, index.found, reader.stale)]
    warnings = (*bounded.notes, *dict.fromkeys(remarks))
    results, kind = _results(meters), steps[-1].gives

    def build(shown: Sequence[Item]) -> PipelineResult:
        is_cut = has_more or len(shown) < len(items)
        advice = "not everything fits: narrow a step, end with limit or count, or raise max_tokens"
        listed: dict[str, Any] = {"items": tuple(item.shown for item in shown)}
        return PipelineResult(
            root=index.root,
            type="number" if kind is Kind.NUMBER else kind.value,
            steps=results,
            **(shown[0].shown if kind is Kind.NUMBER else listed),
            truncated=is_cut,
            incomplete=reader.incomplete,
            note=QUOTED if shown and kind in _HOLD_TEXT else "",
            warnings=(*warnings, advice) if is_cut else warnings,
        )

    return Shrinkable(items, build)


def _joined(meters: Sequence[Meter], reader: Reader) -> Stream:
    """Return the stream of the last step; all steps are checked first."""
    makes = [WORK[meter.step.name](meter.step, reader) for meter in meters]
    stream: Stream = iter(())
    for number, (make, meter) in enumerate(zip(makes, meters, strict=True), start=1):
        stream = _metered(make(stream), meter, reader, number)
    return stream


def _metered(stream: Stream, meter: Meter, reader: Reader, number: int) -> Stream:
    """Count and time a stream, and end it at MAX_ITEMS."""
    while True:
        begin = time.perf_counter()
        item = next(stream, None)
        meter.seconds += time.perf_counter() - begin
        if item is None:
            return
        if meter.items == MAX_ITEMS:
            reader.stop(f"step {number} was stopped after {MAX_ITEMS:,} items: narrow the steps before it")
            return
        meter.items += 1
        yield item


def _take(stream: Stream, tokens: int) -> tuple[list[Item], bool]:
    """Take about as many items as an answer can hold; also return whether there are more."""
    items: list[Item] = []
    left = tokens * _MOST_BYTES
    for item in stream:
        if left <= 0:
            return items, True
        left -= len(to_json(item.shown).encode())
        items.append(item)
    return items, False


def _results(meters: Sequence[Meter]) -> tuple[StepResult, ...]:
    before = [0.0, *(meter.seconds for meter in meters)]
    return tuple(
        StepResult(step=meter.step.text, items=meter.items, ms=round(max(0.0, meter.seconds - earlier) * 1000, 1))
        for meter, earlier in zip(meters, before, strict=False)
    )


def _dried(meters: Sequence[Meter]) -> list[str]:
    """Report the first step without items."""
    for number, meter in enumerate(meters, start=1):
        if not meter.items:
            tool = _TOOLS.get(meter.step.name) if number == 1 else None
            advice = f"{tool} alone shows why" if tool else "the steps before it show what it received"
            return [f"step {number} found nothing ({meter.step.text[:_SHOWN_CHARS]}): {advice}"]
    return []


def _left_out(reader: Reader) -> list[str]:
    if not reader.left_out:
        return []
    shown = ", ".join(text[:200] for text in reader.left_out[:_SHOWN])
    rest = len(reader.left_out) - _SHOWN
    return [f"no longer there: {shown}{f' and {rest} more' if rest > 0 else ''}"]
