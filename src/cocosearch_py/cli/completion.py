"""Completion on Tab in bash, zsh and fish, without the parser: importing that takes longer than a person waits.

The shells call the program with the parser's protocol, so the scripts of `--install-completion` are the parser's own.
All words come from a table that `completion_table` makes, kept in the data folder until the program changes.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cocosearch_py.cli.streams import put_data, set_up_streams
from cocosearch_py.config.paths import data_folder
from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.private import replace_text
from cocosearch_py.storage.server.location import locate

VARIABLE = "_COCOSEARCH_PY_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")
_TABLE = "completion.json"
_INDEX = "INDEX"  # kind of values that the database has; the table has the others
_NONE = 1  # exit code that lets fish complete files
Candidates = list[tuple[str, str]]  # values with their help


def complete(environ: Mapping[str, str]) -> int | None:
    """Print what may come next on the command line; returns the exit code, or None for a shell of the parser's own."""
    shell = environ.get(VARIABLE, "").removeprefix("complete_")
    if shell not in _SHELLS:
        return None
    set_up_streams()
    words, begun = _typed(shell, environ)
    found: Candidates = []
    with suppress(CocosearchError, OSError, ValueError):  # A prompt is no place for errors.
        folder = data_folder(environ)
        found = list(_candidates(_table(folder), words, begun, folder))
    if environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else _NONE
    if text := _formatted(shell, found):
        put_data(text, sys.stdout)
    return 0


def _typed(shell: str, environ: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the words before the cursor, without the program, and the one at the cursor as far as it is typed."""
    if shell == "bash":
        words = _split(environ.get("COMP_WORDS", ""))
        at = int(environ.get("COMP_CWORD", "") or 0)
        return words[1:at], words[at] if at < len(words) else ""
    line = environ.get("_TYPER_COMPLETE_ARGS", "")
    words = _split(line)[1:]
    return (words[:-1], words[-1]) if words and not line.endswith(" ") else (words, "")


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quote that is still open
        return line.split()


def _table(folder: Path) -> dict[str, Any]:
    """Return the table of words, from the data folder if it is of this program."""
    stamp = _stamp()
    kept = folder / _TABLE
    with suppress(OSError, ValueError):
        table: dict[str, Any] = json.loads(kept.read_bytes())
        if table["stamp"] == stamp:
            return table
    from cocosearch_py.cli.completion_table import completion_table

    table = {"stamp": stamp, **completion_table()}
    if folder.is_dir():
        with suppress(OSError):
            replace_text(kept, json.dumps(table))
    return table


def _stamp() -> list[int]:
    """Return what changes when the declarations of commands change: number, sizes and newest time of their files."""
    package = Path(__file__).parents[1]
    rooms = (package / name for name in ("cli", "operations", "tools", "config"))
    folders = (*rooms, *(path for path in (package / "features").iterdir() if path.is_dir()))
    files = [entry.stat() for folder in folders for entry in os.scandir(folder) if entry.name.endswith(".py")]
    return [len(files), sum(file.st_size for file in files), max(file.st_mtime_ns for file in files)]


def _candidates(table: dict[str, Any], words: list[str], begun: str, folder: Path) -> Iterator[tuple[str, str]]:
    scope, awaited, places = table, None, 0
    options: dict[str, Any] = table["options"]
    for word in words:
        if awaited is not None:
            awaited = None
        elif word.startswith("-"):
            awaited = options.get(word, (None,))[0]
        elif word in scope.get("commands", {}):
            scope = scope["commands"][word]
            options = {**table["globals"], **scope["options"]}
        else:
            places += 1
    if awaited is None and begun.startswith("-"):
        yield from ((name, told) for name, (_, told) in options.items() if name.startswith(begun))
        return
    if awaited is None and not places and "commands" in scope:
        commands = scope["commands"].items()
        yield from ((name, one["help"]) for name, one in commands if name.startswith(begun))
        return
    kinds = scope.get("places", [])
    kind = awaited if awaited is not None else kinds[min(places, len(kinds) - 1)] if kinds else ""
    before, comma, last = begun.rpartition(",")  # where several are separated by commas
    values = [value for value in _values(table, kind, folder) if value not in before.split(",")]
    yield from ((before + comma + value, "") for value in values if value.startswith(last))


def _values(table: dict[str, Any], kind: str | list[str], folder: Path) -> list[str]:
    if isinstance(kind, list):
        return kind
    if kind == _INDEX:
        from cocosearch_py.storage.server.index_names import index_names

        return index_names(locate(folder))
    return list(table["values"].get(kind, ()))  # none of files, which the shell completes


def _formatted(shell: str, found: Candidates) -> str:
    """Return the candidates as the script of the shell reads them."""
    if shell == "zsh":
        items = "\n".join(f'"{_in_zsh(value)}"' + (f':"{_in_zsh(told)}"' if told else "") for value, told in found)
        return f"_arguments '*: :(({items}))'" if found else "_files"
    return "\n".join(f"{value}\t{told}" if shell == "fish" and told else value for value, told in found)


def _in_zsh(text: str) -> str:
    """Return a text as the script evaluates it, between double quotes in single quotes."""
    return re.sub(r"([$`:\\])", r"\\\1", text.replace("'", "").replace('"', "")).replace(r"\:", r"\\:")
