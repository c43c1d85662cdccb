"""What is too much to index without a question: very many files, `/`, home folders and what holds them."""

from pathlib import Path, PurePath

from cocosearch_py.errors import WideFolderError

# Most repositories are below both. These take minutes on two cores, and a database of several gigabytes.
MOST_FILES = 50_000
MOST_BYTES = 2_000_000_000

_HOMES = (PurePath("/root"), PurePath("/home/anybody"), PurePath("/Users/anybody"))


def is_wide(folder: PurePath, home: PurePath | None) -> bool:
    """Tell whether a folder is `/` or a drive, a home folder, or holds home folders; looks at names only.

    Args:
        folder: absolute, without links.
        home: the user's home folder, likewise.
    """
    homes = _HOMES if home is None else (*_HOMES, home)
    return folder == folder.parent or any(folder == one or folder in one.parents for one in homes)


def confirmation_needed(
    folder: Path, file_count: int, size_bytes: int, *, more: bool = False, wide: bool = False
) -> WideFolderError:
    """Make the error that asks whether a folder is meant; `more`: counting stopped at these figures."""
    what = "is / or a drive, a home folder, or the parent of one, and " if wide else ""
    return WideFolderError(
        f"{folder} {what}holds {'more than ' if more else ''}{file_count:,} files to index, {size_bytes / 1e9:,.1f} GB",
        hint="index a folder below it, leave files out with patterns, or confirm it: cocosearch-py index --yes",
    )
