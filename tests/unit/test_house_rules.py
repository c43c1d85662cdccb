"""Rules of CONTRIBUTING.md that neither ruff nor import-linter checks."""

import ast
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "cocosearch_py"
MOST_LINES = 60  # of a function
RUN = 6  # lines
# Pairs that say the same because two things have the same members; nobody would change one for the other's sake.
MOST_REPEATED = 5
# Output that passes by the streams and the console that escape text of others, and the modules that may write it.
AROUND = re.compile(
    r"^\s*print\(|\bConsole\(|rich import print|write_unchanged"
    r"|sys\.(std(out|err)\.(buffer|write)|__std)",
    re.MULTILINE,
)
MAY_GO_AROUND = {
    "cli/questions.py": "a question, escaped before it is asked",
    "cli/nudge.py": "the answer of a hook, in our own words",
    "cli/streams.py": "data for programs",
    "editing/soundness.py": "a child process answers in bytes",
    "mcp/command.py": "errors on a standard error that escapes",
    "model/terminal.py": "the escaping itself",
}
# Modules that open files, by the reason why `discovery/regular_files.py` need not do it for them.
MAY_OPEN = {
    "the one place": ["discovery/regular_files.py"],
    "relative to an open folder, with the flags of the one place": ["discovery/reading.py", "editing/*.py"],
    "files of the package": ["embedding/*.py", "languages/queries.py"],
    "files of the system": ["cli/streams.py", "mcp/stdio.py", "model/machine.py", "model/process.py"],
    "files of our own, in a folder of our own": [
        "clients/files.py", "config/trust.py", "model/private.py", "resources/reading.py", "storage/server/*.py",
        "transfer/archive.py", "features/wiki/mirror.py",
    ],
    "the user names the file on the command line or in the environment, and may name a pipe": [
        "config/yamlfile.py", "features/indexing/several.py", "features/evaluate/service.py",
        "features/wiki/arguments.py", "server/options.py",
    ],
    "opens something else": ["cli/*.py", "search/patterns.py"],
}  # fmt: skip
OPENING = {"open", "read_text", "read_bytes"}  # methods, and functions of `os`


def statements(path: Path) -> list[str]:
    """The lines of code of a file, white space folded: no blank lines, comments, imports or lone punctuation."""
    text = path.read_text(encoding="utf-8")
    imports: set[int] = set()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = (" ".join(line.split()) for number, line in enumerate(text.splitlines(), 1) if number not in imports)
    return [line for line in lines if re.search(r"\w", line) and not line.startswith(("#", ";", "--"))]


def repeated(files: dict[str, list[str]]) -> set[tuple[str, str]]:
    """Pairs of files with a run of equal lines; a file with itself if it holds one twice."""
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, lines in files.items():
        for start in range(len(lines) - RUN + 1):
            places[tuple(lines[start : start + RUN])].append((name, start))
    return {
        (one, other)
        for found in places.values()
        for (one, start), (other, again) in combinations(found, 2)
        if one != other or again - start >= RUN
    }


def test_functions_are_short() -> None:
    long = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES
    ]
    assert long == []


def test_output_goes_through_what_escapes_text_of_others() -> None:
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    assert {name for name, text in texts.items() if AROUND.search(text)} == set(MAY_GO_AROUND)


def test_hardly_anything_is_written_twice() -> None:
    files = {
        path.relative_to(SOURCE).as_posix(): statements(path)
        for path in SOURCE.rglob("*")
        if path.suffix in {".py", ".scm", ".sql"}
    }
    found = repeated(files)
    assert len(found) <= MOST_REPEATED, sorted(found)


@pytest.mark.parametrize("apart", [0, 1])
def test_what_is_written_twice_is_found(apart: int) -> None:
    lines = [f"line {number}" for number in range(RUN)]
    assert repeated({"a": lines, "b": ["other", *lines[apart:]]}) == (set() if apart else {("a", "b")})
    assert repeated({"a": [*lines, *lines[apart:]]}) == (set() if apart else {("a", "a")})


def opens_files(path: Path) -> bool:
    calls = (node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    return any(getattr(call, "id", None) == "open" or getattr(call, "attr", None) in OPENING for call in calls)


def test_files_of_projects_are_opened_in_one_place() -> None:
    """A named pipe under the name of a file would be waited for."""
    allowed = {path for globs in MAY_OPEN.values() for glob in globs for path in SOURCE.glob(glob)}
    opening = {path for path in SOURCE.rglob("*.py") if opens_files(path)}
    assert sorted(opening - allowed) == []
    unused = [glob for globs in MAY_OPEN.values() for glob in globs if not opening & set(SOURCE.glob(glob))]
    assert unused == []
