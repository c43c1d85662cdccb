"""Every call, parameter and answer that indxr's document shows, asked of an index, and the programs that it prints.

What it says is in documented.json; the programs are in the document alone, see `documents.py`.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp import documents, indxr_documents
from tests.mcp.calls import lay_out
from tests.mcp.dialects import Reply, ask
from tests.mcp.indxr_project import PROJECT
from tests.mcp.test_contract import git

from cocosearch_py.app import App
from cocosearch_py.mcp.server import all_tools
from cocosearch_py.mcp.toolsets import canonical_call
from cocosearch_py.server.options import ServerOptions

Make = Callable[..., FastMCP]
SAID: dict[str, Any] = json.loads(documents.TABLE.read_text(encoding="utf-8"))["indxr"]
TOOLS = {one.name: one for one in all_tools()}
# A tool of ours has the same name, and what it answers under this key was promised first.
OURS = {("get_diff_summary", "changes")}
WHOLE_PROJECT = {"get_file_summary", "get_file_context"}  # what they are about when no path is given
NAMED = (  # what an answer to each example has to name
    ("lookup_symbol", "src/cache/mod.rs"),
    ("list_declarations", '"main"'),
    ("search_signatures", "-> Result<FileIndex>"),
    ("get_tree", "rows.rs"),
    ("search_relevant", "src/budget.rs"),
    ("explain_symbol", "Cuts an index down"),
    ("batch_file_summaries", "src/mcp/tools.rs"),
    ("get_public_api", "pub struct Cache"),
    ("get_callers", "src/mcp/tools.rs"),
    ("get_related_tests", "test_apply_token_budget"),
    ("get_dependency_graph", "src/parser/rows.rs"),
    ("get_hotspots", "parse_file"),
    ("get_type_flow", "show_file"),
)
EXAMPLES: dict[str, Any] = {  # a value for each parameter that must be given, and for those that mean something
    "name": "Cache",
    "query": "token budget",
    "path": "src/budget.rs",
    "paths": ["src/budget.rs"],
    "symbol": "apply_token_budget",
    "symbols": ["apply_token_budget", "estimate_tokens"],
    "type_name": "FileIndex",
    "glob": "src/mcp/*.rs",
    "directory": "src/parser",
    "since_ref": "main",
    "start_line": 1,
    "end_line": 3,
    "string": "function",
    "boolean": True,
}
ALONE = {"path", "symbol", "symbols", "paths", "glob", "directory", "since_ref", "start_line", "end_line"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "my-project", PROJECT)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def indexer(make: Make, app: App, project: Path) -> FastMCP:
    app.index(project, name="my-project")
    return make(project=project, working_folder=project)


def check(shape: Any, value: Any, where: str) -> None:
    """A value has every documented key, and is of its type; any number is a number."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), where
        assert shape.keys() <= value.keys(), (where, sorted(shape.keys() - value.keys()))
        for key, kind in shape.items():
            if (where, key) not in OURS:
                check(kind, value[key], f"{where}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), where
        for item in value:
            for kind in shape:
                check(kind, item, f"{where}[]")
    elif shape in ("int", "float"):
        assert isinstance(value, int | float), (where, value)
        assert not isinstance(value, bool), (where, value)
    else:
        assert type(value).__name__ == shape, (where, value)


def test_every_example_is_answered_as_documented(indexer: FastMCP) -> None:
    assert len(SAID["calls"]) == 20
    told: dict[str, list[Reply]] = {}
    for tool, arguments in SAID["calls"]:
        reply = ask(indexer, tool, **arguments)
        if "pr" in arguments:  # there is no such pull request of a repository that is nowhere but here
            assert reply.payload["error_type"] == "not_found"
            assert "since_ref" in reply.text
            continue
        assert not reply.is_error, (tool, arguments, reply.text)
        told.setdefault(tool, []).append(reply)
    for tool, text in NAMED:
        assert text in told[tool][0].text, (tool, told[tool][0].text)
    for tool, shapes in SAID["answers"].items():
        for shape, reply in zip(shapes, told[tool], strict=True):
            if shape == "str":
                continue  # a text for people; the program itself answers with JSON
            without = {key: one for key, one in shape.items() if key != "pr"}
            check(without, reply.payload, tool)


def rows(wiki: bool) -> list[tuple[str, str, dict[str, Any]]]:
    """(tool, parameter, what is said of it) of every row of the tables."""
    found = [(tool, name, row) for tool, table in SAID["parameters"].items() for name, row in table.items()]
    return [one for one in found if one[0].startswith("wiki_") == wiki]


def given(tool: str, name: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Calls that use a parameter: with its choices, its default and its maximum, where they are told."""
    table = SAID["parameters"][tool]
    needed = {other: EXAMPLES[other] for other, one in table.items() if one["required"]}
    if name == "symbol" and "path" in table and tool != "get_related_tests":
        needed["path"] = EXAMPLES["path"]
    if name in ("start_line", "end_line"):
        needed |= {"start_line": 1, "end_line": 3}
    if name == "pr":
        return []
    if tool == "get_token_estimate" and name == "path":
        needed.pop("symbol", None)
    values = row.get("choices") or [row["max"]] if "max" in row else row.get("choices", [])
    if not values:
        values = [EXAMPLES.get(name, EXAMPLES.get(row["type"], 2))]
    return [{**needed, name: value} for value in values]


def test_every_parameter_is_understood(indexer: FastMCP) -> None:
    for tool, name, row in rows(wiki=False):
        for arguments in given(tool, name, row):
            reply = ask(indexer, tool, **arguments)
            assert not reply.is_error, (tool, arguments, reply.text)
            if arguments.get("compact"):
                assert {"columns", "rows"} <= reply.payload.keys(), (tool, reply.text)
        if row["required"] and tool not in WHOLE_PROJECT:
            table = SAID["parameters"][tool]
            rest = {other: EXAMPLES[other] for other, one in table.items() if one["required"] and other != name}
            reply = ask(indexer, tool, **rest)
            assert reply.is_error, (tool, name)
            assert name in reply.text, (tool, reply.text)


def test_defaults_are_the_documented_ones() -> None:
    for tool, name, row in rows(wiki=False):
        if "default" not in row or row["default"] == "unlimited":
            continue
        needed = {other: EXAMPLES[other] for other, one in SAID["parameters"][tool].items() if one["required"]}
        spec, asked = canonical_call(tool, needed, TOOLS, ServerOptions())
        own = {one.name: one.default for one in spec.parameters}
        assert str({**own, **asked}[name]).lower() == row["default"], (tool, name)


def test_kinds_have_the_names_of_indxr(indexer: FastMCP) -> None:
    found = ask(indexer, "search_relevant", query="token budget", kind="fn").payload
    assert {one["symbol_type"] for one in found if "file_path" in one} == {"function", "method"}
    declared = ask(indexer, "list_declarations", path="src/cache/mod.rs", kind="fn").payload
    assert "load" in json.dumps(declared["symbols"])
    assert "entries" not in json.dumps(declared["symbols"])


@pytest.mark.skipif(documents.FOLDER is None, reason="the documents are not at hand")
def test_the_python_program(app: App, project: Path, process_environment: dict[str, str]) -> None:
    app.index(project, name="my-project")
    text = indxr_documents.program("python")
    command = [sys.executable, "-m", "cocosearch_py", "mcp", str(project)]
    started = text.replace('["indxr", "serve", "./my-project"]', repr(command))
    assert started != text
    ended = subprocess.run(
        [sys.executable, "-c", f"{started}\nproc.stdin.close(); proc.wait()"],
        env=process_environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "'id': 2" in ended.stdout
    assert "fn main()" in ended.stdout


@pytest.mark.skipif(documents.FOLDER is None, reason="the documents are not at hand")
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_requests_with_curl(app: App, project: Path, start: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    app.index(project, name="my-project")
    process = start(str(project), "-t", "http", "-p", "0", cwd=project)
    assert process.stderr is not None
    address = re.search(rb"(http://127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert address is not None
    text = indxr_documents.program("bash").replace("http://localhost:8080", address[1].decode())
    requests = [one for one in re.split(r"^#.*\n", text, flags=re.MULTILINE) if one.strip()]
    session, told = "", []
    for request in requests:
        ready = request.strip().replace("<session-id>", session)
        if "-N" in ready:  # listens until somebody ends it; what it was answered with stands in the headers at once
            ready = ready.replace("curl -N", "curl -N --max-time 2")
        ended = subprocess.run(["bash", "-c", ready.replace("curl ", "curl -si ", 1)], capture_output=True, check=False)
        answer = ended.stdout.decode()
        told.append(answer)
        session = session or re.search(r"(?i)^mcp-session-id: (\S+)", answer, re.MULTILINE)[1]  # type: ignore[index]
    assert [int(answer.split()[1]) for answer in told] == [200, 200, 200, 200]
    assert '"serverInfo"' in told[0]
    assert "file_count" in told[1]
    assert "text/event-stream" in told[2]


def test_every_parameter_of_the_wiki_is_understood(make: Make, project: Path) -> None:
    """In the order in which they are documented; each row alone beside what must be given."""
    server = make(project=project, working_folder=project)
    assert not ask(server, "index_codebase", path=str(project)).is_error
    failure = {"symptom": "slow", "attempted_fix": "a cache", "diagnosis": "it is the disk"}
    more = {**failure, "actual_fix": "another disk", "source_files": ["src/main.rs"]}
    values: dict[str, Any] = {
        "query": "cache",
        "limit": 3,
        "page": "cache",
        "content": "# The cache\n\nSee [[other-page]].",
        "title": "The cache",
        "source_files": ["src/cache/mod.rs"],
        "source_pages": ["cache"],
        "contradictions": [{"description": "it is not", "source": "src/main.rs"}, {"description": "nor that"}],
        "failures": [failure, more],
        "synthesis": "The cache keeps what was parsed before.",
        "since": "main",
        **{name: more[name] for name in ("symptom", "attempted_fix", "diagnosis", "actual_fix")},
        "boolean": True,
    }
    assert not ask(server, "wiki_generate").is_error
    assert ask(server, "wiki_generate").payload["error_type"] == "safety_error", "there is one"
    assert not ask(server, "wiki_status").is_error
    untitled = ask(server, "wiki_contribute", page="cache", content="x")
    assert "title" in untitled.text, "new pages need one"
    assert not ask(server, "wiki_contribute", page="cache", content="x", title="Cache").is_error
    assert ask(server, "wiki_read", page="cach").payload["page_type"] == "topic"
    tools = {tool for tool, _, _ in rows(wiki=True)}
    assert len(tools) == 8
    for tool, name, row in rows(wiki=True):
        table = SAID["parameters"][tool]
        needed = {other: values[other] for other, one in table.items() if one["required"]}
        for value in row.get("choices", [values.get(name, values.get(row["type"]))]):
            reply = ask(server, tool, **{**needed, name: value})
            assert not reply.is_error, (tool, name, reply.text)
            if tool == "wiki_generate":  # the one that was there is archived
                ask(server, "wiki_contribute", page="cache", content="x", title="Cache")
        if row["required"]:
            needed.pop(name)
            reply = ask(server, tool, **needed)
            assert reply.is_error, (tool, name)
            assert name in reply.text, (tool, reply.text)
        elif "default" in row:
            spec, asked = canonical_call(tool, needed, TOOLS, ServerOptions())
            default = {one.name: one.default for one in spec.parameters}[name]
            assert default is None or str({name: default, **asked}[name]).lower() == row["default"], (tool, name)
    page = ask(server, "wiki_read", page="cache").payload
    assert page["resolved_contradictions"] == 2
    assert page["source_files"][0]["source"] == "src/cache/mod.rs"
