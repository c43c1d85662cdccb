"""Generate the tables and the picture of docs/retrieval.md: `python tools/docs/retrieval.py [--check]`.

The ranking weights come from the code, the latest benchmark figures from benchmarks/results. Both become tables between
two marks of the page. Quality against speed beside the peers becomes docs/quality-speed.svg. With --check the script
writes nothing and exits 1 if one of them is out of date.
"""

import json
import math
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from cocosearch_py.search.ranking import DEFAULT_WEIGHTS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "retrieval.md"
PICTURE = ROOT / "docs" / "quality-speed.svg"
COMMAND = "python tools/docs/retrieval.py"
WEIGHTS, FIGURES = "weights", "figures"  # the generated tables

# Meaning of each ranking weight, in the order of the page.
MEANINGS = {
    "keywords": "sum of the file's three best chunks by BM25F, relative to the best file",
    "vectors": "sum of its three nearest chunks by meaning, relative to the best file",
    "fused": "its best chunk in the fusion of both retrievals, relative to the best of all",
    "name": "share of the file name that words of the question account for, by letters",
    "name_full": "where `name` is above 0.8: the IDF share of the question in those words",
    "folders": "share of the question's words that the nearest three folders account for",
    "definition": "recognised names that the file defines: types before functions before variables, rare before common",
    "mention": "recognised names that occur in the file",
    "concept": "IDF share of neighbouring words of the question that form the name of a definition in the file",
    "subject": "how far the file's name and a definition name the first of [several things](#names-versions-and-lists)",
    "verbatim": "share of the question's words that occur next to each other, in order; little outside strings",
    "no_code": "documents, settings and data, unless the question is about them",
    "settings": "how well the best chunk of all [settings](#settings) compares with the best of code and documents",
    "settings_match": "this settings file's best chunk relative to the best of code, up to 1.5",
    "purpose": "IDF share of the question in words for the purpose of a settings file with a well-known name",
    "answers": "share of the question that a [line of settings](#settings) answers by its format",
    "test": "test code, unless the question is about tests; then test files may gain up to 0.6 of it",
    "foreign": "code for other operating systems, unless the question names one; also translated documents",
    "declared": "type declarations without code (`.d.ts`, `.pyi`), unless the question asks for types",
    "aside": "examples, and settings of build tools written as code, unless the question asks for them",
    "older": "[older versions](#names-versions-and-lists) beside a newer one, and `legacy` or `deprecated` in a path",
    "depth": "folders below the shallowest candidate, divided by five",
    "vendored": "[other people's code](#content-classes), unless the question asks for it",
    "generated": "generated files, lock files, snapshots and issue templates, unless the question asks for them",
}

WIDTH, HEIGHT = 1000, 470
TOP, BOTTOM = 60, 360  # of the panels, in pixels
NDCG_LOW, NDCG_HIGH = 0.5, 1.0
RADIUS = 6
HALF_UP = 1e-9  # readers expect 0.9055 to be rounded to 0.906, not to 0.905
OURS, PEER, GRID, TEXT = "#b3261e", "#1f5fa8", "#dddddd", "#222222"


@dataclass(frozen=True, slots=True)
class Point:
    """Method in one panel."""

    name: str
    x: float
    ndcg: float
    measured: bool  # by us, on the 21 repositories and this kind of machine; otherwise published, on 63
    side: str  # side of the point on which its name is written
    span: tuple[float, float] | None = None  # 95 % interval; ours only


@dataclass(frozen=True, slots=True)
class Panel:
    """Logarithmic axis of speed, with its position in the picture."""

    title: str
    low: float
    high: float
    left: int
    right: int

    def x(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.left + share * (self.right - self.left)


INDEXING = Panel("time to index, semble = 1", 0.1, 1000, 70, 480)
SEARCHING = Panel("milliseconds to answer a query", 0.01, 10_000, 560, 970)


def main() -> int:
    page = with_table(PAGE.read_text(encoding="utf-8"), WEIGHTS, weights_table())
    page = with_table(page, FIGURES, figures_table(newest()))
    made = {PAGE: page, PICTURE: picture(*points())}
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" not in sys.argv[1:]:
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
        return 0
    for path in stale:
        print(f"{path.name} is out of date: run `{COMMAND}`", file=sys.stderr)
    return 1 if stale else 0


# The tables


def newest() -> dict[str, Any]:
    """Return the latest row of the relevance benchmark."""
    lines = (RESULTS / "relevance_history.jsonl").read_text(encoding="utf-8").splitlines()
    row: dict[str, Any] = json.loads(lines[-1])
    return row


def with_table(page: str, name: str, rows: Iterable[str]) -> str:
    """Return the page with these rows between the marks of the named table."""
    opening, closing = f"<!-- {name}, generated by `{COMMAND}` -->\n", f"<!-- end of {name} -->"
    before, rest = page.split(opening)
    _, after = rest.split(closing)
    return before + opening + "\n" + "\n".join(rows) + "\n\n" + closing + after


def weights_table() -> Iterator[str]:
    yield "| feature | weight | meaning |"
    yield "|---|---|---|"
    for name, meaning in MEANINGS.items():
        yield f"| `{name}` | {DEFAULT_WEIGHTS[name]} | {meaning} |"


def figures_table(row: dict[str, Any]) -> Iterator[str]:
    low, high = row["interval_95"]
    language, worst = row["worst_language"]
    yield f"| commit | all | {' | '.join(row['categories'])} | worst language | model |"
    yield "|---" * (len(row["categories"]) + 4) + "|"
    by_category = " | ".join(f"{ndcg:.3f}" for ndcg in row["categories"].values())
    yield (
        f"| `{row['commit']}` | **{row['ndcg']:.3f}** [{low:.3f}, {high:.3f}] | {by_category} "
        f"| {language} {worst:.3f} | `{row['model']}` |"
    )


# The picture


def points() -> tuple[list[Point], list[Point]]:
    """Return the methods by their indexing time, and by their answering time."""
    peers = json.loads((RESULTS / "peers.json").read_text(encoding="utf-8"))
    rounds = json.loads((RESULTS / "inprocess.json").read_text(encoding="utf-8"))
    latest = newest()
    span = (latest["interval_95"][0], latest["interval_95"][1])
    ratio = statistics.median(row["wall_ratio"] for row in rounds)
    answer_ms = statistics.median(row["ours"]["search_ms"]["p50"] for row in rounds)
    indexing = [Point("cocosearch-py", ratio, latest["ndcg"], True, "above right", span)]
    searching = [Point("cocosearch-py", answer_ms, latest["ndcg"], True, "right", span)]
    for peer in peers["measured_here"]:
        indexing.append(Point(peer["name"], peer["index_ratio"], peer["ndcg"], True, peer["index_side"]))
    for peer in peers["published"]:
        if "index_ms" in peer:
            share = peer["index_ms"] / peers["unit_index_ms"]
            indexing.append(Point(peer["name"], share, peer["ndcg"], False, peer["index_side"]))
        if "query_ms" in peer:
            searching.append(Point(peer["name"], peer["query_ms"], peer["ndcg"], False, peer["query_side"]))
    return indexing, searching


def picture(indexing: Sequence[Point], searching: Sequence[Point]) -> str:
    """Draw the picture as SVG."""
    latest = newest()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{TEXT}" role="img">',
        "<title>Quality of answers against speed, beside other code search tools</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(20, 28, "Quality of answers (NDCG@10) against speed: up and left is better", size=16),
        *panel(INDEXING, indexing),
        *panel(SEARCHING, searching),
        *key(latest["repositories"], latest["queries"]),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def panel(axis: Panel, shown: Sequence[Point]) -> Iterator[str]:
    for step in range(6):
        ndcg = NDCG_LOW + step * (NDCG_HIGH - NDCG_LOW) / 5
        yield line((axis.left, y(ndcg)), (axis.right, y(ndcg)), GRID)
        yield text(axis.left - 8, y(ndcg) + 4, f"{ndcg:.1f}", anchor="end")
    for power in range(round(math.log10(axis.low)), round(math.log10(axis.high)) + 1):
        x = axis.x(10.0**power)
        yield line((x, TOP), (x, BOTTOM), GRID)
        yield text(x, BOTTOM + 18, f"{10.0**power:,.{max(0, -power)}f}", anchor="middle")
    yield text((axis.left + axis.right) / 2, BOTTOM + 38, axis.title, anchor="middle")
    for point in reversed(shown):  # ours last, on top
        yield from mark(axis, point)


def mark(axis: Panel, point: Point) -> Iterator[str]:
    x, height = axis.x(point.x), y(point.ndcg)
    color = OURS if point.span else PEER
    if point.span:
        yield line((x, y(point.span[0])), (x, y(point.span[1])), color, 2)
    fill = color if point.measured else "white"
    yield f'<circle cx="{x:.1f}" cy="{height:.1f}" r="{RADIUS}" fill="{fill}" stroke="{color}" stroke-width="2"/>'
    gap = RADIUS + 5
    dx, dy, anchor = {
        "right": (gap, 4, "start"),
        "left": (-gap, 4, "end"),
        "above right": (RADIUS, -gap, "start"),
        "above left": (RADIUS, -gap, "end"),
        "below": (0, gap + 9, "middle"),
    }[point.side]
    yield text(x + dx, height + dy, f"{point.name} {point.ndcg + HALF_UP:.3f}", anchor=anchor, color=color)


def key(repositories: int, queries: int) -> Iterator[str]:
    notes = [
        (OURS, f"measured by us: {repositories} repositories, {queries} questions; the bar is the 95 % interval"),
        (PEER, "the same for a peer, indexing timed in turn with ours on the same machine"),
        (
            None,
            "published by others: all 63 repositories, their machines; indexing against semble on the same one",
        ),
    ]
    for number, (fill, words) in enumerate(notes):
        height = BOTTOM + 62 + 18 * number
        color = fill or PEER
        yield f'<circle cx="76" cy="{height - 4}" r="5" fill="{fill or "white"}" stroke="{color}" stroke-width="2"/>'
        yield text(90, height, words)


def y(ndcg: float) -> float:
    return BOTTOM - (ndcg - NDCG_LOW) / (NDCG_HIGH - NDCG_LOW) * (BOTTOM - TOP)


def line(start: tuple[float, float], end: tuple[float, float], color: str, width: int = 1) -> str:
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{color}" stroke-width="{width}"/>'
    )


def text(x: float, height: float, words: str, *, anchor: str = "start", color: str = TEXT, size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{height:.1f}" text-anchor="{anchor}" fill="{color}" font-size="{size}">'
        f"{escape(words)}</text>"
    )


if __name__ == "__main__":
    sys.exit(main())
