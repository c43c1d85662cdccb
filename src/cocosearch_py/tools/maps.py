"""Maps of repositories as text: in answers, as pages, in bundles."""

from collections.abc import Sequence
from functools import partial

from cocosearch_py.graph.maps import make_map
from cocosearch_py.model.graph import MappedFile, MappedSymbol, MapRequest, RepositoryMap
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.maps import RepoMap
from cocosearch_py.storage.connection import Connection
from cocosearch_py.tools.answer import Shrinkable, shortened
from cocosearch_py.tools.answers import QUOTED, Json

MAX_FOCUS = 20
PAGE_TOKENS = 8_000  # Maximum tokens of a map as a page.
_SIGNATURE_CHARS = 100
_FILES_PER_TOKEN = 1 / 20  # A file takes at least its own line and two definitions.

Entry = tuple[MappedFile, MappedSymbol]


def file_limit(tokens: int) -> int:
    """Return the maximum number of files of a map with so many tokens."""
    return max(MAX_FOCUS, int(tokens * _FILES_PER_TOKEN))


def map_answer(root: str, report: RepositoryMap, warnings: Sequence[str]) -> Shrinkable[Entry, RepoMap]:
    """Make the answer from a map; its most informative definitions come first."""
    return Shrinkable(_by_weight(report.files), partial(_answer, root, report.total, tuple(warnings)))


def _by_weight(files: Sequence[MappedFile]) -> list[Entry]:
    """Order definitions by how much each tells: by the rank of its file and its place among the uses in it."""
    weighed = [
        (file.rank / (1 + place) ** 0.5, (file, symbol)) for file in files for place, symbol in enumerate(file.symbols)
    ]
    weighed.sort(key=lambda pair: -pair[0])
    return [entry for _, entry in weighed]


def _answer(root: str, total: int, warnings: tuple[str, ...], entries: Sequence[Entry]) -> RepoMap:
    by_path: dict[str, list[MappedSymbol]] = {}
    for file, symbol in entries:
        by_path.setdefault(file.path, []).append(symbol)
    lines = []
    for path, symbols in by_path.items():
        lines.append(path)
        lines += [f"  {one.line}: {short(one.signature)}" for one in sorted(symbols, key=lambda one: one.line)]
    return RepoMap(
        root=root,
        map="\n".join(lines),
        files=len(by_path),
        symbols=len(entries),
        total=total,
        note=QUOTED if entries else "",
        warnings=warnings,
    )


def short(text: str) -> str:
    """Cut a signature, or a word of a focus, to what a line has room for."""
    return text if len(text) <= _SIGNATURE_CHARS else text[: _SIGNATURE_CHARS - 1] + "…"


def map_page(title: str, answer: Json) -> str:
    """Write a map as Markdown."""
    count = f"{answer['files']:,} of {answer['total']:,} files, {answer['symbols']:,} definitions"
    warnings = "".join(f"> {text}\n\n" for text in answer.get("warnings", ()))
    return f"# {title}\n\n{count}, the most central first.\n\n{warnings}```\n{answer['map']}\n```\n"


def bundled_map(conn: Connection, record: IndexRecord) -> str | None:
    """Write the map of an index for its bundle: from its rows alone, without paths of this machine."""
    features = record.options.get("features")
    if isinstance(features, dict) and not features.get("graph", True):
        return None
    report = make_map(MapRequest(most_files=file_limit(PAGE_TOKENS)), record, conn)
    return map_page("Map of the repository", shortened(map_answer("", report, ()), None, PAGE_TOKENS))
