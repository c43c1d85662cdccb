"""Compare the definitions of a commit with those of another commit or of the disk."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from cocosearch_py.comparison.declarations import Declaration, read_declarations
from cocosearch_py.comparison.report import Change, ChangedFile, ChangeReport, ChangeRequest
from cocosearch_py.discovery.git import blob_at
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.revisions import ChangedPath, changed_paths
from cocosearch_py.discovery.rules import forbidden_path_rule
from cocosearch_py.discovery.sniff import Text, inspect
from cocosearch_py.errors import ServiceError
from cocosearch_py.languages.detect import detect_language

MOST_FILES = 300  # whose definitions are compared
_HEAD_BYTES = 4_096  # enough for a shebang and for telling C from C++
Sides = tuple[bytes | None, bytes | None]


def find_changes(request: ChangeRequest, folder: Path) -> ChangeReport:
    """Compare the definitions of all files that changed below a folder.

    Raises:
        ServiceError: git does not answer.
    """
    differing = changed_paths(folder, request.since, request.to)
    if differing is None:
        raise ServiceError(f"git cannot compare {request.since[:12]} in {folder}", hint="try git diff there")
    below = next(
        (kept for path in request.paths if (kept := [one for one in differing if _is_below(one.path, path)])), []
    )
    files, texts = [], []
    with FolderReader(str(folder.resolve()), request.max_file_bytes) as reader:
        for number, one in enumerate(below):
            sides = _sides(request, folder, reader, one) if number < MOST_FILES else (None, None)
            if one.status == "modified" and None not in sides and _unified(sides[0]) == _unified(sides[1]):
                continue  # only its time is new
            files.append(one)
            texts.append(sides)
    compared = _compared(files, texts)
    changes = [[] for _ in files] if compared is None else compared
    changed = [ChangedFile(one.path, one.status, tuple(found)) for one, found in zip(files, changes, strict=True)]
    return ChangeReport(tuple(changed), is_compared=compared is not None, uncompared=max(0, len(below) - MOST_FILES))


def _sides(request: ChangeRequest, folder: Path, reader: FolderReader, one: ChangedPath) -> Sides:
    """The file before and after; None where it was not, cannot be read, is too large or is a secret."""
    if forbidden_path_rule(one.path):
        return None, None
    old = None if one.status == "added" else blob_at(folder, request.since, one.path, request.max_file_bytes)
    if one.status == "removed":
        return old, None
    if request.to is not None:
        return old, blob_at(folder, request.to, one.path, request.max_file_bytes)
    try:
        new = reader.read(one.path)
    except OSError:
        return old, None
    return old, new if isinstance(new, bytes) else None


def _unified(data: bytes | None) -> bytes:
    return (data or b"").replace(b"\r\n", b"\n")


def _compared(files: Sequence[ChangedPath], texts: Sequence[Sides]) -> list[list[Change]] | None:
    """The changes of each file; None when none could be read."""
    tasks: list[tuple[str, bytes]] = []
    places: list[list[int | None]] = []
    for file, sides in zip(files, texts, strict=True):
        places.append([])
        for data in sides:
            text = inspect(file.path, data, wanted=True) if data else None
            if isinstance(text, Text):
                tasks.append((detect_language(file.path, text.source[:_HEAD_BYTES]), text.source))
            places[-1].append(len(tasks) - 1 if isinstance(text, Text) else None)
    read = read_declarations(tasks)
    if read is None:
        return None
    sides_read = [[[] if at is None else read[at] for at in pair] for pair in places]
    return [list(_changes(old, new)) for old, new in sides_read]


def _changes(old: Sequence[Declaration], new: Sequence[Declaration]) -> Iterator[Change]:
    """Yield changed definitions in the order of the new file, then removed ones. Overloads are paired by order."""
    before = dict(_numbered(old))
    for key, one in _numbered(new):
        was = before.pop(key, None)
        if was is None:
            yield Change("added", one.kind, one.name, one.signature, one.line)
        elif was.signature != one.signature:
            yield Change("signature_changed", one.kind, one.name, one.signature, one.line, was.signature)
        elif was.digest != one.digest:
            yield Change("body_changed", one.kind, one.name, one.signature, one.line)
    for one in before.values():
        yield Change("removed", one.kind, one.name, one.signature, one.line)


def _numbered(found: Sequence[Declaration]) -> Iterator[tuple[tuple[str, str, int], Declaration]]:
    seen: Counter[tuple[str, str]] = Counter()
    for one in found:
        seen[one.kind, one.name] += 1
        yield (one.kind, one.name, seen[one.kind, one.name]), one


def _is_below(path: str, prefix: str) -> bool:
    return not prefix or path == prefix or path.startswith(prefix + "/")
