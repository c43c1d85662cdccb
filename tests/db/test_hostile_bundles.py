"""Bundles that somebody made to do harm are refused, and nothing of them is written."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import zstandard
from tests.bundles import changed, copied, copied_rows, refused, rewritten, unpacked, unpacked_bytes, with_rows

from cocosearch_py.app import App
from cocosearch_py.errors import DatabaseError, SafetyError
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.write.transfer import columns_of
from cocosearch_py.tools.maps import bundled_map

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def bundle(app: App, sample_repo: Path, tmp_path: Path) -> Path:
    app.index(sample_repo, name="shop")
    return app.transfers.export(app.catalog.find("shop"), tmp_path / "shop.tar.zst", bundled_map).path


def of_index(**fields: Any) -> Change:
    return lambda told: told["index"].update(fields)


def of_options(**fields: Any) -> Change:
    return lambda told: told["index"]["options"].update(fields)


@pytest.mark.parametrize(
    "change",
    [
        of_index(created_at="0001-01-01T00:00:00+23:59"),
        of_index(updated_at="9999-12-31T23:59:59-23:59"),
        of_index(created_at="1969-12-31T23:59:59+00:00"),
        of_index(updated_at="2026-01-01T00:00:00"),  # in which zone?
        of_index(status="unknown"),
        of_index(name="a\0b"),
        of_index(embedding_model=""),
        of_index(embedding_model="m" * 1_001),
        of_index(git_branch="a\x1b[2J"),
        of_index(git_branch="\ud800"),
        of_index(git_commit="--upload-pack=x"),
        of_index(chunk_count=True),
        of_index(format_version=9.0),
        of_index(weights={"definition": "2"}),
        of_index(weights={"definition": True}),
        of_index(weights={"definition": 1e300}),
        of_index(weights={"": 1}),
        of_index(weights=[1]),
        of_options(chunk_bytes=-5),
        of_options(chunk_bytes="1000"),
        of_options(chunk_bytes=True),
        of_options(chunk_bytes=1e3),
        of_options(strategy="other"),
        of_options(languages="python"),
        of_options(languages=["klingon"]),
        of_options(language_overrides={".x": "klingon"}),
        of_options(language_overrides=[".x"]),
        of_options(vector="no"),
        of_options(graph=True),  # only what differs from the default is stored
        of_options(features={}),
        of_options(token_size=100, token_overlap=100, strategy="tokens"),
        lambda told: told["index"]["options"].pop("strategy"),
        lambda told: told["index"].pop("weights"),
        lambda told: told.update(version=True),
        lambda told: told.update(version=0),
        lambda told: told.update(product=["1"]),
        lambda told: told["parts"].append(told["parts"][0]),
        lambda told: told["derived"].append(told["derived"][0]),
        lambda told: told["parts"][0].update(rows=-1),
        lambda told: told["parts"][0].update(sha256="0"),
        lambda told: told["parts"][0]["columns"].append(told["parts"][0]["columns"][0]),
        lambda told: told["parts"][0].update(columns=[]),
    ],
)
def test_a_value_that_no_export_writes_is_refused(app: App, bundle: Path, change: Change) -> None:
    refused(app, changed(bundle, change))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"format"', b'"format": "cocosearch-bundle", "format"'),
        (b'"options": {', b'"options": {"strategy": "lines", '),
        (b'"seconds": ', b'"seconds": NaN, "x": '),
        (b'"format"', b'"deep": ' + b"[" * 100_000 + b"]" * 100_000 + b', "format"'),
        (b"{", b"\xef\xbb\xbf{"),
        (b'"format"', b'"x": "\xff", "format"'),
    ],
)
def test_a_manifest_that_is_no_plain_json_is_refused(app: App, bundle: Path, old: bytes, new: bytes) -> None:
    refused(app, rewritten(bundle, lambda data: data.replace(old, new, 1)))


def test_anything_around_the_one_frame_is_refused(app: App, bundle: Path) -> None:
    whole, empty, tar = bundle.read_bytes(), zstandard.compress(b""), unpacked_bytes(bundle)
    skippable = struct.pack("<II", 0x184D2A50, 4) + b"free"
    half = len(tar) // 2
    for data in (
        whole + b"\0",
        whole + b"x" * 100_000,
        whole + empty,
        whole + whole,
        whole + skippable,
        skippable + whole,
        empty + whole,
        zstandard.compress(tar[:half]) + zstandard.compress(tar[half:]),
        zstandard.compress(tar + bytes(10_240)),
        zstandard.compress(tar[:-10_240]),
        zstandard.compress(tar[:-1] + b"x"),
        tar,
        b"",
    ):
        bundle.write_bytes(data)
        refused(app, bundle, "is not a bundle, or is damaged")


def as_path(rows: bytes, old: str, new: str) -> bytes:
    """The rows of table `files` with another path in one of them, and the number that belongs to it."""
    before = struct.pack(">iqi", 8, file_id_of(old), len(old)) + old.encode()
    encoded = new.encode("utf-8", "surrogatepass")
    assert before in rows
    return rows.replace(before, struct.pack(">iqi", 8, file_id_of(new), len(encoded)) + encoded)


def with_file(bundle: Path, path: str) -> Path:
    """The bundle with another path for a file that has no facts but chunks; other tables keep its old number."""
    number = struct.pack(">q", file_id_of("shop/cart.py"))
    whole = with_rows(bundle, "files", lambda rows: as_path(rows, "shop/cart.py", path))
    for table in [entry.name[len("tables/") : -len(".copy")] for entry, _ in unpacked(bundle)[1:-1]]:
        whole = with_rows(whole, table, lambda rows: rows.replace(number, struct.pack(">q", file_id_of(path))))
    return whole


@pytest.mark.parametrize(
    "path",
    [
        *("", ".", "..", "/etc/passwd", "../cart.py", "shop/../../cart.py", "shop//cart.py", "./cart.py", "shop/"),
        *("C:/cart.py", "C:cart.py", "\\cart.py", "\\\\host\\share", "shop\\..\\..\\cart.py", "shop/./cart.py"),
        *("shop/a\nb.py", "shop/\x1b[2J.py", "shop/\x9b.py"),
    ],
)
def test_a_path_that_is_not_inside_is_refused(app: App, bundle: Path, path: str, tmp_path: Path) -> None:
    refused(app, with_file(bundle, path), "cannot be an indexed file|a bundle cannot contain", tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "shop/.ENV.production",
        "id_rsa",
        "shop/server.pem",
        ".git/config",
        "lib/.GIT/hooks/x",
        ".git",
        ".hg/store",
    ],
)
def test_a_file_that_no_run_indexes_is_refused_by_its_name(
    app: App, bundle: Path, sample_repo: Path, path: str
) -> None:
    (sample_repo / path).parent.mkdir(parents=True, exist_ok=True)
    (sample_repo / path).write_text("password = hunter2hunter2\n")
    told = refused(app, with_file(bundle, path), "must not be indexed", sample_repo)
    assert isinstance(told, SafetyError)
    assert path in told.message
    assert "hunter2" not in told.message


def test_an_ordinary_path_is_taken(app: App, bundle: Path) -> None:
    """The other tests would pass as well if nothing with a changed path were taken."""
    app.transfers.load(with_file(bundle, "shop/\\xe4 :b.py"), "taken", None)
    assert app.search(SearchRequest("total price of the cart"), index_name="taken")[1].hits
    assert app.catalog.clear("taken").name == "taken"


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def replace(rows: bytes) -> bytes:
        assert old in rows
        return rows.replace(old, new, 1)

    return replace


def without(table: str, column: str) -> Callable[[bytes], bytes]:
    """Rows of a table, the first of which has no value in a column."""

    def empty(data: bytes) -> bytes:
        rows = copied_rows(data)
        rows[0][columns_of(table).index(column)] = None
        return copied(rows)

    return empty


def renumbered(data: bytes) -> bytes:
    """Rows of table `symbols` without the first definition of a file, which may be the parent of others."""
    number = columns_of("symbols").index("symbol_no")
    rows = copied_rows(data)
    rows[0][number] = struct.pack(">i", 1_000)
    return copied(rows)


FIRST_LINE = struct.pack(">iiii", 4, 0, 4, 1)  # of the first chunk of a file


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("files", replaced(b"\0\0\0\7indexed", b"\0\0\0\7indexes")),
        ("files", replaced(b"\0\0\0\2ok", b"\0\0\0\2no")),
        ("files", replaced(b"\0\0\0\4code", b"\0\0\0\4core")),
        ("files", without("files", "content_hash")),
        ("files", without("files", "language_id")),
        ("symbols", renumbered),
        ("chunks", replaced(FIRST_LINE, struct.pack(">iiii", 4, 0, 4, -1))),
        ("chunks", replaced(FIRST_LINE, struct.pack(">iiii", 4, 0, 4, 2**31 - 1))),
        ("refs", replaced(struct.pack(">q", file_id_of("shop/discounts.py")), struct.pack(">q", 7))),
        ("dependencies", replaced(struct.pack(">q", file_id_of("shop/prices.py")), struct.pack(">q", 7))),
        ("vectors", replaced(struct.pack(">ihh", 516, 256, 0), struct.pack(">ihh", 516, 256, 1))),
    ],
)
def test_rows_that_no_run_writes_are_refused(
    app: App, bundle: Path, table: str, change: Callable[[bytes], bytes]
) -> None:
    refused(app, with_rows(bundle, table, change))


def test_vectors_of_another_length_are_refused(app: App, bundle: Path) -> None:
    refused(app, changed(bundle, of_index(embedding_dimension=3)), "table vectors has invalid rows")


def test_vectors_that_the_model_does_not_make_are_not_compared(app: App, bundle: Path) -> None:
    def shorten(data: bytes) -> bytes:
        rows = copied_rows(data)
        for row in rows:
            row[2] = struct.pack(">hh", 3, 0) + (row[2] or b"")[4:10]
        return copied(rows)

    app.transfers.load(changed(with_rows(bundle, "vectors", shorten), of_index(embedding_dimension=3)), "short", None)
    _, report = app.search(SearchRequest("where are discounts applied"), index_name="short")
    assert report.hits
    assert report.vector_count == 0


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("created_at", "'0044-03-15 BC'"),
        ("updated_at", "'12000-01-01'"),
        ("updated_at", "'infinity'"),
        ("options", "'[]'"),
        ("options", f"'{json.dumps(None)}'"),
        ("weights", """'{"definition": "much"}'"""),
        ("weights", """'{"definition": 1e400}'"""),
    ],
)
def test_a_row_that_cannot_be_read_costs_its_own_index_alone(
    app: App, bundle: Path, column: str, value: str, database_url: str
) -> None:
    before = [record.name for record in app.catalog.list_all()]
    record = app.transfers.load(bundle, "broken", None)
    with psycopg.connect(database_url) as conn:
        conn.execute(f"UPDATE cocosearch_py.indexes SET {column} = {value} WHERE name = 'broken'")
    assert [one.name for one in app.catalog.list_all()] == before == ["shop"]
    assert app.search(SearchRequest("where are discounts applied"), index_name="shop")[1].hits
    assert app.catalog.stats(app.catalog.find("shop"))
    with pytest.raises(DatabaseError, match="index 'broken' cannot be read") as raised:
        app.catalog.find("broken")
    assert "cocosearch-py clear 'broken'" in raised.value.hint
    (unreadable,) = app.catalog.list_unreadable()
    assert (unreadable.name, unreadable.root_path) == ("broken", record.root_path)
    assert unreadable.reason
    app.catalog.clear_unreadable(unreadable)
    assert app.catalog.list_unreadable() == []
    assert app.transfers.load(bundle, "broken", None).name == "broken"
