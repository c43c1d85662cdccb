"""Bundles: an index that went through a file is the same, two files of it are equal, and no other file gets in."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import zstandard
from tests.bundles import changed, packed, refused, unpacked, unpacked_bytes, with_rows
from tests.jobs.waiting import DEADLINE_S, until

from cocosearch_py.app import App
from cocosearch_py.errors import (
    BusyError,
    IndexCollisionError,
    IndexNotFoundError,
    ValidationError,
    WorkspaceError,
)
from cocosearch_py.indexing import prepare
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.plain import from_plain, to_plain
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.search.verify import NO_FOLDER
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.stopping import Work
from cocosearch_py.tools.maps import bundled_map
from cocosearch_py.tools.requests import completion_of, perform
from cocosearch_py.transfer import archive

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]


@pytest.fixture(params=["shared", "own"])
def _place(request: pytest.FixtureRequest, app: App) -> None:
    """Indexes are small and share tables, or are large and have their own."""
    if request.param == "own":
        app.database.own_leaf_chunks = 1


@pytest.fixture
def shop(app: App, sample_repo: Path) -> IndexRecord:
    app.index(sample_repo, name="shop")
    return app.catalog.find("shop")


@pytest.fixture
def bundle(app: App, shop: IndexRecord, tmp_path: Path) -> Path:
    return app.transfers.export(shop, tmp_path / "shop.tar.zst", bundled_map).path


@pytest.mark.usefixtures("_place")
def test_an_index_comes_back_as_it_was(app: App, bundle: Path, content_of: ContentOf) -> None:
    imported = app.transfers.load(bundle, "again", None)
    assert content_of("again") == content_of("shop")
    was = app.catalog.find("shop")
    for name in ("format_version", "options", "embedding_model", "git_commit", "created_at", "updated_at"):
        assert getattr(imported, name) == getattr(was, name), name

    def answers(name: str) -> list[tuple[str, float]]:
        record, report = app.answer(lambda: app.search(SearchRequest("where are discounts applied"), index_name=name))
        assert (report.stale_because == NO_FOLDER) is record.is_detached
        return [(hit.file_path, hit.score) for hit in report.hits]

    assert answers("again") == answers("shop")
    assert app.catalog.clear("again").name == "again"


def test_the_same_index_makes_the_same_file(app: App, shop: IndexRecord, bundle: Path, tmp_path: Path) -> None:
    again = app.transfers.export(shop, tmp_path / "second.tar.zst", bundled_map).path
    assert again.read_bytes() == bundle.read_bytes()
    app.transfers.load(bundle, "copy", Path(shop.root_path))
    copy = app.transfers.export(app.catalog.find("copy"), tmp_path / "copy.tar.zst", bundled_map).path
    first, second = [archive.verify(path) for path in (bundle, copy)]
    assert first.parts == second.parts
    assert first.derived == second.derived
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "copy.tar.zst",
        "second.tar.zst",
        "shop",
        "shop.tar.zst",
    ]


def test_other_programs_read_it_and_no_path_of_the_machine_is_in_it(shop: IndexRecord, bundle: Path) -> None:
    raw = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(bundle.read_bytes())).read()
    assert shop.root_path.encode() not in raw
    listed = subprocess.run(["tar", "tf", "-"], input=raw, capture_output=True, check=True).stdout.decode().split()
    assert listed == ["manifest.json", *(f"tables/{name}.copy" for name in sorted(TABLES)), "repomap.md"]


def test_the_map_is_a_part_that_the_rows_make(app: App, shop: IndexRecord, bundle: Path, tmp_path: Path) -> None:
    (entry, text) = unpacked(bundle)[-1]
    (told,) = json.loads(unpacked(bundle)[0][1])["derived"]
    assert told == {"name": entry.name, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    assert text.startswith(b"# Map of the repository\n") and b"shop/prices.py\n  6: class Money:" in text
    (Path(shop.root_path) / "shop" / "prices.py").write_text("changed = 1\n")
    again = app.transfers.export(shop, tmp_path / "again.tar.zst", bundled_map).path
    assert again.read_bytes() == bundle.read_bytes(), "what the disk says now is not in it"
    entries = unpacked(bundle)
    refused(
        app, packed(bundle, [*entries[:-1], (entry, text.replace(b"Money", b"Honey"))]), "repomap.md does not match"
    )
    refused(app, packed(bundle, entries[:-1]), "repomap.md is not where")

    def older(told: dict[str, Any]) -> None:
        told["version"] = 1
        del told["derived"]

    app.transfers.load(changed(packed(bundle, entries[:-1]), older), "older", None)


def test_a_bundle_of_an_index_without_a_graph_has_no_map(app: App, sample_repo: Path, tmp_path: Path) -> None:
    app.index(sample_repo, name="plain")
    record = app.catalog.find("plain")
    record = replace(record, options={**record.options, "features": {"graph": False}})
    with app.database.reading() as conn:
        assert bundled_map(conn, record) is None
    manifest = app.transfers.export(record, tmp_path / "plain.tar.zst", lambda *_: None).manifest
    assert manifest.derived == ()
    assert app.transfers.load(tmp_path / "plain.tar.zst", "again", None).file_count == record.file_count


def test_a_checkout_is_adopted_and_nothing_is_made_again(
    app: App, bundle: Path, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.catalog.clear("shop")
    app.transfers.load(bundle, None, sample_repo)
    monkeypatch.setattr(prepare, "_prepare_content", None)  # files are only compared
    report = app.index(sample_repo)
    assert (report.index_name, report.files_added, report.files_updated, report.files_removed) == ("shop", 0, 0, 0)


def test_files_of_an_imported_index_are_compared_by_content(app: App, sample_repo: Path, tmp_path: Path) -> None:
    """Another folder's moment says nothing of this one, whose file changed before it and kept its size and time."""
    other = shutil.copytree(sample_repo, tmp_path / "other")
    file = other / "shop/discounts.py"
    before = file.stat()
    file.write_text(file.read_text().replace("percent", "zebra42"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    app.index(sample_repo, name="shop")
    bundle = app.transfers.export(app.catalog.find("shop"), tmp_path / "shop.tar.zst", bundled_map).path
    assert app.transfers.load(bundle, "other", other).read_at is None
    assert app.index(other, name="other").files_updated == 1


def test_a_bundle_of_an_older_format(app: App, sample_repo: Path) -> None:
    """Written by the commit before the format became 7, of the sample project; `refs` had no `receiver` then."""
    bundle = Path(__file__).parent / "bundles" / "format6.tar.zst"
    imported = app.transfers.load(bundle, None, sample_repo)
    assert (imported.format_version, imported.file_count) == (6, 6)
    for question, file in (("apply a discount", "shop/discounts.py"), ("validateToken", "web/session.js")):
        _, report = app.search(SearchRequest(question), index_name="shop")
        assert report.hits[0].file_path == file
        assert {hit.match_type for hit in report.hits} & {"both", "keyword"}
    assert any("earlier version" in told for told in app.catalog.stats(imported).warnings)
    again = app.transfers.export(imported, sample_repo.parent / "again.tar.zst", bundled_map).manifest
    assert again.index["format_version"] == 6, "what it lacks it does not have by being copied"
    app.index(sample_repo, name="shop")
    assert app.catalog.find("shop").format_version > 6


def test_names_and_places_that_do_not_fit(app: App, bundle: Path, tmp_path: Path, shop: IndexRecord) -> None:
    with pytest.raises(IndexCollisionError, match="index 'shop' already exists"):
        app.transfers.load(bundle, None, None)
    with pytest.raises(WorkspaceError, match="is not a folder"):
        app.transfers.load(bundle, "b", tmp_path / "nowhere")
    with pytest.raises(ValidationError, match="cannot be an index name"):
        app.transfers.load(bundle, "a/b", None)
    with pytest.raises(WorkspaceError, match="cannot be read"):
        app.transfers.load(tmp_path / "nothing", None, None)
    with pytest.raises(WorkspaceError, match="cannot be written"):
        app.transfers.export(shop, tmp_path / "no" / "folder.zst", bundled_map)


def test_a_damaged_bundle_is_refused_wherever_the_damage_is(app: App, bundle: Path) -> None:
    whole = bundle.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 25)):
        bundle.write_bytes(whole[:at])
        refused(app, bundle)
    bundle.write_bytes(b"PK\3\4 something else")
    refused(app, bundle, "is not a bundle")
    bundle.write_bytes(whole[:-1] + bytes([whole[-1] ^ 0x10]))
    refused(app, bundle)


def test_any_other_byte_in_a_bundle_is_noticed(bundle: Path) -> None:
    """Or unpacks to the same: Zstandard has several ways to say that something comes again."""
    whole, content = bundle.read_bytes(), unpacked_bytes(bundle)
    same = []
    for at in range(0, len(whole)):
        bundle.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            archive.verify(bundle)
        except ValidationError:
            continue
        assert unpacked_bytes(bundle) == content
        same.append(at)
    assert len(same) < len(whole) / 100


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda told: told.update(version=3), "newer version"),
        (lambda told: told.update(format="other"), "another kind of file"),
        (lambda told: told["index"].update(format_version=99), "index format 99"),
        (lambda told: told["index"].update(name="../up"), "cannot be an index name"),
        (lambda told: told["index"].update(options=[]), "no readable options"),
        (lambda told: told["index"].update(created_at="yesterday"), "unreadable manifest"),
        (lambda told: told["index"].update(seconds=float("inf")), "the number Infinity"),
        (lambda told: told["index"].update(seconds=-1.0), "no readable seconds"),
        (lambda told: told["index"].update(seconds=10**400), "no readable seconds"),
        (lambda told: told["index"].update(bytes_per_second=float("nan")), "the number NaN"),
        (lambda told: told["index"].update(chunk_count=3), "differ from its manifest"),
        (lambda told: told["derived"].pop(), "parts that are not in the manifest"),
        (lambda told: told["parts"][0].update(rows=1), "differ from its manifest"),
        (lambda told: told["parts"][0].update(bytes=10**12), "unpack to more"),
        (lambda told: told["parts"][0].update(columns=["content"]), "cannot be read|do not belong"),
        (lambda told: told["parts"][0].update(columns=["secret"]), "no column secret"),
        (lambda told: told.pop("parts"), "is incomplete"),
        (lambda told: told.pop("derived"), "is incomplete"),
        (lambda told: told["derived"][0].update(name="../up"), "is incomplete"),
        (lambda told: told["derived"][0].update(bytes=10**12), "unpack to more"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(
    app: App, bundle: Path, change: Callable[[dict[str, Any]], None], why: str
) -> None:
    refused(app, changed(bundle, change), why)


def test_a_tar_with_anything_else_is_refused(app: App, bundle: Path) -> None:
    manifest, first, *rest = unpacked(bundle)
    link = tarfile.TarInfo(first[0].name)
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    device = tarfile.TarInfo(first[0].name)
    device.type = tarfile.CHRTYPE
    upwards = tarfile.TarInfo("../outside")
    for other in (link, device, upwards):
        refused(app, packed(bundle, [manifest, (other, b""), *rest]), "is not where")
    long_name = tarfile.TarInfo("a" * 50_000_000)
    refused(app, packed(bundle, [(long_name, b""), manifest, first, *rest]), "does not start with a manifest")
    refused(app, packed(bundle, [first, manifest, *rest]), "does not start with a manifest")


def test_rows_that_lead_out_of_the_root_or_to_nowhere_are_refused(app: App, bundle: Path) -> None:
    whole = bundle.read_bytes()
    for table, old, new, why in (
        ("files", b"shop/cart.py", b"../../art.py", "cannot be an indexed file"),
        ("files", b"shop/cart.py", b"shop/carx.py", "cannot be an indexed file"),
        ("files", b"shop/cart.py", b"shop/\xff\xfe\xfd.py", "cannot be read"),
        ("chunks", b"PGCOPY\n\xff", b"PGCOPY\n\xfe", "cannot be read"),
    ):
        bundle.write_bytes(whole)
        refused(app, with_rows(bundle, table, lambda rows, old=old, new=new: rows.replace(old, new)), why)
    bundle.write_bytes(whole)
    cut = with_rows(bundle, "vectors", lambda rows: rows[:19] + b"\xff\xff")
    refused(app, cut, "differ from its manifest")


def test_a_bundle_that_changes_after_it_was_looked_at_is_refused(
    app: App, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = archive.verify(bundle)
    with_rows(bundle, "files", lambda rows: rows.replace(b"shop/cart.py", b"../../art.py"))
    monkeypatch.setattr(archive, "verify", lambda _: known)
    refused(app, bundle, "changed during reading")


def test_a_large_index_answers_before_its_vectors_have_a_search_index(
    app: App, shop: IndexRecord, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.database.own_leaf_chunks = 1
    vectors = TABLES["vectors"]

    def hnsw_from(chunks: int) -> None:
        hnsw = replace(vectors.indexes[0], min_chunks=chunks)
        monkeypatch.setitem(TABLES, "vectors", replace(vectors, indexes=(hnsw,)))

    def has_hnsw() -> bool:
        with app.database.reading() as conn:
            query = "SELECT indexdef FROM pg_indexes WHERE tablename = %s"
            found = conn.execute(query, [f"vectors_{app.catalog.find('copy').index_id}"]).fetchall()
        assert found
        return any("hnsw" in row[0] for row in found)

    hnsw_from(shop.chunk_count + 1)
    app.transfers.load(bundle, "copy", None)
    assert app.transfers.is_complete(app.catalog.find("copy"))
    app.catalog.clear("copy")
    hnsw_from(shop.chunk_count)
    record = app.transfers.load(bundle, "copy", None)
    assert not app.transfers.is_complete(record) and not has_hnsw()
    assert app.search(SearchRequest("where are discounts applied"), index_name="copy")[1].hits

    def end(_: psycopg.Connection) -> None:
        raise BusyError("another process has gone on with it")

    request = completion_of(app, record)
    with pytest.raises(BusyError):
        app.transfers.complete(request.index_name, request.folder, end, Work())
    assert not has_hnsw()
    begun = app.runs.begin(from_plain(RunRequest, to_plain(request)))
    done = app.runs.record(begun, lambda recorder: perform(lambda _: app, request, recorder), 0)
    assert (done.state, done.result.chunks, has_hnsw()) == ("completed", record.chunk_count, True)
    assert app.transfers.is_complete(record)
    with pytest.raises(IndexNotFoundError):
        app.transfers.complete("copy", shop.root_path, end, Work())


def test_a_worker_completes_an_imported_index(app: App, bundle: Path) -> None:
    record = app.transfers.load(bundle, "copy", None)
    job = app.runs.wait(app.runs.enqueue(completion_of(app, record)).job_id, DEADLINE_S)
    assert (job.state, job.root_path) == ("completed", record.root_path)
    assert (job.result.chunks, job.result.index_id) == (record.chunk_count, record.ulid)


def test_making_a_search_index_stops_when_asked(
    app: App, shop: IndexRecord, bundle: Path, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    app.database.own_leaf_chunks = 1
    hnsw = replace(TABLES["vectors"].indexes[0], min_chunks=1)
    monkeypatch.setitem(TABLES, "vectors", replace(TABLES["vectors"], indexes=(hnsw,)))
    record = app.transfers.load(bundle, "copy", None)
    request = completion_of(app, record)
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(
            "CREATE FUNCTION slow_hnsw() RETURNS event_trigger LANGUAGE plpgsql AS "
            "$$BEGIN IF current_query() LIKE '%hnsw%' THEN PERFORM pg_sleep(1000); END IF; END$$"
        )
        conn.execute("CREATE EVENT TRIGGER slow_hnsw ON ddl_command_start EXECUTE FUNCTION slow_hnsw()")
        begun = app.runs.begin(request)
        with ThreadPoolExecutor(1) as other:
            done = other.submit(app.runs.record, begun, lambda recorder: perform(lambda _: app, request, recorder), 0)
            sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%hnsw%'"
            until(lambda: conn.execute(sleeping).fetchone())
            app.runs.cancel(begun.job.job_id)
            assert done.result(DEADLINE_S).state == "cancelled"
        conn.execute("DROP EVENT TRIGGER slow_hnsw")
    assert not app.transfers.is_complete(record)
    assert app.search(SearchRequest("where are discounts applied"), index_name="copy")[1].hits
    begun = app.runs.begin(request)
    assert app.runs.record(begun, lambda recorder: perform(lambda _: app, request, recorder), 0).state == "completed"
    assert app.transfers.is_complete(record)
