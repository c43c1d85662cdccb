"""What a run is to do, as one process writes it down for another: the only place that says so."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run that is asked for; equal ones are the same work. Never holds a secret.

    Attributes:
        index_name: the index.
        name, folder: what it is called without its commit, and the real folder that it is of.
        options, settings: as `model.plain` writes the options of the run and the settings that it needs besides.
        needs: dotted keys of secret settings that the caller had set, which the worker must find for itself.
        limit_s: without progress for so long it is ended; 0 is no limit.
        visible: folders whose indexes content may be copied from; None for all.
        completes: no file is looked at; what an imported index lacks besides rows is made.
    """

    index_name: str
    name: str
    folder: str
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    limit_s: float = 0.0
    visible: tuple[str, ...] | None = None
    completes: bool = False
