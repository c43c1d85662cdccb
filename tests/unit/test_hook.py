"""The reminder of Claude Code: what it is written as, what stays, and when it speaks."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.clients import jsontext
from cocosearch_py.clients.hook import hook_command, with_hook
from cocosearch_py.clients.nudge import reminder
from cocosearch_py.errors import ConfigurationError, SafetyError

COMMAND = hook_command(("cocosearch-py",), "cocosearch")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
STYLES = st.sampled_from(
    [{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"indent": None}, {"indent": None, "separators": (",", ":")}]
)
FILE = """{
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [
            {"matcher": "Write", "hooks": [
                {"type": "command",   "command": "check"} ]}
        ]
    },
    "model": "x"
}
"""


def groups(text: str) -> list[Any]:
    return json.loads(text)["hooks"]["PreToolUse"]


def test_the_hook_stands_after_all_others_which_stay_as_they_are() -> None:
    after = with_hook(FILE, COMMAND, "settings.json", force=False)
    assert groups(after)[:-1] == groups(FILE)
    assert groups(after)[-1] == {
        "matcher": "Grep|Bash",
        "hooks": [{"type": "command", "command": "cocosearch-py --nudge cocosearch 2>/dev/null || true", "timeout": 5}],
    }
    kept, added = FILE.split('"check"} ]}')
    assert after.startswith(kept)
    assert after.endswith(added)
    assert with_hook(after, COMMAND, "settings.json", force=False) == after


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"hooks": {}}',
        '{"hooks": {"PreToolUse": []}}',
        '{"hooks": {"PreToolUse": [\n]}}',
        '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
        '{\r\n  "model": "x"\r\n}\r\n',
    ],
)
def test_settings_without_hooks_get_theirs(text: str) -> None:
    after = with_hook(text, COMMAND, "settings.json", force=False)
    assert len(groups(after)) == 1
    assert after.count("\n") == after.count("\r\n") or "\r" not in text
    assert with_hook(after, COMMAND, "settings.json", force=False) == after


@given(
    other=st.dictionaries(st.text(max_size=4), JSON, max_size=3),
    events=st.dictionaries(st.text(max_size=4), JSON, max_size=3),
    before=st.lists(JSON, max_size=3),
    style=STYLES,
)
def test_any_settings_keep_everything(
    other: dict[str, Any], events: dict[str, Any], before: list[Any], style: dict[str, Any]
) -> None:
    document = {**other, "hooks": {**events, "PreToolUse": before}}
    after = json.loads(with_hook(json.dumps(document, **style), COMMAND, "settings.json", force=False))
    assert after["hooks"]["PreToolUse"][:-1] == before
    after["hooks"]["PreToolUse"].pop()
    assert after == document


def test_another_command_of_ours_needs_force_and_what_the_user_changed_stays() -> None:
    changed = with_hook(FILE, COMMAND, "settings.json", force=False).replace("Grep|Bash", "Grep")
    assert with_hook(changed, COMMAND, "settings.json", force=False) == changed
    for program in (("/opt/cocosearch-py",), ("/a b/python", "-m", "cocosearch_py"), ("uvx", "x")):
        other = hook_command(program, "cocosearch")
        with pytest.raises(SafetyError, match="another command"):
            with_hook(changed, other, "settings.json", force=False)
        found = groups(with_hook(changed, other, "settings.json", force=True))
        assert len(found) == 2
        assert found[-1]["matcher"] == "Grep"
        assert found[-1]["hooks"][0]["command"] == other
        again = with_hook(with_hook("", other, "settings.json", force=False), COMMAND, "settings.json", force=True)
        assert len(groups(again)) == 1, "it is known for ours under any program"


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks": []}',
        '{"hooks": {"PreToolUse": {}}}',
        '{"hooks": {"PreToolUse": [], "PreToolUse": []}}',
        '{"hooks": {}, "hooks": {"PreToolUse": []}}',
        '{"hooks": {} // why\n}',
        "[]",
    ],
)
def test_settings_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        with_hook(text, COMMAND, "settings.json", force=False)
    assert raised.value.hint


def test_an_item_is_appended_in_the_style_of_the_file() -> None:
    assert jsontext.append_item('{"a": {"b": [1, 2 ]}}', "a", "b", 3) == '{"a": {"b": [1, 2, 3]}}'
    assert jsontext.append_item('{\n "a": {"b": [\n   1\n  ]}}', "a", "b", 3) == '{\n "a": {"b": [\n   1,\n   3\n  ]}}'


def said(tool: str, given: Any) -> str:
    answer = reminder(json.dumps({"tool_name": tool, "tool_input": given}), "cocosearch")
    if not answer:
        return ""
    parsed = json.loads(answer)
    assert list(parsed) == ["hookSpecificOutput"]
    assert set(parsed["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}, "it decides nothing"
    return parsed["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Grep", {"pattern": "retry"}),
        ("Grep", {"pattern": "retry|backoff", "path": "src"}),
        ("Grep", {"pattern": "class .*Store\\b", "path": "/nowhere"}),
        ("Bash", {"command": "grep -rn retry src"}),
        ("Bash", {"command": "cd src && rg 'retry' | head"}),
        ("Bash", {"command": "git grep -n retry"}),
        ("Bash", {"command": "cd src &&\n\n  rg retry"}),
        ("Bash", {"command": "grep -i --include=*.py -R retry ."}),
    ],
)
def test_a_broad_search_is_answered(tool: str, given: dict[str, str]) -> None:
    assert "search_code of the MCP server cocosearch" in said(tool, given)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Grep", {"pattern": "retry", "path": str(Path(__file__))}),
        ("Grep", {"pattern": 'raise ValueError\\("[a-z]+'}),
        ("Grep", {"pattern": "x = {};"}),
        ("Bash", {"command": "ls -r | grep retry"}),
        ("Bash", {"command": "grep retry README.md"}),
        ("Bash", {"command": "echo rg"}),
        ("Bash", {"command": "make | rg error"}),
        ("Read", {"file_path": "a.py"}),
        ("Grep", {}),
        ("Grep", []),
        ("Grep", {"pattern": 3}),
        ("Bash", {"command": None}),
        ("Bash", "rg x"),
    ],
)
def test_any_other_call_is_not(tool: str, given: Any) -> None:
    assert said(tool, given) == ""


@pytest.mark.parametrize("command", ["cat > a <<EOF" + "\n" * 400_000 + "EOF", "grep -" + "r" * 400_000])
def test_a_long_command_is_read_once(command: str) -> None:
    """In the square of its length it would take half an hour."""
    assert said("Bash", {"command": command}) == ""


@given(st.text() | JSON.map(json.dumps))
def test_what_is_no_call_is_not_answered(text: str) -> None:
    assert reminder(text, "cocosearch") == ""


def test_the_name_of_a_server_is_no_way_in() -> None:
    assert reminder('{"tool_name": "Grep", "tool_input": {"pattern": "x"}}', "a\nb") == ""
