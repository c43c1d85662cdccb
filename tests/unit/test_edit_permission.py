"""Files that no edit may touch, each refused for a reason of its own."""

import subprocess
from pathlib import Path

import pytest

from cocosearch_py.discovery.gitignore import compile_patterns
from cocosearch_py.editing.permission import EditRules, check_names, check_place, ignored_by
from cocosearch_py.errors import SafetyError
from cocosearch_py.model.changes import Pending


def refusal(root: Path, path: str, rules: EditRules) -> str:
    with pytest.raises(SafetyError) as caught:
        check_place(str(root), path, rules)
    return caught.value.message


@pytest.mark.parametrize("place", ["inside", "itself", "linked"])
def test_the_data_of_this_program_is_not_edited(tmp_path: Path, place: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    root = {"inside": data / "below", "itself": data, "linked": tmp_path}[place]
    root.mkdir(exist_ok=True)
    (tmp_path / "link").symlink_to(data)
    given = tmp_path / "link" if place == "linked" else data
    path = "data/config.json" if place == "linked" else "config.json"
    assert "own data" in refusal(root, path, EditRules(data_folder=given))


def test_a_folder_whose_name_begins_like_the_data_folder_is_edited(tmp_path: Path) -> None:
    check_place(str(tmp_path), "data2/config.json", EditRules(data_folder=tmp_path / "data"))


def test_temporary_files_of_other_edits_are_not_edited() -> None:
    other = Pending(1, "0123456789abcdef", None)  # type: ignore[arg-type]
    for name in (other.temporary, other.backup):
        with pytest.raises(SafetyError, match="another edit"):
            check_names(f"src/{name}", EditRules())
    check_names("src/.cocosearch-notes.tmp", EditRules())


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository, beside the user's ignore file `mine`."""
    root = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (tmp_path / "mine").write_text("*.local\n!kept.local\n")
    return root


@pytest.mark.parametrize("name", ["repository", "folder"])
def test_the_ignore_file_of_the_user_counts_with_git_and_without(repository: Path, name: str) -> None:
    root = repository.with_name(name)
    root.mkdir(exist_ok=True)
    mine = repository.with_name("mine")
    assert "*.local" in refusal(root, "src/a.local", EditRules(global_ignore_file=mine))
    for path in ("src/a.py", "src/kept.local"):
        check_place(str(root), path, EditRules(global_ignore_file=mine))
    check_place(str(root), "src/a.local", EditRules(global_ignore_file=mine, allow_ignored=True))


def test_the_ignore_file_that_a_repository_names_counts(repository: Path) -> None:
    mine = repository.with_name("mine")
    subprocess.run(["git", "-C", str(repository), "config", "core.excludesFile", str(mine)], check=True)
    assert "*.local" in refusal(repository, "src/a.local", EditRules())
    check_place(str(repository), "src/a.py", EditRules())


def test_a_tracked_file_is_edited_although_a_rule_ignores_it(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n")
    for name in ("tracked.log", "other.log"):
        (repository / name).touch()
    subprocess.run(["git", "-C", str(repository), "add", "-f", "tracked.log"], check=True)
    check_place(str(repository), "tracked.log", EditRules())
    assert ".gitignore:1: *.log" in refusal(repository, "other.log", EditRules())


@pytest.mark.parametrize("inner", [True, False])
def test_a_repository_inside_has_rules_of_its_own(repository: Path, inner: bool) -> None:
    (repository / ".gitignore").write_text("*.log\n")
    (repository / "inner").mkdir()
    if inner:
        subprocess.run(["git", "init", "-q", str(repository / "inner")], check=True)
        (repository / "inner" / ".gitignore").write_text("*.tmp\n")
        (repository / "inner" / "src").mkdir()
        (repository / "inner" / "src" / "tracked.tmp").touch()
        subprocess.run(["git", "-C", str(repository / "inner"), "add", "-f", "src/tracked.tmp"], check=True)
        assert ignored_by(repository, "inner/src/tracked.tmp", None) is None
    assert (ignored_by(repository, "inner/src/a.log", None) is None) is inner
    assert (ignored_by(repository, "inner/src/a.tmp", None) is None) is not inner


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("src/.git/config", "version control"),
        (".GIT/config", "version control"),
        (".hg/hgrc", "version control"),
        (".gitconfig", "version control"),
        ("home/.config/git/config", "version control"),
        ("src/HEAD", "git repository"),
        ("head", "git repository"),
        (".env", "secret (built-in secret: .env)"),
        ("src/id_rsa", "secret"),
        ("src/id_rsa.", "secret"),
        ("src/a.pem::$DATA", "secret"),
        (".ssh/config", "may log in"),
        ("home/.ssh/keys/work", "may log in"),
        ("sub/cocosearch.yaml", "configures this program"),
    ],
)
def test_names_that_are_not_edited(path: str, reason: str) -> None:
    with pytest.raises(SafetyError) as caught:
        check_names(path, EditRules(protected=("cocosearch.yaml",)))
    assert caught.value.message.startswith(f"{path} is not edited: ")
    assert reason in caught.value.message
    assert "by other means" in caught.value.hint


@pytest.mark.parametrize(
    "path", ["src/a.py", "HEAD/a.py", "src/.ssh", "id_rsa/a.py", "a/my-cocosearch.yaml", ".env.example", "my.gitconfig"]
)
def test_names_that_are_edited(path: str) -> None:
    check_names(path, EditRules(protected=("cocosearch.yaml",)))


def test_what_starts_programs_is_edited_if_the_user_allows_it() -> None:
    with pytest.raises(SafetyError) as caught:
        check_names(".bashrc", EditRules())
    assert "edit.allowProtected" in caught.value.hint
    check_names(".bashrc", EditRules(allowed=compile_patterns([b".bashrc"], "test")))


@pytest.mark.parametrize(
    ("there", "path", "refused"),
    [
        (("HEAD", "objects/"), "refs/x", True),
        (("HEAD",), "commondir", True),
        (("HEAD",), "objects/x/y", True),
        (("head",), "Objects/x", True),
        (("HEAD", "commondir"), "config", True),
        (("HEAD",), "config", False),
        (("head/", "objects/"), "refs/x", False),
        (("objects/", "refs/"), "config", False),
    ],
)
def test_no_edit_completes_a_repository(tmp_path: Path, there: tuple[str, ...], path: str, refused: bool) -> None:
    (tmp_path / "half").mkdir()
    for name in there:
        (tmp_path / "half" / name).mkdir() if name.endswith("/") else (tmp_path / "half" / name).touch()
    if refused:
        assert "inside a git repository" in refusal(tmp_path, f"half/{path}", EditRules())
    else:
        check_place(str(tmp_path), f"half/{path}", EditRules())


def test_a_repository_is_not_edited_where_it_keeps_its_files(repository: Path) -> None:
    (repository / ".git").rename(repository / "kept")
    (repository / ".git").write_text("gitdir: kept\n")
    (repository / "kept" / "commondir").write_text("../common\n")
    for path in ("kept/config", "common/config"):
        assert "inside a git repository" in refusal(repository, path, EditRules())
    check_place(str(repository), "kept2/config", EditRules())


def test_what_the_configuration_of_a_repository_names_is_not_edited(repository: Path) -> None:
    for key, value in (("core.hooksPath", "scripts/hooks"), ("include.path", "../tools/git.cfg")):
        subprocess.run(["git", "-C", str(repository), "config", key, value], check=True)
    for path in ("scripts/hooks/update", "scripts/hooks", "tools/git.cfg"):
        assert "reads hooks or settings" in refusal(repository, path, EditRules())
    for path in ("scripts/run.py", "scripts/hooks2/update", "git.cfg"):
        check_place(str(repository), path, EditRules())


def test_folders_that_tools_fill_are_not_edited(tmp_path: Path) -> None:
    for path in ("node_modules/a.js", "src/__pycache__/deep/a.py"):
        assert "built-in" in refusal(tmp_path, path, EditRules())
    check_place(str(tmp_path), "src/node_modules", EditRules())


def test_a_pattern_for_folders_ignores_no_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("out/\n")
    assert ".gitignore:1: out/" in refusal(tmp_path, "out/deep/a.py", EditRules())
    check_place(str(tmp_path), "src/out", EditRules())
