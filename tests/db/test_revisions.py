"""Indexes of commits: row by row those of a worktree of the commit; what is wrong with a repository is said."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.catalog import service
from cocosearch_py.discovery.attributes import Attributes
from cocosearch_py.discovery.commits import read_tree
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.revisions import commit_of
from cocosearch_py.discovery.walk import discover
from cocosearch_py.errors import IndexCollisionError, ValidationError, WorkspaceError
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.indexing.start import intended_record
from cocosearch_py.model.code import CodeRequest, CodeTarget
from cocosearch_py.model.files import DiscoveredFile, SkippedFile
from cocosearch_py.model.indexes import Revision, check_stored_name
from cocosearch_py.tools.maps import bundled_map

Content = dict[str, list[tuple[Any, ...]]]
FILES = {
    "src/kept.py": "def kept():\n    return helper()\n",
    "src/helper.py": "def helper():\n    return 1\n",
    "src/caller.py": "from helper import helper\n\n\ndef caller():\n    return helper()\n",
    "ignored/but_tracked.py": "TRACKED = True\n",
    ".gitignore": "ignored/\n*.log\n",
    ".gitattributes": "*.gen.py linguist-generated\nsrc/gen/** linguist-vendored=false\n",
    "src/api.gen.py": "API = 1\n",
    "src/gen/.gitattributes": "*.txt linguist-documentation\n",
    "src/gen/notes.txt": "words about words\n",
    "node_modules/pkg/index.js": "module.exports = 1;\n",
    "vendor/lib.go": "package lib\n\nfunc Lib() {}\n",
    "cache/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
    "cache/file.py": "CACHED = 1\n",
    ".env": "TOKEN=secret\n",
    ".hg/store.py": "HG = 1\n",
    "empty.py": "",
    "with space/ümlaut \n.py": "ODD = 1\n",
    "package.json": '{"name": "odd", "workspaces": ["src"]}\n',
}
INNER = {
    "inner.py": "def inner():\n    return 1\n",
    "src/api.gen.py": "API = 2\n",
    "skipped/tracked.py": "TRACKED = 1\n",
    ".gitignore": "skipped/\n",
    ".gitattributes": "inner.py linguist-vendored\n",
}


def git(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env={**os.environ, "GIT_COMMITTER_DATE": "2024-01-02T03:04:05Z", **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with files of all kinds, in two commits; its work tree is that of the second."""
    folder, other, third = tmp_path / "odd", tmp_path / "other", tmp_path / "third"
    for one in (folder, other, third):
        one.mkdir()
        git(one, "init", "-q", "-b", "main")
    write(third, {"deep.py": "DEEP = 1\n"})
    git(third, "add", "-A")
    git(third, "commit", "-qm", "deep")
    write(other, INNER)
    git(other, "submodule", "add", "-q", "--name", "far/deep", str(third), "node_modules/deep")
    git(other, "add", "-Af")
    git(other, "commit", "-qm", "inner")
    write(folder, {**FILES, "data.bin": b"\x7fELF" + bytes(100), "large.txt": b"wide\n" * 500_000})
    (folder / "link.py").symlink_to("src/kept.py")
    for path in ("module", "src/lib"):
        git(folder, "submodule", "add", "-q", "--name", f"parts/{path}", str(other), path)
    git(folder, "submodule", "update", "-q", "--init", "--recursive")
    git(folder, "add", "-Af")
    git(folder, "commit", "-qm", "one")
    git(folder, "tag", "-am", "first", "v1")
    write(folder, {"src/kept.py": "def changed():\n    return 2\n", "src/new.py": "def new():\n    return 3\n"})
    git(folder, "rm", "-q", "src/caller.py")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")
    return folder


def run(
    app: App, folder: Path, rev: str | None, *, name: str = "odd", fresh: bool = False, **options: Any
) -> RunReport:
    commit = None if rev is None else commit_of(folder, rev)
    revision = None if rev is None else Revision(rev, commit or "")
    chosen = replace(app.indexing_options(fresh=fresh), revision=revision)
    discovery = replace(chosen.discovery, **options)
    return app.index(folder, name=name, options=replace(chosen, discovery=discovery))


def worktree(repository: Path, rev: str) -> Path:
    folder = repository.parent / f"tree-{rev.strip('~')}"
    git(repository, "worktree", "add", "-q", "--detach", str(folder), rev)
    git(folder, "submodule", "update", "-q", "--init", "--recursive")
    return folder


def test_a_commit_is_indexed_as_a_worktree_of_it(
    app: App, repository: Path, content_of: Callable[[str], Content]
) -> None:
    git(repository, "config", "core.quotepath", "off")
    (repository / "src/kept.py").write_text("def uncommitted():\n    return 4\n")
    (repository / "untracked.py").write_text("NEW = 1\n")
    of_commit = run(app, repository, "v1")
    assert of_commit.index_name == f"odd@{commit_of(repository, 'v1')[:12]}"  # type: ignore[index]
    run(app, worktree(repository, "v1"), None, name="disk", fresh=True)
    wanted, found = content_of("disk"), content_of(of_commit.index_name)
    for table in wanted:
        assert found[table] == wanted[table], table
    paths = {row[1] for row in found["files"]}
    assert {"ignored/but_tracked.py", "node_modules/pkg/index.js", "link.py", ".env"} <= paths
    assert {"module/inner.py", "module/skipped/tracked.py", "src/lib/node_modules/deep/deep.py"} <= paths
    assert not any(path.startswith(".hg") or ".git/" in path or "untracked" in path for path in paths)


def test_a_submodule_that_is_not_here_is_in_the_ledger(
    app: App, repository: Path, content_of: Callable[[str], Content]
) -> None:
    write(repository / "module", {"later.py": "LATER = 1\n"})
    git(repository / "module", "add", "-A")
    git(repository / "module", "commit", "-qm", "later")
    later = git(repository / "module", "rev-parse", "HEAD")
    lost = git(repository.parent / "third", "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{lost},unnamed")
    git(repository, "add", "module")
    git(repository, "commit", "-qm", "three")
    for path in ("module", "src/lib"):
        shutil.rmtree(repository / ".git/modules/parts" / path / "modules")

    def told(rev: str, **options: Any) -> dict[str, str]:
        rows = content_of(run(app, repository, rev, **options).index_name)["files"]
        return {row[1]: row[5] for row in rows if row[2] == "failed"}

    first = told("v1")
    assert sorted(first) == ["module/node_modules/deep/", "src/lib/node_modules/deep/"]
    assert (
        lost[:12] in first["module/node_modules/deep/"] and "git submodule update" in first["module/node_modules/deep/"]
    )
    assert "module/later.py" in {row[1] for row in content_of(run(app, repository, "main").index_name)["files"]}
    assert sorted(told("main", exclude=("src/",))) == ["module/node_modules/deep/", "unnamed/"]
    assert ".gitmodules" in told("main")["unnamed/"]
    assert told("main", submodules=False) == {}
    (repository / ".git/modules/parts/module/objects" / later[:2] / later[2:]).unlink()
    assert later[:12] in told("main")["module/"]
    for path in (".git/modules", "module", "src/lib"):
        shutil.rmtree(repository / path)
    git(repository, "checkout", "-qf", "v1")
    git(repository, "submodule", "update", "-q", "--init", "--recursive")
    assert told("v1") == {}


def test_a_file_of_a_submodule_is_read_in_any_revision(app: App, repository: Path) -> None:
    app.index(repository, name="odd")
    record = app.catalog.find("odd")
    (repository / "module/inner.py").write_text("CHANGED = 1\n")
    for path in ("module/inner.py", "src/lib/node_modules/deep/deep.py"):
        report = app.navigation.read_code(CodeRequest(targets=(CodeTarget(path, path),), rev="v1"), record)
        assert report.parts[0].lines[0][1] in ("def inner():", "DEEP = 1"), report


@pytest.mark.parametrize(
    "options",
    [
        {"respect_gitignore": False},
        {"include": ("src/",), "exclude": ("*.txt",)},
        {"max_depth": 1},
        {"max_file_size_bytes": 20},
        {"submodules": False},
    ],
    ids=["no_gitignore", "patterns", "depth", "size", "submodules"],
)
def test_the_walk_follows_the_same_rules(app: App, repository: Path, options: dict[str, Any]) -> None:
    commit = commit_of(repository, "v1") or ""
    folder = worktree(repository, "v1")
    chosen = DiscoveryOptions(**options)

    def told(entries: Any) -> list[tuple[Any, ...]]:
        return [
            (type(one), one.path, getattr(one, "size_bytes", None))
            + ((one.reason, one.rule, one.file_count) if isinstance(one, SkippedFile) else ())
            for one in entries
        ]

    assert told(read_tree(repository, commit).walk(chosen)) == told(discover(folder, chosen))


def test_a_folder_of_a_repository_and_a_bare_one_are_indexed(
    app: App, repository: Path, content_of: Callable[[str], Content]
) -> None:
    folder = worktree(repository, "v1")
    inner = run(app, repository / "src", "v1", name="inner")
    run(app, folder / "src", None, name="disk", fresh=True)
    assert content_of(inner.index_name) == content_of("disk")
    bare = repository.parent / "bare.git"
    git(repository.parent, "clone", "-q", "--bare", str(repository), str(bare))
    whole = content_of(run(app, bare, "v1", name="bare").index_name)
    without = repository.parent / "without"
    git(repository, "worktree", "add", "-q", "--detach", str(without), "v1")
    run(app, without, None, name="whole", fresh=True)
    modules = [row for row in whole["files"] if row[2] == "failed"]
    assert {row[1] for row in modules} == {"module/", "src/lib/"}
    whole["files"] = [row for row in whole["files"] if row not in modules]
    assert whole == content_of("whole")


def test_attributes_are_those_of_the_commit(repository: Path) -> None:
    tree = read_tree(repository, commit_of(repository, "v1") or "")
    (repository / ".gitattributes").write_text("* linguist-vendored\n")
    files = frozenset({".gitattributes", "src/gen/.gitattributes"})
    asked = ("src/api.gen.py", "src/gen/notes.txt", "src/kept.py")
    found = {path: Attributes(repository, files, tree).of(path) for path in asked}
    assert {path: sorted(said) for path, said in found.items()} == {
        "src/api.gen.py": ["linguist-generated"],
        "src/gen/notes.txt": ["linguist-documentation", "linguist-vendored"],
        "src/kept.py": [],
    }


def test_what_any_index_holds_is_not_prepared_again(
    app: App, repository: Path, monkeypatch: pytest.MonkeyPatch, content_of: Callable[[str], Content]
) -> None:
    app.thresholds = Thresholds(copy_bytes=0)
    run(app, repository, None)
    copied = run(app, repository, "v1")
    added = copied.files_added - copied.files_reused
    assert copied.files_reused > 0
    assert added == 2  # kept.py is another one, and caller.py is gone
    run(app, repository, "v1", name="alone", fresh=True)
    alone = content_of(f"alone@{copied.index_name.partition('@')[2]}")
    assert content_of(copied.index_name) == alone
    again = run(app, repository, "v1")
    assert (again.files_added, again.files_updated, again.files_removed) == (0, 0, 0)


def test_an_index_of_a_commit_is_not_that_of_its_folder(app: App, repository: Path) -> None:
    of_commit = app.catalog.find(run(app, repository, "v1").index_name)
    assert (of_commit.git_branch, of_commit.commit) == ("v1", commit_of(repository, "v1"))
    assert app.catalog.name_for(repository) == "odd"
    run(app, repository, None)
    assert [one.name for one in app.catalog.of_folders(app.catalog.list_all(), [repository])] == ["odd"]
    of_folder = app.catalog.find("odd")
    assert of_folder.workspace_id != of_commit.workspace_id and of_folder.ulid != of_commit.ulid
    git(repository, "commit", "-q", "--allow-empty", "-m", "three")
    assert app.catalog.drift(of_commit) is None
    alike = Revision("main", of_commit.name.partition("@")[2] + 28 * "0")
    with pytest.raises(IndexCollisionError):  # another commit whose name begins like it
        intended_record(
            repository, of_commit.name, of_commit, replace(app.indexing_options(), revision=alike), app.embedder
        )


def test_old_indexes_of_commits_go(app: App, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_COMMITS", 2)
    run(app, repository, None)
    names = []
    for number in range(3):
        git(repository, "commit", "-q", "--allow-empty", "-m", str(number))
        names.append(run(app, repository, "main").index_name)
    assert sorted(one.name for one in app.catalog.list_all()) == sorted(["odd", *names[1:]])


@pytest.mark.parametrize(
    "rev", ["--upload-pack=touch x", "-h", "v1 --all", "HEAD:src", "", "$(touch x)", "v1\0", "a\nb"]
)
def test_what_is_no_revision_reaches_no_git(repository: Path, git_runs: Callable[[], list[str]], rev: str) -> None:
    assert commit_of(repository, rev) is None
    assert git_runs() == []


def test_a_partial_clone_is_refused_without_a_network(app: App, repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    for kind in ("blob:none", "tree:0"):
        clone = tmp_path / kind.replace(":", "-")
        git(tmp_path, "clone", "-q", "--no-checkout", f"--filter={kind}", f"file://{repository}", str(clone))
        with pytest.raises(WorkspaceError, match="partial clone") as raised:
            run(app, clone, "v1", name="partial")
        assert "git fetch" in raised.value.hint
    assert app.catalog.list_all() == []


def test_a_few_missing_contents_are_failed_files(
    app: App, repository: Path, content_of: Callable[[str], Content]
) -> None:
    blob = git(repository, "rev-parse", "v1:src/helper.py")
    lost = repository / ".git/objects" / blob[:2] / blob[2:]
    lost.unlink()
    report = run(app, repository, "v1")
    assert report.files_failed == 1
    failed = [row for row in content_of(report.index_name)["files"] if row[2] == "failed"]
    assert [row[1] for row in failed] == ["src/helper.py"] and "partial clone" in failed[0][5]
    (repository / "src/helper.py").write_text(FILES["src/helper.py"])
    git(repository, "hash-object", "-w", "src/helper.py")
    again = run(app, repository, "v1")
    assert (again.files_failed, again.files_added) == (0, 1)


def test_a_missing_object_is_a_failed_file(
    app: App, repository: Path, tmp_path: Path, content_of: Callable[[str], Content], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is lost between listing and reading: `read_tree` finds what is missing before."""
    tree = read_tree(repository, commit_of(repository, "v1") or "")
    entry = tree.folders["src"]["helper.py"]
    monkeypatch.setattr(
        "cocosearch_py.discovery.commits.read_tree",
        lambda *_: replace(
            tree, folders={**tree.folders, "src": {**tree.folders["src"], "helper.py": replace(entry, blob="0" * 40)}}
        ),
    )
    report = run(app, repository, "v1")
    assert report.files_failed == 1
    failed = [row for row in content_of(report.index_name)["files"] if row[2] == "failed"]
    assert [(row[1], row[5]) for row in failed] == [("src/helper.py", "cannot be read: git does not have the content")]


def test_a_folder_without_git_has_no_commits(app: App, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(WorkspaceError):
        read_tree(tmp_path / "plain", 40 * "a")
    shutil.rmtree(tmp_path / "plain")
    with pytest.raises(WorkspaceError):
        read_tree(tmp_path / "plain", 40 * "a")


def test_why_of_a_commit_is_told_by_git(app: App, repository: Path) -> None:
    record = app.catalog.find(run(app, repository, "v1").index_name)
    shutil.rmtree(repository / "src")
    asked = ["src/caller.py", "link.py", ".env", "src", "src/new.py", "untracked.py"]
    told = app.explain_files(repository, [str(repository / path) for path in asked], record)
    assert [one.verdict for one in told] == ["indexed", "skipped", "skipped", "folder", "missing", "missing"]


def test_a_bundle_of_a_commit_stays_one(app: App, repository: Path, tmp_path: Path) -> None:
    plain = run(app, repository, "v1", exclude=("with space/",))
    record = app.catalog.find(plain.index_name)
    bundle = app.transfers.export(record, tmp_path / "commit.zip", bundled_map).path
    app.catalog.clear(record.name)
    loaded = app.transfers.load(bundle, None, repository)
    assert (loaded.name, loaded.commit, loaded.root_path) == (record.name, record.commit, record.root_path)
    assert app.transfers.load(bundle, "plain", None).commit is None


@pytest.mark.parametrize("commit", ["--output=x" + 30 * "0", "HEAD", None, 12 * "a"])
def test_a_stored_name_is_of_a_whole_commit(commit: str | None) -> None:
    with pytest.raises(ValidationError):
        check_stored_name(f"shop@{(commit or 'x')[:12]}", commit)
    assert check_stored_name("shop@" + 12 * "a", 40 * "a") == "shop@" + 12 * "a"


def test_files_have_the_time_of_the_commit(repository: Path) -> None:
    found = read_tree(repository, commit_of(repository, "v1") or "").walk(DiscoveryOptions())
    files = [one for one in found if isinstance(one, DiscoveredFile)]
    assert {one.mtime_ns for one in files} == {1_704_164_645 * 10**9}
    assert all(one.blob for one in files)
