from pathlib import Path

import pytest

from cocosearch_py.config.paths import data_folder, git_ignore_file, log_file, start_folder


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {"HOME": "/home/me"}, "/home/me/.local/share/cocosearch-py"),
        ("linux", {"HOME": "/home/me", "XDG_DATA_HOME": "/data"}, "/data/cocosearch-py"),
        ("linux", {"HOME": "/home/me", "XDG_DATA_HOME": "relative"}, "/home/me/.local/share/cocosearch-py"),
        ("linux", {"HOME": "/home/me", "XDG_DATA_HOME": "/data", "COCOSEARCH_DATA_DIR": "/own"}, "/own"),
        ("darwin", {"HOME": "/Users/me", "COCOSEARCH_DATA_DIR": "~/own"}, "/Users/me/own"),
        ("darwin", {"HOME": "/Users/me"}, "/Users/me/Library/Application Support/cocosearch-py"),
        ("win32", {"USERPROFILE": "/u/me", "LOCALAPPDATA": "/u/me/Local"}, "/u/me/Local/cocosearch-py"),
        ("win32", {"USERPROFILE": "/u/me"}, "/u/me/AppData/Local/cocosearch-py"),
    ],
)
def test_the_data_folder_follows_the_platform(platform: str, environ: dict[str, str], expected: str) -> None:
    assert data_folder(environ, platform=platform) == Path(expected)
    assert log_file(environ, platform=platform) == Path(expected) / "logs" / "cocosearch-py.log"


def test_a_relative_data_folder_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert data_folder({"COCOSEARCH_DATA_DIR": "own"}) == tmp_path / "own"


def test_the_start_is_given_or_from_the_environment_or_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert start_folder({}) == tmp_path
    assert start_folder({"COCOSEARCH_PROJECT_PATH": "/project"}) == Path("/project")
    assert start_folder({"COCOSEARCH_PROJECT_PATH": "/project"}, Path("given")) == Path("given")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_an_ignore_file_there_is_none(tmp_path: Path) -> None:
    assert git_ignore_file({"HOME": str(tmp_path)}) is None
    write(tmp_path / ".gitconfig", "[core]\n\texcludesFile = ~/absent\n")
    assert git_ignore_file({"HOME": str(tmp_path)}) is None


def test_the_usual_ignore_file_is_found(tmp_path: Path) -> None:
    usual = write(tmp_path / ".config" / "git" / "ignore", "*.log\n")
    assert git_ignore_file({"HOME": str(tmp_path)}) == usual
    moved = write(tmp_path / "xdg" / "git" / "ignore", "*.log\n")
    assert git_ignore_file({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "xdg")}) == moved


@pytest.mark.parametrize(
    "config",
    [
        "[core]\n\texcludesFile = ~/mine\n",
        '[user]\n\tname = x\n[Core]\n  excludesfile="~/mine" # why\n',
        "[core] excludesfile = ~/mine ; why\n",
        "[core]\nexcludesFile = ~/first\n[a]\nexcludesFile = ~/other\n[core]\nexcludesFile = ~/mine\n[gc]\n",
    ],
)
def test_the_ignore_file_of_the_git_configuration_wins(tmp_path: Path, config: str) -> None:
    write(tmp_path / ".config" / "git" / "ignore", "*.log\n")
    write(tmp_path / ".config" / "git" / "config", "[core]\nexcludesFile = ~/weaker\n")
    for name in ("weaker", "first", "other"):
        write(tmp_path / name, "")
    mine = write(tmp_path / "mine", "*.tmp\n")
    write(tmp_path / ".gitconfig", config)
    assert git_ignore_file({"HOME": str(tmp_path)}) == mine


def test_a_named_git_configuration_replaces_the_usual_ones(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine", "")
    write(tmp_path / "other", "")
    write(tmp_path / ".gitconfig", "[core]\nexcludesFile = ~/other\n")
    named = write(tmp_path / "named", f"[core]\nexcludesFile = {mine}\n")
    assert git_ignore_file({"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": str(named)}) == mine
