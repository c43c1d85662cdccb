"""What is typed, and the values of a command's parameters."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.cli.arguments import resolve
from cocosearch_py.cli.commands import MODULES, all_subcommands, subcommand
from cocosearch_py.cli.options import GLOBAL_PARAMETERS
from cocosearch_py.cli.parser import UsageError, kind_of, parse, spellings
from cocosearch_py.errors import ValidationError


def read(*arguments: str) -> tuple[str, dict[str, Any]]:
    """Return the command, and the values that differ from those of the command alone."""
    name, rest = resolve(arguments)
    command = subcommand(name)
    values = parse(command, rest)
    assert values is not None
    untyped = {one.name: one.untyped for one in (*GLOBAL_PARAMETERS, *command.parameters)}
    return name, {key: value for key, value in values.items() if value != untyped[key]}


@pytest.mark.parametrize(
    ("typed", "name", "values"),
    [
        ("search open a file", "search", {"query": ["open", "a", "file"]}),
        ("search open -l 5 file", "search", {"query": ["open", "file"], "limit": 5}),
        ("-q search x --json", "search", {"query": ["x"], "quiet": True, "json": True}),
        ("--log-level debug search x --log-level info", "search", {"query": ["x"], "log_level": "info"}),
        ("--log-level=debug list", "list", {"log_level": "debug"}),
        ("search x -l3 -qv", "search", {"query": ["x"], "limit": 3, "quiet": True, "verbose": True}),
        ("search x --limit=3", "search", {"query": ["x"], "limit": 3}),
        ("search x --limit 3 --limit 4", "search", {"query": ["x"], "limit": 4}),
        ("search x -n a --indexes b --index=c,d", "search", {"query": ["x"], "index_name": ["a", "b", "c,d"]}),
        ("search x --language go", "search", {"query": ["x"], "language": "go"}),
        ("search x --no-hybrid", "search", {"query": ["x"], "use_hybrid_search": False}),
        ("search x --no-hybrid --hybrid", "search", {"query": ["x"], "use_hybrid_search": True}),
        ("grep x -s", "grep", {"query": ["x"], "case_sensitive": True}),
        ("grep x -i", "grep", {"query": ["x"], "case_sensitive": False}),
        ("search -- -x --limit", "search", {"query": ["-x", "--limit"]}),
        ("search -", "search", {"query": ["-"]}),
        ("search x -lang:go", "search", {"query": ["x", " -lang:go"]}),
        ("create a.py --content -x", "create", {"path": "a.py", "content": "-x"}),
        ("create a.py --content --yes", "create", {"path": "a.py", "content": "--yes"}),
        ("create a.py --content --", "create", {"path": "a.py", "content": "--"}),
        ("export -o=x", "export", {"output": "x"}),
        ("changes", "changes", {}),
        ("changes undo 3", "changes undo", {"seq": 3}),
        ("-v wiki write page text", "wiki write", {"verbose": True, "page": "page", "content": "text"}),
        ("text-search x", "grep", {"query": ["x"]}),
        ("deps tree a.py", "deps", {"files": ["a.py"], "depth": 5}),
        ("deps impact a.py", "impact", {"files": ["a.py"]}),
        ("where are tokens checked", "search", {"query": ["where", "are", "tokens", "checked"]}),
        ("--limit 3 x", "search", {"query": ["x"], "limit": 3}),
        ("-q db psql -c 'SELECT", "db psql", {"quiet": True, "arguments": ["-c", "'SELECT"]}),
        ("db psql -- -q", "db psql", {"arguments": ["-q"]}),
    ],
)
def test_arguments_are_read(typed: str, name: str, values: dict[str, Any]) -> None:
    assert read(*typed.split()) == (name, values)


def test_a_text_with_blanks_is_a_query_whatever_it_begins_with() -> None:
    assert read("open a file") == ("search", {"query": ["open a file"]})
    assert read("search", "-foo bar") == ("search", {"query": ["-foo bar"]})


@pytest.mark.parametrize(
    ("typed", "error", "hint"),
    [
        ("search x --limit 0", "-l/--limit: 0 is not between 1 and 100", "see `cocosearch-py search --help`"),
        ("search x -l many", "-l/--limit: 'many' is not a whole number", "search --help"),
        ("search x --min-score high", "--min-score: 'high' is not a number", "search --help"),
        ("search x --min-score nan", "--min-score: nan is not between 0 and 1", "search --help"),
        ("search x --limit", "-l/--limit: expected one argument", "search --help"),
        ("search x --json=1", "--json: ignored explicit argument '1'", "search --help"),
        ("search x --index=", "-n/--index: the name is empty", "search --help"),
        ("search x --limt 3", "unknown option '--limt'", "did you mean `--limit`? see"),
        ("search x --lim 3", "unknown option '--lim'", "did you mean `--limit`?"),
        ("changes --since 3", "unknown option '--since'", "did you mean `--since-seq`, `--since-time`, `--since-ref`?"),
        ("search x -z", "unknown option '-z'", "search --help"),
        ("hotspots --min-complexity 0", "--min-complexity: 0 is less than 1, the minimum", "hotspots --help"),
        ("changes --source me", "--source: 'me' is none of agent, watcher, all", "changes --help"),
        ("outline", "missing argument: FILE", "outline --help"),
        ("outline a b", "unexpected argument 'b'", "outline --help"),
        ("wiki restore page first", "VERSION: 'first' is not a whole number", "wiki restore --help"),
        ("wiki record-failure", "missing option: --symptom", "wiki record-failure --help"),
        ("wiki raed page", "unknown command 'wiki raed'", "did you mean `cocosearch-py wiki read`?"),
        ("changes undo 1 2", "unexpected argument '2'", "changes undo --help"),
    ],
)
def test_mistakes_are_explained(typed: str, error: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(*typed.split())
    assert raised.value.message == error
    assert hint in raised.value.hint


def test_a_single_word_is_no_query() -> None:
    for word in ("serach", "OrderBook"):
        with pytest.raises(ValidationError, match=f"unknown command '{word}'"):
            resolve([word])


@pytest.mark.parametrize("typed", ["search --help", "search x --limit 0 -h", "db psql -h", "--json outline --help"])
def test_help_comes_before_mistakes(typed: str) -> None:
    name, rest = resolve(typed.split())
    assert parse(subcommand(name), rest) is None


@pytest.mark.parametrize("typed", ["create a.py --content --help", "search -- --help", "db psql -- --help"])
def test_help_can_be_a_value(typed: str) -> None:
    assert read(*typed.split())


def test_the_table_names_every_command_once_and_its_module() -> None:
    assert list(all_subcommands()) == list(MODULES)
    assert {name: one.name for name, one in all_subcommands().items()} == {name: name for name in MODULES}


def test_every_option_that_takes_a_value_has_a_long_name() -> None:
    for command in all_subcommands().values():
        for one in command.parameters:
            names = spellings(one, hidden=True)
            assert not names or kind_of(one) is bool or any(name.startswith("--") for name in names)


VALUES = st.text(min_size=1).filter(str.strip)


@given(st.sampled_from(sorted(MODULES)), st.data())
@settings(deadline=None, max_examples=300)
def test_options_that_take_any_text_get_it_unchanged(name: str, data: st.DataObject) -> None:
    command = subcommand(name)
    free = [one for one in command.parameters if kind_of(one) is str and spellings(one)]
    if not free or command.passes_on:
        return
    one, text = data.draw(st.sampled_from(free)), data.draw(VALUES)
    spelling = data.draw(st.sampled_from(spellings(one, hidden=True)))
    required = [word for other in command.parameters if other.untyped is None for word in _needed(other, one.name)]
    values = parse(command, [*required, spelling, text])
    assert values is not None
    assert values[one.name] == text


def _needed(one: Any, given_already: str) -> list[str]:
    """Return arguments that give a required parameter a value."""
    if one.name == given_already or "None" in str(one.typed):
        return []
    return [*spellings(one)[-1:], "1"]
