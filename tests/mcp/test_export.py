"""The tool `export_index`: a bundle in the server's own folder, whoever asks."""

from collections.abc import Callable
from pathlib import Path

from fastmcp import FastMCP
from tests.mcp.calls import call, tools_of

from cocosearch_py.app import App


def test_a_bundle_is_written_where_the_server_keeps_them(
    make: Callable[..., FastMCP], shop: Path, app: App, data_folder: Path
) -> None:
    server = make()
    assert "export_index" not in {one.name for one in tools_of(server)}
    answer = call(server, "export_index").payload
    path = Path(answer["path"])
    assert path == data_folder / "exports" / "shop.cocosearch.tar.zst"
    assert path.stat().st_size == answer["bytes"]
    assert {part["table"]: part["rows"] for part in answer["parts"]}["chunks"] == answer["chunks"] > 0
    assert app.transfers.verify(path).index["name"] == "shop"


def test_clients_do_not_choose_where_files_go(make: Callable[..., FastMCP], shop: Path, tmp_path: Path) -> None:
    answer = call(make(), "export_index", {"output": str(tmp_path / "out")})
    assert answer.is_error and "no parameter 'output'" in answer.payload["message"]
    refused = call(make(read_only=True), "export_index")
    assert refused.is_error and refused.payload["error_type"] == "not_found"
