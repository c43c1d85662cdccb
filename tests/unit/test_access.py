"""Folders that a client may have indexed, and indexes that it may see."""

from pathlib import Path

import pytest

from cocosearch_py.errors import SafetyError, ValidationError, WorkspaceError
from cocosearch_py.server.access import Access, real_path
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.tools.call import Place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the projects `app`, `app2` and `other`, each with a folder `src`."""
    for name in ("app", "app2", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (tmp_path / name / "src").mkdir()
    return tmp_path


def test_with_roots_nothing_else_is_seen_or_indexed(folder: Path) -> None:
    access = Access(ServerOptions(roots=(folder / "app",), project=folder / "other", working_folder=folder / "other"))
    assert [access.may_see(str(folder / name)) for name in ("app", "app/src", "app2", "other", "")] == [
        *(True, True),
        *(False, False, False),
    ]
    assert access.may_index(str(folder / "app"), ())
    assert not access.may_index(str(folder / "app2"), (folder / "app2",))
    assert not access.may_index(str(folder / "other"), ())
    with pytest.raises(SafetyError) as caught:
        access.folder_to_index("../app2", folder / "app", ())
    assert f"allowed: {folder / 'app'}" in caught.value.message
    assert "--root FOLDER" in caught.value.hint and "--project-from-cwd" not in caught.value.hint


def test_a_link_out_of_a_root_is_outside(folder: Path) -> None:
    (folder / "app" / "link").symlink_to(folder / "other")
    access = Access(ServerOptions(roots=(folder / "app",)))
    with pytest.raises(SafetyError):
        access.folder_to_index("link/src", folder / "app", ())
    assert access.folder_to_index("src/../src", folder / "app", ()) == folder / "app" / "src"


def test_a_local_client_indexes_its_roots_the_project_and_the_working_folder(folder: Path) -> None:
    access = Access(ServerOptions(project=folder / "app" / "src", working_folder=folder / "other" / "src"))
    assert access.may_see("/anywhere")
    assert access.may_index(str(folder / "app" / "src"), ())
    assert not access.may_index(str(folder / "app"), ()), "the project is what was named"
    assert access.may_index(str(folder / "other"), ()), "the project of the working folder"
    assert not access.may_index(str(folder / "app2"), ())
    assert access.may_index(str(folder / "app2"), (folder / "app2" / "src",))


def test_a_client_over_http_indexes_the_project_alone(folder: Path) -> None:
    options = ServerOptions(transport="http", project=folder / "app", working_folder=folder / "other")
    access = Access(options)
    assert access.may_index(str(folder / "app"), ())
    assert not access.may_index(str(folder / "other"), (folder / "other",))


def test_the_top_of_the_disk_as_working_folder_allows_nothing(folder: Path) -> None:
    access = Access(ServerOptions(working_folder=Path("/")))
    assert not access.may_index(str(folder / "app"), ())
    with pytest.raises(SafetyError) as caught:
        access.folder_to_index(str(folder / "app"), folder, ())
    assert "allowed: none" in caught.value.message
    assert "--project-from-cwd" in caught.value.hint


@pytest.mark.parametrize("text", ["gone", "file"])
def test_only_folders_are_indexed(folder: Path, text: str) -> None:
    (folder / "app" / "file").touch()
    with pytest.raises(WorkspaceError):
        Access(ServerOptions(roots=(folder / "app",))).folder_to_index(text, folder / "app", ())


def test_a_place_in_the_arguments_begins_at_the_project_of_the_caller(folder: Path) -> None:
    access = Access(ServerOptions(roots=(folder / "app",), drives=None))
    here = Place((folder / "app" / "src", folder / "other"), "roots", (folder / "app",))
    for text in ("", ".", " . "):
        assert access.place_below(here, text) is here
    assert access.place_below(here, " src ") == Place((folder / "app" / "src",), "argument", (folder / "app",))
    with pytest.raises(WorkspaceError, match="gone"):
        access.place_below(here, "gone")


def test_whether_a_folder_outside_exists_is_not_told(folder: Path) -> None:
    access = Access(ServerOptions(roots=(folder / "app",)))
    here = Place((folder / "app",), "working folder")
    for name in ("other", "gone"):
        assert access.place_below(here, f"../{name}").folders == (folder / name,)


def test_the_longest_path_is_that_of_the_system() -> None:
    longest = "a/" * 2048
    assert str(real_path(longest, Path("/"))) == f"/{longest}".rstrip("/")
    for text in (longest + "a", "", " ", "a\0b"):
        with pytest.raises(ValidationError):
            real_path(text, Path("/"))


def test_a_home_that_is_not_known_is_no_path() -> None:
    with pytest.raises(ValidationError, match="resolved"):
        real_path("~nobody-has-this-name/x", Path("/"))
