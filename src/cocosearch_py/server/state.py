"""State of a server for those who watch and measure it, whatever its front ends are."""

from typing import TYPE_CHECKING, Protocol

from cocosearch_py.server.metrics import CallFigures
from cocosearch_py.server.options import ServerOptions

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobRegistry
    from cocosearch_py.server.changes import Changes
    from cocosearch_py.server.processes import SearchProcesses
    from cocosearch_py.server.watches import Watches


class ServerState(Protocol):
    """One server's state; what its front ends share satisfies it by having these attributes."""

    options: ServerOptions
    calls: CallFigures
    open_calls: int  # that are not answered yet
    last_call_s: float  # when the last answer was given, by time.monotonic
    jobs: "JobRegistry"
    processes: "SearchProcesses"
    watches: "Watches"
    changes: "Changes"
