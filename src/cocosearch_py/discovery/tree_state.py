"""Whether a folder is as it was when it was walked, for a fraction of what another walk costs."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import Entry, walk_all
from cocosearch_py.model.indexes import CLOCK_TICK

_TICK_NS = round(CLOCK_TICK.total_seconds() * 1e9)


class TreeState(NamedTuple):
    """What the system said of the files and folders of a walk: of a folder it says when names came into it or went."""

    paths: Sequence[str]
    said: int

    def holds(self) -> bool:
        """Whether it says the same now; rules that are kept elsewhere are not looked at."""
        return hash(tuple(_ask(self.paths))) == self.said


def walk_with_state(root: Path, options: DiscoveryOptions) -> tuple[list[Entry], TreeState | None]:
    """What `walk.discover` gives, and the state of what was walked.

    Returns:
        No state where something changed so lately that a further change might be dated the same.
    Raises:
        WorkspaceError: as `walk.discover`.
    """
    began_ns = time.time_ns()
    entries, paths = walk_all(root, options)
    said = _ask(paths)
    newest_ns = max(said[1::2], default=0)
    return entries, TreeState(paths, hash(tuple(said))) if newest_ns < began_ns - _TICK_NS else None


def _ask(paths: Sequence[str]) -> list[int]:
    """Inode and time of change of each, which no program chooses; zeros for one that is not there."""
    said: list[int] = []
    for path in paths:
        try:
            now = os.lstat(path)
        except OSError:
            said += 0, 0
        else:
            said += now.st_ino, now.st_ctime_ns
    return said
