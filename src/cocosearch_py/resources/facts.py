"""Facts about the server that answers, apart from its indexes."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """Facts about the server in answers.

    Attributes:
        started_s: by time.monotonic.
        shows_storage: whether its clients may know where it keeps its data.
        serves_http: whether its clients can get bundles from its port.
    """

    name: str
    version: str
    started_s: float
    shows_storage: bool = False
    serves_http: bool = False

    @property
    def uptime_s(self) -> float:
        return round(time.monotonic() - self.started_s, 1)
