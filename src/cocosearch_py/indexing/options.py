"""What shapes the content of an index; stored with it, so that a change of any of them is seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.model.files import ContentClass

DEFAULT_CHUNK_BYTES = 1_000  # about 25 lines: a function; measured flat between 600 and 2,500


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """How a file becomes chunks; travels to the worker processes."""

    chunk_bytes: int = DEFAULT_CHUNK_BYTES
    strategy: str = "treesitter"  # or "lines"
    languages: tuple[str, ...] = ()  # only these; empty: all
    language_overrides: Mapping[str, str] = field(default_factory=dict)  # ".ext" -> language id


def _every(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one file may cost a worker process: past it the process is ended, and the file recorded as failed.

    Attributes:
        seconds: to read and prepare it, and a third of that more for each megabyte.
        memory_bytes: of all data of the process; where the system can limit that.
    """

    seconds: float = 60.0  # an ordinary file takes milliseconds, the worst one that parsers give up at a few seconds
    memory_bytes: int = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class IndexingOptions:
    """Everything one run needs besides the folder and the name."""

    content: ContentOptions = field(default_factory=ContentOptions)
    discovery: DiscoveryOptions = field(default_factory=DiscoveryOptions)
    content_classes: Mapping[str, ContentClass] = field(default_factory=dict)  # pattern -> class, the last one decides
    fresh: bool = False
    workers: int | None = None  # None: one per core
    confirmed: bool = False  # a first run on a very large folder, `/` or a home folder is meant
    home: Path | None = None  # the user's home folder
    may_see: Callable[[str], bool] = _every  # whether the index of a folder exists for whoever asks for the run

    def stored(self) -> dict[str, Any]:
        """The part that decides the content of unchanged files, as JSON."""
        return {
            "chunk_bytes": self.content.chunk_bytes,
            "strategy": self.content.strategy,
            "languages": sorted(self.content.languages),
            "language_overrides": dict(sorted(self.content.language_overrides.items())),
        }
