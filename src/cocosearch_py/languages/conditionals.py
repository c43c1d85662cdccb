"""Conditional compilation (`#if … #else … #endif`), for grammars that cannot read constructs begun in two branches.

Nothing is evaluated: the source is read so often, each time with other branches, that every branch is seen once.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cocosearch_py.languages.repairing import blank

MAX_READINGS = 3
_DIRECTIVE = (
    rb"(?m)^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b((?:[^\n\\]|\\[^\n]|\\\n){0,2000})"
)
_ZERO = re.compile(rb"[ \t]*0[ \t]*(?:/[/*].*)?", re.DOTALL)
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """A source of the same length in which one branch of each conditional is left.

    `new` are the branches that no reading before had. The first reading is compared with a grammar that reads the first
    branch as it is written: what stands in place of a dead one is new to it. `changed` are parts that hold all in which
    it differs from the reading before, the first one from the file.
    """

    source: bytes
    new: list["Stretch"]
    changed: list[Span]


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """A branch, in bytes, and where the first branch of its conditional begins."""

    start: int
    end: int
    conditional: int


@dataclass(slots=True)
class _Branch:
    """Lines between two directives. They stay in readings from `first` on, until the `turns` are over."""

    start: int
    condition: bytes
    conditional: int
    end: int = 0
    inner: list["_Conditional"] = field(default_factory=list)
    first: int = 0

    def turns(self) -> int:
        return max([1, *(one.turns() for one in self.inner)])


@dataclass(slots=True)
class _Conditional:
    branches: list[_Branch] = field(default_factory=list)
    dead: list[_Branch] = field(default_factory=list)

    def turns(self) -> int:
        return sum(branch.turns() for branch in self.branches)


def readings(source: bytes, never: bytes | None = None) -> Iterator[Reading]:
    """Yield what a file is to be read as, none if it has no conditionals.

    Directives are blanked out. `never` is a name that is not defined in this language (`__cplusplus` in C): what
    stands under `#ifdef` of it and `#if 0` is in no reading.
    """
    outermost, directives = _conditionals(source, never)
    if not directives:
        return
    branches = list(_schedule(outermost, 0))
    turns = max([1, *(one.turns() for one in outermost)])
    before: set[Span] = set()
    for turn in range(min(turns, MAX_READINGS)):
        hidden = {*directives, *_hidden(outermost, turn)}
        new = [Stretch(one.start, one.end, one.conditional) for one in branches if one.first == turn]
        yield Reading(_blanked(source, hidden), new, sorted(hidden ^ before))
        before = hidden


def _conditionals(source: bytes, never: bytes | None) -> tuple[list[_Conditional], list[Span]]:
    """The outermost conditionals that are closed, and where all directives stand."""
    outermost: list[_Conditional] = []
    directives: list[Span] = []
    stack: list[_Conditional] = []
    for match in re.finditer(_DIRECTIVE, source):
        word, condition = match.group(1), match.group(1) + match.group(2)
        directives.append(match.span())
        if word.startswith(b"if"):
            stack.append(_Conditional([_Branch(match.end(), condition, match.end())]))
        elif stack:
            stack[-1].branches[-1].end = match.start()
            if word != b"endif":
                stack[-1].branches.append(_Branch(match.end(), condition, stack[-1].branches[0].start))
                continue
            one = stack.pop()
            (stack[-1].branches[-1].inner if stack else outermost).append(one)
            _part_dead(one, never)
    return outermost, directives


def _part_dead(one: _Conditional, never: bytes | None) -> None:
    """Set a branch apart that is never compiled."""
    condition, at = one.branches[0].condition, None
    if condition.startswith(b"if") and _ZERO.fullmatch(condition[2:]):
        at = 0
    elif never is not None and never in condition:
        at = 1 if condition.startswith(b"ifndef") or b"!" in condition else 0
    if at is not None and at < len(one.branches):
        one.dead.append(one.branches.pop(at))


def _schedule(conditionals: list[_Conditional], first: int) -> Iterator[_Branch]:
    """Give each branch its readings, as many as its own conditionals need; yield those that are new in one."""
    for one in conditionals:
        at = first
        dead_before = bool(one.dead) and first == 0
        for branch in one.branches:
            branch.first = at
            if at > first or (dead_before and branch.start > one.dead[0].start):
                yield branch
            yield from _schedule(branch.inner, at)
            at += branch.turns()


def _hidden(conditionals: list[_Conditional], turn: int) -> Iterator[Span]:
    for one in conditionals:
        kept = max((at for at, branch in enumerate(one.branches) if branch.first <= turn), default=0)
        for at, branch in enumerate(one.branches):
            if at == kept:
                yield from _hidden(branch.inner, turn)
            else:
                yield branch.start, branch.end
        yield from ((branch.start, branch.end) for branch in one.dead)


def _blanked(source: bytes, spans: Iterable[Span]) -> bytes:
    pieces, at = [], 0
    for start, end in sorted(spans):
        if end > at:
            begin = max(start, at)
            pieces += [source[at:begin], blank(source[begin:end])]
            at = end
    return b"".join([*pieces, source[at:]])
