"""Paths of an index as a person in the current folder would type them."""

import os
from pathlib import Path


def shown_path(root: str, path: str) -> str:
    """Return a path from the current folder if that is inside the root or above the file, else an absolute one."""
    full, here = os.path.join(root, path), Path.cwd()
    if here.is_relative_to(root):
        told = os.path.relpath(full, here)
    else:
        told = str(Path(full).relative_to(here)) if Path(full).is_relative_to(here) else full
    return on_one_line(told)


def local_path(root: str, path: str) -> str:
    """Return the same path, but relative to the root where `shown_path` returns an absolute one."""
    told = shown_path(root, path)
    return on_one_line(path) if os.path.isabs(told) and not os.path.isabs(path) else told


def on_one_line(path: str) -> str:
    """Return a path with the newlines in its names escaped."""
    return path.replace("\n", r"\x0a")
