"""Commands by name: the modules that declare them, in the groups of the help."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.loading import load
from cocosearch_py.tools.declaration import Operation, Parameter, parameters_of
from cocosearch_py.tools.registry import all_operations

if TYPE_CHECKING:
    from cocosearch_py.cli.session import Session  # reads settings, which completion does without

# A module is imported when one of its commands is typed. A command that is missing here works, but starts slower.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Start here": {
        "index": "features.indexing.tools",
        "search": "features.search.tools",
        "ask": "features.ask.tools",
        "grep": "features.search.tools",
        "read": "features.navigate.tools",
        "symbols": "features.navigate.tools",
        "refs": "features.references.tools",
        "status": "features.indexing.tools",
        "init": "cli.program",
        "doctor": "cli.program",
    },
    "Find and understand code": {
        "open": "cli.program",
        "context": "features.context.tools",
        "summarize": "features.navigate.tools",
        "explain": "features.navigate.tools",
        "files": "features.files.tools",
        "outline": "features.navigate.tools",
        "tests": "features.references.tools",
        "types": "features.references.tools",
        "tokens": "features.files.tools",
        "analyze": "features.search.tools",
        "pipeline": "features.pipeline.tools",
    },
    "Follow dependencies": {
        "deps": "features.dependencies.tools",
        "impact": "features.dependencies.tools",
        "callgraph": "features.references.tools",
        "graph": "features.dependencies.tools",
        "map": "features.dependencies.tools",
    },
    "Assess code": {
        "hotspots": "features.quality.tools",
        "health": "features.quality.tools",
        "diff": "features.quality.tools",
        "audit": "features.audit.tools",
    },
    "Manage indexes": {
        "list": "features.catalog.tools",
        "stats": "features.catalog.tools",
        "watch": "cli.program",
        "why": "features.indexing.tools",
        "members": "features.catalog.tools",
        "languages": "features.catalog.tools",
        "jobs": "features.jobs.tools",
        "log": "features.jobs.tools",
        "cancel": "features.jobs.tools",
        "clear": "features.catalog.tools",
        "restore": "features.catalog.tools",
        "prune": "features.catalog.tools",
        "export": "features.transfer.tools",
        "import": "features.transfer.tools",
        "eval": "features.evaluate.tools",
    },
    "Edit files and keep notes": {
        "patch": "features.edit.tools",
        "create": "features.edit.tools",
        "changes": "features.edit.tools",
        "changes undo": "features.edit.tools",
        "wiki generate": "features.wiki.tools",
        "wiki status": "features.wiki.tools",
        "wiki search": "features.wiki.tools",
        "wiki read": "features.wiki.tools",
        "wiki write": "features.wiki.tools",
        "wiki update": "features.wiki.tools",
        "wiki compound": "features.wiki.tools",
        "wiki record-failure": "features.wiki.tools",
        "wiki diff": "features.wiki.tools",
        "wiki history": "features.wiki.tools",
        "wiki export": "features.wiki.tools",
        "wiki import": "features.wiki.tools",
        "wiki remove": "features.wiki.tools",
        "wiki rename": "features.wiki.tools",
        "wiki restore": "features.wiki.tools",
    },
    "Serve and configure": {
        "mcp": "cli.program",
        "worker": "cli.program",
        "config show": "cli.program",
        "config path": "cli.program",
        "config trust": "cli.program",
        "config untrust": "cli.program",
        "config check": "cli.program",
        "db url": "cli.program",
        "db current": "cli.program",
        "db upgrade": "cli.program",
        "db downgrade": "cli.program",
        "db psql": "cli.program",
        "db start": "cli.program",
        "db stop": "cli.program",
        "db remains": "cli.program",
    },
}
MODULES: Mapping[str, str] = {name: module for group in GROUPS.values() for name, module in group.items()}
# First words that are no commands by themselves.
ABOUT: Mapping[str, str] = {
    "wiki": "Keep pages of knowledge about a repository, with all their versions.",
    "config": "Show settings and check that everything works.",
    "db": "Manage the database.",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subcommand:
    """A command of the program.

    Attributes:
        parameters: its own, without the global options.
        run: does the work, with a value for each parameter; returns the exit code, None for 0.
        passes_on: whether all arguments but the global options before them are for another program.
    """

    name: str
    help: str
    parameters: tuple[Parameter, ...]
    run: "Callable[[Session, dict[str, Any]], int | None]"
    passes_on: bool = False


def subcommand(name: str) -> Subcommand:
    """Return a command by its name. Raises KeyError."""
    if name not in MODULES:
        return all_subcommands()[name]
    module = import_module(f"cocosearch_py.{MODULES[name]}")
    tools = getattr(module, "TOOLS", None) or [getattr(module, "OPERATION", None)]
    for tool in tools:
        if tool is not None and tool.command is not None and tool.command.name == name:
            return of_operation(tool)
    own_command: Subcommand = module.SUBCOMMANDS[name]
    return own_command


@cache
def all_subcommands() -> Mapping[str, Subcommand]:
    """Return all commands by name, in the order of the help; those that the table lacks come last."""
    return {name: subcommand(name) for name in MODULES} | {
        operation.command.name: of_operation(operation)
        for operation in all_operations()
        if operation.command is not None and operation.command.name not in MODULES
    }


@cache
def hidden_names() -> Mapping[str, str]:
    """Return the names that help does not show, with those that it shows for them."""
    commands = [operation.command for operation in all_operations() if operation.command is not None]
    return {hidden: command.name for command in commands for hidden in command.hidden_names}


def below(name: str) -> list[str]:
    """Return the second words of the commands that begin with a word, or all first words if there is none."""
    if not name:
        return first_words(MODULES)
    return [full.removeprefix(f"{name} ") for full in MODULES if full.startswith(f"{name} ")]


def first_words(names: Iterable[str]) -> list[str]:
    """Return the first words of commands, each once."""
    return list(dict.fromkeys(name.partition(" ")[0] for name in names))


def of_operation(
    operation: Operation[Any, Any], name: str = "", about: str = "", fixed: Mapping[str, Any] | None = None
) -> Subcommand:
    """Make the command of an operation, or one of another name with some parameters fixed."""
    command, fixed = operation.command, fixed or {}
    if command is None:
        raise ValueError(f"{operation.name} is not a command")
    return Subcommand(
        name=name or command.name,
        help=about or command.help,
        parameters=tuple(item for item in operation.parameters if item.flag is not None and item.name not in fixed),
        run=lambda session, values: load("cli.running.run_operation")(session, operation, {**values, **fixed}),
    )


def own(name: str, about: str, function: str, arguments: type | None = None, *, passes_on: bool = False) -> Subcommand:
    """Make a command of the program itself from its function, by name, and the class of its arguments if it has any."""

    def run(session: "Session", values: dict[str, Any]) -> int | None:
        given = [] if arguments is None else [arguments(**values)]
        code: int | None = load(function)(session, *given)
        return code

    parameters = () if arguments is None else parameters_of(arguments)
    return Subcommand(name=name, help=about, parameters=parameters, run=run, passes_on=passes_on)
