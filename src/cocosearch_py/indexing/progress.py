"""Progress of a run, and its report at the end."""

from collections.abc import Callable
from dataclasses import dataclass, field

# Look at the folder; read and cut files; make vectors; what needs all files; put the index in place.
STAGES = ACQUIRE, PARSE, EMBED, GRAPH, FINALIZE = "acquire", "parse", "embed", "graph", "finalize"


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a run.

    Attributes:
        stage: of STAGES, in their order; `parse` and `embed` alternate where this process makes the vectors. Elsewhere
            files get theirs while they are parsed, and there is no `embed`.
        files_done, bytes_done: what is written of the files to read; `_total` is 0 until that is known.
        chunks: written.
        in_hand: paths of files that are being read or written.
    """

    stage: str
    files_done: int = 0
    files_total: int = 0
    chunks: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    in_hand: frozenset[str] = frozenset()


# Receives progress about ten times a second at most; must return quickly.
ProgressSink = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class RunReport:
    """Report of a run. Counts of files are of indexed files, but for `files_skipped` and `files_failed`.

    Added, updated, unchanged, skipped, failed and pending files together are the files on disk: a folder that is left
    out counts with all files below it, one that cannot be listed counts as one failed file.
    """

    index_name: str
    root_path: str
    table_name: str
    files_added: int = 0
    files_updated: int = 0
    files_removed: int = 0
    files_unchanged: int = 0
    files_skipped: int = 0
    files_failed: int = 0
    folders_skipped: int = 0
    files_in_skipped_folders: int = 0  # counted in files_skipped, too
    files_reused: int = 0  # of those added and updated: copied from another index, not read for their text
    files_pending: int = 0  # left for the next run after an interruption
    chunks: int = 0
    symbols: int = 0
    seconds: float = 0.0
    rebuilt: bool = False
    interrupted: bool = False
    index_id: str = ""  # the index's ULID
    warnings: tuple[str, ...] = field(default=())
    timeout_files: tuple[str, ...] = ()  # indexed, but the model did not answer in time: words find them
