"""`why`: for each file the cause that is true, with an index and without one."""

import errno
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.odd_trees import odd_tree

from cocosearch_py.app import App
from cocosearch_py.discovery.walk import discover, look_up
from cocosearch_py.model.verdicts import Verdict, message

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]


def explained(app: App, root: Path, *inner: str) -> list[Verdict]:
    """Verdicts on paths below the root, by the index `odd` if it is there."""
    record = next((one for one in app.catalog.list_all() if one.name == "odd"), None)
    return app.explain_files(root, [str(root / path) for path in inner], record)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    odd_tree(root, repository=True)
    (root / "broken.py").write_text("def broken(:\n    return (\n")
    return root


CAUSES = {
    "src/b.log": ("ignored", ".gitignore:2: *.log"),
    "build/x/y/2.py": ("ignored", ".gitignore:1: build/"),
    "out/gone.py": ("ignored", ".gitignore:3: /out/*"),
    "src/made_1.py": ("ignored", "src/.gitignore:1: made_*"),
    "node_modules/p/index.js": ("ignored", "built-in: node_modules/"),
    "cache/b/c": ("ignored", "built-in: folder with CACHEDIR.TAG"),
    "links/folder": ("symlink", "symbolic links are not followed"),
    "links/folder/a.py": ("symlink", "symbolic links are not followed"),
    "special/pipe.py": ("special", "named pipes are not read"),
    "special/socket.py": ("special", "sockets are not read"),
    "id_rsa": ("secret", "built-in secret: id_rsa*"),
    "large.py": ("too_large", "indexing.maxFileSizeKb = 2048"),
    "binary.dat": ("binary", "NUL bytes"),
    "web/app.min.js": ("minified", "built-in: name of a minified file or source map"),
    "web/empty.css": ("empty", "the file is empty"),
    "web/package-lock.json": ("generated", "built-in: lock file package-lock.json"),
}


def test_paths_below_what_is_no_open_folder(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that may not be entered (to root all may be), and a file in the place of a folder."""
    (tmp_path / "shut").mkdir()
    for path in ("shut/inner.py", "file.py"):
        (tmp_path / path).write_text("x = 1\n")
    app.index(tmp_path, name="odd")
    shut, look = str(tmp_path / "shut"), os.stat

    def refusing(path: Any, *rest: Any, **more: Any) -> os.stat_result:
        if str(path).startswith(f"{shut}/"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return look(path, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", refusing)
        assert [one.path for one in explained(app, tmp_path, "shut/inner.py")] == [f"{shut}/inner.py"]
    assert [one.verdict for one in explained(app, tmp_path, "file.py/inner.py", "file.py")] == ["missing", "indexed"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_name_that_is_no_text_may_be_written_as_the_index_shows_it(app: App, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff\xe9.py")).write_text("x = 1\n")
    (tmp_path / "back\\xffslash.py").write_text("x = 1\n")
    app.index(tmp_path, name="odd")
    shown = explained(app, tmp_path, "bad\\xff\\xe9.py", "back\\xffslash.py")
    assert [one.verdict for one in shown] == ["indexed"] * 2


def test_every_cause_is_named_before_and_after_the_first_run(app: App, odd: Path) -> None:
    for status, next_run in ((None, "skip"), ("skipped", None)):
        for verdict, (path, cause) in zip(explained(app, odd, *CAUSES), CAUSES.items(), strict=True):
            assert (verdict.verdict, verdict.reason, verdict.rule) == ("skipped", *cause), path
            assert (verdict.status, verdict.next_run) == (status, next_run), path
            assert verdict.rule in message(verdict)
        app.index(odd, name="odd")
    (inside,) = explained(app, odd, "cache/b/c")
    assert "decided for cache/" in message(inside)


def test_what_the_ledger_says_of_every_file_is_what_is_told(app: App, odd: Path, content_of: ContentOf) -> None:
    app.index(odd, name="odd")
    rows = {row[1]: row for row in content_of("odd")["files"] if "\\" not in row[1]}
    verdicts = explained(app, odd, *rows)
    for (path, row), verdict in zip(rows.items(), verdicts, strict=True):
        assert (verdict.verdict, verdict.status, verdict.next_run) == (row[2], row[2], None), path
        assert (verdict.reason, verdict.error) == (row[3], row[5])


def test_an_indexed_file_is_told_with_what_is_in_the_index(app: App, odd: Path) -> None:
    assert [one.verdict for one in explained(app, odd, "src/a.py", "broken.py")] == ["new", "new"]
    app.index(odd, name="odd")
    good, broken = explained(app, odd, "src/a.py", "broken.py")
    assert (good.verdict, good.language_id, good.content_class) == ("indexed", "python", "code")
    assert (good.chunks, good.symbols, good.parse_status) == (1, 1, "ok")
    assert broken.parse_status != "ok"
    assert "parsed with errors: line 1" in message(broken)


def test_what_changed_since_the_last_run(app: App, odd: Path) -> None:
    app.index(odd, name="odd")
    (odd / "src/a.py").write_text("def other(): ...\n")
    (odd / "out/kept.py").unlink()
    (odd / "src/new.py").write_text("new = 1\n")
    (odd / "web/empty.css").write_text("a {}\n")
    (odd / "broken.py").write_bytes(bytes(500))
    with (odd / ".gitignore").open("a") as rules:
        rules.write("/other/\n")
    (odd / "src/deep/er/and/deeper/c.py").touch()
    expected = {
        "src/a.py": ("changed", "indexed", "update"),
        "out/kept.py": ("removed", "indexed", "remove"),
        "src/new.py": ("new", None, "add"),
        "web/empty.css": ("changed", "skipped", "add"),
        "broken.py": ("changed", "indexed", "remove"),
        "other/inner.py": ("changed", "indexed", "remove"),
        "src/deep/er/and/deeper/c.py": ("indexed", "indexed", None),
    }
    verdicts = explained(app, odd, *expected)
    assert {
        path: (one.verdict, one.status, one.next_run) for path, one in zip(expected, verdicts, strict=True)
    } == expected
    assert "removes it: skipped as binary: NUL bytes" in message(verdicts[4])
    app.index(odd, name="odd")
    assert [one.next_run for one in explained(app, odd, *expected)] == [None] * len(expected)


def test_a_folder_that_has_gone_is_told_until_the_next_run(app: App, odd: Path) -> None:
    app.index(odd, name="odd")
    shutil.rmtree(odd / "src/deep")
    (verdict, never) = explained(app, odd, "src/deep", "src/dee")
    assert (verdict.verdict, verdict.next_run, verdict.decided) == ("removed", "remove", "src/deep/")
    assert "gone from the disk" in message(verdict)
    app.index(odd, name="odd")
    assert [one.verdict for one in (never, *explained(app, odd, "src/deep"))] == ["missing", "missing"]


def test_what_no_index_can_have(app: App, odd: Path, tmp_path: Path) -> None:
    app.index(odd, name="odd")
    record = app.catalog.find("odd")
    paths = [
        str(odd / ".git/HEAD"),
        str(odd / "nowhere.py"),
        str(tmp_path / "other.py"),
        str(odd / "../root/.svn/entries"),
    ]
    verdicts = app.explain_files(odd, paths, record)
    assert [one.verdict for one in verdicts] == ["version_control", "missing", "outside", "version_control"]


def test_a_folder_is_told_with_its_files(app: App, odd: Path) -> None:
    app.index(odd, name="odd")
    whole, web, kept, ignored = explained(app, odd, ".", "web", "out", "node_modules")
    assert sum(whole.counts.values()) == sum(files for _, _, files in app.catalog.stats(app.catalog.find("odd")).ledger)
    assert dict(web.counts) == {"minified": 1, "empty": 1, "generated": 1}
    assert dict(kept.counts) == {"indexed": 1, "ignored": 1}
    assert (ignored.verdict, ignored.rule) == ("skipped", "built-in: node_modules/")


def test_settings_that_exclude_are_named(app: App, odd: Path) -> None:
    options = app.indexing_options()
    options = replace(options, discovery=replace(options.discovery, exclude=("/src/deep/",), max_depth=2))
    paths = [str(odd / "src/deep/er/and/deeper/c.py"), str(odd / "other/sub/inner.py")]
    excluded, deep = app.explain_files(odd, paths, None, options)
    assert (excluded.reason, excluded.rule) == ("excluded", "indexing.excludePatterns: /src/deep/")
    assert excluded.decided == "src/deep/"
    assert deep.reason == "too_deep"


def test_a_file_that_failed_is_told_with_its_error(app: App, odd: Path) -> None:
    app.index(odd, name="odd")
    with app.database.writing() as conn:
        conn.execute(
            "UPDATE cocosearch_py.files SET status = 'failed', error = 'the parser crashed', language_id = NULL "
            "WHERE path = 'src/a.py'"
        )
    (failed,) = explained(app, odd, "src/a.py")
    assert (failed.verdict, failed.error, failed.next_run) == ("failed", "the parser crashed", None)
    assert message(failed) == "failed: the parser crashed"


def test_looking_up_some_paths_says_what_the_whole_walk_says(app: App, odd: Path) -> None:
    options = app.indexing_options().discovery
    every = discover(odd, options)
    for entry in every:
        path = entry.path.rstrip("/")
        assert [one for one in look_up(odd, options, [path]) if one.path == entry.path] == [entry]
        assert os.path.lexists(odd / path)
