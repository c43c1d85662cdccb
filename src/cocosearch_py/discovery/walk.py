"""Walk a folder once and say of every file below it whether it should be indexed, and if not, why.

The walk never leaves the root, follows no symbolic link and reads no file but ignore files. Repositories are
judged by git itself where it answers (see `ignoring`), other folders by their ignore files with git's rules.
`.git`, `.hg`, `.svn`, `.jj` and `.bzr` are not looked into and not reported.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Protocol

from cocosearch_py.discovery.extent import MOST_BYTES, MOST_FILES, confirmation_needed
from cocosearch_py.discovery.gitignore import PatternList, compile_patterns
from cocosearch_py.discovery.ignoring import GitAnswers, IgnoreSource, Verdict, is_repository, open_source
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.regular_files import open_regular
from cocosearch_py.discovery.rules import (
    GENERATED_FOLDER_MARKERS,
    GIT_NAME,
    SYMLINK_RULE,
    VERSION_CONTROL_FOLDERS,
    forbidden_path_rule,
    generated_folder_rule,
    secret_rule,
    special_rule,
    too_large_rule,
)
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.changes import is_temporary
from cocosearch_py.model.files import DiscoveredFile, FailedFile, SkippedFile, SkipReason

_CACHE_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"  # bford.info/cachedir

CACHE_MARKER = "CACHEDIR.TAG"
Entry = DiscoveredFile | SkippedFile | FailedFile


class Seen(Protocol):
    """A file or folder in a list of those of a folder, as of `os.scandir`."""

    @property
    def name(self) -> str: ...

    def stat(self, *, follow_symlinks: bool) -> os.stat_result: ...


class Item(NamedTuple):
    """A file or folder on its way through the rules; a tuple, because one is made for every file.

    `depth` is 1 for entries of the root; `included`: an include pattern holds for it or a folder above.
    """

    path: str
    status: os.stat_result
    source: IgnoreSource
    depth: int
    included: bool
    protected: bool = False  # built-in folder rules do not apply
    nested: bool = False  # git lists it as a repository of its own


def discover(root: Path, options: DiscoveryOptions) -> Iterator[Entry]:
    """List every file below `root`, ordered by path.

    Args:
        root: an existing folder; when it is a link, the folder it points to.
    Returns:
        Files to index, files and whole folders left out (see `SkippedFile.file_count`), and what could not be
        looked at. Files that vanish during the walk are not reported.
    Raises:
        WorkspaceError: `root` does not exist, is not a folder or cannot be listed.
        SafetyError: it holds too much to be indexed without a question (only with `options.bounded`).
    """
    folder, status = _resolve_root(root)
    return iter(Walk(folder, options).run(status))


def look_up(root: Path, options: DiscoveryOptions, paths: Iterable[str], *, asks_git: bool = True) -> list[Entry]:
    """Return the verdicts of `discover` on some files or folders, and on excluded folders above them; reads no others.

    Args:
        paths: relative to the root, '/' separated, without a slash at the end.
        asks_git: see `ignoring.open_source`.
    Returns:
        Nothing for a path that is not there, or for a folder that is kept.
    Raises:
        WorkspaceError: as `discover`.
    """
    folder, status = _resolve_root(root)
    toward = frozenset(
        "/".join(parts[:end]) for parts in (path.split("/") for path in paths) for end in range(1, len(parts) + 1)
    )
    return Walk(folder, options, toward, asks_git=asks_git).run(status)


def left_out(root: Path, options: DiscoveryOptions, paths: Iterable[str]) -> frozenset[str]:
    """Return those of the paths that `discover` does not keep now. Costs no git process where it keeps all of them.

    Raises:
        WorkspaceError: as `discover`.
    """
    asked = frozenset(paths)
    rest = frozenset(path for path in asked if forbidden_path_rule(path) is None)
    kept: set[str] = set()
    for asks_git in (False, True):
        if rest := rest - kept:
            found = look_up(root, options, rest, asks_git=asks_git)
            kept |= {one.path for one in found if isinstance(one, DiscoveredFile)}
    return asked - kept


def walk_all(root: Path, options: DiscoveryOptions) -> tuple[list[Entry], list[str]]:
    """Return the entries of `discover`, and the absolute paths of all files and folders it read. Raises as it does."""
    folder, status = _resolve_root(root)
    walk = Walk(folder, options)
    entries = walk.run(status)
    looked_at = [*walk.sources, *(one.path for one in entries if not one.path.endswith("/"))]
    return entries, [f"{folder}/{path}" for path in looked_at]


def walk_folders(root: Path, options: DiscoveryOptions) -> "WalkedFolders":
    """The folders that `discover` looks into. Raises WorkspaceError as it does."""
    folder, status = _resolve_root(root)
    walk = Walk(folder, options)
    walk.run(status)
    return WalkedFolders(str(folder), walk)


class WalkedFolders:
    """The folders of one walk, and its rules for what changes in them later.

    Attributes:
        root: the folder without links.
        paths: the folders that were looked into, absolute.
    """

    def __init__(self, root: str, walk: "Walk") -> None:
        self.root = root
        self.paths = frozenset(os.path.join(root, path) if path else root for path in walk.sources)
        self._walk = walk

    def concerns(self, path: str) -> bool:
        """Whether an entry with this absolute path may be indexed, or was, or has rules for others."""
        folder, name = os.path.split(path)
        inner = os.path.relpath(folder, self.root).replace(os.sep, "/")
        source = self._walk.sources.get("" if inner == "." else inner)
        if source is None or name == GIT_NAME or name in VERSION_CONTROL_FOLDERS or is_temporary(name):
            return False
        below = name if inner == "." else f"{inner}/{name}"
        return self._walk.keeps(below, source, is_folder=Path(path).is_dir())


def _resolve_root(root: Path) -> tuple[Path, os.stat_result]:
    try:
        folder = Path(os.path.realpath(root, strict=True))
        status = os.stat(folder)
        if not stat.S_ISDIR(status.st_mode):
            raise WorkspaceError(f"{root} is not a folder", hint="Name the folder that contains the code.")
        with os.scandir(folder):
            return folder, status
    except FileNotFoundError as error:
        raise WorkspaceError(f"The folder {root} does not exist", hint="Check the path for typos.") from error
    except NotADirectoryError as error:
        raise WorkspaceError(f"{root} is not a folder", hint="Name the folder that contains the code.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WorkspaceError(
            f"The folder {root} cannot be read: {reason}", hint="Check the permissions of the folder."
        ) from error


class Walk:
    """One pass over one root; with `toward`, only over these paths, which have the folders above them among them."""

    def __init__(
        self, root: Path, options: DiscoveryOptions, toward: frozenset[str] | None = None, *, asks_git: bool = True
    ) -> None:
        self._root = root
        self._toward = toward
        self._asks_git = asks_git
        self._options = options
        self._include = _compile(options.include, "indexing.includePatterns:")
        self._exclude = _compile(options.exclude, "indexing.excludePatterns:")
        self._entries: list[Entry] = []
        self._folders: list[Item] = []
        self._wanted_files = self._wanted_bytes = 0
        self.sources: dict[str, IgnoreSource] = {}  # of the folders that were looked into, by path
        self._open: dict[str, list[Item]] = {}  # files that git has to be asked about, by start of its repository

    def run(self, root_status: os.stat_result) -> list[Entry]:
        """Do the walk; the entries are ordered by path."""
        source = self._open_source("")
        self._folders.append(Item("", root_status, source, 0, not self._options.include, protected=True))
        while self._folders:
            self._scan(self._folders.pop())
        self._settle_open()
        self._entries.sort(key=attrgetter("path"))
        return self._entries

    def keeps(self, path: str, source: IgnoreSource, *, is_folder: bool) -> bool:
        """Whether ignore rules, exclude patterns and built-in folders leave an entry in, for all that they tell now."""
        verdict = source.judge(path, is_folder)
        if isinstance(verdict, str):
            return False
        excluded = self._exclude.match(os.fsencode(path), is_folder)
        if excluded is not None and not excluded.negated:
            return False
        protected = verdict is Verdict.KEEP_ALWAYS
        return not is_folder or protected or generated_folder_rule(path.rpartition("/")[2]) is None

    def _scan(self, folder: Item) -> None:
        try:
            found = self._list(folder.path)
        except FileNotFoundError:
            return
        except OSError as error:
            self._fail(f"{folder.path}/", f"cannot list the folder: {error.strerror}")
            return
        source = self._source_inside(folder, [entry.name for entry in found])
        if source is None:
            return
        self.sources[folder.path] = source
        prefix = f"{folder.path}/" if folder.path else ""
        for entry in found:
            path = prefix + entry.name
            if (
                entry.name != GIT_NAME
                and not is_temporary(entry.name)
                and (self._toward is None or path in self._toward)
            ):
                self._look_at(entry, path, folder, source)

    def _source_inside(self, folder: Item, names: Sequence[str]) -> IgnoreSource | None:
        """Choose who judges the entries of a folder; None after the whole folder was left out."""
        if not folder.protected:
            for marker in GENERATED_FOLDER_MARKERS:
                if marker in names and self._is_marker(f"{folder.path}/{marker}"):
                    self._skip_folder(folder, SkipReason.IGNORED, f"built-in: folder with {marker}")
                    return None
        source = folder.source
        if folder.path and GIT_NAME in names and self._is_other_repository(folder):
            if not self._options.submodules:
                self._skip_folder(folder, SkipReason.EXCLUDED, "indexing.submodules = skip")
                return None
            source = self._open_source(folder.path)
        return source.enter(folder.path, names)

    def _is_other_repository(self, folder: Item) -> bool:
        """Tell whether a folder with a `.git` begins a repository; git has said so if it judges."""
        if isinstance(folder.source, GitAnswers):
            return folder.nested
        return is_repository(self._root / folder.path)

    def _look_at(self, entry: Seen, path: str, parent: Item, source: IgnoreSource) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self._fail(path, f"cannot read the file's attributes: {error.strerror}")
            return
        mode = status.st_mode
        is_folder = stat.S_ISDIR(mode)
        if is_folder and entry.name in VERSION_CONTROL_FOLDERS:
            return
        item = Item(path, status, source, parent.depth + 1, parent.included)
        if stat.S_ISLNK(mode) or (is_folder and _is_junction(entry)):
            self._skip(item, SkipReason.SYMLINK, SYMLINK_RULE)
        elif not is_folder and (special := special_rule(mode)):
            self._skip(item, SkipReason.SPECIAL, special)
        else:
            verdict = source.judge(path, is_folder)
            if verdict is Verdict.ASK and isinstance(source, GitAnswers):
                self._open.setdefault(source.path, []).append(item)
            else:
                self._settle(item, verdict, is_folder)

    def _settle_open(self) -> None:
        """Let git explain the files that it left open, in one call for each repository."""
        for items in self._open.values():
            source = items[0].source
            rules = source.explain([item.path for item in items]) if isinstance(source, GitAnswers) else {}
            for item in items:
                self._settle(item, rules.get(item.path, Verdict.KEEP), False)

    def _settle(self, item: Item, verdict: Verdict | str, is_folder: bool) -> None:
        """Apply what comes after the ignore rules: exclude, built-in folders, depth, secrets, size."""
        if isinstance(verdict, str):
            self._leave_out(item, SkipReason.IGNORED, verdict, is_folder)
            return
        included = item.included
        if self._exclude.patterns or self._include.patterns:
            encoded = os.fsencode(item.path)
            excluded = self._exclude.match(encoded, is_folder)
            if excluded is not None and not excluded.negated:
                self._leave_out(item, SkipReason.EXCLUDED, excluded.rule, is_folder)
                return
            asked_for = self._include.match(encoded, is_folder)
            if asked_for is not None:
                included = not asked_for.negated
        if is_folder:
            self._settle_folder(item._replace(included=included), verdict)
        elif not included:
            self._skip(item, SkipReason.EXCLUDED, "indexing.includePatterns: no pattern matches")
        else:
            self._settle_file(item)

    def _settle_folder(self, item: Item, verdict: Verdict) -> None:
        protected = verdict is Verdict.KEEP_ALWAYS
        generated = None if protected else generated_folder_rule(item.path.rpartition("/")[2])
        limit = self._options.max_depth
        if generated is not None:
            self._skip_folder(item, SkipReason.IGNORED, generated)
        elif limit is not None and item.depth >= limit:
            self._skip_folder(item, SkipReason.TOO_DEEP, f"indexing.maxDepth = {limit}")
        else:
            self._folders.append(item._replace(protected=protected, nested=verdict is Verdict.NESTED))

    def _settle_file(self, item: Item) -> None:
        size_bytes = item.status.st_size
        limit_bytes = self._options.max_file_size_bytes
        secret = secret_rule(item.path.rpartition("/")[2])
        if secret is not None:
            self._skip(item, SkipReason.SECRET, secret)
        elif size_bytes > limit_bytes:
            self._skip(item, SkipReason.TOO_LARGE, too_large_rule(limit_bytes))
        else:
            self._entries.append(self._kept_file(item))
            self._wanted_files += 1
            self._wanted_bytes += size_bytes
            if self._options.bounded and (self._wanted_files > MOST_FILES or self._wanted_bytes > MOST_BYTES):
                raise confirmation_needed(self._root, self._wanted_files - 1, self._wanted_bytes, more=True)

    def _leave_out(self, item: Item, reason: SkipReason, rule: str, is_folder: bool) -> None:
        (self._skip_folder if is_folder else self._skip)(item, reason, rule)

    def _skip(self, item: Item, reason: SkipReason, rule: str) -> None:
        status = item.status
        self._entries.append(SkippedFile(item.path, status.st_size, status.st_mtime_ns, reason, rule))

    def _skip_folder(self, item: Item, reason: SkipReason, rule: str) -> None:
        file_count, size_bytes = self._count_below(item.path)
        if file_count:
            modified = item.status.st_mtime_ns
            self._entries.append(SkippedFile(f"{item.path}/", size_bytes, modified, reason, rule, file_count))

    def _fail(self, path: str, error: str) -> None:
        self._entries.append(FailedFile(path, error))

    # What a walk asks the disk; that of a commit asks its tree.

    def _list(self, path: str) -> "Sequence[Seen]":
        """Files and folders directly in a folder; raises OSError."""
        with os.scandir(self._absolute(path)) as scan:
            return list(scan)

    def _open_source(self, path: str) -> IgnoreSource:
        return open_source(self._root, path, self._options, asks_git=self._asks_git)

    def _kept_file(self, item: Item) -> DiscoveredFile | FailedFile:
        status = item.status
        return DiscoveredFile(item.path, status.st_size, status.st_mtime_ns, None, status.st_ctime_ns)

    def _count_below(self, path: str) -> tuple[int, int]:
        return count_files(self._absolute(path))

    def _absolute(self, path: str) -> str:
        return os.path.join(self._root, path) if path else str(self._root)

    def _is_marker(self, path: str) -> bool:
        """Check that a CACHEDIR.TAG is one; the other marker needs no proof."""
        if not path.endswith(f"/{CACHE_MARKER}"):
            return True
        return self._head(path, len(_CACHE_SIGNATURE)) == _CACHE_SIGNATURE

    def _head(self, path: str, size_bytes: int) -> bytes:
        """The first bytes of a file, no link; nothing when it cannot be read."""
        try:
            with open_regular(self._absolute(path), follow_links=False) as file:
                return file.read(size_bytes)
        except OSError:
            return b""


def count_files(folder: str) -> tuple[int, int]:
    """Count what lies below a folder: files, links and special files, and their size in bytes.

    Folders that cannot be listed count as empty; version control folders do not count.
    """
    file_count = size_bytes = 0
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as scan:
                for entry in scan:
                    name = entry.name
                    if name == GIT_NAME:
                        continue
                    if entry.is_dir(follow_symlinks=False) and not _is_junction(entry):
                        if name not in VERSION_CONTROL_FOLDERS:
                            folders.append(entry.path)
                        continue
                    file_count += 1
                    with suppress(OSError):
                        size_bytes += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return file_count, size_bytes


def _is_junction(entry: Seen) -> bool:
    """Tell whether a Windows folder is a link in disguise; Python 3.11 cannot tell."""
    test = getattr(entry, "is_junction", None)
    return os.name == "nt" and test is not None and bool(test())


def _compile(globs: Sequence[str], source: str) -> PatternList:
    return compile_patterns((os.fsencode(glob.removeprefix("./")) for glob in globs), source)
