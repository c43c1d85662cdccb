"""Hostile calls of all tools over stdio, and searches beside them."""

import hashlib
import itertools
import json
import statistics
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from benchmarks.frame import Folder, benchmark, note, report_faults
from benchmarks.hostile_calls import hostile_calls
from benchmarks.product import Product, Server, table_rows
from benchmarks.queries import made
from benchmarks.rows import Figures
from benchmarks.serving import HttpClient, http_server
from benchmarks.timing import cpu_below

INDEX = "folder"
TIMEOUT_S = 60.0
TOO_SLOW_S = 2.0
ATTACKERS = 8
ATTACKING = 40  # slowest calls, which the attackers repeat
MAX_REQUEST_CHARS = 900_000  # that a server over HTTP accepts
FAULTS = ("internal error", "PostgreSQL", "Traceback")  # words that no answer may have
SHOWN_CHARS = 300
Made = tuple[float, str, dict[str, Any], str]  # seconds, tool, arguments, kind of the answer


@benchmark
def hostile(
    product: Product, folder: Folder, *, calls: int = 2_000, seed: int = 35,
    searches: Annotated[int, "plain searches alone, and as many beside the slowest calls"] = 40,
) -> Figures:  # fmt: skip
    """Long, odd and wrong values for every parameter: internal errors, hangs and writes are faults.

    The folder should be small. Afterwards attackers repeat the slowest calls while a client searches.
    """
    root = product.copy(folder)
    product.index(root, INDEX)
    before = _state(product, root)
    done: list[Made] = []
    faults: list[str] = []
    cpu = cpu_below()
    with product.server(root, "--toolsets", "all,edit") as server:
        for tool, arguments in itertools.islice(hostile_calls(seed), calls):
            try:
                made_call, fault = _called(server, tool, arguments)
            except ConnectionError:
                faults.append(
                    f"no answer within {TIMEOUT_S:g} s, or the server ended: {tool} {str(arguments)[:SHOWN_CHARS]}"
                )
                break
            done.append(made_call)
            faults += [f"{fault}: {tool} {str(arguments)[:SHOWN_CHARS]}"] if fault else []
    cpu = cpu_below() - cpu
    if _state(product, root) != before:
        faults.append("a call changed files or rows")
    slowest = sorted(done, key=lambda call: -call[0])
    for seconds, tool, arguments, kind in slowest[:5]:
        note(f"{seconds:.2f} s {kind} {tool} {str(arguments)[:SHOWN_CHARS]}")
    figures: Figures = {
        "calls": len(done),
        "answered": Counter(kind for *_, kind in done)["answered"],
        "slowest s": round(slowest[0][0], 2),
        "slower than 2 s": sum(seconds > TOO_SLOW_S for seconds, *_ in done),
        "CPU ms per call": round(1000 * cpu / len(done), 1),
    }
    return figures | _beside(product, root, slowest, searches) | {"faults": report_faults(faults)}


def _called(server: Server, tool: str, arguments: dict[str, Any]) -> tuple[Made, str]:
    """A call with its time and the kind of its answer; and what is wrong with that."""
    guard = threading.Timer(TIMEOUT_S, server.process.kill)
    guard.start()
    began = time.monotonic()
    try:
        text, is_error = server.answer(tool, arguments)
    finally:
        guard.cancel()
    kind = "answered"
    if is_error:
        kind = "error"
        with suppress(ValueError, AttributeError):
            kind = str(json.loads(text).get("error_type", "error"))
    fault = next((word for word in FAULTS if is_error and word in text), "")
    return (time.monotonic() - began, tool, arguments, kind), fault


def _state(product: Product, root: Path) -> Any:
    """Hashes of the files, and all rows of the index."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    with product.connect() as connection:
        return [hashlib.sha256(path.read_bytes()).digest() for path in files], table_rows(connection, INDEX)


def _beside(product: Product, root: Path, slowest: Sequence[Made], searches: int) -> Figures:
    """Medians of plain searches alone, and beside attackers that repeat the slowest calls."""
    small = [call for call in slowest if len(json.dumps(call[2])) < MAX_REQUEST_CHARS][:ATTACKING]
    stop = threading.Event()

    def attack(address: str, number: int) -> None:
        client = HttpClient(address)
        for _, tool, arguments, _ in itertools.cycle(small[number:] + small[:number]):
            if stop.is_set():
                return
            with suppress(RuntimeError, OSError):
                client.ask("tools/call", {"name": tool, "arguments": arguments})

    with http_server(product, root) as (address, _):
        client, questions = HttpClient(address), made(7)

        def median() -> float:
            return round(statistics.median(client.search(next(questions)) for _ in range(searches)), 1)

        median()
        figures: Figures = {"search alone p50 ms": median()}
        threads = [threading.Thread(target=attack, args=(address, at), daemon=True) for at in range(ATTACKERS)]
        for thread in threads:
            thread.start()
        figures["search beside them p50 ms"] = median()
        stop.set()
        for thread in threads:
            thread.join(TIMEOUT_S)
    return figures
