"""Files that no author would write: each is indexed or recorded with a reason, and no run stops because of one."""

import os
import random
import string
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App
from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.indexing.options import ContentOptions
from cocosearch_py.indexing.prepare import prepare_batch
from cocosearch_py.indexing.tasks import BatchTask, FileTask
from cocosearch_py.indexing.words import WordTable
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.search import SearchRequest

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]
GOOD = "def healthy_function():\n    return 'found'\n"


def random_words(count: int, letters: int = 12) -> list[str]:
    source = random.Random(7)
    return ["".join(source.choices(string.ascii_lowercase, k=letters)) for _ in range(count)]


def hostile_files() -> dict[str, bytes]:
    words = random_words(30_000)
    return {
        "nul.py": b"def with_nul():\n    return 'a\0b'\n" + b"x = 1\n" * 200,
        "latin.py": "def größe():\n    return 'groß'\n".encode("latin-1"),
        "broken_utf8.py": "def straße():\n    return 'grüße'\n".encode() + b"# \xff\xfe\xfa broken\n",
        "utf16.py": "def in_utf16():\n    return 'ä'\n".encode("utf-16"),
        "utf16_no_mark.py": ("def in_utf16_without_mark():\n    return 1\n" * 5).encode("utf-16-le"),
        "bom.py": b"\xef\xbb\xbfdef after_bom():\n    return 1\n",
        "one_line.txt": b"word " * 300_000,
        "one_line.json": b'{"key": [' + b"1," * 500_000 + b"1]}",
        "nested.json": b"[" * 100_000 + b"]" * 100_000,
        "nested.py": b"x = " + b"(" * 100_000 + b"1" + b")" * 100_000 + b"\n",
        "nested.c": b"void f() " + b"{" * 100_000 + b"}" * 100_000 + b"\n",
        "nested.js": b"function a(){" * 20_000 + b"}" * 20_000,
        "open.py": b"((((((((((" * 5_000,
        "long_comment.c": b"/* " + "\n".join(words).encode() + b" */\nint after_comment(void) { return 1; }\n",
        "long_docstring.py": b'"""' + "\n".join(words).encode() + b'"""\n\ndef after_docstring():\n    return 1\n',
        "long_name.py": b"def " + "".join(random_words(1_000)).encode() + b"():\n    return 1\n",
        "long_signature.py": b"def many(\n" + ",\n".join(words[:20_000]).encode() + b"):\n    return 1\n",
        "many_names.py": "".join(f"def {word}(): ...\n" for word in words[:5_000]).encode(),
        "quotes.py": b"""def q():\n    return "it's \\"x\\" \\\\ ''' %s {} $1 :name"\n""",
        "emoji.py": "def 変数():\n    return '🎉 İstanbul ẞ ǅ ﬁ ²'\n".encode(),
        "cr_only.py": b"def carriage():\r    return 1\r",
        "crlf.py": b"def windows():\r\n    return 1\r\n",
        "no_newline.py": b"def without_end(): return 1",
        "spaces.py": b" \n\t\n" * 100,
        "control.txt": bytes(range(1, 32)) * 50,
        "empty.py": b"",
        "empty_name_only/.gitkeep": b"",
    }


@pytest.mark.slow
def test_hostile_content_never_stops_a_run(
    app: App, tmp_path: Path, content_of: ContentOf, files_on_disk: Callable[[Path], int]
) -> None:
    files = hostile_files()
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "good.py").write_text(GOOD)
    report = app.index(tmp_path, name="hostile")
    content = content_of("hostile")
    ledger = {row[1]: row for row in content["files"]}
    assert sum(row[6] for row in content["files"]) == files_on_disk(tmp_path)
    assert report.files_added + report.files_skipped + report.files_failed == files_on_disk(tmp_path)
    assert [path for path, row in ledger.items() if row[2] == "failed"] == []
    for path, row in ledger.items():
        assert row[2] == "indexed" or (row[3] and row[4]), path  # left out: a reason and a rule
    indexed = {path for path, row in ledger.items() if row[2] == "indexed"}
    expected = {
        name for name in files if name not in {"empty.py", "spaces.py", "control.txt", "empty_name_only/.gitkeep"}
    }
    expected -= {"one_line.txt", "one_line.json", "nested.json", "nested.py", "nested.c", "nested.js", "open.py"}
    assert indexed >= expected
    for query in [
        "healthy_function",
        "with_nul",
        "in_utf16",
        "after_comment",
        "after_docstring",
        "after_bom",
        "carriage",
    ]:
        _, answer = app.search(SearchRequest(query), index_name="hostile")
        assert answer.hits, query
    assert app.search(SearchRequest("healthy_function"), index_name="hostile")[1].hits[0].file_path == "good.py"
    assert app.index(tmp_path, name="hostile").files_unchanged == len(indexed)


def test_five_megabyte_line(app: App, tmp_path: Path, content_of: ContentOf) -> None:
    words = random_words(2_000)
    (tmp_path / "data.txt").write_text(" ".join(random.Random(1).choices(words, k=400_000))[: 5 * 2**20])
    (tmp_path / "good.py").write_text(GOOD)
    app.index(tmp_path, name="line")
    ledger = {row[1]: row[2:4] for row in content_of("line")["files"]}
    assert ledger == {"data.txt": ("skipped", "too_large"), "good.py": ("indexed", None)}


def test_long_lines_that_are_small_enough_are_searchable(app: App, tmp_path: Path) -> None:
    words = random_words(2_500, letters=6)
    (tmp_path / "long.py").write_text(f"TEXT = '{' '.join(words)}'\n")
    app.index(tmp_path, name="line")
    _, report = app.search(SearchRequest(words[-1]), index_name="line")
    assert report.hits[0].file_path == "long.py"
    assert words[-1] in report.hits[0].content


def test_large_chunks_with_very_many_words(app: App, tmp_path: Path) -> None:
    """More distinct words in one chunk than a sparse vector or a tsvector can hold."""
    words = random_words(40_000, letters=30)
    (tmp_path / "words.txt").write_text("\n".join(words))
    (tmp_path / "good.py").write_text(GOOD)
    options = app.indexing_options()
    options = replace(options, content=replace(options.content, chunk_bytes=2_000_000))
    report = app.index(tmp_path, name="large", options=options)
    assert (report.files_added, report.files_failed) == (2, 0)
    assert app.search(SearchRequest("healthy_function"), index_name="large")[1].hits[0].file_path == "good.py"


UNUSUAL_NAMES = [
    b"new\nline.py", b"quote'.py", b'double".py', b"back\\slash.py", b"per%cent.py", b"tab\t.py", b"sp ace.py",
    b"latin-\xff\xfe.py", b"latin-\\xff\\xfe.py", b"-rf.py", b"*.py", b"{a,b}.py", b"[x].py", b"$1.py",
    b"\xf0\x9f\x8e\x89.py",
    b"a:b.py", b"e\xcc\x81.py", b"\xc3\xa9.py", b"\x01.py", b"ends-in-slash\\.py",
]  # fmt: skip


def test_unusual_file_names(
    app: App, tmp_path: Path, content_of: ContentOf, files_on_disk: Callable[[Path], int]
) -> None:
    folder = os.fsencode(tmp_path)
    for number, name in enumerate(UNUSUAL_NAMES):
        with open(os.path.join(folder, name), "w") as file:
            file.write(f"def unusual_{number}(): ...\n")
    report = app.index(tmp_path, name="names")
    assert report.files_added == len(UNUSUAL_NAMES) == files_on_disk(tmp_path)
    assert len({row[1] for row in content_of("names")["files"]}) == len(UNUSUAL_NAMES)
    for number in range(len(UNUSUAL_NAMES)):
        _, answer = app.search(SearchRequest(f"unusual_{number}", limit=1), index_name="names")
        assert answer.hits[0].symbol_name == f"unusual_{number}"
    assert app.index(tmp_path, name="names").files_unchanged == len(UNUSUAL_NAMES)
    os.unlink(os.path.join(folder, b"latin-\xff\xfe.py"))
    assert app.index(tmp_path, name="names").chunks == len(UNUSUAL_NAMES) - 1
    _, answer = app.search(SearchRequest("unusual_8", limit=1), index_name="names")
    assert answer.hits[0].symbol_name == "unusual_8"


def test_root_folder_with_an_undecodable_name(app: App, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    first = app.index(folder)
    assert first.files_added == 1
    assert first.root_path == f"{tmp_path}/caf\\xe9"  # as names of files are shown
    second = app.index(folder)
    assert (second.index_name, second.files_unchanged) == (first.index_name, 1)
    assert app.search(SearchRequest("healthy_function"), folder=folder)[1].hits[0].file_path == "good.py"


def test_links_and_loops_stay_outside(
    app: App, tmp_path: Path, content_of: ContentOf, files_on_disk: Callable[[Path], int]
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "inner").mkdir(parents=True)
    outside.mkdir()
    (outside / "private.py").write_text("def private_function(): ...\n")
    (root / "good.py").write_text(GOOD)
    (root / "inner/loop").symlink_to(root)
    (root / "self").symlink_to("self")
    (root / "out").symlink_to(outside)
    (root / "out.py").symlink_to(outside / "private.py")
    (root / "dangling.py").symlink_to("nowhere")
    os.mkfifo(root / "pipe.py")
    app.index(root, name="links")
    content = content_of("links")
    status = {row[1]: row[3] or row[2] for row in content["files"]}
    links = {"inner/loop", "self", "out", "out.py", "dangling.py"}
    assert status == {"good.py": "indexed", "pipe.py": "special", **dict.fromkeys(links, "symlink")}
    assert sum(row[6] for row in content["files"]) == files_on_disk(root)
    assert all("private" not in row[6] for row in content["chunks"])


def task_of(root: Path, *names: str) -> BatchTask:
    files = tuple(FileTask(name, name, file_id_of(name), 10, 1) for name in names)
    return BatchTask(str(root), 1, files, ContentOptions())


def test_file_that_vanishes_after_the_walk(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    batch = prepare_batch(task_of(tmp_path, "gone.py", "good.py"), WordTable(None))
    assert batch.vanished == [file_id_of("gone.py")]
    assert batch.written == {file_id_of("good.py"): "indexed"}
    assert len(batch.rows["files"]) == 1


def test_file_that_becomes_a_folder_after_the_walk(tmp_path: Path) -> None:
    (tmp_path / "was_file.py").mkdir()
    task = task_of(tmp_path, "was_file.py")
    batch = prepare_batch(task, WordTable(None))
    assert (list(batch.written.values()), batch.rows["chunks"]) == (["failed"], [])
    known = task.files[0]._replace(known_error="cannot be read: Is a directory")
    again = prepare_batch(replace(task, files=(known,)), WordTable(None))
    assert (again.written, again.unchanged, again.rows["files"]) == ({}, [known], [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_recorded(app: App, sample_repo: Path, content_of: ContentOf) -> None:
    (sample_repo / "shop/cart.py").chmod(0)
    report = app.index(sample_repo, name="shop")
    assert report.files_failed == 1
    errors = {row[1]: row[5] for row in content_of("shop")["files"] if row[2] == "failed"}
    assert errors == {"shop/cart.py": "cannot be read: Permission denied"}
    (sample_repo / "shop/cart.py").chmod(0o644)
    assert app.index(sample_repo, name="shop").files_failed == 0


def test_ledger_sums_to_the_files_on_disk(
    app: App, sample_repo: Path, content_of: ContentOf, files_on_disk: Callable[[Path], int]
) -> None:
    (sample_repo / ".gitignore").write_text("build/\n*.log\n")
    (sample_repo / "build/deep").mkdir(parents=True)
    for number in range(7):
        (sample_repo / f"build/deep/{number}.py").write_text("x = 1\n")
    for name, data in {
        "a.log": b"log",
        ".env": b"KEY=1",
        "id_rsa": b"x",
        "logo.png": b"\x89PNG\r\n",
        "a.min.js": b"a",
    }.items():
        (sample_repo / name).write_bytes(data)
    (sample_repo / "node_modules/x").mkdir(parents=True)
    (sample_repo / "node_modules/x/index.js").write_text("x\n")
    (sample_repo / "large.py").write_bytes(b"x = 1\n" * 400_000)
    report = app.index(sample_repo, name="shop")
    rows = content_of("shop")["files"]
    assert sum(row[6] for row in rows) == files_on_disk(sample_repo)
    reasons = {row[1]: row[3] for row in rows if row[2] == "skipped"}
    assert reasons == {
        "build/": "ignored", "a.log": "ignored", ".env": "secret", "id_rsa": "secret", "logo.png": "binary",
        "a.min.js": "minified", "node_modules/": "ignored", "large.py": "too_large",
    }  # fmt: skip
    assert report.files_skipped == sum(row[6] for row in rows if row[2] == "skipped") > len(reasons)
    folders = [row[6] for row in rows if row[1].endswith("/")]
    assert (report.folders_skipped, report.files_in_skipped_folders) == (2, sum(folders))
    again = app.index(sample_repo, name="shop")
    assert (again.folders_skipped, again.files_in_skipped_folders) == (2, sum(folders))
    stats = app.catalog.stats(app.catalog.find("shop"), StatsRequest(skipped=True))
    assert sum(count for _, _, count in stats.ledger) == files_on_disk(sample_repo)
