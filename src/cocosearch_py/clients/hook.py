"""Our hook in the settings of Claude Code: what it is, and how it is merged in. Pure."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from cocosearch_py.clients import jsontext
from cocosearch_py.errors import ConfigurationError, SafetyError

FLAG = "--nudge"
_EVENT = "PreToolUse"
_MATCHER = "Grep|Bash"
_TIMEOUT_S = 5  # it takes some ten milliseconds; a machine that is busier goes without it
_OURS = re.compile(rf"cocosearch\S* {FLAG}\b|\s{FLAG} [\w-]+ 2>/dev/null \|\| true$")


def hook_command(program: Sequence[str], server: str) -> str:
    """Shell command of the hook; it succeeds and says nothing where the program is missing or fails."""
    return f"{shlex.join([*program, FLAG, server])} 2>/dev/null || true"


def with_hook(text: str, command: str, name: str, *, force: bool) -> str:
    """Return the settings with our hook after all others; the same text when it is there already.

    What the user changed of ours besides the command, the matcher for example, stays.

    Raises:
        ConfigurationError: the settings are not of the known form.
        SafetyError: ours is there with another command, and not `force`.
    """
    groups = _groups(jsontext.parse(text, name), name)
    ours = [handler for group in groups for handler in _handlers(group) if _is_ours(handler)]
    if not ours:
        handler = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
        return jsontext.append_item(text, "hooks", _EVENT, {"matcher": _MATCHER, "hooks": [handler]})
    if all(handler["command"] == command for handler in ours):
        return text
    if not force:
        raise SafetyError(
            f"{name} already has a cocosearch-py hook with another command",
            hint="replace it with --force (see it first with --dry-run --force), or leave --hook out",
        )
    for handler in ours:
        handler["command"] = command
    return jsontext.set_member(text, "hooks", _EVENT, groups)


def _groups(document: Mapping[str, Any], name: str) -> list[Any]:
    hooks = document.get("hooks", {})
    groups = hooks.get(_EVENT, []) if isinstance(hooks, dict) else None
    if not isinstance(groups, list):
        raise ConfigurationError(
            f"the hooks in {name} do not have the form that Claude Code documents", hint="fix the file"
        )
    return groups


def _handlers(group: Any) -> list[Any]:
    found = group.get("hooks") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _is_ours(handler: Any) -> bool:
    return isinstance(handler, dict) and bool(_OURS.search(str(handler.get("command", ""))))
