"""The walk over real folders, with git and without."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import discover
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.files import DiscoveredFile, FailedFile, SkippedFile, SkipReason

IS_ROOT_USER = hasattr(os, "geteuid") and os.geteuid() == 0
Entry = DiscoveredFile | SkippedFile | FailedFile


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own git configuration out."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture(params=["git", "no git"])
def maybe_git(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what a test calls once its repository stands: from then on git may be gone."""

    def take_git_away() -> None:
        if request.param == "no git":
            monkeypatch.setenv("PATH", "/nonexistent")

    return take_git_away


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, files: dict[str, str]) -> Path:
    write(folder, files)
    git(folder, "init", "-q", "-b", "main")
    return folder


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def walk(root: Path, **options: object) -> list[Entry]:
    return list(discover(root, DiscoveryOptions(**options)))  # type: ignore[arg-type]


def kept(root: Path, **options: object) -> list[str]:
    return [entry.path for entry in walk(root, **options) if isinstance(entry, DiscoveredFile)]


def skipped(root: Path, **options: object) -> dict[str, SkippedFile]:
    return {entry.path: entry for entry in walk(root, **options) if isinstance(entry, SkippedFile)}


def count_on_disk(root: Path) -> int:
    """Count files, links and special files outside version control folders, by other means than the walk."""
    total = 0
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = [name for name in folders if name not in {".git", ".hg", ".svn"} and name not in links]
        total += len([name for name in files if name != ".git"]) + len(links)
    return total


def count_in_ledger(entries: list[Entry]) -> int:
    return sum(entry.file_count if isinstance(entry, SkippedFile) else 1 for entry in entries)


def test_the_ledger_sums_to_the_disk(tmp_path: Path, maybe_git: Callable[[], None]) -> None:
    files = {
        ".gitignore": "*.log\nout/\n/only/*.tmp\n",
        "src/a.py": "a",
        "src/a.log": "a",
        "out/x/1": "1",
        "out/2": "2",
        "only/1.tmp": "1",
        "only/deep/out/3": "3",
        "web/node_modules/p/index.js": "x",
        ".env": "SECRET=1",
        ".hg/store": "x",
        "big.txt": "x" * 5000,
        "docs/guide.md": "x",
        'quo"te\n.py': "x",
        ":(glob)x": "x",
        "sub/.gitignore": "!a.log\n",
        "sub/a.log": "kept",
    }
    root = repository(tmp_path / "root", files)
    (root / os.fsdecode(b"caf\xe9.py")).write_text("x")
    (root / "link.py").symlink_to("src/a.py")
    (root / "out" / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to(root, target_is_directory=True)
    os.mkfifo(root / "pipe")
    (root / "empty").mkdir()
    (root / "pipes").mkdir()
    os.mkfifo(root / "pipes" / "one")
    maybe_git()
    entries = walk(root, max_file_size_bytes=1024, exclude=("docs/",))
    assert count_in_ledger(entries) == count_on_disk(root)
    assert [entry.path for entry in entries] == sorted(entry.path for entry in entries)
    found = {entry.path for entry in entries if isinstance(entry, DiscoveredFile)}
    assert found == {
        *(".gitignore", ":(glob)x", 'quo"te\n.py', "src/a.py", "sub/.gitignore", "sub/a.log"),
        os.fsdecode(b"caf\xe9.py"),
    }
    rules = {
        entry.path: (entry.reason, entry.rule, entry.file_count) for entry in entries if isinstance(entry, SkippedFile)
    }
    links = (SkipReason.SYMLINK, "symbolic links are not followed", 1)
    assert rules == {
        ".env": (SkipReason.SECRET, "built-in secret: .env", 1),
        "big.txt": (SkipReason.TOO_LARGE, "indexing.maxFileSizeKb = 1", 1),
        "docs/": (SkipReason.EXCLUDED, "indexing.excludePatterns: docs/", 1),
        "link.py": links,
        "loop": links,
        "only/1.tmp": (SkipReason.IGNORED, ".gitignore:3: /only/*.tmp", 1),
        "only/deep/out/": (SkipReason.IGNORED, ".gitignore:2: out/", 1),
        "out/": (SkipReason.IGNORED, ".gitignore:2: out/", 3),
        "pipe": (SkipReason.SPECIAL, "named pipes are not read", 1),
        "pipes/one": (SkipReason.SPECIAL, "named pipes are not read", 1),
        "src/a.log": (SkipReason.IGNORED, ".gitignore:1: *.log", 1),
        "web/node_modules/": (SkipReason.IGNORED, "built-in: node_modules/", 1),
    }


def test_a_socket_is_special(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")  # relative: the path of a socket has a short limit
        assert skipped(tmp_path)["s"].reason is SkipReason.SPECIAL


def test_tracked_files_stay_in_spite_of_rules_and_deleted_ones_vanish(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        {
            ".gitignore": "build/\nnode_modules/",
            "build/keep.py": "x",
            "build/other.o": "x",
            "gone.py": "x",
            "node_modules/mine/a.js": "x",
        },
    )
    git(root, "add", "-f", ".gitignore", "build/keep.py", "gone.py", "node_modules/mine/a.js")
    (root / "gone.py").unlink()
    assert kept(root) == [".gitignore", "build/keep.py", "node_modules/mine/a.js"]
    assert skipped(root)["build/other.o"].rule == ".gitignore:1: build/"


def test_a_tracked_path_behind_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"a.py": "secret"})
    root = repository(tmp_path / "root", {"d/a.py": "x"})
    git(root, "add", ".")
    (root / "d" / "a.py").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to(outside, target_is_directory=True)
    assert kept(root) == []
    assert list(skipped(root)) == ["d"]


def test_a_subfolder_obeys_the_rules_above_it(tmp_path: Path, maybe_git: Callable[[], None]) -> None:
    files = {
        ".gitignore": "*.log\n/pkg/gen/\n",
        "pkg/.gitignore": "*.tmp\n",
        "pkg/src/gen/1.py": "x",
        "pkg/src/a.py": "x",
        "pkg/src/a.log": "x",
        "pkg/src/a.tmp": "x",
        "pkg/src/a.bak": "x",
    }
    root = repository(tmp_path, files)
    (root / ".git" / "info" / "exclude").write_text("/pkg/src/*.bak\n")
    maybe_git()
    assert kept(root / "pkg" / "src") == ["a.py", "gen/1.py"]
    rules = {path: entry.rule for path, entry in skipped(root / "pkg" / "src").items()}
    assert rules["a.log"] == "../../.gitignore:1: *.log"
    assert rules["a.tmp"] == "../.gitignore:1: *.tmp"
    assert rules["a.bak"].endswith(".git/info/exclude:1: /pkg/src/*.bak")


def test_an_ignored_folder_asked_for_by_name_is_walked(tmp_path: Path, maybe_git: Callable[[], None]) -> None:
    files = {
        ".gitignore": "bench/\n",
        "bench/repo/a.py": "x",
        "bench/repo/.gitignore": "b.py",
        "bench/repo/b.py": "x",
    }
    root = repository(tmp_path, files)
    maybe_git()
    assert kept(root / "bench" / "repo") == [".gitignore", "a.py"]


def test_the_global_ignore_file_counts_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / "ignore"
    rules.write_text("*.swp\n!b.swp")
    root = write(tmp_path / "root", {"a.swp": "x", "b.swp": "x", "a.py": "x"})
    assert kept(root, global_ignore_file=rules) == ["a.py", "b.swp"]
    assert skipped(root, global_ignore_file=rules)["a.swp"].rule == f"{rules}:1: *.swp"


def test_submodules_and_nested_clones(tmp_path: Path, maybe_git: Callable[[], None]) -> None:
    library = repository(tmp_path / "library", {".gitignore": "*.o\n", "lib.c": "x"})
    git(library, "add", ".")
    git(library, "commit", "-q", "-m", "x")
    root = repository(tmp_path / "root", {".gitignore": "*.c\nignored/\n", "main.py": "x"})
    git(root, "submodule", "add", "-q", str(library), "deps/lib")
    write(root / "deps" / "lib", {"lib.o": "x"})
    repository(root / "clone", {".gitignore": "x/", "x/1": "1", "y.c": "x"})
    repository(root / "ignored" / "clone", {"z.py": "x"})
    maybe_git()
    own = [".gitignore", ".gitmodules", "main.py"]
    inner = ["clone/.gitignore", "clone/y.c", "deps/lib/.gitignore", "deps/lib/lib.c"]
    assert kept(root) == sorted(own + inner)
    assert skipped(root)["deps/lib/lib.o"].rule.endswith(".gitignore:1: *.o")
    assert skipped(root)["ignored/"].file_count == 1
    assert count_in_ledger(walk(root)) == count_on_disk(root)
    assert kept(root, submodules=False) == own
    assert skipped(root, submodules=False)["deps/lib/"].rule == "indexing.submodules = skip"


def test_a_submodule_without_its_repository_is_a_plain_folder(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"lib.c": "x"})
    git(library, "add", ".")
    git(library, "commit", "-q", "-m", "x")
    root = repository(tmp_path / "root", {".gitignore": "*.o\n"})
    git(root, "submodule", "add", "-q", str(library), "lib")
    git(root, "submodule", "deinit", "-f", "-q", "lib")
    write(root / "lib", {"stray.py": "x", "stray.o": "x"})
    assert kept(root) == [".gitignore", ".gitmodules", "lib/stray.py"]
    assert count_in_ledger(walk(root)) == count_on_disk(root)


def test_a_folder_in_place_of_a_tracked_file_is_ignored_as_others_are(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", {".gitignore": "ignored/\n", "ignored/one": "x", "two": "x"})
    git(root, "add", "-f", ".")
    git(root, "commit", "-q", "-m", "x")
    for name in ("ignored/one", "two"):
        (root / name).unlink()
    write(root, {"ignored/one/a.py": "x", "ignored/one/deep/b.py": "x", "two/c.py": "x"})
    assert kept(root) == [".gitignore", "two/c.py"]
    assert {one.rule for one in skipped(root).values()} == {".gitignore:1: ignored/"}
    assert count_in_ledger(walk(root)) == count_on_disk(root)
    library = repository(tmp_path / "library", {"lib.c": "x"})
    git(library, "add", ".")
    git(library, "commit", "-q", "-m", "x")
    git(root, "submodule", "add", "-q", "-f", str(library), "ignored/lib")
    assert kept(root) == [".gitignore", ".gitmodules", "ignored/lib/lib.c", "two/c.py"]


def test_a_linked_worktree(tmp_path: Path, maybe_git: Callable[[], None]) -> None:
    root = repository(tmp_path / "root", {".gitignore": "*.log", "a.py": "x"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "x")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    (root / ".git" / "info" / "exclude").write_text("*.bak\n")
    write(tmp_path / "tree", {"a.log": "x", "b.bak": "x", "c.py": "x"})
    maybe_git()
    assert kept(tmp_path / "tree") == [".gitignore", "a.py", "c.py"]


def test_git_of_the_caller_does_not_leak_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repository(tmp_path / "other", {"o.py": "x"})
    root = repository(tmp_path / "root", {".gitignore": "b.py", "a.py": "x", "b.py": "x"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert kept(root) == [".gitignore", "a.py"]


def test_no_gitignore_looks_at_no_ignore_file(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitignore": "b.py", "a.py": "x", "b.py": "x"})
    assert kept(root, respect_gitignore=False) == [".gitignore", "a.py", "b.py"]


def test_include_and_exclude(tmp_path: Path) -> None:
    files = {"src/a.py": "x", "src/a.js": "x", "docs/b.py": "x", "docs/api/c.md": "x", "d.md": "x"}
    root = write(tmp_path, files)
    assert kept(root, include=("*.py",)) == ["docs/b.py", "src/a.py"]
    assert kept(root, include=("docs/", "!*.py")) == ["docs/api/c.md"]
    assert kept(root, include=("./src/*",), exclude=("*.js",)) == ["src/a.py"]
    assert kept(root, exclude=("*", "!d.md")) == ["d.md"]
    left_out = skipped(root, include=("*.py",))["d.md"]
    assert (left_out.reason, left_out.rule) == (
        SkipReason.EXCLUDED,
        "indexing.includePatterns: no pattern matches",
    )


def test_the_depth_limit_leaves_whole_folders_out(tmp_path: Path) -> None:
    root = write(tmp_path, {"a": "x", "d/b": "x", "d/e/c": "x", "d/e/f/g": "x"})
    assert kept(root, max_depth=2) == ["a", "d/b"]
    row = skipped(root, max_depth=2)["d/e/"]
    assert (row.reason, row.rule, row.file_count) == (SkipReason.TOO_DEEP, "indexing.maxDepth = 2", 2)
    assert row.size_bytes == 2


def test_folders_that_tools_fill(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
            "target/a.o": "x",
            "notes/CACHEDIR.TAG": "not one",
            "env/pyvenv.cfg": "x",
            "venv/code.py": "x",
            "__pycache__/a.pyc": "x",
            "keep/.gitignore": "!.idea/",
            "keep/.idea/x.xml": "x",
        },
    )
    assert kept(root) == ["keep/.gitignore", "keep/.idea/x.xml", "notes/CACHEDIR.TAG", "venv/code.py"]
    rules = {path: entry.rule for path, entry in skipped(root).items()}
    assert rules == {
        "__pycache__/": "built-in: __pycache__/",
        "env/": "built-in: folder with pyvenv.cfg",
        "target/": "built-in: folder with CACHEDIR.TAG",
    }


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        "server.PEM",
        "tls.key",
        "id_ed25519",
        "credentials",
        ".netrc",
        "a.p12",
        ".htpasswd",
    ],
)
def test_secret_files_are_left_out(tmp_path: Path, name: str) -> None:
    root = write(tmp_path, {f"conf/{name}": "x"})
    assert skipped(root)[f"conf/{name}"].reason is SkipReason.SECRET


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", "id_rsa.pub", "environment.py", "monkey.py", "keys.go"]
)
def test_files_that_only_look_secret_stay(tmp_path: Path, name: str) -> None:
    assert kept(write(tmp_path, {name: "x"})) == [name]


def test_a_root_that_is_a_link_is_resolved(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.py": "x"})
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    assert kept(tmp_path / "link") == ["a.py"]


@pytest.mark.parametrize("path", ["missing", "file", "file/below", "nul\0byte"])
def test_a_bad_root_is_an_error_with_a_hint(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError) as caught:
        discover(tmp_path / path, DiscoveryOptions())
    assert caught.value.hint


def test_a_folder_too_deep_for_the_system_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": "x"})
    monkeypatch.chdir(tmp_path)
    for _ in range(25):  # 25 x 200 bytes pass the longest path most systems take
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    entries = walk(tmp_path)
    assert [type(entry) for entry in entries] == [DiscoveredFile, FailedFile]
    assert isinstance(entries[1], FailedFile)
    assert entries[1].path.startswith("ddd")
    assert entries[1].error


@pytest.mark.skipif(IS_ROOT_USER, reason="root may read everything")
def test_an_unreadable_folder_is_reported(tmp_path: Path, maybe_git: Callable[[], None]) -> None:
    root = repository(tmp_path, {"a.py": "x", "closed/b.py": "x"})
    (root / "closed").chmod(0)
    maybe_git()
    try:
        entries = walk(root)
        with pytest.raises(WorkspaceError):
            discover(root / "closed", DiscoveryOptions())
    finally:
        (root / "closed").chmod(0o700)
    assert [type(entry) for entry in entries] == [DiscoveredFile, FailedFile]
    assert entries[1].path == "closed/"


def test_many_folders_without_a_kept_file_end(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a.py": "x", ".gitignore": "*.o"})
    folder = root
    for number in range(60):
        folder = folder / f"d{number}"
    write(folder, {"x.o": "x"})
    assert kept(root) == [".gitignore", "a.py"]
    assert count_in_ledger(walk(root)) == count_on_disk(root)
