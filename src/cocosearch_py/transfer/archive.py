"""The file of a bundle: a tar under Zstandard, a manifest and then the parts that it lists. Equal parts, equal file.

Knows no database. What is read may come from anybody: nothing is believed before it was counted and hashed.
"""

import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import zstandard

from cocosearch_py.errors import ValidationError, WorkspaceError
from cocosearch_py.model.private import put_in_place

FORMAT = "cocosearch-bundle"
VERSION = 2  # 1 had no derived parts
MANIFEST = "manifest.json"
MAP = "repomap.md"
_DERIVED = frozenset({MAP})
_LEVEL = 9  # of Zstandard: a third smaller than 3, and still faster than the database reads
_MAX_WINDOW_BYTES = 2**27  # what unpacking may take of the memory
_MAX_MANIFEST_BYTES = 1_000_000
_MAX_HEADER_BYTES = 100_000  # of a part in the tar, with all that may stand before it
# Ours unpack to three to eight times their size.
_MAX_EXPANSION = 100
_BLOCK_BYTES = 1 << 20
_REMEDY = "make the bundle anew with `cocosearch-py export`"
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
    """What a bundle says of itself; `index` is what is known of the index but its rows."""

    product: str
    index: Mapping[str, Any]
    parts: tuple[Part, ...]
    derived: tuple[Derived, ...] = ()

    @property
    def entries(self) -> tuple[Part | Derived, ...]:
        """What follows the manifest in the tar."""
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
        with source.open("rb") as raw, _unpacked(raw) as (tar, budget):
            manifest = _manifest(tar, budget, source)
            for part in manifest.entries:
                budget.allow(_MAX_HEADER_BYTES)
                entry = tar.next()
                if entry is None or not entry.isreg() or (entry.name, entry.size) != (part.name, part.bytes):
                    raise _broken(source, f"{part.name} is not where the manifest has it")
                _take_part(tar, entry, part, budget, take if isinstance(part, Part) else _drop, source)
            budget.allow(_MAX_HEADER_BYTES)
            if tar.next() is not None:
                raise _broken(source, "it has parts that the manifest does not know")
            while budget.read(_BLOCK_BYTES):  # up to the checksum, which is checked there
                pass
            if budget.given < tar.offset + 2 * tarfile.BLOCKSIZE or budget.given % tarfile.RECORDSIZE:
                raise _broken(source, "its end is missing")
    except OSError as error:
        raise WorkspaceError(f"{source} cannot be read: {error.strerror or error}", hint="name a bundle") from error
    except (tarfile.TarError, zstandard.ZstdError, EOFError, ValueError) as error:
        raise _broken(source, str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    return manifest


def verify(source: Path) -> Manifest:
    """The manifest of a bundle whose parts are all what it says; raises as `read` does."""
    return read(source, _drop)


def _drop(_: Any, blocks: Iterator[bytes]) -> None:
    for _block in blocks:
        pass


def _take_part(
    tar: tarfile.TarFile,
    entry: tarfile.TarInfo,
    part: Part | Derived,
    budget: "_Budget",
    take: Callable[[Any, Iterator[bytes]], None],
    source: Path,
) -> None:
    file = tar.extractfile(entry)
    assert file is not None  # a regular file has content
    digest = hashlib.sha256()
    budget.allow(part.bytes + _MAX_HEADER_BYTES)

    def blocks() -> Iterator[bytes]:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            yield block

    take(part, blocks())
    if digest.hexdigest() != part.sha256:
        raise _broken(source, f"{part.name} is not what the manifest says")


class _Budget(io.RawIOBase):
    """A stream that gives as much as was allowed: sizes in a tar may lie, and reading them must not fill the memory."""

    def __init__(self, inner: IO[bytes]) -> None:
        super().__init__()
        self._inner = inner
        self._left = 0
        self.given = 0  # bytes in all

    def allow(self, size: int) -> None:
        """From here on so many bytes."""
        self._left = size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self._inner.read(size)
        self._left -= len(block)
        self.given += len(block)
        if self._left < 0:
            raise ValueError("a part is larger than it says")
        return block


@contextmanager
def _unpacked(raw: IO[bytes]) -> Iterator[tuple[tarfile.TarFile, _Budget]]:
    with zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES).stream_reader(raw) as stream:
        budget = _Budget(stream)
        budget.allow(_MAX_HEADER_BYTES)
        with tarfile.open(fileobj=budget, mode="r|") as tar:
            yield tar, budget


def _manifest(tar: tarfile.TarFile, budget: _Budget, source: Path) -> Manifest:
    entry = tar.next()
    if entry is None or entry.name != MANIFEST or not entry.isreg() or entry.size > _MAX_MANIFEST_BYTES:
        raise _broken(source, "it does not begin with a manifest")
    budget.allow(entry.size + _MAX_HEADER_BYTES)
    file = tar.extractfile(entry)
    assert file is not None
    try:
        told = json.loads(file.read())
        if told["format"] != FORMAT:
            raise _broken(source, "it is something else")
        if told["version"] > VERSION:
            raise ValidationError(
                f"{source} was made by a newer version, {str(told['product'])[:40]}", hint="upgrade cocosearch-py"
            )
        parts = tuple(_part(one) for one in told["parts"])
        derived = tuple(_derived(one) for one in told["derived"]) if told["version"] > 1 else ()
        product, index = str(told["product"]), dict(told["index"])
    except (KeyError, TypeError, RecursionError, AttributeError) as error:
        raise _broken(source, "its manifest lacks something") from error
    manifest = Manifest(product, index, parts, derived)
    if sum(part.bytes for part in manifest.entries) > source.stat().st_size * _MAX_EXPANSION:
        raise _broken(source, "it would unpack to more than a bundle can")
    return manifest


def _part(told: Mapping[str, Any]) -> Part:
    columns = tuple(told["columns"])
    if not all(isinstance(name, str) for name in (told["table"], told["sha256"], *columns)):
        raise TypeError("no text")
    size, rows = told["bytes"], told["rows"]
    if not (isinstance(size, int) and isinstance(rows, int) and size >= 0):
        raise TypeError("no number")
    return Part(told["table"], columns, rows, size, told["sha256"])


def _derived(told: Mapping[str, Any]) -> Derived:
    if told["name"] not in _DERIVED or not isinstance(told["sha256"], str):
        raise TypeError("no name")
    if not (isinstance(told["bytes"], int) and told["bytes"] >= 0):
        raise TypeError("no number")
    return Derived(told["name"], told["bytes"], told["sha256"])


def _broken(source: Path, why: str) -> ValidationError:
    return ValidationError(f"{source} is not a bundle, or is damaged: {why}", hint=_REMEDY)
