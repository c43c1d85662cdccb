"""Sources of pages, which are files and symbols: their hashes on disk, and their changes since."""

import os
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path

from cocosearch_py.comparison.declarations import read_declarations
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.discovery.reading import FolderReader, hash_of
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.wiki.model import CHANGED, CURRENT, GONE, MOVED, UNKNOWN, Source, SourceState
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.model.paths import storable_path

MAX_SOURCES = 200  # Per page.
_MAX_FILE_BYTES = 16_000_000
_HEAD_BYTES = 4_096  # Enough for a shebang, and to distinguish C from C++.


def parse_source(root: Path, text: str) -> Source:
    """Parse `path` or `path#symbol` below a folder. It need not exist.

    Raises:
        ValidationError: it is empty or outside of the folder.
    """
    path, _, symbol = text.strip().partition("#")
    inner = posixpath.normpath(path.replace("\\", "/")) if path else "."
    if os.path.isabs(path):
        inner = os.path.relpath(os.path.normpath(path), root).replace(os.sep, "/")
    if inner in (".", "") or inner == ".." or inner.startswith(("../", "/")) or "\0" in text:
        raise ValidationError(
            f"'{text[:200]}' is not a file in the repository", hint="give a path inside the repository, or path#symbol"
        )
    return Source(storable_path(inner), storable_path(symbol.strip()) or None)


class SourceReader:
    """Reads sources below one folder, each file once. Not thread-safe.

    Args:
        root: the folder that paths are relative to.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._files: dict[str, bytes | None] = {}  # Files whose symbols are needed.
        self._hashes: dict[str, tuple[str, int] | None] = {}
        self._symbols: dict[str, dict[str, str]] = {}
        self._by_size: dict[int, list[str]] | None = None

    def current(self, sources: Iterable[Source]) -> list[Source]:
        """Return sources with their current hashes, which are empty if a source does not exist."""
        wanted = list(sources)
        self._read(wanted)
        return [self._now(one) for one in wanted]

    def states(self, sources: Iterable[Source]) -> list[SourceState]:
        """Compare stored sources with the disk, in their order."""
        stored = list(sources)
        return [self._state(old, new) for old, new in zip(stored, self.current(stored), strict=True)]

    def _state(self, old: Source, new: Source) -> SourceState:
        if not old.hash:
            return SourceState(old, UNKNOWN)
        if new.hash:
            return SourceState(old, CURRENT if new.hash == old.hash else CHANGED)
        if new.file_hash:  # The file exists, but the symbol does not.
            return SourceState(old, GONE)
        moved_to = self._elsewhere(old)
        return SourceState(old, MOVED if moved_to else GONE, moved_to)

    def _read(self, wanted: Sequence[Source]) -> None:
        with_symbols = {one.path for one in wanted if one.symbol is not None}
        with FolderReader(str(self._root), _MAX_FILE_BYTES) as reader:
            for path in sorted({one.path for one in wanted}):
                if path not in self._hashes or (path in with_symbols and path not in self._files):
                    data = _read(reader, path)
                    self._hashes[path] = (hash_of(data).hex(), len(data)) if data is not None else None
                    if path in with_symbols:
                        self._files[path] = data
        new = {path: data for path in with_symbols if path not in self._symbols and (data := self._files[path])}
        texts = [(detect_language(path, data[:_HEAD_BYTES]), data) for path, data in new.items()]
        found = read_declarations(texts) or [[] for _ in texts]
        for path, declared in zip(new, found, strict=True):
            self._symbols[path] = {one.name: one.digest for one in declared}
            self._files[path] = b""  # The text is no longer needed.

    def _now(self, one: Source) -> Source:
        known = self._hashes[one.path]
        if known is None:
            return Source(one.path, one.symbol)
        file_hash, size = known
        digest = file_hash if one.symbol is None else _digest(self._symbols.get(one.path, {}), one.symbol)
        return Source(one.path, one.symbol, digest, file_hash, size)

    def _elsewhere(self, old: Source) -> str | None:
        """Find another file with the content that a source had. A file of the same name wins."""
        if self._by_size is None:
            self._by_size = {}
            for entry in open_origin(self._root, None).walk(DiscoveryOptions()):
                if (size := getattr(entry, "size_bytes", None)) is not None:
                    self._by_size.setdefault(size, []).append(entry.path)
        name = posixpath.basename(old.path)
        alike = sorted(self._by_size.get(old.size_bytes, ()), key=lambda path: (posixpath.basename(path) != name, path))
        with FolderReader(str(self._root), _MAX_FILE_BYTES) as reader:
            for path in alike:
                data = _read(reader, path)
                if data is not None and hash_of(data).hex() == old.file_hash:
                    return path
        return None


def _read(reader: FolderReader, path: str) -> bytes | None:
    try:
        data = reader.read(path)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, bytes) else None


def _digest(declared: dict[str, str], symbol: str) -> str:
    """Return the hash of a definition and its inner ones, or "" if there is none.

    A name without its owners is enough if only one definition has it.
    """
    name = symbol
    if name not in declared:
        ending = [one for one in declared if one.rpartition(".")[2] == symbol]
        if len(ending) != 1:
            return ""
        name = ending[0]
    own = sorted((one, digest) for one, digest in declared.items() if one == name or one.startswith(f"{name}."))
    return hash_of("\n".join(f"{one} {digest}" for one, digest in own).encode()).hex()
