"""`init` as a user meets it."""

import contextlib
import json
import os
import subprocess
import sys

import pytest
from tests.cli.conftest import SOURCE

TIMEOUT_S = 60


@pytest.fixture
def run(cli, tmp_path):
    """`init` with a home folder and a PATH of the test's own; returns the function and both folders."""
    home, project = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    project.mkdir()

    def init(*arguments, code=0, path="", **more):
        return cli("init", project, *arguments, code=code, env={"HOME": str(home), "PATH": path}, **more)

    return init, home, project


def entries(project):
    return json.loads((project / ".mcp.json").read_text())["mcpServers"]


def test_a_named_client_is_configured_and_a_second_run_changes_nothing(run):
    init, home, project = run
    first = init("--claude").json
    assert first["changes"] == [
        {"client": "claude", "kind": "server", "path": str(project / ".mcp.json"), "action": "created"}
    ]
    assert entries(project)["cocosearch"]["args"][-2:] == ["mcp", "--project-from-cwd"]
    assert init("--claude").json["changes"][0]["action"] == "unchanged"
    assert list(home.iterdir()) == []


def test_the_command_is_the_program_on_the_path_else_the_interpreter(run, tmp_path):
    init, home, project = run
    init("--claude")
    ours = entries(project)["cocosearch"]
    assert [ours["command"], *ours["args"][:2]] == [sys.executable, "-m", "cocosearch_py"]
    program = tmp_path / "bin" / "cocosearch-py"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    init("--claude", "--force", path=str(program.parent))
    assert entries(project)["cocosearch"]["command"] == "cocosearch-py"
    init("--claude", "--global", path=str(program.parent))
    assert json.loads((home / ".claude.json").read_text())["mcpServers"]["cocosearch"]["command"] == str(program)
    init("--claude", "--name", "uvx", "--command", "uvx --from 'a b' cocosearch-py")
    uvx = entries(project)["uvx"]
    assert [uvx["command"], *uvx["args"]] == [
        "uvx", "--from", "a b", "cocosearch-py", "mcp", "--project-from-cwd"
    ]  # fmt: skip
    assert "cocosearch" in entries(project)


def test_a_dry_run_shows_a_difference_and_writes_nothing(run):
    init, home, project = run
    (project / ".mcp.json").write_text('{"mcpServers": {}}\n')
    for flags in (("--all", "--rules"), ("--all", "--rules", "--global")):
        found = init(*flags, "--dry-run").json
        assert found["dry_run"] is True
        assert all(item["diff"].startswith("--- ") for item in found["changes"])
    people = init("--claude", "--dry-run", "--pretty").out
    assert "would be updated" in people
    assert '+    "cocosearch": {' in people
    assert [path.name for path in project.iterdir()] == [".mcp.json"]
    assert (project / ".mcp.json").read_text() == '{"mcpServers": {}}\n'
    assert list(home.iterdir()) == []


def test_all_are_configured_in_the_project_or_for_the_user(run):
    init, home, project = run
    here = init("--all").json["changes"]
    assert [item["client"] for item in here] == [
        "claude", "cursor", "vscode", "windsurf", "codex", "gemini", "opencode"
    ]  # fmt: skip
    assert all(item["path"].startswith(str(project)) for item in here)
    everywhere = init("--all", "--global").json["changes"]
    assert len(everywhere) == len(here) + 1
    assert all(item["path"].startswith(str(home)) for item in everywhere)
    by_url = init("--all", "--global", "--http", "http://127.0.0.1:3000", "--force").json["changes"]
    assert "claude-desktop" not in [item["client"] for item in by_url]
    assert init("--claude-desktop", "--http", "http://h/", code=2).error["error_type"] == "validation_error"


def test_without_a_name_the_clients_that_are_there_are_configured(run):
    init, home, project = run
    refused = init(code=2).error
    assert "--cursor" in refused["hint"]
    (project / ".cursor").mkdir()
    (home / ".codex").mkdir()
    (home / ".config" / "Claude").mkdir(parents=True)
    assert [item["client"] for item in init().json["changes"]] == ["cursor", "codex"]
    found = [item["client"] for item in init("--global").json["changes"]]
    assert found == ["claude-desktop", "cursor", "codex"]


def test_another_entry_is_refused_with_what_differs(run):
    init, _, project = run
    init("--claude")
    before = (project / ".mcp.json").read_text()
    refused = init("--claude", "--http", "http://127.0.0.1:3000", code=5).error
    assert refused["error_type"] == "safety_error"
    assert "url" in refused["error"]
    assert "--force" in refused["hint"]
    assert (project / ".mcp.json").read_text() == before
    init("--claude", "--http", "http://127.0.0.1:3000", "--token-env", "SHOP_TOKEN", "--force")
    assert entries(project)["cocosearch"] == {
        "type": "http",
        "url": "http://127.0.0.1:3000/mcp",
        "headers": {"Authorization": "Bearer ${SHOP_TOKEN}"},
    }


def test_a_broken_file_is_refused(run):
    init, _, project = run
    (project / ".vscode").mkdir()
    (project / ".vscode" / "mcp.json").write_text('{\n  // mine\n  "servers": {}\n}\n')
    refused = init("--claude", "--vscode", "--force", code=2).error
    assert "comments" in refused["error"]
    assert not (project / ".mcp.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--claude", "--name", "a b"),
        ("--claude", "--name", ""),
        ("--claude", "--http", "localhost:3000"),
        ("--claude", "--http", "http://u:p@h/mcp"),
        ("--claude", "--http", "http://h/mcp", "--command", "x"),
        ("--claude", "--http", "http://h/mcp", "--token-env", "s3cret-token"),
        ("--claude", "--token-env", "T"),
        ("--claude", "--command", "'open"),
    ],
)
def test_wrong_arguments_are_told(run, arguments):
    init, _, project = run
    assert init(*arguments, code=2).error["hint"]
    assert list(project.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(cli, tmp_path):
    assert cli("init", tmp_path / "no", "--claude", code=1).error["error_type"] == "workspace_error"


def test_the_project_is_the_current_folder_and_rules_are_asked_for(cli, tmp_path):
    cli("init", "--codex", cwd=tmp_path)
    assert not (tmp_path / "AGENTS.md").exists()
    cli("init", "--codex", "--rules", cwd=tmp_path)
    assert "`search_code`" in (tmp_path / "AGENTS.md").read_text()


@pytest.mark.parametrize(("answer", "flags", "code"), [("n", (), 1), ("y", (), 0), ("", ("--yes",), 0)])
def test_on_a_terminal_it_asks_before_clients_that_were_only_found(environment, tmp_path, answer, flags, code):
    pty = pytest.importorskip("pty", reason="needs a POSIX terminal")
    (tmp_path / ".cursor").mkdir()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cocosearch_py", "init", str(tmp_path), *flags],
        env={**environment, "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a pseudo-terminal with an error
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert process.wait(TIMEOUT_S) == code
    assert (b"?" in shown) == bool(answer)
    assert (tmp_path / ".cursor" / "mcp.json").exists() == (code == 0)


def test_the_hook_is_merged_once_and_runs(run, tmp_path):
    init, home, project = run
    settings = project / ".claude" / "settings.json"
    foretold = init("--claude", "--hook", "--dry-run").json["changes"]
    assert [item["kind"] for item in foretold] == ["server", "hook"]
    assert "--nudge cocosearch" in foretold[1]["diff"]
    assert not settings.exists()
    assert [item["action"] for item in init("--claude", "--hook").json["changes"]] == ["created", "created"]
    assert [item["action"] for item in init("--claude", "--hook").json["changes"]] == ["unchanged", "unchanged"]
    hook = json.loads(settings.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]

    def called(text, command=hook):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            check=False,
            input=text,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)},
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    broad = json.dumps({"tool_name": "Grep", "tool_input": {"pattern": "retry"}})
    assert json.loads(called(broad))["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    assert called("no call") == ""
    assert called(broad, hook.replace(sys.executable, "/no/such/program")) == "", "it fails open"
    everywhere = init("--all", "--hook", "--global").json["changes"]
    assert [item["path"] for item in everywhere if item["kind"] == "hook"] == [str(home / ".claude" / "settings.json")]


def test_the_hook_needs_a_client_that_has_hooks(run):
    init, _, project = run
    assert "--claude" in init("--cursor", "--hook", code=2).error["hint"]
    assert not (project / ".cursor").exists()
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"hooks": {"PreToolUse": "x"}}')
    assert init("--claude", "--hook", code=2).error["error_type"] == "configuration_error"
    assert not (project / ".mcp.json").exists()
