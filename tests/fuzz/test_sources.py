"""Damaged sources in every language: no worker crashes on one, and none is at it for ever."""

from pathlib import Path

import pytest
from tests.hostile_sources import damaged_files

from cocosearch_py.indexing.options import ContentOptions, WorkerLimits
from cocosearch_py.indexing.pool import Lost, WorkerPool
from cocosearch_py.indexing.tasks import BatchTask, FileTask
from cocosearch_py.model.paths import file_id_of

FILES_OF_A_BATCH = 10
SECONDS = 30.0  # far above the deadline of a parse


def test_damaged_sources(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    files = []
    for name, data in damaged_files(request.config.getoption("--fuzz-examples"), seed=3):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        files.append(FileTask(name, name, file_id_of(name), len(data), 1))
    tasks = [
        BatchTask(str(tmp_path), 1, tuple(files[at : at + FILES_OF_A_BATCH]), ContentOptions())
        for at in range(0, len(files), FILES_OF_A_BATCH)
    ]
    pool = WorkerPool(2, None, WorkerLimits(seconds=SECONDS))
    try:
        results = list(pool.run(iter(tasks)))
    finally:
        pool.close()
    lost = {task.files[0].path: batch.reason for task, batch in results if isinstance(batch, Lost)}
    assert not lost
    assert "failed" not in {
        status for _, batch in results if not isinstance(batch, Lost) for status in batch.written.values()
    }
    assert sum(len(task.files) for task, _ in results) == len(files)
