"""Checks of what a bundle says, before an index is made of it: the manifest's fields and the paths of its files."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import NoneType
from typing import Any

from cocosearch_py.discovery.rules import forbidden_path_rule
from cocosearch_py.errors import SafetyError, ValidationError
from cocosearch_py.model.files import ContentClass, FileStatus, ParseStatus, SkipReason
from cocosearch_py.model.indexes import FORMAT_VERSION, check_mappings, check_stored_name, is_commit
from cocosearch_py.model.paths import file_id_of, has_controls, is_inside
from cocosearch_py.storage.write.transfer import RETIRED_TABLES, LoadedFile, table_names
from cocosearch_py.transfer.archive import Manifest

REMEDY = "make the bundle again with `cocosearch-py export`"
TIMES = ("created_at", "updated_at")
CheckOptions = Callable[[Mapping[str, Any]], object]  # raises ValueError for options that no run stores
# The first format that bundles had. Its terms are those of today, and a column that it lacks is one that may be empty;
# where either is no longer so, what is read has to be made anew. An index of an older format stays one, and says so.
_OLDEST_FORMAT = 6
# Fields of the manifest's index, and their types in JSON.
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("name", "status", "embedding_model", *TIMES), (str,)),
    **dict.fromkeys(
        ("format_version", "embedding_dimension", "chunk_count", "file_count", "pending_file_count"), (int,)
    ),
    **dict.fromkeys(("git_branch", "git_commit"), (str, NoneType)),
    "options": (dict,),
    "weights": (dict, NoneType),
    "seconds": (int, float),
    "bytes_per_second": (int, float, NoneType),
}
_STATUSES = ("complete", "interrupted")
_MAX_NUMBER = 2**31 - 1
_MAX_TEXT_CHARS = 1_000
# PostgreSQL has times that Python cannot read. These can be read in every time zone.
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
_FILE_VALUES = {
    "status": frozenset(FileStatus),
    "reason": frozenset({*SkipReason, None}),
    "parse_status": frozenset({*ParseStatus, None}),
    "content_class": frozenset({*ContentClass, None}),
}


def read_fields(manifest: Manifest, source: object, check_options: CheckOptions) -> dict[str, Any]:
    """The fields of the record that a bundle gives, each of its type; raises ValidationError."""
    told = manifest.index
    if told.get("format_version") not in range(_OLDEST_FORMAT, FORMAT_VERSION + 1):
        raise ValidationError(
            f"{source} was made by version {manifest.product[:40]} with index format "
            f"{told.get('format_version')!s:.10}; this version reads formats {_OLDEST_FORMAT} to {FORMAT_VERSION}",
            hint="export it again with the same version as here, or index the folder here",
        )
    unknown = ({part.table for part in manifest.parts} - RETIRED_TABLES) ^ set(table_names())
    if unknown:
        raise ValidationError(
            f"{source} has different tables from this version: {sorted(unknown)[0][:60]}", hint=REMEDY
        )
    wrong = [name for name, kinds in _KINDS.items() if name not in told or not _fits(told[name], kinds)]
    if wrong:
        raise ValidationError(f"{source} has a manifest with no readable {wrong[0]}", hint=REMEDY)
    known = {name: told[name] for name in _KINDS}
    check_stored_name(known["name"], known["git_commit"])
    try:
        _check_values(known)
        check_options(known["options"])
        return known | {name: _time(known[name]) for name in TIMES}
    except (ValueError, OverflowError) as error:
        raise ValidationError(f"{source} has an unreadable manifest: {error}", hint=REMEDY) from error


def check_files(files: Iterable[LoadedFile], file_count: int) -> None:
    """Check the rows of the files that a bundle brings; `file_count` is what its manifest says of indexed ones.

    Raises:
        ValidationError: a row that no run writes.
        SafetyError: an indexed file that no run indexes, by its name.
    """
    indexed = 0
    for file in files:
        shown = file.path[:200]
        if file.file_id != file_id_of(file.path) or not is_inside(file.path):
            raise ValidationError(f"{shown!r} cannot be an indexed file", hint=REMEDY)
        if any(getattr(file, name) not in values for name, values in _FILE_VALUES.items()):
            raise ValidationError(f"{shown!r} has an invalid state", hint=REMEDY)
        if file.chunks != file.chunk_count or file.line_count > file.bytes + 1 or not file.is_numbered:
            raise ValidationError(f"{shown!r} has wrong counts of lines, chunks or definitions", hint=REMEDY)
        if file.status != FileStatus.INDEXED:
            continue
        indexed += 1
        if has_controls(file.path) or file.path.endswith("/"):
            raise ValidationError(
                f"a bundle cannot contain {shown!r}: its name has control characters or ends with a slash",
                hint="rename or exclude this file, index the folder again, and export it again",
            )
        if rule := forbidden_path_rule(file.path):
            raise SafetyError(
                f"the bundle contains {shown!r}, which must not be indexed ({rule})",
                hint="index the folder here instead, or have the bundle made without this file",
            )
    if indexed != file_count:
        raise ValidationError("the number of indexed files differs from the manifest", hint=REMEDY)


def _fits(value: object, kinds: tuple[type, ...]) -> bool:
    """Whether a value is of one of the kinds, and a number between 0 and the largest that a column holds."""
    return type(value) in kinds and (not isinstance(value, int | float) or 0 <= value <= _MAX_NUMBER)


def _check_values(known: Mapping[str, Any]) -> None:
    """Raise ValueError for a value that no run writes, though it is of the right type."""
    if known["status"] not in _STATUSES:
        raise ValueError("an unknown status")
    if not known["embedding_model"] or any(
        isinstance(value, str) and len(value) > _MAX_TEXT_CHARS for value in known.values()
    ):
        raise ValueError("a text that is empty or too long")
    if known["git_commit"] is not None and not is_commit(known["git_commit"]):
        raise ValueError("a commit that is none")
    check_mappings(known["options"], known["weights"])


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without its zone")
    at = at.astimezone(UTC)
    if not _EARLIEST <= at < _LATEST:
        raise ValueError("a time out of range")
    return at
