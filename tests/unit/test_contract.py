"""benchmarks/contract.py: the calls of a record, its masks, and the differences of two answers."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.mcp import documents

from cocosearch_py.mcp.server import all_tools

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))  # behind all else

import contract
import contractcalls

SCHEMAS = [
    {
        "name": "get_hotspots",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {"properties": {"sort_by": {"enum": ["score", "churn"]}, "limit": {"type": "integer"}}},
    },
    {"name": "patch_file", "annotations": {"readOnlyHint": False}, "inputSchema": {"properties": {}}},
]


def words(phase: str, kind: str) -> set[str]:
    """First words of the calls of a kind."""
    calls = [call.split(" ", 1)[1] if phase == "write" else call for call in contractcalls.calls("gin", [])[phase]]
    return {call.split()[1] for call in calls if call.startswith(f"{kind} ")}


def test_parameters_of_tools_that_read_are_tried_in_turn() -> None:
    derived = [call for call in contractcalls.calls("gin", SCHEMAS)["read"] if "tool get_hotspots" in call]
    assert [json.loads(call.split(" ", 2)[2]) for call in derived[:6]] == [
        {},
        {"sort_by": "score"},
        {"sort_by": "churn"},
        {"limit": 2},
        {"no_such_parameter": 1},
        {"limit": "many"},
    ]
    assert not any("tool patch_file" in call for call in contractcalls.calls("gin", SCHEMAS)["read"])


def test_every_name_of_a_tool_is_called() -> None:
    called = words("read", "tool") | words("write", "tool")
    assert {alias.name for tool in all_tools() for alias in tool.aliases} <= called
    assert {tool.name for tool in all_tools() if tool.writes} <= called
    documented = json.loads(documents.TABLE.read_text(encoding="utf-8"))
    assert set(documented["lexa"]["tools"]) <= called | {tool.name for tool in all_tools()}


def test_every_command_is_asked_for_its_help() -> None:
    helped = [call for call in contractcalls.calls("gin", [])["read"] if call.endswith("--help")]
    page = subprocess.run([sys.executable, "-m", "cocosearch_py", "--help"], capture_output=True, text=True, check=True)
    commands = set(re.findall(r"^  ([a-z]+)  ", page.stdout, re.MULTILINE))
    assert len(commands) > 40
    assert commands <= {call.split()[1] for call in helped}


def test_masked_values_keep_their_type_and_are_masked_once() -> None:
    answer = {"took_ms": 3.5, "job_id": "0a1b2c3d4e5f", "text": "12 files in 0.4 s", "limit": 4}
    once = contract.masked(answer, contract.VARYING_TEXTS)
    assert once == {"took_ms": "~float", "job_id": "~str", "text": "12 files in ~ s", "limit": 4}
    assert contract.masked(once, contract.VARYING_TEXTS) == once


def test_differences_name_the_path_of_each_value() -> None:
    before = {"a": [1, {"b": "x"}], "gone": None, "lines": ["one", "two"]}
    now = {"a": [1, {"b": "y"}], "lines": ["one", "three"], "new": 1.0}
    assert list(contract.differences(before, now)) == [
        ".a[1].b: x -> y",
        ".gone: gone: null",
        ".lines: -two",
        ".lines: +three",
        ".new: new: 1.0",
    ]
    assert list(contract.differences({"a": 1, "b": 2}, {"b": 2, "a": 1})) == [": the keys have another order"]
    assert list(contract.differences({"a": 1}, {"a": 1.0})) == [".a: 1 -> 1.0"]
    assert not list(contract.differences(before, before))
