"""Text that others wrote, on a terminal: it shows as text, whichever command shows it."""

import io
import json
import re
import sys
import tarfile
from pathlib import Path

import pytest
import zstandard
from tests import forking
from tests.answering import answered, answering
from tests.cli.conftest import Cli
from tests.odd_trees import git
from tests.terminals import on_terminal

from cocosearch_py.cli.commands import MODULES
from cocosearch_py.model.terminal import visible

# Conceals the text behind it (a style that we never use), sets a title, turns the reading direction, hides.
NAME = "\x1b[8m\x1b]0;owned\x07\x9b8m\u202e\u2066\u200b\u061c[conceal]x"
TEXT = f"{NAME}[/conceal][link=https://example.org]y[/link][/]"
FILE = f"{NAME}.py"
OTHER = f"{NAME}/{NAME}.py"
# What our own styles and progress bars write.
STYLES = re.compile(r"\x1b\[(?:(?:[01234]|[34]\d|9[0-7])(?:;(?:[01234]|[34]\d|9[0-7]))*)?m")
MOVES = re.compile(r"\x1b\[(?:\?25[lh]|\d?[AK]|2K)|\r")

# Arguments of each command of the program, in an order in which they work; several for some.
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "index": [("--yes",), ("--dry-run", "-v"), (TEXT,)],
    "config show": [()],
    "config path": [()],
    "config check": [()],
    "config trust": [(TEXT,)],
    "config untrust": [(TEXT,)],
    "doctor": [()],
    "list": [(), (TEXT,)],
    "stats": [("-v", "--show-skipped", "--show-failures"), (TEXT,)],
    "search": [("total price",), (TEXT,), ("total price", "--files-only"), ("total price", "--explain", "--full")],
    "analyze": [("total price",), (TEXT,)],
    "ask": [("where is the total price computed",)],
    "grep": [("total",), ("total", "--files-only"), (TEXT,), ("(",)],
    "context": [("total price",)],
    "pipeline": [("search total | limit 3",), (TEXT,)],
    "symbols": [("total",), (TEXT,), ("--match", "substring", "x")],
    "refs": [("total",), (TEXT,)],
    "open": [("1",), (TEXT,)],
    "read": [(FILE,), (TEXT,)],
    "summarize": [(FILE,), (".",), (TEXT,)],
    "explain": [("total",), (TEXT,)],
    "files": [(), ("--view", "tree"), (TEXT,)],
    "outline": [(FILE,), ("README.md",), (TEXT,)],
    "tokens": [(FILE,), (TEXT,)],
    "tests": [("total",), (TEXT,)],
    "types": [("Price",), (TEXT,)],
    "deps": [(FILE,), (TEXT,)],
    "impact": [(FILE,), ("price.py",)],
    "graph": [(), ("--format", "dot")],
    "callgraph": [("total",), (TEXT,)],
    "map": [()],
    "hotspots": [()],
    "health": [()],
    "diff": [("--since", "HEAD~1"), ("--since", TEXT)],
    "audit": [(), ("--format", "sarif")],
    "status": [(TEXT,)],
    "cancel": [(TEXT,)],
    "members": [()],
    "jobs": [()],
    "log": [(TEXT,)],
    "eval": [("--cases", "2"), (TEXT,)],
    "languages": [()],
    "why": [(FILE, TEXT)],
    "watch": [(TEXT,)],
    "worker": [("--idle", "1")],
    "init": [("--cursor", "--dry-run", TEXT), ("--cursor", "--name", TEXT)],
    "mcp": [("--config", TEXT)],
    "wiki generate": [()],
    "wiki write": [("page", TEXT, "--title", TEXT, "--author", TEXT, "--source", FILE), (TEXT, "x")],
    "wiki search": [("page",), (TEXT,)],
    "wiki read": [("page",), (TEXT,)],
    "wiki status": [()],
    "wiki update": [()],
    "wiki compound": [(TEXT,)],
    "wiki record-failure": [("--symptom", TEXT, "--attempted-fix", TEXT, "--diagnosis", TEXT, "--page", "page")],
    "wiki diff": [("page",)],
    "wiki history": [("page",)],
    "wiki export": [(TEXT,)],
    "wiki import": [(TEXT,)],
    "wiki rename": [("page", "other", "--title", TEXT)],
    "wiki remove": [("other",)],
    "wiki restore": [("other", "1")],
    "create": [(f"new{FILE}", "--content", TEXT, "--yes")],
    "patch": [
        ("price.py", "--op", "replace", "--old-text", "pass", "--content", TEXT, "--if-hash", "0" * 32),
        (FILE, "--op", "replace", "--old-text", "missing", "--content", TEXT, "--if-hash", "0" * 32),
    ],
    "changes": [()],
    "changes undo": [("1", "--dry-run")],
    "export": [("-o", "out.zst"), ("-o", f"{TEXT}/x")],
    "import": [("bad.zst",), (TEXT,)],
    "db url": [()],
    "db current": [()],
    "db upgrade": [(TEXT,)],
    "db downgrade": [(TEXT,)],
    "db psql": [("--", "-c", "SELECT 1")],
    "db start": [()],
    "db stop": [()],
    "db remains": [()],
    "prune": [("--dry-run",)],
    "clear": [(TEXT,), ("--all",)],
    "restore": [(TEXT,)],
}


# Commands that show nothing of what others wrote.
SILENT = {
    *("db current", "db psql", "db remains", "db start", "db stop", "db url"),
    *("languages", "prune", "wiki remove", "worker"),
}


def acting(shown: str) -> list[str]:
    """Return each hidden character in a terminal's output, with the text before it; our own styles do not count."""
    text = MOVES.sub("", STYLES.sub("", shown))
    return [text[max(0, at - 40) : at + 1] for at, one in enumerate(text) if visible(one) != one]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository whose author put hostile text wherever there may be text."""
    folder = tmp_path / NAME
    (folder / NAME).mkdir(parents=True)
    body = "\n".join(f"    value_{number} = {number}  # a line of the sum" for number in range(60))
    code = f'"""{TEXT}"""\n\nfrom price import Price\n\n\ndef total(prices: list[Price] = "{TEXT}") -> Price:\n'
    code += f'    """Compute the total price. {TEXT}"""  # {TEXT}\n{body}\n    return prices[0]\n'
    (folder / FILE).write_text(code, encoding="utf-8")
    (folder / OTHER).write_text(f"{code}\n\npassword = 'correcthorse{TEXT}battery9'\n", encoding="utf-8")
    (folder / "price.py").write_text("class Price:\n    pass\n", encoding="utf-8")
    (folder / "README.md").write_text(f"# {TEXT}\n\nSee [{TEXT}]({TEXT}).\n\n{body}\n\n## {TEXT}\n", encoding="utf-8")
    (folder / f"{NAME}broken.py").write_text(f"def broken(:\n{body}\n", encoding="utf-8")
    (folder / f"{NAME}.bin").write_bytes(bytes(range(256)))
    (folder / ".gitattributes").write_text(f'"{NAME}" {NAME}\n*.{NAME} linguist-vendored\n', encoding="utf-8")
    (folder / ".gitignore").write_text(f"{NAME}\nignored{NAME}\n", encoding="utf-8")
    settings = {"indexing": {"excludePatterns": [TEXT]}, "embedding": {"baseUrl": f"https://{TEXT}"}}
    (folder / "cocosearch.yaml").write_text(json.dumps(settings), encoding="utf-8")
    git(folder, "init", "-b", "feature-\x9b8m\u202e\u200b")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-m", TEXT)
    (folder / "price.py").write_text(f"class Price:\n    '''{TEXT}'''\n\n\ndef total():\n    pass\n", encoding="utf-8")
    git(folder, "commit", "-a", "-m", TEXT)
    manifest = json.dumps({"format": "cocosearch-bundle", "version": 99, "product": TEXT, "index": {}}).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        part = tarfile.TarInfo("manifest.json")
        part.size = len(manifest)
        tar.addfile(part, io.BytesIO(manifest))
    (folder / "bad.zst").write_bytes(zstandard.compress(packed.getvalue()))
    return folder


def test_help_keeps_its_styles(terminal: dict[str, str]) -> None:
    code, shown = on_terminal(terminal, "--help")
    assert code == 0 and "\x1b[1m" in shown
    assert not acting(shown) and "\\x1b" not in shown


@pytest.fixture
def terminal(environment: dict[str, str], database_url: str) -> dict[str, str]:
    return {**environment, "COCOSEARCH_DATABASE_URL": database_url, "TERM": "xterm"}


def test_every_command_has_arguments_here() -> None:
    assert set(COMMANDS) == set(MODULES)


def test_no_command_lets_text_of_others_act_on_the_terminal(hostile: Path, terminal: dict[str, str]) -> None:
    wrong, silent = [], set()
    for words, runs in COMMANDS.items():
        seen = ""
        for arguments in runs + [("--json", *runs[0])] * (words != "mcp"):
            typed = [*words.split(), *arguments]
            _, shown = on_terminal(terminal, *typed, cwd=hostile, typed="y\n")
            if found := acting(shown) or re.findall("internal error|Traceback", shown):
                wrong.append((typed, found))
            seen += re.sub(r"warning: cocosearch\.yaml.*", "", shown)  # which all show
        if not re.search(r"\\(x1b|u001b)", seen):
            silent.add(words)
    assert wrong == []
    assert silent <= SILENT  # of all others the text did arrive


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (answered({"structuredContent": {TEXT: TEXT, "list": [{TEXT: TEXT}], "texts": [TEXT], "in": {TEXT: {}}}}), 200),
        (answered([{TEXT: TEXT, "long": TEXT * 9}]), 200),
        (answered(TEXT), 200),
        (answered({"structuredContent": {"error": TEXT, "actionable_guidance": [TEXT]}, "isError": True}), 200),
        (answered({"serverInfo": {"name": TEXT, "version": TEXT}}), 200),
        (json.dumps({"error": {"message": TEXT}}).encode(), 200),
        (TEXT.encode(), 500),
        (TEXT.encode(), 302),
    ],
)
def test_a_server_elsewhere_cannot_act_on_the_terminal(terminal: dict[str, str], body: bytes, status: int) -> None:
    with answering(body, status, Location=f"http://127.0.0.1/{TEXT.encode().hex()}") as (url, _):
        for form in ("--pretty", "--json"):
            _, shown = on_terminal({**terminal, "COCOSEARCH_SERVER_URL": url}, "list", form)
            assert not acting(shown)
            assert re.search(r"\\(x1b|u001b)", shown) or status == 302
            assert "internal error" not in shown


@pytest.mark.parametrize(
    "text", [f"{json.dumps(TEXT)}: 1", f"indexing: {json.dumps({TEXT: TEXT})}", f"indexing: {TEXT}"]
)
def test_a_settings_file_cannot_act_on_the_terminal(terminal: dict[str, str], tmp_path: Path, text: str) -> None:
    (tmp_path / "cocosearch.yaml").write_text(text, encoding="utf-8")
    for words in (("list",), ("doctor",), ("config", "show"), ("list", "--json")):
        code, shown = on_terminal(terminal, *words, cwd=tmp_path)
        assert code and not acting(shown)


def test_no_command_writes_escapes_into_a_pipe_for_people(cli: Cli, hostile: Path, database_url: str) -> None:
    at = {"COCOSEARCH_DATABASE_URL": database_url}
    cli("index", ".", "--yes", "--pretty", cwd=hostile, env=at)
    for words in (("map",), ("graph",), ("search", "total", "--pretty"), ("stats", "--pretty")):
        shown = cli(*words, cwd=hostile, env=at)
        assert visible(shown.out) == shown.out and visible(shown.err) == shown.err
        assert r"\u202e" in shown.out
    assert FILE in cli("files", "--view", "paths", cwd=hostile, env=at).out.split("\n")  # as programs need it
    assert any(FILE in one.values() for one in cli("files", cwd=hostile, env=at).json["files"])


_FAILING = """
import sys
from cocosearch_py.cli import main

def fail(arguments):
    raise RuntimeError(sys.argv[1])

main.run(["list", "-v", "--pretty"], fail)
"""


def test_an_internal_error_cannot_act_on_the_terminal(environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", _FAILING, TEXT * 100]
    failed = forking.run(command, env=environment, text=True, encoding="utf-8")
    assert failed.returncode == 1
    assert "Traceback" in failed.stderr and "internal error: RuntimeError: \\x1b[8m" in failed.stderr
    assert visible(failed.stderr) == failed.stderr
    assert len(failed.stderr.partition("internal error")[2]) < 4_000
