"""Results of a search with the files that imports join to them: named beside each, or as further results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import Answer, call, lay_out

from cocosearch_py.app import App
from cocosearch_py.tools.fitting import fits

Make = Callable[..., FastMCP]
FILES = {
    "lib/units.py": "HUNDRED = 100\n\n\ndef cents_of(amount):\n    return int(amount * HUNDRED)\n",
    "lib/invoice.py": "from lib.units import cents_of\n\n\ndef write_invoice(total):\n    return cents_of(total)\n",
    "lib/server.py": "from lib.invoice import write_invoice\n\n\ndef handle(total):\n    return write_invoice(total)\n",
}
ASKED = {"query": "write_invoice", "index_name": "project", "limit": 1}


@pytest.fixture
def ask(make: Make, app: App, tmp_path: Path) -> Callable[..., Answer]:
    folder = lay_out(tmp_path / "project", FILES)
    app.index(folder, name="project")
    made = make(project=folder)

    def run(**more: Any) -> Answer:
        answer = call(made, "search_code", {**ASKED, **more})
        assert not answer.is_error, answer.text
        return answer

    return run


def test_without_being_asked_nothing_is_added(ask: Callable[..., Answer]) -> None:
    (hit,) = ask().hits
    assert not {"dependencies", "dependents"} & hit.keys()
    assert ask(features={"graph": False}).hits == [hit]


def test_each_result_names_what_it_imports_and_what_imports_it(ask: Callable[..., Answer], tmp_path: Path) -> None:
    (hit,) = ask(include_deps=True).hits
    root = tmp_path / "project"
    assert hit["file_path"] == str(root / "lib/invoice.py")
    assert hit["dependencies"] == [str(root / "lib/units.py")]
    assert hit["dependents"] == [str(root / "lib/server.py")]
    table = ask(include_deps=True, compact=True).payload
    row = dict(zip(table["columns"], table["rows"][0], strict=True))
    assert row["dependents"] == str(root / "lib/server.py")


def test_files_that_imports_lead_to_are_results_of_their_own(ask: Callable[..., Answer], tmp_path: Path) -> None:
    hit, *joined = ask(features={"graph": True}).hits
    root = tmp_path / "project"
    by_file = {one["file_path"]: one for one in joined}
    assert {one["match_type"] for one in joined} == {"graph"}
    assert by_file.keys() == {str(root / "lib/units.py"), str(root / "lib/server.py")}
    units, server = by_file[str(root / "lib/units.py")], by_file[str(root / "lib/server.py")]
    assert units["imported_by"] == server["imports"] == [hit["file_path"]]
    assert units["content"].startswith("def cents_of(amount):")
    assert (units["start_line"], units["symbol_name"]) == (4, "cents_of")
    assert (server["start_line"], server["content"]) == (1, "from lib.invoice import write_invoice")
    assert all(one["score"] < hit["score"] for one in joined)
    assert hit.keys() <= {*units, "copies", "stale"}


def test_further_results_are_the_first_that_are_left_out(ask: Callable[..., Answer]) -> None:
    answer = ask(features={"graph": True}, max_tokens=330)
    assert fits(answer.payload, 330)
    assert 1 <= len(answer.hits) < 3
    assert answer.hits[0]["match_type"] != "graph"
    assert answer.notes("truncated")


def test_other_features_are_refused(make: Make, shop: Path) -> None:
    answer = call(make(), "search_code", {"query": "x", "index_name": "shop", "features": {"vectors": False}})
    assert answer.payload["error_type"] == "validation_error"
    assert "graph" in answer.payload["actionable_guidance"][0]
