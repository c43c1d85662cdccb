"""Advice of operations in the words of the command line: they name tools and parameters, as agents know them."""

import re
from typing import Any

_TOOL = re.compile(r"(?<![\w'\"`./-])[a-z]+(?:_[a-z]+)+(?![\w'\"`./(=-])")  # not what somebody's code calls something
_OR_TOOL = re.compile(r"(`cocosearch-py [^`]+`), or the tool [a-z_]+")  # which is that command
# Commands of their own for what a tool does with a parameter.
_ELSEWHERE = {
    "index_status with check_files": "`cocosearch-py why FILE`",
    "list_files with status skipped": "`cocosearch-py files --status skipped`",
}
_PARAMETER = re.compile(r"(?<![\w'\"`./-])([a-z]\w*)=(?=\S)(?:true\b)?")


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
    return _PARAMETER.sub(lambda found: flags.get(found[0], found[0]), told)


def _flags(operation: Any) -> dict[str, str]:
    """The longest spelling of each parameter that is given by a flag: by `name=` what stands before its value.

    One that has no value is by `name=true`, and alone.
    """
    flags: dict[str, str] = {}
    for one in operation.parameters if operation is not None else ():
        if one.flag is not None and one.flag.names:
            longest = max(one.flag.names, key=len).partition("/")[0]
            is_switch = one.typed in (bool, bool | None)
            flags |= {f"{one.name}=true": longest} if is_switch else {f"{one.name}=": f"{longest} "}
    return flags
