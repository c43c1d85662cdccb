"""A folder that goes away while it is indexed: the run says so, and what was there before stays."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.errors import IndexNotFoundError, WorkspaceError
from cocosearch_py.indexing import content


def test_a_folder_that_goes_away_takes_nothing_from_its_index(
    app: App, sample_repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = tmp_path / "away"
    shutil.copytree(sample_repo, away)
    app.index(away, name="away")
    before = app.catalog.find("away")
    real = content.write_contents

    def gone(run: Any) -> None:
        shutil.rmtree(away)
        real(run)

    for path in list(away.rglob("*.py")):
        path.write_text(path.read_text() + "\nCHANGED = 1\n")
    monkeypatch.setattr(content, "write_contents", gone)
    with pytest.raises(WorkspaceError, match="disappeared"):
        app.index(away, name="away")
    after = app.catalog.find("away")
    assert (after.file_count, after.chunk_count, after.status) == (before.file_count, before.chunk_count, "complete")
    shutil.copytree(sample_repo, away)
    with pytest.raises(WorkspaceError, match="disappeared"):
        app.index(away, name="first")
    with pytest.raises(IndexNotFoundError):
        app.catalog.find("first")
    shutil.copytree(sample_repo, away)

    def replaced(run: Any) -> None:
        away.symlink_to(away.rename(tmp_path / "moved"))
        real(run)

    monkeypatch.setattr(content, "write_contents", replaced)
    with pytest.raises(WorkspaceError, match="disappeared"):
        app.index(away, name="away")
    assert app.catalog.find("away").file_count == before.file_count
