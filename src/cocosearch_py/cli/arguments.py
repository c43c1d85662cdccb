"""Changes to the arguments before they are parsed: a search without its command, commands of CocoSearch."""

import re
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile

from cocosearch_py.cli.options import GLOBAL_FLAGS, GLOBAL_VALUED
from cocosearch_py.errors import ValidationError

_OWN_FLAGS = frozenset({"-h", "--help", "--version", "--install-completion", "--show-completion"})
_NEGATED_FILTER = re.compile(r"-(lang|language|path|file|kind|type|name):", re.IGNORECASE)  # text of a query, no flag
_LIKENESS = 0.75  # "serach" and "lits" are close to a command; "searcher" and "statement" are not
_SHOWN_CHARS = 60
# CocoSearch's commands of two words and ours for them.
_COCOSEARCH = {"impact": ("impact",), "show": ("deps",), "tree": ("deps", "--depth", "5")}


def in_own_commands(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with our command for `deps impact`, `deps show` or `deps tree` of CocoSearch."""
    at = _command_at(arguments)
    if at is None or arguments[at] != "deps" or arguments[at + 1 : at + 2] == []:
        return list(arguments)
    return [*arguments[:at], *_COCOSEARCH.get(arguments[at + 1], arguments[at : at + 2]), *arguments[at + 2 :]]


def with_default_command(arguments: Sequence[str], commands: Sequence[str]) -> list[str]:
    """Return the arguments with `search` put in where no command is named, and filters such as `-lang:go` kept as text.

    Raises:
        ValidationError: the text may be a mistyped command, or a command of a later version.
    """
    arguments = [f" {item}" if _NEGATED_FILTER.match(item) else item for item in arguments]
    at = _command_at(arguments)
    if at is None or arguments[at] in commands or arguments[at] in _OWN_FLAGS:
        return arguments
    _require_query(arguments[at], arguments[at + 1 :], commands)
    return [*arguments[:at], "search", *arguments[at:]]


def has_flag(arguments: Sequence[str], *names: str) -> bool:
    """Whether one of the flags stands among the arguments before `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return not set(names).isdisjoint(arguments[:end])


def _command_at(arguments: Sequence[str]) -> int | None:
    """Return the position of the first argument that is neither a global option nor the value of one."""
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if argument in GLOBAL_VALUED:
            position += 2
        elif argument in GLOBAL_FLAGS or argument.partition("=")[0] in GLOBAL_VALUED:
            position += 1
        else:
            return position
    return None


def _require_query(text: str, rest: Sequence[str], commands: Sequence[str]) -> None:
    """Refuse one word, or several whose first is close to a command; a text in quotes is a query."""
    if text.startswith("-") or any(map(str.isspace, text)):
        return
    words = [text, *takewhile(lambda item: not item.startswith("-"), rest)]
    near = get_close_matches(text, commands, n=1, cutoff=_LIKENESS)
    if len(words) > 1 and not near:
        return
    search = f"`cocosearch-py search {shlex.join(words)[:_SHOWN_CHARS]}` searches for the text"
    raise ValidationError(
        f"unknown command '{text[:_SHOWN_CHARS]}'",
        hint=f"did you mean `cocosearch-py {near[0]}`? {search}" if near else search,
    )
