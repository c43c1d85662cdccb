"""Options that shape the content of an index; stored with it, so that a change of any of them is seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.indexes import Revision

DEFAULT_TOKEN_SIZE, DEFAULT_TOKEN_OVERLAP = 500, 100  # the bundled model and most others read 512 tokens of a text
DEFAULT_CHUNK_BYTES = 1_000  # about 25 lines: a function; measured flat between 600 and 2,500


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """How a file becomes chunks; travels to the worker processes."""

    chunk_bytes: int = DEFAULT_CHUNK_BYTES
    strategy: str = "treesitter"  # or "lines", "tokens"
    chunk_overlap: int = 0  # bytes before a chunk that its vector is also made of; of treesitter and lines
    token_size: int = DEFAULT_TOKEN_SIZE  # of tokens: at most so many in a chunk, with those it overlaps with
    token_overlap: int = DEFAULT_TOKEN_OVERLAP
    syntax_max_bytes: int | None = None  # larger files are cut by lines
    syntax_max_chunks: int | None = None  # and those that would have more chunks
    vector: bool = True  # what is left out of an index: vectors,
    symbol: bool = True  # definitions, and with them
    graph: bool = True  # imports and references
    max_files_to_embed: int | None = None  # those that most others depend on
    languages: tuple[str, ...] = ()  # only these; empty: all
    language_overrides: Mapping[str, str] = field(default_factory=dict)  # ".ext" -> language id

    def stored(self) -> dict[str, Any]:
        """As JSON; what was added to it later stands there only if it changes something."""
        known: dict[str, Any] = {
            "chunk_bytes": self.chunk_bytes,
            "strategy": self.strategy,
            "languages": sorted(self.languages),
            "language_overrides": dict(sorted(self.language_overrides.items())),
        }
        if self.strategy == "tokens":
            known |= {"token_size": self.token_size, "token_overlap": self.token_overlap}
        elif self.chunk_overlap:
            known["chunk_overlap"] = self.chunk_overlap
        if self.strategy == "treesitter":
            bounds = {"syntax_max_bytes": self.syntax_max_bytes, "syntax_max_chunks": self.syntax_max_chunks}
            known |= {name: bound for name, bound in bounds.items() if bound is not None}
        if self.max_files_to_embed is not None and self.vector:
            known["max_files_to_embed"] = self.max_files_to_embed
        known |= {name: False for name in ("vector", "symbol", "graph") if not getattr(self, name)}
        return known

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """Return options from the form of `stored`, whatever the settings are by now."""
        known = {one.name for one in fields(cls)}
        values: dict[str, Any] = {
            name: tuple(value) if name == "languages" else value for name, value in stored.items()
        }
        return cls(**{name: value for name, value in values.items() if name in known})


def _every(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of a worker process for one file: past them the process is ended, and the file recorded as failed.

    Attributes:
        seconds: to read and prepare it, and a third of that more for each megabyte.
        memory_bytes: of all data of the process; where the system can limit that.
    """

    seconds: float = 60.0  # an ordinary file takes milliseconds, the worst one that parsers give up at a few seconds
    memory_bytes: int = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class EmbeddingLimits:
    """How a model is asked in one run; None: as its own settings say.

    Attributes:
        batch_size: texts at once.
        timeout_s: for one answer of an endpoint.
    """

    batch_size: int | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class IndexingOptions:
    """Everything one run needs besides the folder and the name."""

    content: ContentOptions = field(default_factory=ContentOptions)
    discovery: DiscoveryOptions = field(default_factory=DiscoveryOptions)
    content_classes: Mapping[str, ContentClass] = field(default_factory=dict)  # pattern -> class, the last one decides
    fresh: bool = False
    only_failed: bool = False  # only files that failed, or could not be embedded in time
    workers: int | None = None  # None: one per core
    embedding: EmbeddingLimits = field(default_factory=EmbeddingLimits)
    confirmed: bool = False  # a first run on a very large folder, `/` or a home folder is meant
    revision: Revision | None = None  # the commit to index instead of what is on disk
    hidden: bool = False  # no list shows the index; see `model.indexes.HIDDEN`
    remarks: tuple[str, ...] = ()  # what of the call has no effect; reported as warnings
    context_lines: int | None = None  # asked for with the index; only its manifest shows them
    home: Path | None = None  # the user's home folder
    may_see: Callable[[str], bool] = _every  # whether the index of a folder exists for whoever asks for the run

    @property
    def commit(self) -> str | None:
        """Full name of the commit that is indexed; None where the folder is, as it is on disk."""
        return self.revision.commit if self.revision else None

    def stored(self) -> dict[str, Any]:
        """The part that decides the content of unchanged files, as JSON."""
        return self.content.stored()
