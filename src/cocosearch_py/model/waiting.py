"""Waiting for open files. `select.select` takes no descriptor above 1,023, which a server of many connections has."""

from collections.abc import Sequence
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector


def wait_to_read(descriptors: Sequence[int], seconds: float | None) -> bool:
    """Wait until one of the files can be read or has ended, for some time at most; whether one can."""
    return _wait(descriptors, EVENT_READ, seconds)


def wait_to_write(descriptor: int, seconds: float | None) -> bool:
    """Wait until a file takes data, or nobody reads it, for some time at most; whether it does."""
    return _wait((descriptor,), EVENT_WRITE, seconds)


def _wait(descriptors: Sequence[int], event: int, seconds: float | None) -> bool:
    with DefaultSelector() as selector:
        for descriptor in descriptors:
            selector.register(descriptor, event)
        return bool(selector.select(seconds))
