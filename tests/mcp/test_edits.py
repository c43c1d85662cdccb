"""The tools `patch_file` and `create_file`: what they write, what they refuse, what a caller learns of a conflict."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.elicitation import ElicitResult
from tests.mcp.calls import ERAS, Answer, call

from cocosearch_py.app import App
from cocosearch_py.config.serving import EditSettings
from cocosearch_py.errors import ConfigurationError

Make = Callable[..., FastMCP]
ON = {"toolsets": ("default", "edit")}
CART = "shop/cart.py"


@pytest.fixture(autouse=True)
def patient(app: App) -> None:
    app.repair_wait_s = 60.0


def digest(file: Path) -> str:
    return blake2b(file.read_bytes(), digest_size=16).hexdigest()


def patch(server: FastMCP, file: Path, **arguments: Any) -> Answer:
    """Patch a file with the hash that it has."""
    return call(server, "patch_file", {"path": str(file), "if_hash": digest(file), **arguments})


def settled(app: App, **changes: Any) -> None:
    app.settings = replace(app.settings, edit=EditSettings(**changes))
    for name in ("editor", "undoing"):
        app.__dict__.pop(name, None)


def test_an_edit_is_in_the_next_answer(make: Make, shop: Path) -> None:
    server, cart = make(**ON), shop / CART
    read = call(server, "read_code", {"path": CART}).payload
    lines = cart.read_text().split("\n")
    answer = call(
        server,
        "patch_file",
        {"path": CART, "op": "insert", "after": 1, "content": "ZEBRA_LIMIT = 7\n", "if_hash": read["hash"]},
    ).payload
    assert cart.read_text().split("\n") == [lines[0], "ZEBRA_LIMIT = 7", *lines[1:]]
    assert (answer["applied"], answer["reindexed"], answer["seq"]) == (True, True, 1)
    assert (answer["start_line"], answer["end_line"], answer["hash"]) == (2, 2, digest(cart))
    assert "+ZEBRA_LIMIT = 7" in answer["diff"].split("\n")
    assert answer["parse_status"] == {"before": "ok", "after": "ok"}
    found = call(server, "search_text", {"query": "ZEBRA_LIMIT"}).payload
    assert [item["line"] for item in found["matches"]] == [2]
    again = {"path": CART, "op": "delete", "range_start": 2, "if_hash": answer["hash"]}
    assert call(server, "patch_file", again).payload["seq"] == 2
    assert cart.read_text().split("\n") == lines
    assert call(server, "search_text", {"query": "ZEBRA_LIMIT"}).payload["matches"] == []


def test_a_new_file_is_in_the_next_answer(make: Make, shop: Path) -> None:
    server = make(**ON)
    asked = {"path": "shop/new/deep/yak.py", "content": "def shave_yak():\n    return 1\n"}
    told = call(server, "create_file", {**asked, "dry_run": True}).payload
    assert (told["created"], told["applied"], (shop / "shop" / "new").exists()) == (False, False, False)
    answer = call(server, "create_file", asked).payload
    assert (answer["created"], answer["indexed"], answer["hash"]) == (True, True, told["hash"])
    assert (shop / asked["path"]).read_text() == asked["content"]
    (found,) = call(server, "find_symbol", {"name": "shave_yak"}).payload["definitions"]
    assert found["file_path"] == str(shop / asked["path"])
    there = call(server, "create_file", asked)
    assert (there.payload["error_type"], "already exists" in there.payload["message"]) == ("safety_error", True)
    over = {**asked, "content": "def shave_two_yaks():\n    return 2\n", "overwrite": True}
    assert call(server, "create_file", over).payload["error_type"] == "validation_error"
    written = call(server, "create_file", {**over, "if_hash": answer["hash"]}).payload
    assert (written["created"], written["applied"], written["seq"]) == (False, True, 2)
    assert call(server, "find_symbol", {"name": "shave_two_yaks"}).payload["definitions"]


def test_no_file_becomes_a_secret(make: Make, shop: Path) -> None:
    server, key = make(**ON), "-----BEGIN PRIVATE KEY-----\nMIIB\n"
    created = call(server, "create_file", {"path": "shop/key.txt", "content": key})
    assert (created.payload["error_type"], (shop / "shop" / "key.txt").exists()) == ("safety_error", False)
    file = shop / "shop" / "sums.py"
    call(server, "create_file", {"path": "shop/sums.py", "content": "A = 1\n"})
    edited = patch(server, file, op="replace", range_start=1, content=key)
    assert edited.payload["error_type"] == "safety_error"
    assert file.read_text() == "A = 1\n"


def test_every_address_of_an_edit(make: Make, shop: Path) -> None:
    server, file = make(**ON), shop / "shop" / "sums.py"
    call(server, "create_file", {"path": "shop/sums.py", "content": "A = 1\nB = 2\n\n\ndef f():\n    return A\n"})
    patch(server, file, range_start=2, content="B = 3")
    patch(server, file, old_text="return A", content="return A + B")
    patch(server, file, op="insert", anchor="def f", placement="before", content="# sums\n")
    patch(server, file, symbol="f", content="def f():\n    return B\n")
    patch(server, file, op="delete", old_text="A = 1\n")
    assert file.read_text() == "B = 3\n\n\n# sums\ndef f():\n    return B\n"
    patch(server, file, op="delete", symbol="f")
    assert file.read_text() == "B = 3\n\n\n# sums\n"
    same = patch(server, file, range_start=1, content="B = 3").payload
    assert (same["applied"], "seq" in same, len(same["warnings"])) == (False, False, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        {"range_start": 1},
        {"range_start": 1, "old_text": "a", "content": ""},
        {"op": "insert", "range_start": 1, "content": "x"},
        {"op": "insert", "after": 1, "anchor": "import", "content": "x"},
        {"op": "delete", "after": 1},
        {"op": "delete", "range_start": 1, "content": "x"},
        {"op": "remove", "range_start": 1},
        {"range_end": 3, "content": "x"},
        {"range_start": 3, "range_end": 2, "content": "x"},
        {"range_start": 9_999, "content": "x"},
        {"old_text": "", "content": "x"},
        {"range_start": 1, "content": "x", "preview": "none"},
        {"op": "insert", "anchor": "import", "placement": "on", "content": "x"},
    ],
)
def test_addresses_that_cannot_be(make: Make, shop: Path, arguments: dict[str, Any]) -> None:
    before = (shop / CART).read_bytes()
    assert patch(make(**ON), shop / CART, **arguments).payload["error_type"] == "validation_error"
    assert (shop / CART).read_bytes() == before


def test_text_that_stands_there_twice_or_not_at_all(make: Make, shop: Path) -> None:
    server, file = make(**ON), shop / "shop" / "twice.py"
    call(server, "create_file", {"path": "shop/twice.py", "content": "a = 1\nb = 2\na = 1\n"})
    twice = patch(server, file, old_text="a = 1", content="c").payload
    assert (twice["error_type"], twice["details"]["lines"]) == ("validation_error", [1, 3])
    assert patch(server, file, op="insert", anchor="zebra", content="c").payload["error_type"] == "not_found"
    assert patch(server, file, symbol="zebra", content="c").payload["error_type"] == "not_found"


def test_sizes_have_bounds(app: App, make: Make, shop: Path) -> None:
    server, file = make(**ON), shop / "shop" / "long.py"
    most = app.settings.indexing.max_file_size_kb * 1024
    large = "x = 1\n" * (most // 6 + 1)
    made = call(server, "create_file", {"path": "shop/long.py", "content": large}).payload
    assert (made["error_type"], file.exists()) == ("safety_error", False)
    file.write_text("x = 1\n" * 20_000)
    before = file.read_bytes()
    for content in (large, "y = 1\n" * (most // 6 - 10_000)):
        assert patch(server, file, op="insert", after=0, content=content).payload["error_type"] == "safety_error"
    everywhere = patch(server, file, old_text="x", content="y")
    assert everywhere.payload["details"]["lines"] == [*range(1, 1_001)]
    assert file.read_bytes() == before


def test_a_hash_is_needed_and_never_told(app: App, make: Make, shop: Path) -> None:
    server, cart = make(**ON), shop / CART
    asked = {"path": CART, "op": "insert", "after": 0, "content": "# top"}
    for wrong in (None, "", digest(cart)[:16], "0" * 32, "zebra"):
        answer = call(server, "patch_file", {**asked, **({} if wrong is None else {"if_hash": wrong})})
        assert answer.payload["error_type"] == ("conflict" if wrong == "0" * 32 else "validation_error")
        assert digest(cart) not in answer.text
    settled(app, allow_unhashed=True)
    assert call(server, "patch_file", asked).payload["applied"]


def test_nobody_is_blamed_where_a_file_never_had_the_hash(make: Make, shop: Path) -> None:
    server = make(**ON)
    asked = {"path": CART, "range_start": 1, "content": "a = 1", "if_hash": "0" * 32}
    told = call(server, "patch_file", asked).payload
    assert told["message"].startswith(f"{CART} does not have this hash, and no earlier version")
    assert told["details"]["changed_by"] == {"source": "unknown"}
    assert "diff" not in told["details"] and told["details"]["read"]["tool"] == "read_code"


def test_what_a_caller_learns_of_a_conflict(make: Make, shop: Path) -> None:
    server, cart = make(**ON), shop / CART
    known = call(server, "read_code", {"path": CART}).payload
    lines = cart.read_text().split("\n")
    last = len(lines) - 1
    cart.write_text("# a line of theirs\n" + cart.read_text())
    asked = {"path": CART, "range_start": last, "content": "    pass", "if_hash": known["hash"]}
    told = call(server, "patch_file", asked)
    assert (told.is_error, told.payload["error_type"]) == (True, "conflict")
    details = told.payload["details"]
    assert details["changed_by"] == {"source": "another program"}
    assert "+# a line of theirs" in details["diff"]
    assert details["your_lines"] == [{"start_line": last + 1, "end_line": last + 1}]
    assert digest(cart) not in told.text
    assert cart.read_text() == "# a line of theirs\n" + "\n".join(lines)
    read = call(server, details["read"]["tool"], details["read"]["arguments"]).payload
    assert lines[last - 1] in read["source"].split("\n")
    again = call(server, "patch_file", {**asked, "range_start": last + 1, "if_hash": read["hash"]})
    assert again.payload["applied"]
    # Now the log knows who did it, and what the file held before.
    late = call(server, "patch_file", {**asked, "if_hash": read["hash"], "range_start": 1}).payload["details"]
    assert (late["changed_by"]["source"], late["changed_by"]["op"]) == ("agent", "replace")
    assert "+    pass" in late["diff"]
    long = "\n".join(f"x{number} = {number}" for number in range(500))
    cart.write_text(long)
    most = call(server, "patch_file", {**asked, "if_hash": again.payload["hash"]}).payload["details"]["diff"]
    assert (len(most), most[-1].startswith("...")) == (60, True)


def test_errors_of_syntax_are_told_or_refused(app: App, make: Make, shop: Path) -> None:
    server, file = make(**ON), shop / "shop" / "half.py"
    call(server, "create_file", {"path": "shop/half.py", "content": "a = 1\nb = (\nc = 3\n"})
    told = patch(server, file, range_start=1, content="def f(:\n    return 1\n").payload
    assert told["parse_status"]["before"] != "ok"
    assert 1 in told["parse_status"]["new_error_lines"]
    assert "new syntax errors" in told["warnings"][0]
    settled(app, parse_errors="refuse")
    before = file.read_bytes()
    cart = (shop / CART).read_bytes()
    refused = patch(server, shop / CART, op="insert", after=0, content="def f(:\n").payload
    assert (refused["error_type"], "syntax" in refused["message"]) == ("safety_error", True)
    assert ((shop / CART).read_bytes(), file.read_bytes()) == (cart, before)


def test_files_that_nobody_edits_here(app: App, make: Make, shop: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True)
    (shop / ".gitignore").write_text("*.log\n/build/\n")
    for path in (".env", "x.log", "build/a.py", ".vscode/mcp.json", "inner/.mcp.json", "cocosearch.yaml", "key.pem"):
        (shop / path).parent.mkdir(parents=True, exist_ok=True)
        (shop / path).write_text("a = 1\n")
    (shop / "bare" / "refs").mkdir(parents=True)
    (shop / "bare" / "objects").mkdir()
    (shop / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    (shop / "way").symlink_to(".git")
    (shop / "outside").symlink_to("/etc/hostname")
    server = make(**ON)
    refused = [
        ".git/config", ".git/hooks/pre-commit", "way/config", ".GIT/config", ".env", "key.pem", "x.log", "build/a.py",
        "build/new.py", "node_modules/a.js", ".vscode/mcp.json", "inner/.mcp.json", ".MCP.json", "cocosearch.yaml",
        "cocosearch-py.yml", ".claude/settings.json", ".claude/settings.local.json", ".ssh/authorized_keys",
        "bare/HEAD", "bare/hooks/update", "../out.py", "/etc/hostname", "outside", ".", "shop",
    ]  # fmt: skip
    for path in refused:
        for tool in ("patch_file", "create_file"):
            more = {"overwrite": True, "if_hash": "0" * 32} if tool == "create_file" else {"range_start": 1}
            asked = {"path": path, "content": "x", "if_hash": "0" * 32, **more}
            assert call(server, tool, asked).payload["error_type"] == "safety_error", (path, tool)
        if not os.path.lexists(shop / path):
            answer = call(server, "create_file", {"path": path, "content": "x"})
            assert answer.payload["error_type"] == "safety_error", path
            assert not (shop / path).exists()
    settled(app, allow_ignored=True)
    for path in ("x.log", "build/a.py"):
        answer = patch(server, shop / path, range_start=1, content="a = 2").payload
        assert (answer["applied"], answer["reindexed"], (shop / path).read_text()) == (True, False, "a = 2\n")


def test_edits_respect_the_ignore_file_of_the_user_and_the_data_of_the_program(
    app: App, make: Make, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("*.local\n")
    monkeypatch.setattr(app, "_global_ignore_file", tmp_path / "mine")
    monkeypatch.setattr(app, "_data_folder", shop / "data")
    server = make(**ON)
    for path, reason in (("a.local", "*.local"), ("data/a.py", "own data")):
        answer = call(server, "create_file", {"path": path, "content": "x = 1\n"}).payload
        assert (answer["error_type"], reason in answer["message"]) == ("safety_error", True), path


def test_no_order_of_edits_makes_a_repository(make: Make, shop: Path) -> None:
    server = make(**ON)
    for number, order in enumerate(permutations(["objects/x", "refs/x", "HEAD"])):
        made = [call(server, "create_file", {"path": f"made{number}/{path}", "content": "x\n"}) for path in order]
        assert [answer.is_error for answer in made] == [path == "HEAD" for path in order]
        assert not (shop / f"made{number}" / "HEAD").exists()


@pytest.mark.parametrize(
    ("there", "path"),
    [
        (("HEAD", "objects/"), "refs/x"),
        (("HEAD", "refs/"), "objects/x"),
        (("HEAD",), "commondir"),
        (("HEAD",), "objects/x"),
        (("head",), "Objects/x"),
        (("HEAD", "commondir"), "config.worktree"),
        (("objects/", "refs/"), "HEAD"),
        (("commondir",), "head"),
    ],
)
def test_no_edit_completes_a_repository(make: Make, shop: Path, there: tuple[str, ...], path: str) -> None:
    (shop / "half").mkdir()
    for name in there:
        (shop / "half" / name).mkdir() if name.endswith("/") else (shop / "half" / name).write_text("x\n")
    answer = call(make(**ON), "create_file", {"path": f"half/{path}", "content": "x\n"})
    assert answer.payload["error_type"] == "safety_error"
    assert not (shop / "half" / path).exists()


def test_folders_with_names_like_those_of_a_repository_are_edited(make: Make, shop: Path) -> None:
    (shop / "models" / "head").mkdir(parents=True)
    (shop / "models" / "objects").mkdir()
    server = make(**ON)
    for path in ("models/head/a.py", "models/objects/b.py", "models/config", "refs/c.py"):
        assert call(server, "create_file", {"path": path, "content": "x = 1\n"}).payload["applied"] is True, path


def test_a_repository_is_not_edited_wherever_it_keeps_its_files(make: Make, shop: Path) -> None:
    (shop / "kept").mkdir()
    (shop / ".git").write_text("gitdir: kept\n")
    (shop / "kept" / "commondir").write_text("../common\n")
    server = make(**ON)
    for path in ("kept/config", "kept/hooks/update", "common/config", "common/objects/x", "KEPT/HEAD"):
        answer = call(server, "create_file", {"path": path, "content": "x\n"})
        assert answer.payload["error_type"] == "safety_error", path
    assert call(server, "create_file", {"path": "other/config", "content": "x = 1\n"}).payload["applied"] is True


def test_hooks_and_settings_that_a_repository_names_are_not_edited(make: Make, shop: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True)
    for key, value in (("core.hooksPath", "scripts/hooks"), ("include.path", "../tools/git.cfg")):
        subprocess.run(["git", "config", key, value], cwd=shop, check=True)
    server = make(**ON)
    for path in ("scripts/hooks/pre-commit", "tools/git.cfg"):
        answer = call(server, "create_file", {"path": path, "content": "x\n"})
        assert answer.payload["error_type"] == "safety_error", path
    assert call(server, "create_file", {"path": "scripts/run.py", "content": "x = 1\n"}).payload["applied"] is True


def test_files_that_start_programs_are_edited_only_if_the_user_allows_it(app: App, make: Make, shop: Path) -> None:
    names = (".vscode/tasks.json", ".github/workflows/ci.yml", ".claude/commands/go.md", ".Husky/pre-commit", ".bashrc")
    (shop / "settings").symlink_to(".vscode")
    (shop / ".vscode").mkdir()
    server = make(**ON)
    for path in (*names, "settings/launch.json", ".vscode./launch.json", ".gi\u200ct/config", "git~1/config"):
        told = call(server, "create_file", {"path": path, "content": "x\n"}).payload
        assert told["error_type"] == "safety_error", path
        assert not (shop / path).exists()
    assert "edit.allowProtected" in call(server, "create_file", {"path": names[0], "content": "x"}).text
    settled(app, allow_protected=(".github/workflows/",))
    assert call(server, "create_file", {"path": names[1], "content": "on: push\n"}).payload["applied"] is True
    assert call(server, "create_file", {"path": names[0], "content": "{}\n"}).is_error
    settled(app, allow_protected=("*",))
    assert call(server, "create_file", {"path": names[0], "content": "{}\n"}).payload["applied"] is True
    for path in (".git/config", ".vscode/mcp.json", ".claude/settings.json", "HEAD", ".env", "cocosearch.yaml"):
        assert call(server, "create_file", {"path": path, "content": "x\n"}).is_error, path


def test_a_change_of_a_file_that_starts_programs_is_not_taken_back_unasked(app: App, make: Make, shop: Path) -> None:
    path = ".github/workflows/ci.yml"
    settled(app, allow_protected=("*",))
    server = make(**ON)
    seq = call(server, "create_file", {"path": path, "content": "on: push\n"}).payload["seq"]
    settled(app)
    answer = call(server, "patch_file", {"op": "undo", "seq": seq})
    assert answer.payload["error_type"] == "safety_error"
    assert (shop / path).read_text() == "on: push\n"


def test_edits_are_off_unless_they_are_named(make: Make, shop: Path) -> None:
    asked = {"path": CART, "op": "replace", "range_start": 1, "content": "x", "if_hash": digest(shop / CART)}

    async def tools(server: FastMCP) -> dict[str, Any]:
        async with Client(server, mode="legacy") as client:
            return {tool.name: tool for tool in await client.list_tools()}

    for options in ({}, {"toolsets": ("all",)}, {"toolsets": ("edit",), "read_only": True}):
        server = make(**options)
        assert not {"patch_file", "create_file"} & set(asyncio.run(tools(server)))
        for name in ("patch_file", "patch", "create", "create_file"):
            assert call(server, name, asked).payload["error_type"] == "not_found"
    for options in ({"toolsets": ("edit",)}, {"tools": ("patch_file", "create_file")}):
        listed = asyncio.run(tools(make(**options)))
        assert {"patch_file", "create_file"} <= set(listed)
        assert listed["patch_file"].annotations.destructive_hint is True
        assert listed["patch_file"].annotations.read_only_hint is False
    with pytest.raises(ConfigurationError, match="token"):
        make(**ON, transport="http")
    make(**ON, transport="http", auth_token="a-long-token")
    make(**ON, transport="http", read_only=True)
    outside = make(**ON, roots=(shop / "shop",), project=None)
    assert call(outside, "patch_file", {**asked, "index_name": "shop"}).is_error


def asking(server: FastMCP, name: str, arguments: dict[str, Any], era: str, *, yes: bool) -> tuple[Answer, list[str]]:
    """The answer to a tool, and what the person was asked."""
    asked: list[str] = []

    async def say(message: str, response_type: Any, params: Any, context: Any) -> Any:
        asked.append(message)
        return ElicitResult(action="accept", content={"confirm": yes})

    async def go() -> Answer:
        async with Client(server, mode=era, elicitation_handler=say) as client:
            return Answer(await client.call_tool(name, arguments, raise_on_error=False))

    return asyncio.run(go()), asked


@pytest.mark.parametrize("era", ERAS)
def test_a_person_is_asked(app: App, make: Make, shop: Path, era: str) -> None:
    server, cart = make(**ON), shop / CART
    over = {"path": CART, "content": "a = 1\n", "overwrite": True, "if_hash": digest(cart)}
    before = cart.read_bytes()
    answer, asked = asking(server, "create_file", over, era, yes=False)
    assert (answer.payload["error_type"], cart.read_bytes()) == ("cancelled", before)
    (question,) = asked
    assert question.startswith(f"Overwrite {CART}?\n\n@@ -1,")
    assert "\n+a = 1" in question
    answer, asked = asking(server, "create_file", over, era, yes=True)
    assert (answer.payload["applied"], cart.read_text(), len(asked)) == (True, "a = 1\n", 1)
    line = {"path": CART, "range_start": 1, "content": "a = 2", "if_hash": digest(cart)}
    answer, asked = asking(server, "patch_file", {**line, "dry_run": True}, era, yes=False)
    assert (answer.payload["applied"], asked) == (False, [])
    settled(app, confirm="always")
    answer, asked = asking(server, "patch_file", line, era, yes=False)
    assert answer.payload["error_type"] == "cancelled"
    assert asked == [f"Change {CART}?\n\n@@ -1 +1 @@\n-a = 1\n+a = 2"]
    assert call(server, "patch_file", line, mode=era).payload["error_type"] == "safety_error"
    answer, asked = asking(server, "patch_file", line, era, yes=True)
    assert (answer.payload["applied"], cart.read_text()) == (True, "a = 2\n")
    settled(app, confirm="never")
    over = {**over, "if_hash": digest(cart)}
    assert asking(server, "create_file", over, era, yes=False)[1] == []


@pytest.mark.parametrize("era", ERAS)
def test_of_two_agents_with_one_hash_one_writes(make: Make, shop: Path, era: str) -> None:
    servers, cart = (make(**ON), make(**ON)), shop / CART
    line = {"path": CART, "range_start": 1, "if_hash": digest(cart)}

    async def go() -> list[Answer]:
        async with Client(servers[0], mode=era) as one, Client(servers[1], mode=era) as other:
            calls = (
                client.call_tool("patch_file", {**line, "content": f"by = {name!r}"}, raise_on_error=False)
                for client, name in ((one, "one"), (other, "other"))
            )
            return [Answer(found) for found in await asyncio.gather(*calls)]

    answers = [answer.payload for answer in asyncio.run(go())]
    (written,) = [answer for answer in answers if answer.get("applied")]
    (refused,) = [answer for answer in answers if not answer.get("applied")]
    assert refused["error_type"] == "conflict"
    assert digest(cart) == written["hash"]
    told = refused["details"]  # whoever is late by a moment is told as much as whoever is late by a day
    assert told["diff"] and told["read"]["arguments"]["path"] == CART
    assert (told["changed_by"]["seq"], told["changed_by"]["op"]) == (written["seq"], "replace")


def test_endings_and_encodings_stay(make: Make, shop: Path) -> None:
    server, file = make(**ON), shop / "shop" / "late.py"
    file.write_bytes("# été\r\na = 1\r\nb = 2".encode("latin-1"))
    patch(server, file, range_start=2, range_end=3, content="a = 2\nb = 3\nc = 4\n")
    assert file.read_bytes() == "# été\r\na = 2\r\nb = 3\r\nc = 4".encode("latin-1")
    assert "U+20AC" in patch(server, file, op="insert", after=0, content="# €").payload["message"]
    wide = "# été\na = 1\n".encode("utf-16")
    file.write_bytes(wide)
    patch(server, file, range_start=2, content="a = '€'")
    assert file.read_bytes() == "# été\na = '€'\n".encode("utf-16")


def test_lexa_s_patch_and_create(make: Make, shop: Path) -> None:
    """As its document has them, in its own words."""
    server = make(**ON)
    new = {"path": "src/new_file.rs", "content": "pub fn new_file() {}", "overwrite": False, "dry_run": False}
    made = call(server, "create", new).payload
    assert (made["path"], made["op"], made["applied"], made["dry_run"]) == ("src/new_file.rs", "create", True, False)
    assert call(server, "create", new).payload["error_type"] == "safety_error"
    main = shop / "src" / "main.rs"
    main.write_text("fn main() {\n" + '    println!("old");\n' * 20 + "}\n")
    asked = {
        "path": "src/main.rs",
        "op": "replace",
        "content": '    println!("updated");',
        "range_start": 12,
        "range_end": 12,
        "if_hash": digest(main),
        "dry_run": False,
    }
    told = call(server, "patch", asked).payload
    assert main.read_text().split("\n")[11] == '    println!("updated");'
    assert (told["change_sequence"], told["hash"], told["parse_status"]) == (2, digest(main), "ok")
    assert call(server, "patch", asked).payload["error_type"] == "conflict"
    text = {"path": "src/main.rs", "op": "replace", "replace_text": '"updated"', "content": '"again"'}
    done = call(server, "patch", {**text, "if_hash": digest(main), "preview_mode": "full"}).payload
    assert '+    println!("again");' in done["preview"].split("\n")
    assert json.dumps(done)


def test_what_is_off_says_how_it_is_turned_on(make: Make) -> None:
    for name in ("patch_file", "patch"):
        told = call(make(), name, {"path": "a.py"}).payload
        assert told["actionable_guidance"] == ["start the server with --toolsets default,edit"]
