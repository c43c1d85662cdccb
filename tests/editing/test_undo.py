"""Edits are taken back exactly, or by a merge, or not at all; and so is taking back."""

import shutil
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from unittest.mock import ANY

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.editing.log import ChangeLog
from cocosearch_py.editing.undo import Undoing, UndoRequest
from cocosearch_py.editing.writing import Place
from cocosearch_py.errors import ConflictError, NotFoundError, ValidationError
from cocosearch_py.model.changes import Image, Intent, Seen
from cocosearch_py.storage.queries import changes

LINES = [f"line {number}\r\n".encode() for number in range(12)]  # any endings
Edit = Callable[[str, bytes | None], int]


@pytest.fixture
def edit(app: App, tmp_path: Path) -> Edit:
    """Changes a file, makes it or removes it, as edits do."""

    def edit(path: str, after: bytes | None) -> int:
        with Place(str(tmp_path), path) as place:
            seen = place.read(1 << 20)
            before = None if seen is None else seen.data
            pending = app.change_log.begin(Intent(str(tmp_path), path, "replace", "test", before, after))
            if seen is None:
                place.create(after or b"", pending.temporary)
            elif after is None:
                place.remove(seen, pending.temporary)
            else:
                place.replace(seen, after, pending.temporary)
            return app.change_log.finish(pending).seq

    return edit


def with_line(number: int, text: bytes, lines: list[bytes] = LINES) -> bytes:
    return b"".join([*lines[:number], text, *lines[number + 1 :]])


def test_an_edit_is_taken_back_exactly_and_so_is_that(app: App, tmp_path: Path, edit: Edit) -> None:
    file, root = tmp_path / "a.txt", str(tmp_path)
    contents = [b"", b"\xef\xbb\xbfone\rtwo", "ünï\n".encode("utf-16"), b"\x00\xff binary", b"no end of line"]
    for before in contents:
        for after in contents:
            if before == after:
                continue
            file.write_bytes(before)
            seq = edit("a.txt", after)
            (dry,) = app.undoing.undo(UndoRequest(root, seq, dry_run=True))
            assert (dry.before, dry.after, dry.new_seq, file.read_bytes()) == (after, before, None, after)
            (undone,) = app.undoing.undo(UndoRequest(root, seq))
            assert (undone.merged, file.read_bytes()) == (False, before)
            (again,) = app.undoing.undo(UndoRequest(root, undone.new_seq or 0))
            assert (again.seq, file.read_bytes()) == (undone.new_seq, after)


def test_a_file_that_changes_while_changes_are_taken_back_is_not_written(app: App, tmp_path: Path, edit: Edit) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"before")
    first, _ = edit("a.txt", b"after"), edit("b.txt", b"after")

    def allowed(root: str, path: str) -> str:
        if path == "a.txt":  # b.txt, the newer change, has been looked at
            (tmp_path / "b.txt").write_bytes(b"of somebody else")
        return path

    with pytest.raises(ConflictError, match=r"b\.txt has changed meanwhile"):
        Undoing(app.change_log, allowed).undo(UndoRequest(str(tmp_path), first, all_after=True))
    assert (tmp_path / "b.txt").read_bytes() == b"of somebody else"
    assert (tmp_path / "a.txt").read_bytes() == b"after"


def test_files_that_were_made_or_removed(app: App, tmp_path: Path, edit: Edit) -> None:
    root, file = str(tmp_path), tmp_path / "sub" / "new.txt"
    file.parent.mkdir()
    made = edit("sub/new.txt", b"new\n")
    file.chmod(0o750)
    (gone,) = app.undoing.undo(UndoRequest(root, made))
    assert not file.exists()
    shutil.rmtree(file.parent)
    app.undoing.undo(UndoRequest(root, gone.new_seq or 0))
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new\n", 0o750)
    other = edit("other.txt", b"other\n")
    (tmp_path / "other.txt").unlink()  # by hand, which is what taking back would do
    with pytest.raises(ValidationError, match="nothing of change"):
        app.undoing.undo(UndoRequest(root, other))
    removed = edit("sub/new.txt", None)
    file.write_bytes(b"somebody else's\n")
    with pytest.raises(ConflictError):
        app.undoing.undo(UndoRequest(root, removed))
    assert file.read_bytes() == b"somebody else's\n"


def test_later_changes_of_other_lines_stay(app: App, tmp_path: Path, edit: Edit) -> None:
    root, file = str(tmp_path), tmp_path / "a.txt"
    file.write_bytes(b"".join(LINES))
    seq = edit("a.txt", with_line(2, b"two\r\n"))
    file.write_bytes(file.read_bytes().replace(b"line 9", b"nine"))  # by whomever
    (undone,) = app.undoing.undo(UndoRequest(root, seq))
    assert undone.merged
    assert file.read_bytes() == b"".join(LINES).replace(b"line 9", b"nine")
    with pytest.raises(ValidationError):  # nothing is left of it
        app.undoing.undo(UndoRequest(root, seq))


def test_the_same_lines_are_a_conflict_that_writes_nothing(app: App, tmp_path: Path, edit: Edit) -> None:
    root, file, other = str(tmp_path), tmp_path / "a.txt", tmp_path / "b.txt"
    file.write_bytes(b"".join(LINES))
    other.write_bytes(b"b\n")
    first = edit("a.txt", with_line(2, b"two\r\n"))
    edit("b.txt", b"bb\n")
    second = edit("a.txt", with_line(2, b"zwei\r\n"))
    with pytest.raises(ConflictError) as caught:
        app.undoing.undo(UndoRequest(root, first))
    assert caught.value.details == {"seq": first, "path": "a.txt", "later": [second]}
    assert file.read_bytes() == with_line(2, b"zwei\r\n")
    undone = app.undoing.undo(UndoRequest(root, first, all_after=True))
    assert [one.seq for one in undone] == [second, second - 1, first]
    assert (file.read_bytes(), other.read_bytes()) == (b"".join(LINES), b"b\n")
    seen = undone[-1].new_seq or 0
    app.undoing.undo(UndoRequest(root, undone[0].new_seq or 0, all_after=True))
    assert (file.read_bytes(), other.read_bytes()) == (with_line(2, b"zwei\r\n"), b"bb\n")
    file.write_bytes(b"all else\n")
    with pytest.raises(ConflictError):  # one of several: none is written
        app.undoing.undo(UndoRequest(root, seen, all_after=True))
    assert other.read_bytes() == b"bb\n"


def test_a_conflict_names_only_the_changes_that_are_in_the_way(app: App, tmp_path: Path, edit: Edit) -> None:
    root, file = str(tmp_path), tmp_path / "a.txt"
    lines = list(LINES)
    file.write_bytes(b"".join(lines))

    def set_line(number: int, text: bytes) -> int:
        lines[number] = text
        return edit("a.txt", b"".join(lines))

    first = set_line(4, b"four\r\n")
    set_line(10, b"ten\r\n")  # far below
    lines.insert(0, b"new\r\n")
    edit("a.txt", b"".join(lines))  # far above: all else moves
    second = set_line(5, b"vier\r\n")  # the same line
    set_line(1, b"else\r\n")
    third = set_line(6, b"after it\r\n")  # what git takes for the same place
    with pytest.raises(ConflictError) as caught:
        app.undoing.undo(UndoRequest(root, first))
    assert caught.value.details["later"] == [second, third]
    assert f"by changes {second}, {third};" in caught.value.message
    assert "--all-after" in str(caught.value.hint)
    lines[5] = b"by hand\r\n"
    file.write_bytes(b"".join(lines))
    with pytest.raises(ConflictError, match=f"by changes {second}, {third} and another program;"):
        app.undoing.undo(UndoRequest(root, first))
    with pytest.raises(ConflictError, match=f"by change {third} and another program;"):
        app.undoing.undo(UndoRequest(root, second))


def test_what_another_program_did_is_told_as_such(app: App, tmp_path: Path, edit: Edit) -> None:
    file, root = tmp_path / "a.txt", str(tmp_path)
    file.write_bytes(b"".join(LINES))
    seq = edit("a.txt", with_line(4, b"four\r\n"))
    file.write_bytes(with_line(4, b"by hand\r\n"))
    edit("a.txt", with_line(9, b"nine\r\n", file.read_bytes().splitlines(keepends=True)))
    with pytest.raises(ConflictError, match="again by another program;") as caught:
        app.undoing.undo(UndoRequest(root, seq))
    assert caught.value.details["later"] == []
    assert "--all-after" not in str(caught.value.hint), "it would end at the same lines"
    file.unlink()
    with pytest.raises(ConflictError) as caught:
        app.undoing.undo(UndoRequest(root, seq))
    assert "git" in str(caught.value.hint), "there is no file that could be edited"


def test_contents_that_were_kept_before_schema_0015_can_be_read(
    app: App, tmp_path: Path, edit: Edit, database_url: str
) -> None:
    file, root = tmp_path / "a.txt", str(tmp_path)
    for before, after in ((b"", b"x" * 500), (b"one\n", b"two\n"), (b"gone\n", None), (None, b"new\n")):
        file.unlink(missing_ok=True)
        if before is not None:
            file.write_bytes(before)
        seq = edit("a.txt", after)
        with psycopg.connect(database_url) as conn:
            conn.execute(
                "UPDATE cocosearch_py.change_images SET before = %s, inserted = %s, start_byte = 0, end_byte = %s "
                "WHERE change_id = (SELECT max(change_id) FROM cocosearch_py.changes)",
                [*(None if one is None else zlib.compress(one, 1) for one in (before, after)), len(before or b"")],
            )
        assert app.change_log.image(root, seq) == Image(before, 0, len(before or b""), after, ANY)
        app.undoing.undo(UndoRequest(root, seq))
        assert (file.read_bytes() if file.exists() else None) == before


def test_what_cannot_be_taken_back_is_said(app: App, tmp_path: Path, edit: Edit, database_url: str) -> None:
    root = str(tmp_path)
    with pytest.raises(NotFoundError):
        app.undoing.undo(UndoRequest(root, 1))
    with psycopg.connect(database_url) as conn:
        changes.add_seen(conn, root, [Seen("a.txt", "added", None, "0" * 32)])
    with pytest.raises(ValidationError):
        app.undoing.undo(UndoRequest(root, 1))
    seqs = [edit("a.txt", f"{number:05} {'x' * 100_000}".encode()) for number in range(6)]
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.change_images SET kept_at = now() - interval '31 days' WHERE change_id = 3")
        changes.prune(conn, root, 30, 2**20)
        kept = [one.seq for one in changes.since(conn, root, most=10) if one.restorable]
    assert kept == [seqs[0], *seqs[2:]]
    small = ChangeLog(app.database, keep_bytes=100)
    while small.finish(small.begin(Intent(root, "b.txt", "replace", "test", b"1", b"2"))).seq % 20:
        pass
    with psycopg.connect(database_url) as conn:
        rows = changes.since(conn, root, most=100)
    assert len(rows) == 20 and 0 < sum(one.restorable for one in rows) < 20
    with pytest.raises(ValidationError):
        app.undoing.undo(UndoRequest(root, seqs[5]))
