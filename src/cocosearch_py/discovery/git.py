"""Facts that git knows of a folder: its repository, its files, the ignored ones. Runs git only where needed.

All of git starts here. It never writes to a repository, reaches a network or starts another program. A missing git, a
folder outside any repository and a git that fails or hangs all read as "no answer" (None).
"""

import errno
import math
import os
import select
import shutil
import subprocess  # noqa: TID251
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.discovery.repository import Head, find_repository, read_head, work_tree_top, would_hang

LIST_TIMEOUT_SECONDS = 120  # a cold listing of a million files on a slow disk; past this git hangs
HISTORY_TIMEOUT_SECONDS = 10  # of a large repository 2,000 commits take one
MOST_COMMITS = 2_000  # of which files are counted; older ones speak of code that has moved on
QUERY_TIMEOUT_SECONDS = 30  # answers that read a few files; a hung network disk must not hold a run
# Seconds between two looks at a git that has not answered yet.
_LOOK_SECONDS = 2
# Seconds in which no git is started in a work tree in which one got stuck.
_STUCK_SECONDS = 60
_KEPT_VARIABLES = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"})
# A repository's settings are anybody's, and some name programs. None of these programs is ever started:
# - The settings below turn off signatures, hooks and the file system monitor.
# - `--no-pager` keeps out core.pager and pager.*. No editor, browser or askpass is needed.
# - GIT_ALLOW_PROTOCOL refuses every transport, the first step of anything remote. Therefore core.sshCommand,
#   core.gitProxy, credential.*, remote.*.vcs, remote.*.uploadpack, uploadpack.packObjectsHook and
#   core.alternateRefsCommand are not used, not even when a partial clone lacks an object.
# - filter.*, diff.*.command, diff.*.textconv and diff.external see the contents of files. Our commands compare object
#   names, and read blobs as they are stored. No command checks out, stages or shows a patch.
# - merge.*.driver belongs to `git merge`; `git merge-file` has none. trailer.*.command belongs to
#   `git interpret-trailers`, and submodule.*.update to `git submodule`.
# - alias.* never replaces a command of git's own, and all of ours are.
# - include.path and extensions.* bring in further settings, and the command line outranks them all.
# `tests/cli/test_hostile_git.py` runs all commands in a repository that sets all of these.
_SETTINGS = {
    "core.quotepath": "off",  # in case -z is ever left out
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "log.showSignature": "false",
    **dict.fromkeys(
        ("gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"), ""
    ),
    # Files that a setting names and that no answer needs; each may be a pipe.
    "core.attributesFile": os.devnull,
    "diff.orderFile": os.devnull,
    "log.mailmap": "false",
    # `_Watch` sees the main thread alone, which would wait for the others.
    "index.threads": "false",
    # Since nothing above can start a program, a repository of another user is no danger.
    "safe.directory": "*",
}
_OPTIONS = ("--no-pager", *(part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")))
# Work tree -> when a git got stuck in it, by time.monotonic().
_stuck: dict[Path, float] = {}


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
    shape = ["--no-merges", "--no-renames", "--format=", "--name-only", "-z", "--relative"]
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
    try:
        git = _start(folder, arguments, stores)
    except OSError:
        return None
    with git:
        try:
            output = _output(git, folder, stdin, timeout_seconds)
        finally:
            git.kill()  # does nothing to one that has ended
    return output if git.returncode in good_codes else None


def open_git(folder: Path, arguments: Sequence[str], stores: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
    """Start a git in `folder` that answers through its pipes what is asked through them; raises OSError.

    Ctrl-C in a terminal does not reach it: its caller decides.
    """
    return _start(folder, arguments, stores, start_new_session=True)


def begins_answer(git: "subprocess.Popen[bytes]", folder: Path) -> bool:
    """Wait until a git that `open_git` started in `folder` begins its answer, or ends; False if it gets stuck."""
    if git.stdout is None or not hasattr(select, "poll"):  # Windows, which has no named pipes among its files
        return True
    poll, watch = select.poll(), _Watch(git.pid)
    poll.register(git.stdout, select.POLLIN)
    while not poll.poll(_LOOK_SECONDS * 1000):
        if watch.is_stuck():
            _stuck[_work_tree(folder)] = time.monotonic()
            return False
    return True


def git_program() -> str | None:
    """Full path of git; None when there is none.

    Folders in PATH that are relative are left out: git starts in a project's folder, which may have a git of its own.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)  # noqa: TID251
    found = shutil.which("git", path=os.pathsep.join(filter(os.path.isabs, folders)))
    return found if found and os.path.isabs(found) else None


class _Watch:
    """Notices that a process waits for what never comes, such as the other end of a named pipe.

    A time limit alone does not tell it from one that reads a slow disk.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._earlier: object = None

    def is_stuck(self) -> bool:
        """Report whether the process has slept without interruption since the previous call."""
        import psutil

        try:
            process = psutil.Process(self._pid)
            is_asleep = process.status() == psutil.STATUS_SLEEPING
            now = (process.num_ctx_switches(), process.cpu_times()) if is_asleep else None
        except (psutil.Error, NotImplementedError):
            return False
        earlier, self._earlier = self._earlier, now
        return now is not None and now == earlier


def _start(
    folder: Path, arguments: Sequence[str], stores: Sequence[str], *, start_new_session: bool = False
) -> "subprocess.Popen[bytes]":
    """Start git with its settings and environment made safe; the one place that does. Raises OSError."""
    program = git_program()
    if program is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "git")
    if would_hang(folder) or time.monotonic() - _stuck.get(_work_tree(folder), -math.inf) < _STUCK_SECONDS:
        raise OSError(errno.EIO, "the repository has a pipe where a file should be")
    return subprocess.Popen(
        [program, *_OPTIONS, *arguments],
        cwd=folder,
        env=_environment(stores),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=start_new_session,
    )


def _output(git: "subprocess.Popen[bytes]", folder: Path, stdin: bytes, timeout_seconds: float) -> bytes | None:
    """Give git its input and return its output; None when it gets stuck or takes too long."""
    deadline, watch = time.monotonic() + timeout_seconds, _Watch(git.pid)
    given: bytes | None = stdin
    while True:
        try:
            return git.communicate(given, timeout=min(_LOOK_SECONDS, timeout_seconds))[0]
        except subprocess.TimeoutExpired:
            given = None  # it has it already
        if watch.is_stuck():
            _stuck[_work_tree(folder)] = time.monotonic()
            return None
        if time.monotonic() >= deadline:
            return None


def _work_tree(folder: Path) -> Path:
    return work_tree_top(folder) or folder


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
