"""The texts of the indexed files, read from the disk."""

import os
from collections.abc import Iterable
from pathlib import Path

from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Text, inspect

MOST_FILE_BYTES = 5_000_000
MOST_BYTES = 100_000_000  # of all files: searching them for a hundred messages takes some seconds


def read_texts(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Path -> text of the files that can be read; nothing when they are more than MOST_BYTES together."""
    texts: dict[str, str] = {}
    left = MOST_BYTES
    with FolderReader(os.path.realpath(root), MOST_FILE_BYTES) as reader:
        for path in sorted(paths):
            try:
                content = reader.read(path)
            except OSError:  # it has gone since it was indexed
                continue
            text = inspect(path, content, wanted=True) if isinstance(content, bytes) else content
            if isinstance(text, Text):
                left -= len(text.source)
                texts[path] = text.source.decode("utf-8", "replace").replace("\r\n", "\n")
            if left < 0:
                return {}
    return texts
