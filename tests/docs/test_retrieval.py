"""Generated tables and picture of docs/retrieval.md."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cocosearch_py.search.ranking import DEFAULT_WEIGHTS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
SCRIPT = ROOT / "tools" / "docs" / "retrieval.py"


def peers() -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((RESULTS / "peers.json").read_text(encoding="utf-8"))
    return figures


def test_tables_and_picture_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_has_every_weight_as_it_is() -> None:
    page = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
    assert [name for name, weight in DEFAULT_WEIGHTS.items() if f"| `{name}` | {weight} |" not in page] == []


def test_the_page_shows_the_latest_measurement() -> None:
    page = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
    rows = (RESULTS / "relevance_history.jsonl").read_text(encoding="utf-8").splitlines()
    latest = json.loads(rows[-1])
    assert f"| `{latest['commit']}` | **{latest['ndcg']:.3f}**" in page


def test_the_picture_shows_every_peer_and_marks_what_we_did_not_measure() -> None:
    picture = ElementTree.parse(ROOT / "docs" / "quality-speed.svg")
    words = [element.text or "" for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    fills = [element.get("fill") for element in picture.iter("{http://www.w3.org/2000/svg}circle")]
    figures = peers()
    for peer in [*figures["measured_here"], *figures["published"]]:
        assert any(text.startswith(peer["name"]) for text in words), peer["name"]
    published = sum(("index_ms" in peer) + ("query_ms" in peer) for peer in figures["published"])
    assert fills.count("white") == published + 1  # and the key


def test_every_published_figure_has_its_source() -> None:
    figures = peers()
    assert {peer["source"] for peer in figures["published"]} == set(figures["sources"])
