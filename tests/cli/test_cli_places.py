"""Paths that are typed and shown in a folder inside of an indexed project."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def twins(cli, tmp_path_factory) -> Path:
    """A project whose subfolder has files of the same names as the root."""
    root = tmp_path_factory.mktemp("twins") / "twins"
    for folder, word in ((root, "outer"), (root / "lib", "inner"), (root / "lib/deep", "deepest")):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "thing.py").write_text(f'"""The {word} thing."""\n\n\ndef {word}_thing():\n    return "{word}"\n')
    (root / "use.py").write_text("from lib.thing import inner_thing\n\n\ndef use():\n    return inner_thing()\n")
    cli("index", root)
    return root


def test_what_is_here_comes_before_what_is_at_the_root(cli, twins) -> None:
    assert "inner" in cli("read", "thing.py", cwd=twins / "lib").out
    assert "outer" in cli("read", "../thing.py", cwd=twins / "lib").out
    assert "outer" in cli("read", "thing.py", cwd=twins).out
    assert "outer" in cli("read", "use.py", "thing.py:1-5", cwd=twins).out
    assert "inner" in cli("read", "thing.py:1-5", cwd=twins / "lib").out
    assert "deepest" in cli("read", "lib/deep/thing.py", cwd=twins / "lib").out, "from the root, where nothing is here"


@pytest.mark.parametrize(
    "words",
    [
        ("files", "."),
        ("files", "--path", "."),
        ("grep", "thing", "--path", "."),
        ("hotspots", ".", "--min-complexity", "1"),
        ("map", "--path", "."),
        ("search", "thing", "--path", "."),
        ("search", "thing path:."),
        ("symbols", "*thing", "--path", "."),
        ("summarize", "."),
        ("tokens", "--directory", "."),
    ],
)
def test_a_dot_is_the_current_folder(cli, twins, words) -> None:
    """JSON keeps its paths, from the root or absolute."""
    found = cli("--json", *words, cwd=twins / "lib").out
    assert "lib/thing.py" in found and "use.py" not in found
    assert "use.py" in cli("--json", *words, cwd=twins).out or words[0] == "symbols"


def test_globs_begin_here_where_something_is_here(cli, twins) -> None:
    def paths(*globs: str, cwd: Path) -> list[str]:
        found = cli("--json", "files", *(word for glob in globs for word in ("--path", glob)), cwd=cwd).json
        return [one["path"] for one in found["files"]]

    assert paths("deep", cwd=twins / "lib") == ["lib/deep/thing.py"]
    assert paths("deep/*.py", cwd=twins / "lib") == ["lib/deep/thing.py"]
    assert paths("lib/*.py", cwd=twins / "lib") == ["lib/thing.py"], "from the root"
    assert paths("./*.py", cwd=twins) == ["thing.py", "use.py"]
    assert paths("../*.py", cwd=twins / "lib") == ["thing.py", "use.py"]
    assert len(paths("thing.py", cwd=twins / "lib")) == 3, "a name is that of files anywhere"


def test_an_index_that_is_named_is_not_of_the_files_here(cli, twins, shop) -> None:
    assert "outer" in cli("read", "thing.py", "-n", "twins", cwd=shop).out
    (shop.parent / "thing.py").write_text("elsewhere = True\n")
    assert "outer" in cli("read", "thing.py", "-n", "twins", cwd=shop.parent).out
    assert "inner" in cli("read", "thing.py", "-n", "twins", cwd=twins / "lib").out
