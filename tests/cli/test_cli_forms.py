"""Every command, in each form that its help promises."""

import re

import pytest

from cocosearch_py.cli.commands import GROUPS, MODULES, all_subcommands
from cocosearch_py.cli.parser import kind_of

FORMS = [
    "search apply_discount",
    "apply_discount price",
    "analyze apply_discount",
    "ask who calls apply_discount?",
    "grep return",
    "grep --regex ret.rn --limit 1",
    "context round prices",
    "context --file shop/cart.py",
    "context --symbol apply_discount",
    "pipeline symbols apply_discount | count",
    "symbols apply_discount",
    "symbols apply*",
    "symbols shop/discounts.py#apply_discount",
    "refs apply_discount",
    "refs apply_discount --direction callees",
    "read shop/discounts.py",
    "read shop/discounts.py:1-3",
    "read apply_discount shop/cart.py",
    "summarize",
    "summarize shop",
    "summarize shop/cart.py",
    "summarize shop/cart.py shop/discounts.py",
    "summarize apply_discount",
    "explain apply_discount",
    "files",
    "files shop",
    "files --tree",
    "files --view paths",
    "outline shop/cart.py",
    "tokens shop/cart.py",
    "tokens shop",
    "tokens --directory shop",
    "tokens --glob **/*.py",
    "tests apply_discount",
    "tests shop/discounts.py",
    "tests --path shop/discounts.py",
    "types Money",
    "deps shop/cart.py",
    "deps show shop/cart.py",
    "deps tree shop/cart.py",
    "impact shop/discounts.py",
    "impact --symbol apply_discount",
    "deps impact shop/discounts.py",
    "graph",
    "graph shop",
    "callgraph apply_discount",
    "map",
    "map shop/cart.py",
    "hotspots",
    "hotspots shop",
    "health",
    "health shop",
    "audit",
    "audit shop",
    "list",
    "list sh*",
    "stats",
    "stats shop",
    "stats --all",
    "index --dry-run",
    "status",
    "status shop",
    "status --name shop",
    "members",
    "members shop",
    "jobs",
    "log",
    "log shop",
    "cancel shop",
    "restore",
    "eval --cases 1",
    "languages",
    "clear shop --dry-run",
    "clear --all --dry-run",
    "prune --older-than 1 --dry-run",
    "why shop/cart.py",
    "why shop/cart.py build/made.py",
    "changes",
    "doctor",
    "init --dry-run --all",
    "config show",
    "config path",
    "config check",
    "db url",
    "db current",
]
ELSEWHERE = {  # Their own tests run them: they write, need a change first, serve, start an editor, or run on.
    "diff", "export", "import", "open", "patch", "create", "changes undo", "watch", "worker", "mcp",
    "config trust", "config untrust", "db upgrade", "db downgrade", "db psql", "db start", "db stop", "db remains",
    "wiki generate", "wiki read", "wiki write", "wiki update", "wiki compound", "wiki record-failure", "wiki diff",
    "wiki export", "wiki search", "wiki status", "wiki history", "wiki import", "wiki remove", "wiki rename",
    "wiki restore",
}  # fmt: skip


def words_of(form):
    first, _, rest = form.partition(" ")
    return (
        [first, rest]
        if first == "pipeline" and "|" in rest
        else [word.replace("*apply", " apply") for word in form.split()]
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_help_promises_is_accepted(cli, shop, form):
    cli(*words_of(form), cwd=shop)


def test_every_command_is_among_the_forms():
    assert list(all_subcommands()) == list(MODULES)
    tried = {name for name in MODULES for form in FORMS if form == name or form.startswith(f"{name} ")}
    assert set(MODULES) - tried == ELSEWHERE


def test_nothing_to_cancel_is_said(cli, shop):
    assert cli("cancel", cwd=shop, code=1).error["error"] == "nothing is being indexed"


def test_a_file_in_place_of_a_name_and_an_index_in_place_of_a_job_mean_the_same(cli, shop):
    def answer(*arguments):
        return cli(*arguments, cwd=shop).json

    assert answer("tests", "shop/discounts.py")["tests"] == answer("tests", "--path", "shop/discounts.py")["tests"]
    assert answer("tokens", "shop") == answer("tokens", "--directory", "shop")
    assert answer("status", "shop")["index_name"] == "shop"
    assert answer("files", "--tree") == answer("files", "--view", "tree")
    assert answer("deps", "impact", "shop/discounts.py") == answer("impact", "shop/discounts.py")


def test_help_begins_with_ten_commands_and_has_each_in_a_group(cli):
    out = cli("--help").out
    first = out[out.index("Start here") : out.index("Find and understand code")]
    assert re.findall(r"^  ([a-z]+) ", first, re.MULTILINE) == list(GROUPS["Start here"])
    assert len(GROUPS["Start here"]) == 10
    for title, commands in GROUPS.items():
        shown = out.partition(f"\n{title}\n")[2].partition("\n\n")[0]
        assert set(re.findall(r"^  ([a-z]+) ", shown, re.MULTILINE)) == {name.partition(" ")[0] for name in commands}


def test_help_shows_no_types_and_no_options_of_other_programs(cli):
    for command in all_subcommands().values():
        for one in command.parameters:
            assert kind_of(one) is bool or one.flag.metavar, (command.name, one.name)
    help_of_search = cli("search", "--help").out
    assert "Usage: cocosearch-py search [OPTIONS] QUERY" in help_of_search
    for hidden in ("--no-cache", "--no-rewrite", "--language", "--index-name", "<"):
        assert hidden not in help_of_search
    assert cli("search", "x", "--no-cache", "--no-rewrite", "--language", "go", "--index-name", "no", code=3).error


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_help_fits_the_width(cli, columns):
    for words in ((), ("search",), ("wiki", "write")):
        lines = cli(*words, "--help", env={"COLUMNS": columns}).out.splitlines()
        assert max(map(len, lines)) <= int(columns)
