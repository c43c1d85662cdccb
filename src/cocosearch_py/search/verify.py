"""Whether an answer is what is on disk: its files are compared when it is returned, and repaired or marked.

What reads files is imported when one has changed, which few answers find.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.files import FileVersion, Naming
from cocosearch_py.model.indexes import CLOCK_TICK, IndexRecord, Pending
from cocosearch_py.model.ports import OfFiles
from cocosearch_py.model.search import CHANGED, GONE, MOVED, Hit, SearchReport, StaleFile
from cocosearch_py.search.context import cut_lines

if TYPE_CHECKING:
    from cocosearch_py.discovery.options import DiscoveryOptions
    from cocosearch_py.discovery.reading import FolderReader

R = TypeVar("R")
F = TypeVar("F", bound=OfFiles)
Answer = tuple[IndexRecord, SearchReport]
# Brings files of an index up to date, or into it, within seconds; why it did not, in words, or None. Of those that it
# may lack, what their paths tell of their classes.
Repair = Callable[[IndexRecord, Sequence[str], float, Mapping[str, Naming | None]], str | None]
# What of the folder of an index is new or changed; None where it is not looked at.
Survey = Callable[[IndexRecord], Pending | None]
# Which files of the folder of an index a run would read.
Rules = Callable[[IndexRecord], "DiscoveryOptions"]

_TOO_MANY = "too many files have changed to update them for this answer"
_TOO_MUCH = "too much has changed to read it for this answer"
_UNREADABLE = "it cannot be read now"
NO_FOLDER = "the index's folder is not available"
# That one waits which would lack what was asked for: a new file changes what imports lead to.
_LACKING_WAIT_S = 2.0
_MAX_ROUNDS = 3  # of a repair and a further search, which may show further files; a switched branch changes many
_MAX_PLACES = 100  # of the same text in a file
_MOST_NAMED = 3  # files that a sentence names
_MOST_COMPARED = 10_000  # files that are remembered: 6 MB
_TICK_NS = round(CLOCK_TICK.total_seconds() * 1e9)
# What the system said of files whose content was compared, and their hashes, by the paths on disk. No program chooses
# when the system changed a file: the same of it all is the same content.
_Said = tuple[int, int, int, int, int]  # device, inode, size, times of modification and change in ns
_compared: dict[str, tuple[_Said, bytes]] = {}


class _Unread(bytes):
    """No content of a file that cannot be read: it may be the same, and whether it stays is for a run to decide."""


class Compared(NamedTuple, Generic[R]):
    """An answer beside the disk.

    Attributes:
        changes: files of the answer that changed and were not repaired, with their content; None for one that is gone.
        gone: files that are gone, also those that a repair has taken out of the index.
        why: why they were not repaired.
        unread: how many further files of the folder are new or changed, where the answer lacks something; None if the
            folder was not looked at.
    """

    record: IndexRecord
    report: R
    changes: Mapping[str, bytes | None]
    gone: tuple[str, ...] = ()
    why: str | None = None
    unread: int | None = None


def compared(
    search: Callable[[], tuple[IndexRecord, R]],
    versions: Callable[[R], Mapping[str, FileVersion]],
    repair: Repair,
    rules: Rules,
    lacks: Callable[[R], bool],
    survey: Survey,
    *,
    wait_s: float,
) -> Compared[R]:
    """Search again and again until the files of the report are as on disk, or cannot be repaired in time.

    Where it `lacks` something, or a file of it is gone, the folder is looked at once as a whole: what is new or has
    changed is taken in like changes of its files, since that may be what was asked for.
    """
    record, report = search()
    gone: dict[str, None] = {}
    rounds, left_s = 0, wait_s
    unread: int | None = None
    # What is on disk says nothing of a commit.
    while record.commit is None:
        changes = find_changes(record, versions(report), rules)
        gone |= {path: None for path, text in changes.items() if text is None}
        new: Mapping[str, Naming | None] = {}
        is_later = False
        is_lacking = bool(gone) or (not changes and lacks(report))
        if is_lacking and unread is None and (pending := survey(record)) is not None:
            new, touched, unread, is_later = pending
            changes |= find_changes(record, touched, rules)
            left_s = max(left_s, _LACKING_WAIT_S)
        if not changes and not new:
            if not is_later:
                break
            record, report = search()
            continue
        if not _is_there(record.root_path):
            return Compared(record, report, {}, (), NO_FOLDER)
        began = time.perf_counter()
        known = sorted(path for path, text in changes.items() if not isinstance(text, _Unread))
        if not known and not new:
            return Compared(record, report, changes, tuple(gone), _UNREADABLE, unread)
        late = rounds == _MAX_ROUNDS or left_s <= 0
        why = _TOO_MANY if late else repair(record, [*known, *new], left_s, new)
        left_s -= time.perf_counter() - began
        if why is not None:
            unread = None if unread is None else unread + len(new)
            return Compared(record, report, changes, tuple(gone), why, unread)
        rounds += 1
        record, report = search()
    return Compared(record, report, {}, tuple(gone), None, unread if lacks(report) or gone else None)


def verified(search: Callable[[], Answer], repair: Repair, rules: Rules, survey: Survey, wait_s: float) -> Answer:
    """The answer of a search with what is on disk now.

    Files that changed are repaired and searched again. Where that is not done, hits with their text on disk get its
    lines, others are marked, and those of deleted files are left out; the report names these files and says why. For
    `survey` see `compared`: what the query names or quotes is lacking when nothing in the index has it.
    """
    started = time.perf_counter()
    searching_s = 0.0

    def timed() -> Answer:
        nonlocal searching_s
        began = time.perf_counter()
        found = search()
        searching_s = searching_s or time.perf_counter() - began
        return found

    record, report, changes, gone, why, unread = compared(
        timed, _versions, repair, rules, _lacks, survey, wait_s=wait_s
    )
    if why == NO_FOLDER:
        return record, replace(report, stale_because=NO_FOLDER)
    report = replace(report, unread=unread)
    if why is not None:
        report = _marked(report, changes, why)
    if gone:
        report = replace(report, stale=(*report.stale, *(StaleFile(path, GONE) for path in gone)))
    freshness_s = time.perf_counter() - started - searching_s
    timings = {**report.timings_ms, "freshness_ms": freshness_s * 1000}
    return record, replace(report, timings_ms=timings)


def verified_files(
    search: Callable[[], tuple[IndexRecord, F]], repair: Repair, rules: Rules, survey: Survey, wait_s: float
) -> F:
    """Compare a report on files with the disk: deleted files are left out, and a sentence says which changed.

    An answer about no file at all, or that misses one of several things, lacks something.
    """
    record, report, changes, _, why, unread = compared(
        search, lambda report: report.versions, repair, rules, _misses, survey, wait_s=wait_s
    )
    if why == NO_FOLDER:
        return report.doubted((), f"{NO_FOLDER}: the answer could not be compared with the disk")
    if unread and _misses(report):
        report = report.doubted((), f"{_unread_files(unread, why)}: run `cocosearch-py index {record.root_path}`")
    if why is None or not changes:
        return report
    gone = {path for path, text in changes.items() if text is None}
    told = ", ".join(sorted(changes)[:_MOST_NAMED]) + (", ..." if len(changes) > _MOST_NAMED else "")
    return report.doubted(gone, f"changed since the last index run: {told} (not updated: {why})")


def explain_stale(report: SearchReport) -> str | None:
    """Return a sentence about an answer that is not as on disk; None when it is."""
    if report.stale_because == NO_FOLDER:
        return f"{NO_FOLDER}: the results could not be compared with the disk"
    told = []
    changed = [one for one in report.stale if one.reason != GONE]
    if changed:
        files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
        told.append(f"{files} of these results changed since the last index run (not updated: {report.stale_because})")
    if gone := len(report.stale) - len(changed):
        found = "" if report.unread is not None else "; the next run finds them under a new name"
        told.append(f"{'1 file is' if gone == 1 else f'{gone} files are'} gone{found}")
    if report.unread:
        told.append(_unread_files(report.unread, report.stale_because))
    return "; ".join(told) or None


def _lacks(report: SearchReport) -> bool:
    """Whether nothing in the index is, or has, what the query names or quotes."""
    return report.lacks_names or bool(report.missing_phrases) or not report.hits


def _misses(report: OfFiles) -> bool:
    return not report.versions or bool(getattr(report, "missing", None))


def _unread_files(count: int, why: str | None) -> str:
    files = "1 new or changed file" if count == 1 else f"{count:,} new or changed files"
    return f"{files} may contain it, but could not be indexed in time ({why or _TOO_MUCH})"


def _is_there(root: str) -> bool:
    """Whether the folder of an index is: one that is empty is the place of a disk that is away."""
    with suppress(OSError):
        return not Path(root).is_symlink() and bool(os.listdir(root))
    return False


def find_changes(record: IndexRecord, versions: Mapping[str, FileVersion], rules: Rules) -> dict[str, bytes | None]:
    """The files of an index that are not as they were read, each with its content; None for one that is gone.

    A changed file that `rules` leave out counts as gone: an index does not make its content public.

    Size and time are compared first; then the content, also of what the system changed since the last whole run, since
    a file may have come from elsewhere with its time; once for what the system says of the file. What is no file any
    more, or too large or not to be read, has no content. No link is followed.
    """
    root, read_ns = record.root_path, record.read_ns
    looked_ns = time.time_ns()
    suspects: dict[str, os.stat_result | None] = {}
    for path, known in versions.items():
        place = os.path.join(root, path)
        now = _look(place)
        if not _is_same(path, place, now, known, read_ns):
            suspects[path] = now
    if not suspects:
        return {}
    from cocosearch_py.discovery.reading import FolderReader, hash_of

    found: dict[str, bytes | None] = {}
    discovery = rules(record)
    with FolderReader(root, discovery.max_file_size_bytes) as folder:
        for path in sorted(suspects):
            data = _content(folder, path)
            if data is None or isinstance(data, _Unread) or (hashed := hash_of(data)) != versions[path].content_hash:
                found[path] = data
            elif (now := suspects[path]) is not None and now.st_ctime_ns < looked_ns - _TICK_NS:
                _remember(os.path.join(root, path), now, hashed)  # whatever changes it is dated later
    return found | dict.fromkeys(_left_out(root, discovery, [path for path, data in found.items() if data]))


def _left_out(root: str, discovery: "DiscoveryOptions", paths: Sequence[str]) -> Iterable[str]:
    from cocosearch_py.discovery.walk import left_out

    try:
        return left_out(Path(root), discovery, paths)
    except WorkspaceError:  # the folder has gone since
        return paths


def _content(folder: "FolderReader", path: str) -> bytes | None:
    try:
        data = folder.read(path)
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        return b""
    except OSError:
        return _Unread()
    return data if isinstance(data, bytes) else b""


def _versions(report: SearchReport) -> dict[str, FileVersion]:
    return {hit.file_path: hit.version for hit in report.hits if hit.version is not None}


def _look(path: str) -> os.stat_result | None:
    """Return the system's facts about a file; None of one that is not there."""
    with suppress(OSError, ValueError):
        return os.lstat(path)
    return None


def _is_same(path: str, place: str, now: os.stat_result | None, known: FileVersion, read_ns: int) -> bool:
    if now is None:
        return "\\" in path  # a name that is no text, as the ledger shows it
    if not stat.S_ISREG(now.st_mode):
        return False
    if now.st_ctime_ns <= read_ns and (now.st_size, now.st_mtime_ns) == (known.size_bytes, known.mtime_ns):
        return True
    return _compared.get(place) == (_said(now), known.content_hash)


def _remember(path: str, now: os.stat_result, content_hash: bytes) -> None:
    if len(_compared) >= _MOST_COMPARED:
        _compared.clear()
    _compared[path] = _said(now), content_hash


def _said(now: os.stat_result) -> _Said:
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def _marked(report: SearchReport, changes: Mapping[str, bytes | None], why: str) -> SearchReport:
    """The report without hits of deleted files, and with what is on disk of the others."""
    from cocosearch_py.discovery.sniff import Text, inspect

    texts = {path: inspect(path, data, wanted=True) for path, data in changes.items() if data}
    sources = {path: text.source for path, text in texts.items() if isinstance(text, Text)}
    hits: list[Hit] = []
    reasons: dict[str, str] = {}
    for hit in report.hits:
        shown = hit
        if hit.file_path in changes:
            if changes[hit.file_path] is None:
                continue
            shown = _as_on_disk(hit, sources.get(hit.file_path, b""))
            if reasons.get(hit.file_path) != CHANGED:
                reasons[hit.file_path] = shown.stale or CHANGED
        hits.append(shown)
    stale = tuple(StaleFile(path, reason) for path, reason in reasons.items())
    return replace(report, hits=tuple(hits), stale=stale, stale_because=why)


def _as_on_disk(hit: Hit, source: bytes) -> Hit:
    """A hit with its lines and the lines around as they are now, if its text is there."""
    wanted = hit.content.encode()
    starts: list[tuple[int, int]] = []  # line and byte
    at = source.find(wanted) if wanted else -1
    while at >= 0 and len(starts) < _MAX_PLACES:
        starts.append((source.count(b"\n", 0, at) + 1, at))
        at = source.find(wanted, at + 1)
    if not starts:
        return replace(hit, stale=CHANGED)
    start, start_byte = min(starts, key=lambda place: abs(place[0] - hit.start_line))
    end = start + hit.end_line - hit.start_line
    lines = [(1, source.decode())]
    before, after = (part.count("\n") + 1 if part else 0 for part in (hit.context_before, hit.context_after))
    return replace(
        hit,
        start_line=start,
        end_line=end,
        start_byte=start_byte,
        context_before=cut_lines(lines, start - before, start - 1),
        context_after=cut_lines(lines, end + 1, end + after),
        members=(),  # they may have moved otherwise
        further=None,
        definition_lines=None,
        stale=MOVED,
    )
