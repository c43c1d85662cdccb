"""Who says what is ignored: git itself, ignore files read by us, or nobody.

All paths here are relative to the root of the walk, '/' separated, without a trailing slash.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Protocol, Self

from cocosearch_py.discovery.git import GitListing, ignore_rules, list_files, run_git
from cocosearch_py.discovery.gitignore import PatternList, read_patterns
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.rules import GIT_NAME


class Verdict(Enum):
    """What a source says of a file or folder that it does not call ignored."""

    KEEP = "keep"
    KEEP_ALWAYS = "keep always"  # tracked, or asked for by name: built-in folder rules do not apply
    ASK = "ask"  # not known yet; `explain` tells
    NESTED = "nested"  # a folder that git knows as a repository of its own


class IgnoreSource(Protocol):
    """Judges files and folders from the root downwards; a str verdict is the rule that ignores."""

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Say what to do with a file or folder whose parent folders are all kept."""

    def enter(self, path: str, names: Sequence[str]) -> "IgnoreSource":
        """Return the source for the entries `names` of folder `path`."""

    def explain(self, paths: Sequence[tuple[str, bool]]) -> dict[str, str]:
        """Return path -> rule for those of the asked (path, is_folder) that are ignored."""


class NothingIgnored:
    """Keeps everything."""

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Keep it."""
        return Verdict.KEEP

    def enter(self, path: str, names: Sequence[str]) -> Self:
        """No folder changes anything."""
        return self

    def explain(self, paths: Sequence[tuple[str, bool]]) -> dict[str, str]:
        """Nothing is ever ignored."""
        return {}


@dataclass(frozen=True, slots=True)
class _Level:
    """One ignore file and the folder its patterns are relative to.

    The path that the patterns mean is a path of the walk without its first `cut` bytes, after `prefix`.
    """

    patterns: PatternList
    prefix: bytes
    cut: int


@dataclass(frozen=True, slots=True)
class IgnoreFiles:
    """Ignore files read by us: nested .gitignore, info/exclude, the global file; git's precedence.

    It cannot know which ignored files are tracked; git keeps those, this source does not.
    """

    root: Path
    levels: tuple[_Level, ...]  # the weakest first

    @classmethod
    def for_folder(cls, root: Path, path: str, global_file: Path | None) -> Self:
        """Start at folder `path` of the walk; above it, files count up to the top of its repository.

        An ignored start folder was asked for by name: then no file above it counts.
        """
        folder = root / path if path else root
        top, repository = _repository(folder)
        weak: list[_Level] = []
        cut = len(os.fsencode(path)) + 1 if path else 0
        above = os.fsencode(os.path.relpath(folder, top).replace(os.sep, "/"))
        prefix = b"" if folder == top else above + b"/"
        if global_file is not None:
            _add(weak, global_file, str(global_file), prefix, cut, follow_links=True)
        if repository is not None:
            _add(weak, repository / "info" / "exclude", ".git/info/exclude", prefix, cut, follow_links=True)
        levels = list(weak)
        parts = above.split(b"/") if prefix else []
        for position in range(len(parts)):
            inner = b"/".join(parts[position:])
            place = Path(os.fsdecode(os.path.join(os.fsencode(top), *parts[:position])))
            source = "../" * (len(parts) - position) + ".gitignore"
            _add(levels, place / ".gitignore", source, inner + b"/", cut)
        found = cls(root, tuple(levels))
        if prefix and found._ignores_start(parts):
            return cls(root, tuple(_Level(level.patterns, b"", cut) for level in weak))
        return found

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Let the strongest ignore file with a matching pattern decide."""
        encoded = os.fsencode(path)
        for level in reversed(self.levels):
            pattern = level.patterns.match(level.prefix + encoded[level.cut :], is_folder)
            if pattern is not None:
                return Verdict.KEEP_ALWAYS if pattern.negated else pattern.rule
        return Verdict.KEEP

    def enter(self, path: str, names: Sequence[str]) -> "IgnoreFiles":
        """Add the folder's own .gitignore."""
        if ".gitignore" not in names:
            return self
        source = f"{path}/.gitignore" if path else ".gitignore"
        patterns = read_patterns(self.root / source, source)
        if patterns is None or not patterns.patterns:
            return self
        cut = len(os.fsencode(path)) + 1 if path else 0
        return IgnoreFiles(self.root, (*self.levels, _Level(patterns, b"", cut)))

    def explain(self, paths: Sequence[tuple[str, bool]]) -> dict[str, str]:
        """Nothing is left open by `judge`."""
        return {}

    def _ignores_start(self, parts: list[bytes]) -> bool:
        """Tell whether a folder from the top down to the start folder is ignored."""
        for depth in range(1, len(parts) + 1):
            for level in reversed(self.levels):
                skipped = len(parts) - len(level.prefix.rstrip(b"/").split(b"/"))
                if skipped >= depth:
                    continue
                pattern = level.patterns.match(b"/".join(parts[skipped:depth]), True)
                if pattern is not None:
                    if not pattern.negated:
                        return True
                    break
        return False


@dataclass(frozen=True, slots=True)
class GitAnswers:
    """What `git ls-files` said about the repository that begins at (or holds) folder `path` of the walk."""

    root: Path
    path: str
    listing: GitListing
    global_file: Path | None
    tracked_folders: frozenset[str] = field(repr=False)
    live_folders: frozenset[str] = field(repr=False)

    @classmethod
    def for_folder(cls, root: Path, path: str, global_file: Path | None) -> Self | None:
        """Ask git; None when it has no answer, or when it ignores the folder that was asked for by name."""
        folder = root / path if path else root
        listing = list_files(folder)
        if listing is None:
            return None
        tracked_folders = _folders_above(listing.tracked)
        live = tracked_folders | _folders_above(listing.untracked) | _folders_above(listing.nested)
        is_empty = not (listing.tracked or listing.untracked or listing.nested)
        if is_empty and run_git(folder, ["check-ignore", "-q", "."]) is not None:
            return None
        return cls(root, path, listing, global_file, frozenset(tracked_folders), frozenset(live))

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Look the path up in git's answer; what is not there is ignored or new."""
        path = path[len(self.path) + 1 :] if self.path else path
        listing = self.listing
        if not is_folder:
            known = path in listing.tracked or path in listing.untracked
            return Verdict.KEEP if known else Verdict.ASK
        if path in listing.nested:
            return Verdict.NESTED
        if path in self.tracked_folders:
            return Verdict.KEEP_ALWAYS
        if path in self.live_folders:
            return Verdict.KEEP
        return Verdict.NESTED if path in listing.tracked else Verdict.ASK

    def enter(self, path: str, names: Sequence[str]) -> Self:
        """Git has already looked everywhere."""
        return self

    def explain(self, paths: Sequence[tuple[str, bool]]) -> dict[str, str]:
        """Ask git for the rules, in one call; when it fails, read the ignore files instead."""
        cut = len(self.path) + 1 if self.path else 0
        asked = {path[cut:] + ("/" if is_folder else ""): path for path, is_folder in paths}
        rules = ignore_rules(self.root / self.path if self.path else self.root, list(asked))
        if rules is not None:
            return {asked[path]: rule for path, rule in rules.items() if path in asked}
        return self._explain_from_files(paths)

    def _explain_from_files(self, paths: Sequence[tuple[str, bool]]) -> dict[str, str]:
        start = IgnoreFiles.for_folder(self.root, self.path, self.global_file).enter(self.path, [".gitignore"])
        found = {}
        for path, is_folder in paths:
            source = start
            verdict: Verdict | str = Verdict.KEEP
            for above in _between(self.path, path):
                verdict = source.judge(above, True)
                if isinstance(verdict, str):
                    break
                source = source.enter(above, [".gitignore"])
            else:
                verdict = source.judge(path, is_folder)
            if isinstance(verdict, str):
                found[path] = verdict
        return found


def open_source(root: Path, path: str, options: DiscoveryOptions) -> IgnoreSource:
    """Choose who judges folder `path` and what lies below it: git if it answers, else the ignore files."""
    if not options.respect_gitignore:
        return NothingIgnored()
    return GitAnswers.for_folder(root, path, options.global_ignore_file) or IgnoreFiles.for_folder(
        root, path, options.global_ignore_file
    )


def is_repository(folder: Path) -> bool:
    """Tell whether `folder` itself is the top of a work tree with a usable `.git`."""
    top, repository = _repository(folder)
    return top == folder and repository is not None


def _folders_above(paths: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in paths:
        above = path.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    return folders


def _between(start: str, path: str) -> list[str]:
    """List the folders strictly between `start` and `path`, outermost first."""
    inner = path[len(start) + 1 :] if start else path
    parts = inner.split("/")[:-1]
    return ["/".join(([start] if start else []) + parts[: depth + 1]) for depth in range(len(parts))]


def _add(levels: list[_Level], file: Path, source: str, prefix: bytes, cut: int, *, follow_links: bool = False) -> None:
    patterns = read_patterns(file, source, follow_links=follow_links)
    if patterns is not None and patterns.patterns:
        levels.append(_Level(patterns, prefix, cut))


def _repository(folder: Path) -> tuple[Path, Path | None]:
    """Return the top of the work tree that holds `folder`, and its repository; (folder, None) outside one."""
    for top in (folder, *folder.parents):
        entry = top / GIT_NAME
        if entry.is_dir():
            if (entry / "HEAD").is_file():
                return top, entry
        elif entry.is_file():
            return top, _linked_repository(entry)
    return folder, None


def _linked_repository(entry: Path) -> Path | None:
    """Follow a `.git` file of a submodule or a linked worktree to the repository that has info/."""
    try:
        text = entry.read_bytes()
        if not text.startswith(b"gitdir:"):
            return None
        directory = entry.parent / os.fsdecode(text.removeprefix(b"gitdir:").strip())
        shared = directory / "commondir"
        return directory / os.fsdecode(shared.read_bytes().strip()) if shared.is_file() else directory
    except OSError:
        return None
