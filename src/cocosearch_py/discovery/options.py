"""Options of discovery that a caller may choose."""

from dataclasses import dataclass
from pathlib import Path

DEFAULT_MAX_FILE_SIZE_BYTES = 2 * 1024 * 1024  # hand-written source stays below; larger is data or generated


@dataclass(frozen=True, slots=True)
class DiscoveryOptions:
    """Which files below a root are wanted.

    Attributes:
        include: gitignore-style patterns relative to the root; when given, a file must match one of them
            itself or through a folder above it.
        exclude: gitignore-style patterns relative to the root.
        respect_gitignore: False looks at no ignore file and runs no git.
        max_file_size_bytes: larger files are skipped.
        max_depth: 1 keeps the files directly in the root, 2 those one folder below, ...; None is no limit.
        submodules: False skips submodules and nested clones.
        global_ignore_file: git's core.excludesFile, for folders where git itself is not asked.
        bounded: stop with an error beyond what `extent` lets pass without a question.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    max_file_size_bytes: int = DEFAULT_MAX_FILE_SIZE_BYTES
    max_depth: int | None = None
    submodules: bool = True
    global_ignore_file: Path | None = None
    bounded: bool = False
