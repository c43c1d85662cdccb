"""Sources of ignore rules: git itself, ignore files read by us, or none.

All paths here are relative to the root of the walk, '/' separated, without a trailing slash.
"""

import errno
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Protocol, Self

from cocosearch_py.discovery.git import GitListing, ignore_rules, list_files, run_git
from cocosearch_py.discovery.gitignore import PatternList, read_patterns
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.discovery.repository import find_repository

_MOST_CONFIG_BYTES = 1 << 20


class Verdict(Enum):
    """Verdict of a source on a file or folder that it does not ignore."""

    KEEP = "keep"
    KEEP_ALWAYS = "keep always"  # tracked, or asked for by name: built-in folder rules do not apply
    ASK = "ask"  # a file that git did not list and no rule we know ignores: only git can tell
    NESTED = "nested"  # a folder that git knows as a repository of its own


class IgnoreSource(Protocol):
    """Judges files and folders from the root downwards; a str verdict is the rule that ignores."""

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Say what to do with a file or folder whose parent folders are all kept."""

    def enter(self, path: str, names: Sequence[str]) -> "IgnoreSource":
        """Return the source for the entries `names` of folder `path`."""


class NothingIgnored:
    """Keeps everything."""

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Keep it."""
        return Verdict.KEEP

    def enter(self, path: str, names: Sequence[str]) -> Self:
        """No folder changes anything."""
        return self


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
    start_ignored: bool = False

    @classmethod
    def for_folder(cls, root: Path, path: str, global_file: Path | None) -> Self:
        """Start at folder `path` of the walk; above it, files count up to the top of its repository.

        An ignored start folder was asked for by name: then no file above it counts.
        """
        folder = root / path if path else root
        repository = find_repository(folder)
        top = folder if repository is None else repository.root
        weak: list[_Level] = []
        cut = len(os.fsencode(path)) + 1 if path else 0
        above = os.fsencode(os.path.relpath(folder, top).replace(os.sep, "/"))
        prefix = b"" if folder == top else above + b"/"
        if global_file is not None:
            _add(weak, global_file, str(global_file), prefix, cut, follow_links=True)
        if repository is not None:
            exclude = repository.common_dir / "info" / "exclude"
            shown = os.path.relpath(exclude, folder) if exclude.is_relative_to(top) else str(exclude)
            _add(weak, exclude, shown.replace(os.sep, "/"), prefix, cut, follow_links=True)
        levels = list(weak)
        parts = above.split(b"/") if prefix else []
        for position in range(len(parts)):
            inner = b"/".join(parts[position:])
            place = Path(os.fsdecode(os.path.join(os.fsencode(top), *parts[:position])))
            source = "../" * (len(parts) - position) + ".gitignore"
            _add(levels, place / ".gitignore", source, inner + b"/", cut)
        found = cls(root, tuple(levels))
        if prefix and found._ignores_start(parts):
            return cls(root, tuple(_Level(level.patterns, b"", cut) for level in weak), start_ignored=True)
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
        return replace(self, levels=(*self.levels, _Level(patterns, b"", cut)))

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
    """Answers of `git ls-files` for the repository that begins at (or holds) folder `path` of the walk.

    What git did not list is ignored or new. The ignore files, read by us, name the rule; git is asked again only for
    files that none of them ignores, which are new, or ignored by a file that its own configuration names.
    """

    root: Path
    path: str
    listing: GitListing
    tracked_folders: frozenset[str] = field(repr=False)
    live_folders: frozenset[str] = field(repr=False)
    files: IgnoreFiles
    ignored_above: str | None = None  # the rule that ignores a folder above, which holds tracked files all the same

    @classmethod
    def for_folder(cls, root: Path, path: str, global_file: Path | None) -> Self | None:
        """Ask git; None when it has no answer, or when it ignores the folder that was asked for by name."""
        folder = root / path if path else root
        listing = list_files(folder)
        if listing is None:
            return None
        tracked_folders = _folders_above(listing.tracked)
        live = tracked_folders | _folders_above(listing.untracked) | _folders_above(listing.nested)
        files = IgnoreFiles.for_folder(root, path, global_file)
        is_empty = not (listing.tracked or listing.untracked or listing.nested)
        if is_empty and (files.start_ignored or run_git(folder, ["check-ignore", "-q", "."]) is not None):
            return None
        return cls(root, path, listing, frozenset(tracked_folders), frozenset(live), files)

    def judge(self, path: str, is_folder: bool) -> Verdict | str:
        """Look the path up in git's answer, then in the ignore files."""
        inner, listing = self._inside(path), self.listing
        if not is_folder:
            known = inner in listing.tracked or inner in listing.untracked
            return Verdict.KEEP if known else self._rule(path, is_folder) or Verdict.ASK
        if inner in listing.nested:
            return Verdict.NESTED
        if inner in self.tracked_folders:
            return Verdict.KEEP_ALWAYS
        if inner in self.live_folders:
            return Verdict.KEEP
        kept = Verdict.NESTED if inner in listing.tracked else Verdict.KEEP
        if kept is Verdict.NESTED and is_repository(self.root / path):
            return kept
        return self._rule(path, is_folder) or kept  # a folder in place of a tracked file is as ignored as others

    def enter(self, path: str, names: Sequence[str]) -> IgnoreSource:
        """Add the folder's own .gitignore to the rules; git has already looked everywhere."""
        inner = self._inside(path)
        if inner in self.listing.nested or inner in self.listing.tracked:
            return self.files.enter(path, names)  # of another repository, which is not there
        ignored_above = self._rule(path, True) if inner else None
        files = self.files if ignored_above else self.files.enter(path, names)
        if files is self.files and ignored_above == self.ignored_above:
            return self
        return replace(self, files=files, ignored_above=ignored_above)

    def explain(self, paths: Sequence[str]) -> dict[str, str]:
        """Ask git in one call which rule ignores each of these files; not ignored ones are left out."""
        asked = {self._inside(path): path for path in paths}
        rules = ignore_rules(self.root / self.path if self.path else self.root, list(asked))
        return {asked[path]: rule for path, rule in rules.items() if path in asked}

    def _inside(self, path: str) -> str:
        return path[len(self.path) + 1 :] if self.path else path

    def _rule(self, path: str, is_folder: bool) -> str | None:
        if self.ignored_above:
            return self.ignored_above
        verdict = self.files.judge(path, is_folder)
        return verdict if isinstance(verdict, str) else None


def open_source(root: Path, path: str, options: DiscoveryOptions, *, asks_git: bool = True) -> IgnoreSource:
    """Choose who judges folder `path` and what lies below it: git if it answers, else the ignore files.

    Args:
        asks_git: False starts no git, unless its configuration may name ignore files that only git reads. Then a
            tracked file counts as ignored if an ignore file matches.
    """
    if not options.respect_gitignore:
        return NothingIgnored()
    answers = None
    if asks_git or names_ignore_files(root / path):
        answers = GitAnswers.for_folder(root, path, options.global_ignore_file)
    return answers or IgnoreFiles.for_folder(root, path, options.global_ignore_file)


def names_ignore_files(folder: Path) -> bool:
    """Report whether the configuration of a folder's repository may name further ignore files, which only git reads."""
    repository = find_repository(folder)
    if repository is None:
        return False
    for config in (repository.common_dir / "config", repository.git_dir / "config.worktree"):
        try:
            text = read_regular(config, _MOST_CONFIG_BYTES).lower()
        except OSError as error:
            if error.errno == errno.EFBIG:
                return True
            continue
        if b"excludesfile" in text or b"include" in text:
            return True
    return False


def is_repository(folder: Path) -> bool:
    """Tell whether `folder` itself is the top of a work tree with a usable `.git`."""
    found = find_repository(folder)
    return found is not None and found.root == folder


def _folders_above(paths: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in paths:
        above = path.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    return folders


def _add(levels: list[_Level], file: Path, source: str, prefix: bytes, cut: int, *, follow_links: bool = False) -> None:
    patterns = read_patterns(file, source, follow_links=follow_links)
    if patterns is not None and patterns.patterns:
        levels.append(_Level(patterns, prefix, cut))
