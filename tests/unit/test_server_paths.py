"""The spellings of one folder: Windows, WSL, and a system without drives."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.server.paths import WINDOWS_DRIVES, WSL_DRIVES, local_path, path_of_uri, wsl_drives

ONE_FOLDER = (
    "C:\\Users\\me\\app",
    "c:\\Users\\me\\app",
    "C:/Users/me/app",
    "c:/Users\\me/app",
    "\\\\?\\C:\\Users\\me\\app",
    "/c/Users/me/app",
    "/C/Users/me/app",
    "/mnt/c/Users/me/app",
    "/cygdrive/c/Users/me/app",
    "file:///C:/Users/me/app",
    "file:///c:/Users/me/app",
    "file:///c%3A/Users/me/app",
    "file://localhost/C:/Users/me/app",
    "file:/C:/Users/me/app",
    "FILE:///C:/Users/me/app",
    "file:///mnt/c/Users/me/app",
)


@pytest.mark.parametrize("text", ONE_FOLDER)
def test_all_forms_mean_one_folder(text: str) -> None:
    assert local_path(text, WINDOWS_DRIVES) == "C:/Users/me/app"
    assert local_path(text, WSL_DRIVES) == "/mnt/c/Users/me/app"
    assert local_path(text, "/") == "/c/Users/me/app"


@pytest.mark.parametrize("text", [text for text in ONE_FOLDER if not text.lower().startswith("file:")])
def test_without_drives_a_path_is_what_it_says(text: str) -> None:
    assert local_path(text, None) == text


@pytest.mark.parametrize(
    ("text", "windows", "wsl", "linux"),
    [
        ("C:", "C:/", "/mnt/c/", "C:"),
        ("C:\\", "C:/", "/mnt/c/", "C:\\"),
        ("/c", "C:/", "/mnt/c/", "/c"),
        ("/mnt/d", "D:/", "/mnt/d/", "/mnt/d"),
        ("C:x", "C:x", "C:x", "C:x"),
        ("src\\app", "src\\app", "src\\app", "src\\app"),
        ("src/app", "src/app", "src/app", "src/app"),
        (".", ".", ".", "."),
        ("", "", "", ""),
        ("~/app", "~/app", "~/app", "~/app"),
        ("/home/me/app", "/home/me/app", "/home/me/app", "/home/me/app"),
        ("/mnt/data/app", "/mnt/data/app", "/mnt/data/app", "/mnt/data/app"),
        ("/cc/x", "/cc/x", "/cc/x", "/cc/x"),
        ("C:/a/../../etc", "C:/a/../../etc", "/mnt/c/a/../../etc", "C:/a/../../etc"),
        ("file:///home/me/my%20app", "/home/me/my app", "/home/me/my app", "/home/me/my app"),
        ("file:///C:/x", "C:/x", "/mnt/c/x", "/C:/x"),
        ("file://server/share", "file://server/share", "file://server/share", "file://server/share"),
        ("file:relative", "file:relative", "file:relative", "file:relative"),
        ("file:///c%3A%5Cx", "C:/x", "/mnt/c/x", "/c:\\x"),
    ],
)
def test_what_is_on_no_drive_stays(text: str, windows: str, wsl: str, linux: str) -> None:
    assert (local_path(text, WINDOWS_DRIVES), local_path(text, WSL_DRIVES), local_path(text, None)) == (
        windows,
        wsl,
        linux,
    )


@pytest.mark.parametrize("uri", ["https://example.org/x", "file://elsewhere/x", "untitled:x", "", "file://[/x"])
def test_roots_elsewhere_are_none(uri: str) -> None:
    assert path_of_uri(uri, None) is None
    assert path_of_uri(uri, WSL_DRIVES) is None


@given(text=st.text(), drives=st.sampled_from([WINDOWS_DRIVES, WSL_DRIVES, None]))
def test_the_local_form_is_final(text: str, drives: str | None) -> None:
    once = local_path(text, drives)
    if not once.lower().startswith("file:"):
        assert local_path(once, drives) == once


@given(parts=st.lists(st.text(min_size=1).filter(lambda part: "/" not in part and "\0" not in part), min_size=1))
def test_the_uri_of_a_folder_leads_back_to_it(parts: list[str]) -> None:
    path = Path("/", *(part.encode("utf-8", "replace").decode() for part in parts))
    assert Path(path_of_uri(path.as_uri(), None) or "") == path


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("", "/mnt/"),
        ("[automount]\nroot = /windows\n", "/windows/"),
        ("[automount]\nroot=/\n", "/"),
        ('[automount]\nroot = "/drives/"\n', "/drives/"),
        ("[automount]\nroot = here\n", "/mnt/"),
        ("no section\n", "/mnt/"),
        ("[boot]\ncommand = echo %d\n", "/mnt/"),
    ],
)
def test_the_drives_of_wsl(tmp_path: Path, text: str, root: str) -> None:
    (tmp_path / "wsl.conf").write_text(text)
    assert wsl_drives(tmp_path / "wsl.conf") == root
    assert wsl_drives(tmp_path / "missing") == "/mnt/"
