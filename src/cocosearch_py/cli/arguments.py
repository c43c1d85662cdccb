"""What is decided before the arguments are parsed: text without a command is a search."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from cocosearch_py.cli.options import GLOBAL_FLAGS, GLOBAL_VALUED
from cocosearch_py.errors import ValidationError

_OWN_FLAGS = frozenset({"-h", "--help", "--version", "--install-completion", "--show-completion"})
_NEGATED_FILTER = re.compile(r"-(lang|language|path|file|kind|type|name):", re.IGNORECASE)  # text of a query, no flag
_LIKENESS = 0.75  # "serch" and "lits" are typing errors, "searcher" or "statement" are things to look for


def with_default_command(arguments: Sequence[str], commands: Sequence[str]) -> list[str]:
    """Return the arguments with `search` put in where no command is named, and filters such as `-lang:go` kept as text.

    Raises:
        ValidationError: the only word looks like a command with a typing error.
    """
    arguments = [f" {item}" if _NEGATED_FILTER.match(item) else item for item in arguments]
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if argument in GLOBAL_VALUED:
            position += 2
        elif argument in GLOBAL_FLAGS or argument.partition("=")[0] in GLOBAL_VALUED:
            position += 1
        elif argument in commands or argument in _OWN_FLAGS:
            return list(arguments)
        else:
            _refuse_typing_error(argument, arguments[position + 1 :], commands)
            return [*arguments[:position], "search", *arguments[position:]]
    return list(arguments)


def has_flag(arguments: Sequence[str], *names: str) -> bool:
    """Whether one of the flags stands among the arguments before `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return not set(names).isdisjoint(arguments[:end])


def _refuse_typing_error(word: str, rest: Sequence[str], commands: Sequence[str]) -> None:
    if not word.isalpha() or not word.islower() or any(not item.startswith("-") for item in rest):
        return
    near = get_close_matches(word, commands, n=1, cutoff=_LIKENESS)
    if near:
        raise ValidationError(
            f"there is no command '{word}'",
            hint=f"did you mean `cocosearch-py {near[0]}`? To look for the word: `cocosearch-py search {word}`",
        )
