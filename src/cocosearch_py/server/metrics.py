"""Figures of the calls of one server, in the text form that Prometheus reads. Labels never hold what a client wrote."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

# Seconds; a warm search takes some ten milliseconds, index_codebase waits at most 20 s.
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
OK, ERROR, CANCELLED = "ok", "error", "cancelled"
PREFIX = "cocosearch_"

Sample = tuple[str, dict[str, str], float]  # suffix of the name, labels, value


class CallFigures:
    """Counts and durations by tool. Used from the event loop alone."""

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(BUCKETS_S))

    @contextmanager
    def timed(self, tool: str) -> Iterator[list[str]]:
        """Count one call; the body appends its outcome, else it counts as cancelled."""
        outcome: list[str] = []
        started = time.perf_counter()
        try:
            yield outcome
        finally:
            seconds = time.perf_counter() - started
            self._calls[tool, outcome[-1] if outcome else CANCELLED] += 1
            self._seconds[tool] += seconds
            for number, bound in enumerate(BUCKETS_S):
                self._buckets[tool][number] += seconds <= bound

    def families(self) -> Iterator[str]:
        """Lines of the two families."""
        yield from family(
            "tool_calls_total",
            "counter",
            "Answered calls by tool and outcome.",
            [("", {"tool": tool, "outcome": outcome}, n) for (tool, outcome), n in sorted(self._calls.items())],
        )
        samples: list[Sample] = []
        for tool in sorted(self._seconds):
            count = sum(number for (name, _), number in self._calls.items() if name == tool)
            bounds = [*zip(map(str, BUCKETS_S), self._buckets[tool], strict=True), ("+Inf", count)]
            samples += [("_bucket", {"tool": tool, "le": bound}, number) for bound, number in bounds]
            samples += [("_sum", {"tool": tool}, self._seconds[tool]), ("_count", {"tool": tool}, count)]
        yield from family(
            "tool_call_duration_seconds", "histogram", "Time from a call to its answer, waiting included.", samples
        )


def family(name: str, kind: str, meaning: str, samples: Iterable[Sample], prefix: str = PREFIX) -> Iterator[str]:
    """Lines of one family; label values are ours and need no escapes."""
    yield f"# HELP {prefix}{name} {meaning}"
    yield f"# TYPE {prefix}{name} {kind}"
    for suffix, labels, value in samples:
        shown = ",".join(f'{label}="{text}"' for label, text in labels.items())
        yield f"{prefix}{name}{suffix}{f'{{{shown}}}' if shown else ''} {value}"
