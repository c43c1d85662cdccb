"""A whole pipeline: its steps joined, counted and timed, as far as the answer has room for what they find."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.pipelines.chain import Step
from cocosearch_py.operations.pipelines.items import Item
from cocosearch_py.operations.pipelines.reader import Reader
from cocosearch_py.operations.pipelines.streams import WORK, Stream
from cocosearch_py.operations.pipelines.verbs import MAX_ITEMS, Kind
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.fitting import room
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.warnings import remarks_on

_SHOWN = 3  # of what was left out
_SHOWN_CHARS = 100  # of a step
_TOOLS = {  # of a step that begins a chain, the tool that does the same
    "find": "list_files",
    "fuzzy": "list_files",
    "text": "search_text",
    "symbols": "find_symbol",
    "callers": "find_references",
    "outline": "outline_file",
    "deps": "get_dependencies",
    "impact": "get_impact",
}
_MOST_BYTES = 5  # that a token of an answer stands for, about; what is too much is left out when it is counted


@dataclass(slots=True, eq=False)
class Meter:
    """What one step gave, and the seconds spent in it and in all above it."""

    step: Step
    items: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Ran:
    """What a pipeline found.

    Attributes:
        items: of its last stream, as many as an answer has room for.
        has_more: whether there are further ones.
        steps: what each gave, and its own milliseconds, without those of the steps above it.
        incomplete: why not everything was looked at; None if it was.
    """

    record: IndexRecord
    kind: Kind
    items: tuple[Item, ...]
    has_more: bool
    steps: tuple[Json, ...]
    incomplete: str | None
    warnings: tuple[str, ...]


def run(call: Call, found: Found, steps: Sequence[Step], member: str | None, max_tokens: int) -> Ran:
    """Run the steps of a chain.

    Raises:
        ValidationError, NotFoundError, SafetyError: what a step was told is wrong, or not there.
    """
    reader = Reader(call, found, inside(found, member))
    makes = [WORK[step.name](step, reader) for step in steps]
    meters = [Meter(step) for step in steps]
    stream: Stream = iter(())
    for number, (make, meter) in enumerate(zip(makes, meters, strict=True), start=1):
        stream = _metered(make(stream), meter, reader, number)
    items, has_more = _drawn(stream, room(max_tokens))
    return Ran(
        found.records[0],
        steps[-1].gives,
        tuple(items),
        has_more,
        tuple(_told(meters)),
        reader.incomplete,
        tuple(
            dict.fromkeys([*_dried(meters), *_left_out(reader), *reader.notes, *remarks_on(call, found, reader.stale)])
        ),
    )


def _metered(stream: Stream, meter: Meter, reader: Reader, number: int) -> Stream:
    """The stream, counted and timed; it ends where it has grown too long."""
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


def _drawn(stream: Stream, tokens: int) -> tuple[list[Item], bool]:
    """As many items as can be in an answer, or a few more, and whether there are further ones."""
    items: list[Item] = []
    left = tokens * _MOST_BYTES
    for item in stream:
        if left <= 0:
            return items, True
        left -= len(to_json(item.shown).encode())
        items.append(item)
    return items, False


def _told(meters: Sequence[Meter]) -> list[Json]:
    above = 0.0
    told: list[Json] = []
    for meter in meters:
        own = max(0.0, meter.seconds - above)
        above = meter.seconds
        told.append({"step": meter.step.text, "items": meter.items, "ms": round(own * 1000, 1)})
    return told


def _dried(meters: Sequence[Meter]) -> list[str]:
    """At which step nothing was left."""
    number, dry = next(((number, one) for number, one in enumerate(meters, start=1) if not one.items), (0, None))
    if dry is None:
        return []
    tool = _TOOLS.get(dry.step.name)
    alone = f": {tool} alone shows why" if number == 1 and tool else ": the steps before it show what it received"
    return [f"step {number} found nothing ({dry.step.text[:_SHOWN_CHARS]}){alone}"]


def _left_out(reader: Reader) -> list[str]:
    if not reader.left_out:
        return []
    shown = ", ".join(text[:200] for text in reader.left_out[:_SHOWN])
    rest = len(reader.left_out) - _SHOWN
    return [f"no longer there: {shown}{f' and {rest} more' if rest > 0 else ''}"]
