"""What is said of a repository, and that asking changes nothing."""

import os
import subprocess
from pathlib import Path

import pytest

from cocosearch_py.discovery.git import repository_state, strip_credentials


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}.items():
        monkeypatch.setenv(name, value)


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "root"
    root.mkdir()
    git(root, "init", "-q", "-b", "trunk/one")
    return root


def test_a_repository_from_its_first_day_on(repository: Path) -> None:
    state = repository_state(repository)
    assert state is not None
    assert (state.root, state.common_dir) == (repository, repository / ".git")
    assert (state.branch, state.commit, state.remote_url, state.dirty) == ("trunk/one", None, None, False)
    (repository / "a.py").write_text("x")
    git(repository, "remote", "add", "origin", "https://me:token@example.org:8443/a/b.git")
    dirty = repository_state(repository)
    assert dirty is not None
    assert (dirty.dirty, dirty.remote_url) == (True, "https://example.org:8443/a/b.git")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "x")
    clean = repository_state(repository)
    assert clean is not None
    assert (clean.commit, clean.dirty) == (git(repository, "rev-parse", "HEAD"), False)


def test_a_linked_worktree_shares_its_repository(repository: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    tree = repository.parent / "tree"
    git(repository, "worktree", "add", "-q", "--detach", str(tree))
    (tree / "sub").mkdir()
    state = repository_state(tree / "sub")
    assert state is not None
    assert (state.root, state.common_dir, state.branch) == (tree, repository / ".git", None)


def test_no_repository_and_no_git(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repository_state(tmp_path) is None
    assert repository_state(tmp_path / "missing") is None
    monkeypatch.setenv("PATH", "/nonexistent")
    assert repository_state(repository) is None


def test_asking_runs_no_program_of_the_repository_and_writes_nothing(repository: Path) -> None:
    witness = repository.parent / "witness"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch '{witness}'\n")
    program.chmod(0o755)
    (repository / "a.py").write_text("x")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "x")
    git(repository, "config", "core.fsmonitor", str(program))
    git(repository, "config", "core.hooksPath", str(repository.parent / "hooks"))
    (repository.parent / "hooks").mkdir()
    os.link(program, repository.parent / "hooks" / "post-index-change")
    os.utime(repository / "a.py", (1, 1))  # a stale index entry, which git would like to refresh
    before = (repository / ".git" / "index").read_bytes()
    state = repository_state(repository)
    assert state is not None
    assert state.dirty is False
    assert (repository / ".git" / "index").read_bytes() == before
    assert not witness.exists()


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://user:secret@example.org/a.git", "https://example.org/a.git"),
        ("https://token@example.org/a.git?key=1#x", "https://example.org/a.git"),
        ("ssh://git@[::1]:22/a.git", "ssh://[::1]:22/a.git"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("/srv/a.git", "/srv/a.git"),
        ("https://u:p@host:notaport/a", ""),
    ],
)
def test_credentials_are_dropped(url: str, clean: str) -> None:
    assert strip_credentials(url) == clean
