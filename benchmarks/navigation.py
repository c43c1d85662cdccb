"""Cost of questions about code: definitions, outlines, references, impact, call graphs, maps."""

import random
from collections.abc import Callable
from typing import Annotated, Any

from benchmarks.frame import Folder, benchmark
from benchmarks.product import Product
from benchmarks.rows import Figures
from benchmarks.timing import cpu_below, middle, timed

INDEX = "folder"
WARM_UP = 8  # calls of each kind that do not count
SEED = 7
Call = tuple[str, dict[str, Any]]


@benchmark
def navigation(product: Product, folder: Folder, *, calls: Annotated[int, "calls of each kind"] = 100) -> Figures:
    """Time and CPU time of calls about definitions, uses, outlines, impact, call graphs and maps.

    Names are drawn by how often they are defined; files evenly from those with definitions.
    """
    product.index(folder, INDEX)
    chance = random.Random(SEED)
    figures: Figures = {}
    with product.server(folder) as server:
        definitions = list(server.pages("find_symbol", "definitions", name="*", index_name=INDEX, limit=200))
        names = [row["name"] for row in definitions]
        root = f"{folder.resolve()}/"
        files = sorted({row["file_path"].removeprefix(root) for row in definitions})
        kinds: dict[str, Callable[[], Call]] = {
            "find_symbol": lambda: ("find_symbol", {"name": chance.choice(names), "match": "exact"}),
            "find_references": lambda: ("find_references", {"symbol": chance.choice(names)}),
            "get_call_graph": lambda: ("get_call_graph", {"symbol": chance.choice(names)}),
            "outline_file": lambda: ("outline_file", {"path": chance.choice(files)}),
            "get_impact": lambda: ("get_impact", {"file": chance.choice(files)}),
            "get_repo_map": lambda: ("get_repo_map", {"max_tokens": 2_000, "focus": [chance.choice(files)]}),
        }
        for kind, draw in kinds.items():
            drawn = [draw() for _ in range(WARM_UP + calls)]
            for tool, arguments in drawn[:WARM_UP]:
                server.answer(tool, {**arguments, "index_name": INDEX})
            before, times = cpu_below(), []
            for tool, arguments in drawn[WARM_UP:]:
                asked = {**arguments, "index_name": INDEX}
                times.append(timed(lambda: server.answer(tool, asked))[0])  # noqa: B023
            figures |= middle(kind, times)
            figures[f"{kind} CPU ms"] = round(1000 * (cpu_below() - before) / calls, 1)
    return figures
