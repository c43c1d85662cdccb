"""Bundles with one thing wrong: in the manifest, the tar, the frame or a row. Equal seeds give equal bytes."""

import copy
import json
import struct
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import zstandard
from tests.bundles import COPY_HEAD_BYTES, Entries, copied, copied_rows, tarred, unpacked, with_rows_of

Mutation = tuple[str, bytes]  # kind, and the bytes of the bundle

_SKIPPABLE = struct.pack("<II", 0x184D2A50, 4) + b"free"
_TEXTS = [
    *("", " ", "a", "indexed", "..", "../x", "/etc/passwd", "C:\\x", ".env", ".git/config", "a/", "x" * 5_000),
    *("\x1b[2J", "a\nb", "\u202e", "é", "🎉", "%s", "'; --", "…", "→a", "0" * 40, "--help"),
]
_UNSTORABLE = ["\0", "a\0b", "\ud800"]
_TIMES = [
    *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "1970-01-01T00:00:00", "2026-W01-1"),
    *("infinity", "2026-01-01T00:00:00+00:00", "1969-12-31T23:59:59+00:00"),
]
_NUMBERS = [0, 1, -1, 2, 255, 65_536, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 2**64, 10**400]
_ODD: list[Any] = [
    *(
        *_TEXTS,
        *_UNSTORABLE,
        *_TIMES,
        *_NUMBERS,
        None,
        True,
        False,
        0.5,
        -0.5,
        1e300,
        float("nan"),
        float("inf"),
        [],
        {},
    ),
    *([1], ["a"], {"a": 1}, [[]], {"": None}, {"definition": 1e10}, {"definition": "1"}, {"keywords": -1e10, "x": 0}),
]


def mutations(bundle: Path, seed: int) -> Iterator[Mutation]:
    """Mutations of a bundle without end."""
    chance = Random(seed)  # repeatable, not secret
    whole, entries = bundle.read_bytes(), unpacked(bundle)
    kinds: dict[str, Callable[[], bytes]] = {
        "manifest": lambda: _compressed(_with_manifest(chance, _twice(entries))),
        "tar": lambda: zstandard.compress(_tar(chance, _twice(entries))),
        "frame": lambda: _frame(chance, whole, tarred(_twice(entries))),
        "rows": lambda: _compressed(_with_rows(chance, _twice(entries))),
    }
    while True:
        kind = chance.choices(list(kinds), weights=(35, 15, 15, 35))[0]
        yield kind, kinds[kind]()


def _twice(entries: Entries) -> Entries:
    return [(copy.copy(entry), data) for entry, data in entries]


def _compressed(entries: Entries) -> bytes:
    return zstandard.compress(tarred(entries))


# The manifest


def _with_manifest(chance: Random, entries: Entries) -> Entries:
    (entry, data), *rest = entries
    told = json.loads(data)
    for _ in range(chance.choice((1, 1, 1, 2))):
        _change_a_value(chance, told)
    text = json.dumps(told)
    if chance.random() < 0.02:
        text = text.replace("{", '{"deep": ' + "[" * 100_000 + "]" * 100_000 + ", ", 1)
    if chance.random() < 0.1:
        name = chance.choice(("format", "index", "parts", "name", "options", "created_at", "weights"))
        text = text.replace(f'"{name}":', f'"{name}": {json.dumps(chance.choice(_ODD))}, "{name}":', 1)
    encoded = text.encode(chance.choice(("utf-8", "utf-8", "utf-8", "utf-8", "utf-16", "utf-8-sig", "utf-32")))
    entry.size = len(encoded)
    return [(entry, encoded), *rest]


def _change_a_value(chance: Random, told: Any) -> None:
    """Replace, remove, add or double a value somewhere in a JSON value."""
    places = list(_places(told))
    parent, key = chance.choice(places)
    match chance.choice(("replace", "replace", "replace", "replace", "remove", "add", "swap", "nest")):
        case "replace":
            parent[key] = chance.choice(_ODD)
        case "remove":
            del parent[key]
        case "add" if isinstance(parent, dict):
            parent[chance.choice(("", "x", "features", "vector", "tuned_at", "\ud800"))] = chance.choice(_ODD)
        case "add":
            parent.append(copy.deepcopy(parent[key]) if chance.random() < 0.5 else chance.choice(_ODD))
        case "swap":
            other, name = chance.choice(places)
            parent[key] = copy.deepcopy(other[name])
        case "nest":
            for _ in range(chance.choice((1, 50, 200))):
                parent[key] = [parent[key]]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside of a JSON value, as its container and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


# The tar


def _tar(chance: Random, entries: Entries) -> bytes:
    at = chance.randrange(len(entries))
    entry, data = entries[at]
    match chance.randrange(9):
        case 0:
            entries[at], entries[-1] = entries[-1], entries[at]
        case 1:
            del entries[at]
        case 2:
            entries.insert(chance.randrange(len(entries) + 1), (copy.copy(entry), data))
        case 3:
            entry.name = chance.choice(("/" + entry.name, "../" + entry.name, entry.name + "/", "x" * 300, "é", ""))
        case 4:
            entry.type = chance.choice([bytes([kind]) for kind in range(256)])
            entry.linkname = "/etc/passwd"
        case 5:
            extra = tarfile.TarInfo(chance.choice(("extra", "/etc/x", "../x", "manifest.json")))
            extra.type = chance.choice(
                (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE)
            )
            entries.insert(chance.randrange(len(entries) + 1), (extra, b""))
        case 6:
            return _tar_bytes(chance, tarred(entries))
        case 7:
            entries[at] = (entry, data[: chance.randrange(len(data))] if data else b"x")
            entry.size = len(entries[at][1])
        case 8:
            entry.pax_headers = {"size": "5", "path": "x", "GNU.sparse.size": "9"}
            return tarred_as(entries, tarfile.PAX_FORMAT)
    return tarred(entries)


def tarred_as(entries: Entries, form: int) -> bytes:
    """A tar of entries in one of the forms of tar."""
    return b"".join([entry.tobuf(form) + data + bytes(-len(data) % 512) for entry, data in entries] + [bytes(10_240)])


def _tar_bytes(chance: Random, tar: bytes) -> bytes:
    at = 512 * chance.randrange(len(tar) // 512)
    match chance.randrange(5):
        case 0:
            return tar[:at]
        case 1:
            return tar + bytes(512 * chance.choice((1, 20)))
        case 2:
            return tar[:-512] + b"x" * 512
        case 3:  # a size in a header, with a checksum that fits it or not
            header = bytearray(tar[:512])
            header[124:136] = chance.choice((b"77777777777\0", b"-0000000001\0", b"\x80" + b"\xff" * 11, b"\xff" * 12))
            if chance.random() < 0.5:
                header[148:156] = b" " * 8
                header[148:156] = b"%06o\0 " % sum(header)
            return bytes(header) + tar[512:]
    flipped = bytearray(tar)
    for _ in range(chance.choice((1, 3, 50))):
        flipped[chance.randrange(len(tar))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


# The frame


def _frame(chance: Random, whole: bytes, tar: bytes) -> bytes:
    at = chance.randrange(len(whole))
    half = chance.randrange(len(tar))
    match chance.randrange(10):
        case 0:
            return whole[:at]
        case 1:
            return whole + chance.choice((b"\0", b"x", b"\x28\xb5\x2f\xfd", whole, zstandard.compress(b""), _SKIPPABLE))
        case 2:
            return chance.choice((zstandard.compress(b""), _SKIPPABLE, b"\0")) + whole
        case 3:
            return zstandard.compress(tar[:half]) + zstandard.compress(tar[half:])
        case 4:
            return whole[:-1] + bytes([whole[-1] ^ chance.randrange(1, 256)])  # the checksum
        case 5:
            return zstandard.ZstdCompressor(level=chance.choice((1, 19)), write_content_size=False).compress(tar)
        case 6:
            return zstandard.compress(tar + tar)
        case 7:
            return zstandard.compress(bytes(chance.choice((0, 512, 10_240, 5_000_000))))
        case 8:
            return chance.choice((tar, b"", chance.randbytes(1_000), whole[:4] + chance.randbytes(1_000)))
    flipped = bytearray(whole)
    flipped[at] ^= 1 << chance.randrange(8)
    return bytes(flipped)


# Rows

_FIELDS = [
    *(None, b"", b"\0", b"\xff", b"\1", b"\0" * 4, b"\0" * 8, b"\xff" * 4, b"\xff" * 8, b"\x7f" + b"\xff" * 3),
    *(
        b"\x7f" + b"\xff" * 7,
        b"\x80" + b"\0" * 3,
        b"\x80" + b"\0" * 7,
        b"\0\0\0\1",
        b"\0" * 7 + b"\1",
        b"\0\xff\xff\xff",
    ),
    *(text.encode("utf-8", "surrogatepass") for text in (*_TEXTS, *_UNSTORABLE)),
]


def _with_rows(chance: Random, entries: Entries) -> Entries:
    """Change rows of one table; nearly always the manifest says so."""
    table = chance.choice([entry.name for entry, data in entries if entry.name.endswith(".copy") and len(data) > 21])
    changed = with_rows_of(
        entries, table.removeprefix("tables/").removesuffix(".copy"), lambda data: _rows(chance, data)
    )
    if chance.random() < 0.02:
        changed[0] = entries[0]
    return changed


def _rows(chance: Random, data: bytes) -> bytes:
    if chance.random() < 0.1:
        return _row_bytes(chance, data)
    rows = copied_rows(data)
    for _ in range(chance.choice((1, 1, 1, 2, 10))):
        row = chance.choice(rows)
        at = chance.randrange(len(row))
        match chance.choice(("value", "value", "near", "near", "flip", "swap", "double", "other")):
            case "value":
                row[at] = chance.choice(_FIELDS)
            case "near" if row[at]:  # a number close to the right one, or the text with another end
                number = int.from_bytes(row[at], "big") + chance.choice((-1, 1, 2, 100, 1 << 20))
                row[at] = (number % (1 << 8 * len(row[at]))).to_bytes(len(row[at]), "big")
            case "flip" if row[at]:
                flipped = bytearray(row[at])
                flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
                row[at] = bytes(flipped)
            case "swap":
                row[at] = chance.choice(rows)[at]
            case "double":
                rows[chance.randrange(len(rows))] = list(row)
            case "other":
                row[at] = chance.choice(row)
    return copied(rows)


def _row_bytes(chance: Random, data: bytes) -> bytes:
    at = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:-2]
        case 2:
            return data + data[COPY_HEAD_BYTES:]
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
