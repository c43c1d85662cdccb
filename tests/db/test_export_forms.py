"""Forms of an index that others read: what stands in them is what the index holds."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import unknown_fields
from psycopg import sql

from cocosearch_py.app import App
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.maps import bundled_map
from cocosearch_py.transfer.formats import FORMS, PARTS, scip
from cocosearch_py.transfer.service import Written

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
WRITTEN = '''"""Odd `names` ``and`` [links](x)."""


class Outer:
    def inner(self): ...

    def inner(self, more): ...


def _hidden(): ...
'''


@pytest.fixture
def shop(app: App, sample_repo: Path) -> IndexRecord:
    (sample_repo / "shop" / "odd name.py").write_text(WRITTEN)
    app.index(sample_repo, name="shop")
    return app.catalog.find("shop")


@pytest.fixture
def write(app: App, shop: IndexRecord, tmp_path: Path) -> Callable[..., Written]:
    def written(form: str, parts: tuple[str, ...] = ("symbols", "edges"), name: str = "out") -> Written:
        return app.transfers.write(shop, tmp_path / name, form, parts)

    return written


def test_equal_indexes_make_equal_files(write: Callable[..., Written], tmp_path: Path) -> None:
    for form in FORMS:
        first, again = write(form), write(form, name="again")
        assert (first.sha256, first.size_bytes) == (again.sha256, again.size_bytes)
        assert first.path.read_bytes() == again.path.read_bytes() != b""
        assert str(tmp_path).encode() not in first.path.read_bytes()


def test_json_and_its_lines_hold_the_rows_of_the_index(
    write: Callable[..., Written], content_of: ContentOf, shop: IndexRecord
) -> None:
    whole = json.loads(write("json", PARTS).path.read_bytes())
    lines = [json.loads(line) for line in write("jsonl", PARTS).path.read_bytes().splitlines()]
    assert whole["index"]["name"] == "shop" and lines[0]["type"] == "index"
    rows = content_of("shop")
    for part, table in (("symbols", "symbols"), ("chunks", "chunks")):
        nested = [item for file in whole["files"] for item in file[part]]
        flat = [line for line in lines if line["type"] == part.removesuffix("s")]
        assert len(nested) == len(flat) == len(rows[table]) > 5
    assert [file["path"] for file in whole["files"]] == sorted(file["path"] for file in whole["files"])
    assert len(whole["files"]) == shop.file_count
    for file in whole["files"]:
        on_disk = Path(shop.root_path, file["path"]).read_text()
        assert "".join(chunk["content"] for chunk in file["chunks"]) == on_disk
        assert all(len(chunk["embedding"]) == shop.embedding_dimension for chunk in file["chunks"])
    edges = {(file["path"], edge["target"]) for file in whole["files"] for edge in file["edges"] if edge["target"]}
    assert ("shop/cart.py", "shop/prices.py") in edges


def test_definitions_are_rows_with_the_names_of_their_columns(
    write: Callable[..., Written], app: App, shop: IndexRecord
) -> None:
    whole = json.loads(write("json", ("symbols",)).path.read_bytes())
    written = [(file["path"], *one.values()) for file in whole["files"] for one in file["symbols"]]
    (columns,) = {tuple(one) for file in whole["files"] for one in file["symbols"]}
    query = sql.SQL(
        "SELECT path, {} FROM cocosearch_py.symbols s JOIN cocosearch_py.files f USING (index_id, file_id) "
        'WHERE s.index_id = %s ORDER BY path COLLATE "C", symbol_no'
    ).format(sql.SQL(", ").join(sql.Identifier("s", name) for name in columns))
    with app.database.reading() as conn:
        assert written == conn.execute(query, [shop.index_id]).fetchall()
    assert any(one["parent_no"] is not None for file in whole["files"] for one in file["symbols"])


def test_parts_that_nobody_asked_for_are_not_there(write: Callable[..., Written]) -> None:
    lines = [json.loads(line) for line in write("jsonl").path.read_bytes().splitlines()]
    assert {line["type"] for line in lines} == {"index", "file", "symbol", "edge"}
    passages = [json.loads(line) for line in write("jsonl", ("chunks",)).path.read_bytes().splitlines()]
    assert {line["type"] for line in passages} == {"index", "file", "chunk"}
    assert all("embedding" not in line for line in passages)


def test_the_overview_lists_what_is_public(write: Callable[..., Written]) -> None:
    text = write("md").path.read_text()
    assert text.startswith("# shop\n")
    assert "- `shop/` (" in text and "### `shop/cart.py`" in text
    section = text.split("### `shop/odd name.py`")[1].split("###")[0]
    assert "- `class Outer:` L4\n  - `def inner(self):" in section
    assert "_hidden" not in section


def test_scip_has_every_definition_where_its_name_stands(
    write: Callable[..., Written], content_of: ContentOf, shop: IndexRecord
) -> None:
    index = scip._messages()["Index"].FromString(write("scip").path.read_bytes())
    assert not unknown_fields.UnknownFieldSet(index)
    assert index.metadata.tool_info.name == "cocosearch-py"
    places = 0
    for document in index.documents:
        lines = Path(shop.root_path, document.relative_path).read_text().split("\n")
        named = {one.symbol: one.display_name for one in document.symbols}
        for one in document.occurrences:
            line, start, end = one.range
            assert lines[line][start:end] == named[one.symbol]
            assert one.enclosing_range[0] <= line <= one.enclosing_range[2]
            places += 1
    assert places == len(content_of("shop")["symbols"])
    odd = next(document for document in index.documents if document.relative_path == "shop/odd name.py")
    symbols = [one.symbol for one in odd.symbols]
    head = "cocosearch . shop . shop/`odd name.py`/"
    assert symbols == [f"{head}Outer#", f"{head}Outer#inner().", f"{head}Outer#inner(+1).", f"{head}_hidden()."]
    assert odd.symbols[1].enclosing_symbol == symbols[0]


def test_a_place_that_cannot_be_written(app: App, shop: IndexRecord, tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="cannot be written"):
        app.transfers.write(shop, tmp_path / "no" / "out", "md", ())
    assert not list(tmp_path.glob(".cocosearch-export-*"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_an_export_is_private_and_one_that_replaces_a_file_keeps_its_mode(
    app: App, shop: IndexRecord, write: Callable[..., Written], tmp_path: Path
) -> None:
    umask = os.umask(0o022)
    try:
        made = [write("json").path, app.transfers.export(shop, tmp_path / "bundle", bundled_map).path]
        modes = [path.stat().st_mode & 0o777 for path in made]
        made[0].chmod(0o644)
        write("json")
        app.exports_folder.chmod(0o755)
    finally:
        os.umask(umask)
    assert modes == [0o600, 0o600]
    assert (made[0].stat().st_mode & 0o777, app.exports_folder.stat().st_mode & 0o777) == (0o644, 0o700)
