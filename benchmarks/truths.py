"""Definitions by the parsers of the languages themselves.

Each parser reads many files at once and reports which of them it cannot read. The answer of a parser that is not on the
machine is None.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

PARSERS = Path(__file__).parent / "parsers"


@dataclass(frozen=True, slots=True)
class Truth:
    """Definition. `line` is the line of its name or of its beginning; `end` is None where it is not known."""

    line: int
    end: int | None
    kind: str  # function, type or value
    name: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Definitions by path, of the files that could be read, and which kinds were looked for.

    `unread` has lines of these files, first and last, that were not read: branches of `#if`.
    """

    tool: str
    definitions: Mapping[Path, Sequence[Truth]]
    kinds: frozenset[str] = field(default_factory=lambda: frozenset({"function", "type", "value"}))
    unread: Mapping[Path, Sequence[tuple[int, int]]] = field(default_factory=dict)


Ask = Callable[[Sequence[Path]], Answer | None]


def python(paths: Sequence[Path]) -> Answer:
    definitions: dict[Path, list[Truth]] = {}
    for path in paths:
        try:
            definitions[path] = list(_of_body(ast.parse(path.read_bytes()).body, outermost=True))
        except (SyntaxError, ValueError):
            continue
    return Answer("Python ast", definitions)


def _of_body(body: Sequence[ast.AST], *, outermost: bool) -> Iterator[Truth]:
    """Definitions in statements; values only outside of functions, or in a class."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_class = isinstance(node, ast.ClassDef)
            yield Truth(node.lineno, node.end_lineno, "type" if is_class else "function", node.name)
            yield from _of_body(node.body, outermost=is_class)
            continue
        if outermost and isinstance(node, ast.Assign | ast.AnnAssign):
            for name in _names(node.targets if isinstance(node, ast.Assign) else [node.target]):
                is_lambda = isinstance(node.value, ast.Lambda)
                yield Truth(name.lineno, node.end_lineno, "function" if is_lambda else "value", name.id)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            statements = getattr(node, part, ())
            if isinstance(statements, list):
                yield from _of_body(statements, outermost=outermost)


def _names(targets: Sequence[ast.expr]) -> Iterator[ast.Name]:
    for target in targets:
        if isinstance(target, ast.Name):
            yield target
        elif isinstance(target, ast.Tuple | ast.List):
            yield from _names(target.elts)


def typescript(paths: Sequence[Path]) -> Answer | None:
    return _ask("npm typescript", ["node", str(PARSERS / "typescript.js")], paths)


def java(paths: Sequence[Path]) -> Answer | None:
    return _ask("javac", ["java", str(PARSERS / "Definitions.java")], paths)


def go(paths: Sequence[Path]) -> Answer | None:
    return _ask("go/parser", ["go", "run", str(PARSERS / "definitions.go")], paths)


def ruby(paths: Sequence[Path]) -> Answer | None:
    return _ask("Ruby's own parser", ["ruby", str(PARSERS / "definitions.rb")], paths)


def php(paths: Sequence[Path]) -> Answer | None:
    return _ask("nikic/php-parser", ["php", str(PARSERS / "definitions.php")], paths)


def lua(paths: Sequence[Path]) -> Answer | None:
    return _ask("npm luaparse", ["node", str(PARSERS / "luaparse.js")], paths)


def elixir(paths: Sequence[Path]) -> Answer | None:
    answer = _ask("Elixir's own parser", ["elixir", str(PARSERS / "definitions.exs")], paths)
    return None if answer is None else replace(answer, kinds=frozenset({"function", "type"}))


def scala(paths: Sequence[Path]) -> Answer | None:
    return _ask("npm scalameta-parsers", ["node", str(PARSERS / "scalameta.js")], paths)


def bash(paths: Sequence[Path]) -> Answer | None:
    if shutil.which("shfmt") is None:
        return None
    answer = _ask("shfmt", [sys.executable, str(PARSERS / "shfmt.py")], paths)
    return None if answer is None else replace(answer, kinds=frozenset({"function"}))


def rust(paths: Sequence[Path]) -> Answer | None:
    """RUST_DEFINITIONS is where `cargo build` has put the program of parsers/rust."""
    program = os.environ.get("RUST_DEFINITIONS", "")
    return _ask("Rust's syn", [program], paths) if program else None


def haskell(paths: Sequence[Path]) -> Answer | None:
    """HASKELL_DEFINITIONS is where `ghc` has put the program of parsers/definitions.hs."""
    program = os.environ.get("HASKELL_DEFINITIONS", "")
    if not program:
        return None
    libraries = subprocess.run(["ghc", "--print-libdir"], capture_output=True, text=True, check=True).stdout.strip()
    return _ask("GHC's own parser", [program, libraries], paths)


def kotlin(paths: Sequence[Path]) -> Answer | None:
    """KOTLIN_JARS is a class path with Kotlin's compiler; PyPI's `kotlin-jupyter-kernel` has one among its jars."""
    jars = os.environ.get("KOTLIN_JARS", "")
    return (
        _ask("Kotlin's own parser", ["java", "-cp", jars, str(PARSERS / "KotlinDefinitions.java")], paths)
        if jars
        else None
    )


def csharp(paths: Sequence[Path]) -> Answer | None:
    """CSHARP_DEFINITIONS is where `mcs` has put the program of parsers/definitions.cs."""
    program = os.environ.get("CSHARP_DEFINITIONS", "")
    return _ask("NRefactory", ["mono", program], paths) if program else None


def zig(paths: Sequence[Path]) -> Answer | None:
    """ZIG_DEFINITIONS is where `zig build-exe` has put the program of parsers/definitions.zig; PyPI has `ziglang`."""
    program = os.environ.get("ZIG_DEFINITIONS", "")
    return _ask("Zig's own parser", [program], paths) if program else None


def clang(language_id: str) -> Ask:
    """libclang, of the files that it has no errors for; CLANG_PYTHON is a Python with the package `libclang`."""

    def ask(paths: Sequence[Path]) -> Answer | None:
        python = os.environ.get("CLANG_PYTHON", "")
        command = [python, str(PARSERS / "clang_definitions.py"), language_id]
        return _ask("libclang", command, paths) if python else None

    return ask


def _ask(tool: str, command: Sequence[str], paths: Sequence[Path]) -> Answer | None:
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, input="\n".join(map(str, paths)), capture_output=True, text=True, check=False)
    return None if done.returncode else read_rows(tool, done.stdout, paths)


def read_rows(tool: str, printed: str, paths: Sequence[Path]) -> Answer:
    """Parse the output of a program of `parsers` about these files."""
    definitions: dict[Path, list[Truth]] = {path: [] for path in paths}
    unread: dict[Path, Sequence[tuple[int, int]]] = {}
    for row in map(json.loads, printed.splitlines()):
        if not isinstance(row, dict):
            path, line, end, kind, name = row
            definitions[Path(path)].append(Truth(line, end, kind, name))
        elif "bad" in row:
            del definitions[Path(row["bad"])]
        else:
            unread[Path(row["skipped"])] = [(first, last) for first, last in row["lines"]]
    return Answer(tool, definitions, unread=unread)


ASK: Mapping[str, Ask] = {
    "python": python, "java": java, "go": go, "javascript": typescript, "typescript": typescript, "tsx": typescript,
    "ruby": ruby, "php": php, "lua": lua, "elixir": elixir, "scala": scala, "bash": bash, "rust": rust,
    "haskell": haskell, "kotlin": kotlin, "csharp": csharp, "zig": zig, "c": clang("c"), "cpp": clang("cpp"),
}  # fmt: skip
