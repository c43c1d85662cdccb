"""Repeated log lines are counted: a client that causes the same line again and again must not fill a disk."""

import logging
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

# Seconds for which a line is counted after it was written.
WINDOW_S = 60.0
# Different lines remembered at a time.
_MAX_LINES = 1_000


@dataclass(slots=True)
class _Line:
    written_s: float
    record: logging.LogRecord  # without its traceback, which would keep what its frames hold
    repeated: int = 0


class RepeatCounter(logging.Handler):
    """Passes each line on to other handlers once in WINDOW_S, then its count, with the next line or at the end.

    Lines are the same if their texts are, and the types of their exceptions; of several tracebacks the first is shown.
    """

    def __init__(self, targets: Sequence[logging.Handler]) -> None:
        super().__init__()
        self._targets = tuple(targets)
        self._lines: dict[tuple[object, ...], _Line] = {}  # the oldest first

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        self._expire(now - WINDOW_S)
        error = record.exc_info[0] if record.exc_info else None
        key = (record.name, record.levelno, str(record.msg), str(record.args), error)
        if line := self._lines.get(key):
            line.repeated += 1
            line.record.created, line.record.msecs = record.created, record.msecs
            return
        bare = copy(record)
        bare.exc_info = bare.exc_text = bare.stack_info = None
        self._lines[key] = _Line(now, bare)
        self._pass_on(record)

    def close(self) -> None:
        """Report all counts that are still to be reported."""
        self.acquire()
        try:
            self._expire(float("inf"))
        finally:
            self.release()
        super().close()

    def _expire(self, written_by_s: float) -> None:
        while self._lines:
            key = next(iter(self._lines))
            line = self._lines[key]
            if line.written_s > written_by_s and len(self._lines) < _MAX_LINES:
                break
            del self._lines[key]
            if line.repeated:
                line.record.msg = f"{line.record.msg} (repeated {line.repeated:,} times)"
                self._pass_on(line.record)

    def _pass_on(self, record: logging.LogRecord) -> None:
        for target in self._targets:
            target.handle(record)
