"""Figures of functions, as they were counted when their files were parsed: one by one, and of all together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cocosearch_py.errors import NotFoundError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of, storable_path
from cocosearch_py.model.quality import Health, HotspotReport, HotspotRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import quality as store
from cocosearch_py.storage.queries.sources import versions_of

_HOTTEST_FILES = 5


def find_hotspots(
    request: HotspotRequest, changes: Mapping[str, int] | None, record: IndexRecord, conn: Connection
) -> HotspotReport:
    """Functions of the project's own code, the largest first.

    Args:
        changes: see `discovery.git.count_changes`.
    Raises:
        NotFoundError: no file of the index is at or below the path.
    """
    path = _indexed(request.paths, record, conn)
    churn = {file_id_of(storable_path(name)): count for name, count in (changes or {}).items()}
    found, total, versions = store.find_hotspots(conn, record.index_id, path, request, churn)
    return HotspotReport(hotspots=tuple(found), total=total, has_history=changes is not None, versions=versions)


def measure_health(paths: Sequence[str], record: IndexRecord, conn: Connection) -> Health:
    """Figures of the functions of the project's own code.

    Args:
        paths: see `HotspotRequest`.
    Raises:
        NotFoundError: no file of the index is at or below the path.
    """
    path = _indexed(paths, record, conn)
    health = store.measure_health(conn, record.index_id, path, _HOTTEST_FILES)
    paths_counted = store.own_paths(conn, record.index_id, path)
    versions = versions_of(conn, record.index_id, [*(one.path for one in health.hottest), *paths_counted])
    return replace(health, versions=versions)


def _indexed(paths: Sequence[str], record: IndexRecord, conn: Connection) -> str:
    """The first of the paths that has files, or is the root."""
    for path in paths:
        if not path or store.has_indexed(conn, record.index_id, path):
            return path
    raise NotFoundError(
        f"no indexed file is at or below {paths[0][:200]}",
        hint="index_status with check_files shows why; list_files shows the files",
    )
