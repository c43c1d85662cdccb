"""Folders too large to index without a question: very many files, `/`, home folders and their parents.

And folders with so many files that they are hardly meant to be indexed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from cocosearch_py.errors import WideFolderError

# Most repositories are below both. These take minutes on two cores, and a database of several gigabytes.
MOST_FILES = 50_000
MOST_BYTES = 2_000_000_000

# Names of folders that builds and tools fill. Some projects keep source in such a folder, but seldom that many files.
_BUILD_NAMES = frozenset({
    "build", "_build", "builds", "dist", "out", "output", "target", "bin", "obj", "gen", "generated", "release",
    "debug", "artifacts", "coverage", "tmp", "temp", "cache", ".cache", "logs", "venv", "env", "virtualenv",
    "site-packages", "pods", "deriveddata", "bazel-out",
})  # fmt: skip
_BUILD_PREFIX = "cmake-build"
MANY_BUILT_FILES = 1_000  # below a folder with such a name
_MOST_TOLD = 5
MANY_FILES_IN_ONE_FOLDER = 10_000  # not counting folders in it; nobody writes as many by hand

WIDE = "is / or a drive, a home folder, or the parent of one"
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
    what = f"{WIDE}, and " if wide else ""
    return WideFolderError(
        f"{folder} {what}has {'more than ' if more else ''}{file_count:,} files to index, {size_bytes / 1e9:,.1f} GB",
        hint="index a folder below it, leave files out with patterns, or confirm it: `cocosearch-py index --yes`; "
        "`cocosearch-py index --dry-run` shows the largest folders",
    )


def bulky_folders(paths: Iterable[str]) -> list[str]:
    """Say which folders hold so many files to index that they are hardly meant, in words, the fullest first.

    Args:
        paths: of all files to index, relative to the root, '/' separated.
    """
    built: Counter[str] = Counter()
    direct: Counter[str] = Counter()
    total = 0
    for path in paths:
        total += 1
        folder = path.rpartition("/")[0]
        direct[folder] += 1
        if (top := _build_folder(folder)) is not None:
            built[top] += 1
    found = sorted(_bulky(built, direct), reverse=True)
    told = [
        f"{folder or '.'}/ {why}, with {files:,} of {total:,} files to index; to leave it out, use "
        f"--exclude '/{folder or 'PATTERN'}/', or add the pattern to .gitignore or indexing.excludePatterns"
        for files, folder, why in found[:_MOST_TOLD]
    ]
    if more := found[_MOST_TOLD:]:
        told.append(f"{len(more)} more such folders have {sum(files for files, *_ in more):,} files to index")
    return told


def _bulky(built: Counter[str], direct: Counter[str]) -> Iterator[tuple[int, str, str]]:
    for folder, files in built.items():
        if files >= MANY_BUILT_FILES:
            yield files, folder, "is named like a folder of generated files"
    for folder, files in direct.items():
        if files >= MANY_FILES_IN_ONE_FOLDER and built[_build_folder(folder) or ""] < MANY_BUILT_FILES:
            yield files, folder, "is a single folder with many files"


def _build_folder(folder: str) -> str | None:
    """The outermost folder on a path that has the name of one that builds fill."""
    names = folder.split("/")
    for depth, name in enumerate(names, start=1):
        lowered = name.lower()
        if lowered in _BUILD_NAMES or lowered.startswith(_BUILD_PREFIX):
            return "/".join(names[:depth])
    return None
