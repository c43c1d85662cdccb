"""Progress of a run: a bar on a terminal, plain lines elsewhere, nothing when quiet. Always on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.streams import put
from cocosearch_py.indexing.progress import Progress, ProgressSink

_LINE_INTERVAL_S = 2.0  # of plain lines: a log of a long run stays readable
_LEAST_SHARE = 0.01  # of the work, before the time left is guessed at all


@contextmanager
def open_progress(session: Session) -> Iterator[ProgressSink]:
    """Lend the sink that fits standard error."""
    if session.quiet:
        yield _silent
    elif sys.stderr.isatty():
        with load("cli.bars.bar")(session.error_console) as sink:
            yield sink
    else:
        yield _Lines()


@contextmanager
def open_steps(session: Session) -> Iterator[Callable[[str], None]]:
    """Lend a function that shows the step that begins, on a terminal alone."""
    if session.quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with load("cli.bars.steps")(session.error_console) as show:
        yield show


def _silent(_: Progress) -> None: ...


class _Lines:
    """One line every `_LINE_INTERVAL_S`; none of a run that is refused at once, whose error then stands alone."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._told = self._started

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._told < _LINE_INTERVAL_S:
            return
        self._told = now
        put(f"{progress.stage} {figures(progress, now - self._started)}".strip(), sys.stderr)


def figures(progress: Progress, elapsed_s: float) -> str:
    """Files, chunks, rate and time left, as far as they are known."""
    if not progress.files_total:
        return ""
    parts = [f"{progress.files_done:,}/{progress.files_total:,} files"]
    if progress.chunks:  # not told of another process's run
        parts.append(f"{progress.chunks:,} chunks")
    share = progress.files_done / progress.files_total
    if elapsed_s > 0 and progress.files_done:
        parts.append(f"{progress.files_done / elapsed_s:,.0f} files/s")
    if progress.stage in ("acquire", "parse", "embed") and elapsed_s > 0 and _LEAST_SHARE <= share < 1:
        parts.append(f"{_duration(elapsed_s * (1 - share) / share)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
