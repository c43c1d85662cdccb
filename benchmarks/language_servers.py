"""References by language servers and TypeScript's language service, for `callers.py`."""

import ast
import json
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

PARSERS = Path(__file__).parent / "parsers"
_NODE_LIMITS = ("--max-old-space-size=6000", "--stack-size=3900")  # megabytes; kilobytes


class Spot(NamedTuple):
    """Where a name stands; line and column from 1."""

    path: str
    line: int
    column: int


class Reference(NamedTuple):
    """Reference to a symbol, besides its definitions. `is_import`: in a statement that imports or exports names.

    Line 0 stands for a file whose imports were not found. `is_untold`: a call of the same name of which the tool itself
    does not know what it calls.
    """

    path: str
    line: int
    column: int
    is_call: bool
    is_import: bool
    is_untold: bool = False

    @property
    def spot(self) -> Spot:
        return Spot(*self[:3])


References = list[list[Reference] | None]  # of each spot; None where the tool knows no definition there
Look = Callable[[Path, int, int], tuple[bool, bool] | None]  # is a call, is an import; None for a further definition
_NAME = re.compile(r"\w+")
_UNKNOWN = re.compile(r": (?:Unknown|Any)$")  # shown by basedpyright for a name of unknown type
_AS = re.compile(r"\w+\s+as\s+(?P<name>\w+)")


class Server:
    """Language server over standard input and output."""

    def __init__(self, command: Sequence[str], root: Path, settings: Mapping[str, Any]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        self._settings, self._number = settings, 0
        self.heard: list[dict[str, Any]] = []  # notifications
        self.ask("initialize", {
            "processId": None, "rootUri": root.as_uri(), "workspaceFolders": [{"uri": root.as_uri(), "name": "root"}],
            "capabilities": {
                "workspace": {"configuration": True, "workspaceFolders": True},
                "window": {"workDoneProgress": True},
            },
        })  # fmt: skip
        self.tell("initialized", {})
        self.tell("workspace/didChangeConfiguration", {"settings": settings})

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self.hear()
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def hear(self) -> dict[str, Any]:
        """Next message; requests of the server are answered."""
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            raise RuntimeError("the language server has gone away")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        if "method" in message and "id" in message:
            asked = message["params"]
            result: Any = None
            if message["method"] == "workspace/configuration":
                result = [self._section(item.get("section") or "") for item in asked["items"]]
            self._send({"id": message["id"], "result": result})
        elif "method" in message:
            self.heard.append(message)
        return message

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def _section(self, name: str) -> Any:
        section: Any = self._settings
        for part in name.split("."):
            section = section.get(part, {}) if part else section
        return section

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()


def _by_server(server: Server, root: Path, spots: Sequence[Spot], language: str, look: Look) -> References:
    opened: set[str] = set()
    return [_of_spot(server, root, spot, language, look, opened) for spot in spots]


def _of_spot(
    server: Server, root: Path, spot: Spot, language: str, look: Look, opened: set[str]
) -> list[Reference] | None:
    """References of a symbol, also under the names that imports give it, which servers leave out."""
    references: dict[Spot, Reference] = {}
    left, asked = [spot], set[Spot]()
    while left:
        place = left.pop()
        asked.add(place)
        _open(server, root, place.path, language, opened)
        where = {
            "textDocument": {"uri": (root / place.path).as_uri()},
            "position": {"line": place.line - 1, "character": place.column - 1},
        }
        if place == spot and not server.ask("textDocument/definition", where):
            return None
        places = server.ask("textDocument/references", {**where, "context": {"includeDeclaration": False}}) or []
        for reference in _references(places, root, spot, look):
            references[reference.spot] = reference
            alias = _alias(root, reference) if reference.is_import else None
            if alias is not None and alias not in asked:
                left.append(alias)
    return list(references.values())


def _open(server: Server, root: Path, path: str, language: str, opened: set[str]) -> None:
    if path not in opened:
        opened.add(path)
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        document = {"uri": (root / path).as_uri(), "languageId": language, "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": document})


def _references(places: Sequence[Mapping[str, Any]], root: Path, own: Spot, look: Look) -> Iterator[Reference]:
    for row in places:
        path = Path(unquote(urlsplit(row["uri"]).path))
        if path.is_relative_to(root):
            start = row["range"]["start"]
            spot = Spot(str(path.relative_to(root)), start["line"] + 1, start["character"] + 1)
            sorts = look(path, spot.line, spot.column)
            if spot != own and sorts is not None:
                yield Reference(*spot, *sorts)


def _alias(root: Path, reference: Reference) -> Spot | None:
    """Place of the name that an import gives: `b` of `import a as b`."""
    line = (root / reference.path).read_text(encoding="utf-8", errors="replace").split("\n")[reference.line - 1]
    match = _AS.match(line, reference.column - 1)
    return match and Spot(reference.path, reference.line, match.start("name") + 1)


def python(root: Path, spots: Sequence[Spot], tools: "Tools") -> References:
    """References by basedpyright."""
    settings = {"python": {"pythonPath": tools.python}} if tools.python else {}
    with tempfile.TemporaryDirectory() as scratch:
        # A copy, so that all files are looked at, whatever the project's own configuration leaves out.
        copy = Path(scratch, root.name).resolve()
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        (copy / "pyrightconfig.json").write_text(json.dumps({"include": ["."], "extraPaths": ["src"]}))
        server = Server([tools.pyright, "--stdio"], copy, settings)
        try:
            answers = _by_server(server, copy, spots, "python", _look_python)
            opened = set[str]()
            return [
                None if answer is None else [*answer, *_untold(server, copy, spot, answer, opened)]
                for spot, answer in zip(spots, answers, strict=True)
            ]
        finally:
            server.stop()


def _untold(
    server: Server, root: Path, spot: Spot, references: Sequence[Reference], opened: set[str]
) -> Iterator[Reference]:
    """Calls of the name at a spot whose type is unknown to basedpyright, and which have no definition."""
    text = (root / spot.path).read_text(encoding="utf-8", errors="replace").split("\n")[spot.line - 1]
    name = _NAME.match(text, spot.column - 1)
    known = {reference.spot for reference in references}
    for path in sorted(root.rglob("*.py")):
        relative = str(path.relative_to(root))
        for line, column in sorted(_of_python(path).named.get(name[0] if name else "", ())):
            if Spot(relative, line, column) in known:
                continue
            _open(server, root, relative, "python", opened)  # of others the first answers are empty
            where = {
                "textDocument": {"uri": path.as_uri()}, "position": {"line": line - 1, "character": column - 1}
            }  # fmt: skip
            said = (server.ask("textDocument/hover", where) or {}).get("contents", {}).get("value", "")
            if _UNKNOWN.search(said) and not server.ask("textDocument/definition", where):
                yield Reference(relative, line, column, True, False, True)


def _look_python(path: Path, line: int, column: int) -> tuple[bool, bool] | None:
    places = _of_python(path)
    return None if (line, column) in places.bound else ((line, column) in places.calls, line in places.imports)


@dataclass(slots=True)
class _Places:
    """Places in a file: called names, all and by name; lines of imports; names that are assigned to."""

    calls: set[tuple[int, int]] = field(default_factory=set)
    named: dict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    imports: set[int] = field(default_factory=set)
    bound: set[tuple[int, int]] = field(default_factory=set)


@lru_cache(maxsize=2_000)
def _of_python(path: Path) -> _Places:
    places = _Places()
    source = path.read_bytes()
    lines = source.split(b"\n")

    def place(line: int, end: int, name: str) -> tuple[int, int]:
        return line, len(lines[line - 1][: end - len(name.encode())].decode("utf-8", "replace")) + 1

    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return places
    for node in ast.walk(tree):
        called = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
        for target in called:
            if isinstance(target, ast.Name | ast.Attribute) and target.end_lineno and target.end_col_offset:
                name = target.id if isinstance(target, ast.Name) else target.attr
                places.named[name].add(place(target.end_lineno, target.end_col_offset, name))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.end_col_offset:
            places.bound.add(place(node.lineno, node.end_col_offset, node.id))
        if isinstance(node, ast.Import | ast.ImportFrom):
            places.imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    places.calls.update(*places.named.values())
    return places


def clang(root: Path, spots: Sequence[Spot], tools: "Tools") -> References:
    """References by clangd, in the files that compile_commands.json in the root names."""
    server = Server([tools.clangd, "--background-index", "--limit-references=0", "-j=2"], root, {})
    try:
        first = root / json.loads((root / "compile_commands.json").read_text())[0]["file"]
        _open(server, root, str(first.relative_to(root)), "c", set())
        while not any(
            message["method"] == "$/progress" and message["params"]["value"].get("kind") == "end"
            for message in server.heard
        ):
            server.hear()
        return _by_server(server, root, spots, "c", _look_c)
    finally:
        server.stop()


def _look_c(path: Path, line: int, column: int) -> tuple[bool, bool]:
    rest = path.read_text(encoding="utf-8", errors="replace").split("\n")[line - 1][column - 1 :]
    return re.match(r"\w+\s*\(", rest) is not None, False


def script(root: Path, spots: Sequence[Spot], tools: "Tools") -> References:
    """References by TypeScript's language service."""
    done = subprocess.run(
        ["node", *_NODE_LIMITS, str(PARSERS / "references.js"), tools.node_modules, str(root)],
        input=json.dumps(spots), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return [None if answer is None else [Reference(*row) for row in answer] for answer in json.loads(done.stdout)]


@dataclass(frozen=True, slots=True)
class Tools:
    """Programs and folders that the truths need; `python` has the libraries of the repositories, or is empty."""

    pyright: str = "basedpyright-langserver"
    clangd: str = "clangd"
    node_modules: str = ""
    python: str = ""


ASK: Mapping[str, Callable[[Path, Sequence[Spot], Tools], References]] = {
    "python": python, "typescript": script, "c": clang,
}  # fmt: skip
