"""Definitions as others see them: parsers of the languages themselves where there is one, and Universal Ctags.

Each is asked for many files at once and says which of them it cannot read. One that is not on the machine is None.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

PARSERS = Path(__file__).parent / "parsers"

# Kinds of ctags, by language id. What stands in no list is not compared: ctags or we leave it out on purpose.
_CTAGS_NAMES = {"csharp": "C#", "kotlin": "Kotlin", "haskell": "Haskell"}
_FUNCTION = frozenset("function method prototype constructor delegate operator guard macro singletonMethod".split())
_TYPE = frozenset("class struct enum interface trait union typedef object module protocol typealias".split())
_NO_NAME = re.compile(r"__anon|AnonymousClass|<")
_VALUE = frozenset("member field property enumerator constant enumConstant const".split())
_CTAGS_KINDS = {
    **dict.fromkeys(_FUNCTION, "function"),
    **dict.fromkeys(_TYPE, "type"),
    **dict.fromkeys(_VALUE, "value"),
}


@dataclass(frozen=True, slots=True)
class Truth:
    """One definition. `line` is that of its name or of its beginning; `end` is None where it is not known."""

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
    found: dict[Path, list[Truth]] = {}
    for path in paths:
        try:
            found[path] = list(_of_body(ast.parse(path.read_bytes()).body, outermost=True))
        except (SyntaxError, ValueError):
            continue
    return Answer("Python ast", found)


def _of_body(body: Sequence[ast.AST], *, outermost: bool) -> Iterator[Truth]:
    """The definitions of statements; values only outside of functions, or in a class."""
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
    found = _ask("Elixir's own parser", ["elixir", str(PARSERS / "definitions.exs")], paths)
    return None if found is None else replace(found, kinds=frozenset({"function", "type"}))


def scala(paths: Sequence[Path]) -> Answer | None:
    return _ask("npm scalameta-parsers", ["node", str(PARSERS / "scalameta.js")], paths)


def bash(paths: Sequence[Path]) -> Answer | None:
    if shutil.which("shfmt") is None:
        return None
    found = _ask("shfmt", [sys.executable, str(PARSERS / "shfmt.py")], paths)
    return None if found is None else replace(found, kinds=frozenset({"function"}))


def rust(paths: Sequence[Path]) -> Answer | None:
    """RUST_DEFINITIONS is where `cargo build` has put the program of parsers/rust."""
    program = os.environ.get("RUST_DEFINITIONS", "")
    return _ask("Rust's syn", [program], paths) if program else None


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
    """What a program of `parsers` has printed about these files."""
    found: dict[Path, list[Truth]] = {path: [] for path in paths}
    unread: dict[Path, Sequence[tuple[int, int]]] = {}
    for row in map(json.loads, printed.splitlines()):
        if not isinstance(row, dict):
            path, line, end, kind, name = row
            found[Path(path)].append(Truth(line, end, kind, name))
        elif "bad" in row:
            del found[Path(row["bad"])]
        else:
            unread[Path(row["skipped"])] = [(first, last) for first, last in row["lines"]]
    return Answer(tool, found, unread=unread)


def ctags(language_id: str) -> Ask:
    """Universal Ctags; it guesses, so that a difference may be its fault."""

    def ask(paths: Sequence[Path]) -> Answer | None:
        parser = _CTAGS_NAMES.get(language_id)
        if parser is None or shutil.which("ctags") is None:
            return None
        options = [
            "--fields=+neKzsZ",
            "--output-format=json",
            f"--language-force={parser}",
            "--sort=no",
            "-L",
            "-",
            "-f",
            "-",
        ]
        done = subprocess.run(
            ["ctags", *options], input="\n".join(map(str, paths)), capture_output=True, text=True,
            check=False, errors="replace", env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        found: dict[Path, list[Truth]] = {path: [] for path in paths}
        kinds: set[str] = set()
        for row in map(json.loads, done.stdout.splitlines()):
            kind, name = _CTAGS_KINDS.get(row.get("kind", "")), row["name"]
            in_function = _CTAGS_KINDS.get(row.get("scopeKind", "")) == "function"
            if kind is None or (kind == "value" and in_function) or _NO_NAME.match(name):
                continue
            kinds.add(kind)
            found[Path(row["path"])].append(Truth(row["line"], row.get("end"), kind, name))
        return Answer("Universal Ctags", found, frozenset(kinds))

    return ask


ASK: Mapping[str, Ask] = {
    "python": python, "java": java, "go": go, "javascript": typescript, "typescript": typescript, "tsx": typescript,
    "ruby": ruby, "php": php, "lua": lua, "elixir": elixir, "scala": scala, "bash": bash, "rust": rust,
    "c": clang("c"), "cpp": clang("cpp"),
    **{language_id: ctags(language_id) for language_id in _CTAGS_NAMES},
}  # fmt: skip
