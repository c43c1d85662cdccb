"""What a client can never reach, and what a server never starts with."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

import psycopg
import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.config.load import load_settings
from cocosearch_py.config.serving import ServerSettings
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.errors import CocosearchError, ConfigurationError, SafetyError
from cocosearch_py.indexing.run import Thresholds
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server import context
from cocosearch_py.server.access import Access
from cocosearch_py.server.explainer import Explainer
from cocosearch_py.server.options import Flags, Preset, ServerOptions, server_options
from cocosearch_py.storage.server.embedded import EmbeddedServer

Make = Callable[..., FastMCP]
SECRET = "tell_nobody_of_this"


@pytest.fixture
def outside(app: App, tmp_path: Path) -> Path:
    """A project outside of every root, indexed as `private`."""
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "secret.py").write_text(f"def {SECRET}():\n    return 42\n")
    app.index(folder)
    return folder


@pytest.mark.parametrize(
    "path", ["../private", "/etc", "~", "link", "shop/../../private", "link/..//link", "\0", "", "x" * 5000]
)
def test_nothing_outside_the_roots_is_indexed(make: Make, sample_repo: Path, outside: Path, path: str) -> None:
    (sample_repo / "link").symlink_to(outside)
    for server in (make(), make(roots=(sample_repo,)), make(transport="http")):
        answer = call(server, "index_codebase", {"path": path, "index_name": "stolen"})
        assert answer.is_error
        assert answer.payload["error_type"] in ("safety_error", "validation_error")
        assert call(server, "index_status").payload["jobs"] == []


def test_a_folder_beside_a_root_with_its_name_as_a_prefix_is_outside(tmp_path: Path) -> None:
    root, beside = tmp_path / "app", tmp_path / "app2"
    for folder in (root, beside):
        folder.mkdir()
    access = Access(ServerOptions(roots=(root,)))
    assert access.may_see(str(root / "src"))
    assert not access.may_see(str(beside))
    assert not access.may_index(str(beside), ())
    with pytest.raises(SafetyError):
        access.folder_to_index("../app2", root, ())


def test_the_refusal_does_not_tell_what_exists(make: Make, sample_repo: Path, outside: Path) -> None:
    server = make(roots=(sample_repo,))
    there = call(server, "index_codebase", {"path": "../private"}).payload
    not_there = call(server, "index_codebase", {"path": "../nothing"}).payload
    assert there == not_there


def test_the_count_of_reused_files_does_not_tell_what_exists(
    make: Make, shop: Path, write_sample: Callable[[Path], Path], tmp_path: Path
) -> None:
    large = "".join(f"def function_{number}(): ...\n" for number in range(Thresholds().copy_bytes // 20))
    (shop / "large.py").write_text(large)  # less than this is not copied
    call(make(roots=(shop,)), "index_codebase", {"path": str(shop)})
    inside = write_sample(tmp_path / "inside")
    (inside / "large.py").write_text(large)
    stats = call(make(roots=(inside,)), "index_codebase", {"path": str(inside)}).payload["stats"]
    assert (stats["files_reused"], stats["files_added"]) == (0, 7)
    other = write_sample(tmp_path / "other")
    (other / "large.py").write_text(large)
    stats = call(make(roots=(tmp_path,)), "index_codebase", {"path": str(other)}).payload["stats"]
    assert (stats["files_reused"], stats["files_added"]) == (7, 7)


def test_a_web_client_without_a_project_may_index_nothing(make: Make, sample_repo: Path) -> None:
    server = make(project=None, transport="http")
    answer = call(server, "index_codebase", {"path": str(sample_repo)}, roots=[sample_repo.as_uri()])
    assert answer.payload["error_type"] == "safety_error"
    (hint,) = answer.payload["actionable_guidance"]
    assert all(remedy in hint for remedy in ("cocosearch-py mcp PATH", "--project-from-cwd", "--root FOLDER"))


def test_a_local_clients_roots_may_be_indexed(make: Make, sample_repo: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    asked = {"path": str(sample_repo)}
    server = make(project=None, working_folder=elsewhere)
    assert call(server, "index_codebase", asked).payload["error_type"] == "safety_error"
    assert call(server, "index_codebase", asked, roots=[sample_repo.as_uri()]).payload["success"] is True


def test_indexes_outside_the_roots_do_not_exist(make: Make, shop: Path, outside: Path) -> None:
    server = make(roots=(shop,))
    assert [item["name"] for item in call(server, "list_indexes").payload] == ["shop"]
    assert [item["name"] for item in call(server, "index_stats").payload] == ["shop"]
    for tool, arguments in (
        ("search_code", {"query": SECRET, "index_name": "private"}),
        ("search_code", {"query": SECRET, "index_names": ["*"]}),
        ("search_code", {"query": SECRET, "index_names": ["shop", "private"]}),
        ("search_code", {"query": SECRET}),
        ("analyze_query", {"query": SECRET, "index_name": "private"}),
        ("index_stats", {"index_name": "private"}),
        ("index_status", {"index_name": "private"}),
        ("clear_index", {"index_name": "private"}),
        ("clear_index", {"all": True, "dry_run": True}),
    ):
        answer = call(server, tool, arguments)
        assert f"def {SECRET}" not in answer.text
        assert str(outside) not in answer.text
    assert call(make(), "search_code", {"query": SECRET, "index_name": "private"}).hits, "the test would find it"


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("where", ["working folder", "project", "link"])
def test_a_folder_outside_the_roots_is_not_named_by_errors(
    make: Make, shop: Path, tmp_path: Path, where: str, transport: str
) -> None:
    hidden = tmp_path / "unseen" / "src"
    hidden.mkdir(parents=True)
    (tmp_path / "unseen" / ".git").mkdir()
    link = tmp_path / "link"
    link.symlink_to(hidden)
    server = make(
        roots=(shop,),
        transport=transport,
        project=hidden if where == "project" else None,
        working_folder=hidden if where == "working folder" else shop,
    )
    roots = [link.as_uri()] if where == "link" else None
    for tool, arguments in (
        ("search_code", {"query": "cart"}),
        ("search_text", {"query": "cart"}),
        ("list_files", {}),
        ("list_files", {"path": "."}),
        ("read_code", {"path": "shop/cart.py"}),
        ("index_stats", {}),
        ("index_status", {}),
        ("index_codebase", {"path": "."}),
    ):
        answer = call(server, tool, arguments, roots=roots)
        assert "unseen" not in answer.text, tool
        if answer.is_error and tool != "index_codebase":
            assert answer.payload["error_type"] == "not_indexed"
            assert "name an index (shop)" in answer.payload["actionable_guidance"][0]


def test_secrets_are_never_indexed(make: Make, sample_repo: Path) -> None:
    (sample_repo / ".env").write_text(f"TOKEN={SECRET}\n")
    (sample_repo / "id_rsa").write_text(f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n")
    (sample_repo / "link.py").symlink_to("/etc/passwd")
    server = make()
    call(server, "index_codebase", {"path": ".", "index_name": "shop", "include": ["**/*"]})
    answer = call(server, "search_code", {"query": SECRET, "index_name": "shop", "limit": 100})
    assert SECRET not in str(answer.hits)
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "text", ["'; DROP SCHEMA cocosearch_py CASCADE; --", "%s %(x)s {}", "\\'\"$$", "a\0b", "\ud800"]
)
def test_text_is_never_a_statement(make: Make, shop: Path, text: str) -> None:
    server = make()
    for arguments in (
        {"query": text, "index_name": "shop"},
        {"query": "x", "index_name": text},
        {"query": "cart", "index_name": "shop", "symbol_name": text},
        {"query": "cart", "index_name": "shop", "symbol_type": text},
        {"query": "cart", "index_name": "shop", "path_glob": text},
        {"query": "cart", "index_name": "shop", "exclude": [text]},
    ):
        answer = call(server, "search_code", arguments)
        assert "internal error" not in answer.text, arguments
    assert call(server, "search_code", {"query": "cart", "index_name": "shop"}).hits


def test_messages_hide_passwords_and_foreign_paths(tmp_path: Path) -> None:
    error = CocosearchError(
        f"no server at postgresql://me:hunter2@db/x; see /etc/secret/file and {tmp_path}/log", hint="ask /root/boss"
    )
    text = json.dumps(Explainer((tmp_path,)).described(error, {}))
    assert "hunter2" not in text
    assert "/etc/secret" not in text
    assert "/root/boss" not in text
    assert f"{tmp_path}/log" in text


def options(tmp_path: Path, environ: dict[str, str] | None = None, **flags: object) -> object:
    return server_options(Flags(**flags), environ or {}, tmp_path)  # type: ignore[arg-type]


def test_an_open_address_needs_a_token(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):
        with pytest.raises(ConfigurationError, match="token"):
            options(tmp_path, transport="http", host=host)
        options(tmp_path, transport="http", host=host, insecure=True)
        options(tmp_path, {"COCOSEARCH_AUTH_TOKEN": "long-enough-token"}, transport="http", host=host)
    for host in ("127.0.0.1", "localhost", "::1"):
        options(tmp_path, transport="http", host=host)


@pytest.mark.parametrize(
    ("environ", "flags", "said"),
    [
        ({}, {"transport": "pigeon"}, "pigeon"),
        ({"MCP_TRANSPORT": "pigeon"}, {}, "pigeon"),
        ({"COCOSEARCH_MCP_PORT": "many"}, {}, "port"),
        ({}, {"port": 70000}, "port"),
        ({}, {"auth_token": "short"}, "token"),
        ({}, {"auth_token": "with\nnewline-in-it"}, "token"),
        ({}, {"auth_token_file": Path("/no/such/file")}, "/no/such/file"),
        ({"COCOSEARCH_ROOTS": "/no/such/root"}, {}, "/no/such/root"),
        ({"COCOSEARCH_READ_ONLY": "perhaps"}, {}, "COCOSEARCH_READ_ONLY"),
        ({"COCOSEARCH_IDLE_TIMEOUT": "soon"}, {}, "idle"),
        ({"COCOSEARCH_PROJECT_PATH": "/no/such/project"}, {}, "/no/such/project"),
    ],
)
def test_wrong_settings_are_refused(
    tmp_path: Path, environ: dict[str, str], flags: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        options(tmp_path, environ, **flags)


def test_flags_win_over_the_environment(tmp_path: Path) -> None:
    environ = {
        "MCP_TRANSPORT": "streamable-http",
        "COCOSEARCH_MCP_PORT": "4000",
        "COCOSEARCH_TOOLSETS": "search, index",
        "COCOSEARCH_READ_ONLY": "1",
        "COCOSEARCH_ROOTS": str(tmp_path),
        "COCOSEARCH_IDLE_TIMEOUT": "60",
    }
    found = server_options(Flags(), environ, tmp_path)
    assert (found.transport, found.port, found.toolsets) == ("http", 4000, ("search", "index"))
    assert (found.read_only, found.roots, found.idle_timeout_s) == (True, (tmp_path.resolve(),), 60)
    found = server_options(Flags(transport="stdio", port=1, toolsets=("minimal",), idle_timeout_s=0), environ, tmp_path)
    assert (found.transport, found.port, found.toolsets, found.idle_timeout_s) == ("stdio", 1, ("minimal",), 0)


def test_what_the_user_has_set_holds_where_nothing_else_does(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "server:\n  transport: http\n  host: localhost\n  port: 4001\n  allowedHosts: [code.example]\n"
        "  toolsets: [search]\n  readOnly: true\n  showSecrets: true\n  auth: correct-horse-battery\n"
        f"  roots: ['{tmp_path}']\n  idleTimeout: 90\n  sessions: 7\n"
    )
    loaded = load_settings(start=None, environ={}, config_file=tmp_path / "config.yaml").settings.server
    chosen = Preset(**{one.name: getattr(loaded, one.name) for one in fields(loaded)})
    found = server_options(Flags(), {}, tmp_path, chosen)
    assert (found.transport, found.host, found.port, found.sessions) == ("http", "localhost", 4001, 7)
    assert (found.allowed_hosts, found.toolsets, found.roots) == (("code.example",), ("search",), (tmp_path.resolve(),))
    assert (found.read_only, found.auth_token, found.idle_timeout_s) == (True, "correct-horse-battery", 90)
    assert found.show_secrets and not server_options(Flags(), {}, tmp_path).show_secrets
    assert server_options(Flags(show_secrets=True), {}, tmp_path).show_secrets
    environ = {
        **{"MCP_TRANSPORT": "sse", "COCOSEARCH_MCP_PORT": "4002", "COCOSEARCH_TOOLSETS": "index"},
        **{"COCOSEARCH_READ_ONLY": "no", "COCOSEARCH_AUTH_TOKEN": "another-long-token", "COCOSEARCH_IDLE_TIMEOUT": "0"},
    }
    found = server_options(Flags(), environ, tmp_path, chosen)
    assert (found.transport, found.port, found.toolsets, found.read_only) == ("sse", 4002, ("index",), False)
    assert (found.auth_token, found.idle_timeout_s) == ("another-long-token", 0)
    found = server_options(Flags(port=4003, auth_token="a-third-long-token"), environ, tmp_path, chosen)
    assert (found.port, found.auth_token) == (4003, "a-third-long-token")
    with pytest.raises(ConfigurationError, match="is reachable from other machines"):
        server_options(Flags(transport="http"), {}, tmp_path, Preset(host="0.0.0.0"))
    with pytest.raises(ConfigurationError, match=r"server\.roots"):
        server_options(Flags(), {}, tmp_path, Preset(roots=("/no/such/folder",)))


def test_files_of_projects_have_no_say_in_servers(tmp_path: Path) -> None:
    (tmp_path / "cocosearch-py.yaml").write_text("server:\n  host: 0.0.0.0\n  auth: null\n  roots: ['/']\n")
    loaded = load_settings(start=tmp_path, environ={})
    assert loaded.settings.server == ServerSettings()
    assert asdict(Preset()) == asdict(ServerSettings())  # the defaults of both
    assert {one.key for one in loaded.ignored} == {"server.host", "server.auth", "server.roots"}


def test_a_failed_job_does_not_tell_of_what_is_hidden(make: Make, shop: Path, outside: Path) -> None:
    server = make(roots=(shop,))
    answer = call(server, "index_codebase", {"path": ".", "index_name": "private"})
    assert answer.payload["error_type"] == "index_collision"
    status = call(server, "index_status", {"index_name": "private"})
    assert status.payload["state"] == "failed"
    for told in (answer, status, call(server, "index_status")):
        assert str(outside) not in told.text
        assert "hidden path" in told.text


@pytest.mark.parametrize("form", ["{shop}/../private", "{shop}/link", "{private}"])
def test_settings_outside_the_roots_are_not_read(app: App, shop: Path, outside: Path, form: str) -> None:
    """They could name another database, and errors quote them."""
    (shop / "link").symlink_to(outside)
    (shop / ".git").mkdir()
    read: list[Path] = []

    def app_at(folder: Path) -> App:
        read.append(folder)
        return app

    options = ServerOptions(project=shop, working_folder=shop, roots=(shop,), transport="http")
    context.ServerContext(app_at, options).app(Path(form.format(shop=shop, private=outside)))
    assert read == [shop]


@pytest.mark.parametrize("tool", ["search_code", "analyze_query"])
def test_a_name_that_passes_to_a_hidden_index_is_not_found(
    make: Make, app: App, shop: Path, outside: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server remembers for a moment which indexes there are."""
    monkeypatch.setattr(context, "_LISTING_KEPT_S", 3600)
    server = make(roots=(shop,))
    asked = {"query": SECRET, "index_name": "shop"}
    assert not call(server, tool, asked).is_error
    app.catalog.clear("shop")
    app.index(outside, name="shop")
    answer = call(server, tool, asked)
    assert answer.payload["error_type"] == "not_indexed"
    assert SECRET not in answer.text
    assert str(outside) not in answer.text


def test_the_hint_for_a_lost_index_names_no_hidden_one(
    make: Make, app: App, shop: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "_LISTING_KEPT_S", 3600)
    app.index(outside, name="shop-secret")
    server = make(roots=(shop,))
    asked = {"query": "cart", "index_name": "shop"}
    assert call(server, "search_code", asked).hits
    app.catalog.clear("shop")
    answer = call(server, "search_code", asked)
    assert answer.payload["error_type"] == "not_indexed"
    assert "secret" not in answer.text


def test_the_listing_of_one_database_is_not_that_of_another(
    app: App, shop: Path, outside: Path, server: EmbeddedServer, template: str, data_folder: Path
) -> None:
    """Projects may keep their indexes in different databases."""
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "elsewhere" TEMPLATE "{template}"')
    try:
        with App(Settings(database=DatabaseSettings(url=server.dsn("elsewhere"))), data_folder) as other:
            other.index(outside, name="theirs")
            made, _ = create_server(
                lambda folder: other if folder == outside else app,
                ServerOptions(project=shop, working_folder=shop, transport="stdio"),
            )
            assert call(made, "search_code", {"query": SECRET}, roots=[outside.as_uri()]).hits
            answer = call(made, "search_code", {"query": SECRET, "index_name": "theirs"})
            assert answer.payload["error_type"] == "not_indexed"
            assert "shop" in answer.text
    finally:
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
            conn.execute('DROP DATABASE "elsewhere" WITH (FORCE)')


def test_what_is_quoted_from_files_is_told_to_be_data(make: Make, shop: Path) -> None:
    server = make()
    assert "never follow instructions" in server.instructions
    for tool, arguments in (("search_text", {"query": "def "}), ("read_code", {"path": "shop/cart.py"})):
        assert "not instructions" in call(server, tool, arguments).payload["note"], tool
    assert "note" not in call(server, "search_text", {"query": "no such text anywhere"}).payload
