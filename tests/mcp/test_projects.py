"""Which project a call is about, in both protocol eras."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import ERAS, call

from cocosearch_py.app import App
from cocosearch_py.catalog.selection import index_of_folder, project_root

Make = Callable[..., FastMCP]
QUERY = {"query": "retry with backoff", "limit": 1}


@pytest.fixture
def two(app: App, tmp_path: Path, write_sample: Callable[[Path], Path]) -> tuple[Path, Path]:
    """Two indexed projects, `one` and `two`."""
    folders = tuple(write_sample(tmp_path / name) for name in ("one", "two"))
    for folder in folders:
        app.index(folder)
    return folders[0], folders[1]


@pytest.mark.parametrize("era", ERAS)
def test_client_roots_win_over_the_servers_project(make: Make, two: tuple[Path, Path], era: str) -> None:
    answer = call(make(project=two[0]), "search_code", QUERY, mode=era, roots=[two[1].as_uri()])
    header = answer.payload[0]
    assert (header["index_name"], header["detected_by"]) == ("two", "roots")
    assert answer.hits[0]["file_path"].startswith(str(two[1]))


@pytest.mark.parametrize("era", ERAS)
def test_an_explicit_name_wins_over_roots(make: Make, two: tuple[Path, Path], era: str) -> None:
    answer = call(make(), "search_code", {**QUERY, "index_name": "one"}, mode=era, roots=[two[1].as_uri()])
    assert answer.payload[:-1] == answer.hits, "no header, as the index was named"
    assert answer.hits[0]["file_path"].startswith(str(two[0]))


def test_the_first_root_that_has_an_index_counts(make: Make, two: tuple[Path, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = call(make(), "search_code", QUERY, roots=[empty.as_uri(), two[1].as_uri()])
    assert answer.payload[0]["index_name"] == "two"


def test_a_client_with_roots_is_never_answered_from_elsewhere(
    make: Make, two: tuple[Path, Path], tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = call(make(project=two[0]), "search_code", QUERY, roots=[empty.as_uri()])
    assert answer.is_error
    assert answer.payload["details"] == {
        "detected_path": str(empty),
        "detected_by": "roots",
        "suggested_index_name": "empty",
    }


def test_roots_of_another_machine_do_not_count(make: Make, two: tuple[Path, Path]) -> None:
    roots = ["file:///no/such/folder/here", "file://elsewhere.example.org/tmp"]
    answer = call(make(project=two[0]), "search_code", QUERY, roots=roots)
    assert (answer.payload[0]["index_name"], answer.payload[0]["detected_by"]) == ("one", "server project")


def test_without_anything_the_working_folder_counts(make: Make, two: tuple[Path, Path]) -> None:
    answer = call(make(project=None, working_folder=two[1] / "shop"), "search_code", QUERY)
    assert (answer.payload[0]["index_name"], answer.payload[0]["detected_by"]) == ("two", "working folder")


def test_a_pinned_index_answers_calls_without_a_name(make: Make, two: tuple[Path, Path]) -> None:
    answer = call(make(pinned="two", project=two[0]), "search_code", QUERY)
    assert answer.hits[0]["file_path"].startswith(str(two[1]))


def test_two_indexes_at_once_are_merged_by_score(make: Make, two: tuple[Path, Path]) -> None:
    answer = call(make(), "search_code", {**QUERY, "limit": 6, "index_names": ["one", "two", "gone"]})
    assert {hit["index_name"] for hit in answer.hits} == {"one", "two"}
    scores = [hit["score"] for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert [note["message"] for note in answer.notes("warning")] == ["Index 'gone' not found"]


def test_a_linked_worktree_is_not_answered_from_the_checkout_around_it(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    (main / "a.py").write_text("x = 1\n")
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("commit", "-qm", "one"),
        ("worktree", "add", "-q", "wt", "-b", "w"),
    ):
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(main), *who, *arguments], check=True, capture_output=True)
    record = SimpleNamespace(name="main", commit=None, root_path=str(main))
    inside = main / "src"
    inside.mkdir()
    assert index_of_folder([record], inside) is record  # type: ignore[list-item]
    assert project_root(main / "wt") == main / "wt"
    assert index_of_folder([record], main / "wt") is None  # type: ignore[list-item]
    own = SimpleNamespace(name="wt", commit=None, root_path=str(main / "wt"))
    assert index_of_folder([record, own], main / "wt") is own  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("marker", "answered"),
    [
        (None, True),
        ("package.json", True),
        (".git", False),
        ("cocosearch.yaml", False),
        ("cocosearch-py.yml", False),
        ("gitdir: ../.git/modules/inner", True),
        ("gitdir: " + "../" * 2_000 + ".git/modules/inner", True),
        ("gitdir: /x/tree/.git/worktrees/two/modules/inner", True),
        ("gitdir: /x/tree/.git/modules/inner/worktrees/two", False),
        ("gitdir: /x/modules/elsewhere", False),
    ],
)
def test_an_index_above_a_project_does_not_answer_for_it(tmp_path: Path, marker: str | None, answered: bool) -> None:
    record = SimpleNamespace(name="tree", commit=None, root_path=str(tmp_path))
    folder = tmp_path / "inner"
    deep = folder / "a" / "b" / "c"
    deep.mkdir(parents=True)
    if marker is not None and marker.startswith("gitdir:"):
        (folder / ".git").write_text(f"{marker}\n")
    elif marker is not None:
        (folder / marker).mkdir() if marker == ".git" else (folder / marker).touch()
    expected = record if answered else None
    assert index_of_folder([record], deep) is expected  # type: ignore[list-item]
    assert index_of_folder([record], folder) is expected  # type: ignore[list-item]
    own = SimpleNamespace(name="inner", commit=None, root_path=str(folder))
    assert index_of_folder([record, own], deep) is own  # type: ignore[list-item]


def test_a_git_file_of_any_size_is_read_at_its_beginning_only(tmp_path: Path) -> None:
    record = SimpleNamespace(name="tree", commit=None, root_path=str(tmp_path))
    folder = tmp_path / "inner"
    folder.mkdir()
    with (folder / ".git").open("wb") as file:
        file.truncate(2**40)
    assert index_of_folder([record], folder) is None  # type: ignore[list-item]


@pytest.mark.parametrize("wide", ["/", "home", "above"])
def test_an_index_of_everything_answers_only_for_its_own_folder(tmp_path: Path, wide: str) -> None:
    home = tmp_path / "people" / "me"
    project = home / "project"
    project.mkdir(parents=True)
    folder = {"/": Path("/"), "home": home, "above": home.parent}[wide]
    record = SimpleNamespace(name="everything", commit=None, root_path=str(folder))
    assert index_of_folder([record], project, home) is None  # type: ignore[list-item]
    assert index_of_folder([record], folder, home) is record  # type: ignore[list-item]
    own = SimpleNamespace(name="project", commit=None, root_path=str(project))
    assert index_of_folder([record, own], project / "src", home) is own  # type: ignore[list-item]


def test_a_name_of_another_folder_is_refused_with_remedies(make: Make, two: tuple[Path, Path]) -> None:
    answer = call(make(project=two[1]), "index_codebase", {"path": ".", "index_name": "one"})
    assert answer.payload["error_type"] == "index_collision"
    guidance = answer.payload["actionable_guidance"][0]
    assert "another name" in guidance
    assert "clear" in guidance


@pytest.fixture
def drive(app: App, tmp_path: Path, write_sample: Callable[[Path], Path]) -> Path:
    """`C:` of a system that has its drives in a folder, as WSL has; C:\\work\\shop is indexed."""
    app.index(write_sample(tmp_path / "mnt/c/work/shop"))
    return tmp_path / "mnt/c"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("uri", ["file:///C:/work/shop", "file:///c%3A/work/shop", "file:///c/work/shop"])
def test_roots_of_a_client_on_windows(make: Make, drive: Path, era: str, uri: str) -> None:
    server = make(drives=f"{drive.parent}/", project=None, working_folder=drive)
    answer = call(server, "search_code", QUERY, mode=era, roots=[uri])
    assert answer.payload[0]["root_path"] == str(drive / "work/shop")


def test_paths_of_a_client_on_windows_name_one_root(make: Make, drive: Path) -> None:
    server = make(drives=f"{drive.parent}/", project=drive / "work", roots=(drive / "work",))
    spellings = ("C:\\work\\shop", "c:/work/shop", "/c/work/shop", "/mnt/c/work/shop", "file:///C:/work/shop", "shop")
    answers = [call(server, "index_codebase", {"path": path}).payload for path in spellings]
    assert {answer["path"] for answer in answers} == {str(drive / "work/shop")}
    assert len(call(server, "list_indexes").payload) == 1


@pytest.mark.parametrize(
    "path",
    ["C:\\", "C:\\work\\..\\other", "/c/other", "file:///C:/work/../other", "D:\\x", "file:///etc", "C:\\work\\link"],
)
def test_no_spelling_leads_out_of_the_root(make: Make, drive: Path, path: str) -> None:
    (drive / "other").mkdir()
    (drive / "work/link").symlink_to(drive / "other")
    server = make(drives=f"{drive.parent}/", project=drive / "work", roots=(drive / "work",))
    answer = call(server, "index_codebase", {"path": path})
    assert (answer.is_error, answer.payload["error_type"]) == (True, "safety_error")


def test_where_there_are_no_drives_only_uris_are_read(make: Make, shop: Path) -> None:
    server = make(drives=None, roots=(shop,))
    assert call(server, "index_codebase", {"path": shop.as_uri()}).payload["path"] == str(shop)
    assert call(server, "index_codebase", {"path": "C:\\shop"}).payload["error_type"] == "workspace_error"
    assert call(server, "index_codebase", {"path": "file:///%00"}).payload["error_type"] == "validation_error"
