"""Follows a folder: a run at the beginning, after each burst of changes that concern its index, and for new settings.

The system tells of changes. Where it cannot, or not of so many folders, they are looked at every two seconds.
"""

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from cocosearch_py.discovery.repository import find_repository
from cocosearch_py.discovery.walk import WalkedFolders, walk_folders
from cocosearch_py.errors import BusyError, ConfigurationError, ServiceError
from cocosearch_py.indexing.options import IndexingOptions

_MOST_MS = 5_000  # a program that writes all the time is followed all the same
_LOOK_MS = 500  # how often it is seen that the watch is to end
_POLL_MS = 2_000
_PAUSE_S, _MOST_PAUSE_S = 1.0, 30.0  # before a run is tried again
_STEP_S = 0.1
_NO_WATCHES = (errno.ENOSPC, errno.EMFILE, errno.ENOSYS)


class Stop(Protocol):
    """When to end; a `threading.Event` is one."""

    def is_set(self) -> bool: ...


def follow(
    root: Path,
    read_options: Callable[[], IndexingOptions],
    run: Callable[[], object],
    stop: Stop,
    tell: Callable[[str], None],
    *,
    debounce_ms: int,
) -> None:
    """Call `run` now and after each burst of changes, until stopped.

    A run that somebody else's run is in the way of, or whose database or endpoint is away, is tried again.

    Args:
        read_options: how a run indexes the folder under the settings as they are now, asked before each run and every
            half second; changes of files that these leave out are no reason for a run. Settings that cannot be read
            leave it at those before.
        tell: gets a sentence when something holds up the runs.
        debounce_ms: how long nothing must have changed before a run.
    Raises:
        WorkspaceError: the folder is not there.
        CocosearchError: that of a run that would fail again.
    """
    polls, options, problem = False, read_options(), ""

    def changed_options() -> IndexingOptions | None:
        nonlocal problem
        try:
            now = read_options()
        except ConfigurationError as error:  # as while somebody writes them
            if error.message != problem:
                tell(f"{error.message}; continuing with the previous settings")
            problem = error.message
            return None
        problem = ""
        return now if now != options else None

    while not stop.is_set():
        options = changed_options() or options
        walked = walk_folders(root, options.discovery)
        heads = _heads(root)
        try:
            for changed in _bursts(walked, heads, changed_options, stop, debounce_ms=debounce_ms, polls=polls):
                run_patiently(run, stop, tell)
                if _is_restart(changed, walked, heads):
                    break
        except FileNotFoundError:  # a folder went while it was added
            continue
        except OSError as error:
            if polls or error.errno not in _NO_WATCHES:
                raise
            polls = True
            tell(
                f"the system cannot watch {len(walked.paths):,} folders ({error}): checking the files every "
                f"{_POLL_MS // 1000} s instead; raise fs.inotify.max_user_watches to avoid this"
            )


def _bursts(
    walked: WalkedFolders,
    heads: frozenset[str],
    changed_options: Callable[[], object],
    stop: Stop,
    *,
    debounce_ms: int,
    polls: bool,
) -> Iterator[frozenset[str]]:
    """Nothing once the watch has begun, then the paths of each burst of changes that concern the index.

    Ends when another folder, or none, is in the place of the root, or the options have changed.
    """
    from watchfiles import watch

    # Where each folder takes a watch of its own, those that are left out have none. Elsewhere one watch has all.
    several = sys.platform == "linux"
    places = sorted({*walked.paths, *map(os.path.dirname, heads)}) if several else [walked.root, *heads]
    begun, folder = False, _identity(walked.root)
    for found in watch(
        *places,
        watch_filter=lambda _, path: path in heads or walked.concerns(path),
        debounce=_MOST_MS,
        step=debounce_ms,
        stop_event=stop,
        rust_timeout=_LOOK_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
        force_polling=True if polls else None,
        poll_delay_ms=_POLL_MS,
        recursive=not several,
        ignore_permission_denied=True,
    ):
        if _identity(walked.root) != folder or changed_options():
            return
        if found or not begun:
            begun = True
            yield frozenset(path for _, path in found)


def _identity(folder: str) -> tuple[int, int] | None:
    with suppress(OSError):
        status = os.stat(folder)
        return status.st_dev, status.st_ino
    return None


def _heads(root: Path) -> frozenset[str]:
    """Files that change when another branch or commit is checked out."""
    repository = find_repository(root)
    names = () if repository is None else (repository.git_dir / "HEAD", repository.git_dir / "logs" / "HEAD")
    return frozenset(str(name) for name in names if name.is_file())


def _is_restart(changed: frozenset[str], walked: WalkedFolders, heads: frozenset[str]) -> bool:
    """Whether other folders may have to be watched, or other rules hold."""
    return any(
        path in heads or path in walked.paths or path.endswith(".gitignore") or Path(path).is_dir() for path in changed
    )


def run_patiently(run: Callable[[], object], stop: Stop, tell: Callable[[str], None]) -> None:
    """Call `run` until nobody is in its way, and its database and endpoint are there; or until stopped."""
    pause_s = _PAUSE_S
    while not stop.is_set():
        try:
            run()
            return
        except (BusyError, ServiceError) as error:
            if pause_s == _PAUSE_S:
                tell(f"{error.message}; retrying until it works")
        until = time.monotonic() + pause_s
        while time.monotonic() < until and not stop.is_set():
            time.sleep(_STEP_S)
        pause_s = min(2 * pause_s, _MOST_PAUSE_S)
