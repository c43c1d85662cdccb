"""Paths of an index as a person in the current folder would type them."""

import os

from cocosearch_py.cli.views.hits import shown_path


def local_path(root: str, path: str) -> str:
    """Return the path from the current folder if that is inside of the root or above it, else from the root."""
    told = shown_path(root, path)
    return path if told == os.path.join(root, path) else told
