"""What is said of a repository, and that asking changes nothing."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.discovery import git as git_module
from cocosearch_py.discovery.blobs import BlobReader
from cocosearch_py.discovery.git import count_changes, list_files, names_at, repository_state, run_git
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import discover
from cocosearch_py.model.files import SkippedFile

pytestmark = pytest.mark.usefixtures("no_hang")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")


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


def state_of(folder: Path) -> tuple[Path, str | None, str | None]:
    state = repository_state(folder)
    assert state is not None
    return state.root, state.branch, state.commit


def test_a_repository_from_its_first_day_on(repository: Path) -> None:
    assert state_of(repository) == (repository, "trunk/one", None)
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    (repository / "sub").mkdir()
    assert state_of(repository / "sub") == (repository, "trunk/one", git(repository, "rev-parse", "HEAD"))


@needs_pipes
@pytest.mark.parametrize(
    "name",
    ["HEAD", "config", "index", "info/exclude", "packed-refs", "shallow", "commondir", "objects/info/alternates"],
)
def test_no_git_starts_that_would_wait_for_a_pipe(
    repository: Path, name: str, git_runs: Callable[[], list[str]]
) -> None:
    (repository / "sub").mkdir()
    (repository / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / name)
    assert list_files(repository / "sub") is None
    assert git_runs() == []


@needs_pipes
@pytest.mark.parametrize("place", ["sub/.gitignore", "core.excludesFile", "include.path"])
def test_a_git_that_waits_for_a_pipe_is_ended_and_none_follows(
    repository: Path, place: str, git_runs: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "_LOOK_SECONDS", 0.5)
    (repository / "sub").mkdir()
    (repository / "sub" / "a.py").write_text("x")
    pipe = repository / place
    os.mkfifo(pipe)
    if pipe.parent == repository:
        git(repository, "config", place, str(pipe))
    git_runs()
    assert list_files(repository) is None
    assert list_files(repository / "sub") is None
    assert len(git_runs()) == 1


@needs_pipes
@pytest.mark.parametrize("name", ["diff.orderFile", "core.attributesFile", "mailmap.file", ".mailmap"])
def test_a_pipe_that_no_answer_needs_is_not_opened(repository: Path, name: str) -> None:
    (repository / "a.py").write_text("x")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    os.mkfifo(repository / name)
    if not name.startswith("."):
        git(repository, "config", name, str(repository / name))
    assert count_changes(repository) == {"a.py": 1}


@needs_pipes
def test_a_pipe_in_place_of_an_object_is_an_error(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_module, "_LOOK_SECONDS", 0.5)
    (repository / "a.py").write_text("x")
    git(repository, "add", ".")
    name = git(repository, "rev-parse", ":a.py")
    file = repository / ".git" / "objects" / name[:2] / name[2:]
    file.unlink()
    os.mkfifo(file)
    with BlobReader(str(repository), 100) as reader:
        for _ in range(2):
            with pytest.raises(OSError):
                reader.read(name)


def test_a_git_that_takes_its_time_is_waited_for(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that computes, or sleeps and wakes up again as over a slow network, is not stuck."""
    monkeypatch.setattr(git_module, "_LOOK_SECONDS", 0.3)
    (tmp_path / "slow").mkdir()
    program = tmp_path / "slow" / "git"
    program.write_text(f"#!{sys.executable}\nimport time\nfor _ in range(150):\n    time.sleep(0.01)\nprint('here')\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert run_git(repository, ["status"]) == b"here\n"


def test_names_in_a_revision_are_of_regular_files(repository: Path) -> None:
    (repository / "sub").mkdir()
    for name in ("one\ttwo", "run", "sub/inner"):
        (repository / name).write_text("x")
    (repository / "run").chmod(0o755)
    (repository / "link").symlink_to("run")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    assert names_at(repository, "HEAD") == ["one\ttwo", "run"]
    assert names_at(repository / "sub", "HEAD") == ["inner"]
    assert names_at(repository, "gone") == []


@pytest.mark.parametrize(
    "change",
    [
        ["pack-refs", "--all"],
        ["checkout", "-q", "--detach"],
        ["checkout", "-q", "-b", "ä/b.c"],
        ["tag", "-a", "-m", "x", "trunk/one"],  # a tag of the branch's name
        ["symbolic-ref", "refs/heads/alias", "refs/heads/trunk/one"],
    ],
    ids=lambda change: change[0],
)
def test_what_git_itself_says_is_read_without_it(
    repository: Path, change: list[str], git_runs: Callable[[], list[str]]
) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    git(repository, *change)
    if change[0] == "symbolic-ref":
        git(repository, "checkout", "-q", "alias")
    branch = git(repository, "branch", "--show-current") or None
    commit = git(repository, "rev-parse", "HEAD")
    git_runs()
    assert state_of(repository) == (repository, branch, commit)
    assert git_runs() == []


def test_a_linked_worktree_shares_its_repository(repository: Path, git_runs: Callable[[], list[str]]) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    tree = repository.parent / "tree"
    git(repository, "worktree", "add", "-q", "-b", "other", str(tree))
    (tree / "sub").mkdir()
    git(repository, "pack-refs", "--all")
    git_runs()
    state = repository_state(tree / "sub")
    assert state is not None
    assert (state.root, state.common_dir, state.branch) == (tree, repository / ".git", "other")
    assert git_runs() == []
    assert state.commit == git(tree, "rev-parse", "HEAD")


def test_where_the_files_do_not_tell_git_is_asked_once(repository: Path, git_runs: Callable[[], list[str]]) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "update-ref", "refs/stash-of-mine/a", commit)
    git(repository, "symbolic-ref", "HEAD", "refs/stash-of-mine/a")
    git_runs()
    assert state_of(repository) == (repository, "stash-of-mine/a", commit)
    assert len(git_runs()) == 1


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/.invalid", "ref: ../../../secret", "ref: refs/heads/../../../../secret", "0" * 39]
)
def test_a_head_that_leads_astray_is_not_followed(repository: Path, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.parent / "secret").write_text("a" * 40)
    (repository / ".git" / "HEAD").write_text(head)
    monkeypatch.setenv("PATH", "/nonexistent")
    assert repository_state(repository) is None


def test_files_of_a_repository_that_are_none(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a pipe nor an endless file holds anybody up."""
    monkeypatch.setenv("PATH", "/nonexistent")
    branch = repository / ".git" / "refs" / "heads" / "trunk"
    branch.mkdir()
    os.mkfifo(branch / "one")
    assert state_of(repository) == (repository, "trunk/one", None)
    (repository / ".git" / "HEAD").unlink()
    (repository / ".git" / "HEAD").symlink_to("/dev/zero")
    assert repository_state(repository) is None


def test_no_repository_and_no_git(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repository_state(tmp_path) is None
    assert repository_state(tmp_path / "missing") is None
    (tmp_path / ".git").write_text("gitdir: nowhere")
    assert repository_state(tmp_path) is None
    monkeypatch.setenv("PATH", "/nonexistent")
    assert state_of(repository) == (repository, "trunk/one", None)


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
    listing = list_files(repository)
    assert listing is not None
    assert listing.tracked == {"a.py"}
    assert (repository / ".git" / "index").read_bytes() == before
    assert not witness.exists()


def test_a_git_in_the_folder_itself_is_not_started(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git starts in the project's folder, where a relative folder in PATH means one of the project."""
    witness = repository.parent / "witness"
    (repository / "git").write_text(f"#!/bin/sh\ntouch '{witness}'\n")
    (repository / "git").chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    listing = list_files(repository)
    assert listing is not None
    assert listing.untracked == {"git"}
    assert not witness.exists()


@pytest.mark.parametrize("rules", ["", "*.pyc\nbuild/\n"])
def test_a_walk_runs_git_once(repository: Path, rules: str, git_runs: Callable[[], list[str]]) -> None:
    """Ignored files, folders with tracked files in them, and folders of which nothing is left are all known."""
    for name in ("a.py", "build/kept.py", "build/other.o", "left/over/a.pyc", "src/a.pyc", "src/.gitignore"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("x")
    (repository / ".gitignore").write_text(rules)
    git(repository, "add", "-f", "a.py", "build/kept.py")
    git_runs()
    entries = list(discover(repository, DiscoveryOptions()))
    assert [command.split("safe.directory=* ")[1].split()[0] for command in git_runs()] == ["ls-files"]
    ignored = {entry.path: entry.rule for entry in entries if isinstance(entry, SkippedFile)}
    wanted = {"build/other.o": "2: build/", "left/over/a.pyc": "1: *.pyc", "src/a.pyc": "1: *.pyc"} if rules else {}
    assert ignored == {path: f".gitignore:{rule}" for path, rule in wanted.items()}


def test_rules_that_only_git_knows_are_asked_for_in_one_call(
    repository: Path, git_runs: Callable[[], list[str]]
) -> None:
    (repository.parent / "mine").write_text("*.bak\n")
    git(repository, "config", "core.excludesFile", str(repository.parent / "mine"))
    for name in ("a.py", "a.bak", "empty/deep/b.bak"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("x")
    git_runs()
    entries = {entry.path: entry for entry in discover(repository, DiscoveryOptions())}
    assert len(git_runs()) == 2
    assert {path for path, entry in entries.items() if isinstance(entry, SkippedFile)} == {"a.bak", "empty/deep/b.bak"}
    assert entries["a.bak"].rule == f"{repository.parent / 'mine'}:1: *.bak"  # type: ignore[union-attr]
