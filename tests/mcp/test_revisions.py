"""The parameter `rev`: answers from a branch, tag or commit, beside those of the folder."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from tests.mcp.calls import Answer, call

from cocosearch_py.app import App
from cocosearch_py.tools import revisions

Make = Callable[..., FastMCP]
OLD = 'def checkout_with_voucher(voucher):\n    """Take a voucher at the till."""\n    return voucher\n'
NEW = 'def checkout_with_card(card):\n    """Take a card at the till."""\n    return card\n'


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(sample_repo: Path, app: App) -> Path:
    """The sample with one more file in two versions, `v1` and `main`; indexed as on disk, with an edit."""
    git(sample_repo, "init", "-q", "-b", "main")
    (sample_repo / "shop" / "till.py").write_text(OLD)
    (sample_repo / "shop" / "gone.py").write_text("def only_in_the_first(): ...\n")
    git(sample_repo, "add", "-A")
    git(sample_repo, "commit", "-qm", "one")
    git(sample_repo, "tag", "v1")
    (sample_repo / "shop" / "till.py").write_text(NEW)
    git(sample_repo, "rm", "-q", "shop/gone.py")
    git(sample_repo, "commit", "-qam", "two")
    (sample_repo / "shop" / "edited.py").write_text("def not_committed_yet(): ...\n")
    app.index(sample_repo, name="shop")
    return sample_repo


def search(server: Any, query: str, **asked: Any) -> Answer:
    answer = call(server, "search_code", {"query": query, **asked})
    assert not answer.is_error, answer.text
    return answer


def test_two_revisions_answer_differently_at_the_same_time(make: Make, repository: Path) -> None:
    server = make()
    for _ in range(2):  # made by the first call, there at the second
        old, new = (search(server, "take a payment at the till", rev=rev) for rev in ("v1", "main"))
        assert [answer.hits[0]["symbol_name"] for answer in (old, new)] == [
            "checkout_with_voucher",
            "checkout_with_card",
        ]
        assert all(hit["file_path"].startswith(f"{repository}/") for hit in (*old.hits, *new.hits))
        assert not old.notes("stale_results") and not old.notes("branch_staleness_warning")
        names = {answer.notes("search_context")[0]["index_name"] for answer in (old, new)}
        assert names == {f"shop@{git(repository, 'rev-parse', rev)[:12]}" for rev in ("v1", "main")}
    commit = git(repository, "rev-parse", "v1")[:12]
    assert old.notes("warning")[0]["message"] == f"v1 is commit {commit}, in index 'shop@{commit}'"


def test_calls_at_once_get_their_own_revisions(make: Make, repository: Path) -> None:
    """More of them than one process answers: some searches go to others."""
    server = make()
    wanted = {"v1": "checkout_with_voucher", "main": "checkout_with_card", "HEAD": "checkout_with_card"}
    for rev in wanted:
        search(server, "take a payment at the till", rev=rev)

    async def ask(client: Client[Any], rev: str) -> tuple[str, Answer]:
        asked = {"query": "take a payment at the till", "rev": rev}
        return rev, Answer(await client.call_tool("search_code", asked, raise_on_error=False))

    async def go() -> list[tuple[str, Answer]]:
        async with Client(server, mode="legacy") as client:
            return await asyncio.gather(*(ask(client, rev) for rev in [*wanted] * 4))

    for rev, answer in asyncio.run(go()):
        assert answer.hits[0]["symbol_name"] == wanted[rev], rev


def test_what_was_interrupted_or_is_outdated_is_made_again(make: Make, repository: Path, app: App) -> None:
    server = make()
    search(server, "take a voucher", rev="v1")
    name = _of_commit(server, "v1", repository)
    for change in ("status = 'interrupted'", "format_version = 1"):
        with app.database.writing() as conn:
            conn.execute(f"UPDATE cocosearch_py.indexes SET {change} WHERE name = %s", [name])
        assert not search(server, "take a voucher", rev="v1").notes("incomplete_index")
    with app.database.writing() as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET status = 'interrupted' WHERE name = %s", [name])
    assert search(make(read_only=True), "take a voucher", rev="v1").notes("incomplete_index")


def test_every_tool_answers_from_the_commit(make: Make, repository: Path) -> None:
    server = make()
    found = call(server, "find_symbol", {"name": "checkout_with_voucher", "rev": "v1"}).payload
    assert [one["file_path"] for one in found["definitions"]] == [str(repository / "shop/till.py")]
    assert call(server, "find_symbol", {"name": "checkout_with_voucher"}).payload["total"] == 0
    lines = call(server, "search_text", {"query": "return voucher", "rev": "v1"}).payload
    assert [(one["line"], one["text"].strip()) for one in lines["matches"]] == [(3, "return voucher")]
    assert call(server, "search_text", {"query": "return voucher"}).payload["total"] == 0
    outline = call(server, "outline_file", {"path": "shop/gone.py", "rev": "v1"}).payload
    assert [one["name"] for one in outline["symbols"]] == ["only_in_the_first"]
    assert call(server, "outline_file", {"path": "shop/gone.py"}).is_error
    for rev, there in (("v1", {"shop/gone.py"}), ("main", set()), ("HEAD", {"shop/edited.py"})):
        listed = call(server, "list_files", {"rev": rev, "view": "paths"}).payload["paths"]
        assert {"shop/gone.py", "shop/edited.py"} & set(listed) == there, rev
    read = call(server, "read_code", {"path": str(repository / "shop/till.py"), "rev": "v1"}).payload
    assert (read["source"] + "\n", read["rev"], "stale" in read) == (OLD, "v1", False)
    assert call(server, "read_code", {"path": "shop/gone.py#only_in_the_first", "rev": "v1"}).payload["start_line"] == 1


def test_nothing_on_disk_changes_what_a_commit_says(make: Make, repository: Path) -> None:
    server = make()
    before = search(server, "take a voucher", rev="v1").hits
    for path in repository.glob("shop/*"):
        path.unlink()
    assert search(server, "take a voucher", rev="v1").hits == before
    assert call(server, "read_code", {"symbol": "checkout_with_voucher", "rev": "v1"}).payload["source"] + "\n" == OLD
    members = call(server, "list_workspace_members", {"index_name": _of_commit(server, "v1", repository)}).payload
    assert "warnings" not in members


def test_a_commit_that_is_indexed_is_found_without_its_repository(make: Make, repository: Path) -> None:
    server, commit = make(), git(repository, "rev-parse", "v1")
    before = search(server, "take a voucher", rev="v1", index_name="shop").hits
    shutil.rmtree(repository / ".git")
    assert search(server, "take a voucher", rev=commit, index_name="shop").hits == before
    assert call(server, "search_code", {"query": "x", "rev": "v1", "index_name": "shop"}).is_error


def _of_commit(server: Any, rev: str, repository: Path) -> str:
    """Name of the listed index of a commit."""
    commit = git(repository, "rev-parse", rev)
    return next(one["name"] for one in call(server, "list_indexes").payload if one.get("commit") == commit)


def test_a_branch_that_moves_never_answers_for_the_old_commit(make: Make, repository: Path) -> None:
    server = make()
    git(repository, "branch", "topic", "v1")
    assert search(server, "take a payment", rev="topic").hits[0]["symbol_name"] == "checkout_with_voucher"
    git(repository, "branch", "-f", "topic", "main")
    assert search(server, "take a payment", rev="topic").hits[0]["symbol_name"] == "checkout_with_card"
    listed = {one.get("commit"): one for one in call(server, "list_indexes").payload}
    assert {git(repository, "rev-parse", rev) for rev in ("v1", "main")} <= listed.keys()
    assert not {"commit", "rev"} & listed[None].keys()


def test_head_is_the_folder_with_what_is_not_committed(make: Make, repository: Path) -> None:
    answer = search(make(), "not committed yet", rev="HEAD")
    assert answer.hits[0]["symbol_name"] == "not_committed_yet"
    told = answer.notes("warning")[0]["message"]
    assert told == "HEAD: the answer comes from the folder's index 'shop', including uncommitted changes"


def test_head_is_the_folder_also_without_git(make: Make, shop: Path) -> None:
    assert search(make(), "add an item to the cart", rev="HEAD").hits
    assert call(make(), "index_codebase", {"path": ".", "rev": "HEAD"}).payload["index_name"] == "shop"
    refused = call(make(), "search_code", {"query": "cart", "rev": "main"})
    assert refused.is_error and refused.payload["error_type"] == "not_found"


def test_what_takes_long_is_a_job(make: Make, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "CHEAP_BYTES", -1)
    server = make()
    refused = call(server, "find_symbol", {"name": "checkout_with_voucher", "rev": "v1"})
    assert refused.is_error and refused.payload["error_type"] == "not_indexed"
    details = refused.payload["details"]
    assert details["commit"] == git(repository, "rev-parse", "v1")
    assert details["index_name"] == f"shop@{details['commit'][:12]}"
    assert details["job_id"] in refused.payload["actionable_guidance"][0]
    ended = call(server, "index_status", {"job_id": details["job_id"], "wait_s": 20}).payload
    assert (ended["state"], ended["index_name"]) == ("completed", details["index_name"])
    found = call(server, "find_symbol", {"name": "checkout_with_voucher", "rev": "v1"}).payload
    assert found["total"] == 1


def test_reading_starts_no_long_job(make: Make, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "CHEAP_BYTES", -1)
    server = make()
    read = call(server, "read_code", {"path": "shop/till.py", "rev": "v1"}).payload
    assert read["source"] + "\n" == OLD
    assert [one["name"] for one in call(server, "list_indexes").payload] == ["shop"]
    assert call(server, "index_status").payload["jobs"] == []


def test_who_may_not_index_has_no_commit_indexed(make: Make, repository: Path, app: App) -> None:
    server = make(read_only=True)
    refused = call(server, "search_code", {"query": "take a voucher", "rev": "v1"})
    assert refused.is_error and "may not build one" in refused.payload["actionable_guidance"][0]
    assert [one.name for one in app.catalog.list_all()] == ["shop"]
    call(make(), "index_codebase", {"path": ".", "rev": "v1"})
    assert search(server, "take a voucher", rev="v1").hits[0]["symbol_name"] == "checkout_with_voucher"


def test_git_is_not_asked_about_folders_that_are_none_of_a_clients_business(
    make: Make, repository: Path, app: App, git_runs: Callable[[], list[str]]
) -> None:
    app.catalog.clear("shop")
    server = make(read_only=True)
    for rev in ("v1", "no-such-branch"):
        refused = call(server, "search_code", {"query": "x", "rev": rev})
        assert refused.payload["error_type"] == "not_indexed"
    assert not [run for run in git_runs() if "rev-parse --verify" in run]


def test_index_codebase_makes_the_index_of_a_commit(make: Make, repository: Path) -> None:
    server = make()
    made = call(server, "index_codebase", {"path": ".", "rev": "v1"}).payload
    assert made["index_name"] == f"shop@{git(repository, 'rev-parse', 'v1')[:12]}"
    again = call(server, "index_codebase", {"path": ".", "rev": git(repository, "rev-parse", "v1")[:10]}).payload
    assert again["index_name"] == made["index_name"] and again["stats"]["files_added"] == 0
    same = call(server, "index_codebase", {"path": ".", "rev": "HEAD"}).payload
    assert same["index_name"] == "shop"
    cleared = call(server, "clear_index", {"index_name": made["index_name"], "confirm": True})
    assert not cleared.is_error, cleared.text
    assert [one["name"] for one in call(server, "list_indexes").payload] == ["shop"]


def test_a_folder_that_is_not_indexed_itself_answers_from_its_commits(
    make: Make, repository: Path, app: App, tmp_path: Path
) -> None:
    app.catalog.clear("shop")
    server = make()
    assert search(server, "take a voucher", rev="v1").hits[0]["symbol_name"] == "checkout_with_voucher"
    for asked in ({}, {"rev": "HEAD"}):
        refused = call(server, "search_code", {"query": "take a voucher", **asked})
        assert refused.is_error and refused.payload["error_type"] == "not_indexed"
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    of_bare = make(project=bare, working_folder=bare)
    assert search(of_bare, "take a card", rev="HEAD").hits[0]["symbol_name"] == "checkout_with_card"


@pytest.mark.parametrize("tool", ["search_code", "search_text", "find_symbol", "outline_file", "list_files"])
@pytest.mark.parametrize(
    ("rev", "kind"),
    [("--upload-pack=x", "validation_error"), ("-h", "validation_error"), ("no-such-branch", "not_found")],
)
def test_wrong_revisions_are_refused(make: Make, repository: Path, tool: str, rev: str, kind: str) -> None:
    asked: dict[str, Any] = {"rev": rev}
    if tool != "list_files":
        asked |= {"find_symbol": {"name": "x"}, "outline_file": {"path": "shop/till.py"}}.get(tool, {"query": "x"})
    refused = call(make(), tool, asked)
    assert refused.is_error and refused.payload["error_type"] == kind


def test_what_changed_is_told_of_the_commit(make: Make, repository: Path) -> None:
    server = make()
    call(server, "index_codebase", {"path": ".", "rev": "main"})
    name = _of_commit(server, "main", repository)
    changed = call(server, "get_diff_summary", {"since_ref": "v1", "index_name": name}).payload
    assert (changed["files_modified"], changed["files_removed"]) == (["shop/till.py"], ["shop/gone.py"])
    assert (changed["files_added"], changed["to_ref"]) == ([], git(repository, "rev-parse", "main"))
    assert call(server, "get_diff_summary", {"since_ref": "v1"}).payload["files_added"] == ["shop/edited.py"]
    impact = call(server, "get_impact", {"since_ref": "v1", "index_name": name})
    assert "edited.py" not in impact.text
    spots = call(server, "get_hotspots", {"index_name": name})
    assert not spots.is_error, spots.text


def test_mimir_indexes_a_revision(make: Make, repository: Path) -> None:
    server = make()
    begun = call(server, "ensure_repo_index", {"path": str(repository), "rev": "v1"}).payload
    for job in call(server, "index_status").payload["jobs"]:
        call(server, "index_status", {"job_id": job["job_id"], "wait_s": 20})
    listed = {one["name"]: one["index_id"] for one in call(server, "list_indexes").payload}
    assert listed[_of_commit(server, "v1", repository)] == begun["index_id"]


def test_a_shallow_clone_says_so(make: Make, repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    server = make(project=clone, working_folder=clone)
    refused = call(server, "index_codebase", {"path": ".", "rev": git(repository, "rev-parse", "v1")})
    assert refused.is_error and "shallow" in refused.payload["actionable_guidance"][0]


def test_a_failed_run_is_told(make: Make, repository: Path) -> None:
    git(repository, "rm", "-rqf", ".")
    git(repository, "commit", "-qm", "nothing left")
    refused = call(make(), "search_text", {"query": "x", "rev": "main"})
    assert refused.is_error and "no files in" in refused.payload["message"]


def test_several_indexes_are_asked_at_their_own_commits(make: Make, repository: Path, app: App, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(repository), str(other))
    app.index(other, name="other")
    server = make(roots=(tmp_path,))
    found = call(server, "find_symbol", {"name": "checkout*", "index_names": ["shop", "other"], "rev": "v1"}).payload
    commit = git(repository, "rev-parse", "v1")[:12]
    assert {one["index_name"] for one in found["definitions"]} == {f"shop@{commit}", f"other@{commit}"}
    assert {one["name"] for one in found["definitions"]} == {"checkout_with_voucher"}
