"""The demo of the README: its question has the answer that the README promises."""

import re
from pathlib import Path

from cocosearch_py.app import App
from cocosearch_py.model.search import SearchRequest

ROOT = Path(__file__).parents[2]


def test_the_demo_finds_what_the_readme_says(app: App) -> None:
    query = re.search(r"^QUERY \?= (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert query is not None and f'asks it "{query[1]}"' in readme
    app.index(ROOT, name="demo")
    first = app.search(SearchRequest(query[1]), index_name="demo")[1].hits[0]
    assert f"The first answer is the function `{first.symbol_name}` in `{first.file_path}`" in readme
