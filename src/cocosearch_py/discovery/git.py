"""Run git, read-only: the state of a repository and the files it knows.

Nothing here writes to a repository, reaches a network or runs a hook. A missing git, a folder outside any
repository and a git that fails or hangs all read as "no answer" (None).
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.model.redaction import strip_credentials

LIST_TIMEOUT_SECONDS = 120  # a cold listing of a million files on a slow disk; past this git hangs
QUERY_TIMEOUT_SECONDS = 30  # answers that read a few files; a hung network disk must not hold a run
_KEPT_VARIABLES = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"})
# fsmonitor would start a program the repository names; quotepath only matters if -z is ever dropped.
_SETTINGS = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false")
# Reading names runs nothing a repository could name, so a foreign owner is no danger there.
_ANY_OWNER = ("-c", "safe.directory=*")


@dataclass(frozen=True, slots=True)
class GitState:
    """Where a folder stands in its repository.

    Attributes:
        root: top folder of the work tree.
        common_dir: the repository itself, shared by all its linked worktrees.
        branch: None on a detached HEAD.
        commit: full object name; None before the first commit.
        remote_url: of `origin`, else of the first remote, without user and password; None without remotes.
        dirty: tracked files differ from HEAD or untracked ones exist; None when git would not say.
    """

    root: Path
    common_dir: Path
    branch: str | None
    commit: str | None
    remote_url: str | None
    dirty: bool | None


@dataclass(frozen=True, slots=True)
class GitListing:
    """Files that git does not ignore, relative to the folder it was asked in; '/' separated.

    Attributes:
        tracked: what the index holds, whether or not it is still on disk; a submodule is its folder.
        untracked: not in the index and not ignored.
        nested: folders with a repository of their own that is no submodule.
    """

    tracked: frozenset[str]
    untracked: frozenset[str]
    nested: frozenset[str]


def repository_state(root: Path) -> GitState | None:
    """Describe the repository that holds `root`; None without git or outside a work tree."""
    answer = run_git(root, ["rev-parse", "--show-toplevel", "--git-common-dir"])
    if answer is None:
        return None
    # A newline in the path of a repository would add lines; such a one is told by git as no repository here.
    lines = os.fsdecode(answer).removesuffix("\n").split("\n")
    if len(lines) != 2:
        return None
    status = run_git(
        root,
        ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=all"],
        trust=False,
    )
    return GitState(
        root=Path(lines[0]),
        common_dir=Path(os.path.normpath(os.path.join(os.path.realpath(root), lines[1]))),
        branch=_one_line(run_git(root, ["symbolic-ref", "--quiet", "--short", "HEAD"])),
        commit=_one_line(run_git(root, ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])),
        remote_url=_remote_url(root),
        dirty=None if status is None else bool(status),
    )


def list_files(folder: Path) -> GitListing | None:
    """Ask git for all files below `folder` that no rule ignores; None when git does not answer."""
    answer = run_git(
        folder,
        ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"],
        timeout_seconds=LIST_TIMEOUT_SECONDS,
    )
    if answer is None:
        return None
    tracked, untracked, nested = set(), set(), set()
    for entry in os.fsdecode(answer).split("\0"):
        tag, path = entry[:2], entry[2:]
        if tag != "? ":
            tracked.add(path)
        elif path.endswith("/"):
            nested.add(path[:-1])
        else:
            untracked.add(path)
    tracked.discard("")
    return GitListing(frozenset(tracked), frozenset(untracked), frozenset(nested))


def ignore_rules(folder: Path, paths: Sequence[str]) -> dict[str, str] | None:
    """Ask git which rule ignores each of `paths` (relative to `folder`; folders end with '/').

    Returns:
        path -> "file:line: pattern" for the ignored ones only; None when git does not answer.
    """
    if not paths:
        return {}
    answer = run_git(
        folder,
        ["check-ignore", "-v", "-z", "--stdin"],
        # A leading "./" keeps a name such as ":(top)x" from being read as a pathspec with magic.
        stdin=b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths),
        timeout_seconds=LIST_TIMEOUT_SECONDS,
        good_codes=(0, 1),
    )
    if answer is None:
        return None
    fields = os.fsdecode(answer).split("\0")
    top = _work_tree_top(folder)
    rules = {}
    for source, line, pattern, path in zip(*(fields[i::4] for i in range(4)), strict=False):
        if not pattern.startswith("!"):
            rules[path.removeprefix("./")] = f"{_shown_source(source, top, folder)}:{line}: {pattern}"
    return rules


def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout_seconds: float = QUERY_TIMEOUT_SECONDS,
    good_codes: tuple[int, ...] = (0,),
    trust: bool = True,
) -> bytes | None:
    """Run git in `folder`; its output, or None when it is missing, fails or takes too long.

    Args:
        trust: also read a repository that another user owns.
    """
    command = ["git", *_SETTINGS, *(_ANY_OWNER if trust else ()), *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(),
            input=stdin,
            capture_output=True,
            timeout=timeout_seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode in good_codes else None


def _environment() -> dict[str, str]:
    """Give git its caller's environment without what points it elsewhere or makes it ask, fetch or write.

    No setting of ours is read here: the variables only pass through.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()  # noqa: TID251
        if not name.startswith("GIT_") or name in _KEPT_VARIABLES
    }
    return inherited | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }


def _one_line(answer: bytes | None) -> str | None:
    return (os.fsdecode(answer).strip() or None) if answer is not None else None


def _remote_url(root: Path) -> str | None:
    names = (_one_line(run_git(root, ["remote"])) or "").split("\n")
    name = "origin" if "origin" in names else names[0]
    if not name:
        return None
    url = _one_line(run_git(root, ["config", "--get", f"remote.{name}.url"]))
    return strip_credentials(url) or None if url else None


def _work_tree_top(folder: Path) -> Path:
    """Find the folder with `.git` at or above `folder`; git names ignore files relative to it."""
    for candidate in (folder, *folder.parents):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return folder


def _shown_source(source: str, top: Path, folder: Path) -> str:
    """Name an ignore file relative to `folder` when it lies in the work tree, else in full."""
    if os.path.isabs(source):
        return source
    return os.path.relpath(top / source, folder).replace(os.sep, "/")
