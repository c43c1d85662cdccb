"""Progress bars on a terminal."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from cocosearch_py.cli.progress import figures
from cocosearch_py.indexing.progress import Progress, ProgressSink

_TURN_S = 0.1  # between two steps of the spinner


@contextmanager
def steps(console: Console) -> Iterator[Callable[[str], None]]:
    """Lend a function that shows the step that begins."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    # Redrawn by each step: beside a thread of the bar's no worker is forked (`indexing.pool`).
    with Bars(*columns, console=console, transient=True, auto_refresh=False) as shown:
        task = shown.add_task("")
        yield lambda text: shown.update(task, description=text, refresh=True)


@contextmanager
def bar(console: Console) -> Iterator[ProgressSink]:
    """Lend the sink of a bar."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[figures]}"))
    # Drawn by who tells while files are read: beside a thread of the bar's no worker is forked (`indexing.pool`).
    bars = Bars(*columns, console=console, transient=True, auto_refresh=False)
    started = time.monotonic()
    task = bars.add_task("acquire", total=None, figures="")
    ended = threading.Event()

    def turn() -> None:
        while not ended.wait(_TURN_S):
            bars.refresh()

    turning = threading.Thread(target=turn, daemon=True)

    def sink(progress: Progress) -> None:
        bars.update(
            task,
            description=progress.stage,
            total=progress.files_total or None,
            completed=progress.files_done,
            figures=figures(progress, time.monotonic() - started),
            refresh=True,
        )
        if progress.stage in ("graph", "finalize") and turning.ident is None:  # long steps that need no worker
            turning.start()

    with bars:
        try:
            yield sink
        finally:
            ended.set()
            if turning.ident is not None:
                turning.join()
