"""`list_changes` and Lexa's `changes`: what happened to files, in order, for whoever may read them."""

from collections.abc import Callable
from pathlib import Path

from fastmcp import FastMCP
from tests.mcp.calls import call
from tests.mcp.dialects import ask

from cocosearch_py.app import App
from cocosearch_py.model.changes import Intent

Make = Callable[..., FastMCP]


def test_changes_are_followed_page_by_page(app: App, make: Make, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    for number in range(5):
        (sample_repo / f"new{number}.py").write_text(f"N = {number}\n")
    app.index(sample_repo, name="shop")
    edit = Intent(str(sample_repo), "new0.py", "replace", "tests", b"N = 0\n", b"N = 9\n")
    app.change_log.finish(app.change_log.begin(edit))
    server = make(project=sample_repo)  # which offers it without the toolset of edits, as it changes nothing
    seen, since = [], 0
    while True:
        answer = call(server, "list_changes", {"since_seq": since, "limit": 2}).payload
        seen += [one["seq"] for one in answer["changes"]]
        since = answer["next_since_seq"]
        if not answer.get("truncated"):
            break
    assert (seen, since, answer["seq"]) == ([1, 2, 3, 4, 5, 6], 6, 6)
    (newest,) = call(server, "list_changes", {"limit": 1}).payload["changes"]
    assert (newest["op"], newest["source"], newest["author"]) == ("replace", "agent", "tests")
    only = call(server, "list_changes", {"source": "watcher", "since_time": "2020-01-01"}).payload["changes"]
    assert [one["path"] for one in only] == [f"new{number}.py" for number in range(5)]
    later = call(server, "list_changes", {"since_seq": 4, "since_time": "2020-01-01"}).payload["changes"]
    assert [one["seq"] for one in later] == [5, 6]
    both = call(server, "list_changes", {"since_time": "2020-01-01", "since_ref": "HEAD"})
    assert (both.is_error, both.payload["error_type"]) == (True, "validation_error")
    assert ask(server, "status").payload["seq"] == 6
    app.catalog.clear("shop")
    assert call(server, "list_changes").payload["seq"] == 6

    reply = ask(server, "changes", since=5).payload
    assert {key: reply[key] for key in ("since", "count", "change_history_persisted", "changes")} == {
        "since": 5,
        "count": 1,
        "change_history_persisted": True,
        "changes": [{"path": "new0.py", "seq": 6, "op": "replace"}],
    }


def test_a_log_without_an_index_is_shown_to_those_alone_who_may_index_the_folder(
    app: App, make: Make, sample_repo: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    edit = Intent(str(secret), "a.py", "create", "tests", None, b"A = 1\n")
    app.change_log.finish(app.change_log.begin(edit))
    assert call(make(project=secret), "list_changes").payload["seq"] == 1
    for closed in (make(project=secret, roots=(sample_repo,)), make(project=secret, read_only=True)):
        assert call(closed, "list_changes").payload["error_type"] == "not_indexed"
