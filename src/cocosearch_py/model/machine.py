"""What the machine gives this process."""

import os


def usable_cores() -> int:
    """How many processes can run at the same time, by the limits of this one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
