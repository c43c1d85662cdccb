"""The text of files and definitions: as on disk where the file is there, else as the index holds it.

Of an index of a commit, always as it holds it.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cocosearch_py.discovery.git import blob_at
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.reading import FolderReader, hash_of
from cocosearch_py.discovery.rules import forbidden_path_rule
from cocosearch_py.discovery.sniff import Text, inspect
from cocosearch_py.discovery.submodules import blob_in_submodule
from cocosearch_py.discovery.walk import left_out
from cocosearch_py.model.code import CodePart, CodeReport, CodeRequest, CodeTarget, NotFound
from cocosearch_py.model.definitions import Definition, DefinitionRequest
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.navigation.definitions import find_definitions, suggest
from cocosearch_py.navigation.files import NO_FILE, absent, outside, the_one_like
from cocosearch_py.navigation.folding import folded
from cocosearch_py.navigation.names import read_name
from cocosearch_py.navigation.places import OutsideError, paths_meant, readings
from cocosearch_py.navigation.symbols import matching, similar
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import sources as store
from cocosearch_py.storage.queries.sources import SourceFile, SourceSymbol

SYMBOL_LINES = 200  # that are shown of a definition
CALL_LINES = 500  # of all that is asked for at once
RANGE_LINES = 1_000  # of lines that are asked for by number
CHANGED, GONE = "changed", "gone"
_FEWEST_HASH_CHARS = 16  # of one that a caller knows; former versions answered so many
_MOST_NEAR = 5
_MOST_NAMESAKES = 50
_UNKNOWN = "is neither a file nor a definition in this index"
_ANY = FileVersion(-1, -1, b"")  # size and time that no file has


@dataclass(frozen=True, slots=True)
class _Found:
    """Files and definitions of a request that the index has."""

    targets: tuple[tuple[CodeTarget, SourceFile | NotFound], ...]
    texts: Mapping[str, str]
    symbols: Mapping[str, list[SourceSymbol]]


@dataclass(frozen=True, slots=True)
class _Source:
    """A file as the index has it, and as it is now or was at `rev`; `now` is None where that cannot be shown."""

    file: SourceFile
    held: list[str]
    symbols: list[SourceSymbol]
    now: list[str] | None
    hash: str
    stale: str | None
    rev: str | None = None


def find_code(request: CodeRequest, record: IndexRecord, conn: Connection) -> _Found:
    """Find the files and definitions of a request in an index."""
    meant = [[(one, _paths(record, request, one)) for one in readings(target)] for target in request.targets]
    paths = {path for options in meant for _, found in options if not isinstance(found, NotFound) for path in found}
    files = store.find_sources(conn, record.index_id, sorted(paths))
    targets = []
    for options in meant:
        targets += _chosen(conn, record, options, files, request.inside)
    chosen = {file.path: file for _, file in targets if isinstance(file, SourceFile)}
    texts = store.text_of(conn, record.index_id, list(chosen.values())) if chosen else {}
    symbols = store.symbols_of(conn, record.index_id, list(chosen.values())) if chosen else {}
    return _Found(tuple(targets), texts, symbols)


def read_code(
    request: CodeRequest, record: IndexRecord, found: _Found, rules: Callable[[], DiscoveryOptions]
) -> CodeReport:
    """The parts that were asked for, read from the disk; see `CodeReport`. Of files that `rules` leave out, as held."""
    sources: dict[str, _Source] = {}
    parts: list[CodePart] = []
    missing: list[NotFound] = []
    is_left_out = partial(_is_left_out, record, rules)
    with FolderReader(record.root_path, request.max_file_bytes) as folder:
        for target, file in found.targets:
            if isinstance(file, NotFound):
                missing.append(file)
                continue
            if file.path not in sources:
                held, symbols = found.texts[file.path], found.symbols[file.path]
                if record.commit is not None:
                    sources[file.path] = _as_indexed(file, held, symbols)
                elif request.rev is None:
                    sources[file.path] = _source(file, held, symbols, folder, is_left_out)
                elif (source := _source_at(request.rev, file, held, symbols, request, record)) is not None:
                    sources[file.path] = source
            if file.path not in sources:
                missing.append(NotFound(target.text, f"cannot be read in {request.rev}"))
                continue
            for part in _parts(request, target, sources[file.path]):
                if isinstance(part, NotFound):
                    missing.append(part)
                else:
                    parts.append(part)
    is_range = any(target.start is not None or target.end is not None for target, _ in found.targets)
    versions = {
        path: source.file.version if source.stale is None else _ANY._replace(content_hash=source.file.version[2])
        for path, source in sources.items()
        if source.stale != GONE and source.rev is None and record.commit is None
    }
    limited = tuple(_limited(parts, RANGE_LINES if is_range else CALL_LINES))
    return CodeReport(parts=limited, missing=tuple(missing), versions=versions, stale=_told(record, sources))


def _paths(record: IndexRecord, request: CodeRequest, target: CodeTarget) -> list[str] | NotFound:
    if target.path is None:
        return []
    try:
        meant = paths_meant(record.root_path, target.path, request.folder)
        if not request.inside:
            return meant
        inner = paths_meant(record.root_path, posixpath.join(record.root_path, request.inside, target.path))
    except OutsideError:
        return outside(record, target)
    found = [path for path in (*inner, *meant) if path.startswith(request.inside + "/")]
    return found or NotFound(target.text, f"is outside {request.inside}", is_refused=True)


def _chosen(
    conn: Connection,
    record: IndexRecord,
    options: Sequence[tuple[CodeTarget, list[str] | NotFound]],
    files: Mapping[str, SourceFile],
    inside: str,
) -> list[tuple[CodeTarget, SourceFile | NotFound]]:
    """The first reading of a target that the index has, with its files; else why there is none."""
    for target, paths in options:
        if not isinstance(paths, NotFound):
            for path in paths:
                if path in files:
                    return [(target, files[path])]
    named = [target for target, _ in options if target.path is None]
    found = _by_name(conn, record, named[0], inside) if named else []
    unknown = next((one for _, one in found if isinstance(one, NotFound) and one.why == _UNKNOWN), None)
    if found and (unknown is None or len(options) == 1):
        return found
    first, first_paths = options[0]
    if isinstance(first_paths, NotFound):
        return [(first, first_paths)]
    # What stands before lines or a symbol is the path; the whole text is one only if there is such a file.
    last, paths = [one for one in options if one[0].path is not None][-1]
    meant = paths if isinstance(paths, list) else first_paths
    why = absent(conn, record, last, meant)
    if (file := the_one_like(conn, record, last.path or "", meant, why)) is not None:
        return [(last, file)]
    if unknown is not None and why.why == NO_FILE:
        why = replace(unknown, near=(*why.near, *unknown.near)[:_MOST_NEAR])
    return [(last, why)]


def _by_name(
    conn: Connection, record: IndexRecord, target: CodeTarget, inside: str
) -> list[tuple[CodeTarget, SourceFile | NotFound]]:
    """The definition of a name in whatever file, if there is just one, or one beside those in tests."""
    symbol = replace(read_name(target.symbol or ""), folder=inside)
    request = DefinitionRequest(symbol=symbol, limit=_MOST_NAMESAKES)
    found = find_definitions(request, record, conn).definitions
    best = [one for one in found if one.score == 1.0] or found
    if len(places := _places(best)) > 1:
        places = _places(one for one in best if one.content_class != "tests") or places
    if not places:
        near = suggest(request, record, conn).nearest
        return [(target, NotFound(target.text, _UNKNOWN, near))]
    if len(places) > 1:
        told = f"means {len(places)} definitions"
        return [(target, NotFound(target.text, told, tuple(f"{path}#{name}" for path, name in places[:_MOST_NEAR])))]
    path, name = places[0]
    files = store.find_sources(conn, record.index_id, [path])
    return [(replace(target, path=path, symbol=name), files[path])]


def _places(found: Iterable[Definition]) -> list[tuple[str, str]]:
    """(path, qualified name) of definitions, each once."""
    return list(dict.fromkeys((one.path, one.qualified_name) for one in found))


def _is_left_out(record: IndexRecord, rules: Callable[[], DiscoveryOptions], path: str) -> bool:
    return bool(left_out(Path(record.root_path), rules(), [path]))


def _as_indexed(file: SourceFile, held: str, symbols: list[SourceSymbol]) -> _Source:
    """A file of a commit, whose index holds all of its text."""
    lines = _lines_of(held)
    return _Source(file, lines, symbols, lines, file.version.content_hash.hex(), None)


def _source(
    file: SourceFile,
    held: str,
    symbols: list[SourceSymbol],
    folder: FolderReader,
    is_left_out: Callable[[str], bool],
) -> _Source:
    """A file beside the disk. Only a changed file is worth asking whether rules leave it out."""
    lines, kept = _lines_of(held), file.version.content_hash.hex()
    try:
        data = folder.read(file.path)
    except FileNotFoundError:
        # A name that is no text stands in the ledger with escapes, which no file has.
        return _Source(file, lines, symbols, None, kept, None if "\\" in file.path else GONE)
    except (OSError, ValueError):
        return _Source(file, lines, symbols, None, kept, CHANGED)
    if not isinstance(data, bytes):  # no file any more, or too large
        return _Source(file, lines, symbols, None, kept, CHANGED)
    digest = hash_of(data)
    if digest == file.version.content_hash:
        return _Source(file, lines, symbols, lines, kept, None)
    text = None if is_left_out(file.path) else inspect(file.path, data, wanted=True)
    now = _lines_of(text.source.decode()) if isinstance(text, Text) else None
    return _Source(file, lines, symbols, now, kept if now is None else digest.hex(), CHANGED)


def _source_at(
    rev: str, file: SourceFile, held: str, symbols: list[SourceSymbol], request: CodeRequest, record: IndexRecord
) -> _Source | None:
    """A file as it was in a revision; None when git does not have it there, or it was no text."""
    if forbidden_path_rule(file.path):
        return None
    asked = Path(record.root_path), rev, file.path, request.max_file_bytes
    if (data := blob_at(*asked)) is None:
        data = blob_in_submodule(*asked)
    text = None if data is None else inspect(file.path, data, wanted=True)
    if data is None or not isinstance(text, Text):
        return None
    digest = hash_of(data).hex()
    return _Source(file, _lines_of(held), symbols, _lines_of(text.source.decode()), digest, None, rev)


def _lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _parts(request: CodeRequest, target: CodeTarget, source: _Source) -> Iterator[CodePart | NotFound]:
    """Yield the parts of a file that a target means: several for a name that several definitions have."""
    if target.symbol is None:
        total = len(source.held if source.now is None else source.now)
        first, last = target.start or 1, total if target.end is None else min(target.end, total)
        if first > last:
            yield NotFound(target.text, f"has {total:,} lines")
            return
        is_range = target.start is not None or target.end is not None
        yield _part(request, source, first, last, RANGE_LINES if is_range else CALL_LINES)
        return
    found = matching(target.symbol, source.symbols)
    for symbol in found:
        if source.rev is None or _moved(source.held, source.now or [], symbol.start_line, symbol.end_line) is not None:
            yield _definition(request, source, symbol)
        else:
            yield NotFound(target.text, f"was different in {source.rev}: read lines of {source.file.path} instead")
    if not found:
        near = tuple(f"{source.file.path}#{name}" for name in similar(target.symbol, source.symbols))
        yield NotFound(target.text, f"is not defined in {source.file.path}", near)


def _definition(request: CodeRequest, source: _Source, symbol: SourceSymbol) -> CodePart:
    """A definition: in a file that changed its text is looked for, else the index's is shown."""
    first, last, is_old = symbol.start_line, symbol.end_line, source.now is None
    if source.now is not None and (source.stale is not None or source.rev is not None):
        moved = _moved(source.held, source.now, first, last)
        first, last, is_old = (first, last, True) if moved is None else (*moved, False)
    part = _part(request, source, first, last, SYMBOL_LINES, is_old=is_old)
    return replace(part, name=symbol.qualified_name, kind=symbol.kind)


def _moved(held: list[str], now: list[str], first: int, last: int) -> tuple[int, int] | None:
    """Where lines of the index stand in the file now, the nearest place if there are several."""
    wanted = held[first - 1 : last]
    starts = [at for at, line in enumerate(now) if line == wanted[0] and now[at : at + len(wanted)] == wanted]
    if not starts:
        return None
    start = min(starts, key=lambda at: abs(at + 1 - first)) + 1
    return start, start + last - first


def _part(
    request: CodeRequest, source: _Source, first: int, last: int, limit: int, *, is_old: bool = False
) -> CodePart:
    """Lines of a file, with those around them that are wanted, cut after `limit` of what is shown."""
    text = source.held if is_old or source.now is None else source.now
    first, last = max(1, first - request.expand), min(len(text), last + request.expand)
    lines = dict(enumerate(text[first - 1 : last], start=first))
    shown = list(lines.items())
    if request.collapse and (text is source.held or (source.stale is None and source.rev is None)):
        shown = folded(lines, source.symbols)
    if request.compact:
        shown = [(number, line) for number, line in shown if line.strip()]
    known = request.known_hash or ""
    digest = source.file.version.content_hash.hex() if text is source.held else source.hash  # of what is shown
    is_known = len(known) >= _FEWEST_HASH_CHARS and digest.startswith(known)
    return CodePart(
        path=source.file.path,
        hash=digest,
        language_id=source.file.language_id,
        line_count=len(text),
        start_line=first,
        end_line=last,
        lines=() if is_known else tuple(shown[:limit]),
        stale=source.stale,
        is_old=source.stale is not None and text is source.held,
        is_known=is_known,
        rest=shown[limit][0] if len(shown) > limit and not is_known else None,
        limit=limit if len(shown) > limit and not is_known else None,
    )


def _limited(parts: Sequence[CodePart], most: int) -> Iterator[CodePart]:
    """The parts with so many lines in all."""
    left = most
    for part in parts:
        kept = part.lines[:left]
        left -= len(kept)
        is_whole = len(kept) == len(part.lines)
        yield part if is_whole else replace(part, lines=kept, rest=part.lines[len(kept)][0], limit=most)


def _told(record: IndexRecord, sources: Mapping[str, _Source]) -> str | None:
    """Return a sentence about files that are not as in the index."""
    if record.commit is not None:
        return None
    if sources and not Path(record.root_path).is_dir():
        return "the index's folder is not available: the text is from the index"
    gone = [path for path, source in sources.items() if source.stale == GONE]
    return f"no longer on disk, shown as indexed: {', '.join(gone)}" if gone else None
