"""One question while it is being answered: what was looked up so far, and what that brought."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from cocosearch_py.features.ask.evidence import Bounds, Evidence, Sources
from cocosearch_py.features.ask.questions import Question
from cocosearch_py.features.ask.tools import NextCall, Step, StepIntent

R = TypeVar("R")


@dataclass(slots=True)
class Inquiry:
    """The question, where it is looked up, and the findings, the most telling first."""

    question: Question
    sources: Sources
    bounds: Bounds
    steps: list[Step] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    next_calls: list[NextCall] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def look(self, intent: StepIntent, query: str, look: Callable[[], R], count: Callable[[R], int]) -> R:
        """Run a step, record it, and return its results."""
        started = time.perf_counter()
        found = look()
        ms = (time.perf_counter() - started) * 1000
        self.steps.append(Step(len(self.steps) + 1, intent, query, count(found), round(ms, 1)))
        return found

    @property
    def step(self) -> int:
        """The number of the last step."""
        return len(self.steps)

    @property
    def room(self) -> int:
        """How much more evidence there may be."""
        return max(0, self.bounds.limit - len(self.evidence))

    def add(self, found: Iterable[Evidence]) -> int:
        """Take evidence whose lines are not shown yet, as much as there is room for; gives how much was new."""
        before = len(self.evidence)
        for one in found:
            if self.room and not self.shows(one):
                self.evidence.append(one)
        return len(self.evidence) - before

    def shows(self, one: Evidence) -> bool:
        """Whether all its lines are those of a piece of evidence."""
        return any(_covers(other, one) for other in self.evidence)

    def suggest(self, tool: str, arguments: dict[str, object], why: str) -> None:
        self.next_calls.append(NextCall(tool, arguments, why))


def _covers(one: Evidence, other: Evidence) -> bool:
    return one.path == other.path and one.start_line <= other.start_line and other.end_line <= one.end_line
