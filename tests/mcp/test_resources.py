"""Resources: what is listed, what stands at each address, and what is refused, in both eras."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import ERAS, call, tools_of
from tests.mcp.reading import listed, read
from tests.odd_trees import git

from cocosearch_py.app import App
from cocosearch_py.features.wiki.model import Contribution
from cocosearch_py.features.wiki.place import find_place
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.resources import reading

Make = Callable[..., FastMCP]
OF_AN_INDEX = ["status.json", "manifest.json", "log.md", "repomap.md", "bundle.tar.zst"]
NOT_FOUND = {"legacy": -32002, "auto": -32602}
ZSTANDARD = b"\x28\xb5\x2f\xfd"


def payload(content: Any) -> Any:
    assert content.mime_type == "application/json"
    return json.loads(content.text)


@pytest.mark.parametrize("era", ERAS)
def test_lists_have_the_status_and_what_there_is_of_each_index(make: Make, shop: Path, era: str) -> None:
    resources, templates = listed(make(), mode=era)
    assert [str(one.uri) for one in resources] == [
        "cocosearch://status",
        *(f"cocosearch://indexes/shop/{name}" for name in OF_AN_INDEX),
    ]
    assert [one.uri_template for one in templates] == [
        *(f"cocosearch://indexes/{{index}}/{name}" for name in OF_AN_INDEX),
        "cocosearch://file/{index}/{+path}",
        "cocosearch://wiki/{page}",
    ]
    assert all(one.description and one.title and one.mime_type and one.meta is None for one in resources)
    assert all(one.description and one.title and one.mime_type and one.meta is None for one in templates)


@pytest.mark.parametrize("era", ERAS)
def test_what_is_listed_can_be_read(make: Make, shop: Path, era: str) -> None:
    server = make()
    for one in listed(server, mode=era)[0]:
        content = read(server, str(one.uri), mode=era)
        assert str(content.uri) == str(one.uri) and content.mime_type == one.mime_type


def test_an_index_whose_name_has_blanks_has_addresses(make: Make, app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="my shop")
    server = make()
    uri = str(listed(server)[0][1].uri)
    assert uri == "cocosearch://indexes/my%20shop/status.json"
    assert payload(read(server, uri))["index_name"] == "my shop"


@pytest.mark.parametrize("era", ERAS)
def test_the_status_of_the_server_has_its_indexes(make: Make, shop: Path, era: str) -> None:
    told = payload(read(make(), "cocosearch://status", mode=era))
    assert set(told) == {"server", "indexes", "jobs"}
    assert told["server"]["name"] == "cocosearch-py" and told["server"]["uptime_s"] >= 0
    (index,) = told["indexes"]
    assert (index["index_name"], index["root"], index["files"]) == ("shop", str(shop), 6)
    assert payload(read(make(), index["status_uri"]))["state"] == "completed"


def test_the_status_of_an_index_is_what_index_status_tells(make: Make, shop: Path, app: App) -> None:
    server = make()
    by_name = read(server, "cocosearch://indexes/shop/status.json").text
    assert by_name == call(server, "index_status", {"index_name": "shop"}).text
    ulid = app.catalog.find("shop").ulid
    assert read(server, f"cocosearch://indexes/{ulid}/status.json").text == by_name


def test_the_manifest_counts_what_the_index_holds(make: Make, shop: Path) -> None:
    server = make()
    told = payload(read(server, "cocosearch://indexes/shop/manifest.json"))
    stats = call(server, "index_stats", {"index_name": "shop"}).payload
    assert told["counts"]["files_indexed"] == stats["file_count"]
    assert told["counts"]["chunks"] == told["counts"]["vectors"] == stats["chunk_count"]
    assert told["counts"]["symbols_defs"] == sum(stats["symbols"].values())
    assert told["counts"]["symbols_refs"] > 0 and told["counts"]["edges"] == 2
    assert told["repo"] == {"root": str(shop), "branch": None, "rev": None, "worktree_dirty": None}
    assert told["versions"]["embedding_model"] == stats["embedding_model"]
    for uri in told["resources"].values():
        assert read(server, uri).mime_type


def test_the_log_says_what_was_done(make: Make, shop: Path) -> None:
    text = read(make(), "cocosearch://indexes/shop/log.md").text
    assert text.startswith("# Log of index shop\n")
    assert "6 files seen, 6 indexed" in text and "13 definitions" in text
    assert re.search(r"^## \d{4}-\d\d-\d\d \d\d:\d\d:\d\d - ", text, re.MULTILINE)


def test_the_log_has_the_runs_of_all_processes(make: Make, shop: Path) -> None:
    server = make()
    (shop / "new.py").write_text("new = 1\n")
    assert call(server, "index_codebase", {"path": str(shop)}).payload["success"]
    text = read(server, "cocosearch://indexes/shop/log.md").text
    run = re.search(r"^## \S+ \S+ - Run (\w+): begun$", text, re.MULTILINE)
    assert run is not None and f"Run {run[1]}: completed" in text
    assert text.index(f"Run {run[1]}: begun") < text.index(f"Run {run[1]}: completed") < text.index("Index complete")


def test_the_map_has_central_files_with_their_definitions(make: Make, shop: Path, app: App) -> None:
    content = read(make(), f"cocosearch://indexes/{app.catalog.find('shop').ulid}/repomap.md")
    assert content.mime_type == "text/markdown"
    assert content.text.startswith("# Map of shop\n")
    assert "shop/prices.py\n  6: class Money:" in content.text


def test_the_bundle_is_one_that_import_takes(make: Make, shop: Path, app: App, tmp_path: Path) -> None:
    content = read(make(), "cocosearch://indexes/shop/bundle.tar.zst")
    assert content.mime_type == "application/zstd"
    file = tmp_path / "bundle"
    file.write_bytes(base64.b64decode(content.blob))
    assert file.read_bytes()[:4] == ZSTANDARD
    assert app.transfers.load(file, "again", None).chunk_count == app.catalog.find("shop").chunk_count


@pytest.mark.parametrize("chunks", ["few", "many"])
@pytest.mark.parametrize("era", ERAS)
def test_a_bundle_that_is_too_large_is_refused_with_the_other_ways(
    make: Make, shop: Path, era: str, chunks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_BLOB_BYTES", 2_000 if chunks == "few" else 100)
    error = read(make(), "cocosearch://indexes/shop/bundle.tar.zst", mode=era)
    assert error.code == -32602
    assert "export_index with index_name shop writes it" in error.message and "GET" not in error.message
    assert error.data["error_type"] == "validation_error"
    over_http = read(make(transport="http"), "cocosearch://indexes/shop/bundle.tar.zst", mode=era)
    assert "GET /indexes/shop/bundle.tar.zst" in over_http.message
    told = read(make(), "mimir://indexes/shop/bundle.tar.zst", mode=era)
    assert told.text.startswith("Error reading resource: the bundle of index 'shop' has")


@pytest.mark.parametrize("era", ERAS)
def test_a_file_is_read_as_it_is_now(make: Make, shop: Path, era: str) -> None:
    server = make()
    uri = "cocosearch://file/shop/shop/cart.py"
    assert read(server, uri, mode=era).text == (shop / "shop/cart.py").read_text()
    (shop / "shop/cart.py").write_text("now = 1\n")
    assert read(server, uri, mode=era).text == "now = 1\n"
    (shop / "shop/cart.py").unlink()
    assert "class Cart" in read(server, uri, mode=era).text, "as the index has it"


def test_a_files_address_may_be_encoded(make: Make, sample_repo: Path, app: App) -> None:
    odd = sample_repo / "größe #1.py"
    odd.write_text("width = 1\n")
    app.index(sample_repo, name="shop")
    for path in ("gr%C3%B6%C3%9Fe%20%231.py", "shop%2Fcart.py"):
        assert read(make(), f"cocosearch://file/shop/{path}").text


SECRET = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "path",
    [
        "private.txt",
        ".env",
        "id_rsa",
        "../outside.txt",
        "..%2Foutside.txt",
        "shop/%2e%2e/%2e%2e/outside.txt",
        "%2Fetc%2Fpasswd",
        "link.txt",
        "folder/outside.txt",
        "shop",
        "%00",
        "%ED%A0%80",
        "new.py",
        "a" * 5_000,
        "/",
    ],
)
def test_only_what_the_index_holds_can_be_read(make: Make, sample_repo: Path, app: App, path: str, era: str) -> None:
    outside = sample_repo.parent / "outside.txt"
    outside.write_text("outside = 1\n")
    for name, text in {".gitignore": "private.txt\n", "private.txt": "mine = 1\n", ".env": "KEY=1\n"}.items():
        (sample_repo / name).write_text(text)
    (sample_repo / "id_rsa").write_text(SECRET)
    (sample_repo / "link.txt").symlink_to(outside)
    (sample_repo / "folder").symlink_to(sample_repo.parent)
    app.index(sample_repo, name="shop")
    (sample_repo / "new.py").write_text("later = 1\n")
    error = read(make(), f"cocosearch://file/shop/{path}", mode=era)
    assert error.code in (-32602, NOT_FOUND[era])
    assert error.data["error_type"] in {"not_found", "safety_error", "validation_error", "not_indexed"}
    assert error.data["actionable_guidance"]
    assert "= 1" not in str(error) and "PRIVATE" not in str(error)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "uri",
    [
        "cocosearch://nothing",
        "cocosearch://indexes/shop",
        "cocosearch://indexes/shop/secrets.json",
        "cocosearch://indexes/nope/status.json",
        "cocosearch://indexes/nope/bundle.tar.zst",
        "cocosearch://indexes/%00/status.json",
        "cocosearch://wiki/%00",
        "cocosearch://file/shop",
        "cocosearch://file/nope/a.py",
        "file:///etc/passwd",
        "other://status",
        "cocosearch://indexes/" + "x" * 9_000 + "/log.md",
    ],
)
def test_an_unknown_address_is_an_error_of_the_protocol(make: Make, shop: Path, uri: str, era: str) -> None:
    error = read(make(), uri, mode=era)
    assert error.code == NOT_FOUND[era]
    assert error.data["uri"] == uri
    assert len(error.message) < 3_000


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("repo://bundle/nope", "Bundle not found for index nope"),
        ("mimir://indexes/nope/bundle.tar.zst", "Bundle not found for index nope"),
        ("mimir://indexes/nope/status.json", "Status not found for index nope"),
        ("repo://manifest/nope", "Manifest not found for index nope"),
        ("repo://logs/nope", "Log not found for index nope"),
        ("mimir://indexes/shop/secrets.json", "unknown resource"),
        ("repo://nothing", "unknown resource"),
    ],
)
def test_in_mimirs_schemes_an_error_is_a_text(make: Make, shop: Path, uri: str, told: str, era: str) -> None:
    content = read(make(), uri, mode=era)
    assert (str(content.uri), content.mime_type) == (uri, "text/plain")
    assert content.text == f"Error reading resource: {told}"


@pytest.mark.parametrize("era", ERAS)
def test_mimirs_addresses_answer_in_its_shapes(make: Make, shop: Path, app: App, era: str) -> None:
    server = make()
    ulid = app.catalog.find("shop").ulid
    told = payload(read(server, "repo://status", mode=era))
    assert set(told) == {"server_info", "active_pipelines", "pipeline_count", "storage_dir"}
    assert set(told["server_info"]) == {"name", "version", "uptime"}
    assert (told["active_pipelines"], told["pipeline_count"]) == ([], 0) and told["storage_dir"]
    told = payload(read(server, f"mimir://indexes/{ulid}/status.json", mode=era))
    assert set(told) == {
        *("index_id", "state", "stage", "progress", "started_at"),
        *("estimated_completion", "current_operation", "error"),
    }
    assert (told["index_id"], told["state"], told["progress"], told["error"]) == (ulid, "completed", 100, None)
    told = payload(read(server, f"mimir://indexes/{ulid}/manifest.json", mode=era))
    assert told == payload(read(server, f"repo://manifest/{ulid}", mode=era))
    assert set(told) == {"index_id", "repo", "config", "counts", "paths", "versions"}
    assert set(told["repo"]) == {"root", "rev", "worktree_dirty"}
    assert set(told["config"]) == {"languages", "excludes", "context_lines", "features"}
    assert told["config"]["features"] == {"vector": True, "symbol": True, "graph": True}
    assert set(told["config"]["languages"]) == {"py", "go", "js", "md"}
    assert set(told["counts"]) == {"files_total", "files_indexed", "symbols_defs", "symbols_refs", "vectors"}
    assert set(told["paths"]) == {"repomap", "serena_graph", "leann_index", "vectors", "snippets", "bundle"}
    assert set(told["versions"]) == {"repomapper", "serena", "leann"}
    log = read(server, f"mimir://indexes/{ulid}/log.md", mode=era).text
    assert log == read(server, f"repo://logs/{ulid}", mode=era).text
    assert log.startswith(f"# Pipeline Log for {ulid}\n\n## ") and " - Stage: Acquire\n- " in log
    assert read(server, f"mimir://indexes/{ulid}/bundle.tar.zst", mode=era).blob
    assert read(server, "repo://bundle/shop", mode=era).blob


def test_the_manifest_shows_the_options_of_the_last_run(make: Make, sample_repo: Path) -> None:
    server = make()
    options = {
        "excludes": ["*.go"],
        "context_lines": 0,
        "max_files_to_embed": 1,
        "features": {"vector": True, "symbol": True, "graph": False},
    }
    index_id = call(server, "ensure_repo_index", {"path": ".", "index_opts": options}).payload["index_id"]
    call(server, "index_status", {"index_name": index_id, "wait_s": 20})
    told = payload(read(server, f"mimir://indexes/{index_id}/manifest.json"))
    assert told["config"]["excludes"] == ["*.go"] and told["config"]["context_lines"] == 0
    assert told["config"]["features"] == options["features"]
    ours = payload(read(server, f"cocosearch://indexes/{index_id}/manifest.json"))
    assert 0 < told["counts"]["vectors"] == ours["counts"]["vectors"] < ours["counts"]["chunks"]
    assert ours["config"]["features"] == options["features"]


def test_the_parts_that_a_mimir_manifest_names_are_in_the_bundle(make: Make, shop: Path, app: App) -> None:
    paths = payload(read(make(), "repo://manifest/shop"))["paths"]
    written = call(make(), "export_index").payload
    parts = {f"tables/{part['table']}.copy" for part in written["parts"]} | {one["name"] for one in written["derived"]}
    assert {path for name, path in paths.items() if name != "bundle"} <= parts
    assert paths["repomap"] == "repomap.md"


def test_uncommitted_changes_are_told(make: Make, shop: Path, app: App) -> None:
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(shop, *arguments)
    app.index(shop, name="shop")
    repo = payload(read(make(), "cocosearch://indexes/shop/manifest.json"))["repo"]
    assert len(repo["rev"]) == 40 and repo["worktree_dirty"] is False
    (shop / "shop/cart.py").write_text("x = 1\n")
    assert payload(read(make(), "mimir://indexes/shop/manifest.json"))["repo"]["worktree_dirty"] is True


def test_a_commit_is_read_as_it_was(make: Make, shop: Path, app: App) -> None:
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"], ["commit", "-qm", "2", "--allow-empty"]):
        git(shop, *arguments)
    then = (shop / "shop/cart.py").read_text()
    server = make()
    made = call(server, "index_codebase", {"path": str(shop), "rev": "HEAD~1", "wait_s": 60}).payload
    (shop / "shop/cart.py").write_text("now = 1\n")
    name = made["index_name"]
    assert read(server, f"cocosearch://file/{name}/shop/cart.py").text == then
    told = payload(read(server, f"cocosearch://indexes/{name}/manifest.json"))
    assert told["repo"]["worktree_dirty"] is False and told["repo"]["rev"].startswith(name.split("@")[1])


def test_resources_are_offered_where_their_tools_are(make: Make, shop: Path) -> None:
    read_only = make(read_only=True)
    assert not [one for one in listed(read_only)[0] if str(one.uri).endswith("bundle.tar.zst")]
    assert read(read_only, "cocosearch://indexes/shop/bundle.tar.zst").code == -32002
    assert read(read_only, "repo://bundle/shop").text == "Error reading resource: unknown resource"
    few = make(tools=("search_code",))
    assert listed(few) == ([], [])
    assert read(few, "cocosearch://status").code == -32002
    without = make(exclude_tools=("read_code",))
    assert "file" not in [one.name for one in listed(without)[1]]
    assert read(without, "cocosearch://file/shop/README.md").code == -32002


@pytest.mark.parametrize("era", ERAS)
def test_indexes_outside_of_the_roots_do_not_exist(make: Make, shop: Path, app: App, tmp_path: Path, era: str) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "a.py").write_text("def only_here(): ...\n")
    app.index(tmp_path / "hidden")
    server = make(roots=(shop,), transport="http")
    assert "hidden" not in str(listed(server, mode=era))
    assert "hidden" not in read(server, "cocosearch://status", mode=era).text
    for path in ("indexes/hidden/status.json", "indexes/hidden/bundle.tar.zst", "file/hidden/a.py"):
        assert read(server, f"cocosearch://{path}", mode=era).code == NOT_FOUND[era]
    assert payload(read(server, "repo://status", mode=era))["storage_dir"] == ""


def test_lists_work_without_a_database(make: Make, shop: Path, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    from cocosearch_py.errors import DatabaseUnreachableError

    def away() -> Any:
        raise DatabaseUnreachableError("the database is away", hint="start it")

    monkeypatch.setattr(app.catalog, "list_all", away)
    server = make()
    assert [str(one.uri) for one in listed(server)[0]] == ["cocosearch://status"]
    error = read(server, "cocosearch://status")
    assert (error.code, error.data["error_type"]) == (-32603, "service_connection_error")
    assert "start it" in error.message


def test_the_list_of_tools_stays_as_it_is(make: Make, shop: Path) -> None:
    server = make()
    before = tools_of(server)
    read(server, "cocosearch://status")
    assert tools_of(server) == before


def test_pages_of_the_wiki(make: Make, app: App, shop: Path) -> None:
    server = make()
    assert "no wiki" in read(server, "cocosearch://wiki/money").message
    place = find_place(shop)
    Wikis(app.database).start(place)
    Wikis(app.database).write(place, Contribution("money", content="See [[carts]].", title="Money"))
    Wikis(app.database).write(place, Contribution("carts", content="Of carts.", title="Carts"))
    page = read(server, "cocosearch://wiki/money")
    assert page.mime_type == "text/markdown"
    assert '\ntitle: "Money"\n' in page.text
    assert "See [Carts](carts.md)." in page.text
    assert read(server, "cocosearch://wiki/carts.md").text == read(server, "cocosearch://wiki/carts").text
    assert "- [Money](money.md)" in read(server, "cocosearch://wiki/index.md").text
    for wrong in ("no-page", "..%2Fmoney", "index.md/x"):
        assert read(server, f"cocosearch://wiki/{wrong}").code in (-32002, -32602)
    assert "cocosearch://wiki/{page}" in {one.uri_template for one in listed(server)[1]}
