"""Report of a dry run."""

from collections import Counter
from dataclasses import dataclass, field

from cocosearch_py.indexing.file_counts import FileCounts
from cocosearch_py.model.indexes import IndexRecord


@dataclass(frozen=True, slots=True)
class Share:
    """Files below a folder that an index would hold, and their bytes; no name: those in the root itself."""

    name: str
    files: int
    size_bytes: int


@dataclass(slots=True)
class Forecast(FileCounts):
    """Report and costs of a run that is only planned.

    Attributes:
        record: the index as it is now; None when there is none.
        rebuilt: why everything would be built anew; None when it would not.
        left_out: files by reason (or `failed`) and rule (or error) that would not be in the index.
        folders: those with most files that the index would hold.
        held: path -> size in bytes of the files that the index would hold.
        held_bytes, read_bytes, copied_bytes: size of the source that it would hold, and of those parts which would be
            prepared anew or copied from another index.
        facts_bytes: of those parts, the code whose definitions and references are read.
        effort: cost of what would be prepared anew; see `cost_model`.
        measured: whether `seconds` goes by earlier runs in this database, not by a default.
    """

    index_name: str = ""
    root_path: str = ""
    record: IndexRecord | None = None
    rebuilt: str | None = None
    held: dict[str, int] = field(default_factory=dict)
    held_bytes: int = 0
    read_bytes: int = 0
    facts_bytes: int = 0
    effort: float = 0.0
    copied_bytes: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    folders: tuple[Share, ...] = ()
    seconds: float = 0.0
    measured: bool = False
    index_bytes: int = 0
    asks: bool = False
    warnings: tuple[str, ...] = ()
