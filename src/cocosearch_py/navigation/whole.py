"""A whole file of an index: as on disk where it is there, else as the index holds it."""

from pathlib import Path
from typing import NamedTuple

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.sniff import Text, inspect
from cocosearch_py.discovery.walk import left_out
from cocosearch_py.model.code import CodeTarget, NotFound
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.navigation.files import absent, outside
from cocosearch_py.navigation.places import OutsideError, paths_meant
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import sources as store


class HeldFile(NamedTuple):
    """A file as an index holds it."""

    path: str
    text: str


def held_file(path: str, record: IndexRecord, conn: Connection) -> HeldFile | NotFound:
    """The file at a path below the root of an index; never one that the index does not hold."""
    target = CodeTarget(path, path)
    try:
        paths = paths_meant(record.root_path, path)
    except OutsideError:
        return outside(record, target)
    files = store.find_sources(conn, record.index_id, paths)
    file = next((files[one] for one in paths if one in files), None)
    if file is None:
        return absent(conn, record, target, paths)
    return HeldFile(file.path, store.text_of(conn, record.index_id, [file])[file.path])


def held_hash(path: str, record: IndexRecord, conn: Connection) -> bytes | None:
    """The hash of the content that an index holds of the file at a path; None without such a file."""
    try:
        files = store.find_sources(conn, record.index_id, paths_meant(record.root_path, path))
    except OutsideError:
        return None
    return next((file.version.content_hash for file in files.values()), None)


def held_with_hash(path: str, content_hash: str, record: IndexRecord, conn: Connection) -> str | None:
    """The text that an index holds of the file at a path, if the file had this hash then, in hexadecimal digits."""
    known = held_hash(path, record, conn)
    found = held_file(path, record, conn) if known is not None and known.hex() == content_hash else None
    return found.text if isinstance(found, HeldFile) else None


def text_now(file: HeldFile, record: IndexRecord, rules: DiscoveryOptions) -> str:
    """The text on disk; that of the index where there is none any more, none to be indexed, or for a commit."""
    if record.commit is not None:
        return file.text
    with FolderReader(record.root_path, rules.max_file_size_bytes) as folder:
        try:
            data = folder.read(file.path)
        except (OSError, ValueError):
            return file.text
    text = inspect(file.path, data, wanted=True) if isinstance(data, bytes) else None
    now = text.source.decode() if isinstance(text, Text) else file.text
    if now == file.text or left_out(Path(record.root_path), rules, [file.path]):
        return file.text
    return now
