"""Names that are read nowhere and edited nowhere, as each kind of file system compares them."""

import re
from pathlib import Path

import pytest

from cocosearch_py.discovery.gitignore import compile_patterns
from cocosearch_py.discovery.reading import FolderReader
from cocosearch_py.discovery.rules import forbidden_path_rule, is_git_name
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.editing.protected import STARTING, is_allowed, starting_reason

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "edit.md"
GIT_NAMES = (
    ".git", ".GIT", "git~1", "GIT~2", ".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION", ".g\u200cit",
    "\ufeff.git", ".gi\u206ft", ".git\u200f",
)  # fmt: skip


@pytest.mark.parametrize("name", GIT_NAMES)
def test_names_that_some_file_system_takes_for_git_are_known(name: str) -> None:
    assert is_git_name(name)
    assert forbidden_path_rule(f"a/{name}/config") is not None


@pytest.mark.parametrize("first, last", [(0x200C, 0x200F), (0x202A, 0x202E), (0x206A, 0x206F), (0xFEFF, 0xFEFF)])
def test_the_characters_that_hfs_ignores_hide_no_git(first: int, last: int) -> None:
    ignored = [code for code in range(first - 1, last + 2) if is_git_name(f".g{chr(code)}it")]
    assert ignored == list(range(first, last + 1))


@pytest.mark.parametrize("name", [".gitignore", ".github", "git", "git~", "agit~1", ".git-hooks", "..git", "digit"])
def test_names_like_that_of_git_are_free(name: str) -> None:
    assert not is_git_name(name)
    assert forbidden_path_rule(f"a/{name}/b.py") is None


@pytest.mark.parametrize(
    "path", [".env", "a/.ENV", ".env ", ".env::$DATA", ".hg/hgrc", "a/.SVN/x", "../a", "a/../b", "..", "id_rsa."]
)
def test_paths_of_secrets_and_outside_of_the_folder_are_forbidden(tmp_path: Path, path: str) -> None:
    assert forbidden_path_rule(path) is not None
    with FolderReader(str(tmp_path), 100) as reader:
        assert isinstance(reader.read(path), Skip)


@pytest.mark.parametrize("path", ["a/b.py", "credentials/a.py", ".env.example", ".github/x.yml", "a:b", "...", "é.py"])
def test_ordinary_paths_are_free(path: str) -> None:
    assert forbidden_path_rule(path) is None


def test_a_folder_above_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").write_text("secret")
    with FolderReader(str(tmp_path / "root"), 100, reads_secrets=True) as reader:
        assert isinstance(reader.read("../outside"), Skip)


@pytest.mark.parametrize("path", ["nul\0", "half\ud800"])
def test_a_name_that_no_file_has_is_not_there(tmp_path: Path, path: str) -> None:
    with FolderReader(str(tmp_path), 100) as reader, pytest.raises(FileNotFoundError):
        reader.read(path)


@pytest.mark.parametrize("path", [path for one in STARTING for path in one.paths])
def test_a_file_that_starts_programs_is_known_at_any_depth_and_in_any_case(path: str) -> None:
    file = path.replace("*", "x") + ("y" if path.endswith("/") else "")
    for name in (file, f"a/b/{file}", file.upper(), f"{file}.", f"{file}::$DATA"):
        assert starting_reason(name) is not None, name
    assert starting_reason(f"x{file}.py") is None or path.startswith("*")


@pytest.mark.parametrize(
    "path", ["Makefile", "src/claude/x.py", "package.json", ".gitignore", "docs/.vscode.md", "jenkinsfile_runner.py",
             "AGENTS.md", ".github/CODEOWNERS", "conftest.py", "head.c"]
)  # fmt: skip
def test_code_and_build_files_are_edited(path: str) -> None:
    assert starting_reason(path) is None


@pytest.mark.parametrize(
    ("patterns", "path", "allowed"),
    [
        ((".github/",), ".github/workflows/a.yml", True),
        ((".github/workflows/*.yml",), ".github/workflows/a.yml", True),
        ((".github/", "!.github/workflows/b.yml"), ".github/workflows/b.yml", False),
        ((".vscode/",), ".github/workflows/a.yml", False),
        (("*",), ".bashrc", True),
        ((), ".bashrc", False),
        ((".bashrc/",), ".bashrc", False),
    ],
)
def test_patterns_of_the_user_allow_files(patterns: tuple[str, ...], path: str, allowed: bool) -> None:
    assert is_allowed(path, compile_patterns((one.encode() for one in patterns), "test")) is allowed


def test_the_page_about_edits_lists_the_files_that_start_programs() -> None:
    section = PAGE.read_text().split("## Files that start programs\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|`]+) \| (`.+`) \|$", section, re.MULTILINE)
    listed = {reason: tuple(re.findall(r"`([^`]+)`", paths)) for reason, paths in rows}
    assert listed == {one.reason: one.paths for one in STARTING}
