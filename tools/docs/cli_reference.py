"""Writes docs/cli-reference.md from the program itself: `python tools/docs/cli_reference.py [--check]`.

With --check it writes nothing and exits 1 when the file is out of date.
"""

import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from cocosearch_py.cli.arguments import PROGRAM_OPTIONS
from cocosearch_py.cli.commands import Subcommand, all_subcommands
from cocosearch_py.cli.help import usage_of
from cocosearch_py.cli.options import GLOBAL_PARAMETERS, HELP
from cocosearch_py.cli.parser import spellings
from cocosearch_py.errors import exit_codes
from cocosearch_py.tools.declaration import Parameter

TARGET = Path(__file__).parents[2] / "docs" / "cli-reference.md"
PROGRAM = "cocosearch-py"
COMMAND = "python tools/docs/cli_reference.py"

HEAD = f"""\
# Command line reference

Made by `{COMMAND}` from the program itself; change the texts there, then run it again.

Quoted text, or more than one word, is a search: `{PROGRAM} "where are tokens checked"`. A single word needs the
command: `{PROGRAM} search timeout`. `search`, `analyze` and `ask` read standard input if the text is missing
(`cat trace.txt | {PROGRAM} search`) or is `-`. They read a file if the text is `@FILE`.

## Output and exit codes

On a terminal the output is readable text. In a pipe, or with `--json`, it is one JSON document in the form of the tool
of the same name. List items are on a line each, so that `head` and `grep` work. `--pretty` prints readable text
everywhere. Without a flag, the setting `cli.output` applies (`auto`, `text` or `json`; `COCOSEARCH_CLI_OUTPUT`).
Each run of `watch`, and each query of `search --interactive --json`, is one line. `db url`, `config path`, `--version`
and `search --files-only` print plain lines unless `--json` is given. Errors, warnings and progress go to stderr.
If the output is JSON, an error is one JSON object on its own line:
`{{"success": false, "error": "...", "error_type": "...", "hint": "..."}}`.

| code | meaning |
|---|---|
| 0 | done, even when nothing is found |
| 1 | failed |
| 2 | wrong arguments or configuration |
| 3 | not indexed |
| 4 | database or model does not answer |
| 5 | refused to protect data; `--force` does it |
| 10 | nothing found, with `--exit-no-results` |
| 130 | interrupted |
"""


def main() -> int:
    text = "\n".join(document()).rstrip() + "\n"
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.name} is out of date: run `{COMMAND}`", file=sys.stderr)
    return 1


def _by_code() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for kind, code in exit_codes().items():
        found.setdefault(code, []).append(kind)
    return found


def document() -> Iterator[str]:
    yield HEAD
    yield "Each error type has one exit code, whether the command runs locally or on a remote server:\n"
    yield "| code | `error_type` |\n|---|---|"
    for code, kinds in sorted(_by_code().items()):
        yield f"| {code} | {', '.join(f'`{kind}`' for kind in kinds)} |"
    yield "\n## Global options\n\nAccepted before and after every command name.\n"
    yield from options(GLOBAL_PARAMETERS)
    yield "\nAccepted only before a command name:\n"
    yield "| option | meaning |\n|---|---|"
    for name, (_, about) in PROGRAM_OPTIONS.items():
        if name not in HELP:
            yield f"| `{name}` | {about} |"
    for command in all_subcommands().values():
        yield from section(command)


def section(command: Subcommand) -> Iterator[str]:
    yield f"\n## {command.name}\n\n```\n{PROGRAM} {command.name} {usage_of(command)}\n```"
    yield f"\n{inspect.cleandoc(command.help)}\n"
    if command.parameters:
        yield from options(sorted(command.parameters, key=lambda one: one.flag is None or one.flag.names != ()))


def options(parameters: Iterable[Parameter]) -> Iterator[str]:
    yield "| option | meaning |\n|---|---|"
    hidden = []
    for one in parameters:
        flag = one.flag
        if flag is None:
            continue
        names = spellings(one) or [flag.metavar]
        yield f"| {spelled(names, flag.metavar if flag.names else '')} | {cell(flag.help or one.about or '')} |"
        if flag.hidden_names:
            hidden.append(f"| {spelled([*flag.hidden_names], flag.metavar)} | The same as {flag.names[-1]}. |")
    yield from hidden


def spelled(names: list[str], metavar: str) -> str:
    """`-l`, `--limit N`: all spellings, the value after the last one."""
    names = [*names[:-1], f"{names[-1]} {metavar}".rstrip()]
    return ", ".join(f"`{cell(name)}`" for name in names)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
