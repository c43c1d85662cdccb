"""The file of a bundle: a tar under Zstandard, a manifest and then the parts that it lists. Equal parts, equal file.

Knows no database. What is read may come from anybody: nothing is believed before it was counted and hashed.
"""

import hashlib
import io
import json
import os
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import zstandard

from cocosearch_py.errors import ValidationError, WorkspaceError
from cocosearch_py.model.paths import has_controls
from cocosearch_py.model.private import put_in_place

FORMAT = "cocosearch-bundle"
VERSION = 2  # 1 had no derived parts
MANIFEST = "manifest.json"
MAP = "repomap.md"
_DERIVED = frozenset({MAP})
_LEVEL = 9  # of Zstandard: a third smaller than 3, and still faster than the database reads
_MAX_WINDOW_BYTES = 2**27  # what unpacking may take of the memory
_MAX_MANIFEST_BYTES = 1_000_000
# Packed bytes unpacked at once: Zstandard makes at most 32,768 times as many of them.
_STEP_BYTES = 4096
# Ours unpack to three to eight times their size.
_MAX_EXPANSION = 100
_BLOCK_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REMEDY = "make the bundle again with `cocosearch-py export`"
_UNFINISHED = ".cocosearch-export-"  # a folder's name begins so


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one table.

    Attributes:
        columns: theirs, in order.
        sha256: hexadecimal, of its `bytes` bytes.
    """

    table: str
    columns: Sequence[str]
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        """In the tar."""
        return f"tables/{self.table}.copy"


@dataclass(frozen=True, slots=True)
class Derived:
    """A part for people and other programs, made of the rows: what reads a bundle checks it, and needs it for nothing.

    Attributes:
        name: in the tar.
        sha256: hexadecimal, of its `bytes` bytes.
    """

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Description of a bundle; `index` holds the catalog's facts about the index."""

    product: str
    index: Mapping[str, Any]
    parts: tuple[Part, ...]
    derived: tuple[Derived, ...] = ()

    @property
    def entries(self) -> tuple[Part | Derived, ...]:
        """Entries that follow the manifest in the tar."""
        return self.parts + self.derived

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "product": self.product,
            "index": dict(self.index),
            "parts": [asdict(part) for part in self.parts],
            "derived": [asdict(part) for part in self.derived],
        }


Pour = Callable[[Callable[[bytes], None]], int]  # gives the rows of a table to what takes them, and counts them


def write(
    target: Path,
    product: str,
    index: Mapping[str, Any],
    tables: Iterable[tuple[str, Sequence[str], Pour]],
    derived: Mapping[str, bytes],
) -> Manifest:
    """Write a bundle of these tables: name, columns, rows. The file appears when it is complete.

    Args:
        derived: what comes after the tables, by the name that it has in the tar.
    Raises:
        WorkspaceError: it cannot be written there.
    """
    with _told(target), tempfile.TemporaryDirectory(dir=target.parent, prefix=_UNFINISHED) as folder:
        parts, files = [], []
        for table, columns, pour in tables:
            file = Path(folder, table)
            parts.append(_spool(table, columns, pour, file))
            files.append(file)
        others = [Derived(name, len(text), hashlib.sha256(text).hexdigest()) for name, text in derived.items()]
        for name, text in derived.items():
            Path(folder, name).write_bytes(text)
            files.append(Path(folder, name))
        manifest = Manifest(product, index, tuple(parts), tuple(others))
        packed = Path(folder, "bundle")
        _pack(packed, manifest, files)
        put_in_place(packed, target)
    return manifest


@contextmanager
def appearing(target: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which appears as `target` when the block ends without an error.

    Raises:
        WorkspaceError: it cannot be written there.
    """
    with _told(target), tempfile.TemporaryDirectory(dir=target.parent, prefix=_UNFINISHED) as folder:
        unfinished = Path(folder, "file")
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        put_in_place(unfinished, target)


@contextmanager
def _told(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorkspaceError(
            f"the file {target} cannot be written: {error.strerror or error}", hint="choose another --output"
        ) from error


def _spool(table: str, columns: Sequence[str], pour: Pour, file: Path) -> Part:
    digest, size = hashlib.sha256(), 0
    with file.open("wb") as out:

        def keep(block: bytes) -> None:
            nonlocal size
            digest.update(block)
            size += out.write(block)

        rows = pour(keep)
    return Part(table, tuple(columns), rows, size, digest.hexdigest())


def _pack(packed: Path, manifest: Manifest, files: Sequence[Path]) -> None:
    text = json.dumps(manifest.as_json(), indent=1, sort_keys=True).encode()
    with packed.open("wb") as raw:
        with (
            # The checksum is the manifest's: it has those of the parts.
            zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).stream_writer(raw, closefd=False) as compressed,
            tarfile.open(fileobj=compressed, mode="w|", format=tarfile.GNU_FORMAT) as tar,
        ):
            tar.addfile(_entry(MANIFEST, len(text)), io.BytesIO(text))
            for part, file in zip(manifest.entries, files, strict=True):
                with file.open("rb") as rows:
                    tar.addfile(_entry(part.name, part.bytes), rows)
        raw.flush()
        os.fsync(raw.fileno())


def _entry(name: str, size: int) -> tarfile.TarInfo:
    """An entry that says nothing of when and by whom it was made."""
    entry = tarfile.TarInfo(name)
    entry.size = size
    return entry


Take = Callable[[Part, Iterator[bytes]], None]


def read(source: Path, take: Take) -> Manifest:
    """Go through a bundle; `take` gets each table and its blocks, to be used up before the next.

    Raises:
        WorkspaceError: no such file.
        ValidationError: it is no bundle, of a newer version, cut off or changed; some parts may have been taken.
    """
    try:
        with source.open("rb") as raw:
            frame = _Frame(raw)
            manifest = _manifest(frame, source)
            for part in manifest.entries:
                if _header(frame) != (part.name, part.bytes):
                    raise _broken(source, f"{part.name} is not where the manifest says")
                digest = hashlib.sha256()
                blocks = _content(frame, part.bytes, digest.update)
                if isinstance(part, Part):
                    take(part, blocks)
                for _ in blocks:  # the rest of it
                    pass
                if digest.hexdigest() != part.sha256:
                    raise _broken(source, f"{part.name} does not match the manifest")
            _check_end(frame)
    except OSError as error:
        raise WorkspaceError(f"{source} cannot be read: {error.strerror or error}", hint="name a bundle") from error
    except (zstandard.ZstdError, ValueError) as error:
        raise _broken(source, str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    return manifest


def verify(source: Path) -> Manifest:
    """The manifest of a bundle whose parts are all what it says; raises as `read` does."""
    return read(source, lambda *_: None)


class _Frame:
    """The content of a file that is one Zstandard frame. Raises ValueError where it is cut off or something follows.

    Each read asks for a known number of bytes, so sizes that lie cannot fill the memory.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES).decompressobj()
        self._block = memoryview(b"")
        self.given = 0  # bytes in all

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        pieces, left = [], size
        while left:
            if not self._block and not self._unpack():
                raise ValueError("its end is missing")
            piece, self._block = self._block[:left], self._block[left:]
            pieces.append(piece)
            left -= len(piece)
        self.given += size
        return b"".join(pieces)

    def check_end(self) -> None:
        """Raise ValueError unless the frame and the file end here."""
        if self._block or self._unpack():
            raise ValueError("extra bytes follow its end")

    def _unpack(self) -> bool:
        """Fetch further bytes; False at the end of the file."""
        while not self._block and not self._frame.eof:
            packed = self._raw.read(_STEP_BYTES)
            if not packed:
                raise ValueError("its end is missing")
            self._block = memoryview(self._frame.decompress(packed))
        if self._frame.eof and (self._frame.unused_data or self._raw.read(1)):
            raise ValueError("extra bytes follow its end")
        return bool(self._block)


def _header(frame: _Frame) -> tuple[str, int] | None:
    """Name and size of the tar entry that follows; None unless it is a plain file without extensions."""
    try:
        entry = tarfile.TarInfo.frombuf(frame.read(tarfile.BLOCKSIZE), "utf-8", "strict")
    except tarfile.HeaderError:
        return None
    return (entry.name, entry.size) if entry.type == tarfile.REGTYPE else None


def _content(frame: _Frame, size: int, note: Callable[[bytes], object]) -> Iterator[bytes]:
    """The blocks of an entry's content, each given to `note` first, and then its padding."""
    for start in range(0, size, _BLOCK_BYTES):
        block = frame.read(min(_BLOCK_BYTES, size - start))
        note(block)
        yield block
    _skip_zeros(frame, -size % tarfile.BLOCKSIZE)


def _check_end(frame: _Frame) -> None:
    _skip_zeros(frame, 2 * tarfile.BLOCKSIZE)
    _skip_zeros(frame, -frame.given % tarfile.RECORDSIZE)
    frame.check_end()


def _skip_zeros(frame: _Frame, size: int) -> None:
    if any(frame.read(size)):
        raise ValueError("it has parts that are not in the manifest")


def _manifest(frame: _Frame, source: Path) -> Manifest:
    name, size = _header(frame) or ("", 0)
    if name != MANIFEST or not 0 <= size <= _MAX_MANIFEST_BYTES:
        raise _broken(source, "it does not start with a manifest")
    told = _parsed(b"".join(_content(frame, size, len)))
    try:
        if told["format"] != FORMAT:
            raise _broken(source, "it is another kind of file")
        version, product = told["version"], told["product"]
        if type(version) is not int or version < 1 or not isinstance(product, str):
            raise TypeError("no version")
        if version > VERSION:
            raise ValidationError(f"{source} was made by a newer version, {product[:40]}", hint="upgrade cocosearch-py")
        parts = tuple(_part(one) for one in told["parts"])
        derived = tuple(_derived(one) for one in told["derived"]) if version > 1 else ()
        manifest = Manifest(product, dict(told["index"]), parts, derived)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _broken(source, "its manifest is incomplete") from error
    if len({part.name for part in manifest.entries}) < len(manifest.entries):
        raise _broken(source, "its manifest has a part twice")
    if sum(part.bytes for part in manifest.entries) > source.stat().st_size * _MAX_EXPANSION:
        raise _broken(source, "it would unpack to more than a bundle may contain")
    return manifest


def _parsed(data: bytes) -> Any:
    """Parse a manifest; raises ValueError for duplicate names, for NaN and infinity, and for control characters."""

    def refuse(name: str) -> None:
        raise ValueError(f"its manifest has the number {name}")

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("its manifest has a name twice")
        return dict(pairs)

    try:
        told = json.loads(data.decode("utf-8"), object_pairs_hook=checked, parse_constant=refuse)
        if any(map(has_controls, _texts(told))):
            raise ValueError("its manifest has control characters")
    except RecursionError as error:
        raise ValueError("its manifest is nested too deep") from error
    return told


def _texts(told: object) -> Iterator[str]:
    """All texts in a JSON value, names included."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict | list):
        for one in told:
            yield from _texts(one)
        if isinstance(told, dict):
            yield from _texts(list(told.values()))


def _part(told: Mapping[str, Any]) -> Part:
    columns = told["columns"]
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in (told["table"], *columns)):
        raise TypeError("no text")
    if not columns or len(set(columns)) < len(columns):
        raise TypeError("a column twice, or none")
    return Part(told["table"], tuple(columns), _size(told["rows"]), _size(told["bytes"]), _digest(told["sha256"]))


def _derived(told: Mapping[str, Any]) -> Derived:
    if told["name"] not in _DERIVED:
        raise TypeError("no name")
    return Derived(told["name"], _size(told["bytes"]), _digest(told["sha256"]))


def _size(told: object) -> int:
    if type(told) is not int or told < 0:
        raise TypeError("no size")
    return told


def _digest(told: object) -> str:
    if not isinstance(told, str) or not _SHA256.fullmatch(told):
        raise TypeError("no digest")
    return told


def _broken(source: Path, why: str) -> ValidationError:
    return ValidationError(f"{source} is not a bundle, or is damaged: {why}", hint=_REMEDY)
