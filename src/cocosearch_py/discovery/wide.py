"""Folders so wide that indexing them is seldom meant."""

from pathlib import Path


def is_wide(folder: Path, home: Path | None) -> bool:
    """Whether a folder is the top of the disk, the home folder, or holds the home folder."""
    if folder.parent == folder:
        return True
    return home is not None and home.is_relative_to(folder)
