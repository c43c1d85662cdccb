"""Advice in the words of whoever reads it: tools and parameters for agents, commands and flags for people.

Advice is written in either. Operations name tools, what is below them mostly the command that helps.
"""

import re
import shlex
from typing import Any

from cocosearch_py.tools.registry import all_operations

# A tool or a parameter, not a name in somebody's code.
_WORD = re.compile(r"(?<![\w'\"`./-])[a-z]+(?:_[a-z]+)+(?![\w'\"`/(=-]|\.\w)")
_COMMAND = re.compile(r"`cocosearch-py ([^`]+)`(?:, or the tool [a-z_]+)?")
_ADVICE = ("warnings", "hints", "hint", "message", "remedy", "incomplete")  # parts of answers that may hold some
_OR_TOOL = re.compile(r"(`cocosearch-py [^`]+`), or the tool [a-z_]+")  # which is that command
# Commands of their own for what a tool does with a parameter.
_ELSEWHERE = {
    "index_status with check_files": "`cocosearch-py why FILE`",
    "list_files with status skipped": "`cocosearch-py files --status skipped`",
}
_PARAMETER = re.compile(r"(?<![\w'\"`./-])([a-z]\w*)=(?=\S)(?:(?:true|false)\b)?")


def in_commands(advice: str, command: str = "") -> str:
    """Return the text with `cocosearch-py symbols` for find_symbol, and `--since main` for since_ref=main.

    A parameter alone becomes its flag: `--max-tokens` for max_tokens.

    Args:
        command: the first words of what was typed, whose parameters are meant: `audit`, `wiki write`.
    """
    advice = _OR_TOOL.sub(r"\1", advice)
    for tool, own in _ELSEWHERE.items():
        advice = advice.replace(tool, own)
    if _WORD.search(advice) is None and (not command or _PARAMETER.search(advice) is None):
        return advice  # without importing any operation
    names = {one.name: one.command.name for one in all_operations() if one.command is not None}
    typed = {command, command.split(" ", maxsplit=1)[0]}
    operation = next((one for one in all_operations() if names.get(one.name) in typed), None)
    words = _spellings(operation) | {tool: f"`cocosearch-py {name}`" for tool, name in names.items()}
    flags = _flags(operation)
    told = _WORD.sub(lambda found: words.get(found[0], found[0]), advice)
    return _PARAMETER.sub(lambda found: flags.get(found[0], found[0]), told)


def in_tools(advice: str) -> str:
    """Return the text with the tool find_symbol for `cocosearch-py symbols`, and parameters for its flags.

    Commands that no tool stands for, as `cocosearch-py doctor`, are left: a person has to run them.
    """
    if "`cocosearch-py " not in advice:
        return advice  # without importing any operation
    return _COMMAND.sub(lambda found: _as_tool(found[1]) or found[0], advice)


def told_to_agents(answer: Any) -> Any:
    """An answer whose advice names tools; what it quotes from files stays as it is."""
    if isinstance(answer, list):
        return [told_to_agents(one) if isinstance(one, dict) and "type" in one else one for one in answer]
    if not isinstance(answer, dict):
        return answer
    told = {name: _texts_in_tools(answer[name]) for name in _ADVICE if name in answer}
    return {**answer, **told} if told else answer


def _texts_in_tools(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts_in_tools(one) for one in value]
    return in_tools(value) if isinstance(value, str) else value


def _as_tool(typed: str) -> str | None:
    """Return words typed after the program's name as a call of a tool; None where there is none."""
    for tool, own in _ELSEWHERE.items():
        if own == f"`cocosearch-py {typed}`":
            return tool
    try:
        words = shlex.split(typed)
    except ValueError:  # a path with a quotation mark
        return None
    tools = {one.command.name: one for one in all_operations() if one.command is not None and one.toolset is not None}
    named = next((name for name in (" ".join(words[:2]), " ".join(words[:1])) if name in tools), None)
    if named is None:
        return None
    given = _given(tools[named], words[named.count(" ") + 1 :])
    if given is None:
        return None
    return f"{tools[named].name} with {' and '.join(given)}" if given else tools[named].name


def _given(operation: Any, words: list[str]) -> list[str] | None:
    """Parameters with their values, as they were typed for a command; None if the tool lacks one of them."""
    flags = {name: one for one in operation.parameters if one.flag is not None for name in one.flag.names}
    places = [one for one in operation.parameters if one.flag is not None and not one.flag.names]
    known = {one.name for one in operation.parameters if one.about is not None}
    given, left = [], list(words)
    while left:
        word = left.pop(0)
        one = flags.get(word) or (places.pop(0) if places and not word.startswith("-") else None)
        name = (one.flag.stands_for or one.name) if one is not None else ""
        if one is None or name not in known:
            return None
        is_switch = word in flags and one.typed is bool
        value = "true" if is_switch else left.pop(0) if word in flags and left else word
        given.append(f"{name}={value}" if is_switch else f"{name} {value}")
    return given


def _spellings(operation: Any) -> dict[str, str]:
    """How each parameter is given on the command line: its longest flag, or the name of its place."""
    flags = {one.name: one.flag for one in (operation.parameters if operation is not None else ()) if one.flag}
    return {
        name: max(flag.names, key=len).partition("/")[0] if flag.names else flag.metavar.strip("[].")
        for name, flag in flags.items()
    }


def _flags(operation: Any) -> dict[str, str]:
    """The longest spelling of each parameter that is given by a flag: by `name=` what stands before its value.

    One that has no value is by `name=true` or `name=false`, and alone.
    """
    flags: dict[str, str] = {}
    for one in operation.parameters if operation is not None else ():
        if one.flag is not None and one.flag.names:
            longest, _, off = max(one.flag.names, key=len).partition("/")
            if one.typed not in (bool, bool | None):
                flags[f"{one.name}="] = f"{longest} "
            else:
                flags |= {f"{one.name}=true": longest} | ({f"{one.name}=false": off} if off else {})
    return flags
