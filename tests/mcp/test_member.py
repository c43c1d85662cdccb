"""Every tool that answers of code can be narrowed to one member of a workspace."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, lay_out

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
CODE = """\
import {{ tidy }} from './{name}_util';

export class Shape {{}}

export function parse(text: Shape): Shape {{
  if (text) {{
    return tidy(text);
  }}
  return text;
}}
"""
FILES = {
    "package.json": '{"workspaces": ["packages/*"]}',
    **{
        f"packages/{name}/{path}": text
        for name in ("web", "api")
        for path, text in {
            "package.json": f'{{"name": "@x/{name}"}}',
            f"src/{name}.ts": CODE.format(name=name),
            f"src/{name}_util.ts": "export function tidy(text) {\n  return text;\n}\n",
            f"src/{name}.test.ts": f"import {{ parse }} from './{name}';\n\ntest('it parses', () => parse(''));\n",
        }.items()
    },
    "packages/web2/src/beside.ts": CODE.format(name="beside"),
    "other/packages/web/outside.ts": "export function parse() {\n  return 1;\n}\n",
}
ASKED: dict[str, dict[str, Any]] = {
    "search_code": {"query": "parse text"},
    "analyze_query": {"query": "parse text"},
    "search_text": {"query": "text"},
    "build_context": {"task": "parse text"},
    "run_pipeline": {"pipeline": "text text | outline"},
    "ask_codebase": {"question": "how is text parsed?"},
    "list_files": {},
    "read_code": {"path": "parse"},
    "outline_file": {"path": "src/web.ts"},
    "summarize": {},
    "estimate_tokens": {"glob": "*.ts"},
    "find_symbol": {"name": "parse"},
    "explain_symbol": {"name": "parse"},
    "find_references": {"symbol": "tidy"},
    "find_tests": {"symbol": "parse"},
    "trace_type": {"type_name": "Shape"},
    "get_dependencies": {"file": "src/web.ts"},
    "get_impact": {"file": "src/web_util.ts"},
    "get_dependency_graph": {"format": "json"},
    "get_call_graph": {"symbol": "parse"},
    "get_repo_map": {},
    "get_hotspots": {},
    "audit_code": {},
    "get_health": {},
    "get_diff_summary": {"since_ref": "HEAD"},
}


@pytest.fixture
def workspace(make: Make, app: App, tmp_path: Path) -> FastMCP:
    folder = lay_out(tmp_path / "mono", FILES)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], check=True)
    for name in ("web", "api"):
        with (folder / f"packages/{name}/src/{name}.ts").open("a") as file:
            file.write("\nexport function more(text) {\n  return text;\n}\n")
    app.index(folder, name="mono")
    return make(project=folder)


def test_every_tool_answers_of_the_member_alone(workspace: FastMCP) -> None:
    for tool, arguments in ASKED.items():
        for member in ("@x/web", "packages/web"):
            answer = call(workspace, tool, {**arguments, "member": member})
            assert not answer.is_error, (tool, answer.text)
            assert "web" in answer.text or tool in ("get_health", "audit_code"), tool
            text = str(answer.payload["references"]) if tool == "find_references" else answer.text
            for other in ("api.ts", "api_util", "outside.ts", "api.test", "web2"):
                assert other not in text, (tool, other)
    every, one = (call(workspace, "get_health", {"member": member}).payload for member in (None, "@x/web"))
    assert every["total_functions"] > 2 * one["total_functions"] - 1 > 0


def test_paths_are_those_of_the_member_or_of_the_root(workspace: FastMCP, tmp_path: Path) -> None:
    root = tmp_path / "mono"
    for path in ("src/web.ts", "packages/web/src/web.ts", str(root / "packages/web/src/web.ts")):
        for tool, name in (("outline_file", "path"), ("read_code", "path"), ("get_impact", "file")):
            answer = call(workspace, tool, {name: path, "member": "@x/web"})
            assert not answer.is_error, answer.text
    assert len(call(workspace, "list_files", {"path": "src", "member": "@x/web"}).payload["files"]) == 3
    for path in ("../api/src/api.ts", str(root / "packages/api/src/api.ts")):
        for tool, name in (("outline_file", "path"), ("read_code", "path"), ("get_impact", "file")):
            answer = call(workspace, tool, {name: path, "member": "@x/web"})
            assert answer.is_error
            assert "is outside " in answer.payload["message"]


def test_an_unknown_member_has_its_nearest_names(workspace: FastMCP) -> None:
    answer = call(workspace, "find_symbol", {"name": "parse", "member": "@x/wep"})
    assert answer.payload["error_type"] == "not_found"
    assert "@x/web" in answer.payload["actionable_guidance"][0]


def test_the_nearest_of_bazel_are_folders_as_labels_look_like_paths(make: Make, app: App, tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "bz",
        {"MODULE.bazel": "module()\n", "libs/util/BUILD": "py_library()\n", "libs/util/u.py": "def u(): ...\n"},
    )
    app.index(folder, name="bz")
    server = make(project=folder, roots=(folder,))
    for member in ("//libs/util", "libs/util"):
        assert call(server, "find_symbol", {"name": "u", "member": member}).payload["definitions"]
    for tool, arguments in (
        ("find_symbol", {"name": "u", "member": "//libs/utl"}),
        ("index_codebase", {"path": str(folder), "members": ["//libs/utl"]}),
    ):
        (hint,) = call(server, tool, arguments).payload["actionable_guidance"]
        assert "libs/util" in hint
        assert "hidden" not in hint


def test_every_tool_that_answers_of_code_takes_a_member() -> None:
    from cocosearch_py.tools.registry import all_operations

    others = ("index", "edit", "wiki", None)
    about_code = {one.name for one in all_operations() if one.about_indexes and one.toolset not in others}
    takes = {one.name for one in all_operations() if any(item.name == "member" for item in one.parameters)}
    assert about_code == takes == ASKED.keys()
    assert not any(item.listed for one in all_operations() for item in one.parameters if item.name == "member")
