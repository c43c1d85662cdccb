"""Whether a folder is as it was when it was walked, for a fraction of what another walk costs."""

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import Entry, walk_all
from cocosearch_py.model.indexes import CLOCK_TICK


class TreeState(NamedTuple):
    """Hash of the inodes and change times of the files and folders of a walk.

    The change time of a folder moves when a name comes into it or goes.
    """

    paths: Sequence[str]
    digest: int

    def holds(self) -> bool:
        """Whether nothing has changed since; ignore rules outside of the folder are not compared."""
        return hash(tuple(_marks(self.paths))) == self.digest


def walk_with_state(
    root: Path, options: DiscoveryOptions, tick: timedelta = CLOCK_TICK
) -> tuple[list[Entry], TreeState | None]:
    """Walk a folder as `walk.discover` does, and return its state as well.

    Returns:
        No state where something changed within the last `tick`: a further change might have the same time.
    Raises:
        WorkspaceError: as `walk.discover`.
    """
    began_ns = time.time_ns()
    entries, paths = walk_all(root, options)
    marks = _marks(paths)
    newest_ns = max(marks[1::2], default=0)
    is_old = newest_ns < began_ns - round(tick.total_seconds() * 1e9)
    return entries, TreeState(paths, hash(tuple(marks))) if is_old else None


def _marks(paths: Sequence[str]) -> list[int]:
    """Inode and change time of each path, which no program can choose; zeros for a path that is gone."""
    marks: list[int] = []
    for path in paths:
        try:
            now = os.lstat(path)
        except OSError:
            marks += 0, 0
        else:
            marks += now.st_ino, now.st_ctime_ns
    return marks
