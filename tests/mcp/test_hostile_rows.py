"""Rows of an index, as from a hostile bundle, that claim files which no run may read."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from fastmcp import Client, FastMCP
from tests.mcp.calls import call, lay_out
from tests.mcp.reading import read
from tests.odd_trees import git

from cocosearch_py.app import App
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.schema.registry import SCHEMA
from cocosearch_py.storage.schema.tables import TABLES

Make = Callable[..., FastMCP]
SECRET = "tell_nobody_of_this"
DECOY = "lamp.py"
IGNORED, EXCLUDED, KEY = "local_settings.py", "internal/plan.py", "deploy.txt"
CLAIMED = (".env", ".git/config", ".GIT./config", "../outside.py", IGNORED, EXCLUDED, KEY)
# Parameters that name files or say what to look for; of the tools that change an index, none is called.
_ASKED = ("path", "paths", "target", "targets", "file", "files", "file_path", "file_paths", "symbol", "query",
          "explain_path", "config", "uri", "pattern", "check", "pages", "sources", "content_hash")  # fmt: skip
_CHANGES_INDEXES = ("index_codebase", "clear_index", "import_index", "restore_index", "export_index", "index")


@pytest.fixture(autouse=True)
def _patient(app: App) -> None:
    """A busy machine decides nothing here."""
    app.repair_wait_s = 60.0


@pytest.fixture
def project(app: App, tmp_path: Path) -> Path:
    """A repository whose index claims files that rules leave out."""
    code = f"def shine():\n    return '{SECRET}'\n"
    files = {name: f"TOKEN={SECRET}\n" for name in (".env", ".GIT./config", "../outside.py")}
    folder = tmp_path / "project"
    lay_out(folder, {DECOY: "def shine():\n    '''Shine like a beacon.'''\n    return 1\n"})
    git(folder, "init", "-q")
    git(folder, "config", "user.password", SECRET)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----\n"
    lay_out(folder, {**files, IGNORED: code, EXCLUDED: code, KEY: key, ".gitignore": f"{IGNORED}\n"})
    exclude = replace(app.settings.indexing, exclude_patterns=("internal/",))
    app.settings = replace(app.settings, indexing=exclude)
    app.index(folder, name="project")
    return folder


def plant(app: App) -> None:
    """Claim files by copies of the rows of another one."""
    with psycopg.connect(app.settings.database.url or "", autocommit=True) as conn:
        old = file_id_of(DECOY)
        for table in TABLES.values():
            names = [column.name for column in table.columns]
            if "file_id" not in names:
                continue
            listed = ", ".join(names)
            for path in CLAIMED:
                taken = listed.replace("file_id", "%(new)s", 1)
                taken = taken.replace(", path", ", %(path)s") if table.name == "files" else taken
                conn.execute(
                    f"DELETE FROM {SCHEMA}.{table.name} WHERE file_id = %(new)s",
                    values := {"new": file_id_of(path), "path": path, "old": old},
                )
                conn.execute(
                    f"INSERT INTO {SCHEMA}.{table.name} ({listed}) SELECT {taken} "
                    f"FROM {SCHEMA}.{table.name} WHERE file_id = %(old)s",
                    values,
                )
        conn.execute(f"UPDATE {SCHEMA}.indexes SET chunk_count = (SELECT count(*) FROM {SCHEMA}.chunks)")


def stored(app: App) -> str:
    """All text that the database has of files."""
    with psycopg.connect(app.settings.database.url or "") as conn:
        rows = [conn.execute(f"SELECT * FROM {SCHEMA}.{table}").fetchall() for table in ("chunks", "symbols", "files")]
    return repr(rows)


def claims(app: App) -> set[str]:
    with psycopg.connect(app.settings.database.url or "") as conn:
        found = conn.execute(f"SELECT path FROM {SCHEMA}.files WHERE status = 'indexed'")
        return {row[0] for row in found} & set(CLAIMED)


def calls_of(tool: Any, path: str) -> Iterator[dict[str, Any]]:
    """Arguments that ask a tool for a path, each in another parameter."""
    known = tool.input_schema["properties"]
    base: dict[str, Any] = {name: _value(known[name], path) for name in tool.input_schema.get("required", ())}
    if "index_name" in known:
        base["index_name"] = "project"
    for name in (base.keys() | _ASKED) & known.keys():
        yield {**base, name: base.get(name, _value(known[name], path))}


def _value(schema: Any, path: str) -> Any:
    text = repr(schema)
    return [path] if "'array'" in text else path if "'string'" in text else 1


@pytest.mark.parametrize("freshness", ["repair", "check", "off"])
def test_no_tool_shows_a_file_that_only_the_ledger_claims(make: Make, app: App, project: Path, freshness: str) -> None:
    app.settings = replace(app.settings, search=replace(app.settings.search, freshness=freshness))
    shown = 0

    async def ask_all() -> None:
        nonlocal shown
        async with Client(make(project=project, toolsets=("all",)), mode="legacy") as client:
            for tool in await client.list_tools():
                plant(app)  # a repair may have taken the rows out
                for path in () if tool.name in _CHANGES_INDEXES else CLAIMED:
                    for arguments in calls_of(tool, path):
                        result = await client.call_tool(tool.name, arguments, raise_on_error=False)
                        assert SECRET not in repr(result), (tool.name, arguments)
                        shown += not result.is_error

    asyncio.run(ask_all())
    assert shown > 200, "most calls give an answer"
    assert SECRET not in stored(app)


@pytest.mark.parametrize("freshness", ["repair", "check", "off"])
def test_no_resource_shows_a_file_that_only_the_ledger_claims(
    make: Make, app: App, project: Path, freshness: str
) -> None:
    app.settings = replace(app.settings, search=replace(app.settings.search, freshness=freshness))
    server = make(project=project)
    plant(app)
    for path in CLAIMED:
        content = read(server, f"cocosearch://file/project/{quote(path)}")
        assert SECRET not in repr(content)
        assert "Shine like a beacon" in repr(content) or ".." in path


def test_a_claimed_file_leaves_the_index_when_an_answer_meets_it(make: Make, app: App, project: Path) -> None:
    plant(app)
    assert claims(app) == set(CLAIMED)
    answer = call(make(project=project), "search_code", {"query": "shine like a beacon", "limit": 50})
    assert {Path(hit["file_path"]).name for hit in answer.hits} == {DECOY, ".gitignore"}
    assert claims(app) == set()
    assert SECRET not in stored(app)


def test_a_file_that_is_ignored_after_a_run_is_not_read_again(make: Make, app: App, project: Path) -> None:
    later = project / "later.py"
    later.write_text("def shine_later():\n    return 1\n")
    app.index(project, name="project")
    (project / ".gitignore").write_text("later.py\n")
    later.write_text(f"def shine_later():\n    return '{SECRET}'\n")
    server = make(project=project)
    assert SECRET not in call(server, "search_code", {"query": "shine_later"}).text
    assert SECRET not in call(server, "read_code", {"path": "later.py"}).text
    assert SECRET not in stored(app)


def test_a_tracked_file_that_an_ignore_file_names_is_still_brought_up_to_date(
    make: Make, app: App, project: Path
) -> None:
    git(project, "add", "--force", IGNORED)
    app.index(project, name="project")
    (project / IGNORED).write_text("def glow():\n    return 2\n")
    answer = call(make(project=project), "read_code", {"path": IGNORED})
    assert "def glow" in answer.text


def test_an_unchanged_index_asks_git_for_no_file(
    make: Make, app: App, project: Path, git_runs: Callable[[], list[str]]
) -> None:
    server = make(project=project)
    call(server, "read_code", {"path": DECOY})
    git_runs()
    (project / DECOY).write_text("def shine():\n    return 3\n")
    assert "return 3" in call(server, "read_code", {"path": DECOY}).text
    assert not [one for one in git_runs() if "ls-files" in one or "check-ignore" in one]


def test_an_audit_takes_its_settings_only_from_files_of_the_index(make: Make, app: App, project: Path) -> None:
    (project / "link.toml").symlink_to(project / ".env")
    lay_out(project, {"audit.toml": "file_lines = 10\n", "ignored.toml": f"{SECRET} = 1\n"})
    (project / ".gitignore").write_text(f"{IGNORED}\nignored.toml\n")
    app.index(project, name="project")
    plant(app)
    server = make(project=project, toolsets=("all",))
    for name in (*CLAIMED, "link.toml", "ignored.toml", "missing.toml", "nul\0.toml", "x" * 5000):
        answer = call(server, "audit_code", {"config": name})
        assert answer.payload["error_type"] in ("not_found", "safety_error", "validation_error"), name
        assert SECRET not in answer.text
    assert not call(server, "audit_code", {"config": "audit.toml"}).is_error


def test_an_audit_reads_no_file_that_only_the_ledger_claims(make: Make, app: App, project: Path) -> None:
    body = "\n".join(blake2b(bytes([line])).hexdigest()[:64] for line in range(12))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"
    plant(app)
    for path in (IGNORED, "../outside.py"):
        (project / path).write_text(key)
    (project / KEY).write_text(key)
    server = make(project=project, toolsets=("all",))
    found = call(server, "audit_code", {"include": ["secrets", "duplicates"], "limit": 100}).payload["findings"]
    assert {one["file"] for one in found if one["rule"] == "secret/private-key"} == {KEY}
