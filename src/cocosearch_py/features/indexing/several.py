"""Runs of several folders by one call: the folders, and the outcome for each."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from cocosearch_py.errors import CocosearchError, OperationCancelled, ValidationError
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Waiting

R = TypeVar("R")
MOST_PATHS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Outcome(Generic[R]):
    """Outcome for one folder: a report, or the error as a member of an answer."""

    path: str
    report: R | None = None
    error: Json | None = None
    raised: CocosearchError | None = None  # the same, as it was raised before the work began


@dataclass(frozen=True, slots=True, eq=False)
class Several(Generic[R]):
    """Outcomes, in the order of the folders."""

    outcomes: tuple[Outcome[R], ...]

    @property
    def reports(self) -> list[R]:
        return [one.report for one in self.outcomes if one.report is not None]

    @property
    def is_whole(self) -> bool:
        """Whether none of them failed."""
        return all(one.error is None for one in self.outcomes)


def listed_paths(paths: Sequence[str] | None, list_file: str | None, most: int | None = MOST_PATHS) -> list[str] | None:
    """Return the folders that a call names beside its path, no name twice; None if it names none.

    Args:
        list_file: a list of more folders; `-` is standard input.
        most: maximum number beside the list; None is any number.
    Raises:
        ValidationError: no or too many folders, or a list that cannot be read.
    """
    if paths is None and list_file is None:
        return None
    named = list(dict.fromkeys(path for path in paths or () if path.strip()))
    if most is not None and len(named) > most:
        raise ValidationError(f"{len(named)} paths are too many", hint=f"name at most {most} at once")
    named += _lines(list_file) if list_file else []
    if not named:
        raise ValidationError("no folder given", hint="name at least one")
    return list(dict.fromkeys(named))


def _lines(list_file: str) -> Iterator[str]:
    is_input = list_file == "-"
    path = Path(list_file).expanduser().absolute()
    try:
        data = sys.stdin.buffer.read() if is_input else path.read_bytes()
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise ValidationError(f"the list {list_file} cannot be read: {told}", hint="name a text file") from None
    return entries_of(data.decode("utf-8-sig", errors="replace"), path.parent)


def entries_of(text: str, base: Path) -> Iterator[str]:
    """Iterate over the entries of a list, relative to its folder, without blank lines and comments.

    There is one a line, or one between null characters (`find -print0`).
    """
    lines = text.split("\0") if "\0" in text else (line.strip() for line in text.splitlines())
    return (str(base / line) for line in lines if line and not line.startswith("#"))


def run_each(
    call: Call, paths: Sequence[str], begin: Callable[[Call, str], Waiting[R] | R], wait_s: float
) -> Waiting[Several[R]] | Several[R]:
    """Begin the work on each folder, and wait for all together; a failure does not stop the others."""
    deadline = time.monotonic() + wait_s

    def attempt(path: str, own: Call) -> tuple[str, Waiting[R] | Outcome[R]]:
        if own.is_stopped:
            stopped = OperationCancelled("stopped before it started", hint="index it again")
            return path, Outcome(path, error=own.described(stopped))
        try:
            made = begin(own, path)
        except CocosearchError as error:
            return path, Outcome(path, error=own.described(error), raised=error)
        return path, made if isinstance(made, Waiting) else Outcome(path, made)

    begun = call.each([partial(attempt, path) for path in paths])
    waiting = [made for _, made in begun if isinstance(made, Waiting)]

    def ended(_: JobStatus | None = None) -> Several[R]:
        return Several(
            tuple(_ended(call, path, made, deadline) if isinstance(made, Waiting) else made for path, made in begun)
        )

    if not waiting:
        return ended()
    return Waiting(waiting[-1].job, wait_s, ended, stops=tuple(job for one in waiting for job in one.stops))


def _ended(call: Call, path: str, made: Waiting[R], deadline: float) -> Outcome[R]:
    """Return the outcome of one run; the runs of several indexes end in no order."""
    try:
        job = made.job if made.job.ended else call.jobs.wait(made.job.job_id, deadline - time.monotonic())
        return Outcome(path, made.then(job))
    except CocosearchError as error:
        return Outcome(path, error=call.described(error))
