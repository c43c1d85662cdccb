"""What text a line must hold to match a pattern, found out while the pattern is read. Pure.

The result is a list of choices: of each, one text at least is in every match. `(get|set)_name.*token` gives
(get_name, set_name) and (token,).
"""

from collections.abc import Iterable, Sequence
from itertools import product

Choice = tuple[str, ...]

_MOST_TEXTS = 16  # of a choice; each is looked up by itself
_MOST_CHARS = 200  # of a text that repetition makes
_EMPTY = frozenset({""})


class _Branch:
    """One alternative of a group, as far as it has been read.

    `exact` are the texts that the end of it can be, all of them; what came before is in `choices`.
    """

    def __init__(self) -> None:
        self.exact: frozenset[str] = _EMPTY
        self.choices: list[frozenset[str]] = []
        self.is_whole = True  # `exact` is all of it
        self.last: frozenset[str] | _Branch | None = None  # what a count that follows would be about
        self.before: frozenset[str] = _EMPTY  # `exact` without it

    def cut(self) -> None:
        """What follows is not adjacent to what came before."""
        self.choices.append(self.exact)
        self.exact, self.is_whole = _EMPTY, False

    def add(self, texts: frozenset[str]) -> None:
        if len(self.exact) * len(texts) > _MOST_TEXTS:
            self.cut()
        self.exact = frozenset(map("".join, product(self.exact, texts)))

    def finished(self) -> list[frozenset[str]]:
        return [choice for choice in (*self.choices, self.exact) if "" not in choice]


class Needs:
    """Collects what is needed, in the order of the pattern."""

    def __init__(self) -> None:
        self._groups: list[list[_Branch]] = [[_Branch()]]

    @property
    def _branch(self) -> _Branch:
        return self._groups[-1][-1]

    def text(self, options: Iterable[str]) -> None:
        """One of these characters; for none in particular see `anything`."""
        self._atom(frozenset(options))

    def anything(self) -> None:
        """Some character, or some more."""
        self._atom(None)

    def open(self) -> None:
        self._groups.append([_Branch()])

    def alternative(self) -> None:
        self._groups[-1].append(_Branch())

    def close(self) -> None:
        joined = _joined(self._groups.pop())
        self._atom(joined.exact if joined.is_whole else joined)

    def repeat(self, least: int, most: int | None) -> None:
        """The character or group just read comes so many times."""
        branch, last = self._branch, self._branch.last
        branch.last = None
        if isinstance(last, frozenset):
            self._repeat_texts(branch, last, least, most)
        elif last is not None and not least:  # its choices may be missing
            del branch.choices[-1 - len(last.finished()) :]
            branch.cut()

    def found(self) -> list[Choice]:
        """The choices, the longest texts first; none if a match may hold anything."""
        choices = dict.fromkeys(tuple(sorted(choice)) for choice in _joined(self._groups[0]).finished())
        return sorted(choices, key=lambda choice: -min(map(len, choice)))

    def _atom(self, what: "frozenset[str] | _Branch | None") -> None:
        branch = self._branch
        branch.last, branch.before = what, branch.exact
        if isinstance(what, frozenset):
            pieces = len(branch.choices)
            branch.add(what)
            if len(branch.choices) > pieces:
                branch.before = _EMPTY
            return
        branch.cut()
        if what is not None:
            branch.choices += what.finished()
            branch.cut()

    def _repeat_texts(self, branch: _Branch, last: frozenset[str], least: int, most: int | None) -> None:
        branch.exact = branch.before
        if most == 1 and not least:
            branch.add(last | _EMPTY)
            return
        for _ in range(least):
            if max(map(len, branch.exact)) > _MOST_CHARS:
                branch.cut()
            branch.add(last)
        if most != least:
            branch.cut()
            if least:
                branch.add(last)


def _joined(branches: Sequence[_Branch]) -> _Branch:
    """The alternatives of a group as one."""
    if len(branches) == 1:
        return branches[0]
    joined = _Branch()
    exact = frozenset().union(*(branch.exact for branch in branches))
    if all(branch.is_whole for branch in branches) and len(exact) <= _MOST_TEXTS:
        joined.exact = exact
        return joined
    joined.cut()
    best = [max(branch.finished(), key=_worth, default=_EMPTY) for branch in branches]
    texts = frozenset().union(*best)
    if len(texts) <= _MOST_TEXTS:
        joined.choices.append(texts)
    return joined


def _worth(choice: frozenset[str]) -> int:
    return min(map(len, choice))
