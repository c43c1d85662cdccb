"""Writes docs/cli-reference.md from the program itself: `python tools/docs/cli_reference.py [--check]`.

With --check it writes nothing and exits 1 when the file is out of date.
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from cocosearch_py.cli.options import GLOBAL_NAMES
from cocosearch_py.cli.program import program
from cocosearch_py.errors import exit_codes

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
    root = typer.main.get_command(program)
    yield HEAD
    yield "Each error type has one exit code, whether the command runs locally or on a remote server:\n"
    yield "| code | `error_type` |\n|---|---|"
    for code, kinds in sorted(_by_code().items()):
        yield f"| {code} | {', '.join(f'`{kind}`' for kind in kinds)} |"
    yield "\n`usage_error`, for wrong arguments, also has code 2.\n"
    yield "## Global options\n\nAccepted before and after every command name.\n"
    yield from options([param for param in root.params if param.name in GLOBAL_NAMES])
    yield "\nAccepted only before a command name:\n"
    yield from options([param for param in root.params if param.name not in GLOBAL_NAMES])
    for name, command in commands(root, PROGRAM):
        yield from section(name, command)


def commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command with its full name, groups replaced by their commands."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            if command.invoke_without_command:
                yield f"{path} {name}", command
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def section(name: str, command: Any) -> Iterator[str]:
    own = [param for param in command.params if param.name not in GLOBAL_NAMES]
    arguments = [param for param in own if param.param_type_name == "argument"]
    flags = [param for param in own if param.param_type_name == "option"]
    usage = " ".join([name, *(["[OPTIONS]"] if flags else []), *(param.metavar or "" for param in arguments)])
    yield f"\n## {name.removeprefix(PROGRAM + ' ')}\n\n```\n{usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n"
    if own:
        yield from options([*arguments, *flags])


def options(params: list[Any]) -> Iterator[str]:
    yield "| option | meaning |\n|---|---|"
    for param in params:
        yield f"| {spelled(param)} | {cell(param.help or '')} |"


def spelled(param: Any) -> str:
    """`-l`, `--limit N`: all spellings, the value after the last one."""
    if param.param_type_name == "argument":
        return f"`{cell(param.metavar or param.name)}`"
    names = [*param.opts, *param.secondary_opts]
    value = f" {param.metavar}" if param.metavar else ""
    return ", ".join(f"`{cell(name)}`" for name in [*names[:-1], names[-1] + value])


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
