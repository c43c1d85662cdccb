"""The commits of a folder, read from git."""

import os
from pathlib import Path

from cocosearch_py.discovery.git import run_git
from cocosearch_py.features.evaluate.cases import LOG_FORMAT, Commit, read_commits

MOST_COMMITS = 4_000  # newest first; older ones speak of code that has moved on
_TIMEOUT_S = 60.0


def read_history(folder: Path) -> list[Commit]:
    """Commits that touch the folder, newest first, with paths relative to it; none outside git."""
    prefix = run_git(folder, ["rev-parse", "--show-prefix"])
    if prefix is None:
        return []
    command = ["log", "--no-merges", "-n", str(MOST_COMMITS), "--name-only", f"--format={LOG_FORMAT}", "--", "."]
    log = run_git(folder, command, timeout_seconds=_TIMEOUT_S)
    return read_commits(os.fsdecode(log), os.fsdecode(prefix).strip()) if log else []
