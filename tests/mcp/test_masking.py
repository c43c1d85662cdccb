"""Secrets of files in what clients are sent: masked everywhere, unless the user wants to see them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import ERAS, call
from tests.mcp.reading import read
from tests.odd_trees import git

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
# In two parts, so that nobody takes this file for one with secrets.
TOKEN = "gh" + "p_" + "Zx81kQ0vTrWm2LpYb7NcDs5HgJ9aEfUi4oXq"
KEY = "AK" + "IA" + "Q7ZJ2MWX5RTB8LNV"
PASSWORD = "Tr4v" + "-mu!k97"
CODE = f'''"""Uploads reports."""


def upload_report(path):
    """Upload a report to the bucket."""
    token = "{TOKEN}"
    return send(path, token, key="{KEY}")  # upload


def send(path, token, key):
    return path, token, key
'''


@pytest.fixture
def leaky(app: App, sample_repo: Path) -> Path:
    git(sample_repo, "init", "-q")
    git(sample_repo, "add", ".")
    git(sample_repo, "commit", "-qm", "first")
    (sample_repo / "shop/upload.py").write_text(CODE)
    (sample_repo / "deploy.yaml").write_text(f"upload:\n  db_password: {PASSWORD}\n")
    app.index(sample_repo, name="shop")
    return sample_repo


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_code", {"query": "upload report token"}),
    ("search_code", {"query": "upload report token", "compact": True}),
    ("search_code", {"query": "upload db_password"}),
    ("search_text", {"query": "token"}),
    ("search_text", {"query": "db_password"}),
    ("search_text", {"query": "db_password", "compact": True}),
    ("read_code", {"path": "shop/upload.py"}),
    ("read_code", {"path": "deploy.yaml"}),
    ("read_code", {"symbol": "upload_report"}),
    ("ask_codebase", {"question": "how is a report uploaded?"}),
    ("build_context", {"task": "upload a report with a token"}),
    ("find_symbol", {"name": "upload_report", "include_body": True}),
    ("find_references", {"symbol": "send"}),
    ("explain_symbol", {"symbol": "upload_report"}),
    ("get_diff_summary", {"since_ref": "HEAD"}),
    ("outline_file", {"path": "shop/upload.py"}),
    ("get_call_graph", {"symbol": "send"}),
    ("search", {"query": "upload report token"}),
    ("read", {"path": "shop/upload.py"}),
    ("read_source", {"path": "shop/upload.py", "symbol": "upload_report"}),
    ("search_repo", {"query": "upload report token", "index_id": "shop"}),
    ("ask_index", {"question": "how is a report uploaded?", "index_id": "shop"}),
)


def test_no_answer_shows_a_secret(make: Make, leaky: Path) -> None:
    server, masks = make(), 0
    for tool, arguments in CALLS:
        answer = call(server, tool, arguments)
        told = answer.text + json.dumps(answer.payload, ensure_ascii=False)
        assert [value for value in (TOKEN, KEY, PASSWORD) if value in told] == [], (tool, arguments)
        masks += "*" * len(PASSWORD) in told
    assert masks > 12, "the answers quote these lines"


@pytest.mark.parametrize("era", ERAS)
def test_a_resource_keeps_its_lines_and_columns(make: Make, leaky: Path, era: str) -> None:
    server = make()
    code = read(server, "cocosearch://file/shop/shop/upload.py", mode=era).text
    assert code == CODE.replace(TOKEN, "*" * len(TOKEN)).replace(KEY, "*" * len(KEY))
    assert read(server, "cocosearch://file/shop/deploy.yaml", mode=era).text == (
        f"upload:\n  db_password: {'*' * len(PASSWORD)}\n"
    )


def test_the_user_may_want_to_see_secrets(make: Make, leaky: Path) -> None:
    server = make(show_secrets=True)
    assert TOKEN in call(server, "read_code", {"path": "shop/upload.py"}).text
    assert TOKEN in read(server, "cocosearch://file/shop/shop/upload.py").text


def test_no_argument_shows_secrets(make: Make, leaky: Path) -> None:
    assert call(make(), "read_code", {"path": "shop/upload.py", "show_secrets": True}).is_error


@pytest.mark.parametrize("op", ["old_text", "content", "overwrite"])
def test_an_edit_that_quotes_a_mask_is_refused(make: Make, leaky: Path, op: str) -> None:
    server = make(toolsets=("default", "edit"))
    file = {"path": "shop/upload.py", "if_hash": call(server, "read_code", {"path": "shop/upload.py"}).payload["hash"]}
    mask = f'    token = "{"*" * len(TOKEN)}"'
    tool, arguments = {
        "old_text": ("patch_file", {"op": "replace", "old_text": mask, "content": "    token = read_token()"}),
        "content": ("patch_file", {"op": "replace", "range_start": 5, "range_end": 6, "content": f"    # x\n{mask}"}),
        "overwrite": ("create_file", {"overwrite": True, "content": CODE.replace(TOKEN, "*" * len(TOKEN))}),
    }[op]
    refused = call(server, tool, {**file, **arguments}).payload
    assert refused["error_type"] == "safety_error"
    assert "the edit contains a secret of shop/upload.py in masked form" in refused["message"]
    assert (leaky / "shop/upload.py").read_text() == CODE


def test_other_lines_of_the_file_can_be_edited(make: Make, leaky: Path) -> None:
    server = make(toolsets=("default", "edit"))
    known = call(server, "read_code", {"path": "shop/upload.py"}).payload["hash"]
    edit = {"path": "shop/upload.py", "op": "replace", "old_text": "to the bucket", "content": "to the ** bucket"}
    done = call(server, "patch_file", {**edit, "if_hash": known})
    assert not done.is_error and TOKEN not in done.text
    assert (leaky / "shop/upload.py").read_text() == CODE.replace("to the bucket", "to the ** bucket")


def test_an_error_that_quotes_a_file_masks_it(make: Make, leaky: Path) -> None:
    server = make(toolsets=("default", "edit"))
    known = call(server, "read_code", {"path": "shop/upload.py"}).payload["hash"]
    (leaky / "shop/upload.py").write_text(CODE.replace(TOKEN, TOKEN[::-1].replace("_phg", "") + "9"))
    edit = {"path": "shop/upload.py", "op": "replace", "old_text": "to the bucket", "content": "x"}
    refused = call(server, "patch_file", {**edit, "if_hash": known})
    assert refused.payload["error_type"] == "conflict"
    assert TOKEN not in refused.text
