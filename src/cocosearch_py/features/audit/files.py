"""Reads files for detectors that look at the disk, as safely as indexing does."""

from collections.abc import Iterable
from pathlib import Path

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import Reader
from cocosearch_py.discovery.sniff import Skip, inspect
from cocosearch_py.discovery.walk import look_up
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.files import SkippedFile, SkipReason


def ignored_among(root: Path, rules: DiscoveryOptions, paths: Iterable[str]) -> frozenset[str]:
    """Return those of the paths that ignore files leave out now. The ledger of an index may claim them all the same."""
    asked = frozenset(path for path in paths if not path.endswith("/"))
    try:
        entries = look_up(root, rules, asked) if asked else ()
    except WorkspaceError:  # the folder has gone, and its files with it
        return frozenset()
    ignored = {one.path for one in entries if isinstance(one, SkippedFile) and one.reason is SkipReason.IGNORED}
    folders = tuple(path for path in ignored if path.endswith("/"))
    return frozenset(path for path in asked if path in ignored or path.startswith(folders))


def read_text(reader: Reader, path: str) -> bytes | str:
    """The text of a file in UTF-8, or in a few words why it is not read."""
    try:
        data = reader.read(path)
    except FileNotFoundError:
        return "gone meanwhile"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if isinstance(data, Skip):
        return data.rule
    text = inspect(path, data)
    return text.rule if isinstance(text, Skip) else text.source
