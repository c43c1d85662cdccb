"""Every call and schema that the documents of Code Index and Mimir show, asked of an index: keys and types as there.

The documents are not part of the project. What they say is in documented.json, which a test compares with them where
REFERENCE_DOCUMENTS names their folder.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest
from fastmcp import Client, FastMCP
from tests.mcp import documents
from tests.mcp.calls import lay_out
from tests.mcp.dialects import ask
from tests.mcp.reading import read
from tests.mcp.test_contract import git

from cocosearch_py.app import App
from cocosearch_py.mcp.server import all_tools
from cocosearch_py.tools.registry import dialect
from cocosearch_py.tools.schema import answer_schema

Make = Callable[..., FastMCP]
SAID: dict[str, Any] = json.loads(documents.TABLE.read_text(encoding="utf-8"))
SCHEMAS: dict[str, Any] = SAID["mimir"]["schemas"]
DIALECTS = [alias for one in all_tools() for alias in one.aliases if alias.dialect]
ALIASES = {alias.name: alias.dialect for alias in DIALECTS}
PROJECT = {
    "src/auth/service.ts": """import { UserNotFoundError } from './errors';

/** Checks who a user is: the authentication of the whole system. */
export class AuthService {
  validatePassword(name: string, password: string): boolean {
    if (!name) {
      throw new UserNotFoundError(name);
    }
    return password.length > 8;
  }

  validateUser(name: string): boolean {
    return this.validatePassword(name, 'x');
  }
}
""",
    "src/auth/errors.ts": """export class UserNotFoundError extends Error {
  constructor(name: string) {
    super(`no user ${name}`);
  }
}
""",
    "src/api/middleware.js": """// Authentication middleware of the API endpoints, with error handling.
export async function authenticate(request, next) {
  if (!request.token) {
    throw new Error('no token');
  }
  return next(request);
}
""",
    "lib/database.py": """class Connection:
    \"\"\"A database connection.\"\"\"

    async def query(self, text: str) -> list[str]:
        return [text]
""",
    "README.md": "# Users\n\nHow a user logs in.\n",
}
IN_ERRORS = {"error", "error_type", "message", "actionable_guidance"}  # of index, there only on error
_KINDS = {"str": str, "int": int, "float": (int, float), "bool": bool, "null": type(None)}


def check(shape: Any, value: Any, where: str = "") -> None:
    """A value has every documented key, and each is of its type; others may stand beside them."""
    if isinstance(shape, dict):
        assert isinstance(value, dict), where
        assert shape.keys() <= value.keys(), (where, sorted(shape.keys() - value.keys()))
        for key, kind in shape.items():
            check(kind, value[key], f"{where}.{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), where
        for number, item in enumerate(value):
            check(shape[0], item, f"{where}[{number}]")
    else:
        assert isinstance(value, _KINDS[shape]), (where, value)
        assert isinstance(value, bool) == (shape == "bool"), (where, value)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = lay_out(tmp_path / "users", PROJECT)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def users(make: Make, app: App, project: Path) -> FastMCP:
    """A server on the project, which is indexed."""
    app.index(project, name="users")
    return make(project=project, working_folder=project)


def calls_of(program: str, *tools: str) -> list[Any]:
    calls = enumerate(SAID[program]["calls"])
    return [pytest.param(*call, id=f"{call[0]}-{number}") for number, call in calls if call[0] in tools]


def put_in(value: Any, known: Mapping[str, Any]) -> Any:
    """A value with what is real in place of the documents' examples."""
    if isinstance(value, dict):
        return {key: put_in(one, known) for key, one in value.items()}
    return known.get(value, value) if isinstance(value, str) else value


def test_the_table_is_what_the_documents_say() -> None:
    if documents.FOLDER is None:
        pytest.skip("the documents are not at hand; the other tests use what was taken out of them")
    assert json.loads(json.dumps(documents.read())) == SAID


@pytest.mark.parametrize("tool", sorted(SAID["code_index"]["parameters"]))
def test_code_index_tools_have_the_documented_parameters(tool: str) -> None:
    own = {one.name for one in dialect(ALIASES[tool]).parameters}
    own |= {alias.chosen_by[0] for alias in DIALECTS if alias.name == tool and alias.chosen_by}
    assert set(SAID["code_index"]["parameters"][tool]) <= own


@pytest.mark.parametrize(("tool", "arguments"), calls_of("code_index", "search"))
def test_calls_of_code_index_search(users: FastMCP, tool: str, arguments: dict[str, Any]) -> None:
    reply = ask(users, tool, **arguments)
    assert not reply.is_error, reply.text
    check(SAID["code_index"]["answers"]["search"], reply.payload)
    scores = [one["adjustedScore"] for one in reply.payload]
    assert scores == sorted(scores, reverse=True)
    if not arguments.get("min_score"):
        assert reply.payload


@pytest.mark.parametrize(("tool", "arguments"), calls_of("code_index", "index"))
def test_calls_of_code_index_index(make: Make, app: App, project: Path, tool: str, arguments: dict[str, Any]) -> None:
    (project / "workspaces.txt").write_text("src\n\nnothing\nlib\n")
    config = project / "custom_config.json"
    config.write_text(
        json.dumps({"embedding_length": 768, "chunking_strategy": "lines", "ollama_model": "x", "typo": 1})
    )
    known = {"/path/to/project": str(project), "/path/to/custom_config.json": str(config)}
    reply = ask(make(project=project, working_folder=project), tool, **put_in(arguments, known))
    assert not reply.is_error, reply.text
    shape = {key: one for key, one in SAID["code_index"]["answers"]["index"].items() if key not in IN_ERRORS}
    check(shape, reply.payload)
    assert reply.payload["success"] is True
    assert not IN_ERRORS & set(reply.payload)
    records = {record.name: record for record in app.catalog.list_all()}
    if "workspacelist" in arguments:
        assert set(records) == {"src", "lib"}
        assert reply.payload["files_processed"] == 4
        assert [one["collection_name"] for one in reply.payload["workspaces"]] == ["src", "lib"]
        assert any("nothing" in one for one in reply.payload["warnings"])
        return
    record = records["users"]
    assert reply.payload["collection_name"] == "users"
    assert reply.payload["workspace_path"] == str(project)
    assert reply.payload["total_segments"] == record.chunk_count
    wanted = "lines" if "config" in arguments else arguments.get("chunking_strategy", "treesitter")
    assert record.options["strategy"] == wanted
    if "config" in arguments:
        assert any("ollama_model" in one for one in reply.payload["warnings"])
        assert any("typo" in one for one in reply.payload["warnings"])


def test_what_code_index_index_refuses(users: FastMCP, project: Path) -> None:
    (project / "wrong.json").write_text("{")
    for arguments, kind in (
        ({"workspace": "/no/such/folder"}, "safety_error"),
        ({"workspace": "nothing"}, "workspace_error"),
        ({"config": "wrong.json"}, "configuration_error"),
        ({"config": "/etc/passwd"}, "safety_error"),
        ({"workspacelist": "nothing.txt"}, "validation_error"),
        ({"embedding_length": 999}, "configuration_error"),
        ({"token_chunk_size": 99}, "configuration_error"),
        ({"embed_timeout": 0}, "validation_error"),
        ({"chunking_strategy": "words"}, "configuration_error"),
        ({"chunk_strategy": "lines"}, "validation_error"),
    ):
        reply = ask(users, "index", **arguments)
        assert reply.is_error, arguments
        check(SAID["code_index"]["answers"]["error"], reply.payload)
        assert reply.payload["error_type"] == kind, (arguments, reply.text)
    missing = ask(users, "index", config="none.json")
    assert any("none.json" in one for one in missing.payload["warnings"])
    assert not (project / "none.json").exists()


def test_errors_of_code_index(users: FastMCP) -> None:
    reply = ask(users, "search", query="x", workspace="/no/such/folder")
    assert reply.is_error
    check(SAID["code_index"]["answers"]["error"], reply.payload)


@pytest.mark.parametrize(("tool", "arguments"), calls_of("code_index", "collections"))
def test_calls_of_code_index_collections(
    users: FastMCP, app: App, project: Path, database_url: str, tool: str, arguments: dict[str, Any]
) -> None:
    app.index(project / "lib", name="old")
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET updated_at = now() - interval '40 days' WHERE name = 'old'")
    old = next(record for record in app.catalog.list_all() if record.name == "old")
    reply = ask(users, tool, **put_in(arguments, {"ws-abc123def456": old.workspace_id}))
    left = {record.name for record in app.catalog.list_all()}
    subcommand = arguments["subcommand"]
    if subcommand not in ("list", "info") and not arguments.get("yes"):
        assert reply.is_error
        check(SAID["code_index"]["answers"]["error"], reply.payload)
        assert reply.payload["error_type"] == "safety_error"
        assert left == {"users", "old"}
        return
    assert not reply.is_error, reply.text
    shape = deepcopy(SAID["code_index"]["answers"][f"collections {subcommand}"])
    if subcommand == "info":
        assert shape["statistics"].pop("average_score") == "float"
        assert reply.payload["statistics"]["average_score"] is None, "declined: scores compare answers to one question"
        assert reply.payload["config"]["chunking_strategy"] == "treesitter"
        assert reply.payload["collection_name"] == "old"
    check(shape, reply.payload)
    assert left == {"list": {"users", "old"}, "info": {"users", "old"}, "clear-all": set()}.get(subcommand, {"users"})
    if subcommand == "list":
        assert reply.payload["total_collections"] == 2
        assert reply.payload["total_points"] == sum(one["points"] for one in reply.payload["collections"])
    if subcommand == "prune":
        assert reply.payload["pruned_collections"] == ["old"]
        assert reply.payload["total_points_removed"] == old.chunk_count


def test_collections_that_cannot_be_meant(users: FastMCP) -> None:
    for arguments, kind in (
        ({}, "validation_error"),
        ({"subcommand": "drop"}, "validation_error"),
        ({"subcommand": "info"}, "validation_error"),
        ({"subcommand": "info", "collection_name": "ws-000000000000"}, "workspace_error"),
        ({"subcommand": "delete", "collection_name": "nothing", "yes": True}, "workspace_error"),
        ({"subcommand": "prune", "yes": True}, "validation_error"),
        ({"subcommand": "prune", "older_than_days": -1, "yes": True}, "validation_error"),
    ):
        reply = ask(users, "collections", **arguments)
        assert reply.is_error, arguments
        check(SAID["code_index"]["answers"]["error"], reply.payload)
        assert reply.payload["error_type"] == kind, arguments


@pytest.mark.parametrize(("tool", "arguments"), calls_of("mimir", "search_repo", "get_repo_bundle"))
def test_calls_of_mimir(users: FastMCP, app: App, tool: str, arguments: dict[str, Any]) -> None:
    index_id = app.catalog.list_all()[0].ulid
    reply = ask(users, tool, **{**arguments, "index_id": index_id})
    assert not reply.is_error, reply.text
    check(SCHEMAS[tool]["answer"], reply.payload)
    if tool == "get_repo_bundle":
        assert reply.payload["bundle_uri"] == f"mimir://indexes/{index_id}/bundle.tar.zst"
    else:
        assert reply.payload["results"]
        assert len(reply.payload["results"][0]["citation"]["rev"]) == 40


@pytest.mark.parametrize(("tool", "arguments"), calls_of("mimir", "ensure_repo_index"))
def test_an_index_is_begun_asked_and_cancelled(
    make: Make, app: App, project: Path, tool: str, arguments: dict[str, Any]
) -> None:
    users = make(project=project, working_folder=project)
    known = {"/path/to/typescript/project": str(project), "/path/to/project": str(project)}
    begun = ask(users, tool, **put_in(arguments, known))
    assert not begun.is_error, begun.text
    check(SCHEMAS[tool]["answer"], begun.payload)
    index_id = begun.payload["index_id"]
    assert begun.payload["status_uri"] == f"mimir://indexes/{index_id}/status.json"
    found = ask(users, "search_repo", index_id=index_id, query="authentication middleware")  # waits for the build
    check(SCHEMAS["search_repo"]["answer"], found.payload)
    assert found.payload["results"][0]["path"] == "src/api/middleware.js"
    assert [record.ulid for record in app.catalog.list_all()] == [index_id]
    late = ask(users, "cancel", index_id=index_id)
    check(SCHEMAS["cancel"]["answer"], late.payload)
    assert late.payload["ok"] is False


@pytest.mark.parametrize(("tool", "arguments"), calls_of("mimir", "ask_index"))
def test_questions_of_mimir(users: FastMCP, app: App, project: Path, tool: str, arguments: dict[str, Any]) -> None:
    reply = ask(users, tool, **{**arguments, "index_id": app.catalog.list_all()[0].ulid})
    assert not reply.is_error, reply.text
    check(SCHEMAS[tool]["answer"], reply.payload)
    assert reply.payload["question"] == arguments["question"]
    assert reply.payload["reasoning_steps"]
    assert reply.payload["evidence"]
    for one in reply.payload["evidence"]:
        data = (project / one["path"]).read_bytes()
        start, end = one["span"]
        assert data[start:end].decode() == one["content"]["text"]
        assert data[:start].count(b"\n") + 1 == one["lines"][0]
        assert "".join(one["content"].values()) in data.decode()
    told = "\n".join(one["content"]["text"] for one in reply.payload["evidence"])
    if "call" in arguments["question"]:
        assert "this.validatePassword(name, 'x')" in told
    if "thrown" in arguments["question"]:
        assert "throw new UserNotFoundError(name)" in told


def test_a_revision_has_an_index_of_its_own(users: FastMCP, app: App, project: Path) -> None:
    (project / "src/new.ts").write_text("export function brandNewThing() { return 1; }\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "two")
    ids = {}
    for rev in ("HEAD", "main", "HEAD~1"):
        begun = ask(users, "ensure_repo_index", path=str(project), rev=rev)
        assert not begun.is_error, begun.text
        ids[rev] = begun.payload["index_id"]
        ask(users, "index_status", index_name=ids[rev], wait_s=30)
    paths = {
        rev: {
            one["path"]
            for one in ask(users, "search_repo", index_id=index_id, query="brandNewThing").payload["results"]
        }
        for rev, index_id in ids.items()
    }
    assert "src/new.ts" in paths["HEAD"]
    assert "src/new.ts" not in paths["HEAD~1"]
    assert ids["HEAD"] != ids["HEAD~1"]


@pytest.mark.parametrize("address", sorted(SAID["mimir"]["resources"]))
def test_resources_of_mimir(users: FastMCP, app: App, address: str) -> None:
    index_id = app.catalog.list_all()[0].ulid
    content = read(users, address.replace("{index_id}", index_id))
    check(SAID["mimir"]["resources"][address], json.loads(content.text))


def edges(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    """(names from the outside, value, whether it is allowed) at the edges of each property of a schema."""
    for name, one in schema["properties"].items():
        at = (*path, name)
        if "default" in one:
            yield at, one["default"], True
        for edge, step in (("minimum", -1), ("maximum", 1)):
            if edge in one:
                yield at, one[edge], True
                yield at, one[edge] + step, False
        for value in one.get("enum", ()):
            yield at, value, True
        if "enum" in one:
            yield at, "klingon", False
        yield at, {"string": 3, "integer": "many", "boolean": "perhaps", "array": 3, "object": 3}[one["type"]], False
        if one["type"] == "object":
            yield from edges(one, at)


@pytest.mark.parametrize("tool", sorted(SCHEMAS))
def test_every_edge_of_mimir_schemas(users: FastMCP, app: App, project: Path, tool: str) -> None:
    index_id = app.catalog.list_all()[0].ulid
    schema = SCHEMAS[tool]["input"]
    known = {"path": str(project), "index_id": index_id, "query": "user", "question": "Where is validateUser defined?"}
    needed = {name: known[name] for name in schema["required"]}
    for name in needed:
        refused = ask(users, tool, **{key: one for key, one in needed.items() if key != name})
        assert refused.is_error, name
        assert refused.text.startswith("Error: ")
    for path, value, is_allowed in edges(schema):
        nested: Any = value
        for name in reversed(path[1:]):
            nested = {name: nested}
        reply = ask(users, tool, **{**needed, path[0]: nested})
        if is_allowed and tool != "cancel":
            assert not reply.is_error, (path, value, reply.text)
        elif not is_allowed:
            assert reply.is_error, (path, value, reply.text)
            assert reply.text.startswith("Error: ")


def test_a_folder_that_is_not_there_fails_as_documented(users: FastMCP, project: Path) -> None:
    for path in ("/invalid/path", str(project / "nothing")):
        reply = ask(users, "ensure_repo_index", path=path)
        assert reply.is_error
        assert reply.text.startswith("Error: ")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("index", {}),
        ("search", {"query": "user"}),
        ("collections", {"subcommand": "list", "detailed": True}),
        ("collections", {"subcommand": "info", "collection_name": "users"}),
        ("collections", {"subcommand": "prune", "older_than_days": 9, "yes": True}),
        ("collections", {"subcommand": "clear-all", "yes": True}),
        ("collections", {"subcommand": "delete", "collection_name": "users", "yes": True}),
        ("ensure_repo_index", {"path": "."}),
        ("search_repo", {"index_id": "users", "query": "user"}),
        ("ask_index", {"index_id": "users", "question": "Where is validateUser defined?"}),
        ("get_repo_bundle", {"index_id": "users"}),
        ("status", {}),
        ("regenerate_index", {}),
    ],
)
def test_answers_of_dialects_have_their_schema(
    make: Make, app: App, project: Path, tool: str, arguments: dict[str, Any]
) -> None:
    app.index(project, name="users")
    server = make(project=project, working_folder=project)
    structured = make(project=project, working_folder=project, structured_content=True)
    alias = next(
        one for one in DIALECTS if one.name == tool and (not one.chosen_by or one.chosen_by[1] in arguments.values())
    )
    schema = answer_schema(dialect(alias.dialect).answer)
    if tool != "collections" or arguments["subcommand"] in ("list", "info"):
        payload = ask(server, tool, **arguments).payload
        jsonschema.validate(payload if isinstance(payload, dict) else {"result": payload}, schema)
    jsonschema.validate(structured_answer(structured, tool, arguments), schema)


def structured_answer(server: FastMCP, tool: str, arguments: dict[str, Any]) -> Any:
    async def go() -> Any:
        async with Client(server, mode="legacy") as opened:
            return await opened.call_tool(tool, arguments)

    return asyncio.run(go()).structured_content
