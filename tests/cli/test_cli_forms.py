"""Every command, in each form that its help promises."""

import re

import pytest
import typer

from cocosearch_py.cli.help import PANELS
from cocosearch_py.cli.program import program

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


def visible():
    """Every command that help shows, by its name; groups that do nothing alone are replaced by their commands."""
    commands = {}
    for name, command in typer.main.get_command(program).commands.items():
        inner = {f"{name} {one}": below for one, below in getattr(command, "commands", {}).items()}
        if not command.hidden:
            commands |= inner if inner and not command.invoke_without_command else {name: command, **inner}
    return commands


def test_every_command_is_among_the_forms():
    names = set(visible())
    tried = {name for name in names for form in FORMS if form == name or form.startswith(f"{name} ")}
    assert names - tried == ELSEWHERE


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


def test_help_begins_with_ten_commands_and_has_each_in_a_panel(cli):
    out = cli("--help").out
    first = out[out.index("Start here") : out.index("Find and understand code")]
    assert re.findall(r"^\W ([a-z]+) ", first, re.MULTILINE) == list(PANELS["Start here"])
    assert len(PANELS["Start here"]) == 10
    named = [name for names in PANELS.values() for name in names]
    assert sorted(named) == sorted({name.partition(" ")[0] for name in visible()})


def test_help_shows_no_types_and_no_options_of_other_programs(cli):
    for name, command in visible().items():
        context = typer.Context(command, info_name=name)
        for param in command.get_params(context):
            assert param.display_type_rich(context) in (None, param.metavar)
            takes_value = param.param_type_name == "argument" or not getattr(param, "is_flag", True)
            assert param.metavar or not takes_value, (name, param.name)
    help_of_search = cli("search", "--help").out
    assert "Usage: cocosearch-py search [OPTIONS] QUERY" in help_of_search
    for hidden in ("--no-cache", "--no-rewrite", "--language", "--index-name", "<"):
        assert hidden not in help_of_search
    assert cli("search", "x", "--no-cache", "--no-rewrite", "--language", "go", "--index-name", "no", code=3).error
