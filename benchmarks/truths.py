"""Definitions as others see them: Python's own parser, TypeScript's, javac's, Go's, and Universal Ctags.

Each is asked for many files at once and says which of them it cannot read. One that is not on the machine is None.
"""

import ast
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PARSERS = Path(__file__).parent / "parsers"

# Kinds of ctags, by language id. What stands in no list is not compared: ctags or we leave it out on purpose.
_CTAGS_NAMES = {"c": "C", "cpp": "C++", "csharp": "C#", "kotlin": "Kotlin", "php": "PHP", "ruby": "Ruby"} | {
    "rust": "Rust", "elixir": "Elixir", "lua": "Lua", "haskell": "Haskell", "bash": "Sh"
}  # fmt: skip
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
    """Definitions by path, of the files that could be read, and which kinds were looked for."""

    tool: str
    definitions: Mapping[Path, Sequence[Truth]]
    kinds: frozenset[str] = field(default_factory=lambda: frozenset({"function", "type", "value"}))


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


def _ask(tool: str, command: Sequence[str], paths: Sequence[Path]) -> Answer | None:
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, input="\n".join(map(str, paths)), capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    found: dict[Path, list[Truth]] = {path: [] for path in paths}
    for row in map(json.loads, done.stdout.splitlines()):
        if isinstance(row, dict):
            del found[Path(row["bad"])]
        else:
            path, line, end, kind, name = row
            found[Path(path)].append(Truth(line, end, kind, name))
    return Answer(tool, found)


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
        if language_id in ("c", "cpp"):
            options.append(f"--kinds-{parser}=+p")
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
            name = re.split(r"[.:]", name)[-1] if language_id == "lua" else name
            found[Path(row["path"])].append(Truth(row["line"], row.get("end"), kind, name))
        return Answer("Universal Ctags", found, frozenset(kinds))

    return ask


ASK: Mapping[str, Ask] = {
    "python": python, "java": java, "go": go, "javascript": typescript, "typescript": typescript, "tsx": typescript,
    **{language_id: ctags(language_id) for language_id in _CTAGS_NAMES},
}  # fmt: skip
