"""Answers to orchestrators and monitors over HTTP: /health, /ready and /metrics."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cocosearch_py.errors import CocosearchError
from cocosearch_py.server.metrics import family
from cocosearch_py.server.state import ServerState

log = logging.getLogger(__name__)

HEALTH_PATH, READY_PATH, METRICS_PATH = "/health", "/ready", "/metrics"
_KEPT_S = 2.0  # whoever asks without a token must not make the database busy
_TIMEOUT_S = 5.0  # a database that hangs after it took the connection
_FORM = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class Probes:
    """Sources of the answers.

    Args:
        state: of the server that is asked.
        unready: blocks; why calls about the server's project would fail, in words for everybody; None when they would
            not.
        sessions: open ones by transport; each front end adds its own.
    """

    state: ServerState
    unready: Callable[[], str | None]
    sessions: dict[str, Callable[[], int]] = field(default_factory=dict)
    _known: tuple[float, str | None] = (0.0, None)
    _asking: anyio.Lock = field(default_factory=anyio.Lock)

    async def reason(self) -> str | None:
        """Why the server is not ready, asked at most every _KEPT_S, one question at a time."""
        async with self._asking:
            until, why = self._known
            if time.monotonic() >= until:
                why = await self._ask()
                self._known = (time.monotonic() + _KEPT_S, why)
        return why

    async def _ask(self) -> str | None:
        try:
            with anyio.fail_after(_TIMEOUT_S):
                # Of its own limit: busy calls say nothing about readiness.
                return await anyio.to_thread.run_sync(
                    self.unready, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=True
                )
        except TimeoutError:
            return "the database does not respond"
        except CocosearchError as error:  # of the configuration, which may name paths
            log.warning("not ready: %s", error.message)
            return "the configuration is wrong"

    def metrics(self) -> str:
        """All figures in Prometheus' text form."""
        return "\n".join([*self.state.calls.families(), *_server(self.state, self.sessions), *_process(), ""])


def _server(state: ServerState, sessions: Mapping[str, Callable[[], int]]) -> Iterator[str]:
    yield from family("open_calls", "gauge", "Calls that are not answered yet.", [("", {}, state.open_calls)])
    opened: list[tuple[str, dict[str, str], float]] = [("", {"transport": t}, n()) for t, n in sorted(sessions.items())]
    yield from family("sessions", "gauge", "Open sessions by transport.", opened)
    yield from family("search_processes", "gauge", "Processes that only search.", [("", {}, state.processes.running)])
    unfinished = sum(not job.ended for job in state.jobs.all())
    yield from family("unfinished_jobs", "gauge", "Index jobs that wait or run.", [("", {}, unfinished)])


def _process() -> Iterator[str]:
    """Figures under the names that Prometheus' own clients give them."""
    import psutil

    process = psutil.Process()
    with process.oneshot():
        cpu, memory, began = process.cpu_times(), process.memory_info(), process.create_time()
    for name, kind, meaning, value in (
        ("cpu_seconds_total", "counter", "Processor time of this process.", cpu.user + cpu.system),
        ("resident_memory_bytes", "gauge", "Memory that this process holds.", memory.rss),
        ("start_time_seconds", "gauge", "When this process began, in Unix time.", began),
    ):
        yield from family(name, kind, meaning, [("", {}, value)], prefix="process_")


def health_routes(probes: Probes | None) -> list[Route]:
    """/health, and with `probes` /ready and /metrics too."""
    routes = [Route(HEALTH_PATH, _health, methods=["GET"])]
    if probes is not None:
        routes.append(Route(READY_PATH, partial(_ready, probes), methods=["GET"]))
        routes.append(Route(METRICS_PATH, partial(_metrics, probes), methods=["GET"]))
    return routes


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _ready(probes: Probes, _: Request) -> Response:
    if (why := await probes.reason()) is not None:
        return JSONResponse({"status": "unready", "reason": why}, 503)
    return JSONResponse({"status": "ready"})


async def _metrics(probes: Probes, _: Request) -> Response:
    return PlainTextResponse(probes.metrics(), media_type=_FORM)
