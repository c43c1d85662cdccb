"""Waiting for what other processes do."""

import time
from collections.abc import Callable
from typing import Any

DEADLINE_S = 90.0


def until(found: Callable[[], Any]) -> Any:
    """What is found once there is something; fails when that takes too long."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        if seen := found():
            return seen
        time.sleep(0.02)
    raise AssertionError("it did not happen")
