"""Every call that Lexa's document shows, asked of an index: as printed, and with what is there instead of examples.

What it says is in documented.json; see `documents.py`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fastmcp import FastMCP
from tests.mcp import documents
from tests.mcp.calls import lay_out
from tests.mcp.dialects import Reply, ask
from tests.mcp.test_contract import git

from cocosearch_py.app import App
from cocosearch_py.mcp.server import all_tools
from cocosearch_py.tools.registry import dialect
from cocosearch_py.tools.schema import answer_schema

Make = Callable[..., FastMCP]
SAID: dict[str, Any] = json.loads(documents.TABLE.read_text(encoding="utf-8"))["lexa"]
ALIASES = {alias.name: alias for one in all_tools() for alias in one.aliases if "Lexa" in alias.program.split(", ")}
WRITES = ("patch", "create")  # which a server offers only where the toolset is named
PROJECT = {
    "apps/desktop/src/terminal-session.ts": "import { createProjectAgent } from './agents';\n"
    + "".join(f"export const line{number} = useEffect({number});\n" for number in range(60))
    + "createProjectAgent('a');\n",
    "apps/desktop/src/agents.ts": "export type AgentMaker = typeof createProjectAgent;\n"
    "export function createProjectAgent(name: string): string {\n  return name;\n}\n",
    "packages/agents/index.ts": "export function createAgent() {\n  return createProjectAgent('b');\n}\n"
    "export function createProjectAgent(name: string) {\n  return name;\n}\n",
    "src/main.rs": "mod engine;\nuse engine::Engine;\n\nfn main() {\n    let engine = Engine::new();\n"
    "    engine.run();\n"
    "    let request = AgentRunRequest {};\n    // AgentRunRequest\n    drop(request);\n}\n\n"
    "pub struct AgentRunRequest {}\n",
    "src/engine.rs": "pub struct Engine {}\n\nimpl Engine {\n    pub fn new() -> Engine {\n        Engine {}\n    }\n"
    "    pub fn run(&self) {}\n}\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "desk", PROJECT)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def desk(make: Make, app: App, project: Path) -> FastMCP:
    app.index(project, name="desk")
    return make(project=project, working_folder=project)


def answered(server: FastMCP, tool: str, arguments: dict[str, Any]) -> Reply:
    """The answer to a call, with every key that the document has and no other than it declares itself."""
    reply = ask(server, tool, **arguments)
    assert not reply.is_error, (tool, arguments, reply.text)
    for key, inner in SAID["keys"].get(tool, {}).items():
        assert key in reply.payload, (tool, key, reply.payload)
        for item in reply.payload[key] if inner else ():
            assert set(inner) <= set(item), (tool, key, item)
    if alias := ALIASES[tool].dialect:
        jsonschema.validate(reply.payload, answer_schema(dialect(alias).answer))
    return reply


def test_the_document_has_22_tools_and_23_examples() -> None:
    assert len(SAID["tools"]) == len(set(SAID["tools"])) == 22
    assert len(SAID["calls"]) == 23
    assert set(SAID["tools"]) == {tool for tool, _ in SAID["calls"]}
    assert set(SAID["tools"]) <= set(ALIASES)


def test_every_example_as_it_is_printed(desk: FastMCP) -> None:
    for tool, arguments in SAID["calls"]:
        if tool not in (*WRITES, "clear_index", "audit"):
            answered(desk, tool, arguments)
    printed = {tool: arguments for tool, arguments in SAID["calls"]}
    for tool in WRITES:  # as the toolset is not named
        assert ask(desk, tool, **printed[tool]).payload["error_type"] == "not_found"
    refused = ask(desk, "audit", **printed["audit"])
    assert refused.is_error
    assert "lexa.toml" in refused.text, "there is no such file"
    assert answered(desk, "clear_index", {}).payload["cleared"]


def test_every_example_finds_what_is_there(desk: FastMCP, project: Path) -> None:
    calls = {tool: arguments for tool, arguments in SAID["calls"]}

    def told(tool: str, **other: Any) -> Any:
        return answered(desk, tool, {**calls[tool], **other}).payload

    files = told("files")
    assert [one["path"] for one in files["files"]] == ["apps/desktop/src/terminal-session.ts"]
    assert (files["count"], files["limit"], files["truncated"]) == (1, 20, False)
    assert files["filters"] == {name: value for name, value in calls["files"].items() if name != "max_results"}
    assert told("files", max=1, path="")["limit"] in (1, 20)
    assert [one["name"] for one in told("list")["entries"]] == ["src/"]
    assert told("glob")["paths"] == ["src/engine.rs", "src/main.rs"]
    assert told("path_search")["results"][0]["path"] == "apps/desktop/src/terminal-session.ts"
    outline = told("outline")
    assert outline["path"] == "src/main.rs"
    assert [one["module"] for one in outline["imports"]] == ["engine", "engine"]
    assert {one["kind"] for one in outline["symbols"]} >= {"function", "struct"}
    assert told("symbol_defs")["definitions"][0]["qualified_name"] == "Engine"
    similar = {one["name"] for one in told("symbol_search")["definitions"]}
    assert similar >= {"createAgent", "createProjectAgent"}
    words, calls_only = told("word_refs"), told("callers")
    assert "definition" in words["counts"]
    assert set(calls_only["counts"]) == {"call"}
    assert len(told("text_search")["matches"]) == 20
    assert told("brief")["snippets"]
    importers = told("trace_deps", path="src/engine.rs")
    assert [one["file"] for one in importers["affected_files"]] == ["src/main.rs"]
    forward = told("trace_deps", direction="depends_on")
    assert "unresolved" in forward
    read = told("read", if_hash=None)
    assert read["source"].startswith("mod engine;")
    assert told("read", if_hash=read["hash"])["status"] == f"unchanged:{read['hash']}"
    assert len(told("recent")["files"]) == 5
    assert told("recent", limit=2)["count"] == 2
    lines = told("pipeline")
    assert [one["text"].strip() for one in lines["items"]] == [
        "let request = AgentRunRequest {};",
        "// AgentRunRequest",
        "pub struct AgentRunRequest {}",
    ]


def test_the_examples_that_write(make: Make, desk: FastMCP, project: Path) -> None:
    """As printed the hash is none; with the one that `read` answers, the file is written."""
    server = make(project=project, working_folder=project, toolsets=("default", "edit"))
    calls = {tool: arguments for tool, arguments in SAID["calls"]}
    for tool in WRITES:
        assert ask(desk, tool, **calls[tool]).payload["error_type"] == "not_found"
    assert ask(server, "patch", **calls["patch"]).payload["error_type"] == "validation_error"
    known = answered(server, "read", {"path": "src/main.rs"}).payload["hash"]
    patched = answered(server, "patch", {**calls["patch"], "if_hash": known}).payload
    assert (project / "src/main.rs").read_text().split("\n")[11] == calls["patch"]["content"]
    assert (patched["hash"], patched["change_sequence"]) == (
        answered(server, "read", {"path": "src/main.rs"}).payload["hash"],
        answered(server, "status", {}).payload["seq"],
    )
    assert answered(server, "create", calls["create"]).payload["applied"]
    assert (project / "src/new_file.rs").read_text() == calls["create"]["content"]
    assert ask(server, "create", **calls["create"]).is_error


def test_the_examples_that_write_and_judge(make: Make, app: App, project: Path) -> None:
    (project / "lexa.toml").write_text("[audit]\n")
    app.index(project, name="desk")
    server = make(project=project, working_folder=project, toolsets=("default", "edit"))
    calls = {tool: arguments for tool, arguments in SAID["calls"]}
    before = (project / "src/main.rs").read_text()
    assert ask(server, "patch", **calls["patch"]).is_error, "its hash is an example"
    assert (project / "src/main.rs").read_text() == before
    read = answered(server, "read", {"path": "src/main.rs"}).payload
    lines = before.splitlines()
    patched = answered(server, "patch", {**calls["patch"], "if_hash": read["hash"]}).payload
    assert patched["applied"]
    lines[calls["patch"]["range_start"] - 1] = calls["patch"]["content"]
    assert (project / "src/main.rs").read_text().splitlines() == lines
    created = answered(server, "create", calls["create"]).payload
    assert (project / "src/new_file.rs").read_text() == calls["create"]["content"]
    assert ask(server, "create", **calls["create"]).is_error, "it is there"
    changes = answered(server, "changes", calls["changes"]).payload
    kept = [(one["path"], one["seq"]) for one in changes["changes"]]
    assert kept[-2:] == [("src/main.rs", patched["change_sequence"]), ("src/new_file.rs", created["change_sequence"])]
    assert answered(server, "status", {}).payload["seq"] >= created["change_sequence"]
    audited = answered(server, "audit", calls["audit"]).payload
    assert {"findings", "groups"} <= set(audited)


def test_pages_of_word_refs_are_numbers(desk: FastMCP) -> None:
    every = answered(desk, "word_refs", {"word": "createProjectAgent"}).payload
    first = answered(desk, "word_refs", {"query": "createProjectAgent", "max_results": 2}).payload
    assert first["next_cursor"] == 2
    rest = answered(desk, "word_refs", {"word": "createProjectAgent", "cursor": 2}).payload
    assert [*first["references"], *rest["references"]] == every["references"]
    assert "next_cursor" not in rest


def test_parameters_are_theirs_alone(desk: FastMCP) -> None:
    for tool, arguments in (
        ("files", {"status": "skipped"}),
        ("list", {"depth": 3}),
        ("recent", {"sort": "path"}),
        ("outline", {"path": "src/main.rs", "depth": 1}),
        ("glob", {"pattern": "*", "max_results": 0}),
    ):
        assert ask(desk, tool, **arguments).payload["error_type"] == "validation_error", tool


def test_a_bare_clear_index_is_about_the_project_alone(make: Make, desk: FastMCP, app: App, tmp_path: Path) -> None:
    app.index(lay_out(tmp_path / "other", {"a.py": "a = 1\n"}), name="other")
    seq = answered(desk, "status", {}).payload["seq"]
    cleared = answered(desk, "clear_index", {}).payload
    assert (cleared["cleared"], cleared["graph_removed"], cleared["graph"]["index_name"]) == (True, True, "desk")
    assert [one.name for one in app.catalog.list_all()] == ["other"]
    assert answered(desk, "clear_index", {}).payload == {"cleared": False, "graph_removed": False, "graph": None}
    assert not ask(desk, "restore_index", index_name="desk").is_error
    assert answered(desk, "status", {}).payload["seq"] >= seq
    named = ask(desk, "clear_index", index_name="desk").payload
    assert named["message"] == "Index 'desk' cleared successfully"


def test_without_aliases_only_our_own_names_are_known(make: Make, project: Path, app: App) -> None:
    app.index(project, name="desk")
    server = make(project=project, working_folder=project, aliases=False)
    for tool, arguments in SAID["calls"]:
        if tool not in ("clear_index", *WRITES, "audit"):
            refused = ask(server, tool, **arguments)
            assert (refused.is_error, refused.payload["error_type"]) == (True, "not_found"), tool
    assert ask(server, "clear_index").is_error
    assert "max_results" in ask(server, "search_text", query="a", max_results=1).payload["message"]
    assert not ask(server, "search_text", query="a", limit=1).is_error
    assert [one.name for one in app.catalog.list_all()] == ["desk"]
