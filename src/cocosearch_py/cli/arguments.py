"""The command that arguments name: a search without its command, commands of CocoSearch, mistyped names."""

import re
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile

from cocosearch_py.cli.commands import ABOUT, MODULES, all_subcommands, below, first_words, hidden_names
from cocosearch_py.cli.options import position_of_command
from cocosearch_py.cli.parser import UsageError
from cocosearch_py.config.paths import APP_NAME
from cocosearch_py.errors import ValidationError

# Options of the program itself, with the functions that they run and their help.
PROGRAM_OPTIONS = {
    "--version": ("cli.version.show", "Print the version and exit."),
    "--install-completion": ("cli.completion_scripts.install", "Install completion for the current shell."),
    "--show-completion": (
        "cli.completion_scripts.show",
        "Show completion for the current shell, to copy it or customize the installation.",
    ),
    "-h": ("cli.help.show_program", "Show this message and exit."),
    "--help": ("cli.help.show_program", "Show this message and exit."),
}
_NEGATED_FILTER = re.compile(r"-(lang|language|path|file|kind|type|name):", re.IGNORECASE)  # text of a query, no flag
_LIKENESS = 0.75  # "serach" and "lits" are close to a command; "searcher" and "statement" are not
_MAX_SHOWN_CHARS = 60
# CocoSearch's commands of two words and ours for them.
_COCOSEARCH = {"impact": ("impact",), "show": ("deps",), "tree": ("deps", "--depth", "5")}


def resolve(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the name of the command, and the arguments without it. Filters such as `-lang:go` become text.

    Where no command is named, it is `search`. It is the first word of a group if the second is missing, an option of
    the program itself, or "" if nothing is typed but global options.

    Raises:
        ValidationError: the text may be a mistyped command, or a command of a later version.
        UsageError: a group has no such command.
    """
    arguments = _in_own_commands([f" {item}" if _NEGATED_FILTER.match(item) else item for item in arguments])
    at = position_of_command(arguments)
    if at is None:
        return "", arguments
    word, after = arguments[at], arguments[at + 1 :]
    if word in PROGRAM_OPTIONS:
        return word, arguments
    is_text = word.startswith("-") or any(map(str.isspace, word))
    if not is_text and (name := _named(word, "".join(after[:1]))):
        return name, [*arguments[:at], *after[name.count(" ") :]]
    if not is_text:
        _require_query(word, after)
    return "search", arguments


def _named(word: str, second: str) -> str:
    """Return the command or the group that two words name, if the second belongs to it; "" if there is none."""
    both = f"{word} {second}"
    if both in MODULES or word in MODULES:
        return both if both in MODULES else word
    if both in all_subcommands() or word in all_subcommands():
        return both if both in all_subcommands() else word
    if word in ABOUT and second and not second.startswith("-"):
        raise _unknown_in_group(word, second)
    return word if word in ABOUT else hidden_names().get(word, "")


def _in_own_commands(arguments: list[str]) -> list[str]:
    """Return the arguments with our command for `deps impact`, `deps show` or `deps tree` of CocoSearch."""
    at = position_of_command(arguments)
    if at is None or arguments[at] != "deps" or arguments[at + 1 : at + 2] == []:
        return arguments
    return [*arguments[:at], *_COCOSEARCH.get(arguments[at + 1], arguments[at : at + 2]), *arguments[at + 2 :]]


def _require_query(text: str, rest: Sequence[str]) -> None:
    """Refuse one word, or several whose first is close to a command."""
    words = [text, *takewhile(lambda item: not item.startswith("-"), rest)]
    near = get_close_matches(text, [*first_words(all_subcommands()), *hidden_names()], n=1, cutoff=_LIKENESS)
    if len(words) > 1 and not near:
        return
    search = f"`{APP_NAME} search {shlex.join(words)[:_MAX_SHOWN_CHARS]}` searches for the text"
    raise ValidationError(
        f"unknown command '{text[:_MAX_SHOWN_CHARS]}'",
        hint=f"did you mean `{APP_NAME} {near[0]}`? {search}" if near else search,
    )


def _unknown_in_group(group: str, word: str) -> UsageError:
    near = get_close_matches(word, below(group), n=1, cutoff=_LIKENESS)
    hint = f"did you mean `{APP_NAME} {group} {near[0]}`?" if near else ""
    return UsageError(f"unknown command '{group} {word[:_MAX_SHOWN_CHARS]}'", hint=hint, of=group)
