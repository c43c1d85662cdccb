"""Which folders are too wide to be meant without a question."""

from pathlib import PurePosixPath, PureWindowsPath

import pytest

from cocosearch_py.discovery.extent import is_wide

ME = PurePosixPath("/srv/people/me")


@pytest.mark.parametrize("folder", ["/", "/srv", "/srv/people", "/srv/people/me", "/root", "/home", "/Users"])
def test_the_root_home_folders_and_what_holds_them_are_wide(folder: str) -> None:
    assert is_wide(PurePosixPath(folder), ME)


@pytest.mark.parametrize(
    "folder", ["/srv/people/me/project", "/srv/people/you", "/srv/peop", "/root/project", "/home/app", "/opt", "/tmp"]
)
def test_projects_are_not(folder: str) -> None:
    assert not is_wide(PurePosixPath(folder), ME)


def test_an_unknown_home_leaves_the_usual_places() -> None:
    assert is_wide(PurePosixPath("/"), None)
    assert is_wide(PurePosixPath("/home"), None)
    assert not is_wide(ME, None)


@pytest.mark.parametrize(("folder", "wide"), [("C:\\", True), ("C:\\Users", True), ("C:\\Users\\me\\x", False)])
def test_drives_are_roots(folder: str, wide: bool) -> None:
    assert is_wide(PureWindowsPath(folder), PureWindowsPath("C:\\Users\\me")) is wide
