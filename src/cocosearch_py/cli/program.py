"""The program: its commands and the options before them."""

from typing import Annotated

import typer

from cocosearch_py.cli import configuration, database, init_command, mcp_command, open_command, worker_command
from cocosearch_py.cli.command import command, make_command, root_callback
from cocosearch_py.cli.groups import add_commands
from cocosearch_py.cli.help import use_plain_help
from cocosearch_py.operations import index_codebase
from cocosearch_py.tools.registry import all_operations

_ABOUT = """Search code by meaning and by name, offline, on PostgreSQL.

Index a folder once with `cocosearch-py index`, then ask: `cocosearch-py "where are tokens checked"`.
Quoted text, or more than one word, is a search.
"""
_WATCH = """Keep the index of a folder up to date: run now and after each file change, until Ctrl-C.

The same as `index --watch`. A burst of changes causes one run; each run prints one line.
"""


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"cocosearch-py {version('cocosearch-py')}")
        except PackageNotFoundError:
            typer.echo("cocosearch-py (not installed: run from a checkout)")
        raise typer.Exit


def _main(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


program = typer.Typer(
    help=_ABOUT,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
program.callback(invoke_without_command=True)(root_callback(_main))
add_commands(program, all_operations())
program.command("watch")(
    command(make_command(index_codebase.OPERATION, "watch", _WATCH, watch=True, dry_run=False, fresh=False))
)
program.command("open")(command(open_command.open_target))
program.command("doctor")(command(configuration.doctor))
program.command("worker")(command(worker_command.worker))
program.command("init")(command(init_command.init))
program.command("mcp", context_settings={"ignore_unknown_options": True})(mcp_command.mcp)
program.add_typer(configuration.program, name="config")
program.add_typer(database.program, name="db")
use_plain_help(program)
