"""What root's embedded servers leave in the system's folder is removed when, and only when, nobody can need it."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.storage.server import embedded, homes, location
from cocosearch_py.storage.server.location import EmbeddedServer
from cocosearch_py.storage.server.locks import locked
from cocosearch_py.storage.server.owners import note


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], EmbeddedServer]:
    """A home of this name with some content, of a data folder of the same name."""
    (tmp_path / "homes").mkdir()

    def make(name: str) -> EmbeddedServer:
        home = tmp_path / "homes" / name
        (home / "data").mkdir(parents=True)
        (home / "data" / "PG_VERSION").write_text("18")
        return EmbeddedServer(home, home / "run", apart_from=tmp_path / "folders" / name)

    return make


def test_only_what_nobody_can_need_is_removed(
    make: Callable[[str], EmbeddedServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "homes"
    there, gone, away, running, busy, old = (make(letter * 12) for letter in "abcdef")
    for one in (there, gone, away, running, busy):
        note(one)
        assert one.apart_from is not None and one.apart_from.is_dir(), "whether it is there has to mean something"
    for one in (gone, away, running, busy):
        assert one.apart_from is not None
        one.apart_from.rmdir()
    told = json.loads((away.home / "data-folder.json").read_text())
    (away.home / "data-folder.json").write_text(json.dumps({**told, "device": told["device"] + 1}))
    monkeypatch.setattr(embedded, "is_running", lambda server: server.home == running.home)
    (root / "programs-0.6.0").mkdir()
    (root / ("9" * 12)).symlink_to(tmp_path / "folders")
    found = {one.home.name[0]: one for one in homes.find_remains(root)}
    assert {name: one.kept_because.split(" ")[0] for name, one in found.items()} == {
        "b": "",
        "c": "the",
        "d": "its",
        "e": "",
        "f": "an",
    }
    assert found["b"].data_folder == str(gone.apart_from)
    assert found["f"].size_bytes() == len("18")
    with locked(busy.home / "start.lock"):  # somebody starts it just now
        assert [name for name, one in found.items() if homes.remove(one)] == ["b"]
    there_again = found["e"]
    (tmp_path / "folders" / busy.home.name).mkdir()
    assert not homes.remove(there_again), "it came back after it was looked for"
    assert sorted(path.name[0] for path in root.iterdir()) == ["9", "a", "c", "d", "e", "f", "p"]
    assert old.home.is_dir()


def test_a_home_apart_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for may_enter in (True, False):
        monkeypatch.setattr(location, "world_can_enter", lambda _, may_enter=may_enter: may_enter)
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        assert location.locate(tmp_path / "data").apart_from == (None if may_enter else tmp_path / "data")
