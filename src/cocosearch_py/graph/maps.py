"""The map of a repository: its most important files, and in these the definitions that others use."""

import math
from collections import defaultdict

from cocosearch_py.analysis.page_rank import page_rank
from cocosearch_py.analysis.words import name_key
from cocosearch_py.model.graph import GraphFile, MappedFile, MappedSymbol, MapRequest, RepositoryMap
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import graph as store
from cocosearch_py.storage.queries.sources import versions_of

_CODE = frozenset({"", "code", "tests"})
_SYMBOLS_OF_FILE = 25  # the most used ones
_LIKELY_OTHERS = 0.2  # share of the uses of a private name, or of a method's, that are likely its own
_FAVOURED = 0.8  # share of the focus where there is one


def make_map(request: MapRequest, record: IndexRecord, conn: Connection) -> RepositoryMap:
    """Rank the files of an index by who depends on them, from the focus on if there is one."""
    index_id = record.index_id
    files = {
        file_id: file
        for file_id, file in sorted(store.graph_files(conn, index_id).items())
        if file.content_class in _CODE and (request.with_tests or not file.is_test)
    }
    favoured, unknown = _favoured(request, files, conn, index_id)
    # In order, for a sum of floating point numbers depends on it: equal rows make an equal map.
    counted = sorted(store.count_edges(conn, index_id))
    edges = [(source, target, math.sqrt(imports)) for source, target, imports in counted]
    ranks = page_rank(files, edges, favoured)
    ranked = sorted(
        (file_id for file_id, file in files.items() if is_below(file.path, request.prefix)),
        key=lambda file_id: (-ranks[file_id], files[file_id].path),
    )
    best = ranked[: request.most_files]
    found: defaultdict[int, list[store.MapSymbol]] = defaultdict(list)
    for symbol in store.reachable_symbols(conn, index_id, best):
        found[symbol.file_id].append(symbol)
    uses = store.count_uses(conn, index_id, {one.name for symbols in found.values() for one in symbols})
    most = ranks[best[0]] if best else 1.0
    mapped = [
        MappedFile(files[file_id].path, ranks[file_id] / most, _most_used(found[file_id], uses))
        for file_id in best
        if file_id in found
    ]
    versions = versions_of(conn, index_id, (one.path for one in mapped))
    return RepositoryMap(tuple(mapped), len(ranked), unknown, versions)


def _favoured(
    request: MapRequest, files: dict[int, GraphFile], conn: Connection, index_id: int
) -> tuple[dict[int, float] | None, tuple[str, ...]]:
    """Weight by file of what a focus names, or None without one; and what of it is neither a path nor a name."""
    named: dict[str, set[int]] = {
        text: {file_id for file_id, file in files.items() if is_below(file.path, text)} for text in request.focus
    }
    keys = {name_key(text.rpartition(".")[2]): text for text, found in named.items() if not found}
    for key, file_id in store.files_defining(conn, index_id, keys) if keys else ():
        if file_id in files:
            named[keys[key]].add(file_id)
    unknown = tuple(text for text, found in named.items() if not found)
    weights: defaultdict[int, float] = defaultdict(float)
    for found in named.values():
        for file_id in found:
            weights[file_id] += 1 / len(found)
    total = sum(weights.values())
    if not total:
        return None, unknown
    rest = (1 - _FAVOURED) / len(files)
    return {file_id: _FAVOURED * weights.get(file_id, 0.0) / total + rest for file_id in files}, unknown


def _most_used(symbols: list[store.MapSymbol], uses: dict[str, int]) -> tuple[MappedSymbol, ...]:
    def weight(symbol: store.MapSymbol) -> float:
        seen = 1.0 if symbol.visibility == "public" else _LIKELY_OTHERS
        return seen * (1 + uses.get(symbol.name, 0)) * (_LIKELY_OTHERS if symbol.nested else 1)

    weighed = [(weight(symbol), symbol) for symbol in symbols if not symbol.name.startswith("__")]
    weighed.sort(key=lambda one: (-one[0], one[1].start_line))
    return tuple(
        MappedSymbol(one.start_line, one.signature, one.name, weight) for weight, one in weighed[:_SYMBOLS_OF_FILE]
    )


def is_below(path: str, prefix: str) -> bool:
    """Report whether a path is that of a file or folder, or in the folder; everything is in ""."""
    return not prefix or path == prefix or path.startswith(prefix.rstrip("/") + "/")
