"""Reminder that Claude Code's hook shows beside a broad grep, which runs as asked.

Uses the standard library only, as it runs before many calls. Whatever it does not understand, it says nothing to.
"""

import json
import re
from pathlib import Path

MAX_INPUT_CHARS = 1_000_000  # a call that is longer is no search
_SERVER = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Searches through folders where a command begins; behind a pipe they only filter what another program says.
_COMMAND = re.compile(
    r"(?:^|[;&(\n]|\bdo\b|\bthen\b)[ \t\r]*(?:rg|ag|ack|ugrep|git\s+grep|"
    r"e?grep\s+(?:-\S+\s+)*(?:-[A-QS-Za-qs-z]*[rR][A-Za-z]*|--recursive))\s"
)
# Words and names, as one looks for a place; a pattern with more in it is after the occurrences of a text.
_ALTERNATIVES = re.compile(r"\\[bsw][*+]?|\.\*|[|()?^$]")
_WORDS = re.compile(r"[\w\s.:/-]+")


def reminder(call: str, server: str) -> str:
    """The hook's answer to a call that Claude Code is about to make; empty for none.

    Args:
        call: the JSON that the hook gets, of any form.
        server: name of our MCP server in the client.
    """
    if not _SERVER.fullmatch(server) or len(call) > MAX_INPUT_CHARS:
        return ""
    try:
        asked = json.loads(call)
        broad = _is_broad(asked["tool_name"], asked["tool_input"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError):
        return ""
    if not broad:
        return ""
    text = (
        f"To find where or how something is done, or a name known in part, search_code of the MCP server {server} "
        "ranks definitions first and returns the passage. grep stays right for every occurrence of a literal text."
    )
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text}}
    return json.dumps(answer)


def _is_broad(tool: str, given: dict[str, str]) -> bool:
    """Whether the call looks through many files for words or names."""
    if tool == "Bash":
        return _COMMAND.search(given["command"]) is not None
    if tool != "Grep":
        return False
    where = given.get("path") or "."
    return _WORDS.fullmatch(_ALTERNATIVES.sub(" ", given["pattern"])) is not None and not Path(where).is_file()
