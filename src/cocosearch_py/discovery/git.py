"""What git says of a folder: where it stands, the files it knows, what it ignores. Runs git only where it must.

Nothing here writes to a repository, reaches a network or runs a hook. A missing git, a folder outside any
repository and a git that fails or hangs all read as "no answer" (None).
"""

import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.discovery.repository import Head, find_repository, read_head, work_tree_top, would_hang

LIST_TIMEOUT_SECONDS = 120  # a cold listing of a million files on a slow disk; past this git hangs
HISTORY_TIMEOUT_SECONDS = 10  # of a large repository 2,000 commits take one
MOST_COMMITS = 2_000  # of which files are counted; older ones speak of code that has moved on
QUERY_TIMEOUT_SECONDS = 30  # answers that read a few files; a hung network disk must not hold a run
_KEPT_VARIABLES = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"})
# fsmonitor would start a program the repository names; quotepath only matters if -z is ever dropped.
# Reading names runs nothing a repository could name, so a foreign owner is no danger.
_SETTINGS = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "safe.directory=*")


@dataclass(frozen=True, slots=True)
class GitState:
    """Where a folder stands in its repository.

    Attributes:
        root: top folder of the work tree.
        common_dir: the repository itself, shared by all its linked worktrees.
        branch: None on a detached HEAD.
        commit: full object name; None before the first commit.
    """

    root: Path
    common_dir: Path
    branch: str | None
    commit: str | None


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
    """Describe the repository whose work tree holds `root`; None outside one.

    Its files are read; git itself is asked, once, only where they do not tell.
    """
    found = find_repository(Path(os.path.realpath(root)))
    head = None if found is None else read_head(found) or _asked_head(found.root)
    if found is None or head is None:
        return None
    return GitState(found.root, found.common_dir, head.branch, head.commit)


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


def ignore_rules(folder: Path, paths: Sequence[str]) -> dict[str, str]:
    """Ask git which rule ignores each of the files `paths`, relative to `folder`.

    Returns:
        path -> "file:line: pattern" for the ignored ones only; nothing when git does not answer.
    """
    answer = run_git(
        folder,
        ["check-ignore", "-v", "-z", "--stdin"],
        # A leading "./" keeps a name such as ":(top)x" from being read as a pathspec with magic.
        stdin=b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths),
        timeout_seconds=LIST_TIMEOUT_SECONDS,
        good_codes=(0, 1),
    )
    fields = os.fsdecode(answer or b"").split("\0")
    top = work_tree_top(folder) or folder
    rules = {}
    for source, line, pattern, path in zip(*(fields[i::4] for i in range(4)), strict=False):
        if not pattern.startswith("!"):
            rules[path.removeprefix("./")] = f"{_shown_source(source, top, folder)}:{line}: {pattern}"
    return rules


def blob_at(folder: Path, rev: str, path: str, max_bytes: int) -> bytes | None:
    """Content of the file `path`, relative to `folder`, in a revision, without filters; nothing is checked out.

    None when there is none, it is larger than `max_bytes`, or git does not answer.
    """
    name = f"{rev}:./{path}"
    size = run_git(folder, ["cat-file", "-s", name])
    if size is None or int(size) > max_bytes:
        return None
    return run_git(folder, ["cat-file", "blob", name])


def names_at(folder: Path, rev: str) -> list[str]:
    """Names of the regular files directly in `folder` in a revision; none where git does not answer."""
    listed = run_git(folder, ["ls-tree", "-z", "--full-tree", f"{rev}:./"])
    lines = [line.partition(b"\t") for line in (listed or b"").split(b"\0")]  # mode, type and hash, a tab, the name
    return [os.fsdecode(name) for kind, _, name in lines if kind.startswith(b"100")]


def count_changes(folder: Path, commit: str | None = None) -> dict[str, int] | None:
    """How many of the latest MOST_COMMITS commits, merges aside, changed each file below `folder`.

    Args:
        commit: full name of the last one that counts; None: that of the work tree.

    Returns:
        path relative to the folder -> commits; files that none changed are left out. None when git does not answer.
    """
    shape = ["--no-merges", "--no-renames", "--no-show-signature", "--format=", "--name-only", "-z", "--relative"]
    asked = ["log", "-n", str(MOST_COMMITS), *shape, *([commit] if commit else []), "--"]
    log = run_git(folder, asked, timeout_seconds=HISTORY_TIMEOUT_SECONDS)
    return None if log is None else dict(Counter(filter(None, map(str.strip, os.fsdecode(log).split("\0")))))


def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout_seconds: float = QUERY_TIMEOUT_SECONDS,
    good_codes: tuple[int, ...] = (0,),
    stores: Sequence[str] = (),
) -> bytes | None:
    """Run git in `folder`; its output, or None when it is missing, fails or takes too long.

    `stores` are folders of objects that count besides the repository's own.
    """
    if would_hang(folder):
        return None
    try:
        done = subprocess.run(
            ["git", *_SETTINGS, *arguments],
            cwd=folder,
            env=_environment(stores),
            input=stdin,
            capture_output=True,
            timeout=timeout_seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode in good_codes else None


def open_git(folder: Path, arguments: Sequence[str], stores: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
    """Start a git in `folder` that answers through its pipes what is asked through them; raises OSError.

    Ctrl-C in a terminal does not reach it: its caller decides.
    """
    return subprocess.Popen(
        ["git", *_SETTINGS, *arguments],
        cwd=folder,
        env=_environment(stores),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _environment(stores: Sequence[str] = ()) -> dict[str, str]:
    """Give git its caller's environment without what points it elsewhere or makes it ask, fetch or write.

    No setting of ours is read here: the variables only pass through.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()  # noqa: TID251
        if not name.startswith("GIT_") or name in _KEPT_VARIABLES
    }
    beside = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(map(_quoted, stores))} if stores else {}
    return (
        inherited
        | beside
        | {
            "LC_ALL": "C",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
        }
    )


def _quoted(path: str) -> str:
    """A path in a list of them, as git reads it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _asked_head(root: Path) -> Head | None:
    answer = run_git(root, ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"])
    if answer is None:
        return None
    commit, _, name = os.fsdecode(answer).strip().partition("\n")
    return Head(None if name == "HEAD" else name.removeprefix("refs/").removeprefix("heads/"), commit)


def _shown_source(source: str, top: Path, folder: Path) -> str:
    """Name an ignore file relative to `folder` when it lies in the work tree, else in full."""
    if os.path.isabs(source):
        return source
    return os.path.relpath(top / source, folder).replace(os.sep, "/")
