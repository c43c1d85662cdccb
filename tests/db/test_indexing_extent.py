"""A first run on very much, or on a home folder, asks before it reads a file."""

from dataclasses import replace
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.discovery import walk
from cocosearch_py.errors import SafetyError


def test_a_home_folder_is_indexed_only_when_it_is_confirmed(app: App, sample_repo: Path) -> None:
    options = replace(app.indexing_options(), home=sample_repo / "web")
    with pytest.raises(SafetyError, match=r"shop is / .* a home folder, .* has 6 files to index, 0\.0 GB") as caught:
        app.index(sample_repo, name="home", options=options)
    assert "--yes" in caught.value.hint
    assert app.catalog.list_all() == []
    assert app.index(sample_repo, name="home", options=replace(options, confirmed=True)).files_added == 6
    (sample_repo / "new.py").write_text("new = 1\n")
    assert app.index(sample_repo, name="home", options=options).files_added == 1  # what is there is not asked again
    assert app.index(sample_repo / "shop", name="inner", options=options).files_added == 3


@pytest.mark.parametrize(("limit", "value"), [("MOST_FILES", 5), ("MOST_BYTES", 100)])
def test_very_much_is_indexed_only_when_it_is_confirmed(
    app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(walk, limit, value)
    with pytest.raises(SafetyError, match=r"has more than . files to index"):
        app.index(sample_repo, name="large")
    confirmed = replace(app.indexing_options(), confirmed=True)
    assert app.index(sample_repo, name="large", options=confirmed).files_added == 6
    assert app.index(sample_repo, name="large").files_unchanged == 6
    assert app.index(sample_repo, name="large", options=app.indexing_options(fresh=True)).rebuilt
    assert app.index(sample_repo / "docs", name="small").files_added == 1
