"""Imports inside functions have a reason (ARCHITECTURE.md, "The one rule"); whatever has none goes to the top."""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

PACKAGE = "cocosearch_py"
SOURCE = Path(__file__).parents[2] / "src"
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (SOURCE / PACKAGE).rglob("*.py")
}

# Loaded at every start, or with all operations: here a function imports what only some calls need.
STARTS = {"app", "config", "mcp", "resources", "server", "tools", "wiring"}
# Small, and needed by nearly every operation: to import these later spares nothing.
SHARED = {"errors", "model.paths", "model.indexes", "catalog.freshness", "catalog.selection", "tools"}
SHARERS = {"resources", "tools"}
# Further down, what a service needs for some of its work only.
LATER = {
    "secrets.masking": "nearly all answers are clean, and scanning needs many patterns",
    "catalog.service": "members of a workspace are read only when asked",
    "discovery.origin": "a run that finds nothing to do reads no files, and few are of commits",
    "editing.soundness": "a child process alone knows the parsers",
    "embedding.models": "one provider of several",
    "embedding.static_table": "the vectors of batches need numpy, texts the tokenizer, names of models neither",
    "indexing.content": "workers make words; without workers the run does",
    "indexing.classes": "languages are told of files that are read",
    "indexing.finish": "a run that finds nothing to do, or copies, measures nothing",
    "indexing.pipeline": "a run that finds nothing to do needs no parsers",
    "indexing.repairs": "a search loads the parsers only when a file has changed",
    "indexing.resolve": "what imports lead to comes with a copy of a whole index",
    "indexing.run": "a run that finds nothing to do removes no files",
    "indexing.stages": "a run that copies all files needs no parsers",
    "indexing.worker": "a worker that only parses needs no model",
    "comparison.declarations": "a child process alone knows the parsers",
    "storage.server.programs": "few need a copy of the programs, by the package's version",
    "storage.server.reaper": "it needs the driver once, when it stops the server",
    "search.verify": "files are read again only when they may have changed",
}
# Libraries that take long to import, and what does not exist on every system.
LIBRARIES = {
    "alembic", "importlib.metadata", "ipaddress", "logging.handlers", "numpy", "psutil", "psycopg",
    "sqlalchemy", "tokenizers", "ulid", "watchfiles", "yaml", "zstandard",
    "fcntl", "grp", "pwd", "readline", "resource", "termios",
}  # fmt: skip


class Late(NamedTuple):
    """An import inside a function."""

    module: str
    line: int
    target: str


class Imports(ast.NodeVisitor):
    """What a module imports at once, and what later; imports for type checking do not count."""

    def __init__(self, module: str) -> None:
        self.module, self.depth = module, 0
        self.top: set[str] = set()
        self.late: list[Late] = []
        self.visit(ast.parse(MODULES[module].read_text(encoding="utf-8")))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.add(node, [name.name for name in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        whole = [f"{node.module}.{name.name}" for name in node.names]
        self.add(node, [name if name in MODULES else str(node.module) for name in whole])

    def add(self, node: ast.stmt, targets: list[str]) -> None:
        if self.depth:
            self.late += [Late(self.module, node.lineno, target) for target in targets]
        else:
            self.top.update(targets)


@cache
def imports(module: str) -> Imports:
    return Imports(module)


@cache
def loaded(module: str) -> frozenset[str]:
    """All modules of ours, and slow libraries, that importing one loads."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for name in accumulate(waiting.pop().split("."), "{}.{}".format):
            if name in found:
                continue
            if name in MODULES:
                waiting += imports(name).top
            if name in MODULES or name in LIBRARIES:
                found.add(name)
    return frozenset(found)


def late_imports() -> Iterator[Late]:
    for module in sorted(MODULES):
        yield from imports(module).late


def own(module: str) -> str:
    return module.removeprefix(f"{PACKAGE}.")


def is_within(module: str, names: set[str]) -> bool:
    return any(name in names for name in accumulate(own(module).split("."), "{}.{}".format))


def spares_nothing(late: Late) -> bool:
    """Whether the top of the file could have it: what it loads is there already, or shared by nearly all operations."""
    packages = {module for module in MODULES if MODULES[module].name == "__init__.py"}
    more = loaded(late.target) - loaded(late.module) - packages
    if is_within(late.module, SHARERS):
        more = {module for module in more if not is_within(module, SHARED)}
    return not more and late.module not in loaded(late.target)


def why_not(late: Late) -> str | None:
    """What is wrong with an import inside a function."""
    if late.target.split(".")[0] != PACKAGE:
        return None if is_within(late.target, LIBRARIES) else "it is neither slow to import nor optional"
    if not is_within(late.module, STARTS) and own(late.module) not in LATER:
        return "no start loads this module"
    return "all that it loads is small, or loaded anyway" if spares_nothing(late) else None


def test_imports_inside_functions_have_a_reason() -> None:
    wrong = [f"{MODULES[late.module]}:{late.line} {late.target}: {why_not(late)}" for late in late_imports()]
    assert not [line for line in wrong if not line.endswith(": None")]


def test_every_reason_is_needed() -> None:
    late = list(late_imports())
    assert {own(one.module) for one in late if not is_within(one.module, STARTS)} >= set(LATER)
    assert {name for one in late for name in LIBRARIES & loaded(one.target)} == LIBRARIES


def test_declaring_operations_loads_nothing_slow() -> None:
    operations = [
        module for module in MODULES if module.startswith(f"{PACKAGE}.features") and module.endswith(".tools")
    ]
    heavy = {"storage.connection", "languages.table", "parsing.source", "discovery.git", "analysis.words", "app"}
    assert len(operations) > 10
    assert not [(one, own(name)) for one in operations for name in loaded(one) if own(name) in heavy]


def test_a_start_loads_only_what_all_of_its_work_needs() -> None:
    assert not {"search.pipeline", "search.candidates", "indexing.pipeline"} & set(map(own, loaded(f"{PACKAGE}.app")))
    server = set(map(own, loaded(f"{PACKAGE}.mcp.server")))
    assert not {"languages.table", "resources.reading", "features.search.service"} & server


def test_the_process_that_watches_a_server_has_no_driver() -> None:
    assert not {"psycopg", "importlib.metadata"} & loaded(f"{PACKAGE}.storage.server.reaper")


def test_a_run_that_copies_all_files_loads_no_parsers() -> None:
    assert not {"languages.table", "parsing.parsers", "indexing.pool"} & set(
        map(own, loaded(f"{PACKAGE}.indexing.stages"))
    )


def test_the_command_line_starts_without_services_and_without_what_draws() -> None:
    start = loaded(f"{PACKAGE}.cli.main") | loaded(f"{PACKAGE}.cli.forwarding") | loaded(f"{PACKAGE}.cli.completion")
    assert not {"app", "cli.call", "render.console", "psycopg", "languages.table"} & set(map(own, start))
    assert "render.console" not in set(map(own, loaded(f"{PACKAGE}.cli.operations")))


def test_the_command_line_imports_at_the_top_of_its_files() -> None:
    assert {late.target for late in late_imports() if is_within(late.module, {"cli", "__main__"})} == {"readline"}
