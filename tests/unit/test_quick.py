"""What is read without the argument parser is what the parser would have read."""

from dataclasses import asdict
from importlib import import_module
from typing import Any

import pytest
import typer
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cocosearch_py.cli.arguments import with_default_command
from cocosearch_py.cli.command import command, joined, make_command, root_callback
from cocosearch_py.cli.quick import COMMANDS, read
from cocosearch_py.cli.session import Session
from cocosearch_py.tools.registry import all_operations

OPERATIONS = {one.command.name: one for one in all_operations() if one.command is not None}
PLAIN = [
    ["search", "open a file"],
    ["search", "open", "a", "file"],
    ["open a file"],
    ["--json", "open a file", "--limit", "3"],
    ["--json", "--quiet", "search", "open", "-l", "5", "file"],
    ["search", "x", "--lang", "go,rust", "--path", "src/**", "--path", "lib/**", "--symbol-type", "class"],
    ["search", "x", "--no-hybrid", "--min-score", "0.25", "-C", "0", "--files-only", "--no-smart"],
    ["search", "x", "--hybrid", "--log-level", "debug", "--database-url", "postgresql://h/d", "--config", "a.yaml"],
    ["search", "x", "-n", "other", "--explain", "-v", "--exit-no-results", "--no-cache"],
    ["index"],
    ["index", "."],
    ["index", "a", "b"],
    ["-q", "index", "a b", "--name", "n", "-i", "*.py", "-i", "*.go", "--fresh", "--max-file-size", "7", "-j", "2"],
    ["index", "--no-gitignore", "--max-depth", "3", "--exclude", "x"],
    ["list"],
    ["search", "x", "-n", "a", "--index", "b,c", "--lang", "go"],
    ["grep", "x", "-l", "3", "--lang", "go"],
    ["refs", "Money", "--kind", "call,type", "--limit", "1"],
    ["read", "a.py:1-3", "b.py", "--json"],
    ["outline", "a.py"],
    ["--pretty", "stats", "shop"],
    ["map", "--max-tokens", "500"],
]
FOR_THE_PARSER = [
    [],
    ["--help"],
    ["search", "--help"],
    ["languages"],
    ["refs"],
    ["why"],
    ["outline", "a.py", "b.py"],
    ["refs", "name", "--limit", "many"],
    ["serch"],
    ["open"],
    ["search", "x", "--limit", "101"],
    ["search", "x", "--limit", "ten"],
    ["search", "x", "--limit"],
    ["search", "x", "--limit=3"],
    ["search", "x", "--language", "go"],
    ["search", "x", "--indexes", "a,b"],
    ["search", "x", "-l3"],
    ["search", "x", "-qv"],
    ["search", "x", "--nosuch"],
    ["search", "x", "--name", " "],
    ["search", "x", "-lang:go"],
    ["search", "--", "-x"],
    ["search", "x", "--limit", "3", "--limit", "4"],
    ["search", "\udcff"],
    ["--config", "search"],
]
VOCABULARY = sorted({word for line in [*PLAIN, *FOR_THE_PARSER] for word in line} - {"--help", "\udcff"})


def parsed(arguments: list[str]) -> tuple[str, dict[str, Any]]:
    """What the parser gives for arguments that it takes: the command, and the value of each parameter."""
    seen: list[tuple[str, dict[str, Any]]] = []
    app = typer.Typer()

    def root(ctx: typer.Context) -> None: ...

    app.callback()(root_callback(root))
    for name in COMMANDS:
        made: Any = make_command(OPERATIONS[name])

        def keep(session: Session, which: str = name, **values: Any) -> int:
            seen.append((which, {**asdict(session._options), **joined(OPERATIONS[which], values)}))
            return 0

        dressed: Any = keep
        dressed.__signature__, dressed.__annotations__ = made.__signature__, made.__annotations__
        app.command(name)(command(dressed))
    typer.main.get_command(app)(with_default_command(arguments, OPERATIONS), standalone_mode=False)
    return seen[0]


def same(arguments: list[str]) -> bool:
    found = read(arguments)
    if found is None:
        return False
    operation, values = found
    assert operation.command is not None
    assert (operation.command.name, values) == parsed(arguments)
    return True


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_the_plain_form_is_read_as_the_parser_reads_it(arguments: list[str]) -> None:
    assert same(arguments)


@pytest.mark.parametrize("arguments", FOR_THE_PARSER, ids=ascii)
def test_everything_else_is_left_to_the_parser(arguments: list[str]) -> None:
    assert read(arguments) is None


@given(st.lists(st.sampled_from(VOCABULARY), max_size=6), st.sampled_from([[], *([name] for name in COMMANDS)]))
@settings(deadline=None, max_examples=600)
def test_whatever_is_read_is_what_the_parser_reads(rest: list[str], first: list[str]) -> None:
    assume(not {"--json", "--pretty"} <= set(rest))  # the session refuses both, however they were read
    same([*first, *rest])


def test_the_commands_are_those_of_their_operations() -> None:
    for name, where in COMMANDS.items():
        feature, _, tool = where.rpartition(".")
        if feature:
            declared = import_module(f"cocosearch_py.features.{feature}.tools").TOOLS
        else:
            declared = (import_module(f"cocosearch_py.operations.{tool}").OPERATION,)
        assert OPERATIONS[name] in declared
        assert OPERATIONS[name].name == tool
