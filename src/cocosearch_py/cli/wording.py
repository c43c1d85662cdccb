"""Advice of operations in the words of the command line: they name tools and parameters, as agents know them."""

import re
from typing import Any

_TOOL = re.compile(r"(?<![\w'\"`./-])[a-z]+(?:_[a-z]+)+(?![\w'\"`./(=-])")  # not what somebody's code calls something
_OR_TOOL = re.compile(r"(`cocosearch-py [^`]+`), or the tool [a-z_]+")  # which is that command
# Commands of their own for what a tool does with a parameter.
_ELSEWHERE = {"index_status with check_files": "`cocosearch-py why FILE`"}
_PARAMETER = re.compile(r"(?<![\w'\"`./-])([a-z]\w*)=(?=\S)")


def in_commands(advice: str, command: str = "") -> str:
    """The same text with `cocosearch-py symbols` for find_symbol, and `--since main` for since_ref=main.

    Args:
        command: the first words of what was typed, whose parameters are meant: `audit`, `wiki write`.
    """
    advice = _OR_TOOL.sub(r"\1", advice)
    for tool, own in _ELSEWHERE.items():
        advice = advice.replace(tool, own)
    if _TOOL.search(advice) is None and (not command or _PARAMETER.search(advice) is None):
        return advice  # without importing any operation
    from cocosearch_py.operations.common.registry import all_operations

    names = {one.name: one.command.name for one in all_operations() if one.command is not None}
    typed = {command, command.split(" ", maxsplit=1)[0]}
    flags = _flags(next((one for one in all_operations() if names.get(one.name) in typed), None))
    told = _TOOL.sub(lambda found: f"`cocosearch-py {names[found[0]]}`" if found[0] in names else found[0], advice)
    return _PARAMETER.sub(lambda found: f"{flags[found[1]]} " if found[1] in flags else found[0], told)


def _flags(operation: Any) -> dict[str, str]:
    """The longest spelling of each parameter that is given by a flag with a value."""
    every = operation.parameters if operation is not None else ()
    return {
        one.name: max(one.flag.names, key=len)
        for one in every
        if one.flag is not None and one.flag.names and one.typed is not bool
    }
