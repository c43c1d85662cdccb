"""Signals of the programs that tests start."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

INHERITED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)  # ignored under `nohup` and in the background of a shell


@contextmanager
def default_signals_for_children() -> Iterator[None]:
    """Handle ignored signals by doing nothing: unlike SIG_IGN, programs that are started do not inherit a handler."""
    ignored = [number for number in INHERITED if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
